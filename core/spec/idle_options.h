// Options with non-default values but without effect under the other settings: the conditions beyond a field's own struct. Conditions
// within it are in its table (Field::when, core/base/field_table.h) and are checked when a config is read.
//   for (const Issue& issue : idleOptions(config)) ...;   config = withoutIdleOptions(std::move(config));
#pragma once

#include "core/spec/run_config.h"

namespace slipway {

/// A "no_effect" for each, with the remedy; part of validate(). Warnings for layout options that a sweep tries among
/// others or on few ranks first, where they change nothing (ZeRO, its blocks and buckets, the order of ranks); else
/// errors.
Issues idleOptions(const RunConfig& config);

/// Whether withoutIdleOptions() resets this one of idleOptions().
bool isPutBack(const Issue& idleOption);

/// Resets options to a value with the same effect, where there is one: for a caller that disables an option by changing
/// another one (a search, an edit in a form, an import).
RunConfig withoutIdleOptions(RunConfig config);

}  // namespace slipway
