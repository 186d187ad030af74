// Memory as areas and bars: amounts by owner, over time.
#include "core/base/units.h"
#include "core/planner/memory/memory_timeline.h"
#include "core/report/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace slipway::pictures {
namespace {

struct Part {
    std::string name;
    double amount = 0;
    int colour = 0;  ///< "c0" to "c7"
};

std::string colourOf(int colour) {
    return "c" + std::to_string(colour);
}

LegendEntry sampleOf(const Part& part) {
    Drawing sample(kSampleWidth, kSampleHeight);
    sample.rect(0, 0, kSampleWidth, kSampleHeight, colourOf(part.colour));
    return {std::move(sample), part.name};
}

std::vector<Part> partsOf(const MemoryBreakdown& bytes, Language language) {
    return {{textOf("Weights"_text, language), bytes.weightBytes, 0},
            {textOf("Gradients"_text, language), bytes.gradientBytes, 4},
            {textOf("Optimizer"_text, language), bytes.optimizerBytes, 5},
            {textOf("Activations"_text, language), bytes.activationBytes, 1},
            {textOf("Logits"_text, language), bytes.logitsBytes, 3},
            {textOf("Buffers"_text, language), bytes.bufferBytes, 6},
            {textOf("Reserve"_text, language), bytes.reserveBytes, 2}};
}

/// Areas in proportion: the list is split where its halves are most nearly equal, across the longer side (Shneiderman
/// 1992, with bisection instead of slices so that pieces stay near squares).
void addAreas(Drawing& drawing, const std::vector<Part>& parts, Drawing::Rect room) {
    if (parts.empty()) return;
    if (parts.size() == 1) {
        const Part& part = parts.front();
        drawing.rect(room.x + 1, room.y + 1, room.width - 2, room.height - 2, colourOf(part.colour));
        const std::string amount = formatBytes(part.amount), look = onColour(part.colour);
        if (room.width > textWidth(part.name) + 12 && room.height > kLine + 6)
            drawing.text(room.x + 7, room.y + 17, part.name, look);
        if (room.width > std::max(textWidth(part.name), textWidth(amount)) + 12 && room.height > 2 * kLine + 6)
            drawing.text(room.x + 7, room.y + 17 + kLine - 2, amount, look + " small");
        return;
    }
    double all = 0, first = 0;
    for (const Part& part : parts) all += part.amount;
    std::size_t cut = 0;
    while (cut + 1 < parts.size() && (cut == 0 || first + parts[cut].amount / 2 < all / 2))
        first += parts[cut++].amount;
    const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(cut);
    const double share = first / all;
    Drawing::Rect left = room, right = room;
    if (room.width >= room.height) {
        left.width = room.width * share;
        right.x = room.x + left.width;
        right.width = room.width - left.width;
    } else {
        left.height = room.height * share;
        right.y = room.y + left.height;
        right.height = room.height - left.height;
    }
    addAreas(drawing, {parts.begin(), middle}, left);
    addAreas(drawing, {middle, parts.end()}, right);
}

}  // namespace

std::optional<PictureFigure> memoryTreemap(const Plan& plan, Language language) {
    const StageMemory& worst = plan.memory[plan.worstStage];
    std::vector<Part> parts = partsOf(worst.bytes, language);
    std::erase_if(parts, [](const Part& part) { return !(part.amount > 0); });
    if (parts.empty()) return {};
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.amount > b.amount; });
    const std::string total = formatBytes(worst.bytes.totalBytes());
    Drawing drawing(kWidth, 200,
                    textOf("Memory of the fullest rank, %1 in all; areas in proportion."_text(total), language));
    addAreas(drawing, parts, {0, 0, kWidth, 200, ""});
    PictureFigure out = picture(std::move(drawing), "Memory of the fullest rank"_text, {}, language);
    for (const Part& part : parts) {
        out.legend.push_back(sampleOf(part));
        out.numbers.rows.push_back(
            {{part.name, {}, Tone::Plain}, {formatBytes(part.amount), part.amount, Tone::Plain}});
    }
    return out;
}

std::optional<PictureFigure> memoryMoments(const Plan& plan, Language language) {
    const StageMemory& worst = plan.memory[plan.worstStage];
    struct Moment {
        std::string name;
        MemoryBreakdown bytes;
    };
    std::vector<Moment> moments;
    for (const MemoryMoment& moment : memoryTimeline(worst, allocationOf(plan.cluster)))
        for (const auto& name : enumNames(moment.phase))
            if (name.value == moment.phase) moments.push_back({textOf(name.help, language), moment.bytes});
    // The moment between the steps precedes the second step, which is as full as all later ones.
    moments.insert(moments.end() - 1, {textOf("between the steps"_text, language), worst.moments.rest});
    double most = std::isfinite(plan.memoryCapacityBytes) ? plan.memoryCapacityBytes : 0;
    for (const Moment& moment : moments) most = std::max(most, moment.bytes.totalBytes());
    if (!(most > 0)) return {};
    constexpr double kMostNames = 290, kRow = 26, kAmount = 76;
    double names = 0;
    for (const Moment& moment : moments) names = std::max(names, std::min(textWidth(moment.name) + 14, kMostNames));
    const double scale = (kWidth - names - kAmount) / most;
    Drawing drawing(kWidth, kRow * static_cast<double>(moments.size()) + 8,
                    textOf("Six moments of the fullest rank, from its start to the second step."_text, language));
    std::vector<std::pair<std::string, std::string>> numbers;
    double y = 4;
    for (const Moment& moment : moments) {
        drawing.text(0, y + 15, fitted(moment.name, names - 8), "text");
        double x = names;
        for (const Part& part : partsOf(moment.bytes, language)) {
            drawing.rect(x, y + 3, part.amount * scale, kRow - 8, colourOf(part.colour));
            x += part.amount * scale;
        }
        drawing.text(x + 6, y + 15, formatBytes(moment.bytes.totalBytes()), "tick");
        numbers.emplace_back(moment.name, formatBytes(moment.bytes.totalBytes()));
        y += kRow;
    }
    if (std::isfinite(plan.memoryCapacityBytes)) {
        const double x = names + plan.memoryCapacityBytes * scale;
        drawing.line(x, 0, x, y, "reference");
        numbers.emplace_back(textOf("Capacity"_text, language), formatBytes(plan.memoryCapacityBytes));
    }
    PictureFigure out = picture(std::move(drawing), "Memory over a step"_text, std::move(numbers), language);
    for (const Part& part : partsOf(worst.bytes, language))
        if (part.amount > 0) out.legend.push_back(sampleOf(part));
    return out;
}

// One column per rank, one row per part: an unsharded part is a full bar, a shard is its own piece of it.
std::optional<PictureFigure> stateShards(const Plan& plan, Language language) {
    constexpr std::int64_t kMostRanks = 8;
    const ParallelLayout& p = plan.config.parallel;
    const std::int64_t ranks = std::clamp<std::int64_t>(p.dp, 1, kMostRanks);
    const std::array<Part, 3> parts{Part{textOf("Weights"_text, language), p.zeroStage >= 3 ? 1.0 : 0.0, 0},
                                    Part{textOf("Gradients"_text, language), p.zeroStage >= 2 ? 1.0 : 0.0, 4},
                                    Part{textOf("Optimizer"_text, language), p.zeroStage >= 1 ? 1.0 : 0.0, 5}};
    const Message told =
        p.dp <= 1 ? Message("One rank keeps all weights, gradients and optimizer states."_text)
        : p.zeroStage == 0
            ? "Each of %1 data-parallel ranks keeps all weights, gradients and optimizer states."_text(p.dp)
            : "ZeRO %1 shards the states across %2 data-parallel ranks; %3 are drawn."_text(p.zeroStage, p.dp, ranks);
    constexpr double kNames = 100, kGap = 8, kRow = 36;
    Drawing drawing(kWidth, kLine + 3 * (kRow + kGap), textOf(told, language));
    const double column = (kWidth - kNames) / static_cast<double>(ranks) - kGap;
    std::vector<std::pair<std::string, std::string>> numbers;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        drawing.text(kNames + static_cast<double>(rank) * (column + kGap) + column / 2, 12,
                     fitted(textOf("rank %1"_text(rank), language), column), "tick", "middle");
    double y = kLine;
    for (const Part& part : parts) {
        const bool isSharded = part.amount > 0;
        drawing.text(0, y + kRow / 2 + 4, part.name, "text");
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
            const double x = kNames + static_cast<double>(rank) * (column + kGap);
            const double piece = column / static_cast<double>(ranks);
            drawing.rect(x, y, column, kRow, "sunken");
            drawing.rect(isSharded ? x + static_cast<double>(rank) * piece : x, y, isSharded ? piece : column, kRow,
                         colourOf(part.colour));
        }
        numbers.emplace_back(part.name, isSharded ? "1/" + std::to_string(p.dp) : "1");
        y += kRow + kGap;
    }
    return picture(std::move(drawing), "States on the data-parallel ranks"_text, std::move(numbers), language);
}

std::optional<PictureFigure> parameterParts(const Plan& plan, Language language) {
    const ParameterCount& n = plan.parameters;
    std::vector<Part> parts{
        {textOf("Embedding"_text, language), n.embedding, 0}, {textOf("Attention"_text, language), n.attention, 1},
        {textOf("Feed-forward"_text, language), n.ffn, 2},    {textOf("Norms"_text, language), n.norm, 3},
        {textOf("Router"_text, language), n.router, 4},       {textOf("Output head"_text, language), n.head, 5}};
    std::erase_if(parts, [](const Part& part) { return !(part.amount > 0); });
    if (!(n.total > 0)) return {};
    constexpr double kNames = 150, kRow = 24, kAmount = 110;
    Drawing drawing(kWidth, kRow * static_cast<double>(parts.size()),
                    textOf("%1 parameters by part."_text(formatShort(n.total, language)), language));
    std::vector<std::pair<std::string, std::string>> numbers;
    double y = 0;
    for (const Part& part : parts) {
        const double width = (kWidth - kNames - kAmount) * part.amount / n.total;
        drawing.text(0, y + 16, fitted(part.name, kNames - 8), "text");
        drawing.rect(kNames, y + 4, width, kRow - 8, colourOf(part.colour));
        const std::string amount =
            formatShort(part.amount, language) + " (" + formatPercent(part.amount / n.total) + ")";
        drawing.text(kNames + width + 6, y + 16, amount, "tick");
        numbers.emplace_back(part.name, amount);
        y += kRow;
    }
    return picture(std::move(drawing), "Parameters by part"_text, std::move(numbers), language);
}

}  // namespace slipway::pictures
