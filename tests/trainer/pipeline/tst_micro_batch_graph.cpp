#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Micro-batches repeated from a graph (train.cuda_graphs): bit for bit the step without one. A graph of this CPU
// repeats by calling.
#include "tests/support/slipway_test.h"
#include "tests/trainer/small_run.h"
#include "trainer/pipeline/executor.h"
#include "trainer/telemetry/tensor_memory.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/full.h>

#include <cmath>
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

Steps stepsOf(const RunConfig& config, const std::vector<std::vector<MicroBatch>>& all, GraphMaker graphs) {
    const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
    Model model(config, mesh, at::kCPU);
    allocateMainGrads(model.parameters(), at::kDouble);
    PipelineExecutor executor(model, mesh, *makeSchedule(config.parallel.schedule, 1, kMicroBatches, 1),
                              std::move(graphs));
    int ready = 0;
    for (Parameter* p : model.parameters()) p->onGradReady = [&ready] { ++ready; };
    Steps result;
    for (const std::vector<MicroBatch>& step : all) {
        for (Parameter* p : model.parameters()) p->mainGrad.zero_();
        ready = 0;
        result.losses.push_back(executor.step(step).loss);
        if (ready != static_cast<int>(model.parameters().size())) return {};
        for (Parameter* p : model.parameters()) result.gradients.push_back(p->mainGrad.clone());
    }
    return result;
}

// @param ignored targets without a loss, per step
Steps steps(const RunConfig& config, const std::vector<std::int64_t>& ignored, GraphMaker graphs) {
    std::vector<std::vector<MicroBatch>> all;
    for (const std::int64_t count : ignored) all.push_back(batches(config, all.size(), count));
    return stepsOf(config, all, std::move(graphs));
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
        // The first step is queued kernel by kernel; the second captures, and each repeats all but its first and last
        // micro-batch. One more is the check.
        QCOMPARE(calls.captures, 1);
        QCOMPARE(calls.replays, 1 + 3 * static_cast<int>(kMicroBatches - 2));
    }

    // Another number of valid tokens is another loss scale: such steps go without, and a scale that stays is captured
    // anew.
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

    // Micro-batches of another shape do not fit the graph's tokens, whatever their loss scale: it is captured anew.
    void otherShapes() {
        const RunConfig narrow = small(ScheduleKind::OneFOneB);
        RunConfig wide = narrow;
        wide.train.microBatchSize = 2;
        wide.train.globalBatchSize = 2 * kMicroBatches;
        const std::vector<MicroBatch> oneRow = randomBatches(narrow, 1);
        std::vector<MicroBatch> twoRows = randomBatches(wide, 2);
        for (MicroBatch& batch : twoRows) batch.targets.select(0, 1).fill_(-1);  // as many valid tokens
        const std::vector<std::vector<MicroBatch>> all{twoRows, twoRows, oneRow, oneRow};
        Calls calls;
        const GraphMaker maker = [&] { return std::make_unique<CallingGraph>(calls); };
        QVERIFY(same(stepsOf(wide, all, maker), stepsOf(wide, all, {})));
        QCOMPARE(calls.captures, 2);
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

    void whatIsWrong_data() {
        QTest::addColumn<QList<double>>("again");
        QTest::addColumn<QList<double>>("graph");
        QTest::addColumn<int>("wrong");
        // Once they are 5 (the loss), 100, 1 and 1e-6: the last stands for a gradient that is zero but for rounding.
        const QList<double> once{5, 100, 1, 1e-6};
        QTest::newRow("alike") << once << once << -1;
        QTest::newRow("steady passes, another digit") << once << QList<double>{5, 100, 1 + 1e-12, 1e-6} << 2;
        const QList<double> again{5, 100.1, 1, 3e-6};
        QTest::newRow("as far as the passes") << again << QList<double>{5, 99.9, 1, -1e-6} << -1;
        QTest::newRow("alike twice by chance") << again << QList<double>{5, 100, 1.001, 1e-6} << -1;
        QTest::newRow("too far") << again << QList<double>{5, 102, 1, 1e-6} << 1;
        QTest::newRow("too far where both runs are alike") << again << QList<double>{5, 100, 1.1, 1e-6} << 2;
        QTest::newRow("too far for a small one") << again << QList<double>{5, 100, 1, 1e-4} << 3;
        QTest::newRow("another loss") << again << QList<double>{6, 100, 1, 1e-6} << 0;
        QTest::newRow("no number") << again << QList<double>{5, qQNaN(), 1, 1e-6} << 1;
    }
    void whatIsWrong() {
        QFETCH(QList<double>, again);
        QFETCH(QList<double>, graph);
        QFETCH(int, wrong);
        const auto results = [](const QList<double>& values) {
            Results list;
            for (const double value : values) list.push_back(at::full({1}, value, at::kDouble));
            return list;
        };
        const Results once = results({5, 100, 1, 1e-6});
        const auto found = firstWrong(differences(once, results(again)), differences(once, results(graph)));
        QCOMPARE(found ? static_cast<int>(*found) : -1, wrong);
    }

    // Over several pieces, in any format, a bit in the last element counts, and NaN is itself.
    void whatDiffers() {
        at::Tensor was = at::full({(std::int64_t{1} << 22) + 3}, 2, at::kBFloat16), is = was.clone();
        was[5] = is[5] = qQNaN();
        QVERIFY(differences({was}, {is}).front().same);
        was[5] = is[5] = 2;
        is[-1] = -2;
        const Difference found = differences({was}, {is}).front();
        QVERIFY(!found.same);
        QCOMPARE(found.apart, 4.0);
        QCOMPARE(found.length, 2 * std::sqrt(static_cast<double>(was.numel())));
        is[-1] = 2;
        was[0] = 0.0;
        is[0] = -0.0;  // no distance, but another bit
        QVERIFY(!differences({was}, {is}).front().same);
    }

    // The check of a capture keeps one copy of the gradients.
    void checkKeepsOneCopy() {
        installTensorMemory();
        const RunConfig config = small(ScheduleKind::OneFOneB);
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Model model(config, mesh, at::kCPU);
        allocateMainGrads(model.parameters(), at::kDouble);
        std::int64_t gradientBytes = 0;
        for (const Parameter* p : model.parameters()) gradientBytes += static_cast<std::int64_t>(p->mainGrad.nbytes());
        std::int64_t atCapture = 0;
        // What is kept when the graph is captured, after two runs of the passes.
        class Watching final : public StepGraph {
        public:
            Watching(std::int64_t& bytes) : m_bytes(bytes) {}
            void capture(const std::function<void()>& body) override {
                m_bytes = TensorMemory::current().bytes();
                m_body = body;
            }
            void replay() override { m_body(); }

        private:
            std::int64_t& m_bytes;
            std::function<void()> m_body;
        };
        MicroBatchGraph graph(model, [&] { return std::make_unique<Watching>(atCapture); });
        const MicroBatch batch = batches(config, 0, 0)[1];
        const at::AutoDispatchBelowADInplaceOrView noAutograd;
        model.beginStep();
        QVERIFY(!graph.prepare(batch, 1));
        const std::int64_t before = TensorMemory::current().bytes();
        QVERIFY(graph.prepare(batch, 1));
        QVERIFY2(atCapture - before >= gradientBytes && atCapture - before < 3 * gradientBytes / 2,
                 qPrintable(QString("%1 of %2").arg(atCapture - before).arg(gradientBytes)));
        model.endStep();
        for (const Parameter* p : model.parameters()) QCOMPARE(p->mainGrad.abs().sum().item<double>(), 0.0);
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
