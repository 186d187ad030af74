#include "core/report/playbook_report.h"

#include "core/base/units.h"
#include "core/base/version.h"
#include "core/playbook/figure_model.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

std::string figureText(const Json& value) {
    return value.is_number()   ? formatSignificant(value.get<double>(), 6)
           : value.is_string() ? value.get<std::string>()
                               : dumpJson(value, false);
}

std::string actualText(const CheckResult& result, Language language) {
    const auto actual = parseJson(result.actualJson, "actual");
    return actual ? figureText(*actual) : textOf(result.problem, language);
}

Tone toneOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Agrees: return Tone::Good;
        case Verdict::Differs: return Tone::Bad;
        case Verdict::Inconclusive: return Tone::Warn;
        case Verdict::NotRun: break;
    }
    return Tone::Quiet;
}

Table checksTable(const std::vector<Check>& checks, Language language) {
    Table table;
    table.columns = {{textOf("Example"_text, language), "label", "", false, ""},
                     {textOf("Source"_text, language), "printed", "", true, ""},
                     {textOf("Recomputed"_text, language), "actual", "", true, ""},
                     {textOf("Verdict"_text, language), "verdict", "", false, ""}};
    for (const Check& check : checks) {
        const CheckResult result = runCheck(check);
        const bool isWrong = result.verdict == CheckVerdict::Fails;
        const bool isMistake = result.verdict == CheckVerdict::SourceMistake;
        table.rows.push_back({{check.label.in(language), {}, Tone::Plain},
                              {check.printed.empty() ? "–" : check.printed, {}, Tone::Plain},
                              {actualText(result, language), {}, Tone::Plain},
                              {isMistake ? check.mistake.in(language)
                               : isWrong ? textOf("differs"_text, language)
                                         : textOf("agrees"_text, language),
                               {},
                               isWrong     ? Tone::Bad
                               : isMistake ? Tone::Warn
                                           : Tone::Good}});
    }
    return table;
}

Table claimsTable(const ExperimentStanding& standing, Language language) {
    Table table;
    table.columns = {{textOf("Claim"_text, language), "claim", "", false, ""},
                     {textOf("Expected"_text, language), "expected", "", true, ""},
                     {textOf("Forecast"_text, language), "forecast", "", true, ""},
                     {textOf("Measured"_text, language), "measured", "", true, ""},
                     {textOf("Verdict"_text, language), "verdict", "", false, ""}};
    const auto figure = [](double value, double spread) {
        return formatSignificant(value, 4) + " ± " + formatSignificant(spread, 2);
    };
    for (const ClaimResult& r : standing.claims) {
        const Judgement& j = r.judgement;
        table.rows.push_back({{r.claim->text.in(language), {}, Tone::Plain},
                              {figure(r.claim->expected, r.claim->tolerance), r.claim->expected, Tone::Plain},
                              {r.forecast ? formatSignificant(*r.forecast, 4) : "–", r.forecast, Tone::Plain},
                              {j.repeats > 0 ? figure(j.measured, j.spread / 2) : "–",
                               j.repeats > 0 ? std::optional(j.measured) : std::nullopt, Tone::Plain},
                              {textOf(textOf(j.verdict), language), {}, toneOf(j.verdict)}});
    }
    return table;
}

/// The curves of the chapter's figure over its first slider that belongs to no plan, as the window opens with them; empty where
/// no output is a number.
std::optional<LineFigure> chapterFigure(const Playbook& playbook, const FigureUse& use, Language language) {
    constexpr int kPoints = 120;
    const FigureModel* model = findFigureModel(use.model);
    if (model == nullptr || use.sliders.empty()) return {};
    const auto free =
        std::find_if(use.sliders.begin(), use.sliders.end(), [](const auto& s) { return s.field.empty(); });
    const Slider& along = free == use.sliders.end() ? use.sliders.front() : *free;
    const bool isWhole = std::any_of(model->inputs.begin(), model->inputs.end(), [&](const FigureInput& input) {
        return input.key == along.input && input.kind == FigureInputKind::Whole;
    });
    Json inputs = parseJson(use.inputsJson, "inputs").value_or(Json::object());
    for (const Slider& slider : use.sliders) inputs[slider.input] = slider.value;
    const auto named = [&](const std::string& key) {
        const std::string unit = playbook.unit(key).in(language);
        return playbook.label(key).in(language) + (unit.empty() ? "" : ", " + unit);
    };
    LineFigure figure;
    figure.title = use.title.in(language);
    figure.xName = named(along.input);
    // Curves of one axis have one unit: those of the first output.
    for (const std::string& key : use.outputs) {
        if (!figure.series.empty() && playbook.unit(key).english != playbook.unit(use.outputs.front()).english)
            continue;
        LineFigure::Series series{named(key), {}, {}};
        for (int i = 0; i <= kPoints; ++i) {
            const double share = static_cast<double>(i) / kPoints;
            double x = along.isLogarithmic ? along.low * std::pow(along.high / along.low, share)
                                           : along.low + (along.high - along.low) * share;
            if (isWhole) x = std::round(x);
            if (!series.x.empty() && series.x.back() == x) continue;
            inputs[along.input] = x;
            const auto values = computeFigure(*model, inputs);
            if (!values || !values->contains(key) || !(*values)[key].is_number()) continue;
            series.x.push_back(x);
            series.y.push_back((*values)[key].get<double>());
        }
        if (series.x.size() > 1) figure.series.push_back(std::move(series));
    }
    if (figure.series.empty()) return {};
    if (figure.series.size() == 1) figure.unit = figure.series.front().label;
    std::string rest;
    for (const Slider& slider : use.sliders)
        if (&slider != &along)
            rest += (rest.empty() ? "" : "; ") + named(slider.input) + " " + formatSignificant(slider.value, 6);
    figure.caption = rest;
    return figure;
}

Section experimentSection(const Experiment& experiment, const std::vector<Guess>& guesses,
                          const std::vector<Json>& records, Language language) {
    const Json* record = lastRecord(records, experiment.id);
    const ExperimentStanding standing =
        standingOf(experiment, record == nullptr ? Json(nullptr) : *record, firstGuess(guesses, experiment.id));
    Section section{experiment.id + ". " + experiment.title.in(language), {}};
    section.blocks.push_back(Paragraph{textOf(textOf(standing.verdict), language), true});
    section.blocks.push_back(Paragraph{experiment.question.in(language)});
    if (standing.verdict != Verdict::NotRun && !standing.claims.empty())
        section.blocks.push_back(claimsTable(standing, language));
    Facts facts;
    const auto fact = [&](SourceText name, const std::string& value) {
        if (!value.empty()) facts.entries.emplace_back(textOf(name, language), value);
    };
    const std::string& unit = experiment.guess.unit.in(language);
    if (standing.guess != nullptr) fact("Your guess"_text, formatSignificant(standing.guess->value, 6) + ' ' + unit);
    if (standing.answer) fact("Answer"_text, formatSignificant(*standing.answer, 6) + ' ' + unit);
    fact("Hardware"_text, standing.at ? standing.at->host : experiment.hardware.in(language));
    fact("Axes"_text, experiment.axes.in(language));
    fact("Fixed"_text, experiment.fixed.in(language));
    fact("Expected finding"_text, experiment.finding.text.in(language));
    fact("Contradicted by"_text, experiment.finding.contradictedBy.in(language));
    section.blocks.push_back(facts);
    return section;
}

}  // namespace

Report chapterReport(const Playbook& playbook, const Chapter& chapter, const std::vector<Guess>& guesses,
                     const std::vector<Json>& records, const ReportHead& head) {
    const Language language = head.language;
    Report report;
    report.title = head.title.empty() ? std::to_string(chapter.number) + ". " + chapter.title.in(language) : head.title;
    report.author = head.author;
    report.date = head.date;
    report.question = head.question.empty() ? chapter.question.in(language) : head.question;
    report.language = language;
    Section idea{textOf("Idea"_text, language), {}};
    const std::string& unit = chapter.guess.unit.in(language);
    Facts answers;
    if (const Guess* guess = firstGuess(guesses, chapter.id))
        answers.entries.emplace_back(textOf("Your guess"_text, language),
                                     formatSignificant(guess->value, 6) + ' ' + unit);
    if (const auto answer = answerOf(chapter.guess))
        answers.entries.emplace_back(textOf("Answer"_text, language), formatSignificant(*answer, 6) + ' ' + unit);
    if (!answers.entries.empty()) idea.blocks.push_back(answers);
    idea.blocks.push_back(Paragraph{chapter.idea.in(language)});
    for (const FigureUse& use : chapter.figures)
        if (auto figure = chapterFigure(playbook, use, language)) idea.blocks.push_back(std::move(*figure));
    report.sections.push_back(std::move(idea));
    if (!chapter.checks.empty())
        report.sections.push_back(
            {textOf("Worked numbers of the sources"_text, language), {checksTable(chapter.checks, language)}});
    report.sections.push_back({textOf("Expected finding"_text, language),
                               {Paragraph{chapter.finding.text.in(language)},
                                Paragraph{textOf("It would be contradicted by:"_text, language) + ' ' +
                                          chapter.finding.contradictedBy.in(language)}}});
    for (const std::string& id : chapter.experiments)
        if (const Experiment* experiment = playbook.experiment(id))
            report.sections.push_back(experimentSection(*experiment, guesses, records, language));
    Section traps{textOf("Traps"_text, language), {}}, sources{textOf("Sources"_text, language), {}};
    for (const Trap& trap : chapter.traps)
        traps.blocks.push_back(
            Paragraph{trap.text.in(language) + (trap.rule.empty() ? "" : " (slipway lint: " + trap.rule + ")")});
    for (const std::string& source : chapter.sources) sources.blocks.push_back(Paragraph{source});
    report.sections.push_back(std::move(traps));
    report.sections.push_back(std::move(sources));
    report.footer = textOf("Made by Slipway %1."_text(versionText()), language);
    return report;
}

}  // namespace slipway
