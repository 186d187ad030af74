// What a node tells before a run: judged in words, of any bytes.
#include "core/base/json.h"
#include "core/launch/preflight.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace slipway;

namespace {

Json healthy() {
    return Json{{"clock_unix_ms", 1},
                {"free_inodes", 1e6},
                {"shm_bytes", 1e10},
                {"open_files", 1048576},
                {"memory_limit_bytes", 1e12},
                {"available_memory_bytes", 1e11},
                {"governor", "performance"},
                {"load", 0.5},
                {"disk_bytes_per_second", 5e8},
                {"disk_problem", nullptr}};
}

/// "warning:disk_slow error:disk_error"
std::string codesOf(const Issues& issues) {
    std::string codes;
    for (const Issue& issue : issues)
        codes += (codes.empty() ? "" : " ") + std::string(issue.severity == Severity::Error ? "error:" : "warning:") +
                 issue.code;
    return codes;
}

}  // namespace

class TstPreflight : public QObject {
    Q_OBJECT

private slots:
    void judgesWhatANodeTells_data() {
        QTest::addColumn<QString>("change");  // of a healthy node
        QTest::addColumn<bool>("onGpus");
        QTest::addColumn<QString>("codes");
        QTest::newRow("healthy") << "{}" << true << "";
        QTest::newRow("nothing is known") << R"({"free_inodes": null, "shm_bytes": null, "open_files": null,
            "memory_limit_bytes": null, "available_memory_bytes": null, "governor": null, "load": null,
            "disk_bytes_per_second": null})"
                                          << true << "";
        QTest::newRow("any kind") << R"({"free_inodes": "many", "open_files": -3, "disk_problem": 7,
            "disk_bytes_per_second": [1], "governor": {"a": 1}})"
                                  << true << "";
        QTest::newRow("disk that fails") << R"({"disk_problem": "Input/output error"})" << false << "error:disk_error";
        QTest::newRow("slow disk") << R"({"disk_bytes_per_second": 1e6})" << false << "warning:disk_slow";
        QTest::newRow("no inodes") << R"({"free_inodes": 0})" << false << "error:disk_full";
        QTest::newRow("few inodes") << R"({"free_inodes": 500})" << false << "warning:few_inodes";
        QTest::newRow("a container's shm") << R"({"shm_bytes": 67108864})" << true << "warning:shared_memory_short";
        QTest::newRow("CPUs need none") << R"({"shm_bytes": 67108864})" << false << "";
        QTest::newRow("few files") << R"({"open_files": 256})" << false << "warning:few_open_files";
        QTest::newRow("a small group") << R"({"memory_limit_bytes": 1e8})" << false << "warning:memory_tight";
        QTest::newRow("powersave") << R"({"governor": "powersave"})" << false << "warning:cpu_saves_power";
    }
    void judgesWhatANodeTells() {
        QFETCH(QString, change);
        QFETCH(bool, onGpus);
        QFETCH(QString, codes);
        Json told = healthy();
        told.merge_patch(*parseJson(change.toStdString(), "change"));
        const NodeHealth health = readHealth(told);
        const Issues issues = checkHealth(health, "b", 2, onGpus);
        QCOMPARE(QString::fromStdString(codesOf(issues)), codes);
        for (const Issue& issue : issues) {
            QCOMPARE(issue.field, std::string("b"));
            QVERIFY2(issue.message.find(" b ") != std::string::npos || issue.message.starts_with("b "),
                     issue.message.c_str());
        }
        QVERIFY(toJson(health).contains("gpu_states"));
    }

    void judgesGpus_data() {
        QTest::addColumn<QString>("printed");
        QTest::addColumn<QString>("codes");
        QTest::newRow("idle") << "0, 535.104.05, 4, 81559, Disabled, 0, 0x0000000000000001\n"
                              << "";
        QTest::newRow("used by another") << "0, 535.104.05, 40000, 81559, Disabled, 0, 0x0\n"
                                         << "warning:gpu_busy";
        QTest::newRow("memory errors") << "3, 535.104.05, 4, 81559, Disabled, 12, 0x0\n"
                                       << "warning:gpu_memory_errors";
        QTest::newRow("hot") << "0, 535.104.05, 4, 81559, Disabled, 0, 0x0000000000000060\n"
                             << "warning:gpu_slowed";
        QTest::newRow("divided") << "0, 535.104.05, 4, 81559, Enabled, 0, 0x0\n"
                                 << "warning:gpu_partitioned";
        QTest::newRow("consumer's card") << "0, 535.104.05, 4, 24564, [N/A], [N/A], [N/A]\n"
                                         << "";
        QTest::newRow("no driver") << "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
                                   << "";
        QTest::newRow("hostile") << "99999999999999999999, x\n-1,2,3\n,,,,,,\n0x1,\x1b[2J,9e99,0,Enabled\n"
                                 << "warning:gpu_partitioned";
    }
    void judgesGpus() {
        QFETCH(QString, printed);
        QFETCH(QString, codes);
        NodeHealth health = readHealth(healthy());
        health.gpus = gpuStatesIn(printed.toStdString());
        QCOMPARE(QString::fromStdString(codesOf(checkHealth(health, "b", 2, true))), codes);
        QVERIFY(checkHealth(health, "b", 2, false).empty());
    }

    void readsAtMostSoManyGpus() {
        std::string printed;
        for (int i = 0; i < 1000; ++i) printed += std::to_string(i % 60) + ", 1, 1, 2, Disabled, 0, 0x0\n";
        QCOMPARE(gpuStatesIn(printed).size(), std::size_t(64));
    }

    // Beyond some nodes the connections that are tried grow with the nodes: a ring, and some that are drawn.
    void triesEveryPairOfFewNodesAndSomeOfMany() {
        for (const std::size_t nodes : {2U, 16U, 17U, 100U}) {
            std::size_t all = 0;
            for (std::size_t node = 1; node < nodes; ++node) {
                const std::vector<std::size_t> others = nodesThatTry(node, nodes, 7);
                QCOMPARE(others.front(), (node + 1) % nodes);
                const std::set<std::size_t> unique(others.begin(), others.end());
                QCOMPARE(unique.size(), others.size());
                QVERIFY(!unique.contains(node) && *unique.rbegin() < nodes);
                all += others.size();
            }
            QCOMPARE(all, (nodes - 1) * (nodes > 16 ? 8 : nodes - 1));
        }
        QVERIFY(nodesThatTry(3, 100, 7) != nodesThatTry(3, 100, 8));
    }
};

SLIPWAY_TEST(TstPreflight)
#include "tst_preflight.moc"
