#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Balance and z-losses of a step that is not a whole batch: of a ramp, of a noise measurement, with a loss scale.
#include "tests/support/slipway_test.h"
#include "tests/trainer/small_run.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/pipeline/executor.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/randint.h>

#include <map>

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

RunConfig experts(std::int64_t globalBatch, std::int64_t microBatch, RouterScore score) {
    RunConfig config = smallRun(2, globalBatch);
    config.model.moe = MoeSpec{};
    config.model.moe->numExperts = 4;
    config.model.moe->expertFfnHiddenSize = 4;
    config.model.moe->auxLossCoefficient = 0.2;
    config.model.moe->routerScore = score;
    if (score == RouterScore::Softmax) config.model.moe->zLossCoefficient = 0.05;
    config.model.moe->biasUpdateRate = 0.01;
    config.train.microBatchSize = microBatch;
    return config;
}

// Micro-batches of one replica of the first sequences; targets behind `kept` carry no loss.
std::vector<MicroBatch> batches(const RunConfig& config, std::int64_t sequences, std::int64_t kept,
                                std::int64_t dpRank) {
    at::Generator generator = at::detail::createCPUGenerator(1);
    const auto ids = [&] {
        return at::randint(config.model.vocabSize, {12, config.train.seqLen}, generator,
                           at::TensorOptions().dtype(at::kLong));
    };
    const at::Tensor tokens = ids(), targets = ids();
    targets.narrow(0, kept, 12 - kept).fill_(-1);
    std::vector<MicroBatch> list;
    const std::int64_t rows = config.train.microBatchSize;
    for (std::int64_t first = dpRank * rows; first < sequences; first += rows * config.parallel.dp)
        list.push_back({tokens.narrow(0, first, rows), targets.narrow(0, first, rows)});
    return list;
}

struct Gradients {
    std::map<std::string, at::Tensor> sums;  // over dp, of weights that every rank holds
    std::map<std::string, double> targets;   // of the routers' biases
};

Gradients run(const RunConfig& config, std::int64_t sequences, std::int64_t kept, const StepOptions& options) {
    Gradients result;
    runInProcess(config.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
        Model model(config, mesh, at::kCPU);
        allocateMainGrads(model.parameters(), at::kDouble);
        const std::vector<MicroBatch> local = batches(config, sequences, kept, mesh.at.dp);
        PipelineExecutor executor(model, mesh,
                                  *makeSchedule(ScheduleKind::OneFOneB, 1, static_cast<std::int64_t>(local.size()), 1));
        executor.step(local, options);
        for (const Parameter* p : model.parameters()) {
            at::Tensor sum = p->mainGrad;
            (p->isExpert ? *mesh.edp : *mesh.dp).allReduce(sum, ReduceOp::Sum)->wait();
            if (rank != 0) continue;
            result.sums[p->shard.name] = sum;
            if (p->balanceRate > 0) result.targets[p->shard.name] = p->balanceTarget;
        }
    });
    return result;
}

// Where both hold a weight: rank 0 of expert parallelism has only its own experts.
void same(const Gradients& a, const Gradients& b, double scale, bool withCounts) {
    for (const auto& [name, gradient] : a.sums) {
        const bool counts = name.ends_with("e_score_correction_bias");
        if (counts && !withCounts) continue;
        const at::Tensor expected = b.sums.at(name) * (counts ? 1 : scale);
        const double apart = (gradient - expected).norm().item<double>() / (expected.norm().item<double>() + 1e-9);
        QVERIFY2(apart < 1e-12, (name + " " + std::to_string(apart)).c_str());
    }
}

}  // namespace

Q_DECLARE_METATYPE(RouterScore)

class TstExpertBatches : public QObject {
    Q_OBJECT
    void addLayouts() {
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("ep");
        QTest::addColumn<int>("microBatch");
        QTest::addColumn<RouterScore>("score");
        QTest::newRow("one process") << 1 << 1 << 1 << RouterScore::Softmax;
        QTest::newRow("pairs") << 1 << 1 << 2 << RouterScore::Sigmoid;
        QTest::newRow("dp 2") << 2 << 1 << 1 << RouterScore::Sigmoid;
        QTest::newRow("dp 2, ep 2, pairs") << 2 << 2 << 2 << RouterScore::Softmax;
    }
    /// The row's layout of a run whose whole batch has 12 sequences, and one process whose batch has so many.
    static RunConfig layout() {
        QFETCH(int, dp);
        QFETCH(int, ep);
        QFETCH(int, microBatch);
        QFETCH(RouterScore, score);
        RunConfig config = experts(12, microBatch, score);
        config.parallel.dp = dp;
        config.parallel.ep = ep;
        return config;
    }
    static RunConfig plain(std::int64_t globalBatch) {
        QFETCH(RouterScore, score);
        return experts(globalBatch, 1, score);
    }

private slots:
    // A step of 4 sequences of a run whose whole batch has 12 is a step of a run whose batch has 4.
    void ramp_data() { addLayouts(); }
    void ramp() {
        const RunConfig config = layout();
        const Gradients part = run(config, 4, 4, {});
        const Gradients whole = run(plain(4), 4, 4, {});
        same(part, whole, 1, true);
        QCOMPARE(part.targets.size(), std::size_t{2});
        QVERIFY(part.targets == whole.targets);
        // top_k x 4 sequences x 8 tokens over 4 experts
        const double expected = static_cast<double>(config.model.moe->topK) * 4 * 8 / 4;
        QCOMPARE(part.targets.begin()->second, expected);
    }
    // Sequences that only fill the micro-batches up count in no loss.
    void leftOut_data() { addLayouts(); }
    void leftOut() {
        for (const std::int64_t kept : {2, 3}) {
            StepOptions options;
            options.numSequences = kept;
            same(run(layout(), 4, kept, options), run(plain(kept), kept, kept, {}), 1, false);
        }
    }
    // All but the counts of tokens comes times the loss scale.
    void scaled_data() { addLayouts(); }
    void scaled() {
        StepOptions options;
        options.lossScale = 3;
        same(run(layout(), 12, 12, options), run(plain(12), 12, 12, {}), 3, true);
    }
};
SLIPWAY_TEST(TstExpertBatches)
#include "tst_expert_batches.moc"
