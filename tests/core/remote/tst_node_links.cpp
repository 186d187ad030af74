// Links of several runs to one node: one ssh between them, and what one of them does is not the others' trouble.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/remote/node_link.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <map>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

NodeRecord nodeOf(const std::string& name) {
    NodeRecord node;
    node.name = node.host = name;
    return node;
}

fs::path agentFile() {
    return fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
}

/// Until the request is answered; the clock is the test's where it names one.
Result<Frame> answer(NodeLink& link, std::uint64_t request, double now = -1) {
    std::optional<LinkAnswer> found;
    waitUntil(60, [&] {
        for (LinkAnswer& one : link.poll(now < 0 ? monotonicSecondsNow() : now))
            if (one.request == request) found = std::move(one);
        return found.has_value();
    });
    if (!found) return fail("no_answer", std::string("No answer came."));
    return std::move(found->frame);
}

Result<Frame> ask(NodeLink& link, const Json& request, std::string data = {}) {
    return answer(link, link.ask(request, std::move(data)));
}

const Json kHello{{"do", "hello"}};

Json write(const std::string& path) {
    return Json{{"do", "write"}, {"home", ""}, {"run", "r"}, {"path", path}};
}

}  // namespace

class TstNodeLinks : public QObject {
    Q_OBJECT

private slots:
    void logsInOncePerNode() {
        const FakeNodes fake;
        NodeLinks links(agentFile());
        std::vector<std::unique_ptr<NodeLink>> all;
        std::map<std::size_t, std::uint64_t> asked;
        for (int run = 0; run < 8; ++run)
            for (const char* name : {"a", "b"}) {
                all.push_back(links.link(nodeOf(name)));
                asked[all.size() - 1] = all.back()->ask(kHello);
            }
        // Each hears the answer to its own question and no other.
        for (const auto& [i, request] : asked) {
            const auto hello = answer(*all[i], request);
            QVERIFY2(hello, hello ? "" : hello.error().message.c_str());
        }
        for (const auto& link : all) QVERIFY(link->poll(monotonicSecondsNow()).empty());
        QCOMPARE(fake.numLogins("a"), std::int64_t(1));
        QCOMPARE(fake.numLogins("b"), std::int64_t(1));
    }

    void aLinkThatGoesTakesItsRequestsWithIt() {
        const FakeNodes fake;
        NodeLinks links(agentFile());
        auto going = links.link(nodeOf("a"));
        const auto staying = links.link(nodeOf("a"));
        (void)going->ask(write("control/stop"), "x");  // before the login
        going.reset();
        QVERIFY(ask(*staying, write("control/kept"), "x"));
        const auto run = fake.home("a") / ".local/share/slipway-node/runs/r/control";
        QVERIFY(fs::exists(run / "kept"));
        QVERIFY(!fs::exists(run / "stop"));
        // An answer that nobody waits for any more is no fault of the node.
        going = links.link(nodeOf("a"));
        (void)going->ask(kHello);
        going.reset();
        QVERIFY(ask(*staying, kHello));
        QCOMPARE(staying->numConnections(), 1);
    }

    void aLostConnectionIsToldToEach() {
        const FakeNodes fake;
        NodeLinks links(agentFile());
        const auto one = links.link(nodeOf("a")), other = links.link(nodeOf("a"));
        QVERIFY(ask(*one, kHello) && ask(*other, kHello));
        fake.cut("a");
        const auto first = one->ask(kHello), second = other->ask(kHello);
        QVERIFY(!answer(*one, first) && !answer(*other, second));
        QVERIFY(waitUntil(60, [&] {
            (void)one->poll(monotonicSecondsNow());
            return one->state() == NodeLink::State::Up;
        }));
        QVERIFY(ask(*one, kHello) && ask(*other, kHello));
        QCOMPARE(fake.numLogins("a"), std::int64_t(2));
    }

    // What only a person can mend is tried again by whoever comes next, and then is mended for all.
    void aNewLinkTriesAgain() {
        const FakeNodes fake;
        fake.set("a", "says", "Host key verification failed.\n");
        NodeLinks links(agentFile());
        const auto early = links.link(nodeOf("a"));
        QCOMPARE(ask(*early, kHello).error().code, std::string("host_key_unknown"));
        fake.set("a", "says", "");
        const auto late = links.link(nodeOf("a"));
        QVERIFY(ask(*late, kHello));
        QVERIFY(ask(*early, kHello));
        QCOMPARE(fake.numLogins("a"), std::int64_t(1));
    }

    void anUnusedConnectionIsKeptForAWhile() {
        const FakeNodes fake;
        NodeLinks links(agentFile());
        const auto use = [&] { return bool(ask(*links.link(nodeOf("a")), kHello)); };
        links.poll(100);
        QVERIFY(use());
        links.poll(100);
        links.poll(100 + NodeLinks::kIdleSeconds - 1);
        QVERIFY(use());  // the next trial
        QCOMPARE(fake.numLogins("a"), std::int64_t(1));
        links.poll(200);
        links.poll(200 + NodeLinks::kIdleSeconds + 1);
        QVERIFY(use());
        QCOMPARE(fake.numLogins("a"), std::int64_t(2));
        NodeRecord changed = nodeOf("a");
        changed.port = 2222;
        QVERIFY(ask(*links.link(changed), kHello));
        QCOMPARE(fake.numLogins("a"), std::int64_t(3));
    }

    // On a slow line an answer waits behind those of other runs: it is late only when nothing comes.
    void anAnswerBehindOthersIsNotLate() {
        const FakeNodes fake;
        const auto bytes = readFile(agentFile());
        QVERIFY(bytes);
        const auto folder = fake.home("a") / ".cache/slipway/agent" / sha256Of(*bytes);
        fs::create_directories(folder);
        const auto frame = [](int id) {
            return "printf '\\000\\000\\000\\010\\000\\000\\000\\000{\"id\":" + std::to_string(id) + "}'\n";
        };
        const auto wait = [&](const char* file) {
            return "while [ ! -f " + (fake.temp.path() / file).string() + " ]; do sleep 0.05; done\n";
        };
        QVERIFY(writeFileAtomically(folder / "slipway-agent", "#!/bin/sh\necho slipway-agent $2\n" + wait("first") +
                                                                  frame(2) + wait("second") + frame(1) + "sleep 60\n"));
        fs::permissions(folder / "slipway-agent", fs::perms::owner_all);
        NodeLinks links(agentFile());
        const auto slow = links.link(nodeOf("a")), other = links.link(nodeOf("a"));
        const auto behind = slow->ask(kHello);
        const auto before = other->ask(kHello);
        QVERIFY(waitUntil(60, [&] {
            (void)slow->poll(1);
            return slow->state() == NodeLink::State::Up;
        }));
        QVERIFY(writeFileAtomically(fake.temp.path() / "first", ""));
        QVERIFY(answer(*other, before, NodeLink::kAnswerSeconds - 1));
        (void)slow->poll(NodeLink::kAnswerSeconds + 5);
        QCOMPARE(slow->state(), NodeLink::State::Up);
        QVERIFY(writeFileAtomically(fake.temp.path() / "second", ""));
        QVERIFY(answer(*slow, behind, NodeLink::kAnswerSeconds + 5));
        // And one that never comes.
        const auto never = slow->ask(kHello);
        (void)slow->poll(100);
        QVERIFY(slow->state() == NodeLink::State::Up);
        QCOMPARE(answer(*slow, never, 100 + NodeLink::kAnswerSeconds + 1).error().code, std::string("timeout"));
    }

    // Runs that share a link meet at the same time, each at a port of its own.
    void meetsForTwoRunsAtOnce() {
        const FakeNodes fake;
        NodeLinks links(agentFile());
        const auto one = links.link(nodeOf("a")), other = links.link(nodeOf("a"));
        const Json listen{{"do", "listen"}, {"address", "127.0.0.1"}};
        const auto first = ask(*one, listen), second = ask(*other, listen);
        QVERIFY(first && second);
        for (const auto& listening : {first, second})
            QVERIFY(
                ask(*one, Json{{"do", "connect"}, {"address", "127.0.0.1"}, {"port", (*listening->header)["port"]}}));
    }

    // Many trials start at once through one link: what the agent cannot do now waits.
    void startsManyAtOnce() {
        const FakeNodes fake;
        NodeLinks links(agentFile());
        constexpr int kRuns = 64;
        std::vector<std::unique_ptr<NodeLink>> all;
        std::vector<std::uint64_t> asked;
        for (int run = 0; run < kRuns; ++run) {
            all.push_back(links.link(nodeOf("a")));
            asked.push_back(all.back()->ask(Json{{"do", "trainer"}, {"home", ""}, {"path", "/bin/echo"}}));
        }
        for (std::size_t run = 0; run < kRuns; ++run) {
            const auto found = answer(*all[run], asked[run]);
            QVERIFY2(found, found ? "" : found.error().message.c_str());
        }
    }
};

SLIPWAY_TEST(TstNodeLinks)
#include "tst_node_links.moc"
