#include "app/gui/widgets/answer_strip.h"

#include "app/gui/format.h"
#include "app/gui/theme.h"
#include "app/gui/widgets/pane.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace slipway::gui {

AnswerStrip::AnswerStrip(int count, QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(16), px(8), px(16), px(8));
    row->setSpacing(px(16));
    for (int i = 0; i < count; ++i) {
        Cell cell{quietLabel({}, this, kSideSize), new QLabel(this), quietLabel({}, this, kSideSize), {}};
        cell.figure->setTextFormat(Qt::RichText);
        auto* column = new QVBoxLayout;
        column->setSpacing(0);
        column->addWidget(cell.label);
        column->addWidget(cell.figure);
        column->addWidget(cell.below);
        row->addLayout(column, 1);
        m_cells.push_back(cell);
    }
    setMinimumHeight(px(82));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void AnswerStrip::setAnswers(const std::vector<Answer>& answers) {
    const Theme& t = theme();
    for (std::size_t i = 0; i < m_cells.size() && i < answers.size(); ++i) {
        const Answer& answer = answers[i];
        Cell& cell = m_cells[i];
        const Figure figure = split(answer.figure);
        const QString unit = answer.after.isEmpty() ? figure.unit : answer.after;
        cell.text = answer.figure;
        cell.label->setText(answer.label);
        cell.figure->setText(QStringLiteral("<span style='font-size:%1px; font-weight:600; color:%2'>%3</span><span style='color:%4'>&nbsp;%5</span>")
                                 .arg(fontOf(kAnswerSize).pixelSize())
                                 .arg((answer.bad ? t.bad : t.text).name(), figure.number.toHtmlEscaped(), t.text2.name(), unit.toHtmlEscaped()));
        cell.figure->setAccessibleName(answer.label + QStringLiteral(": ") + answer.figure);
        cell.below->setText(answer.below);
        cell.below->setToolTip(answer.below);
    }
}

QString AnswerStrip::figure(int index) const {
    return m_cells.at(static_cast<std::size_t>(index)).text;
}

}  // namespace slipway::gui
