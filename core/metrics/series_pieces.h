// Figures of series that are read in pieces, in memory that does not grow with the run.
//   RunFigures measured = summarisePieces(chunksOfTheStore, basis);
#pragma once

#include "core/metrics/summarise.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace slipway {

/// Gives the points of a series to `take`, piece by piece in order of steps; nothing where there is no such series.
using PieceSource = std::function<void(
    const std::string& name,
    const std::function<void(std::span<const std::int64_t> steps, std::span<const double> values)>& take)>;

/// summarise() of series that are read several times each. "tokens" has a point of every recorded step.
Measured summarisePieces(const PieceSource& pieces, const DeriveBasis& basis);

/// median() of values that `eachPiece` gives to its argument, all of them every time that it is called (at most six times).
/// No more than `mostHeld` of them are kept at once.
double medianOfPieces(const std::function<void(const std::function<void(std::span<const double>)>&)>& eachPiece,
                      std::size_t mostHeld = std::size_t{1} << 20);

}  // namespace slipway
