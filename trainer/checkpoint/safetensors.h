// The safetensors format, written and read: 8 bytes length of the header (little endian), JSON header, raw data.
//   {"name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},...,"__metadata__":{"key":"text"}}
// Only tensors and text: reading one cannot run code (unlike pickled checkpoints).
#pragma once

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway::trainer {

struct NamedTensor {
    std::string name;
    at::Tensor tensor;  ///< any device, contiguous or not
};

/// A tensor as bytes in host memory: for a background thread that writes without touching libtorch.
struct RawTensor {
    std::string name;
    std::string dtype;  ///< safetensors name
    std::vector<std::int64_t> shape;
    const void* data = nullptr;
    std::uint64_t bytes = 0;
};

/// The written file, for the manifest.
struct WrittenFile {
    std::uint64_t bytes = 0;
    std::string hash;  ///< XXH-style 64-bit hash of the complete file, hex (see hashBytes)
};

/// Writes to `path` with space reserved first and fsync of the file, no rename: the caller publishes by a
/// manifest, whose own fsync of the folder makes the names durable. "disk_full" leaves no file behind;
/// "file_unwritable".
Result<WrittenFile> writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                                     const std::map<std::string, std::string>& metadata);
Result<WrittenFile> writeSafetensors(const std::filesystem::path& path, const std::vector<RawTensor>& tensors,
                                     const std::map<std::string, std::string>& metadata);
/// Length of a file from writeSafetensors.
std::uint64_t safetensorsBytes(const std::vector<RawTensor>& tensors,
                               const std::map<std::string, std::string>& metadata);

/// A file mapped into memory.
class SafetensorsFile {
public:
    /// "file_missing", "bad_safetensors" (length, header, offsets outside the file).
    static Result<SafetensorsFile> open(const std::filesystem::path& path);
    /// Copies the tensor's values into `target` (same dtype and number of elements): "tensor_missing",
    /// "tensor_mismatch".
    Result<void> read(const std::string& name, at::Tensor& target) const;
    /// A view of one tensor's bytes, valid while the file is open; null for an unknown name.
    [[nodiscard]] std::optional<RawTensor> find(const std::string& name) const;
    /// As a separate tensor on the CPU: "tensor_missing", "tensor_mismatch" for a number format that libtorch lacks.
    [[nodiscard]] Result<at::Tensor> tensor(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] std::uint64_t bytes() const { return m_size; }
    /// hashBytes over the complete file.
    [[nodiscard]] std::string hash() const;

private:
    struct Entry {
        std::string dtype;
        std::vector<std::int64_t> shape;
        std::uint64_t begin = 0, end = 0;
    };
    std::string m_path;
    std::shared_ptr<const void> m_mapping;
    const unsigned char* m_data = nullptr;
    std::uint64_t m_size = 0;
    std::uint64_t m_dataStart = 0;
    std::map<std::string, Entry> m_entries;
};

/// Streaming 64-bit hash in four lanes (the multiply-rotate rounds of XXH64); detects damage, not malice.
class ByteHash {
public:
    void add(const void* data, std::size_t bytes);
    [[nodiscard]] std::string hex() const;

private:
    void block(const unsigned char* at);
    std::uint64_t m_lanes[4] = {0x60ea27eeadc0b5d6ULL, 0xc2b2ae3d27d4eb4fULL, 0, 0x61c8864e7a143579ULL};
    unsigned char m_rest[32] = {};
    std::size_t m_numRest = 0;
    std::uint64_t m_total = 0;
};

/// "F64", "F32", "BF16", "F16", "I64" ...: the safetensors name of a dtype; empty when there is none.
std::string safetensorsWord(at::ScalarType type);

}  // namespace slipway::trainer
