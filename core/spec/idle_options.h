// Options that are set away from their defaults and that nothing reads with the other settings: the conditions beyond a field's own struct.
// Conditions within it are in its table (Field::when, core/base/field_table.h) and is refused when a config is read.
//   for (const Issue& issue : idleOptions(config)) ...;   config = withoutIdleOptions(std::move(config));
#pragma once

#include "core/spec/run_config.h"

namespace slipway {

/// A "no_effect" for each, with what to do instead; part of validate(). Warnings for options of a layout, which a sweep
/// tries beside others or on few ranks first and which mean the same there without it (ZeRO, its blocks and buckets,
/// the order of ranks); else errors.
Issues idleOptions(const RunConfig& config);

/// Whether withoutIdleOptions() puts this one of idleOptions() back.
bool isPutBack(const Issue& idleOption);

/// Options put back to what has the same effect, where there is such a value: for a caller that takes the effect of an
/// option away by changing another one (a search, an edit in a form, an import).
RunConfig withoutIdleOptions(RunConfig config);

}  // namespace slipway
