#include "trainer/checkpoint/checkpoint_reader.h"

#include "trainer/checkpoint/shard_runs.h"

#include <ATen/ops/empty.h>

#include <cstring>

namespace slipway::trainer {

Result<CheckpointReader> CheckpointReader::open(const std::filesystem::path& folder) {
    CheckpointReader reader;
    reader.m_folder = folder;
    Result<Manifest> manifest = readManifest(folder);
    if (!manifest) return fail("checkpoint_damaged", manifest.error().message, manifest.error().where);
    reader.m_manifest = std::move(*manifest);
    for (const ManifestFile& entry : reader.m_manifest.files) {
        Result<SafetensorsFile> file = SafetensorsFile::open(folder / entry.name);
        if (!file) return fail("checkpoint_damaged", file.error().message, file.error().where);
        reader.m_files.push_back(std::move(*file));
    }
    // The manifest's files keep their addresses when the reader moves: they are in a vector's memory.
    for (std::size_t i = 0; i < reader.m_manifest.files.size(); ++i)
        for (const ManifestTensor& tensor : reader.m_manifest.files[i].tensors)
            reader.m_pieces[tensor.state].push_back({i, &tensor});
    return reader;
}

Result<void> CheckpointReader::check(std::size_t first, std::size_t stride) const {
    for (std::size_t i = first; i < m_files.size(); i += stride) {
        const ManifestFile& entry = m_manifest.files[i];
        if (m_files[i].bytes() != entry.bytes || m_files[i].hash() != entry.hash)
            return fail("checkpoint_damaged", "The file is not what the manifest says: its length or hash differs.",
                        (m_folder / entry.name).string());
    }
    return {};
}

Result<void> CheckpointReader::fillHost(const StateTensor& entry, at::Tensor& host) const {
    const auto found = m_pieces.find(entry.name);
    if (found == m_pieces.end())
        return fail(
            "resume_mismatch",
            "The checkpoint has no \"" + entry.name + "\": it was written with another model or another optimizer.",
            m_folder.string());
    const std::string word = safetensorsWord(host.scalar_type());
    const auto size = static_cast<std::int64_t>(host.element_size());
    auto* to = static_cast<char*>(host.mutable_data_ptr());
    std::vector<ShardRun> missing = runsOf(entry.shard);
    for (const Piece& piece : found->second) {
        if (missing.empty()) break;
        const ParamShard& shard = piece.tensor->shard;
        if (shard.globalShape != entry.shard.globalShape)
            return fail(
                "resume_mismatch",
                "\"" + entry.name + "\" has another shape in the checkpoint: it was written with another model.",
                m_folder.string());
        const std::string file = (m_folder / m_manifest.files[piece.file].name).string();
        const std::optional<RawTensor> raw = m_files[piece.file].find(piece.tensor->name);
        if (!raw) return fail("checkpoint_damaged", "The file has no \"" + piece.tensor->name + "\".", file);
        if (raw->dtype != word)
            return fail("resume_mismatch",
                        "\"" + entry.name + "\" is " + raw->dtype + " in the checkpoint and " + word +
                            " here: another precision keeps its state in another number format.",
                        m_folder.string());
        const std::int64_t elements = shard.flatLength.value_or(shard.localElements());
        if (raw->bytes != static_cast<std::uint64_t>(elements * size))
            return fail("checkpoint_damaged",
                        "\"" + piece.tensor->name + "\" has another length than the manifest says.", file);
        for (const ShardCopy& copy : takeFrom(runsOf(shard), missing))
            std::memcpy(to + copy.to * size, static_cast<const char*>(raw->data) + copy.from * size,
                        static_cast<std::size_t>(copy.length * size));
    }
    if (!missing.empty())
        return fail("checkpoint_damaged", "The checkpoint lacks a part of \"" + entry.name + "\".", m_folder.string());
    return {};
}

Result<void> CheckpointReader::fill(StateTensor& entry) const {
    if (entry.tensor.is_cpu() && entry.tensor.is_contiguous()) return fillHost(entry, entry.tensor);
    at::Tensor host = at::empty({entry.tensor.numel()}, at::TensorOptions().dtype(entry.tensor.scalar_type()));
    if (auto filled = fillHost(entry, host); !filled) return filled;
    entry.tensor.copy_(host.view(entry.tensor.sizes()));
    return {};
}

std::map<std::string, ParamShard> CheckpointReader::states() const {
    std::map<std::string, ParamShard> states;
    for (const auto& [name, pieces] : m_pieces) states.emplace(name, pieces.front().tensor->shard);
    return states;
}

}  // namespace slipway::trainer
