// Apache Parquet, the subset for a flat table: one row group of optional columns, plain values, no compression, footer
// in Thrift's compact protocol. pyarrow, pandas, DuckDB and Polars read it. Specification: the format's parquet.thrift
// and Encodings page (github.com/apache/parquet-format).
//   ParquetColumn mfu{"mfu", ParquetType::Real};   mfu.values = {0.41, std::monostate(), NaN};   toParquet({mfu}, 3)
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace slipway {

/// Time: milliseconds since the Unix epoch, UTC.
enum class ParquetType { Integer, Real, Text, Flag, Time };

struct ParquetColumn {
    std::string name;
    ParquetType type = ParquetType::Text;
    /// Absent is null. Whole numbers for Integer, Flag and Time, numbers for Real (NaN stays NaN), text for Text:
    /// UTF-8, invalid bytes become U+FFFD.
    std::vector<std::variant<std::monostate, std::int64_t, double, std::string>> values;
};

/// The file. Every column must have `numRows` values of its type (else "bad_table"); "file_too_large" where a page of text
/// would have 2 GiB or more.
Result<std::string> toParquet(const std::vector<ParquetColumn>& columns, std::size_t numRows);

}  // namespace slipway
