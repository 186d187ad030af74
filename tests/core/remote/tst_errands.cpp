// Requests in sequence, those that join, statuses that a node holds back, and the hash of a file; with a real agent behind a fake ssh.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/process/host_identity.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "core/remote/errands.h"
#include "core/spec/agent_files.h"
#include "core/spec/run_dir.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

struct At {
    FakeNodes fake;
    NodeRecord node;
    std::unique_ptr<NodeLink> link;
    Errands errands;
    std::string asked;  // a letter for each request made, a capital for its answer

    At() {
        node.name = node.host = "a";
        SshOptions options;
        options.agent = fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
        link = std::make_unique<NodeLink>(node, options);
    }
    Errand letter(char name, const Json& request = Json{{"do", "hello"}}) {
        Errand errand = simpleErrand(request);
        errand.make = [this, name, make = errand.make] {
            asked += name;
            return make();
        };
        errand.take = [this, name, take = errand.take](const Frame& frame, const Error* error) {
            asked += static_cast<char>(std::toupper(name));
            return take(frame, error);
        };
        return errand;
    }
    bool poll() {
        for (const LinkAnswer& answer : link->poll(monotonicSecondsNow())) errands.take(answer);
        errands.poll(*link, monotonicSecondsNow());
        return errands.done();
    }
};

/// Overwrites the first bytes.
bool overwrite(const fs::path& path, const std::string& text) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file << text << std::flush;
    return file.good();
}

}  // namespace

class TstErrands : public QObject {
    Q_OBJECT

private slots:
    void onlyThoseThatJoinAreSentTogether() {
        At at;
        at.errands.add(at.letter('a'));
        at.errands.add(joining(at.letter('b')));
        at.errands.add(at.letter('c'));
        QVERIFY(waitUntil(60, [&] { return at.poll(); }));
        QVERIFY(!at.errands.error());
        QVERIFY2(at.asked.starts_with("ab"), at.asked.c_str());
        QVERIFY2(at.asked.ends_with("cC") && at.asked.size() == 6, at.asked.c_str());
    }

    void whatFollowsAFailureIsNotSent() {
        At at;
        at.errands.add(at.letter('a', Json{{"do", "read"}, {"run", "../x"}}));
        at.errands.add(joining(at.letter('b')));
        at.errands.add(at.letter('c'));
        QVERIFY(waitUntil(60, [&] { return at.poll(); }));
        QVERIFY(at.errands.error());
        QVERIFY2(at.asked.find('c') == std::string::npos, at.asked.c_str());
    }

    // What was sent and not answered is sent again, and what was answered is not.
    void goesOnAfterALostLink() {
        At at;
        at.errands.add(at.letter('a'));
        QVERIFY(waitUntil(60, [&] { return at.poll(); }));
        at.errands.add(at.letter('b'));
        at.errands.add(joining(at.letter('c')));
        at.fake.cut("a");
        at.errands.poll(*at.link, monotonicSecondsNow());
        QCOMPARE(QString::fromStdString(at.asked), QString("aAbc"));
        QVERIFY(waitUntil(60, [&] { return at.poll(); }));
        QVERIFY(!at.errands.error());
        QVERIFY2(at.asked.starts_with("aAbcbc") && at.asked.size() == 8, at.asked.c_str());
    }

    // The node answers for a run at the end of its agent, and does not hold the status of one that is gone.
    void aStatusComesWithTheEndOfTheAgent() {
        At at;
        ProcessSpec spec;
        spec.arguments = {"/bin/sleep", "1000"};
        auto agent = Process::start(spec);
        QVERIFY(agent);
        const RunDir there{at.fake.home("a") / ".local/share/slipway-node/runs/r"};
        QVERIFY(makeFolders(there.agentFolder("a")));
        fs::permissions(at.fake.home("a") / ".local/share/slipway-node", fs::perms::owner_all);
        AgentId id;
        id.runId = "r";
        id.attempt = 1;
        id.node = "a";
        id.host = thisHost().host;
        id.bootId = thisHost().bootId;
        id.pidNamespace = thisHost().pidNamespace;
        id.pid = agent->pid();
        id.startTicks = processStartTicks(agent->pid()).value_or(0);
        QVERIFY(writeJsonFile(there.agentFolder("a") / "id.json", toJson(id)));
        std::string presence, known;
        const auto status = [&](int patience) {
            presence.clear();
            at.errands.add(simpleErrand(Json{{"do", "status"},
                                             {"home", ""},
                                             {"run", "r"},
                                             {"node", "a"},
                                             {"attempt", 1},
                                             {"known", known},
                                             {"patience_ms", patience}},
                                        {}, [&](const Frame& frame) {
                                            presence = (*frame.header)["presence"].get<std::string>();
                                            known = (*frame.header)["digest"].get<std::string>();
                                        }));
        };
        constexpr int kMost = 5000;
        status(0);
        QVERIFY(waitUntil(60, [&] { return at.poll(); }));
        QCOMPARE(presence, std::string("alive"));
        status(100);
        QVERIFY(waitUntil(60, [&] { return at.poll(); }));
        QCOMPARE(presence, std::string("alive"));
        status(kMost);
        at.errands.add(joining(at.letter('b')));
        QVERIFY(waitUntil(60, [&] { return !at.poll() && at.asked == "bB"; }));  // the others are not held up
        QVERIFY(presence.empty());
        const double killed = monotonicSecondsNow();
        agent->signal(SIGKILL);
        QVERIFY(agent->wait(10));
        QVERIFY(waitUntil(60, [&] { return at.poll(); }));
        QCOMPARE(presence, std::string("gone"));
        QVERIFY(monotonicSecondsNow() - killed < 1e-3 * kMost - 0.5);
        status(kMost);
        const double asked = monotonicSecondsNow();
        QVERIFY(waitUntil(60, [&] { return at.poll(); }));
        QCOMPARE(presence, std::string("gone"));
        QVERIFY(monotonicSecondsNow() - asked < 1e-3 * kMost - 0.5);
    }

    // A file that is known is not read again, and one that has changed is. It is larger than a piece, so that reading takes several polls.
    void hashesAFileOnce() {
        TempDir temp;
        const fs::path file = temp.path() / "tokens";
        const auto hash = [&](int& polls) {
            FileHash one(file);
            polls = 0;
            while (!one.poll().value_or(true)) ++polls;
            return one.sha256();
        };
        constexpr std::uintmax_t kBytes = 40'000'000;
        QVERIFY(writeFileAtomically(file, "one"));
        fs::resize_file(file, kBytes);
        int polls = 0;
        const std::string first = hash(polls);
        QVERIFY(polls > 0);
        // Once it has not been written for two seconds.
        QVERIFY(waitUntil(60, [&] { return hash(polls) == first && polls == 0; }));
        const auto time = fs::last_write_time(file);
        QVERIFY(overwrite(file, "two"));
        fs::last_write_time(file, time);
        QVERIFY(hash(polls) != first && polls > 0);
        QCOMPARE(fs::file_size(file), kBytes);
    }
};

SLIPWAY_TEST(TstErrands)
#include "tst_errands.moc"
