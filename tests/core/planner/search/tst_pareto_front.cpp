// What a search keeps of what it is offered: which families are alike, and the best of them whatever came first.
#include "core/planner/search/pareto_front.h"
#include "tests/support/slipway_test.h"

#include <algorithm>
#include <functional>

namespace slipway {

class TstParetoFront : public QObject {
    Q_OBJECT
private slots:
    // Beside dp 8, cp 1 and micro-batches of 1: as many tokens on each of as many ranks, whatever the chunks.
    void swapClasses_data() {
        QTest::addColumn<std::function<void(FoundLayout&)>>("change");
        QTest::addColumn<bool>("isSame");
        const auto row = [](const char* name, bool isSame, const std::function<void(FoundLayout&)>& change) {
            QTest::newRow(name) << change << isSame;
        };
        const auto swapped = [](std::int64_t dp, std::int64_t cp, std::int64_t microBatchSize) {
            return [=](FoundLayout& l) {
                l.parallel.dp = dp;
                l.parallel.cp = cp;
                l.microBatchSize = microBatchSize;
            };
        };
        row("cp 2", true, swapped(4, 2, 2));
        row("cp 4", true, swapped(2, 4, 4));
        row("chunks", true, [](FoundLayout& l) { l.parallel.virtualStages = 4; });
        row("cp 2, half the tokens", false, swapped(4, 2, 1));
        row("cp 4, half the tokens", false, swapped(2, 4, 2));
        row("twice the tokens", false, swapped(8, 1, 2));
        row("fewer ranks", false, swapped(4, 1, 1));
        row("tp", false, [](FoundLayout& l) { l.parallel.tp = 2; });
        row("pp", false, [](FoundLayout& l) { l.parallel.pp = 2; });
        row("ep", false, [](FoundLayout& l) { l.parallel.ep = 2; });
        row("etp", false, [](FoundLayout& l) { l.parallel.etp = 2; });
        row("schedule", false, [](FoundLayout& l) { l.parallel.schedule = ScheduleKind::Afab; });
        row("recompute", false, [](FoundLayout& l) { l.recompute = RecomputePolicy::Full; });
    }
    void swapClasses() {
        QFETCH(std::function<void(FoundLayout&)>, change);
        QFETCH(bool, isSame);
        FoundLayout layout;
        layout.parallel.dp = 8;
        const LayoutFamily before = familyOf(layout.parallel, layout.microBatchSize, layout.recompute);
        change(layout);
        const LayoutFamily after = familyOf(layout.parallel, layout.microBatchSize, layout.recompute);
        QVERIFY(before != after);
        QCOMPARE(swapClassOf(before) == swapClassOf(after), isSame);
        QCOMPARE(FamilyName(before).swaps == FamilyName(after).swaps, isSame);
        QVERIFY(!(FamilyName(before) == FamilyName(after)));
    }

    // Two classes are wanted: families up to the first of the second class, of each family its best. In every order of
    // offers.
    void keepsEnoughClasses() {
        const auto layout = [](std::int64_t dp, std::int64_t cp, std::int64_t zeroStage, double seconds) {
            FoundLayout l;
            l.parallel.dp = dp;
            l.parallel.cp = cp;
            l.microBatchSize = cp;  // as many tokens on each rank
            l.parallel.zeroStage = zeroStage;
            l.step.stepSeconds = seconds;
            l.memoryPeakBytes = 1;
            return l;
        };
        const FoundLayout offers[] = {layout(8, 1, 0, 1),   layout(8, 1, 1, 3),  layout(4, 2, 0, 2),
                                      layout(2, 4, 0, 2.5), layout(16, 1, 0, 4), layout(8, 2, 0, 4.5),
                                      layout(32, 1, 0, 5)};
        std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6};
        do {
            SearchRanking distinct(SearchObjective::Speed, 2, true), all(SearchObjective::Speed, 2);
            for (const std::size_t i : order) {
                distinct.offer(offers[i]);
                all.offer(offers[i]);
            }
            const auto seconds = [](const SearchRanking& ranking) {
                std::vector<double> list;
                for (const FoundLayout& l : ranking.best()) list.push_back(l.step.stepSeconds);
                return list;
            };
            QCOMPARE(seconds(distinct), (std::vector<double>{1, 2, 2.5, 4}));
            QCOMPARE(seconds(all), (std::vector<double>{1, 2}));
            // What is as slow as the last may still come before it; what is slower may not.
            QVERIFY(!distinct.incumbents().cannotEnter({4, 1, 32}));
            QVERIFY(distinct.incumbents().cannotEnter({4.5, 1, 72}));
        } while (std::next_permutation(order.begin(), order.end()));
    }
};

SLIPWAY_TEST(TstParetoFront)

}  // namespace slipway

#include "tst_pareto_front.moc"
