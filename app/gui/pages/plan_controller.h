// What the Plan page knows: the document with its undo stack, the newest forecast, better layouts. No pixels here.
#pragma once

#include "app/gui/context.h"
#include "app/gui/jobs.h"
#include "app/gui/plan_document.h"

#include <QUndoStack>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace slipway::gui {

/// One row of "Better layouts".
struct LayoutRow {
    LayoutChoice choice;
    std::shared_ptr<const Plan> plan;
    bool isCurrent = false;
    double change = 0;  ///< step time against the current plan, -0.16 = 16 % faster
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

    void edit(const QString& path, const QString& text);
    void chooseModel(const std::string& presetId);
    void chooseCluster(const ClusterSpec& cluster);
    /// This computer as it is known now; it is looked up off the main thread.
    void chooseThisMachine();
    /// The tiny model on this computer.
    void chooseTiny();
    /// Shows the figures of a layout without changing the document; -1 ends it.
    void preview(int layoutRow);
    void applyLayout(int layoutRow);
    /// A new document, for instance a run's: the presets of the dots begin anew.
    void load(const PlanDocument& document);
    /// What is in order, as sentences ("Tensor-parallel groups stay inside a node.").
    [[nodiscard]] QStringList goodFacts() const;

signals:
    void documentChanged();
    void planChanged();
    void issuesChanged();
    void layoutsChanged();

private:
    friend class DocumentEdit;
    void push(const QString& what, const PlanDocument& after, const QString& mergeKey = {});
    void setDocument(const PlanDocument& document);
    void compute();
    void lookUpMachine(std::function<void()> then);
    void rank();

    Context& m_context;
    PlanDocument m_document;
    FieldInfos m_reference;
    QUndoStack m_undo;
    std::shared_ptr<const Plan> m_plan;
    std::shared_ptr<const Plan> m_preview;
    Issues m_issues;
    bool m_stale = false;
    std::vector<LayoutRow> m_layouts;
    double m_planSeconds = 0;
    ClusterSpec m_thisMachine;
    LatestJob m_planJob;
    LatestJob m_rankJob;
    LatestJob m_machineJob;
};

}  // namespace slipway::gui
