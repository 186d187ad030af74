// What a node may write here, with a real agent behind a fake ssh.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/launch/run_mirror.h"
#include "core/process/host_identity.h"
#include "core/process/proc_facts.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

class TstRunMirror : public QObject {
    Q_OBJECT

private slots:
    // The disk here is not the node's: beyond a bound its streams stay with it, and its records still come.
    void copiesNoMoreThanIsKept() {
        const FakeNodes fake;
        TempDir temp;
        const RunDir here{temp.path() / "runs" / "r"};
        const fs::path there = fake.home("a") / ".local/share/slipway-node/runs/r";
        const std::string log = "logs/rank_00000.log";
        for (const fs::path& folder : {here.path, there}) {
            fs::create_directories(folder / "logs");
            std::ofstream file(folder / log, std::ios::binary);  // with a hole: it takes no room
            file.seekp(static_cast<std::streamoff>(RunMirror::kMostBytes - 10));
            file << "\n";
        }
        std::ofstream(there / log, std::ios::binary | std::ios::app) << "one\n" << std::flush;
        fs::create_directories(there / "agent/a");
        QVERIFY(writeFileAtomically(there / "agent/a/exit.json", "{}"));

        NodeRecord node;
        node.name = node.host = "a";
        SshOptions options;
        options.agent = fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
        NodeLink link(node, options);
        RunMirror mirror(here, "r", "a", 1, {0}, "");
        std::vector<Error> problems;
        const auto copies = [&](auto test) {
            return waitUntil(60, [&] {
                for (const LinkAnswer& answer : link.poll(monotonicSecondsNow())) mirror.take(answer);
                mirror.poll(link, monotonicSecondsNow());
                for (Error& error : mirror.takeProblems()) problems.push_back(std::move(error));
                return test();
            });
        };
        const auto size = [&] { return static_cast<std::uint64_t>(fs::file_size(here.path / log)); };
        QVERIFY(copies([&] { return size() == RunMirror::kMostBytes - 5; }));
        QVERIFY(problems.empty());
        std::ofstream(there / log, std::ios::binary | std::ios::app) << "a second line\n" << std::flush;
        QVERIFY(copies([&] { return !problems.empty() || size() > RunMirror::kMostBytes; }));
        QCOMPARE(size(), RunMirror::kMostBytes - 5);
        QCOMPARE(problems.front().code, std::string("too_many_bytes"));
        QVERIFY(copies([&] { return fs::exists(here.path / "agent/a/exit.json"); }));
        QCOMPARE(problems.size(), std::size_t(1));
    }

    // A launcher on the other side of the world is not told each second that nothing has changed.
    void aStatusIsHeldBackUntilThereAreNews() {
        const FakeNodes fake;
        const fs::path there = fake.home("a") / ".local/share/slipway-node/runs/r";
        fs::create_directories(there / "agent/a");
        const ProcessIdentity self = identityOf(::getpid());
        AgentId id;
        id.runId = "r";
        id.node = "a";
        id.host = thisHost().host;
        id.bootId = thisHost().bootId;
        id.pidNamespace = thisHost().pidNamespace;
        id.pid = self.pid;
        id.startTicks = self.startTicks;
        QVERIFY(writeJsonFile(there / "agent/a/id.json", toJson(id)));
        AgentHeartbeat beat;
        beat.node = "a";
        beat.ranks.resize(1);
        const auto writeBeat = [&] {
            ++beat.counter;
            beat.timeUnixMilliseconds += 1000;
            return writeJsonFile(there / "agent/a/heartbeat.json", toJson(beat)).has_value();
        };
        QVERIFY(writeBeat());

        NodeRecord node;
        node.name = node.host = "a";
        SshOptions options;
        options.agent = fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
        NodeLink link(node, options);
        const auto ask = [&](const std::string& known, int leastMilliseconds) {
            return link.ask(Json{{"do", "status"},
                                 {"home", ""},
                                 {"run", "r"},
                                 {"node", "a"},
                                 {"attempt", 1},
                                 {"known", known},
                                 {"least_ms", leastMilliseconds},
                                 {"patience_ms", known.empty() ? 0 : 5000}});
        };
        std::map<std::uint64_t, std::string> digests;
        const auto answers = [&](std::uint64_t request) {
            return waitUntil(60, [&] {
                for (const LinkAnswer& answer : link.poll(monotonicSecondsNow()))
                    if (answer.frame) digests[answer.request] = (*answer.frame->header)["digest"].get<std::string>();
                return digests.contains(request);
            });
        };
        const auto first = ask("", 0);
        QVERIFY(answers(first));
        const std::string known = digests[first];

        // The next heartbeat is none, a rank's new state and a line of a stream are.
        const auto held = ask(known, 0);
        QVERIFY(writeBeat());
        const auto another = ask("", 0);  // answered after the request before it was taken
        QVERIFY(answers(another));
        QCOMPARE(digests[another], known);
        QVERIFY(!digests.contains(held));
        beat.ranks.front().state = "exited";
        double changed = monotonicSecondsNow();
        QVERIFY(writeBeat());
        QVERIFY(answers(held));
        constexpr double kSeconds = 4;  // less than its patience
        QVERIFY(monotonicSecondsNow() - changed < kSeconds);
        QVERIFY(digests[held] != known);

        const auto stream = ask(digests[held], 200);
        changed = monotonicSecondsNow();
        QVERIFY(writeFileAtomically(there / "metrics.jsonl", "{}\n"));
        QVERIFY(answers(stream));
        QVERIFY(monotonicSecondsNow() - changed < kSeconds);
        QVERIFY(digests[stream] != digests[held]);
        // What was missed while nobody asked counts as well.
        QVERIFY(writeFileAtomically(there / "metrics.jsonl", "{}\n{}\n"));
        const auto late = ask(digests[stream], 0);
        QVERIFY(answers(late));
        QVERIFY(digests[late] != digests[stream]);
    }
};

SLIPWAY_TEST(TstRunMirror)
#include "tst_run_mirror.moc"
