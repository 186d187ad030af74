#include "app/gui/pages/nodes_page.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/ask_dialog.h"
#include "app/gui/pages/node_dialog.h"
#include "app/gui/pages/node_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/tables.h"
#include "core/base/clock.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QPainter>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace slipway::gui {
namespace {

constexpr int kClockMilliseconds = 5000;  // of "4 min ago"

enum Column { kName, kState, kAddress, kDevices, kMemory, kDisk, kTrainer, kRuns, kLastSign };
// Hidden in this order if there is not enough room.
const QList<int> kDispensable{kMemory, kAddress, kTrainer, kDisk, kLastSign};

class NodeDelegate : public RowDelegate {
public:
    using RowDelegate::RowDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        RowDelegate::paint(painter, option, index);
        const auto* model = dynamic_cast<const RowsModel<NodeRow>*>(index.model());
        if (index.column() != kName || model == nullptr) return;
        const NodeState state = stateOf(model->rows()[static_cast<std::size_t>(index.row())]);
        paintIcon(*painter, stateIcon(state),
                  QRectF(option.rect.left() + px(16), option.rect.center().y() - px(6), px(12), px(12)),
                  stateColour(state));
    }

protected:
    [[nodiscard]] int textIndent(const QModelIndex& index) const override {
        return index.column() == kName ? px(28) : 0;
    }
};

QString nameOf(const NodeRow& row) {
    return row.isLocal ? NodesPage::tr("This computer") : qs(row.record.name);
}

std::vector<RowColumn<NodeRow>> nodeColumns() {
    using R = NodeRow;
    const auto known = [](double bytes) { return bytes > 0 ? bytesText(bytes) : unknownText(); };
    const auto ink = [](const R& r) {
        const NodeState state = stateOf(r);
        return state == NodeState::NoContact || state == NodeState::KeyChanged ? stateColour(state) : QColor();
    };
    return {
        {NodesPage::tr("Name"), nameOf, Qt::AlignLeft, {}, {}, nameOf},
        {NodesPage::tr("State"), [](const R& r) { return stateText(stateOf(r)); }, Qt::AlignLeft, ink, {}, sentenceOf},
        {NodesPage::tr("Address"),
         [](const R& r) { return r.isLocal ? NodesPage::tr("loopback") : addressText(r.record); }, Qt::AlignLeft},
        {NodesPage::tr("Devices"), [](const R& r) { return devicesText(r.facts); }, Qt::AlignLeft},
        {NodesPage::tr("Memory"), [known](const R& r) { return known(r.facts.memoryBytes); }, Qt::AlignRight},
        {NodesPage::tr("Free disk"), [known](const R& r) { return known(r.facts.freeDiskBytes); }, Qt::AlignRight},
        {NodesPage::tr("Trainer"),
         [](const R& r) {
             return r.facts.trainerVersion.empty()
                        ? unknownText()
                        : qs(r.facts.trainerVersion.substr(0, r.facts.trainerVersion.find(' ')));
         },
         Qt::AlignLeft,
         {},
         {},
         [](const R& r) { return qs(r.facts.trainerVersion); }},
        {NodesPage::tr("Runs"), [](const R& r) { return runsText(r.runs); }, Qt::AlignLeft},
        {NodesPage::tr("Last sign"),
         [](const R& r) {
             return ageText(r.isLocal ? unixMillisecondsNow() : r.heardUnixMilliseconds, unixMillisecondsNow());
         },
         Qt::AlignRight, [](const R& r) { return stateOf(r) == NodeState::NoContact ? theme().warn : QColor(); }}};
}

}  // namespace

NodesPage::NodesPage(Context& context, NodesController& controller, QWidget* parent)
    : Page(context, parent), m_controller(controller) {
    header()->setTitle(tr("Nodes"));
    m_checkAll = header()->addButton(tr("Check all"));
    m_checkAll->setObjectName(QStringLiteral("checkAll"));
    connect(m_checkAll, &QPushButton::clicked, &m_controller, &NodesController::checkAll);
    m_add = header()->addButton(tr("Add a node…"));
    m_add->setObjectName(QStringLiteral("addNode"));
    connect(m_add, &QPushButton::clicked, this, &NodesPage::openAddDialog);

    m_columns = nodeColumns();
    m_model = new RowsModel<NodeRow>(m_columns, this);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("nodes"));
    m_table->setAccessibleName(tr("Nodes"));
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    prepareTable(m_table);
    m_table->setItemDelegate(new NodeDelegate(m_table));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    keepColumnsFitted(m_table, kDispensable);
    m_tablePane = new Pane(tr("All nodes"), m_table, this);
    m_tablePane->setFlush(true);
    m_places = new IssueList(this);
    m_places->setObjectName(QStringLiteral("places"));
    m_places->setAccessibleName(tr("Where can the open plan run?"));
    m_placesPane = new Pane(tr("Where can the open plan run?"), m_places, this);
    m_view = new NodeView(this);
    auto* left = splitter(Qt::Vertical, {m_tablePane, m_placesPane}, {45, 55});
    rememberSizes(left, QStringLiteral("nodes/left"));
    auto* all = splitter(Qt::Horizontal, {left, m_view}, {60, 40});
    all->setSizes({px(760), px(508)});
    rememberSizes(all, QStringLiteral("nodes/columns"));
    setContent(all);

    connect(m_table, &QTableView::customContextMenuRequested, this, &NodesPage::openMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (m_isShowing || !index.isValid()) return;
        m_current = m_model->rows()[static_cast<std::size_t>(index.row())].record.name;
        showDetail();
    });
    connect(m_view, &NodeView::checkWanted, this, [this] { m_controller.check(m_current, true); });
    connect(m_view, &NodeView::acceptWanted, this,
            [this](const QString& fingerprint) { m_controller.accept(m_current, fingerprint.toStdString()); });
    connect(m_view, &NodeView::setUpWanted, this, [this] { m_controller.setUp(m_current); });
    connect(m_view, &NodeView::cancelWanted, this, [this] { m_controller.cancel(m_current); });
    connect(m_view, &NodeView::removeWanted, this, [this] { m_controller.remove(std::string(m_current)); });
    connect(m_view, &NodeView::runWanted, this, &Page::wantsRun);
    connect(&m_controller, &NodesController::changed, this, [this] {
        if (isVisible()) showAll();
    });
    connect(&m_controller, &NodesController::said, this, &Page::said);
    connect(&m_controller, &NodesController::added, this,
            [this](const QString& name) { m_current = name.toStdString(); });
    connect(&m_controller, &NodesController::asked, this,
            [this](int job, const QString& node, const AskQuestion& question) {
                askPerson(window(), this->context().engine.nodes(), job, node, question);
            });
    connect(&m_clock, &QTimer::timeout, this, [this] {
        if (isVisible()) showAll();
    });
    m_clock.start(kClockMilliseconds);
    m_controller.reload();
    showAll();
}

void NodesPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    showAll();  // the plan may have changed
}

const NodeRow* NodesPage::current() const {
    if (const NodeRow* row = m_controller.row(m_current)) return row;
    return m_controller.rows().empty() ? nullptr : &m_controller.rows().front();
}

void NodesPage::showAll() {
    const std::vector<NodeRow>& rows = m_controller.rows();
    int numReached = 0, numBusy = 0;
    for (const NodeRow& row : rows) {
        const NodeState state = stateOf(row);
        numReached += row.isLocal || state == NodeState::SetUpNeeded || state == NodeState::Problem || canRun(state);
        numBusy += row.job != 0;
    }
    const int numNodes = static_cast<int>(rows.size());
    header()->setSideText(numNodes <= 1 ? QString() : tr("%1 of %n reachable", nullptr, numNodes).arg(numReached));
    header()->setBusy(numBusy > 0);
    QStringList problems;
    for (const Issue& issue : m_controller.issues())
        problems << qs(issue.field) + QStringLiteral(": ") + issueText(issue);
    header()->setNotice(problems.join(QLatin1Char(' ')));
    m_checkAll->setEnabled(numNodes > 1 && numBusy == 0);

    // The runs there advance each second, and the table shows none of their steps.
    QStringList texts{qs(m_current)};
    for (const NodeRow& row : rows)
        for (const RowColumn<NodeRow>& column : m_columns)
            texts << column.text(row) << (column.tip ? column.tip(row) : QString());
    if (texts != m_texts) {
        m_texts = texts;
        m_isShowing = true;
        m_model->setRows(rows);
        for (int row = 0; row < m_model->rowCount(); ++row)
            if (&rows[static_cast<std::size_t>(row)] == current()) m_table->selectRow(row);
        m_isShowing = false;
        fitColumns(m_table, kDispensable);
    }
    m_tablePane->setSideText(rows.empty()    ? tr("reading…")
                             : numNodes == 1 ? tr("only this computer; Add a node… reaches another one over ssh")
                                             : tr("%n node(s)", nullptr, numNodes));
    showDetail();
    showPlaces();
}

void NodesPage::showDetail() {
    m_view->setVisible(current() != nullptr);
    if (const NodeRow* row = current()) m_view->setRow(*row, unixMillisecondsNow());
}

// One line per node with its one next action.
void NodesPage::showPlaces() {
    if (!m_plan) return;
    const Theme& t = theme();
    const RunConfig config = m_plan();
    const std::int64_t world = config.parallel.worldSize();
    const bool wantsGpus = config.train.device == DeviceKind::Gpu;
    m_placesPane->setSideText(
        wantsGpus ? tr("%1: %n GPU(s)", nullptr, static_cast<int>(world)).arg(qs(config.name))
                  : tr("%1: %n rank(s) on CPUs", nullptr, static_cast<int>(world)).arg(qs(config.name)));
    std::vector<IssueRow> lines;
    for (const NodeRow& row : m_controller.rows()) {
        const NodeState state = stateOf(row);
        const QString name = nameOf(row);
        IssueRow line;
        const auto numGpus = static_cast<std::int64_t>(row.facts.gpus.size());
        if (!canRun(state)) {
            line = {stateIcon(state), stateColour(state), {}, tr("%1: %2").arg(name, stateText(state)), {}, {}};
            if (row.job == 0 && state == NodeState::SetUpNeeded) {
                line.link = tr("Set up");
                line.follow = [this, node = row.record.name] { m_controller.setUp(node); };
            } else if (row.job == 0 && state != NodeState::KeyChanged && state != NodeState::KeyUnknown) {
                line.link = state == NodeState::NotChecked ? tr("Check") : tr("Try again");
                line.follow = [this, node = row.record.name] { m_controller.check(node, true); };
            }
        } else if (wantsGpus && numGpus < world) {
            line = {Icon::Warning,
                    t.warn,
                    {},
                    tr("%1: %2 of the %3 GPUs that the plan needs.").arg(name).arg(numGpus).arg(world),
                    {},
                    {}};
        } else if (row.record.numSlots > 0 && row.record.numSlots < world) {
            line = {Icon::Warning,
                    t.warn,
                    {},
                    tr("%1: takes %2 of the %3 ranks.").arg(name).arg(row.record.numSlots).arg(world),
                    {},
                    {}};
        } else {
            line = {Icon::Good,
                    t.ok,
                    {},
                    row.runs.empty() ? tr("%1: all ranks fit.").arg(name)
                                     : tr("%1: all ranks fit, in addition to the runs there.").arg(name),
                    {},
                    tr("Launch…")};
            line.follow = [this, node = qs(row.record.name)] {
                emit wantsLaunch(node.isEmpty() ? QStringList() : QStringList{node});
            };
        }
        lines.push_back(std::move(line));
    }
    m_places->setRows(lines);
}

bool NodesPage::can(PageAction action) const {
    return action == PageAction::Primary || action == PageAction::Refresh;
}

void NodesPage::openAddDialog() {
    auto* dialog = new NodeDialog(context(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &NodeDialog::nodeWanted, &m_controller, &NodesController::add);
    connect(dialog, &NodeDialog::said, this, &Page::said);
    dialog->open();
}

void NodesPage::openMenu(const QPoint& at) {
    const NodeRow* row = current();
    if (row == nullptr || row->isLocal) return;
    QMenu menu(this);
    menu.addAction(tr("Check"), this, [this] { m_controller.check(m_current, true); });
    menu.addAction(tr("Copy address"), this,
                   [host = row->record.host] { QApplication::clipboard()->setText(exactText(host)); });
    menu.exec(m_table->viewport()->mapToGlobal(at));
}

}  // namespace slipway::gui
