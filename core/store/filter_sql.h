// A parsed filter as SQL with bound values. Private to this room.
#pragma once

#include "core/store/run_fields.h"
#include "core/store/run_filter.h"
#include "core/store/run_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway::store {

/// SQL text and the values of its question marks, in order.
struct SqlPart {
    std::string sql;
    std::vector<CellValue> values;
};

/// What is wrong with a value for this field and operator, in one sentence; nothing when it is good.
std::optional<Message> checkValue(const RunField& field, FilterOp op, const std::string& value);

/// The condition over `runs r JOIN run_documents d`. Every leaf is 0 or 1, never NULL, so `not` is its complement.
SqlPart conditionOf(const RunFilter& filter, std::int64_t nowUnixMilliseconds);

/// ORDER BY for the keys: unknown and non-finite values last, ties by newest id. "unknown_field".
Result<std::string> orderOf(const std::vector<SortKey>& keys);

}  // namespace slipway::store
