// Circumstances in which runs of a calibrated stack waited, and how calibration finds them.
#include "core/planner/calibrate/stall_fit.h"
#include "tests/support/slipway_test.h"

namespace slipway {

class TstStallFit : public QObject {
    Q_OBJECT
private slots:
    /// Runs on 32 nodes stalled, and those with three nodes per tensor-parallel group; a third circumstance never came.
    void findsThresholdsOfStalls() {
        std::vector<StallObservation> runs;
        for (const std::int64_t nodes : {4, 8, 16, 32, 64})
            for (const std::int64_t tpNodes : {0, 1, 2, 3}) {
                StallObservation o;
                o.facts.nodes = nodes;
                o.facts.tpNodes = tpNodes;
                o.facts.pipeline = true;
                o.peak.kept = 40e9;
                o.stalled = nodes >= 32 || tpNodes >= 3;
                o.gathered = o.stalled;
                runs.push_back(o);
            }
        StackProfile profile;
        profile.stallTpNodes = 1;  // what stood there before does not count
        fitStallThresholds(runs, 80e9, profile);
        QCOMPARE(profile.congestedNodes, std::int64_t{32});
        QCOMPARE(profile.stallTpNodes, std::int64_t{3});
        QCOMPARE(profile.stallMicroBatches, StackProfile::kNever);
        QCOMPARE(profile.regatherRanks, StackProfile::kNever);
        QCOMPARE(agreement(runs, profile), static_cast<std::int64_t>(2 * runs.size()));
        runs.back().stalled = false;                 // one odd run moves nothing
        runs.front().facts.wrapperMicroBatches = 8;  // nor does one turn a threshold on
        runs.front().stalled = runs.front().gathered = true;
        StackProfile again;
        again.stallLimitBytes = 1;
        fitStallThresholds(runs, 80e9, again);
        QCOMPARE(again.congestedNodes, std::int64_t{32});
        QCOMPARE(again.stallMicroBatches, StackProfile::kNever);
        QCOMPARE(again.stallLimitBytes, 80e9);
    }

    /// Large models on large clusters with more than a sequence per micro-batch, and runs that hardly fit: limits lie
    /// between the runs they tell apart, and a limit needs no more than one run.
    void findsThresholdsThatCountTogether() {
        std::vector<StallObservation> runs;
        for (const std::int64_t nodes : {16, 32})
            for (const std::int64_t hidden : {2048, 4096, 8192})
                for (const std::int64_t sequences : {1, 2, 4}) {
                    StallObservation o;
                    o.facts.nodes = nodes;
                    o.facts.hiddenSize = hidden;
                    o.facts.sequences = sequences;
                    o.facts.pipeline = true;
                    o.peak = {40e9, 30e9};
                    o.stalled = nodes >= 32 && hidden >= 4096 && sequences >= 2;
                    runs.push_back(o);
                }
        const std::size_t count = runs.size();
        for (const double bytes : {70e9, 72e9, 76e9}) {
            StallObservation o;
            o.peak = {bytes, 20e9};
            o.stalled = bytes > 75e9;
            runs.push_back(o);
            o.peak = {60e9, bytes - 10e9};
            runs.push_back(o);
        }
        StackProfile profile;
        fitStallThresholds(runs, 80e9, profile);
        QCOMPARE(profile.stallLargeNodes, std::int64_t{32});
        QCOMPARE(profile.stallLargeHidden, std::int64_t{4096});
        QCOMPARE(profile.stallLargeSequences, std::int64_t{2});
        QCOMPARE(profile.congestedNodes, StackProfile::kNever);
        QCOMPARE(profile.stallLimitBytes, 74e9);
        QCOMPARE(profile.stallLiveLimitBytes, 64e9);
        runs.resize(count);
        fitStallThresholds(runs, 80e9, profile);
        QCOMPARE(profile.stallLimitBytes, 80e9);
        runs.front().facts.pipeline = false;  // and without a pipeline such a layout does not
        runs.front().facts.nodes = 64;
        runs.front().facts.hiddenSize = 8192;
        runs.front().facts.sequences = 8;
        runs.front().stalled = false;
        QCOMPARE(agreement(runs, profile), static_cast<std::int64_t>(count));
    }

    void aFewReplicasThatSpanNodesWait_data() {
        QTest::addColumn<int>("tpNodes");
        QTest::addColumn<int>("dataRanks");
        QTest::addColumn<int>("sequences");
        QTest::addColumn<bool>("pipeline");
        QTest::addColumn<bool>("waits");
        QTest::newRow("two replicas over two nodes each") << 2 << 2 << 16 << false << true;
        QTest::newRow("four over four") << 4 << 4 << 64 << false << true;
        QTest::newRow("small micro-batches") << 2 << 2 << 15 << false << false;
        QTest::newRow("inside a node") << 1 << 2 << 16 << false << false;
        QTest::newRow("nobody to wait for") << 2 << 1 << 16 << false << false;
        QTest::newRow("many replicas") << 2 << 5 << 16 << false << false;
        QTest::newRow("a pipeline") << 2 << 2 << 16 << true << false;
    }

    void aFewReplicasThatSpanNodesWait() {
        QFETCH(int, tpNodes);
        QFETCH(int, dataRanks);
        QFETCH(int, sequences);
        QFETCH(bool, pipeline);
        QFETCH(bool, waits);
        StallFacts facts;
        facts.nodes = 8;
        facts.tpNodes = tpNodes;
        facts.dataRanks = dataRanks;
        facts.sequences = sequences;
        facts.pipeline = pipeline;
        StackProfile profile;
        profile.stallLargeSequences = 16;
        QCOMPARE(isCongested(facts, profile), waits);
        profile.stallLargeSequences = StackProfile::kNever;
        QVERIFY(!isCongested(facts, profile));
    }
};
SLIPWAY_TEST(TstStallFit)

}  // namespace slipway

#include "tst_stall_fit.moc"
