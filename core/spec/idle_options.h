// Options that are set away from their defaults and that nothing reads with the other settings: what a field's own struct cannot tell.
// What it can tell stands in its table (Field::when, core/base/field_table.h) and is refused when a config is read.
//   for (const Issue& issue : idleOptions(config)) ...;   config = withoutIdleOptions(std::move(config));
#pragma once

#include "core/spec/run_config.h"

namespace slipway {

/// A "no_effect" for each, with what to do instead; part of validate(). Errors, but warnings where an option waits for ranks that this
/// layout lacks (ZeRO, the order of ranks): a layout is tried on few ranks first, and means the same there without it.
Issues idleOptions(const RunConfig& config);

/// Those of them that are errors put back to what acts alike: for who takes the effect of an option away by changing another one (a
/// search, an edit in a form, an import).
RunConfig withoutIdleOptions(RunConfig config);

}  // namespace slipway
