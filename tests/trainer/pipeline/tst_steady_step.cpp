#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// A step in the steady state: no operator reads a value back to the host, and no memory stays behind. The optimizer's
// kernels run on threads of this CPU (host_rows.h), so that the step is queued as on a GPU.
#include "tests/support/slipway_test.h"
#include "tests/trainer/kernels/host_rows.h"
#include "tests/trainer/small_run.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/optim/optimizer.h"
#include "trainer/pipeline/executor.h"
#include "trainer/telemetry/tensor_memory.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

struct Operators {
    int all = 0, readBacks = 0;
    std::string first;
};
Operators* g_operators = nullptr;

// Operators that must know a value before the host goes on.
bool readsBack(std::string_view name) {
    constexpr std::array kNames{"aten::_local_scalar_dense",
                                "aten::item",
                                "aten::nonzero",
                                "aten::masked_select",
                                "aten::is_nonzero",
                                "aten::equal",
                                "aten::unique2",
                                "aten::bincount",
                                "aten::repeat_interleave.Tensor"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Counts what operators this thread calls while it lives.
class Counting {
public:
    explicit Counting(Operators& operators) {
        g_operators = &operators;
        m_handle = at::addThreadLocalCallback(
            at::RecordFunctionCallback([](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
                ++g_operators->all;
                if (!readsBack(function.name())) return nullptr;
                if (g_operators->readBacks++ == 0) g_operators->first = function.name();
                return nullptr;
            }));
    }
    ~Counting() { at::removeCallback(m_handle); }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

private:
    at::CallbackHandle m_handle{};
};

RunConfig small() {
    RunConfig config = smallRun(3, 6);
    config.model.ffnHiddenSize = 32;
    config.train.microBatchSize = 2;
    config.train.precision = Precision::Fp32;
    return config;
}

/// One rank that trains.
struct Training {
    explicit Training(const RunConfig& given)
        : config(given),
          mesh(makeMesh(config.parallel, 0, nullptr)),
          model(config, mesh, at::kCPU),
          optimizer(config, mesh, model.parameters()),
          executor(model, mesh, *makeSchedule(ScheduleKind::OneFOneB, 1, config.numMicroBatches(), 1)),
          batch(raggedBatches(config, 1)) {}

    // Passes alone; the norm and the loss come back at the end of step().
    StepOutcome passes() {
        optimizer.gradients().zero();
        return executor.step(batch, {.leaveLoss = true});
    }
    double step() {
        const StepOutcome outcome = passes();
        optimizer.update(0.01, {}, 1, outcome.lossOnDevice);
        return outcome.lossOnDevice.item<double>();
    }

    RunConfig config;
    ProcessMesh mesh;
    Model model;
    Optimizer optimizer;
    PipelineExecutor executor;
    std::vector<MicroBatch> batch;
};

}  // namespace

class TstSteadyStep : public QObject {
    Q_OBJECT

    static void models() {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < 6; ++kind)
            QTest::newRow(std::array{"llama", "gpt2", "bf16", "full recompute", "selective",
                                     "documents"}[static_cast<std::size_t>(kind)])
                << kind;
    }
    static RunConfig configOf(int kind) {
        RunConfig config = small();
        if (kind == 1) config.model.family = Family::Gpt2;
        if (kind == 2) config.train.precision = Precision::Bf16;
        if (kind == 3) config.train.recompute.policy = RecomputePolicy::Full;
        if (kind == 4) config.train.recompute.policy = RecomputePolicy::Selective;
        if (kind == 5) config.data.documentEndId = 3;
        return config;
    }

private slots:
    void initTestCase() {
        installTensorMemory();
        at::set_num_threads(1);  // threads' own buffers come and go as they are scheduled
        hostRows().rows.onHost = true;
    }

    void readsNothingBack_data() { models(); }
    // The valid tokens are counted where the batch lies, on the host, before anything is queued: one number for each
    // micro-batch. Forward and backward passes and the update read nothing.
    void readsNothingBack() {
        QFETCH(int, kind);
        Training training(configOf(kind));
        training.step();
        Operators passes, update;
        StepOutcome outcome;
        {
            const Counting counting(passes);
            outcome = training.passes();
        }
        {
            const Counting counting(update);
            training.optimizer.update(0.01, {}, 1, outcome.lossOnDevice);
        }
        QVERIFY(passes.all > 100);
        // item() is two operators: itself and the read.
        QVERIFY2(passes.readBacks == 2 * training.config.numMicroBatches(),
                 qPrintable(QString("%1 of %2").arg(passes.readBacks).arg(passes.first.c_str())));
        QVERIFY2(update.readBacks == 0, update.first.c_str());
        QVERIFY(std::isnan(outcome.loss));
        QVERIFY(std::isfinite(outcome.lossOnDevice.item<double>()));
    }

    // Experts' rows are sent where their counts say: each dispatch reads the counts of its layer once, in the forward
    // pass.
    void expertsReadTheirCounts() {
        RunConfig config = small();
        config.model.moe = MoeSpec{};
        config.model.moe->numExperts = 4;
        config.model.moe->topK = 2;
        config.model.moe->expertFfnHiddenSize = 16;
        Training training(config);
        training.step();
        Operators passes;
        {
            const Counting counting(passes);
            static_cast<void>(training.passes());
        }
        const std::int64_t dispatches = config.model.numLayers * config.numMicroBatches();
        QVERIFY2(passes.readBacks == 2 * config.numMicroBatches() + dispatches,
                 qPrintable(QString("%1 of %2").arg(passes.readBacks).arg(passes.first.c_str())));
    }

    void sameLoss() {
        Training later(small()), now(small());
        const StepOutcome left = later.passes(), read = now.executor.step(now.batch);
        QCOMPARE(left.lossOnDevice.item<double>(), read.loss);
    }

    void keepsNothing_data() { models(); }
    // What a steady step allocates it gives back, and its peak does not grow.
    void keepsNothing() {
        QFETCH(int, kind);
        Training training(configOf(kind));
        TensorMemory& memory = TensorMemory::current();
        training.step();
        std::vector<std::int64_t> held, peaks;
        for (int step = 0; step < 3; ++step) {
            memory.resetPeak();
            training.step();
            held.push_back(memory.bytes());
            peaks.push_back(memory.peakBytes());
        }
        QVERIFY(peaks[0] > held[0]);
        for (std::size_t i = 1; i < 3; ++i) {
            QCOMPARE(held[i], held[0]);
            QVERIFY2(peaks[i] <= peaks[0], qPrintable(QString::number(peaks[i] - peaks[0])));
        }
    }

    void savedBytesAreInMemory_data() { models(); }
    // What is saved for the backward passes is no more than the step took, with every forward pass before the first of
    // them.
    void savedBytesAreInMemory() {
        QFETCH(int, kind);
        Training training(configOf(kind));
        training.step();
        PipelineSchedule schedule = *makeSchedule(ScheduleKind::OneFOneB, 1, training.config.numMicroBatches(), 1);
        std::stable_partition(schedule.ranks[0].begin(), schedule.ranks[0].end(),
                              [](const ScheduleAction& action) { return action.kind == ActionKind::Forward; });
        PipelineExecutor executor(training.model, training.mesh, schedule);
        TensorMemory& memory = TensorMemory::current();
        const std::int64_t before = memory.bytes();
        memory.resetPeak();
        const StepOutcome outcome = executor.step(training.batch, {.leaveLoss = true});
        const std::int64_t taken = memory.peakBytes() - before;
        QVERIFY2(outcome.savedPeakBytes <= taken,
                 qPrintable(QString("%1 of %2").arg(outcome.savedPeakBytes).arg(taken)));
        QVERIFY(outcome.savedPeakBytes > 0);
    }

    // What the turn of a V hands over on its rank goes with the pass that takes it: one micro-batch after the other,
    // the peak is that of one.
    void handedOverIsNotKept() {
        const auto peak = [](std::int64_t numMicroBatches) {
            RunConfig config = smallRun(4, numMicroBatches);
            config.parallel.pp = 2;
            config.parallel.schedule = ScheduleKind::ZbV;
            config.parallel.virtualStages = 2;
            PipelineSchedule schedule = *makeSchedule(ScheduleKind::ZbV, 2, numMicroBatches, 2);
            using enum ActionKind;
            for (auto& actions : schedule.ranks) actions.clear();
            for (std::int64_t m = 0; m < numMicroBatches; ++m) {
                schedule.ranks[0].insert(schedule.ranks[0].end(), {{Forward, m, 0},
                                                                   {SendForward, m, 0},
                                                                   {RecvForward, m, 1},
                                                                   {Forward, m, 1},
                                                                   {BackwardFull, m, 1},
                                                                   {SendBackward, m, 1},
                                                                   {RecvBackward, m, 0},
                                                                   {BackwardFull, m, 0}});
                schedule.ranks[1].insert(schedule.ranks[1].end(), {{RecvForward, m, 0},
                                                                   {Forward, m, 0},
                                                                   {Forward, m, 1},
                                                                   {SendForward, m, 1},
                                                                   {RecvBackward, m, 1},
                                                                   {BackwardFull, m, 1},
                                                                   {BackwardFull, m, 0},
                                                                   {SendBackward, m, 0}});
            }
            std::int64_t most = 0;
            runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
                TensorMemory& memory = TensorMemory::useOwnInThisThread();
                const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
                Model model(config, mesh, at::kCPU);
                allocateMainGrads(model.parameters(), at::kDouble);
                PipelineExecutor executor(model, mesh, schedule);
                const std::vector<MicroBatch> batch = randomBatches(config, 1);
                const std::int64_t before = memory.bytes();
                memory.resetPeak();
                static_cast<void>(executor.step(batch));
                if (rank == 1) most = memory.peakBytes() - before;
            });
            return most;
        };
        QCOMPARE(peak(6), peak(2));
    }
};

SLIPWAY_TEST(TstSteadyStep)
#include "tst_steady_step.moc"
