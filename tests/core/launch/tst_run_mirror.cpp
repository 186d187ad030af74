// What a node may write here, with a real agent behind a fake ssh.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/launch/run_mirror.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <algorithm>
#include <fstream>

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
};

SLIPWAY_TEST(TstRunMirror)
#include "tst_run_mirror.moc"
