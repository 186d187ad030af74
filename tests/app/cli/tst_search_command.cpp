// `slipway search` as a person and as a program see it.
#include "core/base/units.h"
#include "core/sweep/sweep_file.h"
#include "core/sweep/trial.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace slipway::test {

namespace {

constexpr const char* kConfig =
    R"({"model": {"num_layers": 4, "hidden_size": 128, "num_heads": 4, "num_kv_heads": 2}, "data": {"tokens": "tiny.tok"},
        "train": {"seq_len": 128, "global_batch_size": 8, "micro_batch_size": 2}, "parallel": {"dp": 4}})";
constexpr const char* kCluster =
    R"({"device": {"name": "T", "memory_bytes": 16e9, "peak_fp32_flops": 1e11, "memory_bytes_per_second": 2e10}, "devices_per_node": 4})";

}  // namespace

class TstSearchCommand : public QObject {
    Q_OBJECT
private slots:
    void listsTheBest() {
        CliBench bench;
        const std::string config = bench.file("config.json", kConfig), cluster = bench.file("cluster.json", kCluster);
        const auto table = bench.run({"search", config, "--cluster", cluster, "--limit", "3"});
        QVERIFY2(table.code == 0, table.err.c_str());
        QVERIFY2(QString::fromStdString(table.out).contains("micro-batch") &&
                     QString::fromStdString(table.out).contains("layouts in"),
                 table.out.c_str());
        const auto got = bench.run({"search", config, "--cluster", cluster, "--limit", "3", "--json"});
        const Json found = *parseJson(got.out, "out");
        QCOMPARE(found["best"].size(), std::size_t{3});
        QVERIFY(found["best"][0]["step_seconds"] <= found["best"][1]["step_seconds"]);
        QVERIFY(found["best"][0]["step_seconds_low"] < found["best"][0]["step_seconds"]);
        // Each entry is alone of its kind and names those like it; every layout by itself on demand.
        std::set<std::string> kinds;
        for (const Json& layout : found["best"]) {
            // A field that does not apply, such as the schedule of one pipeline rank, is not written.
            std::string kind = layout["micro_batch_size"].dump() + layout["recompute"].dump();
            for (const char* field : {"tp", "pp", "cp", "dp", "schedule", "virtual_stages"})
                kind += " " + layout["parallel"].value(field, Json()).dump();
            kinds.insert(kind);
            for (const Json& other : layout["alternatives"]) {
                QVERIFY(!other["change"].get<std::string>().empty());
                QVERIFY(other["step_seconds"].get<double>() <= 1.01 * layout["step_seconds"].get<double>());
            }
        }
        QCOMPARE(kinds.size(), found["best"].size());
        const Json every = *parseJson(
            bench.run({"search", config, "--cluster", cluster, "--limit", "3", "--json", "--variants"}).out, "out");
        QVERIFY(found["distinct"] == true && every["distinct"] == false && !every["best"][0].contains("alternatives"));
        QVERIFY(every["best"][2]["step_seconds"] <= found["best"][2]["step_seconds"]);
        double sum = 0;
        for (const Json& count : found["counts"]) sum += count["layouts"].get<double>();
        QCOMPARE(sum, found["num_layouts"].get<double>());
    }
    void keepsToTheLimits() {
        CliBench bench;
        const std::string config = bench.file("config.json", kConfig), cluster = bench.file("cluster.json", kCluster);
        const auto got = bench.run({"search", config, "--cluster", cluster, "--fix", "tp=2", "--fix", "pp<=1", "--fix",
                                    "recompute=full", "--devices", "2", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const Json found = *parseJson(got.out, "out");
        for (const Json& layout : found["best"]) {
            QCOMPARE(layout["devices"].get<int>(), 2);
            QCOMPARE(layout["parallel"]["tp"].get<int>(), 2);
            QCOMPARE(layout["recompute"].get<std::string>(), std::string("full"));
        }
    }
    void saysWhyNot_data() {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("said");
        QTest::newRow("slower") << "tp=2,pp=2,micro_batch_size=1"
                                << "slower than the best";
        QTest::newRow("heads") << "tp=8"
                               << "not a multiple of";
        QTest::newRow("devices") << "dp=3,tp=1"
                                 << "not legal";
    }
    void saysWhyNot() {
        QFETCH(QString, layout);
        QFETCH(QString, said);
        CliBench bench;
        const std::string config = bench.file("config.json", kConfig), cluster = bench.file("cluster.json", kCluster);
        const auto got = bench.run({"search", config, "--cluster", cluster, "--why", layout.toStdString()});
        QVERIFY2(got.code == 0, got.err.c_str());
        QVERIFY2(QString::fromStdString(got.out).contains(said), got.out.c_str());
    }
    void tooLittleMemoryIsExplained() {
        CliBench bench;
        const std::string config = bench.file("config.json", kConfig);
        const std::string cluster = bench.file(
            "small.json",
            R"({"device": {"name": "T", "memory_bytes": 1e6, "peak_fp32_flops": 1e11, "memory_bytes_per_second": 2e10}})");
        const auto got = bench.run({"search", config, "--cluster", cluster, "--why", "config"});
        QCOMPARE(got.code, 1);
        QVERIFY2(QString::fromStdString(got.out).contains("No layout fits") &&
                     QString::fromStdString(got.out).contains("It does not fit: pipeline rank 0 needs"),
                 got.out.c_str());
    }
    void memoryIsLimited() {
        CliBench bench;
        const std::string config = bench.file("config.json", kConfig), cluster = bench.file("cluster.json", kCluster);
        const std::vector<std::string> all = {"search", config, "--cluster", cluster, "--json", "--limit", "100"};
        const auto peaks = [&](const std::vector<std::string>& arguments) {
            std::vector<double> bytes;
            const Json found = *parseJson(bench.run(arguments).out, "out");
            for (const Json& layout : found["best"]) bytes.push_back(layout["memory_peak_bytes"].get<double>());
            return bytes;
        };
        std::vector<double> free = peaks(all);
        QVERIFY(free.size() > 2);
        std::sort(free.begin(), free.end());
        const double limit = (free.front() + free.back()) / 2;
        std::vector<std::string> limited = all;
        limited.insert(limited.end(), {"--memory", std::to_string(limit / kGiB)});
        const std::vector<double> held = peaks(limited);
        QVERIFY(!held.empty());
        for (const double bytes : held) QVERIFY(bytes <= limit * 1.0001);
    }
    void writesASweep() {
        CliBench bench;
        const std::string config = bench.file("config.json", kConfig), cluster = bench.file("cluster.json", kCluster);
        const std::string sweep = (bench.at.temp.path() / "best.json").string();
        const auto got = bench.run({"search", config, "--cluster", cluster, "--sweep", sweep});
        QVERIFY2(got.code == 0, got.err.c_str());
        const auto file = readSweepFile(sweep);
        QVERIFY2(file.has_value(), file ? "" : file.error().text().c_str());
        // Every point can be trained and is the layout that the search listed.
        const std::vector<Trial> trials = expandSweep(*file);
        const Json listed = *parseJson(
            bench.run({"search", config, "--cluster", cluster, "--runnable", "--limit", "5", "--json"}).out, "out");
        QCOMPARE(trials.size(), std::size_t{5});
        for (std::size_t i = 0; i < trials.size(); ++i) {
            QVERIFY2(trials[i].skipReason.empty(), trials[i].skipReason.c_str());
            QVERIFY(trainerSupports(trials[i].config).empty());
            const Json& best = listed["best"][i];
            QCOMPARE(trials[i].config.parallel.dp, best["parallel"]["dp"].get<std::int64_t>());
            QCOMPARE(trials[i].config.parallel.pp, best["parallel"]["pp"].get<std::int64_t>());
            QCOMPARE(trials[i].config.train.microBatchSize, best["micro_batch_size"].get<std::int64_t>());
        }
    }
    void badWordsAreNamed_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        QTest::newRow("axis") << QStringList{"--fix", "ttp=2"} << "did you mean tp?";
        QTest::newRow("value") << QStringList{"--fix", "schedule=1f2b"} << "not a value of schedule";
        QTest::newRow("range") << QStringList{"--fix", "tp=4..2"} << "empty";
        QTest::newRow("layout") << QStringList{"--why", "tp"} << "is not a limit";
    }
    void badWordsAreNamed() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        CliBench bench;
        std::vector<std::string> all = {"search", bench.file("config.json", kConfig), "--cluster",
                                        bench.file("cluster.json", kCluster)};
        for (const QString& argument : arguments) all.push_back(argument.toStdString());
        const auto got = bench.run(all);
        QCOMPARE(got.code, 2);
        QVERIFY2(QString::fromStdString(got.err).contains(said), got.err.c_str());
    }
};

SLIPWAY_TEST(TstSearchCommand)

}  // namespace slipway::test

#include "tst_search_command.moc"
