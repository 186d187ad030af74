// The real program: evaluation on held-out data, batch ramp, noise scale, fp16 with loss scaling; the same in every
// layout and after a resume, and without effect on the training they only watch.
#include "core/spec/batch_sizes.h"
#include "trainer/loop/loop_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/trainer/loop/trainer_runs.h"

using namespace slipway;
using namespace slipway::test;

namespace {

using Curve = std::map<std::int64_t, double>;

/// Step -> value on the steps that have it, the last attempt wins.
Curve some(const TrainerRun& run, const std::string& name) {
    Curve values;
    for (const Json& line : run.lines())
        if (line.at("kind") == "step" && line.at("values").contains(name))
            values[line.at("step").get<std::int64_t>()] = *numberFromJson(line.at("values").at(name), name);
    return values;
}

std::vector<std::int64_t> events(const TrainerRun& run, const std::string& name) {
    std::vector<std::int64_t> steps;
    for (const Json& line : run.lines())
        if (line.value("name", "") == name) steps.push_back(line.at("step").get<std::int64_t>());
    return steps;
}

bool completed(TrainerRun& run, bool threads = true, const std::vector<std::string>& more = {}) {
    const std::vector<int> codes = run.run(more, threads);
    const bool all = std::all_of(codes.begin(), codes.end(), [](int code) { return code == 0; });
    if (!all) qWarning("%s", run.errors().c_str());
    return all;
}

bool close(const Curve& a, const Curve& b, double bound) {
    if (a.empty() || a.size() != b.size()) return false;
    for (const auto& [step, value] : a)
        if (!b.contains(step) || std::fabs(b.at(step) / value - 1) > bound) {
            qWarning("step %lld: %.17g and %.17g", static_cast<long long>(step), value,
                     b.contains(step) ? b.at(step) : 0.0);
            return false;
        }
    return true;
}

// "dp=2 zero_stage=1": fields of `parallel`.
RunConfig withLayout(const RunConfig& config, const QString& layout) {
    Json json = toJson(config);
    for (const QString& change : layout.split(' ', Qt::SkipEmptyParts)) {
        const QStringList parts = change.split('=');
        const QString path = parts[0].contains('.') ? parts[0] : "parallel." + parts[0];
        if (!setField(json, path.toStdString(), parts[1].toStdString())) qFatal("%s", qPrintable(change));
    }
    Issues issues;
    return runConfigFromJson(json, issues);
}

void layouts(std::initializer_list<const char*> all) {
    QTest::addColumn<QString>("layout");
    for (const char* layout : all) QTest::newRow(layout) << layout;
}

/// Everything that only watches, in fp64.
RunConfig watched(std::int64_t numSteps) {
    RunConfig config = tinyRun(numSteps);
    config.train.precision = Precision::Fp64;
    config.train.eval = {4, 200};
    config.telemetry.noiseEverySteps = 2;
    return config;
}

MoeSpec tinyExperts() {
    MoeSpec moe;
    moe.numExperts = 4;
    moe.expertFfnHiddenSize = 16;
    moe.auxLossCoefficient = 0.01;
    moe.zLossCoefficient = 0.001;
    moe.biasUpdateRate = 0.001;
    return moe;
}

/// Stops a run after its first step and resumes it.
void interruptAndResume(TrainerRun& run, std::int64_t numSteps) {
    std::filesystem::create_directories(run.dir.stopFile().parent_path());
    (void)writeFileAtomically(run.dir.stopFile(), "");  // seen after the first step, however fast the machine is
    (void)run.run({}, true);
    QCOMPARE(run.lastStep(), std::int64_t{1});
    std::filesystem::remove(run.dir.stopFile());
    QVERIFY(completed(run, true, {"--resume", "latest"}));
    QCOMPARE(run.lastStep(), numSteps);
}

}  // namespace

class TstTrainStability : public QObject {
    Q_OBJECT
private slots:
    // Loss on held-out data and noise scale are those of one process, whatever the layout.
    void watchersAgree_data() {
        layouts({"dp=2 zero_stage=1", "dp=2 zero_stage=3", "dp=2 zero_stage=3 reshard_after_forward=false",
                 "tp=2 sequence_parallel=true", "cp=2", "pp=2", "pp=2 schedule=zb_h1",
                 "pp=2 dp=2 tp=2 zero_stage=1 sequence_parallel=true"});
    }
    void watchersAgree() {
        QFETCH(QString, layout);
        if (m_evalLoss.empty()) {
            TrainerRun one(watched(8));
            QVERIFY(completed(one));
            m_evalLoss = some(one, "eval_loss");
            m_noise = some(one, "noise_scale");
            m_loss = some(one, "loss");
            QCOMPARE(m_evalLoss.size(), std::size_t{2});
            QVERIFY(m_evalLoss.at(8) < m_evalLoss.at(4));
            QVERIFY(!m_noise.empty());
        }
        TrainerRun run(withLayout(watched(8), layout));
        QVERIFY(completed(run));
        QVERIFY(close(m_evalLoss, some(run, "eval_loss"), 1e-11));
        QVERIFY(close(m_loss, some(run, "loss"), 1e-11));
        QVERIFY(close(m_noise, some(run, "noise_scale"), 1e-7));
    }

    // With experts, whose balance loss and routing bias count the sequences of a step, and a growing batch.
    void expertsAreWatched_data() {
        layouts({"dp=2 ep=2 zero_stage=1", "tp=2 ep=2", "pp=2", "dp=2 etp=2 zero_stage=3"});
    }
    void expertsAreWatched() {
        QFETCH(QString, layout);
        RunConfig config = watched(8);
        config.train.batchRamp = {4, 4, 16 * 16};
        config.model.moe = tinyExperts();
        if (m_expertLoss.empty()) {
            TrainerRun one(config);
            QVERIFY(completed(one));
            m_expertLoss = some(one, "loss");
            m_expertNoise = some(one, "noise_scale");
            QVERIFY(!m_expertNoise.empty());
        }
        TrainerRun run(withLayout(config, layout));
        QVERIFY(completed(run));
        QVERIFY(close(m_expertLoss, some(run, "loss"), 1e-11));
        QVERIFY(close(m_expertNoise, some(run, "noise_scale"), 1e-7));
    }

    // Who watches more often sees more, and changes nothing.
    void watchingChangesNothing() {
        RunConfig config = withLayout(watched(6), "dp=2 zero_stage=3 reshard_after_forward=false");
        TrainerRun often(config);
        config.train.eval.everySteps = 100;
        config.telemetry.noiseEverySteps = 0;
        TrainerRun seldom(config);
        QVERIFY(completed(often) && completed(seldom));
        QVERIFY(some(often, "loss") == some(seldom, "loss"));
        QVERIFY(some(seldom, "noise_scale").empty());
        const Curve last = some(seldom, "eval_loss");
        QCOMPARE(last.size(), std::size_t{1});  // the last step is always evaluated
        QVERIFY(last.at(6) == some(often, "eval_loss").at(6));
    }

    void resumeKeepsWatching() {
        RunConfig config = withLayout(watched(9), "dp=2 zero_stage=1");
        config.checkpoint.everySteps = 3;
        TrainerRun straight(config), broken(config);
        QVERIFY(completed(straight));
        interruptAndResume(broken, 9);
        for (const char* name : {"loss", "eval_loss", "noise_scale"})
            QVERIFY2(some(broken, name) == some(straight, name), name);
    }

    // The batch grows by whole increments, tokens are counted exactly, and the curve is that of one process.
    void batchRamp_data() { layouts({"dp=2 zero_stage=1", "pp=2", "dp=2 pp=2 train.micro_batch_size=1"}); }
    void batchRamp() {
        QFETCH(QString, layout);
        RunConfig config = tinyRun(10);
        config.train.precision = Precision::Fp64;
        config.train.batchRamp = {4, 4, 16 * 16};
        if (m_ramped.empty()) {
            TrainerRun one(config);
            QVERIFY(completed(one));
            m_ramped = some(one, "loss");
        }
        TrainerRun run(withLayout(config, layout));
        QVERIFY(completed(run));
        QVERIFY(close(m_ramped, some(run, "loss"), 1e-11));
        const BatchSizes sizes(config.train);
        QCOMPARE(sizes.of(0), 4);
        QCOMPARE(sizes.of(9), 8);
        const Curve batch = some(run, "batch_size"), valid = some(run, "tokens_valid");
        for (const Json& line : run.lines()) {
            if (line.at("kind") != "step") continue;
            const auto step = line.at("step").get<std::int64_t>();
            QCOMPARE(line.at("tokens").get<std::int64_t>(), sizes.before(step) * 16);
            QCOMPARE(batch.at(step), static_cast<double>(sizes.of(step - 1)));
            QVERIFY(valid.at(step) > (batch.at(step) - 1) * 16);  // one sequence of the file is short
        }
    }

    void batchRampResumes() {
        RunConfig config = tinyRun(10);
        config.train.batchRamp = {4, 4, 16 * 20};
        config.checkpoint.everySteps = 2;
        TrainerRun straight(config), broken(config);
        QVERIFY(completed(straight));
        interruptAndResume(broken, 10);
        QVERIFY(some(broken, "loss") == some(straight, "loss"));
        QVERIFY(some(broken, "batch_size") == some(straight, "batch_size"));
    }

    // fp16 has 11 digits: its curve stays near that of fp32. A scale beyond fp16 is halved until gradients fit, on all
    // ranks alike.
    void lossScaling_data() {
        layouts({"", "dp=2 zero_stage=1", "pp=2 tp=2", "dp=2 zero_stage=3",
                 "dp=2 ep=2 model.moe.num_experts=4 model.moe.expert_ffn_hidden_size=16 "
                 "model.moe.aux_loss_coefficient=0.01 model.moe.bias_update_rate=0.001",
                 "bf16 gradients: ", "bf16 gradients: dp=2 zero_stage=3"});
    }
    void lossScaling() {
        QFETCH(QString, layout);
        RunConfig config = tinyRun(14);
        const bool narrow = layout.startsWith("bf16 gradients: ");
        layout.remove("bf16 gradients: ");
        TrainerRun fine(withLayout(config, layout));
        config.train.precision = Precision::Fp16;
        if (narrow) config.train.gradDtype = Precision::Bf16;
        config.train.lossScale = 16777216;
        config.train.lossScaleInterval = 4;
        TrainerRun coarse(withLayout(config, layout));
        QVERIFY(completed(fine) && completed(coarse));
        const Curve scale = some(coarse, "loss_scale"), loss = some(coarse, "loss");
        const std::vector<std::int64_t> lowered = events(coarse, "loss_scale_lowered");
        QVERIFY(!lowered.empty());
        QVERIFY(events(coarse, "update_skipped").empty());
        // The rule, step by step: half after an overflow, double after four steps without.
        int good = 0;
        for (std::int64_t step = 1; step < 14; ++step) {
            const bool overflow = std::count(lowered.begin(), lowered.end(), step) > 0;
            double next = scale.at(step);
            good = overflow ? 0 : good + 1;
            if (overflow) next /= 2;
            if (good == 4) {
                next = std::min(2 * next, 16777216.0);
                good = 0;
            }
            QCOMPARE(scale.at(step + 1), next);
        }
        const auto skipped = static_cast<std::int64_t>(lowered.size());
        QVERIFY2(skipped < 10, std::to_string(skipped).c_str());
        QVERIFY(loss.at(14) < loss.at(1) - 0.05);
        QVERIFY(std::fabs(loss.at(1) - some(fine, "loss").at(1)) < 0.02);
    }

    void lossScaleResumes() {
        RunConfig config = tinyRun(10);
        config.train.precision = Precision::Fp16;
        config.train.lossScale = 16777216;
        config.train.lossScaleInterval = 3;
        config.checkpoint.everySteps = 3;
        TrainerRun straight(config), broken(config);
        QVERIFY(completed(straight));
        interruptAndResume(broken, 10);
        QVERIFY(some(broken, "loss") == some(straight, "loss"));
        QVERIFY(some(broken, "loss_scale") == some(straight, "loss_scale"));
    }

    // Moments in bf16 train about as well, and their checkpoint gives them back.
    void bf16Moments() {
        RunConfig config = tinyRun(9);
        TrainerRun fine(config);
        config.optimizer.momentDtype = MomentDtype::Bf16;
        config.checkpoint.everySteps = 3;
        TrainerRun straight(config), broken(config);
        QVERIFY(completed(fine) && completed(straight));
        interruptAndResume(broken, 9);
        QVERIFY(some(broken, "loss") == some(straight, "loss"));
        QVERIFY(some(fine, "loss") != some(straight, "loss"));
        QVERIFY(close(some(fine, "loss"), some(straight, "loss"), 0.01));
    }

    // Every run ends with a verdict on its curve.
    void verdictAtTheEnd() {
        TrainerRun run(tinyRun(60));
        QVERIFY(completed(run));
        const auto lines = run.lines();
        const auto found = std::find_if(lines.begin(), lines.end(),
                                        [](const Json& line) { return line.value("name", "") == "loss_curve"; });
        QVERIFY(found != lines.end());
        const std::string detail = found->at("detail").get<std::string>();
        QVERIFY2(detail.starts_with("falling: ") && detail.find("of 60 steps") != std::string::npos, detail.c_str());
    }

    // What a checkpoint carries of the loop is all that later judgements depend on.
    void loopStateIsComplete() {
        TrainSpec train;
        train.precision = Precision::Fp16;
        train.lossScaleInterval = 5;
        train.spikes.policy = SpikePolicy::RewindAndSkip;
        trainer::LoopState a(train);
        const auto feed = [](trainer::LoopState& state, int i) {
            const double loss = i % 37 == 36 ? 50 : 2 + std::sin(i);
            state.add(i == 17 ? std::nan("") : loss);
            state.scaler.stepDone(i % 7 == 3);
            state.noise.add({1.0 + i, 3.0 * i});
            return state.guard.evaluate(loss, 1.0).code +
                   std::to_string(static_cast<int>(state.guard.evaluate(loss, 1).action));
        };
        for (int i = 0; i < 90; ++i) feed(a, i);
        trainer::LoopState b(train);
        QVERIFY(b.restore(a.toText()).has_value());
        QCOMPARE(b.toText(), a.toText());
        for (int i = 90; i < 300; ++i) {
            QCOMPARE(feed(a, i), feed(b, i));
            QCOMPARE(a.scaler.scale(), b.scaler.scale());
            QCOMPARE(*a.noise.noiseScale(), *b.noise.noiseScale());
        }
        QCOMPARE(b.toText(), a.toText());
        QCOMPARE(a.curve(), b.curve());
        QVERIFY(!b.restore("{\"losses\": 3}").has_value());
        QVERIFY(b.restore("").has_value());
    }

private:
    Curve m_evalLoss, m_noise, m_loss, m_ramped, m_expertLoss, m_expertNoise;
};

SLIPWAY_TEST(TstTrainStability)
#include "tst_train_stability.moc"
