// The index is deleted under a launch that follows its run, alone or with the run's folder.
#include "core/process/proc_facts.h"
#include "core/run/run_actions.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

class TstIndexFlow : public QObject {
    Q_OBJECT

private slots:
    // The run's row is made again from its folder, and one Ctrl-C ends the launch; without a folder it ends with the reason.
    void oneInterruptEndsAFollower_data() {
        QTest::addColumn<bool>("withFolder");
        QTest::addColumn<int>("interrupts");
        QTest::addColumn<int>("code");
        QTest::newRow("index, one Ctrl-C") << false << 1 << kExitInterrupted;
        QTest::newRow("index and folder, one Ctrl-C") << true << 1 << kExitFailed;
        QTest::newRow("index and folder, none") << true << 0 << kExitFailed;
    }
    void oneInterruptEndsAFollower() {
        QFETCH(bool, withFolder);
        QFETCH(int, interrupts);
        QFETCH(int, code);
        CliBench bench;
        const Home& home = bench.at.home;
        RunDir folder;
        bool isLost = false;
        bench.interrupts = [&] {
            if (isLost) return interrupts;
            std::error_code none;
            for (const auto& entry : fs::directory_iterator(home.runs(), none))
                if (!entry.path().filename().string().starts_with(".")) folder = RunDir{entry.path()};
            if (readFile(folder.metrics()).value_or("").find("\"step\":4,") == std::string::npos) return 0;
            for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(home.index().string() + suffix);
            if (withFolder) fs::remove_all(folder.path);
            isLost = true;
            return interrupts;
        };
        const auto outcome =
            bench.run({"launch", bench.file("config.json", toJson(tinyConfig("long [ms=20]", 3000)).dump())});
        QVERIFY(isLost);
        QVERIFY2(outcome.code == code, (std::to_string(outcome.code) + ": " + outcome.out + outcome.err).c_str());
        const RunId id(folder.path.filename().string());
        if (withFolder) {
            QVERIFY2((outcome.out + outcome.err).find("deleted") != std::string::npos, outcome.err.c_str());
            (void)endRunWithoutFolder(id, true);  // what a stop request did not reach
            QVERIFY(waitUntil(20, [&] { return processesWithEnvironment({"SLIPWAY_RUN_ID=" + id.value}).empty(); }));
            return;
        }
        auto store = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY(store);
        const auto run = store->run(id);
        QVERIFY2(run, run ? "" : run.error().text().c_str());
        QCOMPARE(run->status, RunStatus::Cancelled);
    }
};

SLIPWAY_TEST(TstIndexFlow)
#include "tst_index_flow.moc"
