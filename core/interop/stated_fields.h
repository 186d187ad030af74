// The fields of a run that a foreign file itself states; the others have the base's values.
//   auto stated = statedFields("deepspeed", text, "ds.json", base);   stated->contains("train.num_steps")
#pragma once

#include "core/interop/formats.h"

#include <set>
#include <string>
#include <string_view>

namespace slipway::interop {

/// Required fields of a run that a file may omit: shape, lengths, batch, degrees. Dotted paths in the order of the field table.
const std::vector<std::string>& essentialFields();

/// The essentialFields() that the file states: it is read over two bases that differ in each of them, and equal results
/// are the file's. Errors as in importConfig.
Result<std::set<std::string>> statedFields(std::string_view format, const std::string& text, const std::string& where,
                                           const RunConfig& base = {});

}  // namespace slipway::interop
