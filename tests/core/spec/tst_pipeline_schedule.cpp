#include "core/spec/pipeline_schedule.h"
#include "tests/support/slipway_test.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

using namespace slipway;

namespace {

// Executes a schedule with sends that never wait. False when ranks wait for each other for ever, a pass comes before
// what it needs or happens twice, or a message goes to a stage of the same rank.
bool runs(const PipelineSchedule& s) {
    std::vector<std::size_t> at(s.ranks.size(), 0);
    std::map<std::tuple<std::int64_t, std::int64_t, bool>, int> arrived;  // (stage, micro-batch, forward?) -> messages
    enum Done { Nothing, Forwarded, InputDone, Finished };
    std::map<std::pair<std::int64_t, std::int64_t>, Done> passes;  // (stage, micro-batch)
    const auto reach = [](Done& state, Done before, Done after) { return std::exchange(state, after) == before; };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < s.ranks.size(); ++rank) {
            while (at[rank] < s.ranks[rank].size()) {
                const ScheduleAction& a = s.ranks[rank][at[rank]];
                const std::int64_t stage = s.stageOf(static_cast<std::int64_t>(rank), a.chunk);
                if (a.kind == ActionKind::RecvForward && arrived[{stage, a.microBatch, true}] == 0) break;
                if (a.kind == ActionKind::RecvBackward && arrived[{stage, a.microBatch, false}] == 0) break;
                // Whose micro-batch is it? DualPipe has every stage twice.
                if (s.rankOfStage(stage, a.microBatch) != static_cast<std::int64_t>(rank) ||
                    s.chunkOfStage(stage, a.microBatch) != a.chunk)
                    return false;
                const auto sends = [&](std::int64_t to) {
                    if (s.rankOfStage(to, a.microBatch) == static_cast<std::int64_t>(rank)) return false;
                    return arrived[{to, a.microBatch, to > stage}]++ == 0 &&
                           passes[{stage, a.microBatch}] >= (to > stage ? Forwarded : InputDone);
                };
                if (a.kind == ActionKind::SendForward && !sends(stage + 1)) return false;
                if (a.kind == ActionKind::SendBackward && !sends(stage - 1)) return false;
                Done& state = passes[{stage, a.microBatch}];
                // The stage before must be done, and its output here: as a message, or handed over on this rank.
                const auto has = [&](std::int64_t from, Done least) {
                    if (from < 0 || from >= s.numStages) return true;
                    if (s.rankOfStage(from, a.microBatch) != static_cast<std::int64_t>(rank))
                        return arrived[{stage, a.microBatch, from < stage}] == 1;
                    return passes[{from, a.microBatch}] >= least;
                };
                if (a.kind == ActionKind::Forward && (!has(stage - 1, Forwarded) || !reach(state, Nothing, Forwarded)))
                    return false;
                if (a.kind == ActionKind::BackwardFull &&
                    (!has(stage + 1, InputDone) || !reach(state, Forwarded, Finished)))
                    return false;
                if (a.kind == ActionKind::BackwardInput &&
                    (!has(stage + 1, InputDone) || !reach(state, Forwarded, InputDone)))
                    return false;
                if (a.kind == ActionKind::BackwardWeight && !reach(state, InputDone, Finished)) return false;
                ++at[rank];
                moved = true;
            }
        }
    }
    for (std::size_t rank = 0; rank < s.ranks.size(); ++rank)
        if (at[rank] != s.ranks[rank].size()) return false;
    for (std::int64_t stage = 0; stage < s.numStages; ++stage)
        for (std::int64_t m = 0; m < s.numMicroBatches; ++m)
            if (passes[{stage, m}] != Finished) return false;
    return true;
}

}  // namespace

class TstPipelineSchedule : public QObject {
    Q_OBJECT
private slots:
    void everyScheduleRunsWithoutDeadlock() {
        int checked = 0;
        std::map<ScheduleKind, int> built;
        for (const auto& [kind, word, help, label] : enumNames(ScheduleKind{}))
            for (std::int64_t pp = 1; pp <= 8; ++pp)
                for (std::int64_t m = 1; m <= 17; ++m)
                    for (std::int64_t v = 1; v <= 4; ++v) {
                        const auto s = makeSchedule(kind, pp, m, v);
                        if (!s) {
                            QVERIFY(pp > 1 && !scheduleIssues(kind, pp, m, v).empty());
                            continue;
                        }
                        QVERIFY2(runs(*s),
                                 qPrintable(QString("kind %1 pp %2 m %3 v %4").arg(int(kind)).arg(pp).arg(m).arg(v)));
                        ++checked;
                        built[kind] += pp > 1;
                    }
        QVERIFY(checked > 700);
        QCOMPARE(built.size(), enumNames(ScheduleKind{}).size());
        QVERIFY(std::all_of(built.begin(), built.end(), [](const auto& b) { return b.second > 10; }));
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
            for (std::int64_t v : {2, 3})
                QCOMPARE(makeSchedule(ScheduleKind::InterleavedOneFOneB, p, 4 * p, v)->maxInFlight(0), p * v + p - 1);
    }
    void splitBackwardKeepsWhatOneFOneBKeeps() {
        // Qi 2023: ZB-H1 holds p micro-batches on every rank, ZB-V 2p chunks of half the size; DeepSeek-V3: DualPipe p
        // + 1.
        for (std::int64_t p : {2, 4, 6, 8})
            for (std::int64_t rank = 0; rank < p; ++rank) {
                QCOMPARE(makeSchedule(ScheduleKind::ZbH1, p, 3 * p, 1)->maxInFlight(rank), p);
                QCOMPARE(makeSchedule(ScheduleKind::ZbV, p, 3 * p, 2)->maxInFlight(rank), 2 * p);
                QCOMPARE(makeSchedule(ScheduleKind::DualPipe, p, 4 * p, 1)->maxInFlight(rank), p + 1);
                QCOMPARE(makeSchedule(ScheduleKind::DualPipeV, p, 4 * p, 2)->maxInFlight(rank), 2 * p + 1);
            }
    }
    void placesOfStages_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<QString>("stages");  // of rank 0, 1, 2, 3
        QTest::newRow("loop") << int(ScheduleKind::InterleavedOneFOneB) << 2 << "0 4 | 1 5 | 2 6 | 3 7 | ";
        QTest::newRow("V") << int(ScheduleKind::ZbV) << 2 << "0 7 | 1 6 | 2 5 | 3 4 | ";
        QTest::newRow("both ways") << int(ScheduleKind::DualPipe) << 1 << "0 3 | 1 2 | 2 1 | 3 0 | ";
    }
    void placesOfStages() {
        QFETCH(int, kind);
        QFETCH(int, chunks);
        QFETCH(QString, stages);
        QString text;
        for (int rank = 0; rank < 4; ++rank) {
            for (const std::int64_t stage : stagesOfRank(ScheduleKind(kind), 4, chunks, rank))
                text += QString::number(stage) + " ";
            text += "| ";
        }
        QCOMPARE(text, stages);
        QCOMPARE(stagesOfRank(ScheduleKind(kind), 1, chunks, 0).size(), std::size_t{1});
    }
    void halfOfDualPipeGoesTheOtherWay() {
        const auto s = makeSchedule(ScheduleKind::DualPipe, 4, 8, 1);
        for (std::int64_t m = 0; m < 8; ++m) {
            QCOMPARE(s->rankOfStage(0, m), m < 4 ? 0 : 3);
            QCOMPARE(s->chunkOfStage(0, m), m < 4 ? 0 : 1);
        }
        QCOMPARE(makeSchedule(ScheduleKind::DualPipe, 4, 9, 1).error().code, std::string("bad_schedule"));
        QCOMPARE(makeSchedule(ScheduleKind::DualPipe, 3, 12, 1).error().code, std::string("bad_schedule"));
    }
    void demandsAreExplained() {
        QCOMPARE(makeSchedule(ScheduleKind::InterleavedOneFOneB, 4, 6, 2).error().code, std::string("bad_schedule"));
        QCOMPARE(makeSchedule(ScheduleKind::OneFOneB, 2, 4, 2).error().where, std::string("parallel.virtual_stages"));
        QCOMPARE(makeSchedule(ScheduleKind::ZbV, 2, 4, 1).error().where, std::string("parallel.virtual_stages"));
        QVERIFY(!makeSchedule(ScheduleKind::Afab, 0, 4, 1));
    }
    void firstRankOfTwoStages() {
        const auto s = makeSchedule(ScheduleKind::OneFOneB, 2, 2, 1);
        using K = ActionKind;
        const std::vector<ScheduleAction> expected{
            {K::Forward, 0, 0},      {K::SendForward, 0, 0},  {K::Forward, 1, 0},      {K::SendForward, 1, 0},
            {K::RecvBackward, 0, 0}, {K::BackwardFull, 0, 0}, {K::RecvBackward, 1, 0}, {K::BackwardFull, 1, 0}};
        QVERIFY(s->ranks[0] == expected);
    }
};
SLIPWAY_TEST(TstPipelineSchedule)
#include "tst_pipeline_schedule.moc"
