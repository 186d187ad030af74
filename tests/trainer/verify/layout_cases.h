// The layouts of the parity suite. Every legal product of dp, tp, pp, cp (world <= 8), ZeRO stage, sequence
// parallelism, schedule, kind of context parallelism and number of micro-batches can be walked; the remaining axes
// (model family, tied embeddings, grouped queries, query-key norms, recomputation, uneven layers, bucket size,
// micro-batch size, packed documents, sliding window, offload, overlapped tensor parallelism) are combined with them by
// a covering array. A normal run walks a sample.
#pragma once

#include "core/spec/run_config.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace slipway::test {

/// The axes that the covering array combines; each has two values.
struct ExtraAxes {
    static constexpr std::size_t kNum = 15;
    /// gpt2, tied, grouped, qkNorm, recompute, uneven, smallBuckets, microBatchOfTwo, keepGathered, packedDocuments,
    /// slidingWindow, selective, offloaded optimizer, offloaded activations, overlapped tensor parallelism
    std::array<int, kNum> value{};

    [[nodiscard]] std::string text() const {
        static constexpr std::array<const char*, kNum> kWords{"gpt2",   "tied",      "gqa",     "qknorm",  "recompute",
                                                              "uneven", "buckets",   "mbs2",    "keep",    "packed",
                                                              "window", "selective", "hostopt", "hostact", "asynctp"};
        std::string text;
        for (std::size_t i = 0; i < kNum; ++i)
            if (value[i] != 0) text += std::string(text.empty() ? "" : ",") + kWords[i];
        return text.empty() ? "plain" : text;
    }
};

struct LayoutCase {
    std::string name;
    RunConfig config;
};

/// One point of the walked product.
struct WalkedPoint {
    ParallelLayout layout;
    std::int64_t numMicroBatches = 1;
};

/// ZeRO stages, and with them the hybrid form: groups of two that shard, replicated.
inline std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> shardings(std::int64_t dp, std::int64_t cp) {
    if (dp * cp == 1) return {{0, std::nullopt}};
    std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> list{
        {0, std::nullopt}, {1, std::nullopt}, {2, std::nullopt}, {3, std::nullopt}};
    if (dp % 2 == 0 && dp > 2) list.insert(list.end(), {{1, 2}, {2, 2}, {3, 2}});
    return list;
}

/// The schedules a pipeline of pp ranks can run here, with the numbers of micro-batches that show their phases.
inline void addSchedules(WalkedPoint point, std::vector<WalkedPoint>& points) {
    const std::int64_t pp = point.layout.pp;
    const auto add = [&](ScheduleKind kind, std::int64_t virtualStages, std::int64_t numMicroBatches) {
        point.layout.schedule = kind;
        point.layout.virtualStages = virtualStages;
        point.numMicroBatches = numMicroBatches;
        points.push_back(point);
    };
    if (pp == 1) return add(ScheduleKind::OneFOneB, 1, 2);
    for (const std::int64_t count : {2, 5})
        for (const ScheduleKind kind : {ScheduleKind::OneFOneB, ScheduleKind::Afab, ScheduleKind::ZbH1})
            add(kind, 1, count);
    if (pp > 4) return;
    add(ScheduleKind::InterleavedOneFOneB, 2, pp);
    for (const ScheduleKind kind : {ScheduleKind::ZbV, ScheduleKind::DualPipeV}) {
        add(kind, 2, 3);
        add(kind, 2, 2 * pp + 1);
    }
    if (pp % 2 == 0) add(ScheduleKind::DualPipe, 1, 2 * pp);
}

inline std::vector<WalkedPoint> walkedProduct() {
    std::vector<WalkedPoint> points;
    for (std::int64_t dp = 1; dp <= 8; ++dp)
        for (std::int64_t tp = 1; dp * tp <= 8; ++tp)
            for (std::int64_t pp = 1; dp * tp * pp <= 8; ++pp)
                for (std::int64_t cp = 1; dp * tp * pp * cp <= 8; ++cp)
                    for (const auto& [zero, dpShard] : shardings(dp, cp))
                        for (int sequence = 0; sequence <= (tp > 1 ? 1 : 0); ++sequence)
                            for (const CpKind kind : {CpKind::Ring, CpKind::AllGather, CpKind::Ulysses}) {
                                if (cp == 1 && kind != CpKind::Ring) continue;
                                WalkedPoint point;
                                point.layout.dp = dp;
                                point.layout.tp = tp;
                                point.layout.pp = pp;
                                point.layout.cp = cp;
                                point.layout.cpKind = kind;
                                point.layout.zeroStage = zero;
                                point.layout.dpShard = dpShard;
                                point.layout.sequenceParallel = sequence == 1;
                                addSchedules(point, points);
                            }
    return points;
}

/// A tiny model that the layout can cut: 2 tp heads, a vocabulary that no tp divides, more layers than stages.
inline RunConfig configOf(const WalkedPoint& point, const ExtraAxes& extra) {
    const std::int64_t tp = point.layout.tp;
    const std::int64_t stages = point.layout.pp * point.layout.virtualStages;
    const auto on = [&](std::size_t axis) { return extra.value[axis] != 0; };
    RunConfig c;
    c.parallel = point.layout;
    c.model.family = on(0) ? Family::Gpt2 : Family::Llama;
    c.model.tieEmbeddings = on(1);
    // Ulysses hands out whole heads, of keys as well.
    const std::int64_t cp = point.layout.cp;
    const std::int64_t headParts = tp * (point.layout.cpKind == CpKind::Ulysses ? cp : 1);
    c.model.numHeads = 2 * headParts;
    if (on(2)) c.model.numKvHeads = headParts;
    c.model.headDim = 4;
    c.model.hiddenSize = 12;
    c.model.ffnHiddenSize = 3 * tp;
    c.model.qkNorm = on(3);
    if (on(4)) c.train.recompute.policy = RecomputePolicy::Full;
    if (on(11)) {
        c.train.recompute.policy = RecomputePolicy::Selective;
        // With the axis before it: parts of it, on some of the layers.
        if (on(4)) c.train.recompute.layers = (stages + 2) / 2;
        c.train.recompute.ffn = !on(4);
    }
    c.model.numLayers = stages + 1;
    if (on(5) && stages > 1) {
        // Two blocks more on the first stage, none on the last.
        c.parallel.layersPerStage.assign(static_cast<std::size_t>(stages), 1);
        c.parallel.layersPerStage.front() = 3;
        c.parallel.layersPerStage.back() = 0;
    }
    if (on(6) && point.layout.zeroStage < 2)
        c.parallel.bucketBytes = 512;  // from ZeRO-2 on units of weights are the buckets
    c.parallel.reshardAfterForward = !on(8);
    c.parallel.offload =
        on(12) ? (on(13) ? Offload::All : Offload::Optimizer) : (on(13) ? Offload::Activations : Offload::None);
    c.parallel.asyncTp = on(14) && c.parallel.sequenceParallel;
    c.model.vocabSize = 23;
    const std::int64_t parts = tp * (cp > 1 ? 2 * cp : 1);
    c.train.seqLen = parts * std::max<std::int64_t>(1, 8 / parts);
    if (on(9)) c.data.documentEndId = 3;
    if (on(10)) c.model.slidingWindow = 3;
    c.model.maxSeqLen = c.train.seqLen + 3;
    c.train.microBatchSize = on(7) ? 2 : 1;
    c.train.globalBatchSize = c.train.microBatchSize * point.layout.dp * point.numMicroBatches;
    c.train.precision = Precision::Fp64;
    c.optimizer.lr = 1e-2;
    return c;
}

inline std::string nameOf(const WalkedPoint& p, const ExtraAxes& extra) {
    const ParallelLayout& l = p.layout;
    std::string name = "dp" + std::to_string(l.dp) + "_tp" + std::to_string(l.tp) + "_pp" + std::to_string(l.pp);
    if (l.cp > 1) name += "_cp" + std::to_string(l.cp) + "_" + std::string(wordOf(l.cpKind));
    if (l.zeroStage > 0) name += "_zero" + std::to_string(l.zeroStage);
    if (l.dpShard) name += "_hsdp" + std::to_string(*l.dpShard);
    if (l.sequenceParallel) name += "_sp";
    if (l.pp > 1) name += "_" + std::string(wordOf(l.schedule)) + "_m" + std::to_string(p.numMicroBatches);
    return name + "_" + extra.text();
}

/// What distinguishes a point: (axis, value).
inline std::vector<std::tuple<int, int>> propertiesOf(const WalkedPoint& p) {
    const ParallelLayout& l = p.layout;
    return {{0, static_cast<int>(l.dp)},     {1, static_cast<int>(l.tp)},
            {2, static_cast<int>(l.pp)},     {3, static_cast<int>(l.zeroStage * 100 + l.dpShard.value_or(0))},
            {4, l.sequenceParallel ? 1 : 0}, {5, l.pp > 1 ? static_cast<int>(l.schedule) : -1},
            {6, static_cast<int>(l.cp)},     {7, l.cp > 1 ? static_cast<int>(l.cpKind) : -1}};
}

/// A part of the walked product, for a normal run. Each next point is the one of some at random that adds most triples
/// of properties that have not occurred yet, so that pairs are soon complete.
inline std::vector<WalkedPoint> sampledProduct(std::size_t size = 110) {
    using Property = std::tuple<int, int>;
    using Triple = std::tuple<Property, Property, Property>;
    std::vector<WalkedPoint> rest = walkedProduct();
    const auto triplesOf = [](const WalkedPoint& point) {
        const auto p = propertiesOf(point);
        std::vector<Triple> triples;
        for (std::size_t i = 0; i < p.size(); ++i)
            for (std::size_t j = i + 1; j < p.size(); ++j)
                for (std::size_t k = j + 1; k < p.size(); ++k) triples.emplace_back(p[i], p[j], p[k]);
        return triples;
    };
    std::set<Triple> open;
    for (const WalkedPoint& point : rest)
        for (const Triple& triple : triplesOf(point)) open.insert(triple);
    std::vector<WalkedPoint> sample;
    unsigned state = 2026;
    while (!open.empty() && sample.size() < size) {
        std::size_t best = 0, bestGain = 0;
        // Random candidates first; when the last triples are rare, whoever has one.
        for (std::size_t attempt = 0; attempt < rest.size() + 60 && (attempt < 60 || bestGain == 0); ++attempt) {
            state = state * 1664525u + 1013904223u;
            const std::size_t at = attempt < 60 ? (state >> 8) % rest.size() : attempt - 60;
            std::size_t gain = 0;
            for (const Triple& triple : triplesOf(rest[at])) gain += open.count(triple);
            if (gain > bestGain) {
                best = at;
                bestGain = gain;
            }
        }
        for (const Triple& triple : triplesOf(rest[best])) open.erase(triple);
        sample.push_back(rest[best]);
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return sample;
}

/// Covering array: each layout takes the combination of extra axes that adds most new triples (a property of the
/// layout, two extra axes with their values). `round` starts from other combinations.
class CoveringArray {
public:
    explicit CoveringArray(unsigned round) : m_state(round * 2654435761u + 12345u) {}

    ExtraAxes next(const WalkedPoint& point) {
        ExtraAxes best;
        std::size_t bestGain = 0;
        bool any = false;
        for (int attempt = 0; attempt < 40; ++attempt) {
            ExtraAxes candidate;
            for (int& v : candidate.value) v = static_cast<int>(random() >> 16) & 1;
            const std::size_t gain = visit(point, candidate, false);
            if (any && gain <= bestGain) continue;
            best = candidate;
            bestGain = gain;
            any = true;
        }
        visit(point, best, true);
        return best;
    }
    [[nodiscard]] std::size_t covered() const { return m_covered.size(); }
    /// All triples the walked points allow.
    static std::size_t possible(const std::vector<WalkedPoint>& points) {
        std::set<std::tuple<int, int>> properties;
        for (const WalkedPoint& p : points)
            for (const auto& property : propertiesOf(p)) properties.insert(property);
        return properties.size() * (ExtraAxes::kNum * (ExtraAxes::kNum - 1) / 2) * 4;
    }

private:
    using Triple = std::tuple<int, int, std::size_t, std::size_t, int, int>;

    std::size_t visit(const WalkedPoint& point, const ExtraAxes& extra, bool keep) {
        std::size_t gain = 0;
        for (const auto& [kind, value] : propertiesOf(point))
            for (std::size_t a = 0; a < ExtraAxes::kNum; ++a)
                for (std::size_t b = a + 1; b < ExtraAxes::kNum; ++b) {
                    const Triple triple{kind, value, a, b, extra.value[a], extra.value[b]};
                    if (m_covered.contains(triple)) continue;
                    ++gain;
                    if (keep) m_covered.insert(triple);
                }
        return gain;
    }
    unsigned random() { return m_state = m_state * 1664525u + 1013904223u; }

    unsigned m_state;
    std::set<Triple> m_covered;
};

}  // namespace slipway::test
