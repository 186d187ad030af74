// The closed form of what a rank keeps against a walk over its actions.
#include "core/planner/memory/saved_activations.h"
#include "tests/support/slipway_test.h"

#include <random>

namespace slipway {

class TstSavedActivations : public QObject {
    Q_OBJECT
private slots:
    void equalsTheWalk_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("1f1b") << static_cast<int>(ScheduleKind::OneFOneB);
        QTest::newRow("afab") << static_cast<int>(ScheduleKind::Afab);
        QTest::newRow("interleaved") << static_cast<int>(ScheduleKind::InterleavedOneFOneB);
    }
    void equalsTheWalk() {
        QFETCH(int, kind);
        std::mt19937 random(11);
        for (int i = 0; i < 300; ++i) {
            PipelineShape shape;
            shape.kind = static_cast<ScheduleKind>(kind);
            const bool interleaved = shape.kind == ScheduleKind::InterleavedOneFOneB;
            shape.pp = 1 + static_cast<std::int64_t>(random() % 8);
            shape.virtualStages = interleaved && shape.pp > 1 ? 2 + static_cast<std::int64_t>(random() % 5) : 1;
            shape.numMicroBatches = (1 + static_cast<std::int64_t>(random() % 9)) * (interleaved ? shape.pp : 1);
            const auto schedule = makeSchedule(shape.kind, shape.pp, shape.numMicroBatches, shape.virtualStages);
            QVERIFY(schedule.has_value());
            const ScheduleSample sample{*schedule, {}, shape.numMicroBatches};
            for (std::int64_t rank = 0; rank < shape.pp; ++rank) {
                std::vector<SavedBytes> chunks;
                for (std::int64_t c = 0; c < shape.virtualStages; ++c)
                    chunks.push_back({static_cast<double>(random() % 100 + 1),
                                      c + 1 == shape.virtualStages && rank + 1 == shape.pp ? 50.0 : 0});
                const SavedBytes closed = peakSaved(shape, rank, chunks);
                const SavedBytes walked = peakSaved(sample, rank, chunks);
                QCOMPARE(closed.total(), walked.total());
            }
        }
    }
};

SLIPWAY_TEST(TstSavedActivations)

}  // namespace slipway

#include "tst_saved_activations.moc"
