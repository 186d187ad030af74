#include "trainer/loop/train_rank.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/lr_schedule.h"
#include "trainer/checkpoint/checkpoint_writer.h"
#include "trainer/checkpoint/start_from.h"
#include "trainer/data/batch_source.h"
#include "trainer/kernels/first_gpu.h"
#include "trainer/kernels/fp8.h"
#include "trainer/kernels/kernel_check.h"
#include "trainer/loop/attention_note.h"
#include "trainer/loop/evaluation.h"
#include "trainer/loop/loop_state.h"
#include "trainer/loop/step_facts.h"
#include "trainer/optim/optimizer.h"
#include "trainer/telemetry/device_memory.h"
#include "trainer/telemetry/environment.h"
#include "trainer/telemetry/metric_writer.h"
#include "trainer/telemetry/nvml.h"
#include "trainer/telemetry/tensor_memory.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

namespace slipway::trainer {
namespace {

Result<DeviceReader> readerOf(at::Device device) {
    if (!device.is_cuda()) return DeviceReader();
    const Result<std::string> bus = pciBusOf(device.index());
    return bus ? openDevice(*bus) : fail(bus.error());
}

// In seconds since the beginning of the step, by the host's clock or by the device's mark of it, which needs no
// waiting once the ranks have exchanged their facts. The pipeline's messages are among the spans, as waits.
std::vector<CollectiveLine> collectiveLines(const std::vector<CommActivity::Timed>& timed, double stepBegan,
                                            const DeviceClock::Mark& stepMark) {
    std::vector<CollectiveLine> lines;
    for (const CommActivity::Timed& one : timed) {
        if (one.group == "pp" && (one.operation == "recv" || one.operation == "send")) continue;
        CollectiveLine& line = lines.emplace_back(
            CollectiveLine{one.operation, one.group, one.startSeconds - stepBegan, one.endSeconds - stepBegan});
        if (!one.start) continue;
        line.startSeconds = DeviceClock::seconds(stepMark, one.start);
        line.endSeconds = DeviceClock::seconds(stepMark, one.end);
    }
    return lines;
}

/// State of a rank during training.
class RankLoop {
public:
    RankLoop(const RankSetup& setup, BatchSource source, at::Device device)
        : m_setup(setup),
          m_config(setup.config),
          m_device(device),
          m_source(std::move(source)),
          m_mesh(makeMesh(setup.config.parallel, setup.environment.rank, setup.maker)),
          m_model(setup.config, m_mesh, device),
          m_optimizer(setup.config, m_mesh, m_model.parameters()),
          m_executors(m_model, m_mesh, setup.config.parallel,
                      setup.config.train.cudaGraphs && device.is_cuda() ? cudaGraphMaker() : GraphMaker()),
          m_passes{m_config, m_mesh, m_source, m_executors},
          m_state(setup.config.train),
          m_checkpoints(place()) {}

    Result<TrainerExit> run() {
        if (Result<void> ready = openStreams(); !ready) return fail(ready.error());
        if (Result<void> restored = restore(); !restored) return fail(restored.error());
        startWatchdog();
        if (Result<void> noted = startDeviceSampler(); !noted) return fail(noted.error());
        m_mesh.world->barrier();  // all ranks begin the first step together
        m_totals = CommTotals::of(m_mesh);
        TrainerExit outcome = TrainerExit::Completed;
        std::int64_t step = m_firstStep;
        while (step < m_config.train.numSteps) {
            ++step;
            const std::optional<TrainerExit> end = oneStep(step);
            if (end) {
                outcome = *end;
                break;
            }
        }
        m_watchdog.reset();
        m_deviceSampler.reset();
        if (const auto failed = finishCheckpoint(step); failed && outcome == TrainerExit::Completed) outcome = *failed;
        finish(outcome, step);
        return outcome;
    }

private:
    [[nodiscard]] bool isWriter() const { return m_mesh.worldRank == 0; }
    [[nodiscard]] CheckpointContext place() const {
        return {m_setup.dir, m_config, m_mesh, m_device, &m_source.file()};
    }
    Result<void> openStreams() {
        Result<RankStream> stream = RankStream::open(m_setup.dir, m_mesh.worldRank);
        if (!stream) return fail(stream.error());
        m_stream = std::move(*stream);
        if (!isWriter()) return {};
        Result<MetricWriter> writer = MetricWriter::open(m_setup.dir);
        if (!writer) return fail(writer.error());
        m_writer = std::move(*writer);
        return writeJsonFile(m_setup.dir.environment(), describeEnvironment(m_config, wordOf(m_setup.options.backend)));
    }

    Result<void> restore() {
        std::vector<StateTensor> state = m_optimizer.state();
        Result<LoadedCheckpoint> found = loadStart(place(), m_setup.options.resume, state);
        if (!found) return fail(found.error());
        const LoadedCheckpoint& loaded = *found;
        if (loaded.mark) {
            if (loaded.mark->dataPosition != m_source.position(loaded.mark->step))
                return fail("resume_mismatch",
                            "The checkpoint stands at another place in the data than its step here: "
                            "train.global_batch_size and train.batch_ramp must be as they were.",
                            loaded.from);
            m_firstStep = m_newestCheckpoint = loaded.mark->step;
            if (Result<void> known = m_state.restore(loaded.mark->loopState); !known) return known;
        }
        if (!loaded.from.empty()) m_optimizer.stateRestored(loaded.mark ? loaded.mark->numUpdates : 0);
        if (!isWriter()) return {};
        const std::string runId =
            m_setup.environment.runId.empty() ? m_setup.dir.path.filename().string() : m_setup.environment.runId;
        // The agent counts attempts; ranks started by hand need not.
        const std::int64_t attempt =
            m_setup.environment.attempt > 0 ? m_setup.environment.attempt : m_writer->numAttempts() + 1;
        Result<void> written = m_writer->write(
            MetricHeader{1, runId, attempt, m_firstStep, m_mesh.layout.worldSize(), unixMillisecondsNow()});
        for (const Issue& issue : m_setup.leftOut)
            if (written) written = m_writer->event(m_firstStep, issue.code, issue.message);
        for (const std::string& text : loaded.damaged)
            if (written) written = m_writer->event(m_firstStep, "checkpoint_damaged", text);
        if (written && !loaded.from.empty()) written = m_writer->event(m_firstStep, "started_from", loaded.from);
        if (written && loaded.isUnverified)
            written = m_writer->event(m_firstStep, "checkpoint_unverified", "its manifest is older and has no hash");
        if (written && loaded.mark && m_firstStep == m_config.train.numSteps) written = noteNothingToDo();
        if (written && !loaded.leftOut.empty())
            written = m_writer->event(m_firstStep, "weights_left_out",
                                      std::to_string(loaded.leftOut.size()) +
                                          " tensors of the module that predicts further tokens, from " +
                                          loaded.leftOut.front() + " to " + loaded.leftOut.back());
        if (written && m_config.train.precision == Precision::Fp8 && !multipliesFp8(m_device))
            written =
                m_writer->event(m_firstStep, "fp8_emulated",
                                "this device has no fp8 products: factors are rounded to fp8 and multiplied in fp32");
        return written;
    }

    Result<void> noteNothingToDo() {
        const std::string step = std::to_string(m_firstStep);
        const std::string text =
            "the checkpoint is at step " + step + " of " + step + "; raise train.num_steps to train on";
        std::printf("nothing to do: %s\n", text.c_str());
        std::fflush(stdout);
        return m_writer->event(m_firstStep, "nothing_to_do", text);
    }

    void startWatchdog() {
        if (m_mesh.layout.worldSize() == 1) return;
        WatchdogOptions options;
        options.rank = m_mesh.worldRank;
        options.worldSize = m_mesh.layout.worldSize();
        options.leastLimitSeconds = m_setup.options.hangSeconds;
        options.firstStepLimitSeconds = std::max(600.0, 10 * m_setup.options.hangSeconds);
        options.now = monotonicSecondsNow;
        options.onHang = m_setup.onHang;
        m_watchdog = std::make_unique<Watchdog>(std::move(options), m_setup.activity, m_setup.rendezvous);
    }

    // A GPU that reports nothing costs a warning, not the run.
    Result<void> startDeviceSampler() {
        const Result<DeviceReader> reader = m_setup.openDevice ? m_setup.openDevice() : readerOf(m_device);
        if (reader && *reader) m_deviceSampler = std::make_unique<DeviceSampler>(*reader, kDeviceSampleSeconds);
        if (reader || !isWriter()) return {};
        return m_writer->event(m_firstStep, reader.error().code, reader.error().text());
    }

    std::optional<TrainerExit> oneStep(std::int64_t step) {
        m_values.clear();
        std::optional<double> smallNorm;
        if (const std::int64_t every = m_config.telemetry.noiseEverySteps; every > 0 && step % every == 0) {
            const auto norm = smallBatchSquaredNorm(m_passes, step - 1, m_optimizer, m_state.scaler.scale());
            if (!norm) return failTogether(step, norm.error(), TrainerExit::BadConfig);
            smallNorm = *norm;
            m_totals = CommTotals::of(m_mesh);
        }
        DeviceMemory memory(m_device);
        memory.resetPeak();
        const std::int64_t spansEvery = m_config.telemetry.spansEverySteps;
        const bool writesSpans = spansEvery > 0 && step % spansEvery == 0;
        if (writesSpans) m_setup.activity->startTiming();
        const double begin = monotonicSecondsNow();
        const DeviceClock::Mark stepMark = writesSpans ? DeviceClock(m_device).mark() : nullptr;
        StepFacts facts;
        Result<std::vector<MicroBatch>> batch = loadBatch(m_passes, step - 1);
        if (!batch) return failTogether(step, batch.error(), TrainerExit::BadConfig);
        const double loaded = monotonicSecondsNow();
        m_optimizer.gradients().zero();
        StepOptions options;
        options.recordSpans = true;
        options.lossScale = m_state.scaler.scale();
        const double passesBegin = monotonicSecondsNow() - begin;
        // If the device itself skips non-finite updates, and no other step is to be skipped, the host does not wait
        // before everything is queued.
        const bool decidesLater = m_optimizer.decidesOnDevice() && m_config.train.spikes.policy == SpikePolicy::Alert;
        options.leaveLoss = decidesLater;
        StepOutcome outcome = m_executors.of(m_source.numMicroBatches(step - 1)).step(*batch, options);
        const double updateBegin = monotonicSecondsNow();
        const CommTotals beforeUpdate = CommTotals::of(m_mesh);
        const double lr = learningRate(m_config.optimizer.schedule, m_config.optimizer.lr, static_cast<double>(step),
                                       static_cast<double>(m_config.train.numSteps));
        // Every rank has the same loss and norm, so all make the same decision.
        const auto allow = [&](double gradNorm) { return mayUpdate(outcome.loss, gradNorm); };
        const UpdateReport update = m_optimizer.update(lr, decidesLater ? std::function<bool(double)>() : allow,
                                                       options.lossScale, outcome.lossOnDevice);
        if (decidesLater) {
            outcome.loss = outcome.lossOnDevice.item<double>();
            static_cast<void>(mayUpdate(outcome.loss, update.gradNorm));
        }
        const double end = monotonicSecondsNow();
        const std::vector<CommActivity::Timed> collectives = m_setup.activity->takeTimed();

        settleSpans(outcome);
        facts.dataSeconds = loaded - begin;
        facts.optimizerSeconds = end - updateBegin;
        facts.stepSeconds = end - begin;
        addSpans(facts, outcome.spans, passesBegin);
        addMemory(facts, memory);
        std::optional<DeviceSample> device;
        if (m_deviceSampler) addDevice(facts, device.emplace(m_deviceSampler->take()));
        addCommunication(facts, m_totals, CommTotals::of(m_mesh));
        if (m_device.is_cpu())
            addLateWaits(facts, m_totals, beforeUpdate, updateBegin - begin - passesBegin - outcome.seconds);
        remember(step, outcome, update, smallNorm);
        if (m_judgement.action == StepAction::Rewind)
            if (const Result<void> rewound = rewind(step); !rewound)
                return failTogether(step, rewound.error(), TrainerExit::BadConfig);
        if (const std::int64_t every = m_config.train.eval.everySteps;
            every > 0 && (step % every == 0 || step == m_config.train.numSteps))
            if (const Result<void> known = evaluateNow(); !known)
                return failTogether(step, known.error(), TrainerExit::BadConfig);
        facts.stop = stopAsked() ? 1 : 0;
        facts.failure = m_pendingFailure ? static_cast<double>(*m_pendingFailure) : 0;
        facts.checkpointWritten = m_checkpoints.isWritten() ? 1 : 0;
        const std::vector<StepFacts> ranks = gatherFacts(facts, m_mesh, m_device);
        m_totals = CommTotals::of(m_mesh);
        if (m_watchdog) m_watchdog->stepDone(step, facts.stepSeconds);

        writeStep(step, lr, outcome, update, ranks);
        keepNote(m_stream->health({step, memory.bytes(), memory.peakBytes(), static_cast<std::int64_t>(facts.rssBytes),
                                   facts.stepSeconds, device, memory.reservedPeakBytes(), memory.retries(),
                                   facts.waitSeconds()}));
        if (writesSpans) {
            std::vector<SpanLine> spans{{"data_wait", 0, 0, 0, facts.dataSeconds},
                                        {"optimizer", 0, 0, updateBegin - begin, end - begin}};
            for (const Span& span : outcome.spans)
                spans.push_back({wordOf(span.kind), span.microBatch, span.chunk, passesBegin + span.startSeconds,
                                 passesBegin + span.endSeconds});
            keepNote(m_stream->spans(step, spans, collectiveLines(collectives, begin, stepMark)));
        }
        return decide(step, outcome, update, ranks);
    }

    // A gradient beyond the range of fp16 is not a spike: the loss scale was too high, and decreases.
    bool mayUpdate(double loss, double gradNorm) {
        m_overflow =
            m_state.scalesLoss && std::isfinite(loss) && !std::isfinite(gradNorm) && m_state.scaler.scale() > 1;
        m_judgement = m_overflow ? StepJudgement{StepAction::Skip, {}, {}} : m_state.guard.evaluate(loss, gradNorm);
        return m_judgement.action == StepAction::Update;
    }

    void remember(std::int64_t step, const StepOutcome& outcome, const UpdateReport& update,
                  std::optional<double> smallNorm) {
        m_state.add(outcome.loss);
        const std::int64_t batch = m_source.batchSize(step - 1);
        if (m_config.train.batchRamp.initial > 0) m_values.emplace_back("batch_size", static_cast<double>(batch));
        if (m_config.optimizer.adaptiveClip > 0)
            m_values.emplace_back("clipped_units", static_cast<double>(update.clippedUnits));
        if (m_state.scalesLoss) {
            m_values.emplace_back("loss_scale", m_state.scaler.scale());
            m_state.scaler.stepDone(m_overflow);
        }
        if (!smallNorm) return;
        const auto estimate = estimateNoise({static_cast<double>(smallBatch(batch)), *smallNorm},
                                            {static_cast<double>(batch), update.gradNorm * update.gradNorm});
        if (estimate) m_state.noise.add(*estimate);
        if (const auto scale = m_state.noise.noiseScale()) m_values.emplace_back("noise_scale", *scale);
    }

    Result<void> evaluateNow() {
        const double begin = monotonicSecondsNow();
        const Result<Evaluation> found = evaluate(m_passes);
        if (!found) return fail(found.error());
        m_values.emplace_back("eval_loss", found->loss);
        m_values.emplace_back("eval_seconds", monotonicSecondsNow() - begin);
        return {};
    }

    bool stopAsked() {
        if (m_setup.stopRequested.load()) return true;
        std::error_code ignored;
        return isWriter() && std::filesystem::exists(m_setup.dir.stopFile(), ignored);
    }

    void writeStep(std::int64_t step, double lr, const StepOutcome& outcome, const UpdateReport& update,
                   const std::vector<StepFacts>& ranks) {
        if (!isWriter()) return;
        MetricStep line{step,
                        m_source.position(step) * m_config.train.seqLen,
                        unixMillisecondsNow(),
                        {{"loss", outcome.loss},
                         {"grad_norm", update.gradNorm},
                         {"lr", lr},
                         {"tokens_valid", static_cast<double>(outcome.validTokens)}}};
        for (auto& value : factMetrics(ranks, m_mesh.layout)) line.values.push_back(std::move(value));
        for (auto& value : m_values) line.values.push_back(std::move(value));
        if (m_stallSeconds > 0) line.values.emplace_back("checkpoint_seconds", m_stallSeconds);
        if (m_writeSeconds > 0) line.values.emplace_back("checkpoint_write_seconds", m_writeSeconds);
        m_stallSeconds = m_writeSeconds = 0;
        keepNote(m_writer->write(line));
        // For people who read the log; programs read the stream.
        std::printf("step %lld of %lld  loss %.4f  grad_norm %.3g  lr %.3g  %.3f s\n", static_cast<long long>(step),
                    static_cast<long long>(m_config.train.numSteps), outcome.loss, update.gradNorm, lr,
                    ranks.front().stepSeconds);
        std::fflush(stdout);
        if (step == m_firstStep + 1) keepNote(noteAttention(m_setup.dir));
        if (!m_judgement.code.empty()) keepNote(m_writer->event(step, m_judgement.code, m_judgement.reason));
        if (m_overflow)
            keepNote(m_writer->event(step, "loss_scale_lowered",
                                     "a gradient overflowed fp16; the loss scale is halved and the update left out"));
        else if (update.skipped)
            keepNote(m_writer->event(step, "update_skipped", "weights and moments stay as they were"));
    }

    // An unwritable stream ends the run, but on the same step everywhere: all ranks learn of it with the next
    // step's facts.
    void keepNote(const Result<void>& written) {
        if (written || m_pendingFailure) return;
        m_pendingFailure = written.error().code == "disk_full" ? TrainerExit::DiskFull : TrainerExit::BadConfig;
        m_pendingError = written.error();
    }

    // All ranks make the same decision from the same facts.
    std::optional<TrainerExit> decide(std::int64_t step, const StepOutcome& outcome, const UpdateReport& update,
                                      const std::vector<StepFacts>& ranks) {
        for (const StepFacts& facts : ranks)
            if (facts.failure != 0) return static_cast<TrainerExit>(static_cast<int>(facts.failure));
        if (m_setup.options.stopOnNonFinite && ((update.skipped && !m_overflow) || !std::isfinite(outcome.loss)))
            return TrainerExit::NonFinite;
        if (m_judgement.action == StepAction::Stop) return TrainerExit::NonFinite;
        const bool stop =
            std::any_of(ranks.begin(), ranks.end(), [](const StepFacts& facts) { return facts.stop != 0; });
        const bool last = step == m_config.train.numSteps;
        const std::int64_t every = m_config.checkpoint.everySteps;
        const bool save = isCheckpointDue(m_config.checkpoint, step, m_config.train.numSteps, stop);
        const bool allWritten = std::all_of(ranks.begin(), ranks.end(),
                                            [](const StepFacts& facts) { return facts.checkpointWritten != 0; });
        if (save || allWritten)
            if (const auto failed = finishCheckpoint(step)) return failed;
        if (save) {
            const Stall stall(m_stallSeconds, m_watchdog.get());
            const Result<void> begun =
                m_checkpoints.begin({step, m_optimizer.numUpdates(), m_source.position(step),
                                     m_source.position(step) * m_config.train.seqLen, m_state.toText()},
                                    m_optimizer.state());
            if (!begun) return failTogether(step, begun.error(), TrainerExit::BadConfig);
        }
        if (save && (every == 0 || !m_config.checkpoint.background))
            if (const auto failed = finishCheckpoint(step)) return failed;
        if (stop && !last) return TrainerExit::Stopped;
        return std::nullopt;
    }

    /// Adds its lifetime, in which the rank waits for a disk, to the stall of this step.
    class Stall {
    public:
        Stall(double& seconds, Watchdog* watchdog)
            : m_seconds(seconds), m_watchdog(watchdog), m_begin(monotonicSecondsNow()) {
            if (m_watchdog != nullptr) m_watchdog->waitForDisk(true);
        }
        ~Stall() {
            m_seconds += monotonicSecondsNow() - m_begin;
            if (m_watchdog != nullptr) m_watchdog->waitForDisk(false);
        }
        Stall(const Stall&) = delete;
        Stall& operator=(const Stall&) = delete;

    private:
        double& m_seconds;
        Watchdog* m_watchdog;
        double m_begin;
    };

    // Completes the checkpoint under way, if any. All ranks get here at the same step.
    std::optional<TrainerExit> finishCheckpoint(std::int64_t step) {
        if (!m_checkpoints.isUnderWay()) return std::nullopt;
        const Stall stall(m_stallSeconds, m_watchdog.get());
        const Result<FinishedCheckpoint> finished = m_checkpoints.finish();
        if (!finished) return failTogether(step, finished.error(), TrainerExit::BadConfig);
        m_writeSeconds = finished->writeSeconds;
        m_newestCheckpoint = finished->mark.step;
        if (!isWriter()) return std::nullopt;
        // The last checkpoint has no later step whose line could report it.
        std::array<char, 120> cost{};
        std::snprintf(cost.data(), cost.size(), ": %llu bytes, stood still for %.3g s, written in %.3g s",
                      static_cast<unsigned long long>(finished->bytes), finished->stallSeconds, finished->writeSeconds);
        keepNote(m_writer->event(finished->mark.step, "checkpoint",
                                 m_setup.dir.checkpoint(finished->mark.step).filename().string() + cost.data()));
        return std::nullopt;
    }

    // Restores weights, moments and update count of the newest checkpoint; the steps continue, so the batches since
    // then are skipped permanently.
    Result<void> rewind(std::int64_t step) {
        if (finishCheckpoint(step)) return fail(*m_pendingError);  // the newest is the same on every rank
        const Stall stall(m_stallSeconds, m_watchdog.get());
        std::vector<StateTensor> state = m_optimizer.state();
        const Result<LoadedCheckpoint> loaded = loadCheckpoint(place(), "latest", state, m_newestCheckpoint);
        if (!loaded) return fail(loaded.error());
        if (loaded->mark) m_optimizer.stateRestored(loaded->mark->numUpdates);
        if (!isWriter()) return {};
        if (!loaded->mark)
            return m_writer->event(step, "rewind_impossible", "there is no checkpoint yet: the update was skipped");
        return m_writer->event(step, "rewound", "weights and moments of step " + std::to_string(loaded->mark->step));
    }

    // For failures that every rank sees at the same point.
    TrainerExit failTogether(std::int64_t step, const Error& error, TrainerExit otherwise) {
        const TrainerExit exit = error.code == "disk_full" ? TrainerExit::DiskFull : otherwise;
        if (isWriter()) static_cast<void>(m_writer->event(step, error.code, error.text()));
        m_pendingError = error;
        return exit;
    }

    void finish(TrainerExit outcome, std::int64_t step) {
        if (isWriter()) {
            const bool stopped = outcome == TrainerExit::Stopped;
            if (m_state.numLosses > 0) static_cast<void>(m_writer->event(step, "loss_curve", m_state.curve()));
            const char* status = outcome == TrainerExit::Completed ? "completed" : stopped ? "cancelled" : "failed";
            static_cast<void>(m_writer->end(status, step, static_cast<int>(outcome)));
        }
        m_mesh.world->barrier();  // no rank closes connections that another still reads from
        m_mesh.pp->barrier();
    }

    const RankSetup& m_setup;
    const RunConfig& m_config;
    at::Device m_device;
    BatchSource m_source;
    ProcessMesh m_mesh;
    Model m_model;
    Optimizer m_optimizer;
    Executors m_executors;
    PassContext m_passes;
    LoopState m_state;
    StepJudgement m_judgement;                             ///< of the current step, like the next two
    bool m_overflow = false;                               ///< a gradient beyond fp16
    std::vector<std::pair<std::string, double>> m_values;  ///< metrics of only some steps
    std::optional<MetricWriter> m_writer;
    std::optional<RankStream> m_stream;
    std::unique_ptr<Watchdog> m_watchdog;
    std::unique_ptr<DeviceSampler> m_deviceSampler;  ///< on a GPU only
    CommTotals m_totals;
    std::int64_t m_firstStep = 0;
    std::int64_t m_newestCheckpoint = 0;  ///< step of the checkpoint that this run started from or wrote last
    CheckpointWriter m_checkpoints;
    double m_stallSeconds = 0, m_writeSeconds = 0;  ///< of checkpoints, for the next step's line
    std::optional<TrainerExit> m_pendingFailure;
    std::optional<Error> m_pendingError;
};

}  // namespace

Result<TrainerExit> trainRank(const RankSetup& setup) {
    const RunConfig& config = setup.config;
    Result<BatchSource> source = BatchSource::open(config, setup.tokenFile);
    if (!source) return fail(source.error());
    at::Device device = at::kCPU;
    if (config.train.device == DeviceKind::Gpu) {
        const Result<at::Device> gpu = useGpu(setup.environment.localRank);
        if (!gpu) return fail(gpu.error());
        device = *gpu;
        const auto sound = checkKernels(device, computeType(config.train.precision));
        if (!sound) return fail(sound.error());
    }
    if (setup.beforeGroups) setup.beforeGroups();
    RankLoop loop(setup, std::move(*source), device);
    return loop.run();
}

}  // namespace slipway::trainer
