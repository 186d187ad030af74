// What the Plan page knows: the document with its undo stack, the newest forecast, better layouts. No pixels here.
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

/// What the plan is compared with: an earlier state of it, or a run's config. Kept while the plan is edited.
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
    /// The last forecast that has figures; never null after the first answer.
    [[nodiscard]] std::shared_ptr<const Plan> plan() const { return m_plan; }
    /// What the results show: the previewed layout or the plan.
    [[nodiscard]] std::shared_ptr<const Plan> shownPlan() const { return m_preview ? m_preview : m_plan; }
    /// Of the document as it is now; an edit that could not be read is among them.
    [[nodiscard]] const Issues& issues() const { return m_issues; }
    [[nodiscard]] bool hasErrors() const { return slipway::hasErrors(m_issues); }
    /// The figures shown belong to an older document, because this one has errors.
    [[nodiscard]] bool isStale() const { return m_stale; }
    [[nodiscard]] const std::vector<LayoutRow>& layouts() const { return m_layouts; }
    [[nodiscard]] double lastPlanSeconds() const { return m_planSeconds; }
    [[nodiscard]] const ClusterSpec& thisMachine() const { return m_thisMachine; }

    /// What `slipway nodes bench` has measured, newest first.
    [[nodiscard]] const std::vector<MeasuredNodes>& measured() const { return m_measured; }
    /// Looks them up again, off the main thread.
    void lookUpMeasured();

    /// Takes a field's value as typed. What it switches off comes back when the field is changed back.
    void edit(const QString& path, const QString& text);
    /// What is wrong with a field's value as typed; the plan stays as it is.
    [[nodiscard]] Issues check(const QString& path, const QString& text) const;
    /// Forgets an edit that was refused: the form shows the plan again. False when there is none.
    bool dropRefused();
    void chooseModel(const std::string& presetId);
    void chooseCluster(const ClusterSpec& cluster);
    /// The software that the forecast is of; empty: the default. Undoable.
    void chooseSoftware(const std::string& name);
    /// This computer as it is known now; it is looked up off the main thread.
    void chooseThisMachine();
    /// This computer has been measured: a plan for it takes its peaks over.
    void takePeaks();
    /// The tiny model on this computer.
    void chooseTiny();
    /// The document a window opens with; undoable.
    void makeNew();
    /// The plan of a run that was started from elsewhere than the form; undoable.
    void take(const QString& what, const PlanDocument& document);
    /// Shows the figures of a layout without changing the document; -1 ends it.
    void preview(int layoutRow);
    void applyLayout(int layoutRow);
    /// A new document, for instance a run's: the presets of the dots are reset.
    void load(const PlanDocument& document);
    /// One undoable step to another document, for instance a layout of the search.
    void replace(const QString& what, const PlanDocument& next);
    [[nodiscard]] SearchController& search() { return *m_search; }
    /// What following the advice would bring; comes a moment after the layouts, and leads to the best of them where it is for speed.
    [[nodiscard]] const std::vector<AdviceGain>& gains() const { return m_gains; }
    /// Makes the change of a piece of advice; undoable.
    void applyGain(const std::string& code);
    [[nodiscard]] const std::optional<Baseline>& baseline() const { return m_baseline; }
    /// The plan as it is now becomes the baseline.
    void keepBaseline();
    /// Another document becomes the baseline as soon as it is planned; one with errors is refused through said().
    void setBaseline(const QString& name, const PlanDocument& document, std::optional<double> measuredPeakBytes = {});
    void clearBaseline();
    /// Plan and baseline change places; undoing the plan's side leaves the baseline.
    void swapBaseline();
    /// Reads config.json of hf:ORG/NAME or a URL off the main thread and plans that model; undoable.
    void importModel(const QString& place);
    /// For tests, which name a server of their own: where models come from.
    void setRemote(interop::RemoteOptions remote) { m_remote = std::move(remote); }
    /// What is in order, as sentences ("Tensor-parallel groups are inside a node.").
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
    bool m_refused = false;                            ///< the form shows a text that the document did not take
    std::map<std::string, SwitchedOff> m_switchedOff;  ///< by the field whose edit did it
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
