#include "trainer/optim/adaptive_clipping.h"

#include "core/stability/adaptive_clip.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace slipway::trainer {
namespace {

/// Position of a parameter's units in the list of all units.
struct UnitPlace {
    std::int64_t first = 0;    ///< index of its first unit
    std::int64_t columns = 1;  ///< elements of a unit on this rank
};

std::int64_t unitsOf(const Parameter& parameter) {
    return parameter.shard.globalShape.size() > 1 ? parameter.shard.localShape().front() : 1;
}

// A row cut along its length, or any cut vector, has its norm on several ranks of tp (an expert's: of etp).
bool hasCutUnits(const Parameter& parameter) {
    const bool vector = parameter.shard.globalShape.size() < 2;
    return std::any_of(parameter.shard.slices.begin(), parameter.shard.slices.end(),
                       [&](const ShardSlice& slice) { return vector || slice.dim > 0; });
}

/// A part of the list of all units: of experts or of others, units on several ranks first.
struct Section {
    std::int64_t begin = 0, cutEnd = 0, end = 0;
};
void sumSection(const at::Tensor& squares, const Section& section, ProcessGroup* shards, ProcessGroup& parts) {
    at::Tensor all = squares.narrow(0, section.begin, section.end - section.begin);
    if (shards != nullptr && all.size(0) > 0) shards->allReduce(all, ReduceOp::Sum)->wait();
    at::Tensor cut = squares.narrow(0, section.begin, section.cutEnd - section.begin);
    if (parts.size() > 1 && cut.size(0) > 0) parts.allReduce(cut, ReduceOp::Sum)->wait();
}

/// Elements [begin, begin + units * width) of a segment: `units` units with `width` elements each on this rank.
struct Piece {
    std::int64_t begin = 0, units = 0, width = 0, firstUnit = 0;
};

// Splits a flat segment into the end of a begun unit, complete units, and the beginning of a last one.
std::vector<Piece> piecesOf(const OwnedSegment& segment, const UnitPlace& place) {
    std::vector<Piece> pieces;
    const std::int64_t length = segment.gradients.numel();
    std::int64_t at = 0;
    while (at < length) {
        const std::int64_t position = segment.offset + at;
        const std::int64_t inUnit = position % place.columns;
        Piece piece{at, 1, std::min(place.columns - inUnit, length - at), place.first + position / place.columns};
        if (piece.width == place.columns) piece.units = (length - at) / place.columns;
        pieces.push_back(piece);
        at += piece.units * piece.width;
    }
    return pieces;
}

at::Tensor rowsOf(const at::Tensor& flat, const Piece& piece) {
    return flat.narrow(0, piece.begin, piece.units * piece.width).view({piece.units, piece.width});
}

}  // namespace

std::int64_t clipAdaptively(const std::vector<Parameter*>& parameters, const std::vector<OwnedSegment>& segments,
                            const ProcessMesh& mesh, bool sharded, double share, Bug bug) {
    if (parameters.empty()) return 0;
    // Experts separately, and in both parts the cut units first, so that one message sums each.
    std::vector<UnitPlace> places(parameters.size());
    std::int64_t numUnits = 0;
    Section others, experts;
    for (Section* section : {&others, &experts}) {
        section->begin = numUnits;
        for (const bool cut : {true, false}) {
            for (std::size_t i = 0; i < parameters.size(); ++i) {
                const bool here = parameters[i]->isExpert == (section == &experts);
                if (!here || hasCutUnits(*parameters[i]) != cut) continue;
                const std::int64_t units = unitsOf(*parameters[i]);
                places[i] = {numUnits, std::max<std::int64_t>(
                                           1, parameters[i]->shard.localElements() / std::max<std::int64_t>(1, units))};
                numUnits += units;
            }
            if (cut) section->cutEnd = numUnits;
        }
        section->end = numUnits;
    }
    const at::Device device = parameters.front()->mainGrad.device();
    at::Tensor squares = at::zeros({numUnits, 2}, at::TensorOptions().dtype(at::kDouble).device(device));
    for (const OwnedSegment& segment : segments) {
        // Of a vector with copies on other ranks, only one copy counts.
        const Parameter& parameter = *parameters[segment.item];
        if (hasCutUnits(parameter) && mesh.tp->rank() % parameter.tpCopies != 0) continue;
        for (const Piece& piece : piecesOf(segment, places[segment.item])) {
            at::Tensor sums = squares.narrow(0, piece.firstUnit, piece.units);
            sums.select(1, 0).add_(
                rowsOf(segment.weights, piece).to(device).to(at::kDouble).square().sum(at::IntArrayRef{1}));
            sums.select(1, 1).add_(rowsOf(segment.gradients, piece).to(at::kDouble).square().sum(at::IntArrayRef{1}));
        }
    }
    sumSection(squares, others, sharded ? &mesh.shardGroup() : nullptr, *mesh.tp);
    sumSection(squares, experts, sharded ? mesh.edp.get() : nullptr,
               bug == Bug::ExpertRowsOverTp ? *mesh.tp : *mesh.etp);
    const at::Tensor host = squares.cpu();
    at::Tensor factors = at::ones({numUnits}, at::TensorOptions().dtype(at::kDouble));
    const double* square = host.const_data_ptr<double>();
    auto* factor = factors.mutable_data_ptr<double>();
    std::int64_t clipped = 0;
    for (std::int64_t i = 0; i < numUnits; ++i) {
        factor[i] = adaptiveClipFactor(std::sqrt(square[2 * i]), std::sqrt(square[2 * i + 1]), share);
        clipped += factor[i] < 1 ? 1 : 0;
    }
    if (clipped == 0) return 0;
    for (const OwnedSegment& segment : segments) {
        const at::Tensor here = factors.to(segment.gradients.options());
        for (const Piece& piece : piecesOf(segment, places[segment.item]))
            rowsOf(segment.gradients, piece).mul_(here.narrow(0, piece.firstUnit, piece.units).unsqueeze(1));
    }
    return clipped;
}

}  // namespace slipway::trainer
