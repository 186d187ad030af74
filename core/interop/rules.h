// Tables that map keys of a foreign format to our fields, used in both directions.
//   {"training.seq_len", "train.seq_len"},  {"model.dtype", "train.precision", {{"bfloat16", "bf16"}}}
#pragma once

#include "core/interop/key_reader.h"

#include <string>
#include <utility>
#include <vector>

namespace slipway::interop {

struct Rule {
    std::string key;   ///< in the foreign document, levels separated by dots
    std::string path;  ///< field of RunConfig
    /// Their word and ours, the first match wins; empty: the value unchanged. "true", "false", "null" and numbers mean the JSON values.
    std::vector<std::pair<std::string, std::string>> words = {};
};
using Rules = std::vector<Rule>;

/// Copies every key of the table that the document has into `config` (a document of ours). A word outside the pairs
/// adds an Approximated remark and leaves the field unchanged.
void readRules(KeyReader& reader, const Rules& rules, Json& config);
/// Sets every key of the table whose field `config` has; a value without a word is omitted.
void writeRules(const Json& config, const Rules& rules, Json& document);

/// The learning rate's end as a fraction, free of rounding in the last digits: endOf(lr, ratioOf(m, lr)) is m.
double ratioOf(double minimum, double lr);
/// lr * ratio in decimal: 0.1 of 3e-4 is 3e-5, where the product of the nearest binary fractions is
/// 2.9999999999999997e-05. The inverse of ratioOf().
double endOf(double lr, double ratio);

/// The end of every reader: problems, remarks for keys that were not used, the checked config.
Result<Imported> finishReading(KeyReader& reader, Json config, const std::vector<std::string_view>& known,
                               const std::string& where);

/// Sets model.rotary_dim from the rotary fraction of a head; omitted for a full head.
void putRotaryPart(Json& config, double part);
double rotaryPart(const ModelSpec& model);

}  // namespace slipway::interop
