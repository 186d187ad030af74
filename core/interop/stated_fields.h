// Which fields of a run a foreign file itself gives; the others have the base's values.
//   auto stated = statedFields("deepspeed", text, "ds.json", base);   stated->contains("train.num_steps")
#pragma once

#include "core/interop/formats.h"

#include <set>
#include <string>
#include <string_view>

namespace slipway::interop {

/// Fields a run needs that a file may leave out: shape, lengths, batch, degrees. Dotted paths in the order of the field table.
const std::vector<std::string>& essentialFields();

/// Those of essentialFields() that the file gives: it is read over two bases that differ in each of them, and what comes out equal
/// is the file's. Errors as of importConfig.
Result<std::set<std::string>> statedFields(std::string_view format, const std::string& text, const std::string& where,
                                           const RunConfig& base = {});

}  // namespace slipway::interop
