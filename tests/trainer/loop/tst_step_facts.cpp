#include "tests/support/slipway_test.h"
#include "trainer/loop/step_facts.h"

#include <map>
#include <string>

using namespace slipway;
using namespace slipway::trainer;

class TstStepFacts : public QObject {
    Q_OBJECT

private slots:
    // Two stages of two replicas: rank 1 works 2 s longer than rank 0 of its stage, ranks 2 and 3 are equal.
    void waitsByAxis() {
        ParallelLayout layout;
        layout.pp = 2;
        layout.dp = 2;
        CommTotals before, after;
        after.dpExposedSeconds = 2;
        after.worldExposedSeconds = 0.5;
        after.pipelineWaitSeconds = 1;
        std::vector<StepFacts> ranks(4);
        for (auto& facts : ranks) {
            facts.stepSeconds = 10;
            addCommunication(facts, before, after);
        }
        QCOMPARE(ranks[0].waitSeconds(), 3.5);
        QCOMPARE(layout.coordinates(1).pp, layout.coordinates(0).pp);
        ranks[1].dpExposedSeconds = ranks[1].commExposedSeconds = 0;  // never waits for its replica
        QCOMPARE(imbalance(ranks, layout), 0.5);
        std::map<std::string, double> values;
        for (const auto& [name, value] : factMetrics(ranks, layout)) values[name] = value;
        QCOMPARE(values.at("dp_exposed_seconds"), 1.5);
        QCOMPARE(values.at("world_exposed_seconds"), 0.5);
        QCOMPARE(values.at("imbalance_seconds"), 0.5);
        QCOMPARE(values.at("finish_wait_seconds"), 0.0);
        QCOMPARE(values.count("tp_exposed_seconds"), std::size_t{0});
        QCOMPARE(values.count("update_exposed_seconds"), std::size_t{0});  // no rank knows
        // Of 2.5 s of waits for replicas and all, 1 s came before the update, of it at most 0.5 s beside the passes.
        CommTotals beforeUpdate;
        beforeUpdate.dpExposedSeconds = 1;
        addLateWaits(ranks[0], before, beforeUpdate, 0.5);
        QCOMPARE(ranks[0].updateExposedSeconds, 1.5);
        QCOMPARE(ranks[0].edgeExposedSeconds, 0.5);
        for (auto& facts : ranks) facts.updateExposedSeconds = 0.25;
        ranks[0].stepSeconds = 12;
        for (const auto& [name, value] : factMetrics(ranks, layout)) values[name] = value;
        QCOMPARE(values.at("finish_wait_seconds"), 1.5);
        const auto back = StepFacts::unpack(ranks[0].pack().data());
        QCOMPARE(back.updateExposedSeconds, 0.25);
        QCOMPARE(back.worldExposedSeconds, 0.5);
    }
};

SLIPWAY_TEST(TstStepFacts)
#include "tst_step_facts.moc"
