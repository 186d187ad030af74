// Whoever follows a formula with the numbers beside it must reach the figure.
#include "core/planner/explain/explain.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/core/planner/explain/formula.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace slipway;

namespace {

RunConfig config(const char* model, std::int64_t dp, std::int64_t tp, std::int64_t pp, std::int64_t zeroStage) {
    RunConfig c;
    c.model = findModelPreset(model)->model;
    c.train.seqLen = 4096;
    c.train.globalBatchSize = 64;
    c.train.precision = Precision::Bf16;
    c.train.device = DeviceKind::Gpu;
    c.train.numSteps = 500;
    c.checkpoint.everySteps = 100;
    c.parallel.dp = dp;
    c.parallel.tp = tp;
    c.parallel.pp = pp;
    c.parallel.zeroStage = zeroStage;
    c.parallel.sequenceParallel = tp > 1;
    return c;
}

Plan planOf(const RunConfig& c) {
    ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
    cluster.numNodes = 4;
    return makePlan(c, cluster);
}

bool isNear(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-9 * std::max(1e-12, std::fabs(b));
}

}  // namespace

class TstExplain : public QObject {
    Q_OBJECT

private slots:
    void formulaGivesTheFigure_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QList<qint64>>("layout");
        QTest::addColumn<QString>("changes");
        for (const char* changes :
             {"optimizer.kind=lion", "optimizer.kind=muon", "optimizer.moment_dtype=bf16",
              "optimizer.kind=muon optimizer.moment_dtype=bf16", "train.recompute.policy=full train.recompute.layers=8",
              "parallel.offload=activations", "parallel.offload=all",
              "parallel.offload=all train.stochastic_rounding=true", "parallel.offload=optimizer optimizer.kind=muon",
              "train.batch_ramp.initial=16 train.batch_ramp.tokens=50000000"})
            QTest::newRow(changes) << "llama3-8b" << QList<qint64>{4, 1, 2, 1} << changes;
        QTest::newRow("one device") << "llama3.2-1b" << QList<qint64>{1, 1, 1, 0} << "";
        QTest::newRow("dp 8, zero 1") << "llama3-8b" << QList<qint64>{8, 1, 1, 1} << "";
        QTest::newRow("dp 4, zero 3") << "llama3-8b" << QList<qint64>{4, 1, 1, 3} << "";
        QTest::newRow("overlapped tp") << "llama3-8b" << QList<qint64>{2, 4, 2, 1}
                                       << "parallel.sequence_parallel=true parallel.async_tp=true";
        QTest::newRow("dp 2, tp 4, pp 2") << "llama3-8b" << QList<qint64>{2, 4, 2, 1} << "";
        QTest::newRow("tp 2, pp 8") << "llama3-8b" << QList<qint64>{1, 2, 8, 0} << "";
        QTest::newRow("CUDA graphs") << "llama3.2-1b" << QList<qint64>{2, 1, 1, 1}
                                     << "train.cuda_graphs=true train.seq_len=256";
        QTest::newRow("CUDA graphs, not captured")
            << "llama3.2-1b" << QList<qint64>{2, 2, 1, 1} << "train.cuda_graphs=true";
        for (const char* kind : {"ring", "all_gather", "ulysses"})
            QTest::newRow(kind) << "llama3-8b" << QList<qint64>{2, 2, 1, 1}
                                << QString("parallel.cp=4 parallel.cp_kind=") + kind;
        QTest::newRow("DualPipe") << "llama3-8b" << QList<qint64>{1, 2, 4, 0} << "parallel.schedule=dualpipe";
        QTest::newRow("experts, DualPipe")
            << "mixtral-8x7b" << QList<qint64>{4, 1, 4, 1} << "parallel.ep=4 parallel.schedule=dualpipe";
        QTest::newRow("latent attention") << "deepseek-v3" << QList<qint64>{8, 1, 1, 1} << "parallel.ep=8";
        QTest::newRow("experts") << "mixtral-8x7b" << QList<qint64>{4, 4, 2, 1} << "";
        QTest::newRow("experts, ep 4") << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 1} << "parallel.ep=4";
        QTest::newRow("experts, ep 4, zero 3") << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 3} << "parallel.ep=4";
        QTest::newRow("experts, ep 4, all offloaded")
            << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 1} << "parallel.ep=4 parallel.offload=all";
        QTest::newRow("one device, all offloaded")
            << "llama3.2-1b" << QList<qint64>{1, 1, 1, 0} << "parallel.offload=all";
        QTest::newRow("experts, ep 4, muon, offloaded")
            << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 1}
            << "parallel.ep=4 parallel.offload=optimizer optimizer.kind=muon";
        QTest::newRow("experts, ep 4, muon")
            << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 1} << "parallel.ep=4 optimizer.kind=muon";
    }
    void formulaGivesTheFigure() {
        QFETCH(QString, model);
        QFETCH(QList<qint64>, layout);
        QFETCH(QString, changes);
        Json json = toJson(config(model.toUtf8().constData(), layout[0], layout[1], layout[2], layout[3]));
        for (const QString& change : changes.split(' ', Qt::SkipEmptyParts)) {
            const QStringList parts = change.split('=');
            QVERIFY(setField(json, parts[0].toStdString(), parts[1].toStdString()).has_value());
        }
        const auto changed = parseRunConfig(json, "test");
        QVERIFY2(changed.has_value(), changed ? "" : changed.error().message.c_str());
        const Plan plan = planOf(*changed);
        QVERIFY(!hasErrors(plan.issues) || !plan.memory.empty());
        for (const std::string_view figure : explainedFigures()) {
            const auto e = explain(plan, figure);
            QVERIFY2(e, std::string(figure).c_str());
            QVERIFY2(!e->formula.empty() && !e->source.empty(), std::string(figure).c_str());
            const auto value = test::Formula::value(*e);
            QVERIFY2(value, (std::string(figure) + " = " + e->formula).c_str());
            QVERIFY2(isNear(*value, e->figure.value),
                     (std::string(figure) + ": " + std::to_string(*value) + " against " +
                      std::to_string(e->figure.value) + " = " + e->formula)
                         .c_str());
        }
        everyFigureHasOne(plan);
    }

    // Every number of the forecast document has a formula, and the formula is of that number.
    static void everyFigureHasOne(const Plan& plan) {
        const Json document = forecastJson(plan);
        const auto check = [&](const std::string& name, const Json& value) {
            if (!value.is_number() || name.ends_with("_low") || name.ends_with("_high") || name == "worst_stage")
                return;
            const auto e = explain(plan, name);
            QVERIFY2(e, name.c_str());
            QVERIFY2(isNear(e->figure.value, value.get<double>()),
                     (name + ": " + std::to_string(e->figure.value)).c_str());
        };
        for (const auto& [key, value] : document.items()) {
            check(key, value);
            if (!value.is_object()) continue;
            for (const auto& [part, number] : value.items()) check(key + "." + part, number);
        }
    }

    // What leaves for the host: all micro-batches in flight (1F1B: two on the first of two stages), 12 bytes a
    // parameter of the shard.
    void offloadedParts() {
        RunConfig c = config("llama3-8b", 4, 1, 2, 1);
        c.parallel.offload = Offload::All;
        const Plan plan = planOf(c);
        const auto activations = explain(plan, "host_memory.activation_bytes");
        QCOMPARE(activations->inputs.at(0).value, 16.0);
        QCOMPARE(activations->inputs.back().name, std::string("saved_micro_batches"));
        QCOMPARE(activations->inputs.back().value, 2.0);
        const auto optimizer = explain(plan, "host_memory.optimizer_bytes");
        QCOMPARE(optimizer->formula, std::string("rank_parameters / shard_ranks * host_bytes_per_parameter"));
        QCOMPARE(optimizer->inputs.at(1).value, 4.0);
        QCOMPARE(optimizer->inputs.at(2).value, 12.0);
        c.parallel.offload = Offload::None;
        QVERIFY(explain(planOf(c), "host_memory.optimizer_bytes")->formula.starts_with("0: parallel.offload"));
        QVERIFY(explain(planOf(c), "host_memory.activation_bytes")->formula.starts_with("0: parallel.offload"));
        c.train.device = DeviceKind::Cpu;
        QVERIFY(explain(planOf(c), "host_memory.activation_bytes")->formula.starts_with("0: on a CPU"));
        // A model whose first layer is dense: both kinds are named.
        RunConfig mixture = config("deepseek-v3", 8, 1, 1, 1);
        mixture.parallel.ep = 8;
        mixture.parallel.offload = Offload::Activations;
        const auto kinds = explain(planOf(mixture), "host_memory.activation_bytes");
        QVERIFY(kinds);
        QCOMPARE(kinds->inputs.at(0).value, 3.0);
        QCOMPARE(kinds->inputs.at(2).value, 58.0);
        QCOMPARE(kinds->inputs.back().value, 1.0);
    }

    // A node's memory: what its ranks keep there, their tensors where the device is the CPU, and what vendors list for
    // it.
    void nodeMemory() {
        const auto value = [](const Plan& plan, const char* figure) {
            const auto e = explain(plan, figure);
            return e && test::Formula::value(*e) && isNear(*test::Formula::value(*e), e->figure.value) ? e->figure.value
                                                                                                       : -1;
        };
        RunConfig c = config("llama3-8b", 4, 1, 2, 1);
        c.parallel.offload = Offload::All;
        const Plan gpu = planOf(c);
        QCOMPARE(value(gpu, "host_memory.node_bytes"), 8 * value(gpu, "host_memory.total_bytes"));
        QCOMPARE(value(gpu, "host_memory.node_tensor_bytes"), 0.0);
        QCOMPARE(value(gpu, "host_memory.node_capacity_bytes"), 2048.0 * 1024 * 1024 * 1024);
        const std::string source = textOf(explain(gpu, "host_memory.node_capacity_bytes")->source);
        QVERIFY2(source.starts_with("DGX H100") && source.find("https://") != std::string::npos, source.c_str());
        ClusterSpec unlisted = gpu.cluster;
        unlisted.device.name = "Nobody's device";
        const auto unknown = explain(makePlan(c, unlisted), "host_memory.node_capacity_bytes");
        QVERIFY(std::isnan(unknown->figure.value) && textOf(unknown->source).starts_with("unknown"));
        ClusterSpec cpu;
        cpu.numNodes = 2;
        cpu.devicesPerNode = 8;
        cpu.device.memoryBytes = 64e9;
        c = RunConfig{};
        c.parallel.dp = 4;
        c.checkpoint.everySteps = 10;
        const Plan plan = makePlan(c, cpu);
        QCOMPARE(value(plan, "host_memory.node_tensor_bytes"), 2 * plan.memoryPeakBytes);
        QCOMPARE(value(plan, "host_memory.node_bytes"), 2 * value(plan, "host_memory.staging_bytes"));
        QCOMPARE(value(plan, "host_memory.node_capacity_bytes"), 64e9);
    }

    // What a moment costs: Lion has one of AdamW's two, bf16 halves them, Muon has one of each hidden matrix.
    void momentsAreCounted() {
        RunConfig c = config("llama3-8b", 1, 1, 1, 0);
        const auto bytes = [&] { return planOf(c).memory.front().bytes.optimizerBytes; };
        const double parameters = planOf(c).parameters.total, adamW = bytes();
        QCOMPARE(adamW, 12 * parameters);
        c.optimizer.momentDtype = MomentDtype::Bf16;
        QCOMPARE(bytes(), 8 * parameters);
        c.optimizer.kind = OptimizerKind::Lion;
        QCOMPARE(bytes(), 6 * parameters);
        c.optimizer.momentDtype = MomentDtype::Fp32;
        QCOMPARE(bytes(), 8 * parameters);
        c.optimizer.kind = OptimizerKind::Muon;
        const double hidden = 4096, ffn = 14336, layers = 32;
        const double matrices = layers * (2 * hidden * hidden + 2 * hidden * 1024 + 3 * hidden * ffn);
        QCOMPARE(bytes(), adamW - 4 * matrices);
        const double muon = planOf(c).step.optimizerSeconds;
        c.optimizer.kind = OptimizerKind::AdamW;
        const double plain = planOf(c).step.optimizerSeconds;
        c.optimizer.kind = OptimizerKind::Lion;
        QVERIFY(muon > plain && plain > planOf(c).step.optimizerSeconds);
    }

    // A letter alone means nothing to a reader of one figure.
    void rulesAreSpelledOut() {
        RunConfig c = config("llama3-8b", 2, 4, 2, 1);
        c.train.recompute.policy = RecomputePolicy::Full;
        for (const std::string figure : {"mfu", "hfu", "flops_per_token", "hardware_flops_per_token"})
            for (const auto& [suffix, words] : {std::pair{"", "causal attention (Megatron today"},
                                                {"_a", "llm-foundry"},
                                                {"_b", "torchtitan"},
                                                {"_d", "Megatron 2021"}}) {
                const auto one = explain(planOf(c), figure + suffix);
                QVERIFY2(one.has_value(), (figure + suffix).c_str());
                const std::string source = textOf(one->source);
                const bool namesRule = source.find("rule ") != std::string::npos;
                QVERIFY2(namesRule || figure == "hardware_flops_per_token", source.c_str());
                QVERIFY2(!namesRule || source.find(words) != std::string::npos, source.c_str());
            }
    }

    // HFU by each rule: llm-foundry prints 4/3 of MFU where all is recomputed; B and C run the layers again, not the
    // head; D counts it already.
    void hfuByRules() {
        RunConfig c = config("llama3-8b", 2, 4, 2, 1);
        const auto value = [&](const char* figure) { return explain(planOf(c), figure)->figure.value; };
        for (const char* rule : {"", "_a", "_b"})
            QCOMPARE(value((std::string("hfu") + rule).c_str()), value((std::string("mfu") + rule).c_str()));
        QVERIFY(std::isnan(value("hfu_d")));
        c.train.recompute.policy = RecomputePolicy::Full;
        QCOMPARE(value("hfu_a") / value("mfu_a"), 4.0 / 3);
        QCOMPARE(value("hfu_d"), value("mfu_d"));
        const double head = 2.0 * 128256 * 4096;
        QCOMPARE(value("hardware_flops_per_token_b"), value("flops_per_token_b") * 4 / 3 - head);
        QCOMPARE(value("hardware_flops_per_token"), value("flops_per_token") * 4 / 3 - head);
        c.train.recompute.policy = RecomputePolicy::Selective;
        c.train.recompute.attention = true;
        const double core = 4.0 * 32 * 4096 * 4096;  // layers, width, sequence
        QCOMPARE(value("hardware_flops_per_token_a") - value("flops_per_token_a"), core);
        QCOMPARE(value("hardware_flops_per_token_b") - value("flops_per_token_b"), core);
        QCOMPARE(value("hardware_flops_per_token") - value("flops_per_token"), core / 2);
        const auto hfu = explain(planOf(c), "hfu");
        QCOMPARE(hfu->others.size(), std::size_t{2});
        QCOMPARE(hfu->others.front().name, std::string("hfu_a"));
        QCOMPARE(explain(planOf(c), "mfu_b")->others.size(), std::size_t{3});
        const auto mfu = explain(planOf(c), "mfu");
        for (const ExplainedNumber& other : mfu->others)
            QCOMPARE(explain(planOf(c), other.name)->figure.value, other.value);
    }

    // What the activations keep is known for 1F1B: min(p - rank, m).
    void savedMicroBatches() {
        const Plan plan = planOf(config("llama3-8b", 2, 4, 2, 1));
        QCOMPARE(plan.worstStage, std::size_t(0));
        const auto e = explain(plan, "memory.activation_bytes");
        QVERIFY(e);
        QCOMPARE(e->inputs.at(2).name, std::string("saved_micro_batches"));
        QCOMPARE(e->inputs.at(2).value, 2.0);
    }

    // Figures that hang on the step time alone share its interval, turned over where more time means less of them.
    void intervalsFollowTheStep() {
        const Plan plan = planOf(config("llama3-8b", 2, 4, 2, 1));
        const StepEstimate& s = plan.step;
        QVERIFY(s.stepSecondsHigh > s.stepSeconds);
        const auto hours = explain(plan, "device_hours");
        QCOMPARE(hours->interval->second / hours->figure.value, s.stepSecondsHigh / s.stepSeconds);
        const auto mfu = explain(plan, "mfu");
        QCOMPARE(mfu->interval->first / mfu->figure.value, s.stepSeconds / s.stepSecondsHigh);
        QVERIFY(mfu->interval->first < mfu->interval->second);
        QVERIFY(!explain(plan, "memory.weight_bytes")->interval);
    }

    void refusals() {
        const Plan plan = planOf(config("llama3-8b", 2, 4, 2, 1));
        const auto unknown = explain(plan, "step_second");
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().code, std::string("unknown_figure"));
        QVERIFY2(unknown.error().message.find("step_seconds") != std::string::npos, unknown.error().message.c_str());
        const auto none = explain(planOf(config("llama3-8b", 2, 3, 2, 1)), "mfu");
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("no_plan"));
    }
};

SLIPWAY_TEST(TstExplain)
#include "tst_explain.moc"
