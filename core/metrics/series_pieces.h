// Figures of series read in pieces, in memory independent of the run's length.
//   RunFigures measured = summarisePieces(chunksOfTheStore, basis);
#pragma once

#include "core/metrics/summarise.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace slipway {

/// Passes the points of a series to `take`, piece by piece in order of steps; none for an unknown series.
using PieceSource = std::function<void(
    const std::string& name,
    const std::function<void(std::span<const std::int64_t> steps, std::span<const double> values)>& take)>;

/// summarise() over series that are read several times each. "tokens" has a point for every recorded step.
Measured summarisePieces(const PieceSource& pieces, const DeriveBasis& basis);

/// median() of the values that `eachPiece` passes to its argument, all of them on every call (at most six calls). At
/// most `mostHeld` of them are in memory at once.
double medianOfPieces(const std::function<void(const std::function<void(std::span<const double>)>&)>& eachPiece,
                      std::size_t mostHeld = std::size_t{1} << 20);

}  // namespace slipway
