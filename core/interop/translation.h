// Result of a translation between Slipway's config and another framework's: the config or the text, and every
// untranslated key. Nothing is dropped without a remark.
#pragma once

#include "core/base/json.h"
#include "core/spec/run_config.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway::interop {

enum class RemarkKind { Unknown, NoCounterpart, Approximated, NotExpressed };
constexpr auto enumNames(RemarkKind) {
    return std::array{
        EnumName<RemarkKind>{RemarkKind::Unknown, "unknown", "unknown key"_text},
        EnumName<RemarkKind>{RemarkKind::NoCounterpart, "no_counterpart", "no counterpart in Slipway"_text},
        EnumName<RemarkKind>{RemarkKind::Approximated, "approximated", "imported as the nearest equivalent"_text},
        EnumName<RemarkKind>{RemarkKind::NotExpressed, "not_expressed", "no counterpart in the target"_text}};
}

struct Remark {
    RemarkKind kind = RemarkKind::Unknown;
    std::string key;    ///< key of the foreign file, or path of our field for NotExpressed
    std::string value;  ///< as JSON text
    Message message;    ///< one sentence
};
using Remarks = std::vector<Remark>;

/// Location and hardware of a launch script's ranks.
struct LaunchPlace {
    std::int64_t nodes = 1;
    std::optional<std::int64_t> devicesPerNode;
    std::string address, port;  ///< of the rendezvous; empty: not given
};

struct Imported {
    RunConfig config;
    Remarks remarks;
    /// Parameters of the published model beyond countParameters of `config.model` (negative: fewer), because ModelSpec
    /// cannot describe the part; each part has a remark. 0 where the shapes agree.
    std::int64_t unmodelledParameters = 0;
    std::optional<std::int64_t> worldSize;  ///< ranks, where the source has it (launch scripts)
    std::optional<LaunchPlace> launch;      ///< launch scripts only
};

struct Exported {
    std::string text;
    Remarks remarks;
};

/// The same config without optional fields that repeat a default (num_kv_heads = num_heads, the family's norm, dp_shard
/// = dp, an even split): equivalent configs become equal.
RunConfig canonical(RunConfig config);

/// Fields of `original` that `restored` lacks, as NotExpressed remarks, without names.
Remarks lostFields(const RunConfig& original, const RunConfig& restored, const Message& format);

/// Builds a config from a document of ours that may set fields without effect: those become NoCounterpart remarks,
/// other problems are one "bad_config" Error that lists all.
Result<RunConfig> configFromDocument(Json document, const std::string& where, Remarks& remarks);

/// Remarks as a list for --json.
Json toJson(const Remarks& remarks);

}  // namespace slipway::interop
