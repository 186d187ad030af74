// Whoever follows a formula with the numbers beside it must reach the figure.
#include "core/planner/explain/explain.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>
#include <map>

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

using Numbers = std::map<std::string, double>;

/// The formulas that are plain arithmetic, done by hand.
const std::map<std::string, std::function<double(const Numbers&)>>& byHand() {
    const auto sum = [](const Numbers& n) {
        double total = 0;
        for (const auto& [name, value] : n) total += value;
        return total;
    };
    // Experts are shared by the ranks that have copies of them, the rest by all data-parallel ranks.
    static const auto shared = [](const Numbers& n, double whole) {
        if (!n.count("shard_ranks")) return whole;
        if (!n.count("rank_expert_parameters")) return whole / n.at("shard_ranks");
        const double experts = n.at("rank_expert_parameters");
        return (whole - experts) / n.at("shard_ranks") + experts / n.at("expert_shard_ranks");
    };
    const auto state = [](const char* bytes) {
        return [bytes](const Numbers& n) { return shared(n, n.at("rank_parameters")) * n.at(bytes); };
    };
    static const std::map<std::string, std::function<double(const Numbers&)>> formulas{
        {"step_seconds", sum},
        {"memory_peak_bytes", sum},
        {"host_memory.total_bytes", sum},
        {"host_memory.staging_bytes",
         [](const Numbers& n) {
             const auto written = [&](const char* all) {
                 return (n.at(all) - n.at("rank_expert_parameters")) / n.at("writers") + n.at("rank_expert_parameters") / n.at("expert_writers");
             };
             return written("rank_parameters") * n.at("checkpoint_bytes_per_parameter") - written("rank_matrices") * n.at("spared_moment_bytes");
         }},
        {"host_memory.optimizer_bytes",
         [](const Numbers& n) {
             if (n.empty()) return 0.0;
             const double second = n.count("rank_matrices") ? shared(n, n.at("rank_matrices")) * n.at("spared_moment_bytes") : 0;
             return shared(n, n.at("rank_parameters")) * n.at("host_bytes_per_parameter") - second;
         }},
        {"host_memory.activation_bytes",
         [](const Numbers& n) {
             if (n.empty()) return 0.0;
             const auto layers = [&](const char* count, const char* bytes) { return n.count(count) ? n.at(count) * n.at(bytes) : 0; };
             return (layers("rank_layers", "layer_activation_bytes") + layers("rank_moe_layers", "moe_layer_activation_bytes")) *
                    n.at("micro_batches_kept");
         }},
        {"tokens_per_second",
         [](const Numbers& n) {
             return n.at("train.global_batch_size") * n.at("train.seq_len") / n.at("step_seconds");
         }},
        {"tokens_per_second_per_device",
         [](const Numbers& n) { return n.at("tokens_per_second") / n.at("world_size"); }},
        {"mfu",
         [](const Numbers& n) { return n.at("flops_per_token") * n.at("tokens_per_second") / n.at("peak_flops"); }},
        {"flops_per_token",
         [](const Numbers& n) { return 6 * n.at("matmul_parameters") + n.at("causal_attention_flops"); }},
        {"bubble_theoretical",
         [](const Numbers& n) {
             return n.empty() ? 0 : n.at("idle_units") / (n.at("num_micro_batches") + n.at("idle_units"));
         }},
        {"training_seconds",
         [](const Numbers& n) {
             return n.at(n.count("whole_steps") ? "whole_steps" : "train.num_steps") * n.at("step_seconds");
         }},
        {"device_hours", [](const Numbers& n) { return n.at("training_seconds") * n.at("devices") / 3600; }},
        {"money", [](const Numbers& n) { return n.at("device_hours") * n.at("price_per_hour"); }},
        {"memory.weight_bytes", state("weight_bytes_per_parameter")},
        {"memory.gradient_bytes", state("gradient_bytes_per_parameter")},
        {"memory.optimizer_bytes",
         [](const Numbers& n) {
             if (n.empty()) return 0.0;  // offloaded
             const double second =
                 n.count("rank_matrices") ? shared(n, n.at("rank_matrices")) * n.at("moment_bytes") : 0;
             return shared(n, n.at("rank_parameters")) * n.at("optimizer_bytes_per_parameter") - second;
         }},
        {"memory.activation_bytes",
         [](const Numbers& n) {
             if (n.count("layers_on_device")) return n.at("layers_on_device") * n.at("layer_activation_bytes");
             return n.at("rank_layers") * n.at("layer_activation_bytes") * n.at("micro_batches_kept");
         }},
        {"memory.logits_bytes",
         [](const Numbers& n) {
             return n.at("logits_kept_bytes") * n.at("micro_batches_kept") + n.at("loss_workspace_bytes");
         }},
        {"step.compute_seconds",
         [](const Numbers& n) {
             return n.at("micro_batches") * (n.at("rank_layers") * n.at("layer_seconds") +
                                             n.at("rank_moe_layers") * n.at("moe_layer_seconds") +
                                             n.at("embedding_seconds") + n.at("head_seconds")) +
                    (n.count("host_wait_seconds") ? n.at("host_wait_seconds") : 0) -
                    (n.count("step.graph_saved_seconds") ? n.at("step.graph_saved_seconds") : 0);
         }},
        {"step.graph_saved_seconds",
         [](const Numbers& n) {
             if (n.empty()) return 0.0;
             return n.at("repeated_micro_batches") * (n.at("micro_batch_seconds") - n.at("repeated_micro_batch_seconds"));
         }},
        {"memory.graph_bytes", sum},
        {"step.tp_exposed_seconds",
         [](const Numbers& n) {
             return n.at("micro_batches") * (n.at("rank_layers") * n.at("layer_tp_seconds") + n.at("ends_tp_seconds"));
         }},
        {"step.bubble_seconds", [](const Numbers& n) { return n.at("schedule_seconds") - n.at("rank_pass_seconds"); }},
    };
    return formulas;
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
              "parallel.offload=activations", "parallel.offload=all", "parallel.offload=all train.stochastic_rounding=true",
              "parallel.offload=optimizer optimizer.kind=muon", "train.batch_ramp.initial=16 train.batch_ramp.tokens=50000000"})
            QTest::newRow(changes) << "llama3-8b" << QList<qint64>{4, 1, 2, 1} << changes;
        QTest::newRow("one device") << "llama3.2-1b" << QList<qint64>{1, 1, 1, 0} << "";
        QTest::newRow("dp 8, zero 1") << "llama3-8b" << QList<qint64>{8, 1, 1, 1} << "";
        QTest::newRow("dp 4, zero 3") << "llama3-8b" << QList<qint64>{4, 1, 1, 3} << "";
        QTest::newRow("overlapped tp") << "llama3-8b" << QList<qint64>{2, 4, 2, 1}
                                       << "parallel.sequence_parallel=true parallel.async_tp=true";
        QTest::newRow("dp 2, tp 4, pp 2") << "llama3-8b" << QList<qint64>{2, 4, 2, 1} << "";
        QTest::newRow("tp 2, pp 8") << "llama3-8b" << QList<qint64>{1, 2, 8, 0} << "";
        QTest::newRow("CUDA graphs") << "llama3.2-1b" << QList<qint64>{2, 1, 1, 1} << "train.cuda_graphs=true train.seq_len=256";
        QTest::newRow("CUDA graphs, not captured") << "llama3.2-1b" << QList<qint64>{2, 2, 1, 1} << "train.cuda_graphs=true";
        QTest::newRow("experts") << "mixtral-8x7b" << QList<qint64>{4, 4, 2, 1} << "";
        QTest::newRow("experts, ep 4") << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 1} << "parallel.ep=4";
        QTest::newRow("experts, ep 4, zero 3") << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 3} << "parallel.ep=4";
        QTest::newRow("experts, ep 4, all offloaded") << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 1} << "parallel.ep=4 parallel.offload=all";
        QTest::newRow("one device, all offloaded") << "llama3.2-1b" << QList<qint64>{1, 1, 1, 0} << "parallel.offload=all";
        QTest::newRow("experts, ep 4, muon, offloaded")
            << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 1} << "parallel.ep=4 parallel.offload=optimizer optimizer.kind=muon";
        QTest::newRow("experts, ep 4, muon") << "mixtral-8x7b" << QList<qint64>{8, 2, 1, 1}
                                             << "parallel.ep=4 optimizer.kind=muon";
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
            const auto formula = byHand().find(std::string(figure));
            if (formula == byHand().end()) continue;
            Numbers numbers;
            for (const ExplainedNumber& input : e->inputs) numbers[input.name] = input.value;
            const double value = formula->second(numbers);
            QVERIFY2(
                std::fabs(value - e->figure.value) <= 1e-9 * std::max(1e-12, std::fabs(e->figure.value)),
                (std::string(figure) + ": " + std::to_string(value) + " against " + std::to_string(e->figure.value))
                    .c_str());
        }
    }

    // What leaves for the host: all micro-batches in flight (1F1B: two on the first of two stages), 12 bytes a parameter of the shard.
    void offloadedParts() {
        RunConfig c = config("llama3-8b", 4, 1, 2, 1);
        c.parallel.offload = Offload::All;
        const Plan plan = planOf(c);
        const auto activations = explain(plan, "host_memory.activation_bytes");
        QCOMPARE(activations->inputs.at(0).value, 16.0);
        QCOMPARE(activations->inputs.back().name, std::string("micro_batches_kept"));
        QCOMPARE(activations->inputs.back().value, 2.0);
        const auto optimizer = explain(plan, "host_memory.optimizer_bytes");
        QCOMPARE(optimizer->inputs.at(1).value, 12.0);
        QCOMPARE(optimizer->inputs.at(2).value, 4.0);
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

    // Every name in a formula is an input with a number, and every figure among the inputs can be asked for.
    void namesAreInputs_data() {
        QTest::addColumn<int>("offload");
        QTest::newRow("none") << static_cast<int>(Offload::None);
        QTest::newRow("all") << static_cast<int>(Offload::All);
    }
    void namesAreInputs() {
        QFETCH(int, offload);
        RunConfig c = config("llama3-8b", 2, 4, 2, 1);
        c.parallel.offload = static_cast<Offload>(offload);
        const Plan plan = planOf(c);
        for (const std::string_view figure : explainedFigures()) {
            const auto e = explain(plan, figure);
            QVERIFY(e);
            if (!byHand().count(std::string(figure)) || e->formula.starts_with("0: ")) continue;
            std::string word;
            for (const char letter : e->formula + " ") {
                if (std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '.') {
                    word += letter;
                    continue;
                }
                if (!word.empty() && !std::isdigit(static_cast<unsigned char>(word[0]))) {
                    bool known = false;
                    for (const ExplainedNumber& input : e->inputs) known |= input.name == word;
                    QVERIFY2(known, (std::string(figure) + ": " + word).c_str());
                }
                word.clear();
            }
        }
    }

    // What the activations keep is known for 1F1B: min(p - rank, m).
    void microBatchesKept() {
        const Plan plan = planOf(config("llama3-8b", 2, 4, 2, 1));
        QCOMPARE(plan.worstStage, std::size_t(0));
        const auto e = explain(plan, "memory.activation_bytes");
        QVERIFY(e);
        QCOMPARE(e->inputs.at(2).name, std::string("micro_batches_kept"));
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
