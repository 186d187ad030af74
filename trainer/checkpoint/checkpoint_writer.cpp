#include "trainer/checkpoint/checkpoint_writer.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "trainer/checkpoint/agreement.h"
#include "trainer/checkpoint/shard_runs.h"
#include "trainer/comm/gather_text.h"
#include "trainer/kernels/host_memory.h"

#include <ATen/ops/from_blob.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace slipway::trainer {
namespace {

std::string fileName(std::int64_t rank) {
    char text[40];
    std::snprintf(text, sizeof text, "rank_%05lld.safetensors", static_cast<long long>(rank));
    return text;
}

std::int64_t firstOf(const StateTensor& entry) {
    return entry.shard.flatOffset.value_or(0);
}

constexpr std::uint64_t kAlignment = 64;

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

CheckpointWriter::~CheckpointWriter() {
    if (m_thread.joinable()) m_thread.join();
}

void CheckpointWriter::plan(const std::vector<StateTensor>& state) {
    std::vector<Holding> mine;
    for (const StateTensor& entry : state)
        mine.push_back(
            {entry.name + "|" + boxText(entry.shard), firstOf(entry), firstOf(entry) + entry.tensor.numel()});
    std::vector<std::vector<Holding>> ranks;
    for (const std::string& text : gatherTexts(*m_context.mesh.world, toText(mine), m_context.device))
        ranks.push_back(holdingsFrom(text));
    m_parts = planWrites(ranks)[static_cast<std::size_t>(m_context.mesh.worldRank)];
    m_isPlanned = true;
}

void CheckpointWriter::stage(const std::vector<StateTensor>& state) {
    std::uint64_t bytes = 0;
    for (const WritePart& part : m_parts)
        bytes += aligned(static_cast<std::uint64_t>(part.end - part.begin) * state[part.index].tensor.element_size());
    if (bytes > m_bufferBytes) {
        m_host.reset();
        m_pinned.reset();
        if (m_context.device.is_cuda()) {
            m_pinned = lastingHostTensor({static_cast<std::int64_t>(bytes)}, at::kByte, m_context.device);
            m_buffer = static_cast<std::byte*>(m_pinned.mutable_data_ptr());
        } else {
            // Not through libtorch: the buffer is not model memory, and is not counted as such.
            m_host.reset(new std::byte[bytes]);
            m_buffer = m_host.get();
        }
        m_bufferBytes = bytes;
    }
    m_file = {m_context.mesh.worldRank, fileName(m_context.mesh.worldRank), 0, {}, {}};
    m_tensors.clear();
    std::byte* to = m_buffer;
    for (const WritePart& part : m_parts) {
        const StateTensor& entry = state[part.index];
        const std::int64_t length = part.end - part.begin;
        const at::Tensor from = entry.tensor.reshape({-1}).narrow(0, part.begin - firstOf(entry), length);
        at::Tensor host = at::from_blob(to, {length}, at::TensorOptions().dtype(from.scalar_type()));
        // The last copy blocks, and thus waits for the earlier ones in the same stream.
        host.copy_(from, /*non_blocking=*/&part != &m_parts.back());

        ManifestTensor place{entry.name, entry.shard, entry.name};
        std::vector<std::int64_t> shape = entry.shard.localShape();
        place.shard.dtype = safetensorsWord(from.scalar_type());
        place.shard.flatOffset.reset();
        place.shard.flatLength.reset();
        if (length != entry.shard.localElements()) {
            place.shard.flatOffset = part.begin;
            place.shard.flatLength = length;
            place.name += "#" + std::to_string(part.begin);  // a file may contain several parts of one tensor
            shape = {length};
        }
        m_tensors.push_back({place.name, place.shard.dtype, std::move(shape), to, from.nbytes()});
        m_file.tensors.push_back(std::move(place));
        to += aligned(from.nbytes());
    }
}

void CheckpointWriter::write() {
    const double begin = monotonicSecondsNow();
    try {
        const auto path = m_context.dir.checkpoint(m_mark->step) / m_file.name;
        const Result<WrittenFile> written =
            writeSafetensors(path, m_tensors, {{"format", "pt"}, {"step", std::to_string(m_mark->step)}});
        if (written) {
            m_file.bytes = written->bytes;
            m_file.hash = written->hash;
            Json json = toJson(m_file);
            json["seconds"] = monotonicSecondsNow() - begin;
            m_report = dumpJson(json, false);
        } else {
            m_report = errorText(written.error());
        }
    } catch (const std::exception& caught) {
        m_report =
            errorText({"checkpoint_failed", std::string("The checkpoint was not written: ") + caught.what(), {}});
    }
    m_isWritten.store(true, std::memory_order_release);
}

Result<void> CheckpointWriter::begin(const CheckpointMark& mark, const std::vector<StateTensor>& state) {
    const double begin = monotonicSecondsNow();
    if (!m_isPlanned) plan(state);
    const std::filesystem::path folder = m_context.dir.checkpoint(mark.step);
    Result<void> ready;
    if (m_context.mesh.worldRank == 0) {
        // Leftovers of an earlier attempt: the manifest goes first, so that the folder never passes for complete.
        std::error_code ignored;
        std::filesystem::remove(folder / "manifest.json", ignored);
        std::filesystem::remove_all(folder, ignored);
        ready = makeFolders(folder);
        flushFolder(folder.parent_path());
        flushFolder(m_context.dir.path);
    }
    if (ready = agree(*m_context.mesh.world, m_context.device, ready); !ready) return ready;
    // A node with its own home has the run's folder; without it, write() fails with an error.
    if (std::error_code code; std::filesystem::exists(m_context.dir.path, code)) (void)makeFolders(folder);
    stage(state);
    m_mark = mark;
    m_report.clear();
    m_isWritten.store(m_tensors.empty());
    if (!m_tensors.empty()) m_thread = std::thread([this] { write(); });
    m_beginSeconds = monotonicSecondsNow() - begin;
    return {};
}

Result<void> CheckpointWriter::publish(std::vector<ManifestFile> files) {
    const RunConfig& config = m_context.config;
    Manifest manifest;
    manifest.step = m_mark->step;
    manifest.numUpdates = m_mark->numUpdates;
    manifest.dataPosition = m_mark->dataPosition;
    manifest.tokens = m_mark->tokens;
    manifest.loopState = m_mark->loopState;
    manifest.seed = config.train.seed;
    manifest.configHash = configHash(config);
    manifest.model = dumpJson(slipway::toJson(config.model), false);
    manifest.parallel = dumpJson(slipway::toJson(config).at("parallel"), false);
    manifest.precision = std::string(wordOf(config.train.precision));
    manifest.optimizer = std::string(wordOf(config.optimizer.kind));
    manifest.data = dataText(m_context);
    manifest.files = std::move(files);
    const RunDir& dir = m_context.dir;
    if (auto written = writeJsonFile(dir.checkpoint(m_mark->step) / "manifest.json", toJson(manifest)); !written)
        return written;
    retireCheckpointsAfter(dir.checkpoints(), m_mark->step);
    pruneCheckpoints(dir.checkpoints(), config.checkpoint.keep, config.checkpoint.keepEverySteps);
    return {};
}

Result<FinishedCheckpoint> CheckpointWriter::finish() {
    const double begin = monotonicSecondsNow();
    if (m_thread.joinable()) m_thread.join();
    FinishedCheckpoint finished{*m_mark, 0, 0, m_beginSeconds};
    Result<void> done;
    std::vector<ManifestFile> files;
    const Result<std::vector<Json>> reports =
        readReports(gatherTexts(*m_context.mesh.world, m_report, m_context.device));
    if (!reports) done = fail(reports.error());
    for (std::size_t rank = 0; reports && done && rank < reports->size(); ++rank) {
        const Json& report = (*reports)[rank];
        if (report.is_null()) continue;
        Result<ManifestFile> file = manifestFileFromJson(report, "report of rank " + std::to_string(rank));
        if (!file) {
            done = fail(file.error());
            break;
        }
        finished.bytes += file->bytes;
        finished.writeSeconds = std::max(finished.writeSeconds, report.value("seconds", 0.0));
        files.push_back(std::move(*file));
    }
    if (m_context.mesh.worldRank == 0) {
        if (done) done = publish(std::move(files));
        if (!done) {
            std::error_code ignored;
            std::filesystem::remove_all(m_context.dir.checkpoint(m_mark->step), ignored);
        }
    }
    const std::int64_t step = m_mark->step;
    m_mark.reset();
    m_isWritten.store(false);
    if (done = agree(*m_context.mesh.world, m_context.device, done); !done) return fail(done.error());
    // On a node with its own home there is no manifest, which rank 0 relies on.
    std::error_code ignored;
    const RunDir& dir = m_context.dir;
    if (const CheckpointSpec& spec = m_context.config.checkpoint;
        m_context.mesh.worldRank > 0 && !std::filesystem::exists(dir.checkpoint(step) / "manifest.json", ignored))
        pruneCheckpointParts(dir.checkpoints(), spec.keep, spec.keepEverySteps);
    finished.stallSeconds += monotonicSecondsNow() - begin;
    return finished;
}

}  // namespace slipway::trainer
