// Runs as jobs of a real Slurm whose controller and nodes are killed at random moments, its memory included: every run ends once, and
// as its agents have told. SLIPWAY_CHAOS_KILLS and _SEED choose.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "tests/support/slipway_test.h"
#include "tests/support/slurm_cluster.h"
#include "tests/support/soak.h"
#include "tests/support/stream_check.h"

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr std::int64_t kSteps = 300;
constexpr std::int64_t kFailingCode = 7;

struct Followed {
    std::unique_ptr<RunSession> session;
    bool isFailing = false;
    int numEnds = 0;

    void poll() {
        for (const RunEvent& event : session->poll(unixMillisecondsNow()))
            if (event.kind == RunEvent::Kind::Status && isFinal(event.status)) ++numEnds;
    }
};

}  // namespace

class TstSlurmChaosFull : public QObject {
    Q_OBJECT

private:
    std::optional<SlurmCluster> m_cluster;

    /// "" when the end of the run is the one that its agent has told, or that of a job that Slurm has lost.
    std::string check(RunStore& store, const Followed& run) const {
        const RunSession& session = *run.session;
        const std::string name = session.id().value + " (" + wordOf(session.status()) + ": " + session.reason() + "): ";
        if (run.numEnds != 1) return name + std::to_string(run.numEnds) + " ends";
        const auto record = store.run(session.id());
        if (!record || record->status != session.status()) return name + "another status in the index";
        const WrittenStream written = readStream(session.folder().metrics());
        if (written.doubled > 0) return name + "a step is twice in the stream";
        const auto text = readFile(session.folder().agentFolder("node0") / "exit.json");
        const auto exit = text ? parseAgentExit(*text, "exit.json") : Result<AgentExit>(fail(text.error()));
        if (exit && exit->attempt == session.attempt()) {
            const bool isCompleted = exit->reason == "completed";
            if (isCompleted != (session.status() == RunStatus::Completed))
                return name + "its agent told " + exit->reason;
            if (run.isFailing && exit->reason == "failed" && record->exitCode != kFailingCode)
                return name + "another exit code than " + std::to_string(kFailingCode);
        }
        if (session.status() != RunStatus::Completed) return {};
        if (run.isFailing) return name + "it was to fail";
        const std::string problem = streamProblem(store, session.id(), session.folder().metrics(), kSteps);
        return problem.empty() ? "" : name + problem;
    }

private slots:
    void initTestCase() {
        if (const char* missing = SlurmCluster::isMissing()) QSKIP(missing);
        m_cluster.emplace();
        if (!m_cluster->problem.empty()) QSKIP(("Slurm does not start here: " + m_cluster->problem).c_str());
        QVERIFY(waitUntil(60, SlurmCluster::isIdle));
    }
    void cleanupTestCase() { m_cluster.reset(); }

    void everyRunEndsOnce() {
        const unsigned seed = chosen("SLIPWAY_CHAOS_SEED", std::random_device{}() % 1'000'000);
        const unsigned wanted = chosen("SLIPWAY_CHAOS_KILLS", 50);
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        SlurmLab lab;
        std::vector<Followed> going;
        std::map<std::string, int> kills, ends;
        unsigned all = 0;
        const double until = monotonicSecondsNow() + soakSeconds();
        const auto poll = [&] {
            for (Followed& run : going) run.poll();
            std::erase_if(going, [&](const Followed& run) {
                if (!run.session->done()) return false;
                const std::string problem = check(*lab.store, run);
                if (!problem.empty())
                    QTest::qFail(("seed " + std::to_string(seed) + ": " + problem).c_str(), __FILE__, __LINE__);
                ++ends[wordOf(run.session->status())];
                return true;
            });
            return QTest::currentTestFailed();
        };
        while (all < wanted && monotonicSecondsNow() < until && !QTest::currentTestFailed()) {
            while (going.size() < 4) {
                const bool isFailing = random() % 4 == 0;
                auto session =
                    lab.launch(isFailing ? "ms=20,exit@150=" + std::to_string(kFailingCode) : "ms=20", kSteps);
                QVERIFY2(session, session ? "" : session.error().text().c_str());
                going.push_back({std::make_unique<RunSession>(std::move(*session)), isFailing, 0});
            }
            waitUntil(1 + 0.001 * static_cast<double>(random() % 8000), poll);
            const double down = 0.5 + 0.001 * static_cast<double>(random() % 4000);
            const auto choice = random() % 8;
            if (choice < 5) {
                m_cluster->killController();
                waitUntil(down, poll);
                if (choice == 0) m_cluster->forget();
                QCOMPARE(m_cluster->run("restart"), std::string());
                ++kills[choice == 0 ? "controller with its memory" : "controller"];
            } else {
                const std::string node = choice == 5 ? "n1" : "n2";
                m_cluster->killDaemon("slurmd-" + node);
                // Above SlurmdTimeout the controller takes the node for lost, and queues its jobs again.
                waitUntil(choice == 7 ? 40 : down, poll);
                QCOMPARE(m_cluster->run("start-node", node), std::string());
                ++kills[choice == 7 ? "node for 40 s" : "node"];
            }
            ++all;
        }
        // What Slurm holds back after a loss (two minutes, or for ever) is ended.
        waitUntil(60, [&] { return poll() || going.empty(); });
        for (Followed& run : going) (void)run.session->kill(unixMillisecondsNow());
        QVERIFY2(waitUntil(180, [&] { return poll() || going.empty(); }),
                 ("seed " + std::to_string(seed) + ": " + std::to_string(going.size()) + " runs do not end").c_str());
        std::string list;
        for (const auto& [what, number] : kills) list += ", " + what + " " + std::to_string(number);
        for (const auto& [what, number] : ends) list += "; " + std::to_string(number) + " " + what;
        qInfo("%u kills, seed %u%s", all, seed, list.c_str());
    }
};

SLIPWAY_TEST_FULL(TstSlurmChaosFull)
#include "tst_slurm_chaos.moc"
