#include "app/gui/pages/plan_controller.h"

#include "app/gui/pages/search_controller.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/interop/formats.h"
#include "core/planner/advice/advice.h"
#include "core/planner/plan.h"
#include "core/planner/search/rank_layouts.h"
#include "core/run/machine.h"
#include "core/spec/batch_sizes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway::gui {

/// One step of undo: documents are small values, so both are stored. Typing in one field merges.
class DocumentEdit : public QUndoCommand {
public:
    DocumentEdit(PlanController& controller, const QString& what, PlanDocument before, PlanDocument after, QString key)
        : QUndoCommand(what),
          m_controller(controller),
          m_before(std::move(before)),
          m_after(std::move(after)),
          m_key(std::move(key)) {}

    void undo() override { m_controller.setDocument(m_before); }
    void redo() override { m_controller.setDocument(m_after); }
    int id() const override { return m_key.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const DocumentEdit*>(other);
        if (next->m_key != m_key) return false;
        m_after = next->m_after;
        return true;
    }

private:
    PlanController& m_controller;
    PlanDocument m_before, m_after;
    QString m_key;
};

PlanController::PlanController(Context& context, QObject* parent)
    : QObject(parent),
      m_context(context),
      m_planJob(this),
      m_rankJob(this),
      m_machineJob(this),
      m_measuredJob(this),
      m_gainJob(this),
      m_baselineJob(this),
      m_importJob(this),
      m_search(nullptr) {
    m_undo.setUndoLimit(200);
    load(startingDocument());
    lookUpMachine([] {});
    lookUpMeasured();
    m_search = new SearchController(*this);  // a child
}

void PlanController::replace(const QString& what, const PlanDocument& next) {
    push(what, next);
}

void PlanController::lookUpMachine(std::function<void()> then) {
    m_machineJob.start([home = m_context.engine.home()](std::stop_token) { return slipway::thisMachine(home); },
                       [this, then = std::move(then)](const ClusterSpec& cluster) {
                           m_thisMachine = cluster;
                           then();
                       });
}

void PlanController::lookUpMeasured() {
    m_measuredJob.start([home = m_context.engine.home()](std::stop_token) { return measuredNodes(home); },
                        [this](const std::vector<MeasuredNodes>& measured) {
                            const auto isSame = [](const MeasuredNodes& a, const MeasuredNodes& b) {
                                return a.unixMilliseconds == b.unixMilliseconds && a.names() == b.names();
                            };
                            if (std::ranges::equal(m_measured, measured, isSame)) return;
                            m_measured = measured;
                            emit measuredChanged();
                        });
}

void PlanController::load(const PlanDocument& document) {
    m_reference = documentFields(document);
    m_undo.clear();
    m_switchedOff.clear();
    setDocument(document);
}

void PlanController::push(const QString& what, const PlanDocument& after, const QString& mergeKey) {
    if (mergeKey.isEmpty()) m_switchedOff.clear();                            // a different plan
    m_undo.push(new DocumentEdit(*this, what, m_document, after, mergeKey));  // the stack owns it
}

void PlanController::setDocument(const PlanDocument& document) {
    m_document = withPeaksOf(document, m_thisMachine);
    m_refused = false;
    m_preview.reset();
    emit documentChanged();
    compute();
}

void PlanController::edit(const QString& path, const QString& text) {
    auto next = withField(m_document, path.toStdString(), text.toStdString());
    m_refused = !next;
    if (!next) {
        m_planJob.cancel();
        m_issues = {
            {Severity::Error, next.error().code, path.toStdString(), next.error().message, next.error().source}};
        m_stale = true;
        emit issuesChanged();
        return;
    }
    for (auto& [field, values] : m_switchedOff) values.erase(path.toStdString());
    SwitchedOff& off = m_switchedOff[path.toStdString()];
    *next = withSwitchedOn(*next, off);
    off.merge(switchedOff(m_document, *next, path.toStdString()));
    if (documentJson(*next) == documentJson(m_document) && toJson(next->cluster) == toJson(m_document.cluster))
        return setDocument(*next);
    push(tr("Change %1").arg(fieldLabel(path.toStdString())), *next, path);
}

Issues PlanController::check(const QString& path, const QString& text) const {
    const std::string field = path.toStdString();
    const auto next = withField(m_document, field, text.toStdString());
    if (!next) return {{Severity::Error, next.error().code, field, next.error().message}};
    const auto issuesOf = [](const PlanDocument& document) {
        Issues issues = validate(document.config);
        for (const Advice& advice : clusterAdvice(document.config, document.cluster)) issues.push_back(issueOf(advice));
        return issues;
    };
    // Issues of the new value are its own, whichever field the rule names ("model.num_heads is 32, which tp = 3 ...").
    const Issues before = issuesOf(m_document);
    Issues issues = issuesOf(*next);
    std::erase_if(issues, [&](const Issue& issue) {
        return std::any_of(before.begin(), before.end(),
                           [&](const Issue& old) { return old.message == issue.message; });
    });
    for (Issue& issue : issues) issue.field = field;
    return issues;
}

bool PlanController::dropRefused() {
    if (!m_refused) return false;
    setDocument(m_document);
    return true;
}

void PlanController::chooseModel(const std::string& presetId) {
    const ModelPreset* preset = findModelPreset(presetId);
    if (!preset) return;
    const PlanDocument next = withModelPreset(m_document, *preset);
    m_reference = documentFields(next);
    push(tr("Choose %1").arg(qs(preset->title)), next);
}

void PlanController::chooseCluster(const ClusterSpec& cluster) {
    push(tr("Choose %1").arg(qs(cluster.device.name)), withCluster(m_document, cluster));
}

void PlanController::chooseSoftware(const std::string& name) {
    push(tr("Choose software"), withSoftware(m_document, name));
}

void PlanController::chooseThisMachine() {
    lookUpMachine([this] { chooseCluster(m_thisMachine); });
}

void PlanController::takePeaks() {
    lookUpMachine([this] { setDocument(m_document); });
}

void PlanController::take(const QString& what, const PlanDocument& document) {
    m_reference = documentFields(document);
    push(what, document);
}

void PlanController::makeNew() {
    take(tr("New plan"), startingDocument());
}

void PlanController::chooseTiny() {
    lookUpMachine([this] { take(tr("Choose the tiny model"), tinyDocument(m_thisMachine)); });
}

void PlanController::preview(int layoutRow) {
    const bool valid = layoutRow >= 0 && layoutRow < static_cast<int>(m_layouts.size());
    m_preview = valid && !m_layouts[static_cast<std::size_t>(layoutRow)].isCurrent
                    ? m_layouts[static_cast<std::size_t>(layoutRow)].plan
                    : nullptr;
    emit planChanged();
}

void PlanController::applyLayout(int layoutRow) {
    if (layoutRow < 0 || layoutRow >= static_cast<int>(m_layouts.size())) return;
    push(tr("Apply layout"), withLayout(m_document, m_layouts[static_cast<std::size_t>(layoutRow)].choice));
}

void PlanController::compute() {
    struct Answer {
        std::shared_ptr<const Plan> plan;
        double seconds;
    };
    m_planJob.start(
        [document = m_document](std::stop_token) {
            const double begin = monotonicSecondsNow();
            auto plan = std::make_shared<const Plan>(makePlan(document.config, forecastCluster(document)));
            return Answer{std::move(plan), monotonicSecondsNow() - begin};
        },
        [this](const Answer& answer) {
            m_gains.clear();  // they belong to the previous plan
            m_issues = answer.plan->issues;
            for (const Issue& issue : trainerSupports(answer.plan->config))
                m_issues.push_back({Severity::Warning, issue.code, issue.field, issue.message, issue.source});
            m_planSeconds = answer.seconds;
            m_stale = answer.plan->memory.empty();
            if (!m_stale) m_plan = answer.plan;
            emit issuesChanged();
            emit planChanged();
            if (!m_stale) rank();
        });
}

void PlanController::findGains() {
    std::vector<LayoutChoice> ranked;
    for (const LayoutRow& row : m_layouts) ranked.push_back(row.choice);
    m_gainJob.start([plan = m_plan, ranked = std::move(ranked)](std::stop_token) { return adviceGains(*plan, ranked); },
                    [this](std::vector<AdviceGain> gains) {
                        m_gains = std::move(gains);
                        emit gainsChanged();
                    });
}

void PlanController::applyGain(const std::string& code) {
    const AdviceGain* gain = gainOf(m_gains, code);
    if (!gain || gain->change.empty()) return;
    PlanDocument next = m_document;
    next.config = gain->config;
    next.config.name = m_document.config.name;
    if (toJson(next.config.model) != toJson(m_document.config.model)) next.modelPreset.clear();
    push(tr("Follow advice"), next);
}

void PlanController::keepBaseline() {
    if (!m_plan || m_stale) return;
    m_baselineJob.cancel();
    m_baseline = Baseline{qs(m_document.config.name), m_document, m_plan};
    emit baselineChanged();
}

void PlanController::setBaseline(const QString& name, const PlanDocument& document,
                                 std::optional<double> measuredPeakBytes) {
    m_baselineJob.start(
        [document](std::stop_token) {
            return std::make_shared<const Plan>(makePlan(document.config, forecastCluster(document)));
        },
        [this, name, document, measuredPeakBytes](const std::shared_ptr<const Plan>& plan) {
            if (plan->memory.empty()) {
                emit said(tr("%1 cannot be planned: %2")
                              .arg(name, plan->issues.empty() ? QString() : issueText(plan->issues.front())));
                return;
            }
            m_baseline = Baseline{name, document, plan, measuredPeakBytes};
            emit baselineChanged();
        });
}

void PlanController::clearBaseline() {
    m_baselineJob.cancel();
    m_baseline.reset();
    emit baselineChanged();
}

void PlanController::swapBaseline() {
    if (!m_baseline || !m_plan || m_stale) return;
    const PlanDocument other = m_baseline->document;
    m_baseline = Baseline{qs(m_document.config.name), m_document, m_plan};
    push(tr("Swap with the baseline"), other);
    emit baselineChanged();
}

void PlanController::importModel(const QString& place) {
    emit said(tr("Reading %1…").arg(place));
    m_importJob.start(
        [place = place.trimmed().toStdString(), remote = m_remote](std::stop_token token) mutable -> Result<ModelSpec> {
            remote.http.stop = std::move(token);
            if (remote.http.token.empty()) remote.http.token = interop::hubToken();
            const auto text = interop::fetchConfig(place, remote);
            if (!text) return fail(text.error());
            const auto imported = interop::importConfig("huggingface", *text, place);
            if (!imported) return fail(imported.error());
            return imported->config.model;
        },
        [this, place](const Result<ModelSpec>& model) {
            if (!model) {
                emit said(errorText(model.error()));
                emit documentChanged();  // the chooser shows the current model again
                return;
            }
            PlanDocument next = m_document;
            next.config.model = *model;
            next.config.model.maxSeqLen = std::max(next.config.model.maxSeqLen, next.config.train.seqLen);
            next.config.parallel.layersPerStage.clear();
            next.modelPreset.clear();
            const std::string name = interop::modelNameOf(place.trimmed().toStdString());
            if (!name.empty()) next.config.name = name;
            m_reference = documentFields(next);
            push(tr("Import %1").arg(place), next);
            emit said(tr("Imported %1.").arg(place));
        });
}

void PlanController::rank() {
    m_rankJob.start(
        [plan = m_plan](std::stop_token token) {
            constexpr std::size_t kRows = 9;
            std::vector<LayoutRow> rows;
            bool haveCurrent = false;
            for (const LayoutChoice& choice : rankLayouts(plan->config, plan->cluster, kRows)) {
                if (token.stop_requested()) break;
                LayoutRow row{choice, {}, false, static_cast<int>(rows.size()) + 1, 0};
                RunConfig config = plan->config;
                config.parallel = choice.parallel;
                config.train.microBatchSize = choice.microBatchSize;
                config.train.recompute.policy = choice.recompute;
                row.isCurrent = configHash(config) == configHash(plan->config);
                haveCurrent = haveCurrent || row.isCurrent;
                row.plan = row.isCurrent ? plan : std::make_shared<const Plan>(makePlan(config, plan->cluster));
                row.change = row.plan->step.stepSeconds / plan->step.stepSeconds - 1;
                rows.push_back(std::move(row));
            }
            if (!haveCurrent) {
                LayoutChoice mine{
                    plan->config.parallel,  plan->config.train.microBatchSize, plan->config.train.recompute.policy,
                    plan->step.stepSeconds, plan->step.tokensPerSecond,        plan->memoryPeakBytes};
                rows.push_back({mine, plan, true, 0, 0});
            }
            return rows;
        },
        [this](std::vector<LayoutRow> rows) {
            m_layouts = std::move(rows);
            emit layoutsChanged();
            findGains();
        });
}

QStringList PlanController::goodFacts() const {
    QStringList facts;
    if (!m_plan || m_stale) return facts;
    const RunConfig& c = m_plan->config;
    const double spare = m_plan->memoryCapacityBytes - m_plan->memoryPeakBytes;
    if (spare > 0) facts << tr("The worst rank fits; %1 remain free.").arg(bytesText(spare));
    if (c.parallel.tp > 1 && c.parallel.tp <= m_plan->cluster.devicesPerNode)
        facts << tr("Tensor-parallel groups are inside a node.");
    if (c.parallel.tp > 1 && c.model.numHeads % c.parallel.tp == 0 && c.model.kvHeads() % c.parallel.tp == 0)
        facts << tr("%1 heads and %2 key-value heads divide by tp %3.")
                     .arg(c.model.numHeads)
                     .arg(c.model.kvHeads())
                     .arg(c.parallel.tp);
    facts << tr("%1 tokens take %2 steps.")
                 .arg(shortText(static_cast<double>(c.tokensPerStep()) *
                                BatchSizes(c.train).wholeSteps(c.train.numSteps)),
                      countText(static_cast<double>(c.train.numSteps)));
    return facts;
}

}  // namespace slipway::gui
