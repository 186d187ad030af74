// Groups of layouts against their members.
#include "core/planner/search/layout_evaluator.h"
#include "core/planner/search/search_groups.h"
#include "tests/core/planner/search/random_request.h"
#include "tests/support/slipway_test.h"

#include <functional>
#include <random>

namespace slipway {

class TstSearchGroups : public QObject {
    Q_OBJECT

    static void inOrder(std::size_t count, const std::function<void(std::size_t)>& body) {
        for (std::size_t i = 0; i < count; ++i) body(i);
    }

    /// Layouts of the group that fit: how many were compared with its bounds.
    static int compareWithMembers(const LayoutRequest& request, const LayoutGroup& group, std::mt19937& random) {
        const DegreeSpace& space = *group.space;
        LayoutEvaluator evaluator(request.config, request.cluster);
        int compared = 0;
        for (int i = 0; i < 6; ++i) {
            const std::size_t at = group.begin + random() % (group.end - group.begin);
            const DegreeSpace::MicroBatch& micro = space.microBatches[at];
            evaluator.setLayers(space.degrees, micro.size, group.options);
            if (!evaluator.setPipeline(micro.pipelines->choices[random() % micro.pipelines->choices.size()])) continue;
            const Sharding sharding = space.shardings[random() % space.shardings.size()];
            const Offload offload = space.offloads[random() % space.offloads.size()];
            const double peak = evaluator.peakBytes(sharding, offload);
            if (!(peak <= evaluator.capacityBytes())) continue;
            const std::size_t of = shareClass(sharding.zeroStage, offload);
            const double seconds = evaluator.estimate(sharding, offload).stepSeconds;
            const auto text = [&](double bound, double truth) {
                return QString("%1: %2 > %3")
                    .arg(QString::fromStdString(
                        layoutText(evaluator.config().parallel, micro.size, group.options.recompute)))
                    .arg(bound)
                    .arg(truth);
            };
            if (!group.open.test(of)) QTest::qFail(qPrintable(text(0, peak)), __FILE__, __LINE__);
            if (group.leastBytes.at(of) > peak || group.bound.memoryBytes > peak)
                QTest::qFail(qPrintable(text(group.leastBytes.at(of), peak)), __FILE__, __LINE__);
            if (group.leastSeconds.at(of) > seconds || group.bound.stepSeconds > seconds)
                QTest::qFail(qPrintable(text(group.leastSeconds.at(of), seconds)), __FILE__, __LINE__);
            ++compared;
        }
        return compared;
    }

private slots:
    // Bounds of groups, and of all that they open into, against layouts drawn from them.
    void boundsHoldOfEveryMember() {
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        int compared = 0, ranges = 0;
        for (int i = 0; i < 160 && !QTest::currentTestFailed(); ++i) {
            const LayoutRequest request = randomRequest(random);
            const Incumbents none(SearchObjective::Speed, 1);
            groupLayouts(request, inOrder, [&](GroupedSpace& space) {
                for (int drawn = 0; drawn < 12 && !space.groups.empty(); ++drawn) {
                    LayoutEvaluator opener(request.config, request.cluster);
                    LayoutGroup group = *space.groups[random() % space.groups.size()];
                    for (;;) {
                        compared += compareWithMembers(request, group, random);
                        ranges += group.end - group.begin > 1 ? 1 : 0;
                        if (group.isWhole() || QTest::currentTestFailed()) break;
                        const std::vector<LayoutGroup> parts = openGroup(opener, group, none);
                        group = parts[random() % parts.size()];
                        if (group.open.none()) break;
                    }
                }
            });
        }
        QVERIFY2(compared > 100 && ranges > 100, qPrintable(QString("%1 %2").arg(compared).arg(ranges)));
    }
};

SLIPWAY_TEST(TstSearchGroups)

}  // namespace slipway

#include "tst_search_groups.moc"
