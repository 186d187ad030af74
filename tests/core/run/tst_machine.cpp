#include "core/base/file.h"
#include "core/base/json.h"
#include "core/launch/computer.h"
#include "core/planner/plan.h"
#include "core/run/machine.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

class TstMachine : public QObject {
    Q_OBJECT

private slots:
    void readsTheBench_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<bool>("good");
        QTest::newRow("all") << R"({"threads": 2, "peak_flops": {"fp64": 5e10, "fp32": 1e11, "bf16": 2e10}})" << true;
        QTest::newRow("one") << R"({"threads": 2, "peak_flops": {"fp32": 1e11}})" << true;
        QTest::newRow("none") << R"({"threads": 2, "peak_flops": {}})" << false;
        QTest::newRow("nonsense") << R"({"threads": 2, "peak_flops": {"fp32": "fast"}})" << false;
        QTest::newRow("negative") << R"({"threads": 2, "peak_flops": {"fp32": -1}})" << false;
        QTest::newRow("list") << "[]" << false;
        QTest::newRow("no json") << "bench: error" << false;
    }
    void readsTheBench() {
        QFETCH(QString, json);
        const auto profile = profileFromBench(json.toStdString());
        QTEST(profile.has_value(), "good");
        if (profile) QCOMPARE(*profile->peakFp32Flops, 1e11);
    }

    void readsTheLink_data() {
        QTest::addColumn<QString>("link");
        QTest::addColumn<bool>("good");
        QTest::newRow("good") << R"({"latency_seconds": 3e-5, "bytes_per_second": 2e9})" << true;
        QTest::newRow("negative fit") << R"({"latency_seconds": -1e-6, "bytes_per_second": 2e9})" << false;
        QTest::newRow("no rate") << R"({"latency_seconds": 3e-5})" << false;
        QTest::newRow("not finite") << R"({"latency_seconds": 3e-5, "bytes_per_second": "inf"})" << false;
    }
    void readsTheLink() {
        QFETCH(QString, link);
        const auto profile =
            profileFromBench(R"({"threads": 2, "peak_flops": {"fp32": 1e11}, "link": )" + link.toStdString() + "}");
        QVERIFY(profile);
        QTEST(profile->link.has_value(), "good");
        if (profile->link) QCOMPARE(profile->link->bytesPerSecond, 2e9);
    }

    void saysWhenOthersRan() {
        QVERIFY(busyText(0.9, 2).empty());
        const QString busy = QString::fromStdString(textOf(busyText(8.2, 2)));
        QVERIFY2(busy.contains("load 8.2 on 2 CPUs") && busy.contains("slipway machine --measure"), qPrintable(busy));
    }

    void withoutAProfileThePeakIsUnknown() {
        TempDir temp;
        const ClusterSpec cluster = thisMachine(Home{temp.path()});
        QVERIFY(!cluster.device.peakFp32Flops);
        QVERIFY(cluster.device.memoryBytes > 0);
        QVERIFY(cluster.devicesPerNode >= 1);
    }

    void forgetsTheProfileOfAnotherComputer() {
        TempDir temp;
        QVERIFY(writeFileAtomically(
            temp.path() / "machine.json",
            R"({"cpu": "Another CPU", "cpus": 1024, "threads": 1024, "peak_flops": {"fp32": 1e13}, "measured_unix_ms": 1})"));
        QVERIFY(!machineProfile(Home{temp.path()}));
    }

    /// The first forecast uses the shipped stack; a finished run fits it to this computer, which a new measurement of the peaks keeps.
    void learnsFromRuns() {
        TempDir temp;
        const Home home{temp.path()};
        RunConfig config;
        config.train.globalBatchSize = 8;
        QVERIFY(learnFromRun(home, config, 1, 1));  // without a profile there is nothing to compare with
        QVERIFY(!machineProfile(home));
        const ComputerFacts facts = thisComputer();
        const Json measured = {
            {"cpu", facts.cpu}, {"cpus", facts.cpus}, {"threads", 1}, {"peak_flops", {{"fp32", 1e11}}}};
        QVERIFY(writeJsonFile(temp.path() / "machine.json", measured));
        const ClusterSpec first = thisMachine(home);
        QVERIFY(first.stack && first.calibration == "calibrated");
        const double forecast = makePlan(config, first).step.stepSeconds;
        QVERIFY(learnFromRun(home, config, 2 * forecast, 1));
        QVERIFY(learnFromRun(home, config, 1.5 * forecast, 1));
        QVERIFY(learnFromRun(home, config, 9 * forecast, 1 + 2 * static_cast<double>(facts.cpus)));  // beside others
        const auto profile = machineProfile(home);
        QVERIFY(profile && profile->stack);
        QCOMPARE(profile->runs.size(), std::size_t{1});  // the newest of its config
        QCOMPARE(profile->runs.front().stepSeconds, 1.5 * forecast);
        const ClusterSpec second = thisMachine(home);
        QCOMPARE(second.calibration, std::string("fitted"));
        QVERIFY(makePlan(config, second).step.stepSeconds > 1.1 * forecast);
    }

    void saysThatTheTrainerIsMissing() {
        TempDir temp;
        QCOMPARE(ensureMachineProfile(Home{temp.path()}, {}, 0).error().code, std::string("program_missing"));
    }
};

SLIPWAY_TEST(TstMachine)
#include "tst_machine.moc"
