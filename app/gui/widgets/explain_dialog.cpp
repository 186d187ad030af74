#include "app/gui/widgets/explain_dialog.h"

#include "app/gui/format.h"
#include "app/gui/label_text.h"
#include "app/gui/text.h"
#include "app/gui/theme.h"
#include "app/gui/widgets/pane.h"
#include "core/planner/explain/explain.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kWidth = 460;

QString numberText(const ExplainedNumber& number) {
    return std::isnan(number.value) ? unknownText() : qs(textOf(number));
}

bool isExplained(const std::string& name) {
    const auto& names = explainedFigures();
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void ExplainDialog::open(QWidget* at, std::shared_ptr<const Plan> plan, const std::string& figure) {
    if (!plan) return;
    // A part without a formula of its own is read off its sum.
    const std::string sum = figure.starts_with("step.") ? "step_seconds" : figure.starts_with("memory.") ? "memory_peak_bytes" : figure;
    const std::string& shown = explain(*plan, figure) ? figure : sum;
    if (!explain(*plan, shown)) return;
    for (ExplainDialog* former : at->window()->findChildren<ExplainDialog*>()) former->close();
    auto* dialog = new ExplainDialog(at, std::move(plan), shown);
    dialog->adjustSize();  // for the place below
    QPoint corner = at->mapToGlobal(QPoint(0, at->height() + px(2)));
    const QRect screen = at->screen()->availableGeometry();
    corner.setX(std::clamp(corner.x(), screen.left(), std::max(screen.left(), screen.right() - dialog->width())));
    dialog->move(corner);
    dialog->show();
}

ExplainDialog::ExplainDialog(QWidget* at, std::shared_ptr<const Plan> plan, const std::string& figure)
    : QDialog(at), m_plan(std::move(plan)), m_trail{figure} {
    setObjectName(QStringLiteral("explanation"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Formula"));
    m_layout = new QVBoxLayout(this);
    m_layout->setSizeConstraint(QLayout::SetFixedSize);  // follows its contents
    m_layout->setContentsMargins(px(16), px(12), px(16), px(12));
    fill();
}

void ExplainDialog::fill() {
    const auto e = explain(*m_plan, m_trail.back());
    delete m_body;
    m_body = new QWidget(this);
    m_layout->addWidget(m_body);
    if (!e) return;
    m_body->setFixedWidth(px(kWidth));
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(8));

    auto* head = new QHBoxLayout;
    auto* name = new QLabel(columnTitle(e->figure.name, e->figure.name), m_body);
    name->setFont(fontOf(1.0, true));
    auto* value = new QLabel(numberText(e->figure), m_body);
    value->setObjectName(QStringLiteral("value"));
    value->setFont(fontOf(1.0, true));
    head->addWidget(name);
    head->addStretch();
    head->addWidget(value);
    column->addLayout(head);

    auto* formula = new QLabel(QStringLiteral("= ") + qs(e->formula), m_body);
    formula->setObjectName(QStringLiteral("formula"));
    formula->setWordWrap(true);
    formula->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(formula);
    column->addWidget(edgeLine(Qt::Horizontal, m_body));

    auto* grid = new QGridLayout;
    grid->setVerticalSpacing(px(4));
    grid->setColumnStretch(0, 1);
    int row = 0;
    const auto add = [&](QWidget* left, const QString& text) {
        auto* number = new QLabel(text, m_body);
        number->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(left, row, 0, Qt::AlignLeft);
        grid->addWidget(number, row++, 1);
    };
    for (const ExplainedNumber& input : e->inputs) {
        if (!isExplained(input.name)) {
            add(quietLabel(qs(input.name), m_body), numberText(input));
            continue;
        }
        QPushButton* link = linkButton(qs(input.name), m_body);
        link->setObjectName(qs(input.name));
        connect(link, &QPushButton::clicked, this, [this, next = input.name] { go(next); }, Qt::QueuedConnection);
        add(link, numberText(input));
    }
    if (e->interval)
        add(quietLabel(tr("80 % interval"), m_body), numberText({"", e->interval->first, e->figure.unit}) + QStringLiteral(" – ") + numberText({"", e->interval->second, e->figure.unit}));
    column->addLayout(grid);

    QLabel* source = quietLabel(tr("Source: %1").arg(qs(e->source)), m_body, kSideSize);
    source->setWordWrap(true);
    source->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(source);
    QLabel* basis = quietLabel(labelHelp(m_plan->step.label), m_body, kSideSize);
    basis->setObjectName(QStringLiteral("label"));
    basis->setWordWrap(true);
    column->addWidget(basis);
    if (m_trail.size() > 1) {
        QPushButton* button = linkButton(tr("Back"), m_body);
        button->setObjectName(QStringLiteral("back"));
        connect(button, &QPushButton::clicked, this, &ExplainDialog::back, Qt::QueuedConnection);
        column->addWidget(button, 0, Qt::AlignLeft);
    }
    m_body->show();
    setAccessibleName(name->text() + QStringLiteral(" = ") + value->text() + QStringLiteral(" = ") + qs(e->formula));
}

void ExplainDialog::go(const std::string& figure) {
    m_trail.push_back(figure);
    fill();
}

const std::string& ExplainDialog::figure() const {
    return m_trail.back();
}

void ExplainDialog::back() {
    m_trail.pop_back();
    fill();
}

void ExplainDialog::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Backspace && m_trail.size() > 1) return back();
    QDialog::keyPressEvent(event);
}

}  // namespace slipway::gui
