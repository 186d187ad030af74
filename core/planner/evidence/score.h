// Accuracy of forecasts: errors, rank correlation, and the cost of choosing by forecast.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slipway {

/// Linear interpolation between order statistics (Hyndman and Fan 1996, type 7); NaN when empty.
double quantile(std::vector<double> values, double share);

/// Pearson correlation of the ranks, ties share their mean rank (Spearman 1904); NaN below two values.
double spearman(const std::vector<double>& a, const std::vector<double>& b);

/// One layout among competitors.
struct Competitor {
    std::string cell;
    double place = 0;            ///< smaller is chosen earlier; infinite where the layout is forecast to fail
    double measuredSeconds = 0;  ///< per token; infinite where the layout failed
};

/// How much slower than the best measured run of its cell the forecast's favourite is, or the best of its `choices`
/// first; mean over cells with at least two runs. Failed layouts compete too: choosing one costs as much as the slowest
/// run of its cell. NaN without such a cell.
double meanRegret(const std::vector<Competitor>& runs, std::size_t choices);

}  // namespace slipway
