// Measured points (parameters, tokens, loss) for fitting a scaling law, from a CSV file.
//   auto points = parseLawPoints("params,tokens,loss\n1e8,2e9,3.1\n...", "runs.csv", {});
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway {

struct LawPoint {
    double parameters = 0;
    double tokens = 0;
    double loss = 0;  ///< nats per token
};

struct LawPointsFilter {
    std::vector<std::pair<std::string, std::string>> where;  ///< column, text it must contain
    bool withExcluded = false;                               ///< also rows whose column `excluded` is 1
};

struct LawPoints {
    std::vector<LawPoint> points;
    std::size_t numFiltered = 0;  ///< rows excluded by `where`
    std::size_t numExcluded = 0;  ///< rows marked as excluded
};

/// Reads a table with a header. Columns, by any of these names: params, parameters or n; tokens or d; loss; where
/// tokens are missing, flops, compute, budget_flops or c supplies them as C / 6N. Errors: "bad_value" with the line,
/// "unknown_column" for a missing column, also one named in `where`.
/// @param name of the file, for messages
Result<LawPoints> parseLawPoints(std::string_view text, const std::string& name, const LawPointsFilter& filter);

}  // namespace slipway
