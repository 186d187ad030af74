#include "app/gui/pages/curves_dialog.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/tables.h"
#include "core/base/units.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

QStringList operationsOf(const std::vector<CommCurve>& curves) {
    QStringList operations;
    for (const CommCurve& c : curves) operations << qs(wordOf(c.operation));
    operations.removeDuplicates();
    return operations;
}

std::vector<RowColumn<CommCurve>> curveColumns() {
    using C = CommCurve;
    const auto quiet = [](const C&) { return theme().text2; };
    const auto source = [](const C& c) { return qs(c.source); };
    return {
        {CurvesDialog::tr("Operation"), [](const C& c) { return qs(wordOf(c.operation)); }},
        {CurvesDialog::tr("Ranks"), [](const C& c) { return QString::number(c.ranks); }, Qt::AlignRight},
        {CurvesDialog::tr("Per node"), [](const C& c) { return QString::number(c.ranksPerNode); }, Qt::AlignRight},
        {CurvesDialog::tr("Latency"), [](const C& c) { return secondsText(c.latencySeconds); }, Qt::AlignRight},
        {CurvesDialog::tr("Bus bandwidth"), [](const C& c) { return qs(formatBandwidth(c.bytesPerSecond)); },
         Qt::AlignRight},
        {CurvesDialog::tr("Date"), [](const C& c) { return qs(c.sourceDate); }, Qt::AlignLeft, quiet},
        {CurvesDialog::tr("Source"), source, Qt::AlignLeft, quiet, {}, source},
    };
}

}  // namespace

QString curvesText(const std::vector<CommCurve>& curves) {
    if (curves.empty()) return CurvesDialog::tr("from the links; none measured");
    const QStringList operations = operationsOf(curves);
    const QString what = operations.size() > 2
                             ? QStringLiteral("%1, …").arg(operations.mid(0, 2).join(QStringLiteral(", ")))
                             : operations.join(QStringLiteral(", "));
    return CurvesDialog::tr("%n curve(s): %1", nullptr, static_cast<int>(curves.size())).arg(what);
}

QString curvesHelp(const std::vector<CommCurve>& curves) {
    if (curves.empty())
        return CurvesDialog::tr(
            "Collective times come from the links. Click to load measurements: nccl-tests, slipway-trainer bench, or a table.");
    QStringList sources;
    for (const CommCurve& c : curves)
        sources << (c.sourceDate.empty() ? qs(c.source)
                                         : QStringLiteral("%1 (%2)").arg(qs(c.source), qs(c.sourceDate)));
    sources.removeDuplicates();
    sources.removeAll(QString());
    return CurvesDialog::tr("Measured collectives override the links. Source: %1")
        .arg(sources.isEmpty() ? unknownText() : sources.join(QStringLiteral("; ")));
}

CurvesDialog::CurvesDialog(PlanController& plan, QWidget* parent) : QDialog(parent), m_plan(plan) {
    setObjectName(QStringLiteral("curvesDialog"));
    setWindowTitle(tr("Measured collectives"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_rows = new RowsModel<CommCurve>(curveColumns(), this);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("curveTable"));
    m_table->setAccessibleName(tr("Curves"));
    m_table->setModel(m_rows);
    prepareTable(m_table);
    keepColumnsFitted(m_table);
    m_state = quietLabel({}, this);
    m_state->setObjectName(QStringLiteral("curveState"));
    m_state->setWordWrap(true);

    m_kind = new QComboBox(this);
    m_kind->setObjectName(QStringLiteral("bandwidthKind"));
    m_kind->addItem(tr("GB/s are bus bandwidth"));
    m_kind->addItem(tr("GB/s are algorithm bandwidth"));
    m_kind->setAccessibleName(tr("Meaning of GB/s in a table"));
    m_kind->setToolTip(tr(
        "For tables (CSV): bytes sent per rank in a ring (busbw of nccl-tests) or bytes of the whole tensor (algbw), per second. Other files specify it."));
    auto* load = new QPushButton(tr("Load from file…"), this);
    load->setObjectName(QStringLiteral("loadCurves"));
    auto* published = new QPushButton(tr("Published"), this);
    published->setObjectName(QStringLiteral("publishedCurves"));
    auto* menu = new QMenu(published);
    menu->setToolTipsVisible(true);
    for (const CurvePreset& preset : curvePresets()) {
        QAction* action = menu->addAction(QStringLiteral("%1, %2").arg(qs(preset.device), qs(preset.id)), this,
                                          [this, &preset] { take(preset.text, qs(preset.id), BandwidthKind::Bus); });
        action->setToolTip(qs(preset.source));
    }
    published->setMenu(menu);
    m_remove = new QPushButton(tr("Remove"), this);
    m_remove->setObjectName(QStringLiteral("removeCurves"));
    auto* close = new QPushButton(tr("Close"), this);
    close->setDefault(true);
    auto* buttons = new QHBoxLayout;
    for (QWidget* widget : std::initializer_list<QWidget*>{load, m_kind, published, m_remove})
        buttons->addWidget(widget);
    buttons->addStretch(1);
    buttons->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(16), px(16), px(16), px(16));
    layout->setSpacing(px(10));
    layout->addWidget(m_state);
    layout->addWidget(m_table, 1);
    layout->addLayout(buttons);
    resize(px(820), px(460));

    connect(load, &QPushButton::clicked, this, &CurvesDialog::load);
    connect(m_remove, &QPushButton::clicked, this, [this] {
        m_notes.clear();
        apply(tr("Remove the curves"), {});
    });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(&m_plan, &PlanController::documentChanged, this, &CurvesDialog::showCurves);
    showCurves();
}

void CurvesDialog::showCurves() {
    const ClusterSpec& cluster = m_plan.document().cluster;
    m_rows->setRows(cluster.commCurves);
    fitColumns(m_table);
    m_remove->setEnabled(!cluster.commCurves.empty());
    QStringList lines{curvesHelp(cluster.commCurves)};
    if (!m_notes.isEmpty()) lines << m_notes;
    m_state->setText(wordJoined(lines.join(QLatin1Char('\n'))));
}

void CurvesDialog::load() {
    const QString file = askOpenFile(this, tr("Load measured collectives"),
                                     tr("Tables, logs and records (*.csv *.log *.txt *.json);;All files (*)"));
    if (file.isEmpty()) return;
    const auto kind = static_cast<BandwidthKind>(m_kind->currentIndex());
    loadText(this, file, [this, file, kind](const QString& text, const QString& problem) {
        if (problem.isEmpty()) return take(text.toStdString(), QFileInfo(file).fileName(), kind);
        m_notes = problem;
        showCurves();
    });
}

void CurvesDialog::take(const std::string& text, const QString& name, BandwidthKind kind) {
    auto table = readCurves(text, name.toStdString(), kind, m_plan.document().cluster);
    const Issues issues = table ? curveIssues(table->curves, "comm_curves") : Issues{};
    if (!table || !issues.empty()) {
        m_notes =
            tr("%1 cannot be read: %2").arg(shown(name), qs(table ? issues.front().message : table.error().message));
        return showCurves();
    }
    QStringList notes;
    for (const SourceText& note : table->notes) notes << messageText(note);
    m_notes = notes.join(QLatin1Char(' '));
    apply(tr("Load curves"), std::move(table->curves));
}

void CurvesDialog::apply(const QString& what, std::vector<CommCurve> curves) {
    PlanDocument next = m_plan.document();
    next.cluster.commCurves = std::move(curves);
    m_plan.replace(what, next);
    showCurves();
}

}  // namespace slipway::gui
