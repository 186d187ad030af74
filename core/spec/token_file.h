// Packed token files: a header with vocabulary size and dtype, then little-endian ids (uint16 up to 65,536 entries,
// else uint32). Layout: 8 bytes "SLPTOK1\n", uint32 header length, JSON header, zero padding to a multiple of 64, data.
//   {"dtype":"uint16","vocab_size":2048,"num_tokens":812345,"tokenizer_sha256":"...","unigram_entropy":6.81}
#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace slipway {

struct TokenFileHeader {
    std::int64_t vocabSize = 0;
    std::int64_t numTokens = 0;
    bool wide = false;          ///< uint32 instead of uint16
    std::string tokenizerHash;  ///< hex SHA-256 of the tokenizer model, empty if unknown
    double unigramEntropy = 0;  ///< nats per token: the loss of a model based only on token frequencies
};

/// Writes a token file atomically. "token_out_of_range" names the first id >= vocabSize and its place.
Result<TokenFileHeader> writeTokenFile(const std::filesystem::path& path, std::span<const std::uint32_t> tokens,
                                       std::int64_t vocabSize, const std::string& tokenizerHash);

/// An open token file; read-only, shared between threads. Not memory-mapped: truncation during reading would end the
/// program.
class TokenFile {
public:
    /// "file_missing", "bad_token_file" (magic, header, length mismatch).
    static Result<TokenFile> open(const std::filesystem::path& path);

    [[nodiscard]] const TokenFileHeader& header() const { return m_header; }
    [[nodiscard]] std::int64_t size() const { return m_header.numTokens; }
    /// Copies tokens [offset, offset + count) to `out`. "token_out_of_range" if one is >= vocab_size (a damaged file), "bad_token_range"
    /// if the range is outside the file, "file_unreadable" if the file was truncated since it was opened.
    Result<void> read(std::int64_t offset, std::int64_t count, std::int64_t* out) const;

private:
    TokenFileHeader m_header;
    std::shared_ptr<const FileDescriptor> m_file;
    std::size_t m_dataOffset = 0;
    std::string m_path;
};

}  // namespace slipway
