// State of the Plan page: the document with its undo stack, the newest forecast, better layouts. No pixels here.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/values/layout_row.h"
#include "app/gui/values/plan_document.h"
#include "core/interop/remote_config.h"
#include "core/planner/variants/gain.h"
#include "core/run/measured_nodes.h"

#include <QUndoStack>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace slipway::gui {

class SearchController;

/// The reference of the comparison: an earlier state of the plan, or a run's config. Unchanged by edits of the plan.
struct Baseline {
    QString name;
    PlanDocument document;
    std::shared_ptr<const Plan> plan;
    std::optional<double> measuredPeakBytes = {};  ///< of a run's worst rank
};

class PlanController : public QObject {
    Q_OBJECT

public:
    explicit PlanController(Context& context, QObject* parent = nullptr);

    [[nodiscard]] const PlanDocument& document() const { return m_document; }
    [[nodiscard]] const FieldInfos& reference() const { return m_reference; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_undo; }
    /// The last forecast with figures; never null after the first answer.
    [[nodiscard]] std::shared_ptr<const Plan> plan() const { return m_plan; }
    /// The plan in the results: the previewed layout or the plan itself.
    [[nodiscard]] std::shared_ptr<const Plan> shownPlan() const { return m_preview ? m_preview : m_plan; }
    /// Issues of the current document, including an edit that could not be read.
    [[nodiscard]] const Issues& issues() const { return m_issues; }
    [[nodiscard]] bool hasErrors() const { return slipway::hasErrors(m_issues); }
    /// The figures shown belong to an older document, because this one has errors.
    [[nodiscard]] bool isStale() const { return m_stale; }
    [[nodiscard]] const std::vector<LayoutRow>& layouts() const { return m_layouts; }
    [[nodiscard]] double lastPlanSeconds() const { return m_planSeconds; }
    [[nodiscard]] const ClusterSpec& thisMachine() const { return m_thisMachine; }

    /// Measurements of `slipway nodes bench`, newest first.
    [[nodiscard]] const std::vector<MeasuredNodes>& measured() const { return m_measured; }
    /// Reloads them off the main thread.
    void lookUpMeasured();

    /// Sets a field's value as typed. Options it disables are restored when the field is changed back.
    void edit(const QString& path, const QString& text);
    /// Problems of a field's value as typed; the plan stays unchanged.
    [[nodiscard]] Issues check(const QString& path, const QString& text) const;
    /// Discards a refused edit: the form shows the plan again. False when there is none.
    bool dropRefused();
    void chooseModel(const std::string& presetId);
    void chooseCluster(const ClusterSpec& cluster);
    /// Sets the software of the forecast; empty: the default. Undoable.
    void chooseSoftware(const std::string& name);
    /// Selects this computer; its data are loaded off the main thread.
    void chooseThisMachine();
    /// After a measurement of this computer: a plan for it adopts its peaks.
    void takePeaks();
    /// Selects the tiny model on this computer.
    void chooseTiny();
    /// Loads the initial document of a window; undoable.
    void makeNew();
    /// Loads the plan of a run not started from the form; undoable.
    void take(const QString& what, const PlanDocument& document);
    /// Shows the figures of a layout without changing the document; -1 ends it.
    void preview(int layoutRow);
    void applyLayout(int layoutRow);
    /// Loads a new document, e.g. a run's: the presets of the dots are reset.
    void load(const PlanDocument& document);
    /// One undoable step to another document, e.g. a layout of the search.
    void replace(const QString& what, const PlanDocument& next);
    [[nodiscard]] SearchController& search() { return *m_search; }
    /// The gain of each piece of advice; available shortly after the layouts; advice for speed leads to the best of them.
    [[nodiscard]] const std::vector<AdviceGain>& gains() const { return m_gains; }
    /// Makes the change of a piece of advice; undoable.
    void applyGain(const std::string& code);
    [[nodiscard]] const std::optional<Baseline>& baseline() const { return m_baseline; }
    /// Makes the current plan the baseline.
    void keepBaseline();
    /// Makes another document the baseline once it is planned; one with errors is refused through said().
    void setBaseline(const QString& name, const PlanDocument& document, std::optional<double> measuredPeakBytes = {});
    void clearBaseline();
    /// Swaps plan and baseline; undo affects only the plan.
    void swapBaseline();
    /// Reads config.json of hf:ORG/NAME or a URL off the main thread and plans its model; undoable.
    void importModel(const QString& place);
    /// For tests, which use their own server: the source of models.
    void setRemote(interop::RemoteOptions remote) { m_remote = std::move(remote); }
    /// Passed checks, as sentences ("Tensor-parallel groups are inside a node.").
    [[nodiscard]] QStringList goodFacts() const;

signals:
    void documentChanged();
    void planChanged();
    void issuesChanged();
    void layoutsChanged();
    void gainsChanged();
    void baselineChanged();
    void measuredChanged();
    /// News for the status bar.
    void said(const QString& text);

private:
    friend class DocumentEdit;
    void push(const QString& what, const PlanDocument& after, const QString& mergeKey = {});
    void setDocument(const PlanDocument& document);
    void compute();
    void lookUpMachine(std::function<void()> then);
    void rank();
    void findGains();

    Context& m_context;
    PlanDocument m_document;
    FieldInfos m_reference;
    QUndoStack m_undo;
    std::shared_ptr<const Plan> m_plan;
    std::shared_ptr<const Plan> m_preview;
    Issues m_issues;
    bool m_stale = false;
    bool m_refused = false;                            ///< the form shows a text refused by the document
    std::map<std::string, SwitchedOff> m_switchedOff;  ///< by the field whose edit disabled them
    std::vector<LayoutRow> m_layouts;
    double m_planSeconds = 0;
    ClusterSpec m_thisMachine;
    std::vector<MeasuredNodes> m_measured;
    LatestJob m_planJob;
    LatestJob m_rankJob;
    LatestJob m_machineJob;
    LatestJob m_measuredJob;
    LatestJob m_gainJob;
    LatestJob m_baselineJob;
    LatestJob m_importJob;
    std::vector<AdviceGain> m_gains;
    std::optional<Baseline> m_baseline;
    interop::RemoteOptions m_remote;
    SearchController* m_search;
};

}  // namespace slipway::gui
