#include "core/report/step_report.h"

#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr double kNothing = 1e-9;  ///< seconds: rounding

std::string signedText(double value, const std::string& text) {
    return (value > 0 ? "+" : value < 0 ? "−" : "") + text;
}

Cell secondsCell(const std::optional<WaterfallBar>& bar, Language language) {
    if (!bar) return {"–", {}, Tone::Quiet};
    return {signedText(std::min(bar->seconds, 0.0), formatSeconds(std::fabs(bar->seconds), language)), bar->seconds,
            Tone::Plain};
}

Cell percentCell(const WaterfallRow& row, const std::optional<WaterfallBar>& bar) {
    if (!bar) return {"–", {}, Tone::Quiet};
    const bool whole = row.kind == WaterfallRow::Kind::Peak || row.kind == WaterfallRow::Kind::Reached ||
                       row.kind == WaterfallRow::Kind::Wall;
    const std::string digits = formatFixed(std::fabs(bar->percent()), 1);
    return {whole || digits == "0.0" ? digits : signedText(bar->percent(), digits), bar->percent(), Tone::Plain};
}

Cell deltaCell(double seconds, Language language, Tone tone = Tone::Plain) {
    if (std::fabs(seconds) < kNothing) seconds = 0;
    return {signedText(seconds, formatSeconds(std::fabs(seconds), language)), seconds, tone};
}

constexpr double kMuch = 0.05;  ///< of a step: a marked difference from the forecast, or unexplained part

}  // namespace

Table waterfallTable(const StepAccount& account, Language language) {
    const auto text = [&](const Message& message) { return textOf(message, language); };
    const bool hasForecast = account.forecastSeconds.has_value();
    Table table;
    table.columns = {{text("Part of the step"_text), "part", "", false, ""},
                     {text("Measured, %"_text), "percent", "", true, ""},
                     {text("Time"_text), "seconds", "", true, ""}};
    if (hasForecast) {
        table.columns.push_back({text("Forecast, %"_text), "forecast_percent", "", true, ""});
        table.columns.push_back({text("Time"_text), "forecast_seconds", "", true, ""});
        table.columns.push_back({text("Difference"_text), "difference_seconds", "", true, ""});
    }
    const double step = account.stepSeconds.value_or(account.forecastSeconds.value_or(1));
    for (const WaterfallRow& row : waterfallOf(account)) {
        std::vector<Cell> cells{
            {text(row.title), {}, Tone::Plain}, percentCell(row, row.measured), secondsCell(row.measured, language)};
        if (row.kind == WaterfallRow::Kind::Loss && row.part == TimePart::Unexplained && row.measured &&
            std::fabs(row.measured->seconds) > kMuch * step)
            cells[1].tone = cells[2].tone = Tone::Warn;
        if (hasForecast) {
            cells.push_back(percentCell(row, row.forecast));
            cells.push_back(secondsCell(row.forecast, language));
            const bool inStep = row.kind != WaterfallRow::Kind::Outside && row.kind != WaterfallRow::Kind::Wall;
            if (inStep && (row.measured || row.forecast)) {
                const double more =
                    (row.measured ? row.measured->seconds : 0) - (row.forecast ? row.forecast->seconds : 0);
                const bool much = row.kind == WaterfallRow::Kind::Loss && more > kMuch * step;
                cells.push_back(account.stepSeconds ? deltaCell(more, language, much ? Tone::Warn : Tone::Plain)
                                                    : Cell{"–", {}, Tone::Quiet});
            } else {
                cells.push_back({"", {}, Tone::Quiet});
            }
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Message differenceSentence(const StepDifference& difference) {
    const double share = difference.first > 0 ? 100 * difference.seconds() / difference.first : 0;
    const std::string percent = signedText(share, formatFixed(std::fabs(share), 1)) + " %";
    const Message sentence =
        "%1 instead of %2 a step (%3)."_text(Seconds{difference.second}, Seconds{difference.first}, percent);
    return difference.isWithinSpread ? "%1 %2"_text(sentence, "That is within the spread of the steps."_text)
                                     : sentence;
}

Table differenceTable(const StepDifference& difference, const std::string& first, const std::string& second,
                      Language language) {
    const auto text = [&](const Message& message) { return textOf(message, language); };
    const auto time = [&](double seconds) {
        return Cell{signedText(std::min(seconds, 0.0), formatSeconds(std::fabs(seconds), language)), seconds,
                    Tone::Plain};
    };
    Table table;
    table.columns = {{text("Part of the step"_text), "part", "", false, ""},
                     {first, "first_seconds", "", true, ""},
                     {second, "second_seconds", "", true, ""},
                     {text("Difference"_text), "difference_seconds", "", true, ""},
                     {text("May be because of"_text), "fields", "", false, ""}};
    constexpr std::size_t kNamed = 3;
    for (const PartDifference& part : difference.parts) {
        std::string cause;
        for (std::size_t i = 0; i < std::min(kNamed, part.fields.size()); ++i) {
            const FieldDifference& field = part.fields[i];
            cause += (i == 0 ? "" : ", ") + field.path + " " + (field.left.empty() ? "–" : field.left) + " → " +
                     (field.right.empty() ? "–" : field.right);
        }
        if (part.fields.size() > kNamed)
            cause = text("%1 and %2 more"_text(cause, static_cast<std::int64_t>(part.fields.size() - kNamed)));
        if (part.isWithinSpread) cause = text("within the spread of the steps"_text);
        if (part.seconds() == 0) cause.clear();
        table.rows.push_back({{text(titleOf(part.part)), {}, Tone::Plain},
                              time(part.first),
                              time(part.second),
                              deltaCell(part.seconds(), language),
                              {cause, {}, part.isWithinSpread ? Tone::Quiet : Tone::Plain}});
    }
    table.rows.push_back({{text("Step"_text), {}, Tone::Plain},
                          time(difference.first),
                          time(difference.second),
                          deltaCell(difference.seconds(), language),
                          {"", {}, Tone::Plain}});
    return table;
}

WaterfallFigure waterfallFigure(const StepAccount& account, Language language) {
    WaterfallFigure figure;
    figure.title = textOf(
        account.mfu || account.forecastMfu ? "Where did the MFU go?"_text : "Where did the time go?"_text, language);
    figure.unit = textOf("% of the step"_text, language);
    figure.measuredName = textOf("measured"_text, language);
    figure.forecastName = textOf("forecast"_text, language);
    for (const WaterfallRow& row : waterfallOf(account)) {
        if (row.kind == WaterfallRow::Kind::Outside || row.kind == WaterfallRow::Kind::Wall) continue;
        WaterfallFigure::Row drawn;
        drawn.label = textOf(row.title, language);
        drawn.isWhole = row.kind != WaterfallRow::Kind::Loss;
        drawn.isUnexplained = row.part == TimePart::Unexplained;
        if (row.measured) drawn.measured = {row.measured->from, row.measured->to};
        if (row.forecast) drawn.forecast = {row.forecast->from, row.forecast->to};
        figure.rows.push_back(std::move(drawn));
    }
    figure.caption = textOf(summaryOf(account), language);
    return figure;
}

Section accountSection(const std::vector<NamedAccount>& runs, Language language) {
    Section section{textOf("Where did the MFU go?"_text, language), {}};
    for (const NamedAccount& named : runs) {
        if (!named.run.account.stepSeconds) continue;
        WaterfallFigure figure = waterfallFigure(named.run.account, language);
        if (runs.size() > 1) figure.title = named.name;
        section.blocks.emplace_back(std::move(figure));
    }
    for (const NamedAccount& named : runs) {
        const StepAccount& account = named.run.account;
        if (!account.stepSeconds) continue;
        Table table = waterfallTable(account, language);
        if (runs.size() > 1) table.title = named.name;
        table.caption = textOf(
            "Medians of %1 steps, %2 to %3, mean over ranks; the forecast is of its critical rank. The parts of the step add up to it."_text(
                account.numSteps, account.firstStep, account.lastStep),
            language);
        for (const Message& note : account.notes) table.caption += " " + textOf(note, language);
        section.blocks.emplace_back(std::move(table));
    }
    if (runs.size() != 2) return section;
    if (const auto difference = differenceOf(runs[0].run, runs[1].run)) {
        Table table = differenceTable(*difference, runs[0].name, runs[1].name, language);
        table.title = textOf("Why does the second run take another time?"_text, language);
        table.caption = textOf(differenceSentence(*difference), language);
        for (const Message& note : difference->notes) table.caption += " " + textOf(note, language);
        section.blocks.emplace_back(std::move(table));
    }
    return section;
}

}  // namespace slipway
