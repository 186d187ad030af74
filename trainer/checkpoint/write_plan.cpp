#include "trainer/checkpoint/write_plan.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace slipway::trainer {
namespace {

struct Holder {
    std::int64_t begin, end;
    std::size_t rank, index;
};

}  // namespace

std::vector<std::vector<WritePart>> planWrites(const std::vector<std::vector<Holding>>& ranks) {
    std::map<std::string, std::vector<Holder>> boxes;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
            const Holding& h = ranks[rank][i];
            if (h.begin < h.end) boxes[h.key].push_back({h.begin, h.end, rank, i});
        }
    // Largest first, so that the small ones balance the loads.
    std::vector<const std::vector<Holder>*> order;
    const auto sizeOf = [](const std::vector<Holder>& holders) {
        std::int64_t size = 0;
        for (const Holder& h : holders) size = std::max(size, h.end);
        return size;
    };
    for (const auto& [key, holders] : boxes) order.push_back(&holders);
    std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return sizeOf(*a) > sizeOf(*b); });

    std::vector<std::vector<WritePart>> plan(ranks.size());
    std::vector<std::int64_t> load(ranks.size(), 0);
    for (const std::vector<Holder>* holders : order) {
        std::int64_t done = 0;
        while (true) {
            // Of the pieces that begin here or earlier, the one that reaches furthest; skips gaps that no rank holds.
            const Holder* best = nullptr;
            std::int64_t next = -1;
            for (const Holder& h : *holders) {
                if (h.end <= done) continue;
                if (h.begin > done) {
                    next = next < 0 ? h.begin : std::min(next, h.begin);
                } else if (best == nullptr || h.end > best->end ||
                           (h.end == best->end && load[h.rank] < load[best->rank])) {
                    best = &h;
                }
            }
            if (best != nullptr) {
                plan[best->rank].push_back({best->index, done, best->end});
                load[best->rank] += best->end - done;
                done = best->end;
            } else if (next >= 0) {
                done = next;
            } else {
                break;
            }
        }
    }
    for (auto& parts : plan)
        std::sort(parts.begin(), parts.end(), [](const WritePart& a, const WritePart& b) {
            return a.index != b.index ? a.index < b.index : a.begin < b.begin;
        });
    return plan;
}

std::string toText(const std::vector<Holding>& holdings) {
    std::string text;
    for (const Holding& h : holdings)
        text += h.key + '\t' + std::to_string(h.begin) + '\t' + std::to_string(h.end) + '\n';
    return text;
}

std::vector<Holding> holdingsFrom(const std::string& text) {
    std::vector<Holding> holdings;
    std::istringstream lines(text);
    Holding h;
    while (std::getline(lines, h.key, '\t') && lines >> h.begin >> h.end) {
        lines.ignore();
        holdings.push_back(h);
    }
    return holdings;
}

}  // namespace slipway::trainer
