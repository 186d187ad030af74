// Reads the "axes" and "points" of a sweep file into choices. Random axes are drawn here, from the file's seed: the
// same file gives the same choices on every computer.
#pragma once

#include "core/sweep/sweep_file.h"

namespace slipway {

/// Context for checking a field and its value.
struct AxisContext {
    FieldInfos fields;  ///< all leaves of a run config
    std::uint64_t seed = 1;
    std::int64_t baseSeed = 0;  ///< train.seed of the base: the first repeat's
    Issues& issues;
};

/// One element of "axes": {"field", "values"}, {"list": [{field: value}]}, {"field", "random": {...}}, {"random":
/// {"num", "fields": {field: {...}}}} or {"repeats": 3}, the same training with different seeds. @param pointer JSON
/// pointer of the element; @param index its place, part of the random stream
SweepAxis readAxis(const Json& json, const std::string& pointer, std::size_t index, AxisContext& context);

/// {"name": "TP 2", "parallel.tp": 2, ...}: the key "name" names the trial, every other key is a field.
SettingGroup readSettingGroup(const Json& json, const std::string& pointer, AxisContext& context);

}  // namespace slipway
