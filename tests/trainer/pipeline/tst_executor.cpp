#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// The executor: schedules of one layout give the same bits, spans follow the schedule, 1F1B holds less than AFAB.
#include "tests/support/slipway_test.h"
#include "tests/trainer/small_run.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/pipeline/executor.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <atomic>
#include <map>

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

constexpr std::int64_t kMicroBatches = 6;

RunConfig pipeline(std::int64_t pp, ScheduleKind kind, std::int64_t virtualStages) {
    RunConfig config = smallRun(6, kMicroBatches);
    config.parallel.pp = pp;
    config.parallel.schedule = kind;
    config.parallel.virtualStages = virtualStages;
    return config;
}

struct PipelineRun {
    std::vector<StepOutcome> outcomes;  // per rank
    int notReadyOnce = 0;               // parameters whose gradients were reported another number of times
    std::map<std::string, at::Tensor> gradients;
};

PipelineRun run(const RunConfig& config, const PipelineSchedule& schedule, Messages messages = Messages::Tagged) {
    PipelineRun result;
    result.outcomes.resize(static_cast<std::size_t>(config.parallel.pp));
    std::vector<std::map<std::string, at::Tensor>> gradients(static_cast<std::size_t>(config.parallel.pp));
    std::atomic<int> notReadyOnce{0};
    runInProcess(
        config.parallel.pp,
        [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
            Model model(config, mesh, at::kCPU);
            allocateMainGrads(model.parameters(), at::kDouble);
            std::map<const Parameter*, int> ready;
            for (Parameter* p : model.parameters()) p->onGradReady = [&ready, p] { ++ready[p]; };
            PipelineExecutor executor(model, mesh, schedule);
            result.outcomes[static_cast<std::size_t>(rank)] =
                executor.step(raggedBatches(config, 1), {.recordSpans = true});
            for (const Parameter* p : model.parameters()) {
                gradients[static_cast<std::size_t>(rank)][p->shard.name] = p->mainGrad;
                if (ready[p] != 1) ++notReadyOnce;
            }
        },
        messages);
    for (auto& part : gradients) result.gradients.merge(part);
    result.notReadyOnce = notReadyOnce;
    return result;
}

PipelineRun run(const RunConfig& config, Messages messages = Messages::Tagged) {
    return run(config,
               *makeSchedule(config.parallel.schedule, config.parallel.pp, config.numMicroBatches(),
                             config.parallel.virtualStages),
               messages);
}

void sameBits(const PipelineRun& a, const PipelineRun& b) {
    QCOMPARE(a.gradients.size(), b.gradients.size());
    for (const auto& [name, gradient] : a.gradients) QVERIFY2(gradient.equal(b.gradients.at(name)), name.c_str());
    QCOMPARE(a.outcomes.front().loss, b.outcomes.front().loss);
    QCOMPARE(a.notReadyOnce + b.notReadyOnce, 0);
}

}  // namespace

class TstExecutor : public QObject {
    Q_OBJECT
private slots:
    // The same micro-batches in the same order of accumulation: not one bit may differ, whatever the schedule or the
    // cut.
    void schedulesGiveTheSameBits_data() {
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("virtualStages");
        for (const int pp : {2, 3}) {
            QTest::addRow("afab_pp%d", pp) << pp << static_cast<int>(ScheduleKind::Afab) << 1;
            QTest::addRow("1f1b_pp%d", pp) << pp << static_cast<int>(ScheduleKind::OneFOneB) << 1;
            QTest::addRow("interleaved_pp%d", pp) << pp << static_cast<int>(ScheduleKind::InterleavedOneFOneB) << 2;
            QTest::addRow("zb_h1_pp%d", pp) << pp << static_cast<int>(ScheduleKind::ZbH1) << 1;
            QTest::addRow("zb_v_pp%d", pp) << pp << static_cast<int>(ScheduleKind::ZbV) << 2;
            QTest::addRow("dualpipe_v_pp%d", pp) << pp << static_cast<int>(ScheduleKind::DualPipeV) << 2;
        }
    }
    void schedulesGiveTheSameBits() {
        QFETCH(int, pp);
        QFETCH(int, kind);
        QFETCH(int, virtualStages);
        const PipelineRun one = run(pipeline(1, ScheduleKind::OneFOneB, 1));
        const PipelineRun many = run(pipeline(pp, static_cast<ScheduleKind>(kind), virtualStages));
        sameBits(one, many);
        for (const StepOutcome& outcome : many.outcomes) {
            QCOMPARE(outcome.loss, one.outcomes.front().loss);
            QCOMPARE(outcome.validTokens, one.outcomes.front().validTokens);
        }
    }

    // NCCL's messages have no tags: every schedule must come out the same where only their order tells them apart.
    void messagesNeedNoTags_data() {
        schedulesGiveTheSameBits_data();
        QTest::newRow("dualpipe_pp2") << 2 << static_cast<int>(ScheduleKind::DualPipe) << 1;
    }
    void messagesNeedNoTags() {
        QFETCH(int, pp);
        QFETCH(int, kind);
        QFETCH(int, virtualStages);
        const RunConfig config = pipeline(pp, static_cast<ScheduleKind>(kind), virtualStages);
        sameBits(run(config), run(config, Messages::InOrder));
    }

    void countsValidTokens() {
        QCOMPARE(run(pipeline(1, ScheduleKind::OneFOneB, 1)).outcomes.front().validTokens, std::int64_t{6 * 8 - 15});
    }

    // A zero-bubble style list: weight passes apart from and later than input passes.
    void splitBackwardGivesTheSameBits() {
        const RunConfig config = pipeline(2, ScheduleKind::Afab, 1);
        PipelineSchedule split = *makeSchedule(ScheduleKind::Afab, 2, kMicroBatches, 1);
        for (auto& actions : split.ranks) {
            std::vector<ScheduleAction> weights;
            for (ScheduleAction& action : actions) {
                if (action.kind != ActionKind::BackwardFull) continue;
                action.kind = ActionKind::BackwardInput;
                weights.push_back({ActionKind::BackwardWeight, action.microBatch, action.chunk});
            }
            actions.insert(actions.end(), weights.begin(), weights.end());
        }
        sameBits(run(config), run(config, split));
    }

    void spansFollowTheSchedule() {
        const RunConfig config = pipeline(2, ScheduleKind::OneFOneB, 1);
        const PipelineSchedule schedule = *makeSchedule(ScheduleKind::OneFOneB, 2, kMicroBatches, 1);
        const PipelineRun result = run(config, schedule);
        for (std::size_t rank = 0; rank < 2; ++rank) {
            std::vector<ScheduleAction> expected;
            for (const ScheduleAction& action : schedule.ranks[rank])
                if (action.kind != ActionKind::SendForward && action.kind != ActionKind::SendBackward)
                    expected.push_back(action);
            std::vector<ScheduleAction> seen;
            double end = 0;
            for (const Span& span : result.outcomes[rank].spans) {
                if (span.kind != ActionKind::SendForward && span.kind != ActionKind::SendBackward)
                    seen.push_back({span.kind, span.microBatch, span.chunk});
                QVERIFY(span.startSeconds >= end && span.endSeconds >= span.startSeconds);
                end = span.endSeconds;
            }
            QVERIFY(seen == expected);
            QVERIFY(result.outcomes[rank].seconds >= end);
        }
        // Busy time is that of the passes, wait time that of the messages.
        const StepOutcome& outcome = result.outcomes.front();
        double busy = 0;
        for (const Span& span : outcome.spans)
            if (span.kind == ActionKind::Forward || span.kind == ActionKind::BackwardFull)
                busy += span.endSeconds - span.startSeconds;
        QVERIFY(std::abs(busy - outcome.busySeconds) < 1e-9);
        QVERIFY(outcome.busySeconds + outcome.waitSeconds <= outcome.seconds);
    }

    // 1F1B holds p - rank micro-batches, AFAB all of them.
    void oneFOneBHoldsLess() {
        const PipelineRun afab = run(pipeline(2, ScheduleKind::Afab, 1));
        const PipelineRun oneFOneB = run(pipeline(2, ScheduleKind::OneFOneB, 1));
        QCOMPARE(afab.outcomes[1].savedPeakBytes, oneFOneB.outcomes[1].savedPeakBytes * kMicroBatches);
        QCOMPARE(afab.outcomes[0].savedPeakBytes * 2, oneFOneB.outcomes[0].savedPeakBytes * kMicroBatches);
    }

    // A weight pass frees what its input pass left: what is held does not grow with the number of micro-batches.
    void weightPassesFree() {
        const RunConfig many = pipeline(2, ScheduleKind::ZbH1, 1);
        RunConfig few = many;
        few.train.globalBatchSize = kMicroBatches / 2;
        const PipelineRun a = run(few), b = run(many);
        for (std::size_t rank = 0; rank < 2; ++rank)
            QCOMPARE(a.outcomes[rank].savedPeakBytes, b.outcomes[rank].savedPeakBytes);
    }
};
SLIPWAY_TEST(TstExecutor)
#include "tst_executor.moc"
