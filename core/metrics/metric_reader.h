// MetricReader: bytes of metrics.jsonl in, records out (docs/run_folder.md). It keeps no position: the caller reads
// from the offset in the store, so a batch that was not stored is simply read again.
//   MetricReader reader;
//   MetricBatch batch = reader.read(bytes, offset);   // complete lines only; batch.toOffset is the next offset
#pragma once

#include "core/spec/metric_line.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// Contents of one piece of the stream. [fromOffset, toOffset) are the bytes consumed. The records and counts of a
/// stream do not depend on its division into pieces.
struct MetricBatch {
    std::uint64_t fromOffset = 0;
    std::uint64_t toOffset = 0;
    std::vector<MetricRecord> records;
    std::int64_t malformedLines = 0;
    std::string firstMalformed;  ///< "byte 1234: reason", empty when all lines were valid
    bool insideLine = false;     ///< toOffset is inside an overlong line; pass this to the next read
};

class MetricReader {
public:
    /// A line must be shorter than this; a longer one counts as malformed once and is skipped up to its newline.
    static constexpr std::size_t kMaxLineBytes = 1U << 20;

    MetricReader();
    ~MetricReader();
    MetricReader(MetricReader&&) noexcept;
    MetricReader& operator=(MetricReader&&) noexcept;

    /// Reads the complete lines of `bytes`, which begin at `offset` of the file. An unfinished last line stays unread.
    /// @param insideLine MetricBatch::insideLine of the read that ended at `offset` Unknown kinds and keys are skipped
    /// (an older dashboard reads a newer trainer); lines that are not JSON, or lack keys required for their kind, are
    /// counted, and so are steps with an implausible value (core/spec/plausible.h), which is omitted. Non-finite values
    /// are the strings "nan", "inf", "-inf".
    MetricBatch read(std::string_view bytes, std::uint64_t offset, bool insideLine = false);

private:
    struct Parser;
    std::unique_ptr<Parser> m_parser;
};

}  // namespace slipway
