// An array whose runs are copied to a login node before it is submitted: some are late, some never arrive.
#include "core/launch/slurm_queue.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

using namespace slipway;

namespace {

/// Answers each command at once; keeps what it was told.
class RecordingDoor : public SlurmDoor {
public:
    struct Told {
        std::vector<std::string> commands, scripts, folders;
        int failures = 0;  // of writing
    };
    explicit RecordingDoor(std::shared_ptr<Told> told) : m_told(std::move(told)) {}

    std::uint64_t run(const std::vector<std::string>& arguments) override {
        m_told->commands.push_back(arguments.front());
        return answer(arguments.front() == "sbatch" ? "570\n" : "", 0);
    }
    std::uint64_t write(const std::filesystem::path& folder, const std::string& /*run*/, const std::string& /*name*/,
                        const std::string& text) override {
        const bool isLost = m_told->failures > 0;
        if (isLost) --m_told->failures;
        m_told->folders.push_back(folder.string());
        m_told->scripts.push_back(text);
        return answer("", isLost ? 1 : 0);
    }
    std::vector<SlurmAnswer> poll(double /*now*/) override { return std::exchange(m_ready, {}); }

private:
    std::uint64_t answer(const std::string& output, int code) {
        SlurmAnswer answer;
        answer.command = ++m_last;
        answer.exitCode = code;
        answer.isLost = code != 0;
        answer.output = output;
        m_ready.push_back(answer);
        return m_last;
    }

    std::shared_ptr<Told> m_told;
    std::uint64_t m_last = 0;
    std::vector<SlurmAnswer> m_ready;
};

SlurmElement elementIn(const std::string& folder) {
    SlurmElement element;
    element.plan.runId = "r";
    element.plan.nodes.resize(1);
    element.plan.nodes.front().ranks.resize(1);
    if (!folder.empty()) element.folder = RunDir{folder};
    element.agent = "/agent";
    return element;
}

struct Queue {
    std::shared_ptr<RecordingDoor::Told> told = std::make_shared<RecordingDoor::Told>();
    SlurmQueue queue{std::make_unique<RecordingDoor>(told), "/nowhere", "login"};
    double now = 0;

    void pollFor(double seconds) {
        for (const double until = now + seconds; now < until; now += 1) queue.poll(now);
    }
};

}  // namespace

class TstSlurmQueue : public QObject {
    Q_OBJECT

private slots:
    void waitsForAllOfItsRuns() {
        Queue at;
        at.queue.open("slipway-s-k1", 2);
        std::vector<std::uint64_t> commands;
        for (int i = 0; i < 3; ++i) commands.push_back(at.queue.add(elementIn(""), {}));
        QCOMPARE(at.queue.nextJob(), std::string("slipway-s-k1/3"));
        at.queue.submit();
        at.queue.complete(commands[0], elementIn("/there/runs/a"));
        at.queue.complete(commands[2], elementIn("/there/runs/c"));
        QCOMPARE(at.queue.numAwaited(), std::size_t(1));
        at.pollFor(5);
        QVERIFY(at.told->commands.empty() && at.told->scripts.empty());
        at.queue.leave(commands[1]);
        at.pollFor(5);
        QCOMPARE(at.told->folders, std::vector<std::string>{"/there/runs/a/control"});
        QVERIFY(at.told->scripts.front().find("\n1) exit 0 ;;\n2) run=/there/runs/c attempt=1 ;;\n") !=
                std::string::npos);
        QCOMPARE(at.told->commands, std::vector<std::string>{"sbatch"});
        QVERIFY(at.queue.take(commands[0]) && at.queue.take(commands[2]));
        QVERIFY(!at.queue.take(commands[1]));
    }

    void isNotSubmittedWithoutARun() {
        Queue at;
        at.queue.open("slipway-s-k1", 2);
        const std::uint64_t command = at.queue.add(elementIn(""), {});
        at.queue.submit();
        at.queue.leave(command);
        at.pollFor(5);
        QVERIFY(at.told->commands.empty());
        QVERIFY(!at.queue.isOpen());
        at.queue.open("slipway-s-k2", 2);
        QVERIFY(at.queue.isOpen());
    }

    // Its link is lost while the script is written: it is written again.
    void writesAgainAfterALostLink() {
        Queue at;
        at.told->failures = 1;
        at.queue.open("slipway-s-k1", 2);
        const std::uint64_t command = at.queue.add(elementIn("/there/runs/a"), {});
        at.queue.submit();
        at.pollFor(20);
        QCOMPARE(at.told->scripts.size(), std::size_t(2));
        QCOMPARE(std::ranges::count(at.told->commands, "sbatch"), 1);
        QVERIFY(at.queue.take(command));
    }
};

SLIPWAY_TEST(TstSlurmQueue)
#include "tst_slurm_queue.moc"
