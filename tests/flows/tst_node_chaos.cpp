// Real sshd as two hosts (tests/support/sshd.h) and a run over both: kill -9 of the command that follows it, of ssh, sshd, agents and
// ranks at random moments, and links that are cut, frozen or slow. SLIPWAY_CHAOS_KILLS, _FAULTS and _SEED choose.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/process/process.h"
#include "core/run/run_session.h"
#include "core/store/run_store.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"
#include "tests/support/sshd.h"
#include "tests/support/stream_check.h"

#include <signal.h>

#include <algorithm>
#include <map>
#include <random>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

std::int64_t now() {
    return unixMillisecondsNow();
}

/// Two hosts, a home with both as nodes, and a run over them.
struct Hosts {
    TempDir temp;
    Sshd sshd;
    RunHome at;
    Result<RunStore> store = RunStore::open(at.home, OpenMode::ReadWrite);

    explicit Hosts(bool hasRelays) : sshd(temp.path(), hasRelays) {
        sshd.write("known_hosts", sshd.knownHost("a") + sshd.knownHost("b"));
        for (const char* name : {"a", "b"}) (void)writeNode(at.home, sshdNode(name), false);
        at.programs.trainer.clear();
    }
    Result<RunSession> launch(const std::string& script, std::int64_t steps, std::int64_t perHost) {
        RunRequest request;
        request.config = tinyConfig("tiny [" + script + "]", steps, 2 * perHost);
        request.config.checkpoint.everySteps = 10;
        request.nodes = {{"a", perHost}, {"b", perHost}};
        auto session = RunSession::create(*store, at.home, request, now(), at.programs);
        if (!session) return session;
        if (const auto begun = session->launch(now()); !begun) return fail(begun.error());
        return session;
    }
    [[nodiscard]] fs::path folderOn(const std::string& node, const RunId& id) const {
        return sshd.home(node) / ".local/share/slipway-node/runs" / id.value;
    }
    /// "" when what is here of the run is what the hosts wrote, byte for byte.
    [[nodiscard]] std::string difference(const RunDir& here, const RunId& id, std::int64_t perHost) const {
        std::vector<std::pair<std::string, fs::path>> files = {{"a", here.metrics()}};
        for (std::int64_t rank = 0; rank < 2 * perHost; ++rank)
            files.emplace_back(rank < perHost ? "a" : "b", here.rankLog(rank));
        for (const auto& [node, file] : files) {
            const auto name = file.lexically_relative(here.path);
            const auto there = readFile(folderOn(node, id) / name);
            if (!there || readFile(file).value_or("?") != *there) return name.string() + " differs";
        }
        return {};
    }
};

void killAll(const std::vector<std::string>& words) {
    for (const pid_t pid : Sshd::processes(words)) ::kill(pid, SIGKILL);
}

double p95(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[(values.size() * 95 + 99) / 100 - 1];
}

}  // namespace

class TstNodeKillsFull : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const char* missing = Sshd::isMissing()) QSKIP(missing);
    }

    void losesNothingWhateverIsKilled() {
        const unsigned seed = chosen("SLIPWAY_CHAOS_SEED", std::random_device{}() % 1'000'000);
        const unsigned wanted = chosen("SLIPWAY_CHAOS_KILLS", 1000);
        constexpr std::int64_t kSteps = 200;
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        const double until = monotonicSecondsNow() + soakSeconds();
        std::map<std::string, int> kills;
        int all = 0, runs = 0;
        Hosts at(false);
        while (monotonicSecondsNow() < until && all < static_cast<int>(wanted)) {
            auto session = at.launch("ms=10", kSteps, 1);
            QVERIFY2(session, session ? "" : session.error().text().c_str());
            const RunId id = session->id();
            const RunDir folder = session->folder();
            session = fail("gone", std::string("gone"));
            Process driver;
            const auto drive = [&] {
                ProcessSpec spec;
                spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/fake/run_driver", at.at.home.path.string(), id.value,
                                  SLIPWAY_BIN_DIR};
                spec.output = at.temp.path() / "driver.log";
                auto started = Process::start(spec);
                if (started) driver = std::move(*started);
            };
            drive();
            for (bool isDone = false; !isDone;) {
                const bool isCalm = monotonicSecondsNow() > until || all >= static_cast<int>(wanted);
                const double life = isCalm ? 300 : 0.05 + 0.001 * static_cast<double>(random() % 1500);
                if (const auto& exit = driver.wait(life)) {
                    isDone = exit->ok();
                    QVERIFY2(exit->ok() || exit->signal != 0,
                             readFile(at.temp.path() / "driver.log").value_or("").c_str());
                    if (!isDone) drive();
                    continue;
                }
                QVERIFY2(!isCalm, ("seed " + std::to_string(seed) + ": the run does not end").c_str());
                const std::string host = random() % 2 == 0 ? "a" : "b";
                const std::string home = at.sshd.home(host).string();
                ++all;
                switch (random() % 6) {
                    case 0:
                        driver.signal(SIGKILL);
                        ++kills["command"];
                        break;
                    case 1:
                        killAll({"/usr/bin/ssh", at.temp.path().string()});
                        ++kills["ssh"];
                        break;
                    case 2:
                        killAll({"slipway-agent", "--serve", home});
                        ++kills["serving agent"];
                        break;
                    case 3:
                        killAll({"slipway-agent", "--run-dir", home, id.value});
                        ++kills["agent"];
                        break;
                    case 4:
                        killAll({"slipway-trainer", home, id.value});
                        ++kills["rank"];
                        break;
                    default:
                        at.sshd.stop(host);
                        (void)driver.wait(0.3);
                        at.sshd.start(host);
                        ++kills["sshd"];
                }
            }
            ++runs;
            const std::string where = "seed " + std::to_string(seed) + ", run " + std::to_string(runs) + ": ";
            QVERIFY2(at.difference(folder, id, 1).empty(), (where + at.difference(folder, id, 1)).c_str());
            const std::string problem = streamProblem(*at.store, id, folder.metrics(), kSteps);
            QVERIFY2(problem.empty(), (where + problem).c_str());
            QVERIFY2(waitUntil(10, [&] { return Sshd::processes({id.value}).empty(); }), (where + "an orphan").c_str());
        }
        std::string list;
        for (const auto& [what, number] : kills) list += ", " + what + " " + std::to_string(number);
        qInfo("%d kills over %d runs, seed %u%s: no line lost or doubled, no orphan", all, runs, seed, list.c_str());
    }
};

class TstLinkFaultsFull : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const char* missing = Sshd::isMissing()) QSKIP(missing);
    }

    // A live run of 4 ranks: after each fault the link heals, and its node is heard again.
    void theStreamIsIdenticalWhateverTheLinkDoes() {
        const unsigned seed = chosen("SLIPWAY_CHAOS_SEED", std::random_device{}() % 1'000'000);
        const unsigned wanted = chosen("SLIPWAY_CHAOS_FAULTS", 200);
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        Hosts at(true);
        auto session = at.launch("ms=20", 1'000'000, 2);
        QVERIFY2(session, session ? "" : session.error().text().c_str());
        std::vector<RunEvent> events;
        const auto pollFor = [&](double seconds, auto done) {
            return waitUntil(seconds, [&] {
                for (RunEvent& event : session->poll(now())) events.push_back(std::move(event));
                return done();
            });
        };
        const auto never = [] { return false; };
        const auto beat = [&](std::size_t node) { return session->heartbeats()[node].counter; };
        QVERIFY(pollFor(120, [&] { return session->lastStep() > 2 && beat(0) > 1 && beat(1) > 1; }));
        const double until = monotonicSecondsNow() + soakSeconds();
        std::vector<double> reconnects;
        double noticed = 0;
        unsigned faults = 0;
        std::map<std::string, int> kinds;
        // The first is long enough for ssh to give the link up.
        for (bool isFirst = true; faults < wanted && (isFirst || monotonicSecondsNow() < until); isFirst = false) {
            const std::size_t node = random() % 2;
            const std::string host = node == 0 ? "a" : "b";
            const std::string kind =
                isFirst ? "frozen" : std::vector<std::string>{"cut", "frozen", "slow"}[random() % 3];
            at.sshd.link(host, kind);
            const double begun = monotonicSecondsNow();
            if (isFirst) {
                const auto isTold = [&] { return session->reason().starts_with("Cannot reach " + host); };
                QVERIFY2(pollFor(60, isTold), "a frozen link is not noticed");
                noticed = monotonicSecondsNow() - begun;
                QCOMPARE(session->status(), RunStatus::Running);
            }
            pollFor(0.2 + 0.001 * static_cast<double>(random() % 3000), never);
            at.sshd.link(host, "");
            const double healed = monotonicSecondsNow();
            // What was on its way may still come: the second beat afterwards was made afterwards.
            const std::int64_t last = beat(node);
            QVERIFY2(pollFor(90, [&] { return beat(node) > last + 1; }),
                     ("seed " + std::to_string(seed) + ": " + host + " is not heard again after " + kind).c_str());
            reconnects.push_back(monotonicSecondsNow() - healed);
            ++kinds[kind];
            ++faults;
        }
        qInfo(
            "%u faults (%d cut, %d frozen, %d slow), seed %u: heard again after p95 %.1f s, longest %.1f s; loss told after %.1f s",
            faults, kinds["cut"], kinds["frozen"], kinds["slow"], seed, p95(reconnects),
            *std::max_element(reconnects.begin(), reconnects.end()), noticed);
        QVERIFY(session->stop(now()));
        QVERIFY(pollFor(120, [&] { return session->done(); }));
        QVERIFY2(session->status() == RunStatus::Cancelled, session->reason().c_str());
        for (const RunEvent& event : events)
            QVERIFY(event.kind != RunEvent::Kind::Status ||
                    (event.status != RunStatus::Failed && event.status != RunStatus::Lost));
        QVERIFY2(at.difference(session->folder(), session->id(), 2).empty(),
                 at.difference(session->folder(), session->id(), 2).c_str());
        const WrittenStream written = readStream(session->folder().metrics());
        QCOMPARE(written.doubled, 0);
        const auto stored = at.store->series(session->id(), "loss");
        QVERIFY(stored);
        QCOMPARE(stored->size(), written.attempts.at(1).size());
        QCOMPARE(stored->size(), static_cast<std::size_t>(session->lastStep()));
        constexpr double kNoticeSeconds = 20, kReconnectSeconds = 5;
        QVERIFY2(noticed < kNoticeSeconds, std::to_string(noticed).c_str());
        QVERIFY2(p95(reconnects) < kReconnectSeconds, std::to_string(p95(reconnects)).c_str());
    }
};

class TstDetectionFull : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const char* missing = Sshd::isMissing()) QSKIP(missing);
    }

    // From the death of a rank on a node until it shows here. Peers that ignore the request to end keep the attempt alive meanwhile.
    void aDeadRankIsSeenSoon() {
        Hosts at(false);
        std::vector<double> seen;
        for (int run = 0; run < 5; ++run) {
            auto session = at.launch("ms=20,deaf", 1'000'000, 2);
            QVERIFY2(session, session ? "" : session.error().text().c_str());
            const auto until = [&](double seconds, auto done) {
                return waitUntil(seconds, [&] {
                    (void)session->poll(now());
                    return done();
                });
            };
            const auto rank = [&]() -> const RankState& { return session->heartbeats()[1].ranks.at(1); };
            QVERIFY(until(120, [&] { return session->lastStep() > 2 && !session->heartbeats()[1].ranks.empty(); }));
            const double killed = monotonicSecondsNow();
            ::kill(static_cast<pid_t>(rank().pid), SIGKILL);
            QVERIFY(until(60, [&] { return session->done() || rank().state == "exited"; }));
            seen.push_back(monotonicSecondsNow() - killed);
            QVERIFY(session->kill(now()));
            QVERIFY(until(60, [&] { return session->done(); }));
        }
        const double longest = *std::max_element(seen.begin(), seen.end());
        qInfo("a dead rank of a node is seen after at most %.2f s", longest);
        constexpr double kSeconds = 2;
        QVERIFY2(longest < kSeconds, std::to_string(longest).c_str());
    }
};

SLIPWAY_TEST_FULL(TstDetectionFull)
SLIPWAY_TEST_FULL(TstNodeKillsFull)
SLIPWAY_TEST_FULL(TstLinkFaultsFull)
#include "tst_node_chaos.moc"
