#include "core/spec/parallel_layout.h"
#include "tests/support/slipway_test.h"

#include <numeric>
#include <set>

using namespace slipway;
using Ranks = std::vector<std::int64_t>;

class TstParallelLayout : public QObject {
    Q_OBJECT
private slots:
    void ranksAndCoordinatesAreInverse() {
        ParallelLayout l;
        l.dp = 3;
        l.tp = 2;
        l.pp = 4;
        l.cp = 2;
        QCOMPARE(l.worldSize(), 48);
        for (const auto& order : std::vector<std::vector<std::string>>{
                 {"tp", "cp", "dp", "pp"}, {"tp", "pp", "dp", "cp"}, {"pp", "dp", "cp", "tp"}}) {
            l.rankOrder = order;
            std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> places;
            for (std::int64_t rank = 0; rank < 48; ++rank) {
                const Coordinates c = l.coordinates(rank);
                QCOMPARE(l.rankOf(c), rank);
                places.insert({c.tp, c.cp, c.dp, c.pp});
            }
            QCOMPARE(places.size(), 48U);
        }
    }
    void guideOrderGivesRank157() {
        // Source guide 000-4.4c: tp fastest, then pp, then dp; coordinates (dp 1, pp 3, tp 5).
        ParallelLayout l;
        l.tp = 8;
        l.pp = 16;
        l.dp = 4;
        l.rankOrder = {"tp", "pp", "dp", "cp"};
        QCOMPARE(l.rankOf({5, 0, 1, 3}), 157);
    }
    void tensorGroupsAreNeighbours() {
        ParallelLayout l;
        l.tp = 2;
        l.pp = 2;
        l.dp = 2;
        for (std::int64_t rank = 0; rank < 8; ++rank)
            QCOMPARE(l.groupOf(Axis::Tp, rank), (Ranks{rank / 2 * 2, rank / 2 * 2 + 1}));
        QCOMPARE(l.groupOf(Axis::Dp, 1), (Ranks{1, 3}));
        QCOMPARE(l.groupOf(Axis::Pp, 1), (Ranks{1, 5}));
        QCOMPARE(l.groupOf({Axis::Tp, Axis::Pp}, 2), (Ranks{2, 3, 6, 7}));
    }
    void groupsPartitionTheWorld() {
        ParallelLayout l;
        l.tp = 2;
        l.pp = 3;
        l.dp = 4;
        for (const Axis axis : {Axis::Tp, Axis::Dp, Axis::Pp, Axis::Cp}) {
            std::multiset<std::int64_t> seen;
            std::set<Ranks> groups;
            for (std::int64_t rank = 0; rank < 24; ++rank) groups.insert(l.groupOf(axis, rank));
            for (const Ranks& g : groups) seen.insert(g.begin(), g.end());
            QCOMPARE(seen.size(), 24U);
            QCOMPARE(groups.size() * static_cast<std::size_t>(l.degree(axis)), 24U);
        }
    }
    void expertGridIsFolded() {
        ParallelLayout l;
        l.tp = 2;
        l.dp = 8;
        l.ep = 8;
        QCOMPARE(l.worldSize(), 16);
        QCOMPARE(l.degree(Axis::Edp), 2);
        l.pp = 2;
        l.cp = 2;
        l.etp = 2;
        // Each group's ranks differ in their own axes only, on one pipeline rank, and every rank finds itself in its
        // place.
        for (std::int64_t rank = 0; rank < l.worldSize(); ++rank) {
            const Ranks group = l.expertGroup(rank), replicas = l.expertReplicas(rank);
            QCOMPARE(group.size(), std::size_t{16});
            QCOMPARE(replicas.size(), std::size_t{2});
            const auto here = l.expertPlace(rank);
            QCOMPARE(group.at(static_cast<std::size_t>(here.ep * l.etp + here.etp)), rank);
            QCOMPARE(replicas.at(static_cast<std::size_t>(here.edp)), rank);
            for (const std::int64_t other : group) {
                QCOMPARE(l.expertPlace(other).edp, here.edp);
                QCOMPARE(l.coordinates(other).pp, l.coordinates(rank).pp);
                QCOMPARE(l.expertGroup(other), group);
            }
        }
    }
    void layersAreSpreadEvenly_data() {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("stages");
        QTest::addColumn<QList<int>>("expected");
        QTest::newRow("even") << 8 << 4 << QList<int>{2, 2, 2, 2};
        QTest::newRow("one over") << 9 << 4 << QList<int>{2, 3, 2, 2};
        QTest::newRow("three over") << 11 << 4 << QList<int>{3, 3, 3, 2};
        QTest::newRow("two stages") << 5 << 2 << QList<int>{3, 2};
        QTest::newRow("one stage") << 5 << 1 << QList<int>{5};
    }
    void layersAreSpreadEvenly() {
        QFETCH(int, layers);
        QFETCH(int, stages);
        QFETCH(QList<int>, expected);
        ParallelLayout l;
        l.pp = stages;
        const auto got = l.stageLayers(layers);
        QCOMPARE(QList<int>(got.begin(), got.end()), expected);
        QCOMPARE(std::accumulate(got.begin(), got.end(), std::int64_t{0}), std::int64_t{layers});
    }
    void givenLayersWin() {
        ParallelLayout l;
        l.pp = 2;
        l.layersPerStage = {1, 3};
        QCOMPARE(l.stageLayers(4), (Ranks{1, 3}));
    }
};
SLIPWAY_TEST(TstParallelLayout)
#include "tst_parallel_layout.moc"
