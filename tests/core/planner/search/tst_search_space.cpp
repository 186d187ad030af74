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
        row("cp_kind=ulysses", SearchAxis::CpKind, static_cast<int>(CpKind::Ulysses), static_cast<int>(CpKind::Ring));
        row("parallel.dp_shard<=8", SearchAxis::DpShard, 8, 16);
        row("async_tp=false", SearchAxis::AsyncTp, 0, 1);
        row("etp=2", SearchAxis::Etp, 2, 1);
        row("layer_split=even,last_1", SearchAxis::LayerSplit, static_cast<int>(LayerSplit::Last1),
            static_cast<int>(LayerSplit::Ends1));
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
        for (const char* text : {"tp", "tp=", "tp=two", "tp=8..4", "schedule=2f2b", "cp_kind=star",
                                 "layer_split=uneven", "async_tp=1", "sp=yes", "tp<4", "tp=-1"})
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
    void wordsComeBack() {
        for (const auto& axis : enumNames(SearchAxis{}))
            for (std::int64_t value = 0; value < 2; ++value)
                QCOMPARE(axisValue(axis.value, axisText(axis.value, value)), std::optional(value));
    }

    // What the ends give goes to the stages between, of which later ones keep fewer micro-batches.
    void layersOfTheEnds_data() {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<int>("split");
        QTest::addColumn<QString>("expected");
        const auto row = [](int layers, int pp, int chunks, LayerSplit split, const char* expected) {
            QTest::newRow(qPrintable(QString("%1 on %2 x %3: %4").arg(layers).arg(pp).arg(chunks).arg(int(split))))
                << layers << pp << chunks << static_cast<int>(split) << expected;
        };
        row(32, 4, 1, LayerSplit::Even, "");
        row(32, 4, 1, LayerSplit::Last1, "8 8 9 7");
        row(32, 4, 1, LayerSplit::Last2, "8 9 9 6");
        row(32, 4, 1, LayerSplit::Ends1, "7 9 9 7");
        row(32, 4, 1, LayerSplit::Ends2, "6 10 10 6");
        row(32, 2, 1, LayerSplit::Last2, "18 14");
        row(32, 2, 1, LayerSplit::Ends1, "none");
        row(8, 2, 2, LayerSplit::Last1, "2 2 3 1");
        row(8, 4, 1, LayerSplit::Last2, "none");
        row(8, 4, 2, LayerSplit::Last1, "none");
    }
    void layersOfTheEnds() {
        QFETCH(int, layers);
        QFETCH(int, pp);
        QFETCH(int, chunks);
        QFETCH(int, split);
        QFETCH(QString, expected);
        const auto dealt = SearchSpace::layersPerStage(layers, pp, chunks, static_cast<LayerSplit>(split));
        QStringList words;
        if (dealt)
            for (const std::int64_t count : *dealt) words << QString::number(count);
        QCOMPARE(dealt ? words.join(' ') : QStringLiteral("none"), expected);
    }

    void optionsWithoutEffectAreLeftOut() {
        RunConfig config;
        config.model.numLayers = 8;
        ClusterSpec gpus;
        gpus.device.kind = DeviceKind::Gpu;
        const SearchSpace space(config, gpus, 8);
        QCOMPARE(space.layerOptions({1, 1, 1, 8}).size(), std::size_t{1});
        QCOMPARE(space.layerOptions({1, 1, 2, 4}).size(), enumNames(CpKind{}).size());
        QVERIFY(space.layerOptions({2, 1, 1, 4}).size() >= 2);
        QCOMPARE(space.shardings({8, 1, 1, 1}).size(), std::size_t{1});
        // ZeRO 0; stages 1 to 3 over all 8, 4 or 2: one rank alone shards nothing.
        QCOMPARE(space.shardings({1, 1, 1, 8}).size(), std::size_t{1 + 3 * 3});
        // With context parallelism even one data-parallel rank shards.
        QCOMPARE(space.shardings({1, 1, 2, 4}).size(), std::size_t{1 + 3 * 3});
        QCOMPARE(space.pipelines(1).size(), std::size_t{1});
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
