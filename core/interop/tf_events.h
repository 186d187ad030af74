// TensorBoard event files: TFRecord framing around protobuf messages, read and written without either library.
//   [u64 length][u32 masked CRC-32C of the length][bytes][u32 masked CRC-32C of the bytes], little endian
// Event {1: wall_time double, 2: step int64, 3: file_version, 5: Summary{1: Value{1: tag, 2: simple_value float, 8: tensor}}}
// (tensorflow/tensorflow tensorflow/core/lib/io/record_writer.h and tensorflow/core/framework/summary.proto).
#pragma once

#include "core/base/reason_counts.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace slipway::interop {

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4), reflected, of a whole buffer.
std::uint32_t crc32c(std::string_view bytes);
/// TFRecord's mask over it, so that a CRC of data that contains CRCs stays useful.
std::uint32_t maskedCrc32c(std::string_view bytes);

struct ScalarEvent {
    double wallSeconds = 0;
    std::int64_t step = 0;
    std::string tag;
    double value = 0;
};

struct EventCounts {
    std::int64_t records = 0;
    std::int64_t scalars = 0;
    std::size_t bytes = 0;  ///< of complete records
    ReasonCounts malformed;
};

/// Calls `take` for each scalar in order. A record whose CRC is wrong is counted and skipped; a wrong length ends the reading, since no
/// later record can be found. An unfinished last record is normal while a run continues; it is counted.
EventCounts readScalarEvents(std::string_view bytes, const std::function<void(const ScalarEvent&)>& take);

/// One record that wraps a message.
std::string tfRecord(std::string_view message);
/// The message that begins a file: its version, from which readers know that steps may repeat.
std::string versionEvent(double wallSeconds);
/// The message of one scalar; its value is stored as a float, as TensorBoard does.
std::string scalarEvent(const ScalarEvent& event);

}  // namespace slipway::interop
