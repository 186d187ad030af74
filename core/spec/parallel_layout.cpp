#include "core/spec/parallel_layout.h"

#include <algorithm>

namespace slipway {
namespace {

Axis axisOf(const std::string& word) {
    for (const auto& name : enumNames(Axis{}))
        if (name.word == word) return name.value;
    return Axis::Tp;
}

std::int64_t& part(Coordinates& c, Axis axis) {
    switch (axis) {
        case Axis::Cp: return c.cp;
        case Axis::Dp: return c.dp;
        case Axis::Pp: return c.pp;
        default: return c.tp;
    }
}

}  // namespace

std::int64_t ParallelLayout::degree(Axis axis) const {
    switch (axis) {
        case Axis::Tp: return tp;
        case Axis::Cp: return cp;
        case Axis::Dp: return dp;
        case Axis::Pp: return pp;
        case Axis::Ep: return ep;
        case Axis::Etp: return etp;
        case Axis::Edp: return tp * cp * dp / (etp * ep);
    }
    return 1;
}

Coordinates ParallelLayout::coordinates(std::int64_t rank) const {
    Coordinates c;
    for (const std::string& word : rankOrder) {
        const Axis axis = axisOf(word);
        part(c, axis) = rank % degree(axis);
        rank /= degree(axis);
    }
    return c;
}

std::int64_t ParallelLayout::rankOf(const Coordinates& c) const {
    Coordinates copy = c;
    std::int64_t rank = 0;
    std::int64_t stride = 1;
    for (const std::string& word : rankOrder) {
        const Axis axis = axisOf(word);
        rank += part(copy, axis) * stride;
        stride *= degree(axis);
    }
    return rank;
}

std::vector<std::int64_t> ParallelLayout::groupOf(const std::vector<Axis>& axes, std::int64_t rank) const {
    std::vector<Coordinates> places{coordinates(rank)};
    for (const Axis axis : axes) {
        std::vector<Coordinates> next;
        for (std::int64_t i = 0; i < degree(axis); ++i)
            for (Coordinates c : places) {
                part(c, axis) = i;
                next.push_back(c);
            }
        places = std::move(next);
    }
    std::vector<std::int64_t> ranks;
    for (const Coordinates& c : places) ranks.push_back(rankOf(c));
    return ranks;
}

ParallelLayout::ExpertPlace ParallelLayout::expertPlace(std::int64_t rank) const {
    const Coordinates c = coordinates(rank);
    const std::int64_t folded = (c.dp * cp + c.cp) * tp + c.tp;
    return {folded % etp, folded / etp % ep, folded / (etp * ep)};
}

std::vector<std::int64_t> ParallelLayout::expertGroup(std::int64_t rank) const {
    const std::int64_t replica = expertPlace(rank).edp;
    std::vector<std::int64_t> ranks;
    for (const std::int64_t other : groupOf({Axis::Tp, Axis::Cp, Axis::Dp}, rank))
        if (expertPlace(other).edp == replica) ranks.push_back(other);
    return ranks;
}

std::vector<std::int64_t> ParallelLayout::expertReplicas(std::int64_t rank) const {
    const ExpertPlace here = expertPlace(rank);
    std::vector<std::int64_t> ranks;
    for (const std::int64_t other : groupOf({Axis::Tp, Axis::Cp, Axis::Dp}, rank)) {
        const ExpertPlace there = expertPlace(other);
        if (there.etp == here.etp && there.ep == here.ep) ranks.push_back(other);
    }
    return ranks;
}

std::vector<std::int64_t> ParallelLayout::stageLayers(std::int64_t numLayers) const {
    if (pp == 1) return {numLayers};  // one rank has them all, regardless of pipeline options
    if (!layersPerStage.empty()) return layersPerStage;
    const std::int64_t stages = pp * virtualStages;
    std::vector<std::int64_t> layers(static_cast<std::size_t>(stages), numLayers / stages);
    std::int64_t rest = numLayers % stages;
    // Middle stages first: the last also has the head, the first the embedding.
    for (std::int64_t i = 0; i < stages && rest > 0; ++i) {
        const std::int64_t stage = i < stages - 2 ? 1 + i : i == stages - 2 ? 0 : stages - 1;
        ++layers[static_cast<std::size_t>(std::min(stage, stages - 1))];
        --rest;
    }
    return layers;
}

}  // namespace slipway
