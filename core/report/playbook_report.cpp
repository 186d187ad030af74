#include "core/report/playbook_report.h"

#include "core/base/units.h"
#include "core/base/version.h"
#include "core/playbook/figure_model.h"
#include "core/playbook/value_text.h"
#include "core/report/chapter_picture.h"

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

std::string actualText(const Playbook& playbook, const CheckResult& result, Language language) {
    const auto actual = parseJson(result.actualJson, "actual");
    return actual ? valueText(*actual, playbook, language, [](double number) { return formatSignificant(number, 6); })
                  : textOf(result.problem, language);
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

Tone toneOf(ClaimState state) {
    return toneOf(state == ClaimState::Confirmed      ? Verdict::Agrees
                  : state == ClaimState::Contradicted ? Verdict::Differs
                  : state == ClaimState::Undecided    ? Verdict::Inconclusive
                                                      : Verdict::NotRun);
}

Table checksTable(const Playbook& playbook, const std::vector<Check>& checks, Language language) {
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
                              {actualText(playbook, result, language), {}, Tone::Plain},
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
        table.rows.push_back(
            {{r.claim->text.in(language), {}, Tone::Plain},
             {expectedText(*r.claim, [](double v) { return formatSignificant(v, 4); }), r.claim->expected, Tone::Plain},
             {r.forecast ? formatSignificant(*r.forecast, 4) : "–", r.forecast, Tone::Plain},
             {j.repeats > 0 ? figure(j.measured, j.spread / 2) : "–",
              j.repeats > 0 ? std::optional(j.measured) : std::nullopt, Tone::Plain},
             {textOf(textOf(j.verdict), language), {}, toneOf(j.verdict)}});
    }
    return table;
}

/// The curves of the chapter's figure over its first slider outside the plan, as initially shown in the window; empty
/// where no output is a number.
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

/// Own measurement, expectation and forecast of the claims of one kind in one plot: ratios and differences have separate axes.
std::optional<BarFigure> verdictFigure(const ExperimentStanding& standing, ClaimKind kind, Language language) {
    BarFigure figure;
    figure.title = textOf(
        kind == ClaimKind::Ratio ? "Measured and expected, ratios"_text : "Measured and expected, differences"_text,
        language);
    figure.barName = textOf("Measured"_text, language);
    figure.markNames = {textOf("Expected"_text, language), textOf("Forecast"_text, language)};
    figure.intervalName = textOf("tolerance"_text, language);
    for (const ClaimResult& r : standing.claims) {
        if (r.claim->kind != kind || r.judgement.repeats == 0) continue;
        const Claim& claim = *r.claim;
        BarFigure::Row row{claim.text.in(language), r.judgement.measured, {claim.expected, r.forecast}, {}, {}, {}};
        if (claim.side == ClaimSide::Around) {
            row.low = claim.expected - claim.tolerance;
            row.high = claim.expected + claim.tolerance;
        }
        figure.rows.push_back(std::move(row));
    }
    return figure.rows.empty() ? std::nullopt : std::optional(std::move(figure));
}

std::vector<Block> experimentBlocks(const Playbook& playbook, const Experiment& experiment, const ReaderState& reader,
                                    Language language) {
    const Json* record = ownRecord(reader.records, experiment.id, reader.here);
    const ExperimentStanding standing =
        standingOf(experiment, record == nullptr ? Json(nullptr) : *record, firstGuess(reader.guesses, experiment.id));
    std::vector<Block> blocks;
    blocks.push_back(Paragraph{textOf(textOf(standing.verdict), language), true});
    blocks.push_back(Paragraph{experiment.question.in(language)});
    if (standing.verdict != Verdict::NotRun && !standing.claims.empty()) {
        blocks.push_back(claimsTable(standing, language));
        for (const ClaimKind kind : {ClaimKind::Ratio, ClaimKind::Difference})
            if (auto figure = verdictFigure(standing, kind, language)) blocks.push_back(std::move(*figure));
    }
    if (!experiment.computes.empty()) blocks.push_back(checksTable(playbook, experiment.computes, language));
    Facts facts;
    const auto fact = [&](SourceText name, const std::string& value) {
        if (!value.empty()) facts.entries.emplace_back(textOf(name, language), value);
    };
    const std::string& unit = experiment.guess.unit.in(language);
    if (standing.guess != nullptr) fact("Your guess"_text, formatSignificant(standing.guess->value, 6) + ' ' + unit);
    if (standing.answer) fact("Answer"_text, formatSignificant(*standing.answer, 6) + ' ' + unit);
    fact("Hardware"_text, standing.at ? textOf(hardwareOf(*standing.at), language) : experiment.hardware.in(language));
    fact("Axes"_text, experiment.axes.in(language));
    fact("Fixed"_text, experiment.fixed.in(language));
    fact("Expected finding"_text, experiment.finding.text.in(language));
    fact("Derivation"_text, experiment.derivation.in(language));
    fact("Contradicted by"_text, experiment.finding.contradictedBy.in(language));
    blocks.push_back(facts);
    for (const Json* theirs : theirRecords(reader.records, experiment.id, reader.here)) {
        const ExperimentStanding other = standingOf(experiment, *theirs, nullptr);
        Table table = claimsTable(other, language);
        table.title =
            textOf("Measured by others on %1: %2"_text(hardwareOf(*other.at), textOf(other.verdict)), language);
        blocks.push_back(std::move(table));
    }
    return blocks;
}

Table tableOf(const ChapterTable& from, Language language) {
    Table table;
    table.title = from.title.in(language);
    for (const LocalText& column : from.columns) table.columns.push_back({column.in(language), "", "", false, ""});
    for (const auto& cells : from.rows) {
        std::vector<Cell> row;
        for (const LocalText& cell : cells) row.push_back({cell.in(language), {}, Tone::Plain});
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// The question; after a guess each edition's answer with its worked solution.
std::vector<Block> exerciseBlocks(const Chapter& chapter, const Exercise& exercise, const ReaderState& reader,
                                  Language language) {
    std::vector<Block> blocks{Paragraph{exercise.question.in(language), true}};
    const Guess* guess = firstGuess(reader.guesses, chapter.subjectOf(exercise));
    if (guess == nullptr) {
        blocks.push_back(Paragraph{textOf("No guess yet."_text, language)});
        return blocks;
    }
    const std::string& unit = exercise.guess.unit.in(language);
    Facts answers;
    answers.entries.emplace_back(textOf("Your guess"_text, language), formatSignificant(guess->value, 6) + ' ' + unit);
    for (const Edition& edition : exercise.editions)
        if (const auto answer = answerOf(exercise.guess, edition.answer))
            answers.entries.emplace_back(edition.name.in(language), formatSignificant(*answer, 4) + ' ' + unit + ". " +
                                                                        edition.verdict.in(language));
    blocks.push_back(std::move(answers));
    for (const Edition& edition : exercise.editions) {
        Table table;
        table.title = edition.name.in(language);
        table.columns = {{textOf("Step"_text, language), "step", "", false, ""},
                         {textOf("Value"_text, language), "value", "", true, ""}};
        for (const SolutionStep& step : edition.steps)
            table.rows.push_back(
                {{step.text.in(language), {}, Tone::Plain},
                 {step.call ? figureText(resultOf(*step.call)) + ' ' + step.unit.in(language) : std::string("–"),
                  {},
                  Tone::Plain}});
        blocks.push_back(std::move(table));
    }
    return blocks;
}

std::vector<Section> chapterSections(const Playbook& playbook, const Chapter& chapter, const ReaderState& reader,
                                     Language language) {
    std::vector<Section> sections;
    Section idea{textOf("Idea"_text, language), {}};
    const std::string& unit = chapter.guess.unit.in(language);
    Facts answers;
    if (const Guess* guess = firstGuess(reader.guesses, chapter.id))
        answers.entries.emplace_back(textOf("Your guess"_text, language),
                                     formatSignificant(guess->value, 6) + ' ' + unit);
    if (const auto answer = answerOf(chapter.guess))
        answers.entries.emplace_back(textOf("Answer"_text, language), formatSignificant(*answer, 6) + ' ' + unit);
    if (!answers.entries.empty()) idea.blocks.push_back(answers);
    idea.blocks.push_back(Paragraph{chapter.idea.in(language)});
    if (auto picture = chapterPicture(chapter.id, reader.plan, language)) {
        picture->caption += ' ' + textOf("Drawn from the plan %1."_text(reader.plan.config.name), language);
        idea.blocks.push_back(std::move(*picture));
    }
    for (const FigureUse& use : chapter.figures)
        if (auto figure = chapterFigure(playbook, use, language)) idea.blocks.push_back(std::move(*figure));
    for (const ChapterTable& table : chapter.tables) idea.blocks.push_back(tableOf(table, language));
    sections.push_back(std::move(idea));
    for (const Exercise& exercise : chapter.exercises)
        sections.push_back({exercise.title.in(language), exerciseBlocks(chapter, exercise, reader, language)});
    if (!chapter.checks.empty())
        sections.push_back({textOf("Worked numbers of the sources"_text, language),
                            {checksTable(playbook, chapter.checks, language)}});
    sections.push_back({textOf("Expected finding"_text, language),
                        {Paragraph{chapter.finding.text.in(language)},
                         Paragraph{textOf("It would be contradicted by:"_text, language) + ' ' +
                                   chapter.finding.contradictedBy.in(language)}}});
    for (const std::string& id : chapter.experiments)
        if (const Experiment* experiment = playbook.experiment(id))
            sections.push_back({experiment->id + ". " + experiment->title.in(language),
                                experimentBlocks(playbook, *experiment, reader, language)});
    Section traps{textOf("Traps"_text, language), {}}, sources{textOf("Sources"_text, language), {}};
    for (const Trap& trap : chapter.traps)
        traps.blocks.push_back(
            Paragraph{trap.text.in(language) + (trap.rule.empty() ? "" : " (slipway lint: " + trap.rule + ")")});
    for (const std::string& source : chapter.sources)
        sources.blocks.push_back(Paragraph{wordText(source, playbook, language)});
    sections.push_back(std::move(traps));
    sections.push_back(std::move(sources));
    return sections;
}

std::string chapterTitle(const Chapter& chapter, Language language) {
    return std::to_string(chapter.number) + ". " + chapter.title.in(language);
}

Report headOf(const ReportHead& head, const std::string& title, const std::string& question) {
    Report report;
    report.title = head.title.empty() ? title : head.title;
    report.author = head.author;
    report.date = head.date;
    report.question = head.question.empty() ? question : head.question;
    report.language = head.language;
    report.footer = textOf("Made by Slipway %1."_text(versionText()), head.language);
    return report;
}

/// Accuracy of the guesses by chapter, the least accurate first.
Section calibrationSection(const GuessCalibration& all, Language language) {
    Section section{textOf("Your guesses"_text, language), {}};
    if (all.medianError)
        section.blocks.push_back(
            Paragraph{textOf("%1 of %2 guesses are right; half of them are off by less than %3."_text(
                                 all.right, all.answered, formatPercent(*all.medianError)),
                             language)});
    Table table;
    table.columns = {{textOf("Chapter"_text, language), "chapter", "", false, ""},
                     {textOf("Guesses"_text, language), "guesses", "", true, ""},
                     {textOf("Median error"_text, language), "median_error", "", true, ""}};
    for (const ChapterCalibration& one : all.chapters)
        table.rows.push_back({{chapterTitle(*one.chapter, language), {}, Tone::Plain},
                              {std::to_string(one.guesses), static_cast<double>(one.guesses), Tone::Plain},
                              {formatPercent(one.medianError), one.medianError, Tone::Plain}});
    if (!table.rows.empty()) section.blocks.push_back(std::move(table));
    return section;
}

Section claimsSection(const std::vector<ClaimRow>& rows, Language language) {
    Table table;
    table.columns = {{"ID", "experiment", "", false, ""},
                     {textOf("Claim"_text, language), "claim", "", false, ""},
                     {textOf("Measured"_text, language), "measured", "", true, ""},
                     {textOf("On this computer"_text, language), "state", "", false, ""},
                     {textOf("Sweep"_text, language), "sweep", "", false, ""}};
    for (const ClaimRow& row : rows)
        table.rows.push_back(
            {{row.experiment->id, {}, Tone::Plain},
             {(row.claim == nullptr ? row.experiment->finding.text : row.claim->text).in(language), {}, Tone::Plain},
             {row.measured ? formatSignificant(*row.measured, 4) : "–", row.measured, Tone::Plain},
             {textOf(textOf(row.state), language), {}, toneOf(row.state)},
             {row.at && !row.at->sweepId.empty() ? row.at->sweepId : "–", {}, Tone::Plain}});
    return {textOf("Map of claims"_text, language), {std::move(table)}};
}

}  // namespace

Report chapterReport(const Playbook& playbook, const Chapter& chapter, const ReaderState& reader,
                     const ReportHead& head) {
    Report report = headOf(head, chapterTitle(chapter, head.language), chapter.question.in(head.language));
    report.sections = chapterSections(playbook, chapter, reader, head.language);
    return report;
}

Report playbookReport(const Playbook& playbook, const ReaderState& reader, const ReportHead& head) {
    const Language language = head.language;
    Report report = headOf(head, textOf("Playbook"_text, language), {});
    for (const Chapter& chapter : playbook.chapters) {
        report.sections.push_back({chapterTitle(chapter, language), {Paragraph{chapter.question.in(language), true}}});
        if (firstGuess(reader.guesses, chapter.id) == nullptr) {
            report.sections.back().blocks.push_back(Paragraph{textOf("No guess yet."_text, language)});
            continue;
        }
        for (Section& section : chapterSections(playbook, chapter, reader, language))
            report.sections.push_back(
                {std::to_string(chapter.number) + ". " + section.title, std::move(section.blocks)});
    }
    report.sections.push_back(
        calibrationSection(guessCalibrationOf(playbook, reader.guesses, reader.records, reader.here), language));
    report.sections.push_back(claimsSection(claimsOf(playbook, reader.records, reader.here), language));
    return report;
}

}  // namespace slipway
