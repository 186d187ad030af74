#include "core/spec/pipeline_schedule.h"

#include "tests/support/slipway_test.h"

#include <map>
#include <tuple>

using namespace slipway;

namespace {

// Executes a schedule with sends that never wait; returns false when ranks wait for each other for ever.
bool runs(const PipelineSchedule& s) {
    std::vector<std::size_t> at(s.ranks.size(), 0);
    std::map<std::tuple<std::int64_t, std::int64_t, bool>, int> arrived;  // (stage, micro-batch, forward?) -> messages
    std::map<std::pair<std::int64_t, std::int64_t>, int> passes;          // forward 1, backward 2
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < s.ranks.size(); ++rank) {
            while (at[rank] < s.ranks[rank].size()) {
                const ScheduleAction& a = s.ranks[rank][at[rank]];
                const std::int64_t stage = s.stageOf(static_cast<std::int64_t>(rank), a.chunk);
                if (a.kind == ActionKind::RecvForward && arrived[{stage, a.microBatch, true}] == 0) break;
                if (a.kind == ActionKind::RecvBackward && arrived[{stage, a.microBatch, false}] == 0) break;
                if (a.kind == ActionKind::SendForward) ++arrived[{stage + 1, a.microBatch, true}];
                if (a.kind == ActionKind::SendBackward) ++arrived[{stage - 1, a.microBatch, false}];
                int& state = passes[{stage, a.microBatch}];
                if (a.kind == ActionKind::Forward && state++ != 0) return false;
                if (a.kind == ActionKind::BackwardFull && state++ != 1) return false;
                ++at[rank];
                moved = true;
            }
        }
    }
    for (std::size_t rank = 0; rank < s.ranks.size(); ++rank)
        if (at[rank] != s.ranks[rank].size()) return false;
    for (std::int64_t stage = 0; stage < s.numStages; ++stage)
        for (std::int64_t m = 0; m < s.numMicroBatches; ++m)
            if (passes[{stage, m}] != 2) return false;
    return true;
}

}  // namespace

class TstPipelineSchedule : public QObject {
    Q_OBJECT
private slots:
    void everyScheduleRunsWithoutDeadlock() {
        int checked = 0;
        for (const ScheduleKind kind : {ScheduleKind::Afab, ScheduleKind::OneFOneB, ScheduleKind::InterleavedOneFOneB})
            for (std::int64_t pp = 1; pp <= 8; ++pp)
                for (std::int64_t m = 1; m <= 17; ++m)
                    for (std::int64_t v = 1; v <= 4; ++v) {
                        const auto s = makeSchedule(kind, pp, m, v);
                        if (!s) {
                            QVERIFY(pp > 1 && !scheduleIssues(kind, pp, m, v).empty());
                            continue;
                        }
                        QVERIFY2(runs(*s), qPrintable(QString("kind %1 pp %2 m %3 v %4").arg(int(kind)).arg(pp).arg(m).arg(v)));
                        ++checked;
                    }
        QVERIFY(checked > 300);
    }
    void activationsInFlight() {
        // Narayanan et al. 2021: AFAB keeps m, 1F1B at most p - stage.
        for (std::int64_t m : {2, 4, 9}) {
            const auto afab = makeSchedule(ScheduleKind::Afab, 4, m, 1);
            const auto one = makeSchedule(ScheduleKind::OneFOneB, 4, m, 1);
            for (std::int64_t rank = 0; rank < 4; ++rank) {
                QCOMPARE(afab->maxInFlight(rank), m);
                QCOMPARE(one->maxInFlight(rank), std::min(m, 4 - rank));
            }
        }
    }
    void interleavingKeepsMoreInFlight() {
        // Megatron-LM theoretical_memory_usage.py: p v (1 + (p - 1) / (p v)) chunks on the first rank.
        for (std::int64_t p : {2, 4})
            for (std::int64_t v : {2, 3}) QCOMPARE(makeSchedule(ScheduleKind::InterleavedOneFOneB, p, 4 * p, v)->maxInFlight(0), p * v + p - 1);
    }
    void demandsAreExplained() {
        QCOMPARE(makeSchedule(ScheduleKind::InterleavedOneFOneB, 4, 6, 2).error().code, std::string("bad_schedule"));
        QCOMPARE(makeSchedule(ScheduleKind::OneFOneB, 2, 4, 2).error().where, std::string("parallel.virtual_stages"));
        QCOMPARE(makeSchedule(ScheduleKind::ZbH1, 2, 4, 1).error().code, std::string("schedule_not_available"));
        QVERIFY(!makeSchedule(ScheduleKind::Afab, 0, 4, 1));
    }
    void firstRankOfTwoStages() {
        const auto s = makeSchedule(ScheduleKind::OneFOneB, 2, 2, 1);
        using K = ActionKind;
        const std::vector<ScheduleAction> expected{{K::Forward, 0, 0},      {K::SendForward, 0, 0},  {K::Forward, 1, 0},      {K::SendForward, 1, 0},
                                                   {K::RecvBackward, 0, 0}, {K::BackwardFull, 0, 0}, {K::RecvBackward, 1, 0}, {K::BackwardFull, 1, 0}};
        QVERIFY(s->ranks[0] == expected);
    }
};
SLIPWAY_TEST(TstPipelineSchedule)
#include "tst_pipeline_schedule.moc"
