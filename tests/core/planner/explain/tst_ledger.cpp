// Two hundred plans drawn by chance: whoever follows a printed formula with the numbers beside it reaches the figure to the
// last bit, and a name has one value wherever it is printed. A formula that was solved backwards from its figure cannot.
#include "core/planner/memory/host_memory.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/stack/shipped_stacks.h"
#include "tests/core/planner/explain/formula.h"
#include "tests/support/slipway_test.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace slipway {

namespace {

/// Draws configs until one has a plan.
class Plans {
public:
    Plan next() {
        while (true) {
            const RunConfig c = config();
            ClusterSpec k = cluster();
            if (chance(3)) static_cast<void>(useShippedStack("megatron-core", c, k));
            const Plan plan = makePlan(c, k);
            if (!plan.memory.empty()) return plan;
        }
    }

private:
    template <class T>
    T one(std::initializer_list<T> of) {
        return *(of.begin() + static_cast<std::ptrdiff_t>(m_random() % of.size()));
    }
    bool chance(unsigned in) { return m_random() % in == 0; }

    RunConfig config() {
        RunConfig c;
        c.model =
            findModelPreset(one({"llama3.2-1b", "llama3-8b", "llama3-70b", "mixtral-8x7b", "deepseek-v3"}))->model;
        const bool moe = c.model.moe.has_value();
        ParallelLayout& p = c.parallel;
        p.dp = one<std::int64_t>({1, 2, 4, 8});
        p.tp = one<std::int64_t>({1, 1, 2, 4});
        p.pp = one<std::int64_t>({1, 1, 2, 4, 8});
        p.cp = one<std::int64_t>({1, 1, 1, 2, 4});
        p.cpKind = one({CpKind::Ring, CpKind::AllGather, CpKind::Ulysses});
        p.sequenceParallel = p.tp > 1 && !chance(4);
        p.asyncTp = p.sequenceParallel && chance(3);
        if (moe) p.ep = one<std::int64_t>({1, 2, 4, 8});
        p.zeroStage = one<std::int64_t>({0, 1, 1, 2, 3});
        p.schedule = one({ScheduleKind::OneFOneB, ScheduleKind::Afab, ScheduleKind::InterleavedOneFOneB,
                          ScheduleKind::ZbH1, ScheduleKind::ZbV, ScheduleKind::DualPipe, ScheduleKind::DualPipeV});
        if (p.pp > 1 && p.schedule == ScheduleKind::InterleavedOneFOneB) p.virtualStages = 2;
        if (p.pp > 1 && (p.schedule == ScheduleKind::ZbV || p.schedule == ScheduleKind::DualPipeV)) p.virtualStages = 2;
        p.overlapGradReduce = !chance(5);
        p.offload =
            one({Offload::None, Offload::None, Offload::None, Offload::Optimizer, Offload::Activations, Offload::All});
        c.train.device = DeviceKind::Gpu;
        c.train.precision = one({Precision::Bf16, Precision::Bf16, Precision::Fp32, Precision::Fp8});
        c.train.seqLen = one<std::int64_t>({512, 2048, 4096, 8192});
        c.train.microBatchSize = one<std::int64_t>({1, 2});
        c.train.globalBatchSize = p.dp * c.train.microBatchSize * one<std::int64_t>({1, 2, 3, 8, 16, 40});
        c.train.numSteps = 7 + static_cast<std::int64_t>(m_random() % 10000);
        c.train.recompute.policy = one({RecomputePolicy::None, RecomputePolicy::Full});
        c.train.cudaGraphs = chance(5);
        c.checkpoint.everySteps = chance(2) ? 100 : 0;
        c.optimizer.kind = one({OptimizerKind::AdamW, OptimizerKind::AdamW, OptimizerKind::Lion, OptimizerKind::Muon});
        return c;
    }
    ClusterSpec cluster() {
        ClusterSpec k = *findDevicePreset(one({"NVIDIA H100 SXM 80 GB", "NVIDIA A100 SXM 80 GB"}));
        k.numNodes = 32;
        return k;
    }

    std::mt19937_64 m_random{20261123};
};

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

class TstLedger : public QObject {
    Q_OBJECT

private slots:
    void formulasReachTheirFigures() {
        Plans plans;
        for (int i = 0; i < 200; ++i) {
            const Plan plan = plans.next();
            for (const std::string_view figure : explainedFigures()) {
                const auto e = explain(plan, figure);
                QVERIFY2(e, std::string(figure).c_str());
                const auto value = test::Formula::value(*e);
                const std::string told = std::string(figure) + " = " + e->formula;
                QVERIFY2(value, told.c_str());
                QVERIFY2(same(*value, e->figure.value),
                         (told + " is " + std::to_string(*value) + ", not " + std::to_string(e->figure.value)).c_str());
            }
        }
    }

    // What a formula of the step is made of is computed itself or given; a name has one value, and what is computed can be asked for.
    void partsAreComputedToo() {
        Plans plans;
        std::set<std::string> parts;
        for (int i = 0; i < 200; ++i) {
            const Plan plan = plans.next();
            std::map<std::string, double> known;
            std::vector<std::string> open;
            for (const std::string_view figure : explainedFigures())
                if (figure.starts_with("step.") || figure.starts_with("memory.")) open.emplace_back(figure);
            while (!open.empty()) {
                const std::string figure = open.back();
                open.pop_back();
                const auto e = explain(plan, figure);
                const auto value = e ? test::Formula::value(*e) : std::nullopt;
                QVERIFY2(value && same(*value, e->figure.value), figure.c_str());
                for (const ExplainedNumber& input : e->inputs) {
                    const auto [at, isNew] = known.emplace(input.name, input.value);
                    const bool ofRank = input.name.starts_with("rank_") || input.name == "layer_bytes_sent";
                    QVERIFY2(ofRank || same(at->second, input.value), (figure + ": " + input.name).c_str());
                    if (!isNew || !explain(plan, input.name)) continue;
                    open.push_back(input.name);
                    parts.insert(input.name);
                }
            }
        }
        for (const char* name : {"rank_pass_seconds", "usable_memory_bytes_per_second", "exposed_share",
                                 "step.compute_seconds", "memory.buffer_bytes"})
            QVERIFY2(parts.count(name) > 0, name);
    }

    // The explanation's account is the plan's.
    void figuresAreThePlans() {
        Plans plans;
        for (int i = 0; i < 200; ++i) {
            const Plan plan = plans.next();
            const StepEstimate& s = plan.step;
            const MemoryBreakdown& b = plan.memory[plan.worstStage].bytes;
            const HostMemory host = hostMemory(plan.config);
            const std::map<const char*, double> figures{{"step_seconds", s.stepSeconds},
                                                        {"step.compute_seconds", s.computeSeconds},
                                                        {"step.tp_exposed_seconds", s.tpExposedSeconds},
                                                        {"step.cp_exposed_seconds", s.cpExposedSeconds},
                                                        {"step.ep_exposed_seconds", s.epExposedSeconds},
                                                        {"step.pp_exposed_seconds", s.ppExposedSeconds},
                                                        {"step.bubble_seconds", s.bubbleSeconds},
                                                        {"step.dp_exposed_seconds", s.dpExposedSeconds},
                                                        {"step.optimizer_seconds", s.optimizerSeconds},
                                                        {"step.fixed_seconds", s.fixedSeconds},
                                                        {"bubble_simulated", s.bubbleSimulated},
                                                        {"comm_bytes", s.commBytes},
                                                        {"comm_seconds", s.commSeconds},
                                                        {"memory_peak_bytes", plan.memoryPeakBytes},
                                                        {"memory.weight_bytes", b.weightBytes},
                                                        {"memory.gradient_bytes", b.gradientBytes},
                                                        {"memory.optimizer_bytes", b.optimizerBytes},
                                                        {"memory.activation_bytes", b.activationBytes},
                                                        {"memory.logits_bytes", b.logitsBytes},
                                                        {"memory.buffer_bytes", b.bufferBytes},
                                                        {"memory.reserve_bytes", b.reserveBytes},
                                                        {"host_memory.staging_bytes", host.stagingBytes},
                                                        {"host_memory.optimizer_bytes", host.optimizerBytes},
                                                        {"host_memory.activation_bytes", host.activationBytes}};
            for (const auto& [name, value] : figures)
                QVERIFY2(
                    same(explain(plan, name)->figure.value, value),
                    (std::string(name) + " " + std::to_string(value) + " " + explain(plan, name)->formula).c_str());
        }
    }

    // A figure can be asked for of any pipeline rank; the plan has the slowest's.
    void everyRankHasItsFigures() {
        Plans plans;
        int pipelines = 0, different = 0;
        for (int i = 0; i < 200; ++i) {
            const Plan plan = plans.next();
            if (plan.config.parallel.pp == 1) continue;
            ++pipelines;
            double dp = 0, optimizer = 0, compute = 0;
            std::set<double> computes;
            for (std::int64_t rank = 0; rank < plan.config.parallel.pp; ++rank) {
                dp = std::max(dp, explain(plan, "step.dp_exposed_seconds", rank)->figure.value);
                optimizer = std::max(optimizer, explain(plan, "step.optimizer_seconds", rank)->figure.value);
                const auto e = explain(plan, "step.compute_seconds", rank);
                const auto value = test::Formula::value(*e);
                QVERIFY2(value && same(*value, e->figure.value), e->formula.c_str());
                compute = std::max(compute, e->figure.value);
                computes.insert(e->figure.value);
            }
            QVERIFY(same(dp, plan.step.dpExposedSeconds));
            QVERIFY(same(optimizer, plan.step.optimizerSeconds));
            QVERIFY(std::isnan(plan.step.computeSeconds) || compute >= plan.step.computeSeconds);
            different += computes.size() > 1 ? 1 : 0;
            QCOMPARE(explain(plan, "step_seconds", plan.config.parallel.pp).error().code, std::string("unknown_rank"));
        }
        QVERIFY2(pipelines > 40 && different > 20, qPrintable(QString("%1 %2").arg(pipelines).arg(different)));
    }
};

SLIPWAY_TEST(TstLedger)

}  // namespace slipway

#include "tst_ledger.moc"
