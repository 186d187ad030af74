// A checkpoint folder opened for reading by any layout: tensors are assembled from the pieces of the ranks that wrote
// it.
//   auto reader = CheckpointReader::open(folder);  reader->check(rank, worldSize);  reader->fill(stateTensor);
#pragma once

#include "trainer/checkpoint/manifest.h"
#include "trainer/checkpoint/safetensors.h"
#include "trainer/parallel/state_tensor.h"

#include <map>
#include <string>
#include <vector>

namespace slipway::trainer {

class CheckpointReader {
public:
    CheckpointReader(CheckpointReader&&) = default;
    CheckpointReader& operator=(CheckpointReader&&) = default;
    CheckpointReader(const CheckpointReader&) = delete;
    CheckpointReader& operator=(const CheckpointReader&) = delete;

    /// "checkpoint_damaged" for an unreadable manifest or file.
    static Result<CheckpointReader> open(const std::filesystem::path& folder);

    [[nodiscard]] const Manifest& manifest() const { return m_manifest; }
    /// Length and hash of every `stride`-th file from `first`: ranks share the work. "checkpoint_damaged".
    [[nodiscard]] Result<void> check(std::size_t first, std::size_t stride) const;
    /// Fills the tensor, from any files. "resume_mismatch" when the name is missing, or the shape or
    /// number format differs; "checkpoint_damaged" when elements are missing. Never converts
    /// silently.
    Result<void> fill(StateTensor& entry) const;
    /// Contents of the checkpoint: names with the shard of one of their pieces.
    [[nodiscard]] std::map<std::string, ParamShard> states() const;

private:
    CheckpointReader() = default;
    struct Piece {
        std::size_t file = 0;
        const ManifestTensor* tensor = nullptr;
    };
    Result<void> fillHost(const StateTensor& entry, at::Tensor& host) const;

    std::filesystem::path m_folder;
    Manifest m_manifest;
    std::vector<SafetensorsFile> m_files;
    std::map<std::string, std::vector<Piece>> m_pieces;  ///< by state name
};

}  // namespace slipway::trainer
