// The table of curves in a cluster's JSON: what is read, what is refused, and that a cluster without one is written as
// ever.
#include "core/spec/run_config.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

namespace slipway {

class TstCommCurve : public QObject {
    Q_OBJECT

    static std::string curve(const std::string& fields) {
        return R"({"comm_curves": [{"operation": "all_reduce", "ranks": 8, "ranks_per_node": 8, "bytes_per_second": 4e11}, {)" +
               fields + "}]}";
    }

private slots:
    void roundTrip() {
        const std::string text = curve(
            R"("operation": "all_gather", "ranks": 16, "ranks_per_node": 8, "latency_seconds": 6e-05, "bytes_per_second": 180e9, "source": "mine", "source_date": "2026-01")");
        Issues issues;
        const ClusterSpec cluster = clusterFromJson(*parseJson(text, "test"), issues);
        QVERIFY2(issues.empty(), issues.empty() ? "" : issues.front().message.c_str());
        const ClusterSpec again = clusterFromJson(toJson(cluster), issues);
        QVERIFY(issues.empty());
        QCOMPARE(again.commCurves.size(), std::size_t{2});
        const CommCurve& c = again.commCurves.back();
        QVERIFY(c.operation == Collective::AllGather);
        QCOMPARE(c.ranks, 16);
        QCOMPARE(c.ranksPerNode, 8);
        QVERIFY(!c.inOneNode() && again.commCurves.front().inOneNode());
        QCOMPARE(c.latencySeconds, 6e-5);
        QCOMPARE(c.bytesPerSecond, 180e9);
        QCOMPARE(c.source + c.sourceDate, std::string("mine2026-01"));
        QVERIFY(!toJson(ClusterSpec{}).contains("comm_curves"));
    }

    void refused_data() {
        QTest::addColumn<QString>("fields");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* name, const char* fields, const char* code, const char* field) {
            QTest::newRow(name) << fields << code << QString("cluster.comm_curves.1%1").arg(field);
        };
        const char* range = "out_of_range";
        row("no group", R"("bytes_per_second": 1e9)", range, ".ranks");
        row("no ranks per node", R"("ranks": 4, "bytes_per_second": 1e9)", range, ".ranks_per_node");
        row("no speed", R"("ranks": 4, "ranks_per_node": 4)", range, ".bytes_per_second");
        row("one rank", R"("ranks": 1, "ranks_per_node": 1, "bytes_per_second": 1e9)", range, ".ranks");
        row("more in a node than there are", R"("ranks": 4, "ranks_per_node": 8, "bytes_per_second": 1e9)", range,
            ".ranks_per_node");
        row("speed 0", R"("ranks": 4, "ranks_per_node": 4, "bytes_per_second": 0)", range, ".bytes_per_second");
        row("speed below 0", R"("ranks": 4, "ranks_per_node": 4, "bytes_per_second": -1e9)", range,
            ".bytes_per_second");
        row("speed not a number", R"("ranks": 4, "ranks_per_node": 4, "bytes_per_second": "nan")", range,
            ".bytes_per_second");
        row("speed without end", R"("ranks": 4, "ranks_per_node": 4, "bytes_per_second": "inf")", range,
            ".bytes_per_second");
        row("latency below 0", R"("ranks": 4, "ranks_per_node": 4, "bytes_per_second": 1e9, "latency_seconds": -1e-6)",
            range, ".latency_seconds");
        row("latency not a number",
            R"("ranks": 4, "ranks_per_node": 4, "bytes_per_second": 1e9, "latency_seconds": "nan")", range,
            ".latency_seconds");
        row("other operation",
            R"("operation": "all_reduced", "ranks": 4, "ranks_per_node": 4, "bytes_per_second": 1e9)", "unknown_choice",
            ".operation");
        row("twice", R"("ranks": 8, "ranks_per_node": 8, "bytes_per_second": 1e9)", "bad_value", "");
        row("other key", R"("ranks": 4, "ranks_per_node": 4, "bytes_per_second": 1e9, "nodes": 1)", "unknown_key",
            ".nodes");
    }
    void refused() {
        QFETCH(QString, fields);
        QFETCH(QString, code);
        QFETCH(QString, field);
        const auto json = parseJson(curve(fields.toStdString()), "test");
        QVERIFY(json.has_value());
        Issues issues;
        clusterFromJson(*json, issues);
        QVERIFY(!issues.empty());
        QCOMPARE(QString::fromStdString(issues.front().code), code);
        QCOMPARE(QString::fromStdString(issues.front().field), field);
    }
};

SLIPWAY_TEST(TstCommCurve)

}  // namespace slipway

#include "tst_comm_curve.moc"
