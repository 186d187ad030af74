#include "trainer/pipeline/executor.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace slipway::trainer {
namespace {

using SteadyClock = std::chrono::steady_clock;

double secondsSince(SteadyClock::time_point start) {
    return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Bytes of the distinct storages of the saved tensors; views of one storage count once.
std::int64_t bytesOf(StageModel::Saved& saved) {
    std::set<const void*> seen;
    std::int64_t bytes = 0;
    saved.each([&](const at::Tensor& tensor) {
        if (tensor.defined() && tensor.has_storage() && seen.insert(tensor.storage().data()).second)
            bytes += static_cast<std::int64_t>(tensor.storage().nbytes());
    });
    return bytes;
}

/// A message between stages, the same for both ends. Every message of a step has its own tag.
struct Message {
    int from = 0, to = 0;  ///< pipeline ranks
    int tag = 0;
};
Message messageOf(const PipelineSchedule& schedule, std::int64_t rank, const ScheduleAction& action) {
    const bool sent = action.kind == ActionKind::SendForward || action.kind == ActionKind::SendBackward;
    const bool forwards = action.kind == ActionKind::SendForward || action.kind == ActionKind::RecvForward;
    const std::int64_t here = schedule.stageOf(rank, action.chunk);
    const std::int64_t there = forwards == sent ? here + 1 : here - 1;
    const auto mine = static_cast<int>(rank), other = static_cast<int>(schedule.rankOfStage(there, action.microBatch));
    const std::int64_t boundary = std::min(here, there);
    return {sent ? mine : other, sent ? other : mine,
            static_cast<int>((boundary * schedule.numMicroBatches + action.microBatch) * 2 + (forwards ? 0 : 1))};
}

bool isForward(ActionKind kind) {
    return kind == ActionKind::Forward || kind == ActionKind::SendForward || kind == ActionKind::RecvForward;
}

// Queued like any device work: the host continues.
void bringTo(at::Device device, MicroBatch& batch) {
    for (at::Tensor* tensor : {&batch.tokens, &batch.targets, &batch.documents.numbers, &batch.documents.starts})
        if (tensor->defined()) *tensor = tensor->to(device, tensor->scalar_type(), /*non_blocking=*/true);
}

std::int64_t countValid(const std::vector<MicroBatch>& microBatches) {
    std::int64_t count = 0;
    for (const MicroBatch& microBatch : microBatches) count += microBatch.targets.ge(0).sum().item<std::int64_t>();
    return count;
}

}  // namespace

// The state of one step.
class PipelineExecutor::Pass {
public:
    Pass(PipelineExecutor& executor, const std::vector<MicroBatch>& microBatches, const StepOptions& options)
        : m_model(executor.m_model),
          m_mesh(executor.m_mesh),
          m_schedule(executor.m_schedule),
          m_actions(executor.m_schedule.ranks[static_cast<std::size_t>(executor.m_mesh.at.pp)]),
          m_microBatches(executor.m_model.localParts(microBatches)),
          m_graph(executor.m_graph.get()),
          m_options(options),
          m_clock(executor.m_model.device()),
          m_lossSum(at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(m_model.device()))) {
        const std::size_t slots = m_model.chunks().size() * microBatches.size();
        m_saved.resize(slots);
        m_inputs.resize(slots);
        m_outputs.resize(slots);
        m_savedBytes.resize(slots);
        // Not the number of micro-batches: in a bidirectional pipeline each chunk gets half of them.
        m_weightPasses.assign(m_model.chunks().size(), 0);
        for (const ScheduleAction& action : m_actions)
            if (action.kind == ActionKind::BackwardFull || action.kind == ActionKind::BackwardWeight)
                ++m_weightPasses[static_cast<std::size_t>(action.chunk)];
        m_weightPassesLeft = m_weightPasses;
    }

    ~Pass() { m_model.endStep(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    StepOutcome run() {
        m_model.beginStep();
        const double numValid = validOfAll();
        m_outcome.validTokens = static_cast<std::int64_t>(numValid);
        chooseLossScale(numValid);
        for (MicroBatch& microBatch : m_microBatches) bringTo(m_model.device(), microBatch);
        shareSequences();
        announceMessages();
        m_start = SteadyClock::now();
        if (m_options.recordSpans) m_outcome.begin = m_clock.mark();
        const bool replays = mayReplay() && m_graph->prepare(m_microBatches[1], m_scales[1]);
        const auto last = static_cast<std::int64_t>(m_microBatches.size()) - 1;
        for (const ScheduleAction& action : m_actions)
            if (replays && action.microBatch > 0 && action.microBatch < last)
                replay(action);
            else if (!m_options.forwardOnly || isForward(action.kind))
                execute(action);
        for (const CommWork& work : m_sends)
            timed({ActionKind::SendForward, 0, 0}, m_outcome.waitSeconds, [&] { work->wait(); });
        m_outcome.seconds = secondsSince(m_start);
        // Only last stages have a loss; over pp the others add zero.
        at::Tensor loss = m_lossSum.view({1});
        m_mesh.pp->allReduce(loss, ReduceOp::Sum)->wait();
        m_mesh.dp->allReduce(loss, ReduceOp::Sum)->wait();
        m_outcome.lossOnDevice = numValid > 0 ? loss.div_(numValid) : loss.zero_();
        m_outcome.loss =
            m_options.leaveLoss ? std::numeric_limits<double>::quiet_NaN() : m_outcome.lossOnDevice.item<double>();
        return std::move(m_outcome);
    }

private:
    [[nodiscard]] double validOfAll() const {
        const auto mine = static_cast<double>(countValid(m_microBatches));
        if (m_mesh.dp->size() == 1) return mine;
        at::Tensor valid = at::zeros({1}, at::TensorOptions().dtype(at::kDouble).device(m_model.device())).fill_(mine);
        m_mesh.dp->allReduce(valid, ReduceOp::Sum)->wait();
        return valid.item<double>();
    }

    // The gradient of (sum over valid tokens) / (valid tokens of all replicas): right by construction for any number of
    // valid tokens per rank, replicas and micro-batches, because every contribution is multiplied by the same number.
    void chooseLossScale(double numValid) {
        const double scale = numValid > 0 ? m_options.lossScale / numValid : 0;
        m_scales.assign(m_microBatches.size(), scale);
        const auto numMicroBatches = static_cast<double>(m_microBatches.size());
        const Bug bug = m_model.bug();
        if (bug == Bug::None) return;
        for (std::size_t i = 0; i < m_scales.size(); ++i) {
            if (bug == Bug::LossNotDividedByTokens) m_scales[i] = 1;
            if (bug == Bug::LossScaledByCp) m_scales[i] *= static_cast<double>(m_mesh.cp->size());
            if (bug == Bug::LossNotDividedByMicroBatches && m_mesh.pp->size() > 1) m_scales[i] *= numMicroBatches;
            if (bug == Bug::ScaledByWorldSize)
                m_scales[i] *= static_cast<double>(m_mesh.dp->size()) / static_cast<double>(m_mesh.layout.worldSize());
            if (bug == Bug::MeanOfMeans)
                m_scales[i] = 1 / (static_cast<double>(countValid({m_microBatches[i]})) * numMicroBatches *
                                   static_cast<double>(m_mesh.dp->size()));
        }
    }

    // Balance and z-losses are means over the sequences of this step, over all replicas and regardless of the number of
    // micro-batches.
    void shareSequences() {
        if (!m_model.hasExperts() || m_options.forwardOnly || m_microBatches.empty()) return;
        const std::int64_t rows = m_microBatches.front().tokens.size(0), dp = m_mesh.layout.dp;
        const std::int64_t all = rows * dp * static_cast<std::int64_t>(m_microBatches.size());
        const std::int64_t counted = m_options.numSequences > 0 ? std::min(m_options.numSequences, all) : all;
        m_model.expectSequences(all);
        for (std::size_t i = 0; i < m_microBatches.size(); ++i) {
            const std::int64_t first = (static_cast<std::int64_t>(i) * dp + m_mesh.at.dp) * rows;
            const std::int64_t kept = std::clamp<std::int64_t>(counted - first, 0, rows);
            at::Tensor shares = at::zeros({rows}, at::TensorOptions().dtype(at::kDouble).device(m_model.device()));
            shares.narrow(0, 0, kept).fill_(m_options.lossScale / static_cast<double>(counted));
            m_microBatches[i].auxShares = shares;
        }
    }

    [[nodiscard]] std::size_t slot(const ScheduleAction& a) const {
        return static_cast<std::size_t>(a.chunk) * m_microBatches.size() + static_cast<std::size_t>(a.microBatch);
    }
    [[nodiscard]] StageModel& stage(const ScheduleAction& a) {
        return *m_model.chunks()[static_cast<std::size_t>(a.chunk)];
    }

    // Runs `body` and records its time: the host's, and for a GPU marks that settleSpans() reads.
    template <class F>
    void timed(const ScheduleAction& action, double& total, F&& body) {
        const double start = secondsSince(m_start);
        const DeviceClock::Mark from = m_outcome.begin ? m_clock.mark() : nullptr;
        body();
        const double end = secondsSince(m_start);
        total += end - start;
        if (!m_options.recordSpans) return;
        m_outcome.spans.push_back({action.kind, action.microBatch, action.chunk, start, end});
        if (from) m_outcome.marks.push_back({from, m_clock.mark()});
    }

    // With chunks, messages between two ranks are not requested in the order of sending.
    void announceMessages() {
        for (std::size_t rank = 0; rank < m_schedule.ranks.size(); ++rank) {
            std::vector<int> tags;
            for (const ScheduleAction& action : m_schedule.ranks[rank]) {
                if (action.kind != ActionKind::SendForward &&
                    (m_options.forwardOnly || action.kind != ActionKind::SendBackward))
                    continue;
                const Message message = messageOf(m_schedule, static_cast<std::int64_t>(rank), action);
                if (message.to == m_mesh.at.pp) tags.push_back(message.tag);
            }
            if (!tags.empty()) m_mesh.pp->expect(static_cast<int>(rank), tags);
        }
    }

    // The neighbouring stage on the same rank (the turn of a V) takes the tensor itself, right after the pass.
    void handOver(const ScheduleAction& action, bool forwards) {
        const std::int64_t from = m_schedule.stageOf(m_mesh.at.pp, action.chunk);
        const std::int64_t to = forwards ? from + 1 : from - 1;
        if (to < 0 || to >= m_schedule.numStages || m_schedule.rankOfStage(to, action.microBatch) != m_mesh.at.pp)
            return;
        const ScheduleAction there{action.kind, action.microBatch, m_schedule.chunkOfStage(to, action.microBatch)};
        (forwards ? m_inputs : m_outputs)[slot(there)] =
            std::exchange((forwards ? m_outputs : m_inputs)[slot(action)], at::Tensor());
    }

    void send(const ScheduleAction& action, bool forwards) {
        const Message message = messageOf(m_schedule, m_mesh.at.pp, action);
        const at::Tensor tensor =
            std::exchange((forwards ? m_outputs : m_inputs)[slot(action)], at::Tensor()).contiguous();
        // The group owns pending messages; only the handle stays here.
        m_sends.push_back(m_mesh.pp->send(tensor, message.to, message.tag));
    }

    void receive(const ScheduleAction& action, bool forwards) {
        const Message message = messageOf(m_schedule, m_mesh.at.pp, action);
        at::Tensor tensor = at::empty(stage(action).boundaryShape(),
                                      at::TensorOptions().dtype(m_model.dtype()).device(m_model.device()));
        timed(action, m_outcome.waitSeconds, [&] { m_mesh.pp->recv(tensor, message.from, message.tag)->wait(); });
        (forwards ? m_inputs : m_outputs)[slot(action)] = std::move(tensor);
    }

    void hold(std::size_t s) {
        m_savedBytes[s] = bytesOf(m_saved[s]);
        m_heldBytes += m_savedBytes[s];
        m_outcome.savedPeakBytes = std::max(m_outcome.savedPeakBytes, m_heldBytes);
    }

    void beforeWeightPass(const ScheduleAction& action) {
        const Bug bug = m_model.bug();
        const auto chunk = static_cast<std::size_t>(action.chunk);
        if (bug == Bug::None || m_weightPassesLeft[chunk] == m_weightPasses[chunk]) return;
        for (Parameter* parameter : stage(action).parameters()) {
            if (bug == Bug::AccumulationWiped) parameter->mainGrad.zero_();
            if (bug == Bug::MicroBatchesRescaled) parameter->mainGrad.mul_(0.5);
        }
    }

    [[nodiscard]] bool countWeightPass(const ScheduleAction& action) {
        return --m_weightPassesLeft[static_cast<std::size_t>(action.chunk)] == 0;
    }

    // The first micro-batch does the one-time work, the last reports its gradients as ready.
    [[nodiscard]] bool mayReplay() const {
        return m_graph != nullptr && !m_options.forwardOnly && m_microBatches.size() > 2 &&
               m_model.chunks().size() == 1 && m_mesh.pp->size() == 1 && m_model.bug() == Bug::None;
    }

    // Runs both passes at the action that completes the micro-batch's gradients.
    void replay(const ScheduleAction& action) {
        if (action.kind != ActionKind::BackwardFull && action.kind != ActionKind::BackwardWeight) return;
        timed({ActionKind::BackwardFull, action.microBatch, action.chunk}, m_outcome.busySeconds,
              [&] { m_graph->run(m_microBatches[static_cast<std::size_t>(action.microBatch)], m_lossSum); });
        static_cast<void>(countWeightPass(action));
    }

    void execute(const ScheduleAction& action) {
        const std::size_t s = slot(action);
        const auto microBatch = static_cast<std::size_t>(action.microBatch);
        switch (action.kind) {
            case ActionKind::RecvForward: return receive(action, true);
            case ActionKind::RecvBackward: return receive(action, false);
            case ActionKind::SendForward: return send(action, true);
            case ActionKind::SendBackward: return send(action, false);
            case ActionKind::Forward:
                m_saved[s].forBackward = !m_options.forwardOnly;
                timed(action, m_outcome.busySeconds, [&] {
                    m_outputs[s] = stage(action).forward(m_microBatches[microBatch],
                                                         std::exchange(m_inputs[s], at::Tensor()), m_saved[s]);
                    if (m_saved[s].lossSum.defined()) m_lossSum.add_(m_saved[s].lossSum);
                });
                handOver(action, true);
                if (m_options.forwardOnly) {
                    m_saved[s] = {};
                    return;
                }
                return hold(s);
            case ActionKind::BackwardFull:
                beforeWeightPass(action);
                timed(action, m_outcome.busySeconds, [&] {
                    m_inputs[s] = stage(action).backward(std::exchange(m_outputs[s], at::Tensor()),
                                                         m_scales[microBatch], m_saved[s], countWeightPass(action));
                });
                handOver(action, false);
                m_heldBytes -= m_savedBytes[s];
                return;
            case ActionKind::BackwardInput:
                timed(action, m_outcome.busySeconds, [&] {
                    m_inputs[s] = stage(action).backwardInput(std::exchange(m_outputs[s], at::Tensor()),
                                                              m_scales[microBatch], m_saved[s]);
                });
                handOver(action, false);
                m_heldBytes -= m_savedBytes[s];
                return hold(s);
            case ActionKind::BackwardWeight:
                beforeWeightPass(action);
                timed(action, m_outcome.busySeconds, [&] {
                    const bool last = countWeightPass(action);
                    if (last && m_model.bug() == Bug::LastWeightPassDropped) return;
                    stage(action).backwardWeight(m_saved[s], last);
                });
                m_heldBytes -= m_savedBytes[s];
                return;
            default: throw std::logic_error("the executor has no action " + std::string(wordOf(action.kind)));
        }
    }

    Model& m_model;
    const ProcessMesh& m_mesh;
    const PipelineSchedule& m_schedule;
    const std::vector<ScheduleAction>& m_actions;
    std::vector<MicroBatch> m_microBatches;  ///< this rank's parts of the sequences
    MicroBatchGraph* m_graph;
    const StepOptions& m_options;
    DeviceClock m_clock;
    SteadyClock::time_point m_start;
    StepOutcome m_outcome;
    at::Tensor m_lossSum;
    std::vector<double> m_scales;            ///< per micro-batch
    std::vector<StageModel::Saved> m_saved;  ///< per (chunk, micro-batch), like the next three
    std::vector<at::Tensor> m_inputs;        ///< received activation, later the gradient to send back
    std::vector<at::Tensor> m_outputs;       ///< activation to send, later the received gradient
    std::vector<std::int64_t> m_savedBytes;
    std::int64_t m_heldBytes = 0;
    std::vector<std::int64_t> m_weightPasses;  ///< per chunk: of the whole step
    std::vector<std::int64_t> m_weightPassesLeft;
    std::vector<CommWork> m_sends;
};

void settleSpans(StepOutcome& outcome) {
    if (!outcome.begin) return;
    outcome.busySeconds = 0;
    for (std::size_t i = 0; i < outcome.spans.size(); ++i) {
        Span& span = outcome.spans[i];
        span.startSeconds = DeviceClock::seconds(outcome.begin, outcome.marks[i].start);
        span.endSeconds = DeviceClock::seconds(outcome.begin, outcome.marks[i].end);
        const bool pass = span.kind == ActionKind::Forward || span.kind == ActionKind::BackwardFull ||
                          span.kind == ActionKind::BackwardInput || span.kind == ActionKind::BackwardWeight;
        if (pass) outcome.busySeconds += span.endSeconds - span.startSeconds;
    }
    outcome.marks.clear();
    outcome.begin.reset();
}

PipelineExecutor::PipelineExecutor(Model& model, const ProcessMesh& mesh, PipelineSchedule schedule, GraphMaker graphs)
    : m_model(model), m_mesh(mesh), m_schedule(std::move(schedule)) {
    if (graphs) m_graph = std::make_unique<MicroBatchGraph>(model, std::move(graphs));
}

StepOutcome PipelineExecutor::step(const std::vector<MicroBatch>& microBatches, const StepOptions& options) {
    // Nothing here is differentiated by autograd: its dispatcher layer is skipped.
    const at::AutoDispatchBelowADInplaceOrView noAutograd;
    return Pass(*this, microBatches, options).run();
}

}  // namespace slipway::trainer
