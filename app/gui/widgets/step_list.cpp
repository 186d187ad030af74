#include "app/gui/widgets/step_list.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/pane.h"

#include <QGridLayout>
#include <QLabel>

namespace slipway::gui {

StepList::StepList(QWidget* parent) : QWidget(parent), m_layout(new QGridLayout(this)) {
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(px(8));
    m_layout->setVerticalSpacing(px(9));
    m_layout->setColumnStretch(3, 1);
}

void StepList::setRows(const std::vector<StepRow>& rows) {
    while (m_lines.size() < rows.size()) {
        const int row = static_cast<int>(m_lines.size());
        Line line{new QLabel(this), quietLabel(QString::number(row + 1), this), new QLabel(this), new QLabel(this)};
        line.name->setFont(fontOf(1.0, true));
        line.text->setWordWrap(true);
        line.text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        int column = 0;
        for (QLabel* label : {line.icon, line.number, line.name, line.text}) {
            label->setTextFormat(Qt::PlainText);
            m_layout->addWidget(label, row, column++, Qt::AlignTop);
        }
        m_layout->setAlignment(line.text, Qt::Alignment());
        line.icon->setContentsMargins(0, px(3), 0, 0);  // in the middle of the first line
        m_lines.push_back(line);
    }
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const bool isShown = i < rows.size();
        for (QLabel* label : {m_lines[i].icon, m_lines[i].number, m_lines[i].name, m_lines[i].text})
            label->setVisible(isShown);
        if (!isShown) continue;
        const StepRow& row = rows[i];
        m_lines[i].icon->setPixmap(iconPixmap(row.icon, row.colour, 12));
        m_lines[i].icon->setAccessibleName(row.state);
        m_lines[i].name->setText(row.name);
        m_lines[i].name->setAccessibleName(row.name + QStringLiteral(": ") + row.state);
        m_lines[i].text->setText(wordJoined(row.text));
        setInk(m_lines[i].text, row.isStrong ? row.colour : row.text.isEmpty() ? theme().text3 : theme().text);
    }
}

QStringList StepList::texts() const {
    QStringList texts;
    for (const Line& line : m_lines) texts << line.text->text().remove(QChar(0x2060));
    return texts;
}

FactGrid::FactGrid(int columns, QWidget* parent)
    : QWidget(parent), m_columns(columns), m_layout(new QGridLayout(this)) {
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(px(12));
    m_layout->setVerticalSpacing(px(5));
    for (int column = 0; column < columns; ++column) m_layout->setColumnStretch(2 * column + 1, 1);
}

void FactGrid::setFacts(const std::vector<std::pair<QString, QString>>& facts) {
    if (facts == m_facts) return;
    m_facts = facts;
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int i = 0;
    for (const auto& [name, value] : facts) {
        const int row = i / m_columns, column = 2 * (i % m_columns);
        ++i;
        m_layout->addWidget(quietLabel(name, this), row, column);
        auto* label = new ElidedLabel(this);
        label->setFullText(value);
        m_layout->addWidget(label, row, column + 1);
    }
}

QString FactGrid::value(const QString& name) const {
    for (const auto& [key, value] : m_facts)
        if (key == name) return value;
    return {};
}

}  // namespace slipway::gui
