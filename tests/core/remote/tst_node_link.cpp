// A link to real agents behind a fake ssh: copying the agent, files in pieces, cuts, answers that nobody asked for.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/remote/node_link.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

using namespace slipway;
using namespace slipway::test;

namespace {

NodeRecord nodeOf(const std::string& name) {
    NodeRecord node;
    node.name = node.host = name;
    return node;
}

SshOptions options() {
    SshOptions made;
    made.agent = std::filesystem::path(SLIPWAY_BIN_DIR) / "slipway-agent";
    return made;
}

Result<Frame> answer(NodeLink& link, std::uint64_t request) {
    std::optional<LinkAnswer> found;
    waitUntil(60, [&] {
        for (LinkAnswer& one : link.poll(monotonicSecondsNow()))
            if (one.request == request) found = std::move(one);
        return found.has_value();
    });
    if (!found) return fail("no_answer", std::string("No answer came."));
    return std::move(found->frame);
}

Result<Frame> ask(NodeLink& link, const Json& request, std::string data = {}) {
    return answer(link, link.ask(request, std::move(data)));
}

std::string code(const Result<Frame>& frame) {
    return frame ? "" : frame.error().code;
}

/// The most memory that this process has held.
double peakBytes() {
    const std::string status = readFile("/proc/self/status").value_or("");
    const std::size_t at = status.find("VmHWM:");
    return at == std::string::npos ? 0 : 1024 * std::atof(status.c_str() + at + 6);
}

}  // namespace

class TstNodeLink : public QObject {
    Q_OBJECT

private slots:
    void copiesTheAgentOnce() {
        const FakeNodes fake;
        fake.set("a", "noise", "Welcome!\nslipway-agent\n");
        NodeLink link(nodeOf("a"), options());
        const auto hello = ask(link, Json{{"do", "hello"}});
        QVERIFY2(hello, hello ? "" : hello.error().message.c_str());
        QVERIFY((*hello->header)["protocol"] == Json(1));
        QVERIFY(link.copiedAgent());
        QCOMPARE(link.noise(), std::string("Welcome!\nslipway-agent\n"));
        NodeLink second(nodeOf("a"), options());
        QVERIFY(ask(second, Json{{"do", "hello"}}));
        QVERIFY(!second.copiedAgent());
    }

    // Several programs copy the agent to one node at once: each ends with an agent of the right content.
    void copiesTheAgentInARace() {
        const FakeNodes fake;
        std::vector<std::unique_ptr<NodeLink>> links;
        for (int i = 0; i < 4; ++i) {
            links.push_back(std::make_unique<NodeLink>(nodeOf("a"), options()));
            (void)links.back()->ask(Json{{"do", "hello"}});
        }
        QVERIFY(waitUntil(120, [&] {
            bool allUp = true;
            for (auto& link : links) {
                (void)link->poll(monotonicSecondsNow());
                allUp = allUp && link->state() == NodeLink::State::Up;
            }
            return allUp;
        }));
        const auto agent = readFile(options().agent);
        int agents = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(fake.home("a") / ".cache"))
            if (entry.is_regular_file()) {
                ++agents;
                QVERIFY2(readFile(entry.path()).value_or("") == *agent, entry.path().c_str());
            }
        QCOMPARE(agents, 1);
    }

    // ssh ends without a word once its keep-alive got no answer: the node was silent, and closed nothing.
    void aCutNetworkIsNotAClosedConnection() {
        const FakeNodes fake;
        fake.set("a", "quiet", "yes");
        NodeLink link(nodeOf("a"), options());
        QVERIFY(ask(link, Json{{"do", "hello"}}));
        const int ssh = std::atoi(readFile(fake.temp.path() / "a.pid").value_or("0").c_str());
        QVERIFY(ssh > 1 && ::kill(ssh, SIGTERM) == 0);
        QVERIFY(waitUntil(60, [&] {
            (void)link.poll(monotonicSecondsNow());
            return link.state() != NodeLink::State::Up;
        }));
        QCOMPARE(link.error().code, std::string("timeout"));
        QVERIFY2(link.error().message.find("stopped answering") != std::string::npos, link.error().message.c_str());
    }

    void keepsNoAgentThatIsNotWhole() {
        const FakeNodes fake;
        // The folder of content hashes cannot be made: a file is in its place.
        std::filesystem::create_directories(fake.home("a"));
        QVERIFY(writeFileAtomically(fake.home("a") / ".cache", "x"));
        NodeLink link(nodeOf("a"), options());
        QCOMPARE(code(ask(link, Json{{"do", "hello"}})), std::string("agent_refused"));
        QCOMPARE(link.state(), NodeLink::State::Down);
    }

    void putsFilesInPieces() {
        const FakeNodes fake;
        NodeLink link(nodeOf("a"), options());
        std::string bytes(3'000'000, ' ');
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761U >> 11);
        const Json file{{"home", ""}, {"sha256", sha256Of(bytes)}, {"bytes", bytes.size()}};
        const auto with = [&](const char* what, std::size_t offset) {
            Json request = file;
            request["do"] = what;
            request["offset"] = offset;
            return request;
        };
        QVERIFY((*ask(link, with("have", 0))->header)["bytes"] == Json(0));
        std::size_t at = 0;
        bool wasCut = false;
        while (at < bytes.size()) {
            const auto put = ask(link, with("put", at), bytes.substr(at, kFrameDataBytes));
            QVERIFY2(put, put ? "" : put.error().message.c_str());
            at = (*put->header)["bytes"].get<std::size_t>();
            if (wasCut) continue;
            wasCut = true;
            fake.cut("a");
            QVERIFY(waitUntil(60, [&] {
                (void)link.poll(monotonicSecondsNow());
                return link.state() == NodeLink::State::Down;
            }));
            QVERIFY(waitUntil(60, [&] {
                (void)link.poll(monotonicSecondsNow());
                return link.state() == NodeLink::State::Up;
            }));
            QVERIFY((*ask(link, with("have", 0))->header)["bytes"] == Json(at));
        }
        Json place = file;
        place["do"] = "place";
        place["path"] = "corpora/tiny.tok";
        QVERIFY(ask(link, place));
        const auto home = fake.home("a") / ".local/share/slipway-node";
        QVERIFY(readFile(home / "corpora" / "tiny.tok").value_or("") == bytes);

        // What does not have its hash is not kept.
        Json wrong = file;
        wrong["do"] = "put";
        wrong["offset"] = 0;
        wrong["sha256"] = std::string(64, '0');
        wrong["bytes"] = 5;
        QCOMPARE(code(ask(link, wrong, "12345")), std::string("bad_checksum"));
        QVERIFY(!std::filesystem::exists(home / "content" / std::string(64, '0')));
        wrong["offset"] = 3;
        QCOMPARE(code(ask(link, wrong, "45")), std::string("wrong_offset"));
    }

    // Trials that start together bring the same data to one node: none of them finds it damaged.
    void putsOneFileThroughManyLinks() {
        const FakeNodes fake;
        std::vector<std::unique_ptr<NodeLink>> links;
        for (int i = 0; i < 6; ++i) {
            links.push_back(std::make_unique<NodeLink>(nodeOf("a"), options()));
            QVERIFY(ask(*links.back(), Json{{"do", "hello"}}));
        }
        for (int round = 0; round < 40; ++round) {
            const std::string bytes(200'000, static_cast<char>('0' + round));
            std::vector<std::uint64_t> asked;
            for (auto& link : links)
                asked.push_back(link->ask(Json{{"do", "put"},
                                               {"home", ""},
                                               {"sha256", sha256Of(bytes)},
                                               {"bytes", bytes.size()},
                                               {"offset", 0}},
                                          bytes));
            for (std::size_t i = 0; i < links.size(); ++i) {
                const auto put = answer(*links[i], asked[i]);
                QVERIFY2(put, put ? "" : put.error().code.c_str());
            }
        }
        for (const auto& entry :
             std::filesystem::directory_iterator(fake.home("a") / ".local/share/slipway-node" / "content"))
            QVERIFY2(!entry.path().has_extension(), entry.path().c_str());
    }

    // A path from another computer leads nowhere but below the home, whatever is there.
    void staysInItsHome_data() {
        QTest::addColumn<QString>("path");
        for (const char* path :
             {"../x", "/etc/passwd", "corpora/../../x", "a/.ssh/x", "", ".", "corpora/", "link/x", "a\nb"})
            QTest::newRow(path) << path;
    }
    void staysInItsHome() {
        const FakeNodes fake;
        QFETCH(QString, path);
        NodeLink link(nodeOf("a"), options());
        const std::string bytes = "hello";
        const Json file{{"home", ""}, {"sha256", sha256Of(bytes)}, {"bytes", bytes.size()}, {"offset", 0}};
        Json put = file, place = file, write = file, read = file;
        put["do"] = "put";
        QVERIFY(ask(link, put, bytes));
        const auto home = fake.home("a") / ".local/share/slipway-node";
        std::filesystem::create_directories(home / "runs" / "r");
        std::filesystem::create_directory_symlink("/tmp", home / "link");
        std::filesystem::create_directory_symlink("/tmp", home / "runs" / "r" / "link");
        place["do"] = "place";
        write["do"] = "write";
        read["do"] = "read";
        place["path"] = write["path"] = read["path"] = path.toStdString();
        write["run"] = read["run"] = "r";
        QCOMPARE(code(ask(link, place)), std::string("bad_path"));
        QCOMPARE(code(ask(link, write, "x")), std::string("bad_path"));
        QCOMPARE(code(ask(link, read)), std::string("bad_path"));
    }
    // Another user of the node might put a trainer there, or a run.
    void refusesAHomeThatEveryUserMayWriteTo() {
        const FakeNodes fake;
        NodeLink link(nodeOf("a"), options());
        QVERIFY(ask(link, Json{{"do", "facts"}, {"home", ""}}));
        const auto home = fake.home("a") / ".local/share/slipway-node";
        QVERIFY(std::filesystem::status(home).permissions() == std::filesystem::perms::owner_all);
        std::filesystem::permissions(home, std::filesystem::perms::all);
        QCOMPARE(code(ask(link, Json{{"do", "facts"}, {"home", ""}})), std::string("unsafe_folder"));
        std::filesystem::permissions(home, std::filesystem::perms::owner_all);
        QVERIFY(ask(link, Json{{"do", "facts"}, {"home", ""}}));
    }
    // What is a link on a node is neither listed nor read: its sizes and names are nobody's business here.
    void followsNoLinkOfASpool() {
        const FakeNodes fake;
        NodeLink link(nodeOf("a"), options());
        QVERIFY(ask(link, Json{{"do", "facts"}, {"home", ""}}));
        const auto run = fake.home("a") / ".local/share/slipway-node/runs/r";
        const auto outside = fake.temp.path() / "outside";
        std::filesystem::create_directories(outside / "a");
        std::filesystem::create_directories(outside / "step_1");
        for (const char* name :
             {"a/id.json", "a/agent.log", "rank_00000.log", "rank_00000.jsonl", "step_1/manifest.json"})
            QVERIFY(writeFileAtomically(outside / name, "secret\n"));
        std::filesystem::create_directories(run);
        for (const char* name : {"agent", "logs", "ranks", "checkpoints"})
            std::filesystem::create_directory_symlink(outside, run / name);
        std::filesystem::create_symlink(outside / "rank_00000.log", run / "metrics.jsonl");
        const auto status = ask(link, Json{{"do", "status"}, {"run", "r"}, {"node", "a"}, {"attempt", 1}});
        QVERIFY(status);
        QVERIFY2((*status->header)["files"].empty(), dumpJson((*status->header)["files"], false).c_str());
        const auto checkpoints = ask(link, Json{{"do", "checkpoints"}, {"run", "r"}});
        QVERIFY(checkpoints);
        QCOMPARE(checkpoints->data, std::string("[]"));
        for (const char* path :
             {"metrics.jsonl", "logs/rank_00000.log", "agent/a/id.json", "checkpoints/step_1/manifest.json"})
            for (const char* what : {"read", "hash", "write"})
                QCOMPARE(code(ask(link, Json{{"do", what}, {"run", "r"}, {"path", path}})), std::string("bad_path"));
        QCOMPARE(readFile(outside / "a/id.json").value_or(""), std::string("secret\n"));
    }
    void refusesRequestsItDoesNotKnow() {
        const FakeNodes fake;
        NodeLink link(nodeOf("a"), options());
        QCOMPARE(code(ask(link, Json{{"do", "reboot"}, {"run", "r"}})), std::string("unknown_request"));
        QCOMPARE(code(ask(link, Json{{"do", 7}, {"run", "r"}})), std::string("unknown_request"));
        QCOMPARE(code(ask(link, Json{{"do", "status"}, {"run", "../r"}, {"node", "a"}})), std::string("bad_id"));
        QCOMPARE(code(ask(link, Json{{"do", "status"}, {"run", "r"}, {"node", "../a"}})), std::string("bad_node"));
        QCOMPARE(code(ask(link, Json{{"do", "facts"}, {"home", "relative"}})), std::string("bad_path"));
        QVERIFY(ask(link, Json{{"do", "hello"}}));
    }

    void failsWithTheReasonAndComesBack() {
        const FakeNodes fake;
        fake.set("a", "says", "ssh: connect to host a port 22: Connection refused\n");
        NodeLink link(nodeOf("a"), options());
        QCOMPARE(code(ask(link, Json{{"do", "hello"}})), std::string("refused"));
        QCOMPARE(code(ask(link, Json{{"do", "hello"}})), std::string("refused"));
        fake.set("a", "says", "");
        QVERIFY(waitUntil(60, [&] {
            (void)link.poll(monotonicSecondsNow());
            return link.state() == NodeLink::State::Up;
        }));
        fake.cut("a");
        QVERIFY(!code(ask(link, Json{{"do", "hello"}})).empty());
        QVERIFY(waitUntil(60, [&] {
            (void)link.poll(monotonicSecondsNow());
            return link.state() == NodeLink::State::Up;
        }));
        QVERIFY(ask(link, Json{{"do", "hello"}}));
    }
    // However long it was away, a link that heals is found within seconds.
    void triesAgainSoon() {
        const FakeNodes fake;
        fake.set("a", "says", "ssh: connect to host a port 22: No route to host\n");
        NodeLink link(nodeOf("a"), options());
        double now = 0;  // a clock of its own
        for (int tries = 0; tries < 12; ++tries) {
            QVERIFY(waitUntil(60, [&] {
                (void)link.poll(now);
                return link.state() == NodeLink::State::Down;
            }));
            const double lost = now;
            while (link.state() == NodeLink::State::Down) (void)link.poll(now += 0.05);
            QVERIFY2(now - lost < 2.6, std::to_string(now - lost).c_str());
        }
    }
    void neverTriesAChangedKeyAgain() {
        const FakeNodes fake;
        fake.set("a", "says",
                 "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.\n");
        NodeLink link(nodeOf("a"), options());
        const std::uint64_t request = link.ask(Json{{"do", "hello"}});
        double now = 0;  // a clock of its own: a day goes by
        std::string seen;
        QVERIFY(waitUntil(60, [&] {
            for (LinkAnswer& one : link.poll(now))
                if (one.request == request) seen = code(one.frame);
            return !seen.empty();
        }));
        QCOMPARE(seen, std::string("host_key_changed"));
        fake.set("a", "says", "");
        for (int minute = 0; minute < 1440; ++minute) (void)link.poll(now += 60);
        QCOMPARE(link.state(), NodeLink::State::Down);
    }

    // A node whose agent answers without being asked, or with something else than frames, is left.
    void leavesHostileNodes_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("code");
        QTest::newRow("flood") << "exec cat /dev/zero"
                               << "bad_frame";
        QTest::newRow("lines") << "exec yes"
                               << "frame_too_large";
        QTest::newRow("frames")
            << "b=$(printf '%0600000d' 0); while :; do printf '\\000\\000\\000\\010\\000\\011\\047\\300{\"id\":9}%s' "
               "\"$b\"; done"
            << "bad_frame";
        QTest::newRow("text") << "echo Permission granted, have a nice day; sleep 60"
                              << "frame_too_large";
        QTest::newRow("unasked") << "printf '\\000\\000\\000\\010\\000\\000\\000\\000{\"id\":9}'; sleep 60"
                                 << "bad_frame";
    }
    void leavesHostileNodes() {
        const FakeNodes fake;
        QFETCH(QString, command);
        // In the place of the agent is a program of the node's own.
        const auto bytes = readFile(options().agent);
        const auto folder = fake.home("a") / ".cache/slipway/agent" / sha256Of(*bytes);
        std::filesystem::create_directories(folder);
        QVERIFY(writeFileAtomically(folder / "slipway-agent",
                                    "#!/bin/sh\necho slipway-agent $2\n" + command.toStdString() + "\n"));
        std::filesystem::permissions(folder / "slipway-agent", std::filesystem::perms::owner_all);
        const double before = peakBytes();
        NodeLink link(nodeOf("a"), options());
        const auto hello = ask(link, Json{{"do", "hello"}});
        // However much a node sends, little of it is kept.
        QVERIFY2(peakBytes() - before < 64e6, std::to_string(peakBytes() - before).c_str());
        QVERIFY(!hello);
        QTEST(QString::fromStdString(hello.error().code), "code");
        QCOMPARE(link.state(), NodeLink::State::Down);
    }

    void reachesOtherNodes() {
        const FakeNodes fake;
        NodeLink link(nodeOf("a"), options());
        const auto listening = ask(link, Json{{"do", "listen"}, {"address", "127.0.0.1"}});
        QVERIFY(listening);
        const auto reached =
            ask(link, Json{{"do", "connect"}, {"address", "127.0.0.1"}, {"port", (*listening->header)["port"]}});
        QVERIFY(reached);
        QVERIFY((*reached->header)["address"] == Json("127.0.0.1"));
        QCOMPARE(code(ask(link, Json{{"do", "connect"}, {"address", "127.0.0.1"}, {"port", 1}})),
                 std::string("unreachable"));
        QCOMPARE(code(ask(link, Json{{"do", "connect"}, {"address", "name"}, {"port", 1}})),
                 std::string("bad_address"));
    }
};

SLIPWAY_TEST(TstNodeLink)
#include "tst_node_link.moc"
