#include "app/gui/pages/tools_page.h"

#include "app/gui/pages/cost_view.h"
#include "app/gui/pages/devices_view.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/laws_view.h"
#include "app/gui/pages/lint_view.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/tpu_view.h"
#include "app/gui/text/format.h"

#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace slipway::gui {

ToolsPage::ToolsPage(Context& context, PlanController& plan, QWidget* parent) : Page(context, parent), m_plan(plan) {
    m_export = header()->addButton(tr("Export…"));
    m_export->setObjectName(QStringLiteral("exportTool"));
    m_primary = header()->addButton(QString(), true);
    m_primary->setObjectName(QStringLiteral("toolPrimary"));
    auto* column = new QWidget(this);
    m_tabs = new QTabBar(column);
    m_tabs->setObjectName(QStringLiteral("toolTabs"));
    m_tabs->setAccessibleName(tr("Tools"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_views = new QStackedWidget(column);
    const auto base = [this] { return m_plan.document(); };
    add(tr("Laws"), new LawsView(base, m_views));
    auto* cost = new CostView([this] { return m_plan.plan(); }, m_views);
    connect(&m_plan, &PlanController::planChanged, cost, &CostView::planChanged);
    add(tr("Cost"), cost);
    add(tr("TPU"), new TpuView(m_views));
    add(tr("Lint"), new LintView(base, m_views));
    auto* devices = new DevicesView(context.engine.home().path / kUserHardwareFile, base, m_views);
    connect(devices, &DevicesView::hardwareChanged, this, &ToolsPage::hardwareChanged);
    add(tr("Devices"), devices);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tabs);
    layout->addWidget(edgeLine(Qt::Horizontal, column));
    layout->addWidget(m_views, 1);
    setContent(column);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_views->setCurrentIndex(index);
        showHeader();
    });
    connect(m_export, &QPushButton::clicked, this, &ToolsPage::exportData);
    connect(m_primary, &QPushButton::clicked, this, &ToolsPage::primaryAction);
    showHeader();
}

void ToolsPage::add(const QString& title, ToolView* view) {
    m_tabs->addTab(title);
    m_views->addWidget(view);
    connect(view, &ToolView::headerChanged, this, [this, view] {
        if (view == open()) showHeader();
    });
    connect(view, &ToolView::said, this, &Page::said);
    connect(view, &ToolView::planWanted, this, [this](const QString& what, const PlanDocument& document) {
        m_plan.take(what, document);
        emit wantsPage(PageId::Plan);
    });
}

ToolView* ToolsPage::open() const {
    return static_cast<ToolView*>(m_views->currentWidget());
}

ToolView* ToolsPage::tab(ToolTab tab) const {
    return static_cast<ToolView*>(m_views->widget(static_cast<int>(tab)));
}

void ToolsPage::showTab(ToolTab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

void ToolsPage::showHeader() {
    const ToolView* view = open();
    header()->setTitle(view->title());
    header()->setSideText(view->sideText());
    m_primary->setText(view->primaryText());
    m_primary->setVisible(!view->primaryText().isEmpty());
    m_primary->setEnabled(view->canPrimary());
    m_export->setEnabled(!view->tableText().isEmpty());
}

bool ToolsPage::can(PageAction action) const {
    switch (action) {
        case PageAction::Primary: return open()->canPrimary();
        case PageAction::Export: return m_export->isEnabled();
        case PageAction::Find: return true;
        case PageAction::Refresh: return false;
    }
    return false;
}

void ToolsPage::primaryAction() {
    if (open()->canPrimary()) open()->primary();
}

void ToolsPage::find() {
    open()->find();
}

void ToolsPage::exportData() {
    const QString text = open()->tableText();
    if (text.isEmpty()) return;
    const QString file = askSaveFile(this, tr("Save the table"), QStringLiteral("table.tsv"));
    if (!file.isEmpty())
        saveText(this, file, text, [this, file](const QString& problem) {
            emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
        });
}

}  // namespace slipway::gui
