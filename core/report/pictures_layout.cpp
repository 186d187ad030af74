// Layouts: communication groups, schedules, and the strategy for a plan.
#include "core/base/units.h"
#include "core/planner/memory/policy.h"
#include "core/report/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace slipway::pictures {
namespace {

constexpr std::int64_t kMostRingRanks = 8;
constexpr std::int64_t kMostNodes = 4, kMostDevices = 8;

std::string number(std::int64_t value) {
    return std::to_string(value);
}

std::string memberList(const std::vector<std::int64_t>& ranks) {
    constexpr std::size_t kMost = 8;
    std::string out;
    for (std::size_t i = 0; i < std::min(ranks.size(), kMost); ++i) out += (i == 0 ? "" : ", ") + number(ranks[i]);
    return ranks.size() > kMost ? out + ", …" : out;
}

}  // namespace

// Nodes as frames with their devices; the groups of rank 0 in colour.
std::optional<PictureFigure> rankGroups(const Plan& plan, Language language) {
    const ParallelLayout& p = plan.config.parallel;
    const std::int64_t world = p.worldSize();
    const std::int64_t perNode = std::max<std::int64_t>(1, std::min(plan.cluster.devicesPerNode, world));
    const std::int64_t nodes = (world + perNode - 1) / perNode;
    const std::int64_t drawnNodes = std::min(nodes, kMostNodes), drawnDevices = std::min(perNode, kMostDevices);
    struct Group {
        const char* axis;
        Axis kind;
        std::int64_t degree;
        int colour;
    };
    const std::array<Group, 4> groups{Group{"TP", Axis::Tp, p.tp, 0}, Group{"CP", Axis::Cp, p.cp, 2},
                                      Group{"DP", Axis::Dp, p.dp, 3}, Group{"PP", Axis::Pp, p.pp, 5}};
    constexpr double kTop = 22, kRow = 46, kName = 64;
    const double cell = (kWidth - kName) / static_cast<double>(drawnDevices);
    Drawing drawing(
        kWidth, kTop + kRow * static_cast<double>(drawnNodes) + kLine + 2,
        textOf("Rank groups on the nodes: rank 0 shares its group of each axis with the ranks in its colour."_text,
               language));
    std::vector<std::pair<std::string, std::string>> numbers;
    double x = 0;
    for (const Group& group : groups) {
        if (group.degree <= 1) continue;
        const auto members = p.groupOf(group.kind, 0);
        drawing.rect(x, 2, 12, 12, "c" + number(group.colour));
        drawing.text(x + 17, 13, std::string(group.axis) + " " + number(group.degree), "tick");
        x += 80;
        numbers.emplace_back(textOf("%1 group of rank 0"_text(std::string(group.axis)), language), memberList(members));
    }
    if (x == 0) drawing.text(0, 13, textOf("One rank: there is no group."_text, language), "tick");
    for (std::int64_t node = 0; node < drawnNodes; ++node) {
        const double y = kTop + kRow * static_cast<double>(node);
        drawing.text(0, y + 24, textOf("node %1"_text(node), language), "text");
        for (std::int64_t device = 0; device < drawnDevices; ++device) {
            const std::int64_t rank = node * perNode + device;
            if (rank >= world) break;
            const double left = kName + cell * static_cast<double>(device);
            drawing.rect(left + 2, y + 2, cell - 4, kRow - 8, "sunken");
            std::vector<int> colours;
            for (const Group& group : groups) {
                const auto members = p.groupOf(group.kind, 0);
                if (group.degree > 1 && std::find(members.begin(), members.end(), rank) != members.end())
                    colours.push_back(group.colour);
            }
            for (std::size_t i = 0; i < colours.size(); ++i) {
                const double piece = (cell - 4) / static_cast<double>(colours.size());
                drawing.rect(left + 2 + piece * static_cast<double>(i), y + kRow - 14, piece, 8,
                             "c" + number(colours[i]));
            }
            drawing.text(left + cell / 2, y + 22, number(rank), rank == 0 ? "letter" : "text", "middle");
        }
    }
    const bool isCut = drawnNodes < nodes || drawnDevices < perNode;
    if (isCut)
        drawing.text(
            0, drawing.height() - 5,
            textOf("%1 of %2 nodes and %3 of %4 devices are drawn."_text(drawnNodes, nodes, drawnDevices, perNode),
                   language),
            "quiet");
    std::string order;
    for (const std::string& axis : p.rankOrder) order += (order.empty() ? "" : ", ") + axis;
    numbers.emplace_back(textOf("Rank order, fastest first"_text, language), order);
    return picture(std::move(drawing), "Rank groups on the nodes"_text, std::move(numbers), language);
}

std::optional<PictureFigure> ring(const Plan& plan, Language language) {
    const ParallelLayout& p = plan.config.parallel;
    const std::int64_t all = std::max<std::int64_t>(p.cp > 1 ? p.cp : p.dp, 2);
    const std::int64_t ranks = std::min(all, kMostRingRanks);
    const Drawing::Point middle{kWidth / 2, 110};
    constexpr double kHigh = 84, kWide = 190, kDot = 15;
    Drawing drawing(
        kWidth, 220,
        textOf("A ring of %1 ranks: each passes one piece to its neighbour at a time."_text(all), language));
    const auto at = [&](std::int64_t rank) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(rank) / static_cast<double>(ranks) - std::numbers::pi / 2;
        return Drawing::Point{middle.x + kWide * std::cos(angle), middle.y + kHigh * std::sin(angle)};
    };
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const Drawing::Point from = at(rank), to = at((rank + 1) % ranks);
        const double length = std::hypot(to.x - from.x, to.y - from.y);
        const double ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
        const double aside = ranks == 2 ? 6 : 0;  // there and back side by side
        const double gap = kDot + 3;
        arrow(drawing, {from.x + ux * gap - uy * aside, from.y + uy * gap + ux * aside},
              {to.x - ux * gap - uy * aside, to.y - uy * gap + ux * aside}, "curve s3", "c3");
    }
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        disc(drawing, at(rank), kDot, "c0");
        drawing.text(at(rank).x, at(rank).y + 4, number(rank), onColour(0), "middle");
    }
    drawing.text(middle.x, middle.y - 4, textOf("%1 rounds for a gather,"_text(all - 1), language), "tick", "middle");
    drawing.text(middle.x, middle.y + 13, textOf("%1 for an all-reduce"_text(2 * (all - 1)), language), "tick",
                 "middle");
    if (ranks < all)
        drawing.text(middle.x, middle.y + 30, textOf("%1 of %2 ranks drawn"_text(ranks, all), language), "quiet",
                     "middle");
    std::vector<std::pair<std::string, std::string>> numbers{{textOf("Ranks"_text, language), number(all)}};
    if (p.cp > 1) {
        // Zig-zag: rank r has pieces r and 2 c - 1 - r of the sequence, so that causal attention costs the same on all.
        const std::int64_t piece = plan.config.train.seqLen / (2 * p.cp);
        numbers.emplace_back(textOf("Tokens of a piece, two pieces a rank (zig-zag)"_text, language), number(piece));
    }
    return picture(std::move(drawing), "Ring of ranks"_text, std::move(numbers), language);
}

// X · A, A by columns; then · B, B by rows; the results of the ranks are added.
std::optional<PictureFigure> splitMatrices(const Plan& plan, Language language) {
    const ParallelLayout& p = plan.config.parallel;
    const std::int64_t hidden = plan.config.model.hiddenSize;
    constexpr double kSide = 104, kStep = (kWidth - 4 * kSide) / 3 + kSide, kTop = 24;
    Drawing drawing(
        kWidth, kTop + kSide + 8,
        textOf("A by columns, B by rows: both ranks need X whole, and their two results are added."_text, language));
    const auto matrix = [&](int place, const Message& name, int pieces, bool byColumns) {
        const double x = kStep * place;
        drawing.text(std::clamp(x + kSide / 2, 56.0, kWidth - 56), 14, fitted(textOf(name, language), kStep - 4),
                     "text", "middle");
        for (int i = 0; i < pieces; ++i) {
            const double share = kSide / pieces;
            const Drawing::Rect piece = byColumns ? Drawing::Rect{x + share * i, kTop, share, kSide, ""}
                                                  : Drawing::Rect{x, kTop + share * i, kSide, share, ""};
            drawing.rect(piece.x + 1, piece.y + 1, piece.width - 2, piece.height - 2,
                         pieces == 1 ? "sunken"
                         : i == 0    ? "c0"
                                     : "c5");
            if (pieces > 1)
                drawing.text(piece.x + piece.width / 2, piece.y + piece.height / 2 + 4,
                             fitted(textOf("rank %1"_text(i), language), piece.width), "on", "middle");
        }
        drawing.rect(x, kTop, kSide, kSide, "edge");
    };
    matrix(0, "X, whole"_text, 1, true);
    matrix(1, "A, by columns"_text, 2, true);
    matrix(2, "B, by rows"_text, 2, false);
    matrix(3, "sum over ranks"_text, 1, true);
    const char* const signs[] = {"×", "×", "="};
    for (int i = 0; i < 3; ++i)
        drawing.text(kStep * i + kSide + (kStep - kSide) / 2, kTop + kSide / 2 + 4, signs[i], "letter", "middle");
    return picture(std::move(drawing), "A matrix product cut in two"_text,
                   {{"tp", number(p.tp)},
                    {textOf("Hidden size"_text, language), number(hidden)},
                    {textOf("Columns on a rank"_text, language), number(hidden / std::max<std::int64_t>(p.tp, 1))}},
                   language);
}

// One row per pipeline rank; forward and backward passes over the time of a step, empty where a rank waits.
std::optional<PictureFigure> pipelineSchedule(const Plan& plan, Language language) {
    constexpr std::int64_t kMostRows = 8;
    double end = 0;
    std::int64_t ranks = 0;
    for (const TimeSpan& span : plan.step.timeline) {
        end = std::max(end, span.endSeconds);
        ranks = std::max(ranks, span.rank + 1);
    }
    if (!(end > 0)) return {};
    const std::int64_t rows = std::min(ranks, kMostRows);
    constexpr double kNames = 64, kRow = 26;
    Drawing drawing(kWidth, kRow * static_cast<double>(rows) + kLine + 4,
                    textOf("Passes of a step on %1 pipeline ranks; empty places are waiting."_text(ranks), language));
    const double scale = (kWidth - kNames) / end;
    const auto isBackward = [](ActionKind kind) {
        return kind == ActionKind::BackwardInput || kind == ActionKind::BackwardWeight ||
               kind == ActionKind::BackwardFull;
    };
    for (std::int64_t rank = 0; rank < rows; ++rank) {
        const double y = kRow * static_cast<double>(rank);
        drawing.text(0, y + 16, textOf("rank %1"_text(rank), language), "tick");
        drawing.rect(kNames, y + 2, kWidth - kNames, kRow - 6, "sunken");
    }
    for (const TimeSpan& span : plan.step.timeline) {
        const bool isForward = span.kind == ActionKind::Forward || span.kind == ActionKind::OverlapForwardBackward;
        if (span.rank >= rows || !(isForward || isBackward(span.kind))) continue;
        const double x = kNames + span.startSeconds * scale, width = (span.endSeconds - span.startSeconds) * scale;
        const double y = kRow * static_cast<double>(span.rank) + 2;
        const int colour = isForward ? 0 : span.kind == ActionKind::BackwardWeight ? 5 : 4;
        drawing.rect(x, y, std::max(width - 0.7, 0.5), kRow - 6, "c" + number(colour));
        const std::string name = number(span.microBatch + 1);
        if (width > textWidth(name) + 5)
            drawing.text(x + width / 2, y + 14, name, onColour(colour) + " small", "middle");
    }
    drawing.text(kNames, drawing.height() - 5, "0", "tick");
    drawing.text(kWidth, drawing.height() - 5, formatSeconds(end, language), "tick", "end");
    std::vector<std::pair<std::string, std::string>> numbers{
        {textOf("Pipeline ranks"_text, language), number(ranks)},
        {textOf("Time of the passes"_text, language), formatSeconds(end, language)}};
    if (std::isfinite(plan.step.bubbleSimulated))
        numbers.emplace_back(textOf("Waiting, share of the step"_text, language),
                             formatPercent(plan.step.bubbleSimulated));
    for (std::size_t rank = 0; rank < plan.memory.size() && rank < static_cast<std::size_t>(kMostRows); ++rank)
        numbers.emplace_back(textOf("Layers of rank %1"_text(rank), language), number(plan.memory[rank].numLayers));
    PictureFigure out = picture(std::move(drawing), "Pipeline schedule"_text, std::move(numbers), language);
    const auto sample = [&](const std::string& look, SourceText name) {
        Drawing one(kSampleWidth, kSampleHeight);
        one.rect(0, 0, kSampleWidth, kSampleHeight, look);
        out.legend.push_back({std::move(one), textOf(name, language)});
    };
    sample("c0", "Forward"_text);
    sample("c4", "Backward"_text);
    if (std::any_of(plan.step.timeline.begin(), plan.step.timeline.end(),
                    [](const TimeSpan& span) { return span.kind == ActionKind::BackwardWeight; }))
        sample("c5", "Weight gradients"_text);
    sample("sunken", "Waiting"_text);
    return out;
}

/// Broken at the last space that leaves the first line within the width; the second is cut to it.
std::pair<std::string, std::string> inTwoLines(const std::string& text, double width) {
    if (textWidth(text) <= width) return {text, ""};
    std::size_t at = text.rfind(' ');
    while (at != std::string::npos && at > 0 && textWidth(text.substr(0, at)) > width) at = text.rfind(' ', at - 1);
    if (at == std::string::npos || at == 0) return {fitted(text, width), ""};
    return {text.substr(0, at), fitted(text.substr(at + 1), width)};
}

// Each question with the plan's figures, its answer, and the plan's setting.
std::optional<PictureFigure> whenToUseWhat(const Plan& plan, Language language) {
    constexpr double kLongSequence = 32768, kGpusOfWideDp = 512;
    const ParallelLayout& p = plan.config.parallel;
    const RunConfig& c = plan.config;
    const double capacity = plan.memoryCapacityBytes;
    const std::int64_t perNode = std::max<std::int64_t>(plan.cluster.devicesPerNode, 1);
    const double whole = plan.parameters.total * trainerStatePolicy(c.train, c.optimizer).totalBytes();
    struct Row {
        Message question;
        std::string figure;
        bool isYes;
        Message answer, has;
    };
    const std::string room = std::isfinite(capacity) ? formatBytes(capacity) : "?";
    const auto fits = [&](double devices) { return !std::isfinite(capacity) || whole / devices < capacity; };
    const std::vector<Row> rows{
        {"State fits on one device?"_text, formatBytes(whole) + " / " + room, fits(1), "data parallel"_text,
         "dp %1"_text(p.dp)},
        {"State fits on one node?"_text, formatBytes(whole / static_cast<double>(perNode)) + " / " + room,
         fits(static_cast<double>(perNode)), "tensor parallel or ZeRO-3 in the node"_text,
         "tp %1, ZeRO %2"_text(p.tp, p.zeroStage)},
        {"State larger than one node?"_text, formatBytes(whole / static_cast<double>(perNode)) + " / " + room,
         !fits(static_cast<double>(perNode)), "pipeline across nodes, or ZeRO-3"_text, "pp %1"_text(p.pp)},
        {"More than 512 devices?"_text, formatShort(static_cast<double>(p.worldSize()), language),
         static_cast<double>(p.worldSize()) > kGpusOfWideDp, "combine axes; data parallel alone fades"_text,
         "dp %1, tp %2, pp %3"_text(p.dp, p.tp, p.pp)},
        {"Sequences of 32k and more?"_text, formatShort(static_cast<double>(c.train.seqLen), language),
         static_cast<double>(c.train.seqLen) >= kLongSequence, "context parallel first"_text, "cp %1"_text(p.cp)},
        {"Mixture of experts?"_text, plan.parameters.router > 0 ? "MoE" : "–", plan.parameters.router > 0,
         "expert parallel"_text, "ep %1"_text(p.ep)},
        {"Batch larger than one pass of all ranks?"_text,
         number(c.train.globalBatchSize) + " / " + number(p.dp * c.train.microBatchSize),
         c.train.globalBatchSize > p.dp * c.train.microBatchSize, "accumulate gradients"_text,
         "micro-batch %1"_text(c.train.microBatchSize)}};
    constexpr double kRow = 24, kFigure = 190, kAnswer = 312, kHas = 466;
    const auto cellsOf = [&](const Row& row) {
        return std::array{inTwoLines(textOf(row.question, language), kFigure - 24),
                          inTwoLines(row.figure, kAnswer - kFigure - 6),
                          inTwoLines(textOf(row.answer, language), kHas - kAnswer - 6),
                          inTwoLines(textOf(row.has, language), kWidth - kHas)};
    };
    const auto heightOf = [&](const Row& row) {
        const auto cells = cellsOf(row);
        return std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return !cell.second.empty(); })
                   ? kRow + kLine - 2
                   : kRow;
    };
    double height = kRow;
    for (const Row& row : rows) height += heightOf(row);
    Drawing drawing(kWidth, height,
                    textOf("When to use what, with the figures of the plan %1."_text(c.name), language));
    const auto heading = [&](double x, SourceText text) { drawing.text(x, 15, textOf(text, language), "tick"); };
    heading(18, "Question"_text);
    heading(kFigure, "In this plan"_text);
    heading(kAnswer, "If yes"_text);
    heading(kHas, "Plan"_text);
    drawing.line(0, kRow - 2, kWidth, kRow - 2, "axis");
    std::vector<std::pair<std::string, std::string>> numbers;
    double y = kRow;
    for (const Row& row : rows) {
        disc(drawing, {6, y + 12}, 5, row.isYes ? "good-mark" : "sunken");
        constexpr std::array kLeft{18.0, kFigure, kAnswer, kHas};
        const auto cells = cellsOf(row);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const char* look = i != 2 ? "text" : row.isYes ? "letter" : "quiet";
            drawing.text(kLeft[i], y + 16, cells[i].first, look);
            if (!cells[i].second.empty()) drawing.text(kLeft[i], y + 16 + kLine - 2, cells[i].second, look);
        }
        const double rowHeight = heightOf(row);
        drawing.line(0, y + rowHeight - 1, kWidth, y + rowHeight - 1, "grid");
        numbers.emplace_back(
            textOf(row.question, language),
            row.figure + ": " + textOf(row.isYes ? "yes, %1"_text(row.answer) : Message("no"_text), language));
        y += rowHeight;
    }
    return picture(std::move(drawing), "When to use what"_text, std::move(numbers), language);
}

std::optional<PictureFigure> deviceMesh(const Plan& plan, Language language) {
    const ParallelLayout& p = plan.config.parallel;
    constexpr std::int64_t kMost = 16, kMostRows = 6;
    const std::int64_t across = p.dp * p.cp * p.pp, down = p.tp;
    const std::int64_t columns = std::min(across, kMost), rows = std::min(down, kMostRows);
    constexpr double kLeft = 70, kTop = 24, kRow = 24;
    const double cell = std::min((kWidth - kLeft) / static_cast<double>(columns), 60.0);
    Drawing drawing(kWidth, kTop + kRow * static_cast<double>(rows) + kLine,
                    textOf("The mesh of the plan: %1 x %2 devices."_text(across, down), language));
    drawing.text(kLeft, 13, "dp x cp x pp = " + number(across), "tick");
    drawing.text(0, kTop + 16, "tp = " + number(down), "tick");
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            drawing.rect(kLeft + cell * static_cast<double>(column) + 1, kTop + kRow * static_cast<double>(row) + 1,
                         cell - 2, kRow - 2,
                         row == 0      ? "c0"
                         : column == 0 ? "c5"
                                       : "sunken");
    if (columns < across || rows < down)
        drawing.text(kLeft, drawing.height() - 4, textOf("%1 x %2 of them are drawn."_text(columns, rows), language),
                     "quiet");
    const double tokens = static_cast<double>(plan.config.train.globalBatchSize * plan.config.train.seqLen);
    return picture(std::move(drawing), "Mesh of devices"_text,
                   {{textOf("Devices"_text, language), number(across * down)},
                    {textOf("Tokens a step on each device"_text, language),
                     formatShort(tokens / static_cast<double>(across * down), language)}},
                   language);
}

}  // namespace slipway::pictures
