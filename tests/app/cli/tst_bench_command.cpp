// `slipway bench`: every figure is there, measured on data of the size that was asked for, and nothing stays behind.
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

namespace slipway::test {

class TstBenchCommand : public QObject {
    Q_OBJECT
private slots:
    void measuresTheStore() {
        CliBench bench;
        const std::filesystem::path folder = bench.at.temp.path() / "bench";
        const auto got = bench.run({"bench", "store", "12", "30", "--folder", folder.string(), "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const Json figures = *parseJson(got.out, "out");
        QCOMPARE(figures["runs"].get<int>(), 12);
        for (const char* key :
             {"first_rows_seconds", "keystroke_seconds", "sort_seconds", "group_seconds", "list_memory_bytes",
              "curves_cold_seconds", "curves_seconds", "look_new_seconds", "live_core_share",
              "ingest_points_per_second", "bytes_per_point", "level_bytes_per_point"})
            QVERIFY2(figures[key]["value"].get<double>() > 0, key);
        for (const char* key : {"curves_seconds", "ingest_points_per_second", "bytes_per_point"})
            QVERIFY2(figures[key]["row_per_point"].get<double>() > 0, key);
        auto store = RunStore::open(Home{folder / "home"}, OpenMode::ReadOnly);
        QVERIFY(store);
        QCOMPARE(store->series(RunId("r0000011"), "loss")->size(), std::size_t{30});
        // What is there is measured again, runs of the measurement itself aside.
        RunQuery made;
        made.filter = "id~r00000";
        const auto before = store->count(made);
        QCOMPARE(before->total, 12);
        QCOMPARE(bench.run({"bench", "store", "12", "30", "--folder", folder.string()}).code, 0);
        QCOMPARE(store->count(made)->total, 12);
        QVERIFY(bench.run({"bench", "everything"}).code != 0);
    }

    void stopsWhenAsked() {
        CliBench bench;
        bench.interrupts = [] { return 1; };
        const std::filesystem::path folder = bench.at.temp.path() / "bench";
        const auto got = bench.run({"bench", "store", "1000000", "1", "--folder", folder.string()});
        QCOMPARE(got.code, kExitInterrupted);
    }
};

}  // namespace slipway::test

using slipway::test::TstBenchCommand;
SLIPWAY_TEST(TstBenchCommand)
#include "tst_bench_command.moc"
