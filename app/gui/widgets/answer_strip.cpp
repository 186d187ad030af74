#include "app/gui/widgets/answer_strip.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/pane.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {
namespace {

constexpr int kPadding = 16;
constexpr int kLongestBelow = 170;

}  // namespace

AnswerStrip::AnswerStrip(int count, QWidget* parent) : QWidget(parent) {
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(px(kPadding), px(8), px(kPadding), px(8));
    m_grid->setHorizontalSpacing(px(12));
    m_grid->setVerticalSpacing(px(8));
    for (int i = 0; i < count; ++i) {
        auto* holder = new QWidget(this);
        Cell cell{quietLabel({}, holder, kSideSize), new QLabel(holder), new ElidedLabel(holder), {}, holder};
        cell.below->setFont(cell.label->font());
        cell.below->setPalette(cell.label->palette());
        cell.figure->setTextFormat(Qt::RichText);
        auto* column = new QVBoxLayout(holder);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(cell.label);
        column->addWidget(cell.figure);
        column->addWidget(cell.below);
        m_cells.push_back(cell);
    }
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    arrange(count);
}

void AnswerStrip::arrange(int columns) {
    if (columns == m_columns) return;
    m_columns = columns;
    for (std::size_t i = 0; i < m_cells.size(); ++i)
        m_grid->addWidget(m_cells[i].holder, static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    share();
}

// Long figures get more room than short ones.
void AnswerStrip::share() {
    for (int column = 0; column < static_cast<int>(m_cells.size()); ++column) {
        int widest = 0;
        for (int i = column; column < m_columns && i < static_cast<int>(m_cells.size()); i += m_columns)
            widest = std::max(widest, m_cells[static_cast<std::size_t>(i)].holder->sizeHint().width());
        m_grid->setColumnStretch(column, widest);
    }
}

void AnswerStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

// Nothing is cut while there is room: what does not fit side by side takes two rows. Only a long text below may be elided.
void AnswerStrip::fit() {
    const int count = static_cast<int>(m_cells.size());
    int needed = px(2 * kPadding) + (count - 1) * m_grid->horizontalSpacing();
    for (const Cell& cell : m_cells)
        needed += std::max({cell.label->sizeHint().width(), cell.figure->sizeHint().width(),
                            std::min(cell.below->sizeHint().width(), px(kLongestBelow))});
    arrange(width() < needed ? (count + 1) / 2 : count);
}

QSize AnswerStrip::sizeHint() const {
    return {QWidget::sizeHint().width(), minimumSizeHint().height()};
}

QSize AnswerStrip::minimumSizeHint() const {
    return {px(300), std::max(px(82), QWidget::minimumSizeHint().height())};
}

void AnswerStrip::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    fit();  // only now are fonts and style known
    share();
}

void AnswerStrip::setAnswers(const std::vector<Answer>& answers) {
    const Theme& t = theme();
    for (std::size_t i = 0; i < m_cells.size() && i < answers.size(); ++i) {
        const Answer& answer = answers[i];
        Cell& cell = m_cells[i];
        const Figure figure = split(answer.figure);
        // An unknown figure has no unit.
        const QString unit = answer.figure == unknownText() ? QString()
                             : answer.after.isEmpty()       ? figure.unit
                                                            : answer.after;
        cell.text = answer.figure;
        cell.label->setText(answer.label);
        cell.figure->setText(
            QStringLiteral(
                "<span style='font-size:%1px; font-weight:600; color:%2'>%3</span><span style='color:%4'>&nbsp;%5</span>")
                .arg(fontOf(kAnswerSize).pixelSize())
                .arg((answer.bad ? t.bad : t.text).name(), figure.number.toHtmlEscaped(), t.text2.name(),
                     unit.toHtmlEscaped()));
        cell.holder->setAccessibleName(answer.label + QStringLiteral(": ") + answer.figure);
        cell.figure->setAccessibleName(answer.label + QStringLiteral(": ") + answer.figure);
        cell.below->setFullText(answer.below);
    }
    fit();
    share();
}

void AnswerStrip::setAskable() {
    for (Cell& cell : m_cells) {
        cell.holder->setFocusPolicy(Qt::TabFocus);
        cell.holder->setCursor(Qt::PointingHandCursor);
        cell.holder->setToolTip(tr("Formula, inputs and source"));
        cell.holder->installEventFilter(this);
    }
}

bool AnswerStrip::eventFilter(QObject* watched, QEvent* event) {
    const bool clicked =
        event->type() == QEvent::MouseButtonRelease && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
    const auto entered = [event] {
        const int key = static_cast<QKeyEvent*>(event)->key();
        return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space;
    };
    if (clicked || (event->type() == QEvent::KeyPress && entered())) {
        for (std::size_t i = 0; i < m_cells.size(); ++i)
            if (m_cells[i].holder == watched) emit asked(static_cast<int>(i), m_cells[i].holder);
        return true;
    }
    // Focus must be visible: the cell's label is underlined.
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        for (Cell& cell : m_cells)
            if (cell.holder == watched) {
                QFont font = cell.label->font();
                font.setUnderline(event->type() == QEvent::FocusIn);
                cell.label->setFont(font);
            }
    return QWidget::eventFilter(watched, event);
}

QString AnswerStrip::figure(int index) const {
    return m_cells.at(static_cast<std::size_t>(index)).text;
}

}  // namespace slipway::gui
