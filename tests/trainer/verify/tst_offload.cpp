// Offload moves bytes and changes none: the same bits as without, whatever the layout; and the device's memory falls.
#include "tests/trainer/verify/expert_cases.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/pipeline/executor.h"
#include "trainer/telemetry/tensor_memory.h"
#include "trainer/verify/verify.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/randint.h>

#include <cstdlib>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

namespace {

std::vector<RankRun> runAll(const RunConfig& config) {
    const RunConfig verified = verifiedConfig(config, /*asOneProcess=*/false);
    std::vector<RankRun> ranks(static_cast<std::size_t>(verified.parallel.worldSize()));
    runInProcess(verified.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(verified.parallel, rank, world.maker(rank));
        ranks[static_cast<std::size_t>(rank)] = runRank(verified, mesh, {3, 0.1, Bug::None});
    });
    return ranks;
}

bool samePieces(const std::vector<Piece>& a, const std::vector<Piece>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].shard.name != b[i].shard.name || !at::equal(a[i].values, b[i].values)) return false;
    return true;
}

bool sameBits(const std::vector<RankRun>& a, const std::vector<RankRun>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].losses != b[i].losses || a[i].gradNorms != b[i].gradNorms ||
            !samePieces(a[i].gradients, b[i].gradients) || !samePieces(a[i].weights, b[i].weights))
            return false;
    return a.size() == b.size();
}

RunConfig pointConfig(ParallelLayout layout, std::int64_t numMicroBatches, const ExtraAxes& extra = {}) {
    return configOf({std::move(layout), numMicroBatches}, extra);
}

RunConfig pipelined(ScheduleKind kind, std::int64_t virtualStages, std::int64_t numMicroBatches) {
    ParallelLayout layout;
    layout.pp = 2;
    layout.schedule = kind;
    layout.virtualStages = virtualStages;
    ExtraAxes extra;
    extra.value[1] = extra.value[2] = 1;
    return pointConfig(layout, numMicroBatches, extra);
}

/// Peaks of one rank's step on both sides of the account, less what stood before it.
struct Peaks {
    std::int64_t device = 0, host = 0, saved = 0;
};

Peaks peaksOf(std::int64_t numLayers, Offload offload, RecomputePolicy recompute = RecomputePolicy::None) {
    RunConfig c;
    c.model.numLayers = numLayers;
    c.model.hiddenSize = 64;
    c.model.ffnHiddenSize = 160;
    c.model.numHeads = 4;
    c.model.vocabSize = 32;
    c.train.seqLen = c.model.maxSeqLen = 64;
    c.train.microBatchSize = 2;
    c.train.globalBatchSize = 4;
    c.train.recompute.policy = recompute;
    c.parallel.offload = offload;
    Peaks peaks;
    runInProcess(1, [&](std::int64_t rank, InProcessWorld& world) {
        TensorMemory& device = TensorMemory::useOwnInThisThread();
        TensorMemory& host = TensorMemory::host();
        const ProcessMesh mesh = makeMesh(c.parallel, rank, world.maker(rank));
        Model model(c, mesh, at::kCPU);
        allocateMainGrads(model.parameters(), at::kFloat);
        PipelineExecutor executor(model, mesh, *makeSchedule(ScheduleKind::OneFOneB, 1, 2, 1));
        const auto ids = [&] { return at::randint(32, {2, 64}, at::TensorOptions().dtype(at::kLong)); };
        const std::vector<MicroBatch> batch{{ids(), ids()}, {ids(), ids()}};
        device.resetPeak();
        host.resetPeak();
        const std::int64_t deviceBefore = device.bytes(), hostBefore = host.bytes();
        const StepOutcome outcome = executor.step(batch);
        peaks = {device.peakBytes() - deviceBefore, host.peakBytes() - hostBefore, outcome.savedPeakBytes};
        if (host.bytes() != hostBefore) peaks.host = -1;  // all came back
    });
    return peaks;
}

}  // namespace

class TstOffload : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTensorMemory(); }

    void changesNoBit_data() {
        QTest::addColumn<int>("index");
        const auto add = [&](const char* name, RunConfig config) {
            QTest::newRow(name) << static_cast<int>(m_configs.size());
            m_configs.push_back(std::move(config));
        };
        ParallelLayout one, split, cut, zero;
        split.tp = 2;
        split.sequenceParallel = true;
        cut.cp = 2;
        zero.dp = 2;
        zero.zeroStage = 3;
        ExtraAxes full, selective, gpt2;
        full.value[4] = selective.value[11] = 1;
        gpt2.value[0] = gpt2.value[9] = gpt2.value[1] = 1;
        add("one process", pointConfig(one, 2));
        add("full recomputation", pointConfig(one, 2, full));
        add("selective recomputation", pointConfig(one, 2, selective));
        add("gpt2, packed documents", pointConfig(one, 2, gpt2));
        add("tensor parallel", pointConfig(split, 2));
        add("context ring", pointConfig(cut, 2));
        cut.cpKind = CpKind::Ulysses;
        add("ulysses", pointConfig(cut, 2));
        add("zero 3", pointConfig(zero, 2));
        zero.zeroStage = 1;
        add("zero 1", pointConfig(zero, 2));
        add("1f1b", pipelined(ScheduleKind::OneFOneB, 1, 5));
        add("afab", pipelined(ScheduleKind::Afab, 1, 3));
        add("interleaved", pipelined(ScheduleKind::InterleavedOneFOneB, 2, 4));
        add("zb_h1", pipelined(ScheduleKind::ZbH1, 1, 5));
        add("zb_v", pipelined(ScheduleKind::ZbV, 2, 4));
        add("dualpipe", pipelined(ScheduleKind::DualPipe, 1, 4));
        add("dualpipe_v", pipelined(ScheduleKind::DualPipeV, 2, 4));
        const std::vector<LayoutCase> experts = expertCases();
        for (const std::size_t i : {std::size_t{5}, std::size_t{21}, experts.size() - 2}) {
            RunConfig config = experts[i].config;
            config.parallel.asyncTp = false;
            add(experts[i].name.c_str(), config);
        }
    }
    void changesNoBit() {
        QFETCH(int, index);
        RunConfig config = m_configs[static_cast<std::size_t>(index)];
        config.parallel.offload = Offload::None;
        const std::vector<RankRun> plain = runAll(config);
        for (const Offload offload : {Offload::Optimizer, Offload::Activations, Offload::All}) {
            config.parallel.offload = offload;
            const auto legal = checkVerifiable(config);
            QVERIFY2(legal, legal ? "" : legal.error().text().c_str());
            QVERIFY2(sameBits(runAll(config), plain), std::string(wordOf(offload)).c_str());
        }
    }

    // Without offload activations grow with the layers; with it two layers of one micro-batch stand on the device, and
    // the rest on the host.
    void activationsLeaveTheDevice() {
        const Peaks six = peaksOf(6, Offload::None), twelve = peaksOf(12, Offload::None);
        const Peaks sixAway = peaksOf(6, Offload::Activations), twelveAway = peaksOf(12, Offload::Activations);
        QCOMPARE(six.host, std::int64_t{0});
        const std::int64_t perLayer = (twelve.device - six.device) / 6;
        QVERIFY(perLayer > 100000);
        QVERIFY(std::abs(twelveAway.device - sixAway.device) < perLayer / 50);
        QVERIFY(twelve.device - twelveAway.device > 9 * perLayer);
        QVERIFY(twelveAway.host >= twelve.device - six.device);
        QVERIFY(std::abs(twelveAway.host - 2 * sixAway.host) < perLayer / 50);
        QVERIFY(twelveAway.saved < twelve.saved / 10);
        // With full recomputation the blocks' inputs alone go and come.
        const Peaks again = peaksOf(12, Offload::None, RecomputePolicy::Full);
        const Peaks againAway = peaksOf(12, Offload::Activations, RecomputePolicy::Full);
        QVERIFY(againAway.device < again.device - 9 * std::int64_t{64 * 2 * 64 * 4});
        QCOMPARE(againAway.host, std::int64_t{12} * 64 * 2 * 64 * 4);
    }

    // A plain run on a CPU has nothing to gain and is refused; a verification walks the path.
    void refusedWhereItDoesNothing() {
        RunConfig config = pointConfig({}, 1);
        config.parallel.offload = Offload::All;
        QCOMPARE(trainerSupports(config).size(), std::size_t{1});
        QVERIFY(QString::fromStdString(trainerSupports(config).front().message)
                    .contains("no effect with train.device = cpu"));
        const auto report = verifyLayout(config, {2, Bug::None});
        QVERIFY(report && report->passed());
        config.train.device = DeviceKind::Gpu;
        QVERIFY(trainerSupports(config).empty());
    }

private:
    std::vector<RunConfig> m_configs;
};
SLIPWAY_TEST(TstOffload)
#include "tst_offload.moc"
