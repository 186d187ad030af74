// Curves and steps around a training run: its cost, its rate and loss, its limits.
#include "core/base/units.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/laws/scaling_laws.h"
#include "core/report/pictures.h"
#include "core/spec/lr_schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace slipway::pictures {
namespace {

using Numbers = std::vector<std::pair<std::string, std::string>>;

/// A plot with its axes: from values to positions in the drawing.
struct Plot {
    double left = 64, top = 14, width = kWidth - 80, height = 150;
    double lowX = 0, highX = 1, lowY = 0, highY = 1;
    bool isLogX = false, isLogY = false;

    [[nodiscard]] double x(double value) const { return left + width * share(value, lowX, highX, isLogX); }
    [[nodiscard]] double y(double value) const { return top + height * (1 - share(value, lowY, highY, isLogY)); }
    [[nodiscard]] double bottom() const { return top + height; }
    [[nodiscard]] double valueAt(double part) const {
        return isLogX ? lowX * std::pow(highX / lowX, part) : lowX + (highX - lowX) * part;
    }

private:
    static double share(double value, double low, double high, bool isLog) {
        return isLog ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    }
};

void addAxes(Drawing& drawing, const Plot& plot, const std::string& xName, const std::string& yName) {
    drawing.line(plot.left, plot.bottom(), plot.left + plot.width, plot.bottom(), "axis");
    drawing.text(0, 10, yName, "tick");
    drawing.text(plot.left + plot.width / 2, plot.bottom() + 2 * kLine - 4, xName, "tick", "middle");
}

void addCurve(Drawing& drawing, const Plot& plot, const std::function<double(double)>& value, const std::string& look) {
    constexpr int kPoints = 120;
    std::vector<Drawing::Point> line;
    for (int i = 0; i <= kPoints; ++i) {
        const double x = plot.valueAt(static_cast<double>(i) / kPoints);
        if (const double y = value(x); std::isfinite(y))
            line.push_back({plot.x(x), plot.y(std::clamp(y, plot.lowY, plot.highY))});
    }
    drawing.path({line}, false, look);
}

double tokensPerStep(const Plan& plan) {
    return static_cast<double>(plan.config.train.globalBatchSize * plan.config.train.seqLen);
}

double tokensOf(const Plan& plan) {
    return tokensPerStep(plan) * static_cast<double>(plan.config.train.numSteps);
}

}  // namespace

std::optional<PictureFigure> cheaperWays(const Plan& plan, Language language) {
    const SourceText ways[] = {"Prompt"_text, "Retrieve"_text, "Fine-tune"_text, "Train further"_text,
                               "Pre-train"_text};
    const SourceText costs[] = {"no training"_text, "an index"_text, "hours"_text, "days"_text, "this plan"_text};
    constexpr double kHeight = 44, kRise = 26, kBox = 98, kStep = (kWidth - kBox) / 4;
    Drawing drawing(
        kWidth, kHeight + 4 * kRise + kLine,
        textOf("Ways to a model that does the work, cheapest first; try each before the next."_text, language));
    for (int i = 0; i < 5; ++i) {
        const double x = kStep * i, y = kRise * (4 - i);
        box(drawing, {x, y, kBox, kHeight, i == 4 ? "area" : "sunken"}, textOf(ways[i], language),
            textOf(costs[i], language));
        if (i < 4) arrow(drawing, {x + kBox + 1, y + 12}, {x + kStep - 1, y + 12 - kRise / 3}, "edge", "c0");
    }
    Numbers numbers;
    if (std::isfinite(plan.cost.deviceHours))
        numbers.emplace_back(textOf("Device-hours of the plan"_text, language),
                             formatShort(plan.cost.deviceHours, language));
    if (plan.cost.money)
        numbers.emplace_back(textOf("Cost of the plan"_text, language),
                             formatMoney(*plan.cost.money, plan.cost.currency));
    std::string told;
    for (const auto& [name, value] : numbers) told += (told.empty() ? "" : "; ") + name + ": " + value;
    drawing.text(0, drawing.height() - 4, fitted(told, kWidth), "tick");
    return picture(std::move(drawing), "Cheaper ways first"_text, std::move(numbers), language);
}

std::optional<PictureFigure> isoFlopValley(const Plan& plan, Language language) {
    const double parameters = plan.parameters.total, tokens = tokensOf(plan), flops = 6 * parameters * tokens;
    if (!(flops > 0)) return {};
    const ParametricLaw law = correctedLaw();
    const Allocation best = computeOptimal(flops, law);
    Plot plot;
    plot.isLogX = true;
    plot.lowX = std::min(parameters, best.parameters) / 8;
    plot.highX = std::max(parameters, best.parameters) * 8;
    const auto loss = [&](double n) { return law.loss(n, flops / (6 * n)); };
    plot.lowY = loss(best.parameters) * 0.98;
    plot.highY = std::max(loss(plot.lowX), loss(plot.highX)) * 1.02;
    Drawing drawing(
        kWidth, plot.bottom() + 2 * kLine,
        textOf("Loss over the size of the model at the plan's compute; the dot is the plan."_text, language));
    addAxes(drawing, plot, textOf("parameters (log scale)"_text, language),
            textOf("loss, nats per token"_text, language));
    addCurve(drawing, plot, loss, "curve s0");
    const auto tick = [&](double n, const std::string& look) {
        drawing.line(plot.x(n), plot.y(loss(n)), plot.x(n), plot.bottom(), look);
        drawing.text(plot.x(n), plot.bottom() + 14, formatShort(n, language), "tick", "middle");
    };
    const bool isApart = std::fabs(plot.x(parameters) - plot.x(best.parameters)) > 64;
    tick(best.parameters, "reference");
    if (isApart) tick(parameters, "grid");
    disc(drawing, {plot.x(parameters), plot.y(loss(parameters))}, 5, "c1");
    drawing.text(plot.x(parameters), plot.y(loss(parameters)) - 10, textOf("the plan"_text, language), "text",
                 "middle");
    return picture(std::move(drawing), "Iso-FLOP valley of the plan"_text,
                   {{textOf("Parameters"_text, language), formatShort(parameters, language)},
                    {textOf("Best size at this compute"_text, language), formatShort(best.parameters, language)},
                    {textOf("Expected loss"_text, language), formatSignificant(loss(parameters), 4)}},
                   language);
}

std::optional<PictureFigure> tokensForModel(const Plan& plan, Language language) {
    const double tokens = tokensOf(plan), least = minimumTokens(plan.parameters.total);
    if (!(tokens > 0) || !(least > 0)) return {};
    constexpr double kNames = 210, kRow = 30;
    Drawing drawing(kWidth, 2 * kRow + 4, textOf("Tokens of the plan, compared with 20 per parameter."_text, language));
    const double scale = (kWidth - kNames - 90) / std::max(tokens, least);
    Numbers numbers;
    double y = 0;
    for (const auto& [name, value, look] :
         {std::tuple{"Tokens of the plan"_text, tokens, "c0"}, {"20 tokens per parameter"_text, least, "c4"}}) {
        drawing.text(0, y + 19, fitted(textOf(name, language), kNames - 8), "text");
        drawing.rect(kNames, y + 5, std::max(value * scale, 1.0), kRow - 10, look);
        drawing.text(kNames + value * scale + 6, y + 19, formatShort(value, language), "tick");
        numbers.emplace_back(textOf(name, language), formatShort(value, language));
        y += kRow;
    }
    numbers.emplace_back(textOf("Tokens per parameter"_text, language), formatSignificant(20 * tokens / least, 3));
    return picture(std::move(drawing), "Data for the model of the plan"_text, std::move(numbers), language);
}

std::optional<PictureFigure> roofline(const Plan& plan, Language language) {
    const DeviceSpec& device = plan.cluster.device;
    const double peak = device.peakFlops(plan.config.train.precision).value_or(0), memory = device.memoryBytesPerSecond;
    if (!(peak > 0) || !(memory > 0)) return {};
    const double ridge = peak / memory;
    Plot plot;
    plot.isLogX = plot.isLogY = true;
    plot.lowX = ridge / 300;
    plot.highX = ridge * 30;
    plot.lowY = memory * plot.lowX;
    plot.highY = peak * 2;
    Drawing drawing(
        kWidth, plot.bottom() + 2 * kLine,
        textOf("%1 computes at its peak from %2 FLOP per byte on."_text(device.name, formatSignificant(ridge, 3)),
               language));
    drawing.path({{{plot.x(plot.lowX), plot.bottom()},
                   {plot.x(ridge), plot.y(peak)},
                   {plot.x(plot.highX), plot.y(peak)},
                   {plot.x(plot.highX), plot.bottom()}}},
                 true, "area");
    addAxes(drawing, plot, textOf("FLOP per byte from memory (log scale)"_text, language),
            textOf("attainable FLOP/s"_text, language));
    drawing.path(
        {{{plot.x(plot.lowX), plot.bottom()}, {plot.x(ridge), plot.y(peak)}, {plot.x(plot.highX), plot.y(peak)}}},
        false, "curve s0");
    drawing.line(plot.x(ridge), plot.y(peak), plot.x(ridge), plot.bottom(), "reference");
    drawing.text(plot.x(plot.highX), plot.y(peak) - 6, textOf("peak %1"_text(formatFlops(peak)), language), "text",
                 "end");
    drawing.text(plot.x(ridge) - 8, plot.bottom() - 8, textOf("memory-bound"_text, language), "text", "end");
    drawing.text(plot.x(ridge) + 8, plot.bottom() - 8, textOf("compute-bound"_text, language), "text");
    drawing.text(plot.x(ridge), plot.bottom() + 14, formatSignificant(ridge, 3), "tick", "middle");
    return picture(std::move(drawing), "Roofline of the device"_text,
                   {{textOf("Peak"_text, language), formatFlops(peak)},
                    {textOf("Memory bandwidth"_text, language), formatBandwidth(memory)},
                    {textOf("FLOP per byte at the ridge"_text, language), formatSignificant(ridge, 4)}},
                   language);
}

std::optional<PictureFigure> rateSchedule(const Plan& plan, Language language) {
    const auto steps = static_cast<double>(plan.config.train.numSteps);
    const double lr = plan.config.optimizer.lr;
    if (!(steps > 0) || !(lr > 0)) return {};
    Plot plot;
    plot.highX = steps;
    plot.highY = lr * 1.08;
    Drawing drawing(kWidth, plot.bottom() + 2 * kLine,
                    textOf("Learning rate of the plan over its %1 steps."_text(formatCount(steps)), language));
    addAxes(drawing, plot, textOf("step"_text, language), textOf("learning rate"_text, language));
    const auto rate = [&](double step) { return learningRate(plan.config.optimizer.schedule, lr, step, steps); };
    addCurve(drawing, plot, rate, "curve s0");
    drawing.line(plot.left, plot.y(lr), plot.left + plot.width, plot.y(lr), "grid");
    drawing.text(plot.left - 6, plot.y(lr) + 4, formatSignificant(lr, 3), "tick", "end");
    drawing.text(plot.left, plot.bottom() + 14, "0", "tick", "middle");
    drawing.text(plot.left + plot.width, plot.bottom() + 14, formatCount(steps), "tick", "end");
    return picture(std::move(drawing), "Learning rate of the plan"_text,
                   {{textOf("Highest rate"_text, language), formatSignificant(lr, 3)},
                    {textOf("Warm-up steps"_text, language),
                     formatCount(static_cast<double>(plan.config.optimizer.schedule.warmupSteps))},
                    {textOf("Rate at the end"_text, language), formatSignificant(rate(steps), 3)}},
                   language);
}

// Six curves by separate formulas: a spike, a divergence, a plateau and others, the healthy three phases first.
std::optional<PictureFigure> lossGallery(const Plan&, Language language) {
    const auto healthy = [](double t) { return 0.25 + 0.75 * std::exp(-7 * t); };
    const auto bump = [](double t, double at, double rise, double fall) {
        return t < at ? std::exp(-std::pow((t - at) / rise, 2)) : std::exp(-(t - at) / fall);
    };
    struct Curve {
        SourceText name, sign;
        std::function<double(double)> loss;
        int colour;
    };
    const std::vector<Curve> curves{
        {"Healthy"_text, "fast, bend, slow"_text, healthy, 2},
        {"Fast spike"_text, "recovers in a few steps"_text,
         [=](double t) { return healthy(t) + 0.6 * bump(t, 0.6, 0.006, 0.015); }, 1},
        {"Slow spike"_text, "recovers in hundreds of steps"_text,
         [=](double t) { return healthy(t) + 0.4 * bump(t, 0.5, 0.05, 0.12); }, 1},
        {"No recovery"_text, "rewind, skip the batches"_text,
         [=](double t) { return t < 0.55 ? healthy(t) : healthy(t) + 0.45 * (1 - std::exp(-(t - 0.55) / 0.03)); }, 3},
        {"Divergence"_text, "lower the rate; ends in NaN"_text,
         [=](double t) { return t < 0.5 ? healthy(t) : std::min(1.05, healthy(t) + 2.4 * std::pow(t - 0.5, 1.7)); }, 3},
        {"Plateau"_text, "rate too low, or data repeated"_text, [](double t) { return 0.6 + 0.4 * std::exp(-18 * t); },
         6}};
    constexpr double kGap = 16, kTile = (kWidth - 2 * kGap) / 3, kHigh = 66, kRow = kHigh + 2 * kLine + 8;
    Drawing drawing(
        kWidth, 2 * kRow,
        textOf(
            "Gallery of loss curves; four causes of a spike: a bad batch, an outlier gradient, a high rate, overflow."_text,
            language));
    Numbers numbers;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        Plot plot;
        plot.left = static_cast<double>(i % 3) * (kTile + kGap);
        plot.top = static_cast<double>(i / 3) * kRow + 2;
        plot.width = kTile;
        plot.height = kHigh;
        plot.highY = 1.1;
        drawing.rect(plot.left, plot.top, kTile, kHigh, "sunken");
        if (i == 0)  // the three phases
            for (const double at : {0.15, 0.45})
                drawing.line(plot.x(at), plot.top, plot.x(at), plot.bottom(), "reference");
        addCurve(drawing, plot, curves[i].loss, "curve s" + std::to_string(curves[i].colour));
        drawing.text(plot.left, plot.bottom() + 15, textOf(curves[i].name, language), "letter");
        drawing.text(plot.left, plot.bottom() + 15 + kLine - 3, fitted(textOf(curves[i].sign, language), kTile),
                     "tick");
        numbers.emplace_back(textOf(curves[i].name, language), textOf(curves[i].sign, language));
    }
    return picture(std::move(drawing), "Loss gallery"_text, std::move(numbers), language);
}

std::optional<PictureFigure> checkpointInterval(const Plan& plan, Language language) {
    // As in the chapter's figure: a node fails every 110 days, and each device writes 1 GB/s.
    constexpr double kNodeMtbf = 110 * 86400.0, kWriteBytesPerSecond = 1e9, kRestart = 600;
    const auto world = static_cast<double>(plan.config.parallel.worldSize());
    const double nodes =
        std::max(1.0, std::ceil(world / static_cast<double>(std::max<std::int64_t>(1, plan.cluster.devicesPerNode))));
    const double stall = checkpointStateBytes(plan.config) / (kWriteBytesPerSecond * world);
    const double mtbf = clusterMtbfSeconds(kNodeMtbf, nodes), best = bestCheckpointInterval(stall, mtbf);
    if (!(best > 0)) return {};
    const double every = plan.step.stepSeconds * static_cast<double>(plan.config.checkpoint.everySteps);
    Plot plot;
    plot.isLogX = true;
    plot.lowX = best / 50;
    plot.highX = best * 50;
    const auto lost = [&](double interval) { return 1 - goodput(interval, stall, kRestart, mtbf); };
    plot.highY = std::max(lost(plot.lowX), lost(plot.highX));
    if (!(plot.highY > 0)) return {};
    Drawing drawing(
        kWidth, plot.bottom() + 2 * kLine,
        textOf(
            "Lost time over the interval of checkpoints, at 1 GB/s a device and a failure of a node every 110 days."_text,
            language));
    addAxes(drawing, plot, textOf("interval (log scale)"_text, language),
            textOf("lost share of the time"_text, language));
    addCurve(drawing, plot, lost, "curve s0");
    drawing.line(plot.x(best), plot.top, plot.x(best), plot.bottom(), "reference");
    drawing.text(plot.x(best), plot.bottom() + 14, formatSeconds(best, language), "tick", "middle");
    if (std::isfinite(every) && every > plot.lowX && every < plot.highX) {
        disc(drawing, {plot.x(every), plot.y(lost(every))}, 5, "c1");
        drawing.text(plot.x(every), plot.y(lost(every)) - 10, textOf("the plan"_text, language), "text", "middle");
    }
    Numbers numbers{{textOf("Time of a save"_text, language), formatSeconds(stall, language)},
                    {textOf("Between failures"_text, language), formatSeconds(mtbf, language)},
                    {textOf("Best interval"_text, language), formatSeconds(best, language)}};
    if (std::isfinite(every) && every > 0)
        numbers.emplace_back(textOf("Interval of the plan"_text, language), formatSeconds(every, language));
    return picture(std::move(drawing), "Interval of checkpoints"_text, std::move(numbers), language);
}

std::optional<PictureFigure> methodLoop(const Plan& plan, Language language) {
    const SourceText steps[] = {"Question"_text,    "Guess"_text,   "Forecast"_text,
                                "Run, repeat"_text, "Verdict"_text, "Adopt or not"_text};
    const SourceText notes[] = {"one change"_text,  "a number"_text,           "from the plan"_text,
                                "three times"_text, "against the spread"_text, "then the next"_text};
    constexpr double kBox = 150, kHigh = 44, kGap = (kWidth - 3 * kBox) / 2, kRow = kHigh + 34;
    Drawing drawing(kWidth, kRow + kHigh + 2,
                    textOf("The loop of an experiment: one change at a time."_text, language));
    const auto at = [&](int i) { return Drawing::Point{(i < 3 ? i : 5 - i) * (kBox + kGap), i < 3 ? 1 : kRow}; };
    for (int i = 0; i < 6; ++i) {
        const std::string note = i == 2 && std::isfinite(plan.step.stepSeconds)
                                     ? textOf("%1 a step"_text(Seconds{plan.step.stepSeconds}), language)
                                     : textOf(notes[i], language);
        box(drawing, {at(i).x, at(i).y, kBox, kHigh, i == 4 ? "area" : "sunken"}, textOf(steps[i], language), note);
        const Drawing::Point here = at(i), next = at((i + 1) % 6);
        if (here.y == next.y && next.x > here.x)
            arrow(drawing, {here.x + kBox + 2, here.y + kHigh / 2}, {next.x - 2, next.y + kHigh / 2}, "edge", "c0");
        else if (here.y == next.y)
            arrow(drawing, {here.x - 2, here.y + kHigh / 2}, {next.x + kBox + 2, next.y + kHigh / 2}, "edge", "c0");
        else
            arrow(drawing, {here.x + kBox / 2, here.y + (next.y > here.y ? kHigh + 2 : -2)},
                  {next.x + kBox / 2, next.y + (next.y > here.y ? -2 : kHigh + 2)}, "edge", "c0");
    }
    Numbers numbers;
    for (int i = 0; i < 6; ++i) numbers.emplace_back(textOf(steps[i], language), textOf(notes[i], language));
    return picture(std::move(drawing), "Loop of an experiment"_text, std::move(numbers), language);
}

}  // namespace slipway::pictures
