// Curves from tables, published ones and bench records: what is read, what is assumed, what is refused.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/planner/presets.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/curve_sources.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {

namespace {

ClusterSpec h100s() {
    return *findDevicePreset("NVIDIA H100 SXM 80 GB");
}

/// Time of `bytes` by the curve itself.
double seconds(const CommCurve& c, double bytes) {
    return c.latencySeconds + ringBytes(c.operation, static_cast<double>(c.ranks), bytes) / c.bytesPerSecond;
}

bool near(double a, double b) {
    return std::fabs(a - b) <= 1e-9 * std::fabs(b);
}

const char* kHeader = "collective,message_mb,nodes,gpus,gb_per_s_mean,latency_us,source,date\n";

Result<CurveTable> read(const std::string& rows, BandwidthKind kind = BandwidthKind::Bus) {
    return readCurves(kHeader + rows, "t.csv", kind, h100s());
}

}  // namespace

class TstCurveSources : public QObject {
    Q_OBJECT

private slots:
    // At the size that was measured the curve gives the measured time, however its latency came about.
    void oneSize() {
        const auto table =
            read("all_reduce,256,2,16,361.7,,mine,2026-01\nall_gather,1,4,32,10,,,\nall_reduce,256,1,8,400,50,,\n");
        QVERIFY2(table, table ? "" : table.error().text().c_str());
        QCOMPARE(table->curves.size(), std::size_t{3});
        for (const CommCurve& c : table->curves) {
            const bool gather = c.operation == Collective::AllGather;
            const double bytes = gather ? 1e6 : 256e6, rate = gather ? 10e9 : c.ranks == 16 ? 361.7e9 : 400e9;
            QVERIFY(near(seconds(c, bytes), ringBytes(c.operation, static_cast<double>(c.ranks), bytes) / rate));
            QVERIFY(c.bytesPerSecond > rate);
        }
        const CommCurve &one = table->curves[0], &two = table->curves[1], &gathered = table->curves[2];
        QCOMPARE(one.latencySeconds, 50e-6);
        QVERIFY(one.inOneNode());
        QCOMPARE(two.ranksPerNode, 8);
        QCOMPARE(two.source + two.sourceDate, std::string("mine2026-01"));
        QVERIFY(near(two.latencySeconds, 30 * h100s().interNode.latencySeconds));
        // 31 hops of the link would take longer than what was measured: half of it.
        QVERIFY(near(gathered.latencySeconds, 0.5 * 31.0 / 32 * 1e6 / 10e9));
        QCOMPARE(table->notes.size(), std::size_t{2});
        QVERIFY(textOf(table->notes[0]).find("bus bandwidth") != std::string::npos);
        QCOMPARE(read("all_reduce,256,1,8,400,50,,\n")->notes.size(), std::size_t{1});
    }

    // The other convention counts the whole tensor: what a ring sends follows.
    void algorithmBandwidth() {
        const CommCurve bus = read("all_reduce,100,1,8,175,0,,\n")->curves.front();
        const CommCurve algorithm = read("all_reduce,100,1,8,100,0,,\n", BandwidthKind::Algorithm)->curves.front();
        QVERIFY(near(bus.bytesPerSecond, 175e9) && near(algorithm.bytesPerSecond, 175e9));
        QVERIFY(near(seconds(algorithm, 1e8), 1e-3));
    }

    void severalSizes() {
        std::string rows;
        for (const double megabytes : {0.1, 1.0, 64.0, 256.0}) {
            const double sent = 1.5 * megabytes * 1e6, time = 40e-6 + sent / 50e9;
            rows += "all_reduce," + std::to_string(megabytes) + ",1,4," +
                    QString::number(sent / time / 1e9, 'g', 17).toStdString() + ",,,\n";
        }
        const auto table = read(rows);
        QVERIFY(table.has_value());
        QVERIFY(std::fabs(table->curves.front().latencySeconds / 40e-6 - 1) < 1e-6);
        QVERIFY(std::fabs(table->curves.front().bytesPerSecond / 50e9 - 1) < 1e-6);
        QCOMPARE(table->notes.size(), std::size_t{1});
    }

    void refused_data() {
        QTest::addColumn<QString>("rows");
        QTest::addColumn<QString>("says");
        QTest::newRow("other collective") << "reduce,1,1,8,100,,,\n"
                                          << "one of all_reduce";
        QTest::newRow("one rank") << "all_reduce,1,1,1,100,,,\n"
                                  << "gpus must be";
        QTest::newRow("more nodes than ranks") << "all_reduce,1,9,8,100,,,\n"
                                               << "nodes must be";
        QTest::newRow("no node") << "all_reduce,1,0,8,100,,,\n"
                                 << "nodes must be";
        QTest::newRow("no bandwidth") << "all_reduce,1,1,8,0,,,\n"
                                      << "gb_per_s_mean";
        QTest::newRow("bandwidth nan") << "all_reduce,1,1,8,nan,,,\n"
                                       << "gb_per_s_mean";
        QTest::newRow("no size") << "all_reduce,,1,8,100,,,\n"
                                 << "message_mb";
        QTest::newRow("latency below 0") << "all_reduce,1,1,8,100,-1,,\n"
                                         << "latency_us must be";
        QTest::newRow("latency above the time") << "all_reduce,1,1,8,100,1000,,\n"
                                                << "must be below the time";
        QTest::newRow("twice") << "all_reduce,1,1,8,100,,,\nall_reduce,1,1,8,90,,,\n"
                               << "Line 2 has the same";
        QTest::newRow("more than any link") << "all_reduce,1,1,8,1e300,,,\n"
                                            << "bytes_per_second";
        QTest::newRow("no end") << "all_reduce,1e308,1,8,1,,,\n"
                                << "bytes_per_second";
        QTest::newRow("no rows") << ""
                                 << "no curves";
    }
    void refused() {
        QFETCH(QString, rows);
        QFETCH(QString, says);
        const auto table = read(rows.toStdString());
        QVERIFY(!table);
        QCOMPARE(table.error().code, std::string("bad_value"));
        QVERIFY2(QString::fromStdString(table.error().message).contains(says), table.error().text().c_str());
        QVERIFY(QString::fromStdString(table.error().where).startsWith("t.csv"));
    }
    void otherFiles() {
        QCOMPARE(readCurves("a,b\n1,2\n", "t", BandwidthKind::Bus, h100s()).error().code,
                 std::string("unknown_columns"));
        QCOMPARE(readCurves("{", "t", BandwidthKind::Bus, h100s()).error().code, std::string("json_syntax"));
        QCOMPARE(readCurves("{}", "t", BandwidthKind::Bus, h100s()).error().code, std::string("bad_value"));
        QCOMPARE(readCurves(R"([{"ranks": 2}])", "t", BandwidthKind::Bus, h100s()).error().code,
                 std::string("bad_config"));
        const auto list =
            readCurves(R"([{"operation": "send", "ranks": 2, "ranks_per_node": 1, "bytes_per_second": 4e10}])", "t",
                       BandwidthKind::Bus, h100s());
        QVERIFY(list && list->curves.front().operation == Collective::Send);
    }

    // What `slipway-trainer bench --comm --record` writes: times of whole tensors among the ranks of one computer.
    void benchRecord() {
        Json samples = Json::array();
        for (const double bytes : {1024.0, 131072.0, 4194304.0}) {
            samples.push_back({{"operation", "all_reduce"}, {"bytes", bytes}, {"seconds", 100e-6 + bytes / 2e9}});
            samples.push_back({{"operation", "all_gather"}, {"bytes", bytes}, {"seconds", 60e-6 + bytes / 4e9}});
            samples.push_back({{"operation", "send"}, {"bytes", bytes}, {"seconds", 30e-6 + bytes / 3e9}});
        }
        Json record{{"link", Json::object()}, {"comm", samples}};
        const auto table = readCurves(dumpJson(record, true), "bench.json", BandwidthKind::Algorithm, h100s());
        QVERIFY2(table, table ? "" : table.error().text().c_str());
        QCOMPARE(table->curves.size(), std::size_t{3});
        for (const CommCurve& c : table->curves) {
            QVERIFY(c.inOneNode() && c.ranks == 2 && c.sourceDate.empty());
            const double latency = c.operation == Collective::AllReduce   ? 100e-6
                                   : c.operation == Collective::AllGather ? 60e-6
                                                                          : 30e-6;
            const double rate = c.operation == Collective::AllReduce   ? 2e9
                                : c.operation == Collective::AllGather ? 4e9
                                                                       : 3e9;
            QVERIFY(std::fabs(c.latencySeconds / latency - 1) < 1e-9);
            QVERIFY(std::fabs(seconds(c, 1e7) / (latency + 1e7 / rate) - 1) < 1e-9);
        }
        record["comm_ranks"] = 4;
        record["comm_unix_ms"] = 1795305600000;
        const CommCurve four = readCurves(dumpJson(record, true), "b", BandwidthKind::Bus, h100s())->curves.front();
        QCOMPARE(four.ranks, 4);
        QCOMPARE(four.sourceDate, std::string("2026-11-22"));
        QVERIFY(std::fabs(seconds(four, 1e7) / (100e-6 + 1e7 / 2e9) - 1) < 1e-9);
        // And back through a cluster's document.
        ClusterSpec cluster = h100s();
        cluster.commCurves = table->curves;
        const auto again = readCurves(dumpJson(toJson(cluster), true), "c.json", BandwidthKind::Bus, h100s());
        QVERIFY(again && toJson(cluster)["comm_curves"].size() == again->curves.size());
        QCOMPARE(again->curves.back().bytesPerSecond, cluster.commCurves.back().bytesPerSecond);
        for (const char* bad :
             {R"({"comm": 1})", R"({"comm": [], "comm_ranks": 1})", R"({"comm": [{"operation": "send", "bytes": 1}]})",
              R"({"comm": [{"operation": "sent", "bytes": 1, "seconds": 1}]})"})
            QCOMPARE(readCurves(bad, "b", BandwidthKind::Bus, h100s()).error().code, std::string("bad_value"));
    }

    void published() {
        QVERIFY(!curvePresets().empty());
        for (const CurvePreset& preset : curvePresets()) {
            QVERIFY2(findDevicePreset(preset.device) != nullptr, preset.device.c_str());
            QVERIFY(!preset.source.empty() && !preset.date.empty() && findCurvePreset(preset.id) == &preset);
            const ClusterSpec cluster = *findDevicePreset(preset.device);
            const auto table = readCurves(preset.text, preset.id, BandwidthKind::Bus, cluster);
            QVERIFY2(table, table ? "" : table.error().text().c_str());
            for (const CommCurve& c : table->curves) {
                QCOMPARE(c.source, preset.source);
                QCOMPARE(c.sourceDate, preset.date);
                QVERIFY(c.ranksPerNode <= cluster.devicesPerNode && c.latencySeconds > 0);
            }
        }
        QVERIFY(findCurvePreset("h100") == nullptr);
    }

    // A table that says neither convention: read as bus bandwidth it agrees with NVLink of the same width, measured
    // elsewhere.
    void sharedTable() {
        const auto shared = readFile(SLIPWAY_SOURCE_DIR "/../shared/data/comm_bandwidth.csv");
        if (!shared) QSKIP("no ../shared/data/comm_bandwidth.csv");
        const auto table = readCurves(*shared, "shared", BandwidthKind::Bus, h100s());
        QVERIFY2(table, table ? "" : table.error().text().c_str());
        QCOMPARE(table->curves.size(), std::size_t{21});
        const auto h200 = readCurves(findCurvePreset("h200-all-reduce")->text, "h200", BandwidthKind::Bus, h100s());
        QVERIFY(h200 && h200->curves.size() == 1);
        const CommCurve &a = table->curves.front(), &b = h200->curves.front();
        QVERIFY(a.operation == b.operation && a.ranks == b.ranks && a.inOneNode() && b.inOneNode());
        QVERIFY(std::fabs(seconds(a, 256e6) / seconds(b, 256e6) - 1) < 0.1);
    }

    // Output of nccl-tests: fitted to within what two figures can say of twelve sizes.
    void ncclTests() {
        std::string text = "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 1 minBytes 8\n";
        for (int rank = 0; rank < 16; ++rank)
            text += "#  Rank " + std::to_string(rank) + " Group  0 Pid  1 on node-" + std::to_string(rank / 8) +
                    " device 0\n";
        text += "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
        for (const double bytes : {8388608.0, 268435456.0, 17179869184.0})
            text += std::to_string(static_cast<std::int64_t>(bytes)) + " 1 float sum -1 " +
                    std::to_string(100 + 1.875 * bytes / 450e9 * 1e6) + " 1.0 1.0 0\n";
        const auto table = readCurves(text, "logs/nccl.log", BandwidthKind::Algorithm, h100s());
        QVERIFY2(table, table ? "" : table.error().text().c_str());
        const CommCurve& curve = table->curves.front();
        QVERIFY(std::fabs(curve.latencySeconds / 100e-6 - 1) < 1e-3 &&
                std::fabs(curve.bytesPerSecond / 450e9 - 1) < 1e-3);
        QCOMPARE(curve.source, std::string("nccl-tests, nccl.log"));
        QCOMPARE(curve.ranksPerNode, 8);
    }
};

SLIPWAY_TEST(TstCurveSources)

}  // namespace slipway

#include "tst_curve_sources.moc"
