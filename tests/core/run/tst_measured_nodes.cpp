// Documents of slipway-trainer bench from several nodes as one cluster: the slowest counts, and any bytes may come.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/planner/presets.h"
#include "core/run/measured_nodes.h"
#include "core/spec/run_config.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr std::int64_t kTime = 1795305600000;  // 2026-11-22

Json comm(std::int64_t ranks, std::int64_t perNode, double bytesPerSecond, double latencySeconds) {
    Json samples = Json::array();
    for (const double bytes : {1e3, 1e6, 64e6})
        samples.push_back(
            {{"operation", "send"}, {"bytes", bytes}, {"seconds", latencySeconds + bytes / bytesPerSecond}});
    return {{"comm_ranks", ranks},
            {"comm_ranks_per_node", perNode},
            {"comm", samples},
            {"link", {{"bytes_per_second", bytesPerSecond}, {"latency_seconds", latencySeconds}}}};
}

NodesBench::Node gpuNode(const std::string& name, double peak) {
    NodesBench::Node node;
    node.name = name;
    node.facts.gpus = {"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"};
    node.facts.trainerVersion = "0.10.0";
    node.numRanks = 2;
    node.alone =
        dumpJson(Json{{"gpu", {{"peak_flops", {{"bf16", peak}}}, {"memory_bytes_per_second", 2.5e12}}}}, false);
    node.inside = dumpJson(comm(2, 2, 150e9, 1e-5), false);
    return node;
}

}  // namespace

class TstMeasuredNodes : public QObject {
    Q_OBJECT

private slots:
    void gpusAreTheLibrarysDevice() {
        const auto measured = clusterOfBench({gpuNode("a", 700e12), gpuNode("b", 600e12)},
                                             dumpJson(comm(4, 2, 20e9, 4e-5), false), kTime);
        QVERIFY2(measured, measured ? "" : measured.error().message.c_str());
        const ClusterSpec& cluster = measured->cluster;
        const ClusterSpec* preset = findDevicePreset("NVIDIA H100 SXM 80 GB");
        QVERIFY(preset != nullptr);
        QCOMPARE(cluster.device.name, preset->device.name);
        QCOMPARE(cluster.device.memoryBytes, preset->device.memoryBytes);
        QCOMPARE(cluster.gemmEfficiency, 600e12 / *preset->device.peakBf16Flops);
        QCOMPARE(cluster.devicesPerNode, std::int64_t(2));
        QCOMPARE(cluster.numNodes, std::int64_t(2));
        QCOMPARE(cluster.intraNode.bytesPerSecond, 150e9);
        QCOMPARE(cluster.interNode.bytesPerSecond, 20e9);
        QCOMPARE(cluster.commCurves.size(), std::size_t(2));
        QVERIFY(cluster.commCurves[0].inOneNode() && !cluster.commCurves[1].inOneNode());
        QVERIFY(std::fabs(cluster.commCurves[1].bytesPerSecond / 20e9 - 1) < 1e-6);
        QCOMPARE(cluster.commCurves[1].source, std::string("measured on a, b, slipway-trainer 0.10.0"));
        QCOMPARE(cluster.device.sourceDate, std::string("2026-11-22"));
        QVERIFY(curveIssues(cluster.commCurves, "comm_curves").empty());
    }

    void refusesWhatIsNoMeasurement_data() {
        QTest::addColumn<QString>("alone");
        QTest::addColumn<QString>("code");
        QTest::newRow("nothing") << ""
                                 << "bad_profile";
        QTest::newRow("no object") << "[1]"
                                   << "bad_profile";
        QTest::newRow("no peak") << R"({"gpu": {}})"
                                 << "bad_profile";
        QTest::newRow("text") << R"({"gpu": {"peak_flops": {"bf16": "fast"}}})"
                              << "bad_profile";
        QTest::newRow("negative") << R"({"gpu": {"peak_flops": {"bf16": -1}}})"
                                  << "bad_profile";
        QTest::newRow("infinite") << R"({"gpu": {"peak_flops": {"bf16": "Infinity"}}})"
                                  << "bad_profile";
    }
    void refusesWhatIsNoMeasurement() {
        QFETCH(QString, alone);
        QFETCH(QString, code);
        NodesBench::Node node = gpuNode("a", 1);
        node.alone = alone.toStdString();
        const auto measured = clusterOfBench({node}, "", kTime);
        QVERIFY(!measured);
        QCOMPARE(measured.error().code, code.toStdString());
        QVERIFY2(measured.error().message.find("on a") != std::string::npos, measured.error().message.c_str());
        node.facts.gpus.clear();
        QCOMPARE(clusterOfBench({node}, "", kTime).error().code, std::string("bad_profile"));
    }

    void refusesGpusThatTheLibraryLacks() {
        NodesBench::Node node = gpuNode("a", 1e12);
        node.facts.gpus = {"Voodoo 2"};
        const auto measured = clusterOfBench({node}, "", kTime);
        QCOMPARE(measured.error().code, std::string("gpu_unknown"));
        QVERIFY(measured.error().message.find("Voodoo 2 of a") != std::string::npos);
    }

    void namesWhatBecameSlower() {
        const auto at = [](double peak, double link) {
            return *clusterOfBench({gpuNode("a", 700e12), gpuNode("b", peak)}, dumpJson(comm(4, 2, link, 4e-5), false),
                                   kTime);
        };
        const auto before = at(600e12, 20e9);
        QVERIFY(slowerThanBefore(before, before).empty());
        QVERIFY(slowerThanBefore(before, at(560e12, 19e9)).empty());  // within what measurements vary
        QVERIFY(slowerThanBefore(before, at(900e12, 40e9)).empty());
        const auto slower = slowerThanBefore(before, at(480e12, 10e9));
        QCOMPARE(slower.size(), std::size_t(2));
        QCOMPARE(textOf(slower[0]), "Products on b are " + formatPercent(0.2) +
                                        " slower than on 2026-11-22; check clocks, cooling and other programs.");
        QVERIFY(textOf(slower[1]).starts_with("The links between the nodes are "));
        QVERIFY(slowerThanBefore(*clusterOfBench({gpuNode("c", 9e14)}, "", kTime), at(1e12, 1e9)).empty());
    }

    void keepsTheNewestOfTheSameNodes() {
        const TempDir temp;
        const Home home{temp.path()};
        QVERIFY(measuredNodes(home).empty());
        QCOMPARE(findMeasuredNodes(home, {"a"}).error().code, std::string("not_measured"));
        for (const auto& [peak, time] : {std::pair{600e12, kTime}, {500e12, kTime + 1}}) {
            const auto measured = clusterOfBench({gpuNode("b", peak), gpuNode("a", peak)}, "", time);
            QVERIFY(measured && writeMeasuredNodes(home, *measured));
        }
        QVERIFY(writeMeasuredNodes(home, *clusterOfBench({gpuNode("a", 400e12)}, "", kTime - 1)));
        QVERIFY(writeFileAtomically(home.path / "nodes" / "measured" / "other.json", "{\"nodes\": 3}"));
        const auto all = measuredNodes(home);
        QCOMPARE(all.size(), std::size_t(2));
        QCOMPARE(all[0].unixMilliseconds, kTime + 1);
        QCOMPARE(all[0].names(), (std::vector<std::string>{"b", "a"}));
        const auto found = findMeasuredNodes(home, {"a", "b"});
        QVERIFY(found);
        QCOMPARE(*found->nodes[0].peakBf16Flops, 500e12);
        QVERIFY(toJson(found->cluster) == toJson(all[0].cluster));
        // Without b alone, b is as slow as the pair.
        const auto among = findMeasuredNodes(home, {"b"});
        QVERIFY(among);
        QCOMPARE(*among->nodes[0].peakBf16Flops, 500e12);
        QCOMPARE(among->cluster.numNodes, std::int64_t(1));
        QVERIFY(isMeasuredHere(among->cluster) && !isMeasuredHere(*findDevicePreset("NVIDIA H100 SXM 80 GB")));
        QVERIFY(!findMeasuredNodes(home, {}));
        QCOMPARE(findMeasuredNodes(home, {"a", "c"}).error().code, std::string("not_measured"));
    }
};

SLIPWAY_TEST(TstMeasuredNodes)
#include "tst_measured_nodes.moc"
