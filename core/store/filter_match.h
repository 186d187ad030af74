// A parsed filter applied to the columns of all runs. Private to this room.
#pragma once

#include "core/store/run_column.h"
#include "core/store/run_fields.h"
#include "core/store/run_filter.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slipway::store {

/// Fields searched for a word without a field.
inline constexpr const char* kFreeTextFields[] = {"name", "id", "notes", "tag", "sweep"};

using ColumnOf = std::function<const RunColumn&(const RunField&)>;

/// The problem of a value for this field and operator, in one sentence; absent when it is valid.
std::optional<Message> checkValue(const RunField& field, FilterOp op, const std::string& value);

/// Adds the fields that the filter reads.
void addFieldsOf(const FilterNode& node, std::vector<const RunField*>& out);

/// Which slots match. A term about an unknown value is 0, so `not` is its complement.
Mask matchesOf(const RunFilter& filter, const ColumnOf& columnOf, std::size_t numSlots,
               std::int64_t nowUnixMilliseconds);

}  // namespace slipway::store
