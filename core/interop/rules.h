// Tables that tie keys of a foreign format to fields of ours, used in both directions.
//   {"training.seq_len", "train.seq_len"},  {"model.dtype", "train.precision", {{"bfloat16", "bf16"}}}
#pragma once

#include "core/interop/key_reader.h"

#include <string>
#include <utility>
#include <vector>

namespace slipway::interop {

struct Rule {
    std::string key;   ///< in the foreign document, levels divided by dots
    std::string path;  ///< field of RunConfig
    /// Their word and ours, the first that fits wins; empty: the value as it is. "true", "false", "null" and numbers stand for those.
    std::vector<std::pair<std::string, std::string>> words = {};
};
using Rules = std::vector<Rule>;

/// Takes every key of the table that the document has into `config` (a document of ours). A word that no pair knows is an
/// Approximated remark and leaves the field alone.
void readRules(KeyReader& reader, const Rules& rules, Json& config);
/// Sets every key of the table whose field `config` has; a value without a word is left out.
void writeRules(const Json& config, const Rules& rules, Json& document);

/// The learning rate's end as a fraction, free of the last digits that a product and a quotient leave: endOf(lr, ratioOf(m, lr)) is m.
double ratioOf(double minimum, double lr);
/// lr * ratio of the decimals that these two stand for: 0.1 of 3e-4 is 3e-5, where the product of the nearest binary fractions is
/// 2.9999999999999997e-05. What ratioOf() made a quotient of becomes what it was.
double endOf(double lr, double ratio);

/// The end of every reader: problems, remarks for keys that were not used, the checked config.
Result<Imported> finishReading(KeyReader& reader, Json config, const std::vector<std::string_view>& known,
                               const std::string& where);

/// Sets model.rotary_dim to the part of a head that turns with the position, and what it is; a whole head is left out.
void putRotaryPart(Json& config, double part);
double rotaryPart(const ModelSpec& model);

}  // namespace slipway::interop
