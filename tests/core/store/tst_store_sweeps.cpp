#include "core/base/file.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::test;

class TstStoreSweeps : public QObject {
    Q_OBJECT

private slots:
    void sweepsAndTrials() {
        StoreFixture f;
        SweepRecord sweep{SweepId("20260101-s"),      "tp vs pp", "hash1", "running", 100, {},
                          R"({ "axes": [1, 2.50] })", ""};
        QVERIFY(f.store.upsertSweep(sweep));
        sweep.status = "completed";
        sweep.endedUnixMilliseconds = 200;
        QVERIFY(f.store.upsertSweep(sweep));
        QVERIFY(f.store.upsertSweep({SweepId("20260102-s"), "again", "hash1", "running", 300, {}, "{}", ""}));
        QCOMPARE(f.store.sweeps()->size(), std::size_t{2});
        QCOMPARE(f.store.sweepsByIdentity("hash1")->front().id.value, std::string("20260102-s"));
        QVERIFY(f.store.sweepsByIdentity("other")->empty());
        const SweepRecord back = *f.store.sweep(SweepId("20260101-s"));
        QCOMPARE(back.status, std::string("completed"));
        QCOMPARE(*back.endedUnixMilliseconds, 200);
        QCOMPARE(back.document, std::string(R"({"axes":[1,2.5]})"));
        QCOMPARE(f.store.sweep(SweepId("no")).error().code, std::string("sweep_missing"));
        QCOMPARE(f.store.upsertSweep({SweepId("../x"), "", "", "", 0, {}, "", ""}).error().code, std::string("bad_id"));
        QCOMPARE(f.store.upsertSweep({SweepId("y"), "", "", "", 0, {}, "{", ""}).error().code,
                 std::string("json_syntax"));

        TrialRecord trial{sweep.id, 1, "tp2", "planned", "", {}, "c1", R"({"parallel.tp":2})"};
        QVERIFY(f.store.upsertTrial(trial));
        QVERIFY(f.store.upsertTrial({sweep.id, 0, "tp1", "skipped", "Does not fit: needs 90 GiB.", {}, "c0", "{}"}));
        trial.status = "completed";
        trial.run = RunId("r1");
        QVERIFY(f.store.upsertTrial(trial));
        const auto trials = *f.store.trials(sweep.id);
        QCOMPARE(trials.size(), std::size_t{2});
        QCOMPARE(trials[0].status, std::string("skipped"));
        QCOMPARE(trials[1].run.value, std::string("r1"));
        QCOMPARE(trials[1].point, std::string(R"({"parallel.tp":2})"));
        const std::string lines = *readFile(*f.home.sweep(sweep.id) / "trials.jsonl");
        QCOMPARE(std::count(lines.begin(), lines.end(), '\n'), 3);
    }
};

SLIPWAY_TEST(TstStoreSweeps)
#include "tst_store_sweeps.moc"
