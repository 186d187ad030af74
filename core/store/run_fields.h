// The fields for filtering, sorting and showing runs. Columns of the wide table come first; every leaf of RunConfig is
// also a field, by its dotted path ("model.hidden_size") or, where that is unambiguous, by its last part.
#pragma once

#include "core/base/message.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

enum class RunFieldKind { Text, Integer, Real, Flag, Time, Tags, Model };

struct RunField {
    std::string
        name;  ///< in filters, sort keys and columns: "mfu", "forecast.mfu", "model.hidden_size"; titleOf() has its title
    SourceText unit;  ///< "s", "bytes", "fraction", "" ...
    RunFieldKind kind = RunFieldKind::Text;
    std::string configPath;  ///< of fields that come from the config; else empty
    std::string expression;  ///< SQL; internal to the store
    int better = 0;          ///< +1 more is better, -1 less is better
    bool isWide = true;      ///< a typed column; false: read from the JSON documents
};

/// All fields: wide columns, then the leaves of RunConfig. Names are unique.
const std::vector<RunField>& runFields();

/// Finds a field by name, alias (memory, loss, gpus, nodes, zero, layers, mbs, gbs, ...) or unambiguous last part of a
/// config path; nullptr when there is none.
const RunField* findRunField(std::string_view name);

/// The field name nearest to a misspelt one, or empty.
std::string nearestRunField(std::string_view name);

}  // namespace slipway
