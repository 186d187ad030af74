// Limits as people write them, and the axes of the space.
#include "core/planner/search/search_space.h"
#include "tests/support/slipway_test.h"

namespace slipway {

class TstSearchSpace : public QObject {
    Q_OBJECT
private slots:
    void limits_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("axis");
        QTest::addColumn<int>("allowed");
        QTest::addColumn<int>("refused");
        const auto row = [](const char* text, SearchAxis axis, int allowed, int refused) {
            QTest::newRow(text) << text << static_cast<int>(axis) << allowed << refused;
        };
        row("tp=4", SearchAxis::Tp, 4, 2);
        row("tp=2,8", SearchAxis::Tp, 8, 4);
        row("pp=2..8", SearchAxis::Pp, 5, 16);
        row("cp<=4", SearchAxis::Cp, 4, 8);
        row("parallel.dp>=16", SearchAxis::Dp, 16, 8);
        row("zero=1..2", SearchAxis::ZeroStage, 2, 3);
        row("sp=true", SearchAxis::SequenceParallel, 1, 0);
        row("train.recompute.policy=none,full", SearchAxis::Recompute, static_cast<int>(RecomputePolicy::Full),
            static_cast<int>(RecomputePolicy::Selective));
        row("schedule=zb_h1", SearchAxis::Schedule, static_cast<int>(ScheduleKind::ZbH1),
            static_cast<int>(ScheduleKind::Afab));
        row("offload=optimizer", SearchAxis::Offload, static_cast<int>(Offload::Optimizer),
            static_cast<int>(Offload::None));
    }
    void limits() {
        QFETCH(QString, text);
        QFETCH(int, axis);
        QFETCH(int, allowed);
        QFETCH(int, refused);
        SearchLimits limits;
        QVERIFY(limits.set(text.toStdString()).has_value());
        QVERIFY(limits.allows(static_cast<SearchAxis>(axis), allowed));
        QVERIFY(!limits.allows(static_cast<SearchAxis>(axis), refused));
    }
    void twoBoundsMeet() {
        SearchLimits limits;
        QVERIFY(limits.set("tp>=2") && limits.set("tp<=4"));
        QVERIFY(!limits.allows(SearchAxis::Tp, 1) && limits.allows(SearchAxis::Tp, 4) &&
                !limits.allows(SearchAxis::Tp, 8));
    }
    void mistakes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        for (const char* text : {"tp", "tp=", "tp=two", "tp=8..4", "schedule=2f2b", "sp=yes", "tp<4", "tp=-1"})
            QTest::newRow(text) << text << "bad_limit";
        QTest::newRow("ttp=4") << "ttp=4"
                               << "unknown_axis";
    }
    void mistakes() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        SearchLimits limits;
        const auto set = limits.set(text.toStdString());
        QVERIFY(!set);
        QCOMPARE(QString::fromStdString(set.error().code), code);
    }
    void degreesMakeTheWorld() {
        RunConfig config;
        ClusterSpec gpus;
        gpus.device.kind = DeviceKind::Gpu;
        const SearchSpace space(config, gpus, 12);
        for (const Degrees& d : space.degrees) QCOMPARE(d.tp * d.pp * d.cp * d.dp, std::int64_t{12});
        // 12 = 2 x 2 x 3: ten ways to deal two twos to four axes, four for the three.
        QCOMPARE(space.degrees.size(), std::size_t{40});
        QCOMPARE(space.offloads.size(), enumNames(Offload{}).size());
        QCOMPARE(SearchSpace(config, ClusterSpec{}, 12).offloads.size(), std::size_t{1});
    }
};

SLIPWAY_TEST(TstSearchSpace)

}  // namespace slipway

#include "tst_search_space.moc"
