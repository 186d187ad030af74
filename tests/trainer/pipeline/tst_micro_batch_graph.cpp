#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Micro-batches repeated from a graph (train.cuda_graphs): bit for bit the step without one. A graph of this CPU repeats by calling.
#include "tests/support/slipway_test.h"
#include "tests/trainer/small_run.h"
#include "trainer/pipeline/executor.h"

#include <ATen/TensorOperators.h>

#include <utility>
#include <vector>

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

constexpr std::int64_t kMicroBatches = 5;

struct Calls {
    int captures = 0, replays = 0;
    bool twice = false;  ///< a graph that repeats too much
};

class CallingGraph final : public StepGraph {
public:
    explicit CallingGraph(Calls& calls) : m_calls(calls) {}
    void capture(const std::function<void()>& body) override {
        m_body = body;
        ++m_calls.captures;
    }
    void replay() override {
        ++m_calls.replays;
        m_body();
        if (m_calls.twice) m_body();
    }

private:
    Calls& m_calls;
    std::function<void()> m_body;
};

RunConfig small(ScheduleKind kind) {
    RunConfig config = smallRun(2, kMicroBatches);
    config.parallel.schedule = kind;
    return config;
}

// Other tokens in each step; `ignored` targets have no loss.
std::vector<MicroBatch> batches(const RunConfig& config, std::uint64_t step, std::int64_t ignored) {
    std::vector<MicroBatch> list = randomBatches(config, step);
    list[2].targets.narrow(1, 0, ignored).fill_(-1);
    return list;
}

struct Steps {
    std::vector<double> losses;
    std::vector<at::Tensor> gradients;  // of all steps
};

// @param ignored targets without a loss, per step
Steps steps(const RunConfig& config, const std::vector<std::int64_t>& ignored, GraphMaker graphs) {
    const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
    Model model(config, mesh, at::kCPU);
    allocateMainGrads(model.parameters(), at::kDouble);
    PipelineExecutor executor(model, mesh, *makeSchedule(config.parallel.schedule, 1, kMicroBatches, 1),
                              std::move(graphs));
    int ready = 0;
    for (Parameter* p : model.parameters()) p->onGradReady = [&ready] { ++ready; };
    Steps result;
    for (std::size_t step = 0; step < ignored.size(); ++step) {
        for (Parameter* p : model.parameters()) p->mainGrad.zero_();
        ready = 0;
        result.losses.push_back(executor.step(batches(config, step, ignored[step])).loss);
        if (ready != static_cast<int>(model.parameters().size())) return {};
        for (Parameter* p : model.parameters()) result.gradients.push_back(p->mainGrad.clone());
    }
    return result;
}

bool same(const Steps& a, const Steps& b) {
    if (a.losses != b.losses || a.losses.empty() || a.gradients.size() != b.gradients.size()) return false;
    for (std::size_t i = 0; i < a.gradients.size(); ++i)
        if (!a.gradients[i].equal(b.gradients[i])) return false;
    return true;
}

}  // namespace

class TstMicroBatchGraph : public QObject {
    Q_OBJECT
private slots:
    void sameBits_data() {
        QTest::addColumn<int>("schedule");
        for (const ScheduleKind kind : {ScheduleKind::Afab, ScheduleKind::OneFOneB})
            QTest::newRow(wordOf(kind).data()) << static_cast<int>(kind);
    }
    void sameBits() {
        QFETCH(int, schedule);
        const RunConfig config = small(static_cast<ScheduleKind>(schedule));
        Calls calls;
        const GraphMaker maker = [&] { return std::make_unique<CallingGraph>(calls); };
        const std::vector<std::int64_t> all(4, 0);
        QVERIFY(same(steps(config, all, maker), steps(config, all, {})));
        // The first step is queued kernel by kernel; the second captures, and each repeats all but its first and last micro-batch. One more
        // is the check.
        QCOMPARE(calls.captures, 1);
        QCOMPARE(calls.replays, 1 + 3 * static_cast<int>(kMicroBatches - 2));
    }

    // Another number of valid tokens is another loss scale: such steps go without, and a scale that stays is captured anew.
    void changingScales() {
        const RunConfig config = small(ScheduleKind::OneFOneB);
        Calls calls;
        const GraphMaker maker = [&] { return std::make_unique<CallingGraph>(calls); };
        const std::vector<std::int64_t> ignored{0, 1, 2, 2, 2, 3, 2};
        QVERIFY(same(steps(config, ignored, maker), steps(config, ignored, {})));
        QCOMPARE(calls.captures, 1);
        // Steps 3, 4 and the last, whose scale the graph still has.
        QCOMPARE(calls.replays, 1 + 3 * static_cast<int>(kMicroBatches - 2));
    }

    void otherGradientsAreRefused() {
        Calls calls;
        calls.twice = true;
        const GraphMaker maker = [&] { return std::make_unique<CallingGraph>(calls); };
        std::string said;
        try {
            static_cast<void>(steps(small(ScheduleKind::OneFOneB), {0, 0}, maker));
        } catch (const GraphMismatch& mismatch) {
            said = mismatch.what();
        }
        QVERIFY2(said.find("another loss") != std::string::npos, said.c_str());
    }

    void fewMicroBatchesGoWithout() {
        RunConfig config = small(ScheduleKind::OneFOneB);
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Model model(config, mesh, at::kCPU);
        allocateMainGrads(model.parameters(), at::kDouble);
        Calls calls;
        PipelineExecutor executor(model, mesh, *makeSchedule(ScheduleKind::OneFOneB, 1, 2, 1),
                                  [&] { return std::make_unique<CallingGraph>(calls); });
        std::vector<MicroBatch> two = batches(config, 1, 0);
        two.resize(2);
        for (int step = 0; step < 3; ++step) static_cast<void>(executor.step(two));
        QCOMPARE(calls.captures, 0);
    }
};

SLIPWAY_TEST(TstMicroBatchGraph)
#include "tst_micro_batch_graph.moc"
