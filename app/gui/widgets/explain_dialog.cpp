#include "app/gui/widgets/explain_dialog.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "core/planner/explain/explain.h"
#include "core/planner/stack/forecast_basis.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kWidth = 460;

/// The title of a figure, or the name of an input of a formula.
QString titleOf(const std::string& name) {
    const QString title = columnTitle(name);
    return title == qs(name) ? qs(quantityText(name, windowLanguage())) : title;
}

QString numberText(const ExplainedNumber& number) {
    return std::isnan(number.value) ? unknownText() : qs(textOf(number, windowLanguage()));
}

}  // namespace

void ExplainDialog::open(QWidget* at, std::shared_ptr<const Plan> plan, const std::string& figure) {
    if (!plan || !explain(*plan, figure)) return;
    for (ExplainDialog* former : at->window()->findChildren<ExplainDialog*>()) former->close();
    auto* dialog = new ExplainDialog(at, std::move(plan), figure);
    dialog->adjustSize();  // for the position below
    QPoint corner = at->mapToGlobal(QPoint(0, at->height() + px(2)));
    const QRect screen = at->screen()->availableGeometry();
    corner.setX(std::clamp(corner.x(), screen.left(), std::max(screen.left(), screen.right() - dialog->width())));
    corner.setY(std::clamp(corner.y(), screen.top(), std::max(screen.top(), screen.bottom() - dialog->height())));
    dialog->move(corner);
    dialog->show();
}

ExplainDialog::ExplainDialog(QWidget* at, std::shared_ptr<const Plan> plan, const std::string& figure)
    : QDialog(at), m_plan(std::move(plan)), m_trail{figure} {
    setObjectName(QStringLiteral("explanation"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_layout = new QVBoxLayout(this);
    m_layout->setSizeConstraint(QLayout::SetFixedSize);  // follows its contents
    m_layout->setContentsMargins(px(16), px(12), px(16), px(12));
    fill();
}

void ExplainDialog::fill() {
    const auto e = explain(*m_plan, m_trail.back());
    setWindowTitle(tr("Formula"));
    delete m_body;
    m_body = new QWidget(this);
    m_layout->addWidget(m_body);
    if (!e) return;
    m_body->setFixedWidth(px(kWidth));
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(8));

    auto* head = new QHBoxLayout;
    auto* name = new QLabel(titleOf(e->figure.name), m_body);
    name->setFont(fontOf(1.0, true));
    auto* value = new QLabel(numberText(e->figure), m_body);
    value->setObjectName(QStringLiteral("value"));
    value->setFont(fontOf(1.0, true));
    head->addWidget(name);
    head->addStretch();
    head->addWidget(value);
    column->addLayout(head);

    auto* formula = new QLabel(QStringLiteral("= ") + wordJoined(qs(formulaText(*e, windowLanguage()))), m_body);
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
    const auto addNumber = [&](const ExplainedNumber& input) {
        if (!explain(*m_plan, input.name))
            return add(quietLabel(qs(quantityText(input.name, windowLanguage())), m_body), numberText(input));
        QPushButton* link = linkButton(qs(quantityText(input.name, windowLanguage())), m_body);
        link->setObjectName(qs(input.name));
        connect(
            link, &QPushButton::clicked, this, [this, next = input.name] { go(next); }, Qt::QueuedConnection);
        add(link, numberText(input));
    };
    for (const ExplainedNumber& input : e->inputs) addNumber(input);
    if (!e->others.empty()) add(quietLabel(tr("By other conventions"), m_body), {});
    for (const ExplainedNumber& other : e->others) addNumber(other);
    if (e->interval)
        add(quietLabel(qs(textOf(intervalName(m_plan->step.label), windowLanguage())), m_body),
            numberText({"", e->interval->first, e->figure.unit}) + QStringLiteral(" – ") +
                numberText({"", e->interval->second, e->figure.unit}));
    column->addLayout(grid);

    QLabel* source =
        quietLabel(wordJoined(tr("Source: %1").arg(qs(textOf(e->source, windowLanguage())))), m_body, kSideSize);
    source->setWordWrap(true);
    source->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(source);
    QLabel* basis = quietLabel(wordJoined(labelHelp(m_plan->step.label)), m_body, kSideSize);
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
    setAccessibleName(name->text() + QStringLiteral(" = ") + value->text() + QStringLiteral(" = ") +
                      qs(formulaText(*e, windowLanguage())));
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

void ExplainDialog::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) fill();
    QDialog::changeEvent(event);
}

void ExplainDialog::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Backspace && m_trail.size() > 1) return back();
    QDialog::keyPressEvent(event);
}

void offerFormulas(QTableView* view, std::function<std::string(const QModelIndex&)> figure,
                   std::function<std::shared_ptr<const Plan>(const QModelIndex&)> plan) {
    const QKeySequence keys(Qt::ALT | Qt::Key_Return);
    const auto open = [view, figure, plan = std::move(plan)](const QModelIndex& index) {
        const std::string name = index.isValid() ? figure(index) : std::string();
        if (!name.empty()) ExplainDialog::open(view, plan(index), name);
    };
    auto* shortcut = new QShortcut(keys, view);
    shortcut->setContext(Qt::WidgetShortcut);
    QObject::connect(shortcut, &QShortcut::activated, view, [view, open] { open(view->currentIndex()); });
    view->setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(view, &QTableView::customContextMenuRequested, view,
                     [view, figure = std::move(figure), open, keys](const QPoint& at) {
                         const QPersistentModelIndex index = view->indexAt(at);
                         const std::string name = index.isValid() ? figure(index) : std::string();
                         if (name.empty()) return;
                         auto* menu = new QMenu(view);
                         menu->setAttribute(Qt::WA_DeleteOnClose);
                         QAction* ask = menu->addAction(ExplainDialog::tr("Formula of “%1”").arg(columnTitle(name)),
                                                        view, [index, open] { open(index); });
                         ask->setShortcut(keys);
                         menu->popup(view->viewport()->mapToGlobal(at));
                     });
}

}  // namespace slipway::gui
