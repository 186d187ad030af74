// What a sweep knows of its nodes: the findings of the last look.
#include "tests/core/sweep/pool_bench.h"

using namespace slipway;
using namespace slipway::test;

class TstNodeMarks : public QObject {
    Q_OBJECT

private slots:
    // One look at a node serves the trials that follow one another there, until one of them fails.
    void looksAtANodeOnce() {
        Pool pool({"a"});
        auto runner = pool.open(sweepOf({"1", "2 [exit@2=7]", "3", "4"}), {"a"});
        QVERIFY(runner);
        bool hasNews = false;
        pool.drive({&*runner}, 120, [&] {
            hasNews = hasNews || !runner->newsFds().empty();
            return false;
        });
        QVERIFY(hasNews);
        std::map<std::string, Json> times;
        const auto result = loadSweepResult(*pool.bench.store, runner->id());
        for (const TrialResult& trial : result->trials) {
            const auto found = readJsonFile(pool.bench.at.home.run(trial.run)->path / "preflight.json");
            QVERIFY(found);
            times[trial.name.substr(0, 1)] = (*found)["nodes"][0]["time_unix_ms"];
            QVERIFY((*found)["nodes"][0]["health"]["disk_bytes_per_second"].is_number());
        }
        QCOMPARE(times.size(), std::size_t(4));
        QVERIFY(times["1"] == times["2"] && times["3"] == times["4"] && times["2"] != times["3"]);
    }
};

SLIPWAY_TEST(TstNodeMarks)
#include "tst_node_marks.moc"
