// A disk that stands still for longer than a hang takes: while a checkpoint begins, ends or is read again, the
// watchdogs of all ranks wait for it.
// In a step they do not.
#include "trainer/loop/train_rank.h"
#include "trainer/telemetry/watchdog.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/trainer/loop/trainer_runs.h"

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

namespace {

enum class Told { Text, Gradients };

/// Tells of every exchange of texts (its lengths are whole numbers) and every sum before it begins; all else is the
/// group's own.
class ToldGroup final : public ProcessGroup {
public:
    ToldGroup(std::unique_ptr<ProcessGroup> group, std::function<void(Told)> tell)
        : m_group(std::move(group)), m_tell(std::move(tell)) {}
    [[nodiscard]] int rank() const override { return m_group->rank(); }
    [[nodiscard]] int size() const override { return m_group->size(); }
    [[nodiscard]] const std::string& name() const override { return m_group->name(); }
    CommWork allReduce(at::Tensor& tensor, ReduceOp op) override {
        m_tell(Told::Gradients);
        return m_group->allReduce(tensor, op);
    }
    CommWork allGather(at::Tensor& out, const at::Tensor& in) override {
        if (in.scalar_type() == at::kLong) m_tell(Told::Text);
        return m_group->allGather(out, in);
    }
    CommWork reduceScatter(at::Tensor& out, const at::Tensor& in) override { return m_group->reduceScatter(out, in); }
    CommWork allToAllV(at::Tensor& out, const at::Tensor& in, const std::vector<std::int64_t>& outSplits,
                       const std::vector<std::int64_t>& inSplits) override {
        return m_group->allToAllV(out, in, outSplits, inSplits);
    }
    CommWork broadcast(at::Tensor& tensor, int root) override { return m_group->broadcast(tensor, root); }
    CommWork send(const at::Tensor& tensor, int to, int tag) override { return m_group->send(tensor, to, tag); }
    CommWork recv(at::Tensor& tensor, int from, int tag) override { return m_group->recv(tensor, from, tag); }
    void barrier() override { m_group->barrier(); }
    [[nodiscard]] CommCounters counters() const override { return m_group->counters(); }

private:
    std::unique_ptr<ProcessGroup> m_group;
    std::function<void(Told)> m_tell;
};

constexpr double kHangSeconds = 3;

enum class Where { Begin, Finish, Rewind, Step };

/// Stands still once, in rank 0, where a checkpoint of step 1 begins, ends, or is read again, or in the step behind it.
class Stall {
public:
    Stall(const TrainerRun& run, Where where) : m_run(run), m_where(where) {}

    void operator()(Told told) {
        if (m_seconds > 0 || told != (m_where == Where::Step ? Told::Gradients : Told::Text) || !isThere()) return;
        // As long as a watchdog that is not told needs, two looks of it, and half of that again.
        std::vector<double> steps;
        for (const auto& [step, seconds] : m_run.metric("step_seconds")) steps.push_back(seconds);
        m_seconds = 1.5 * hangLimitSeconds(steps, kHangSeconds) + 2;
        std::this_thread::sleep_for(std::chrono::duration<double>(m_seconds));
    }
    [[nodiscard]] double seconds() const { return m_seconds; }

private:
    bool isThere() {
        if (m_run.lastStep() != 1) return false;
        const auto has = [&](const char* file) { return std::filesystem::exists(m_run.dir.checkpoint(1) / file); };
        const bool isSealed = has("manifest.json"), isWritten = has("rank_00000.safetensors");
        switch (m_where) {
            case Where::Begin: return !isSealed && !isWritten;
            case Where::Finish: return !isSealed && isWritten;
            // Behind the texts with which the ranks agree that the checkpoint counts.
            case Where::Rewind: return isSealed && ++m_textsSinceSealed == 2;
            case Where::Step: return isSealed;
        }
        return false;
    }

    const TrainerRun& m_run;
    Where m_where;
    int m_textsSinceSealed = 0;
    double m_seconds = 0;
};

}  // namespace

class TstDiskStall : public QObject {
    Q_OBJECT
private slots:
    void isHang_data() {
        QTest::addColumn<int>("where");
        QTest::addColumn<bool>("isHang");
        QTest::newRow("a checkpoint begins") << static_cast<int>(Where::Begin) << false;
        QTest::newRow("a checkpoint ends") << static_cast<int>(Where::Finish) << false;
        QTest::newRow("a checkpoint is read again") << static_cast<int>(Where::Rewind) << false;
        QTest::newRow("a step") << static_cast<int>(Where::Step) << true;
    }
    void isHang() {
        QFETCH(int, where);
        QFETCH(bool, isHang);
        RunConfig config = tinyRun(2);
        config.parallel.dp = 2;
        config.checkpoint.everySteps = 1;
        config.checkpoint.background = false;
        if (static_cast<Where>(where) == Where::Rewind) {
            config.train.spikes.policy = SpikePolicy::RewindAndSkip;
            config.train.spikes.gradNormLimit = 1e-9;
        }
        const TrainerRun run(config);
        Stall stall(run, static_cast<Where>(where));
        TrainOptions options;
        options.hangSeconds = kHangSeconds;
        const std::atomic<bool> stop{false};
        std::mutex mutex;
        std::vector<std::string> hangs;
        std::vector<TrainerExit> ends;
        runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
            RankEnvironment environment;
            environment.rank = rank;
            environment.worldSize = 2;
            const auto activity = std::make_shared<CommActivity>();
            GroupMaker maker = world.maker(rank, activity);
            if (rank == 0)
                maker = [&stall, make = std::move(maker)](const std::string& name,
                                                          const std::vector<std::int64_t>& ranks) {
                    std::unique_ptr<ProcessGroup> group = make(name, ranks);
                    if (name != "world" && name != "dp") return group;
                    return std::unique_ptr<ProcessGroup>(
                        std::make_unique<ToldGroup>(std::move(group), [&](Told told) { stall(told); }));
                };
            const RankSetup setup{options,
                                  run.config,
                                  run.dir,
                                  run.temp.path() / "corpora" / "tiny.tok",
                                  environment,
                                  maker,
                                  activity,
                                  nullptr,
                                  [&](const RankError& error) {
                                      const std::lock_guard lock(mutex);
                                      hangs.push_back(error.message);
                                  },
                                  stop};
            const Result<TrainerExit> outcome = trainRank(setup);
            if (!outcome) qFatal("%s", outcome.error().message.c_str());
            const std::lock_guard lock(mutex);
            ends.push_back(*outcome);
        });
        QVERIFY(stall.seconds() > kHangSeconds);
        QVERIFY2(hangs.empty() != isHang, hangs.empty() ? "no hang" : hangs.front().c_str());
        QCOMPARE(ends, (std::vector<TrainerExit>{TrainerExit::Completed, TrainerExit::Completed}));
        if (isHang) return;
        // It is what the next step says that the checkpoint cost.
        double reported = 0;
        for (const Json& line : run.lines())
            if (line.at("kind") == "step") reported += line.at("values").value("checkpoint_seconds", 0.0);
        QVERIFY2(reported >= stall.seconds(), qPrintable(QString("%1 of %2").arg(reported).arg(stall.seconds())));
    }
};

SLIPWAY_TEST(TstDiskStall)
#include "tst_disk_stall.moc"
