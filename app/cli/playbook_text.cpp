#include "app/cli/playbook_text.h"

#include "app/cli/print.h"
#include "core/base/units.h"
#include "core/playbook/standing.h"
#include "core/playbook/value_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

std::string figureText(const Json& value) {
    if (value.is_number()) return asciiText(formatSignificant(value.get<double>(), 6));
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() ? "-" : dumpJson(value, false);
}

/// A value of a figure: words and members by their labels.
std::string wordsOf(const CliContext& context, const Playbook& playbook, const Json& value) {
    return asciiText(
        valueText(value, playbook, context.language, [](double number) { return formatSignificant(number, 6); }));
}

std::string verdictText(const CliContext& context, const std::string& word) {
    for (const Verdict v : {Verdict::Agrees, Verdict::Differs, Verdict::Inconclusive, Verdict::NotRun})
        if (word == wordOf(v)) return context.text(textOf(v));
    return word;
}

/// The requirement of an experiment, in words.
Message needText(const std::string& word) {
    for (const auto& [need, text] :
         {std::pair{"plan", "nothing"_text}, std::pair{"laptop", "this computer"_text}, std::pair{"gpu", "a GPU"_text},
          std::pair{"node", "a node of GPUs"_text}, std::pair{"cluster", "a cluster"_text}})
        if (word == need) return text;
    return Message::name(word);
}

/// "36.0 s" of a form's cost; "-" where there is nothing to run.
std::string timeText(CliContext& context, const Json& cost) {
    if (cost.is_null() || cost["runs"] == 0) return "-";
    return context.text(cost["seconds"].is_null() ? "unknown"_text : Message(Seconds{cost["seconds"].get<double>()}));
}

}  // namespace

void printPlaybookList(CliContext& context, const Json& chapters, const Json& experiments) {
    const char* key = context.language == Language::Korean ? "ko" : "en";
    Table table;
    table.columns = {{"", "number", "", true, ""},
                     {context.text("Chapter"_text), "title", "", false, ""},
                     {"ID", "id", "", false, ""},
                     {context.text("Guess"_text), "guess", "", true, ""},
                     {context.text("Checks"_text), "checks", "", true, ""},
                     {context.text("Experiments"_text), "experiments", "", false, ""}};
    for (const Json& c : chapters) {
        std::string ids;
        for (const Json& id : c["experiments"]) ids += (ids.empty() ? "" : ", ") + id.get<std::string>();
        std::vector<Cell> cells;
        for (const std::string& text :
             {std::to_string(c["number"].get<std::int64_t>()), c["title"][key].get<std::string>(),
              c["id"].get<std::string>(), figureText(c["guess"]),
              std::to_string(c["checks_reached"].get<std::size_t>()) + "/" +
                  std::to_string(c["checks"].get<std::size_t>()),
              ids})
            cells.push_back({text, {}, Tone::Plain});
        table.rows.push_back(std::move(cells));
    }
    printTable(context.out, table, context.outColour);
    Table second;
    second.columns = {{"ID", "id", "", false, ""},
                      {context.text("Experiment"_text), "title", "", false, ""},
                      {context.text("Needs"_text), "need", "", false, ""},
                      {context.text("Runs"_text), "runs", "", true, ""},
                      {context.text("Short form"_text), "short", "", true, ""},
                      {context.text("Full form"_text), "full", "", true, ""},
                      {context.text("Disk"_text), "disk", "", true, ""},
                      {context.text("Verdict"_text), "verdict", "", false, ""}};
    std::string leftOut;
    std::string device;
    bool isTimeUnknown = false;
    for (const Json& e : experiments) {
        const Json &full = e["full"], &shorter = e["short"];
        const bool hasCost = !full.is_null();
        isTimeUnknown = isTimeUnknown || (hasCost && full["runs"] > 0 && full["seconds"].is_null());
        if (hasCost && !full["skipped"].empty()) leftOut += (leftOut.empty() ? "" : ", ") + e["id"].get<std::string>();
        if (hasCost && !full["device"].is_null()) device = full["device"].get<std::string>();
        second.rows.push_back(
            {{e["id"].get<std::string>(), {}, Tone::Plain},
             {e["title"][key].get<std::string>(), {}, Tone::Plain},
             {context.text(needText(e["need"].get<std::string>())), {}, Tone::Plain},
             {hasCost ? std::to_string(full["runs"].get<std::size_t>()) : "-", {}, Tone::Plain},
             {timeText(context, shorter), {}, Tone::Plain},
             {timeText(context, full), {}, Tone::Plain},
             {hasCost ? asciiText(formatBytes(full["disk_bytes"].get<double>())) : "-", {}, Tone::Plain},
             {verdictText(context, e["verdict"].get<std::string>()), {}, Tone::Plain}});
    }
    context.out << '\n';
    printTable(context.out, second, context.outColour);
    context.out << '\n';
    const auto say = [&context](const Message& message) {
        context.out << wrapText(context.text(message), lineWidth(context.out)) << '\n';
    };
    say("Runs and disk are those of the full form."_text);
    if (isTimeUnknown) say("Times are unknown until this computer is measured: slipway machine --measure."_text);
    if (!device.empty()) say("Experiments that need GPUs are forecast for %1, as many as each takes."_text(device));
    if (!leftOut.empty())
        say("Some points do not fit and are left out: %1. slipway playbook run ID --plan gives the reasons."_text(
            leftOut));
}

int printChecks(CliContext& context, const Playbook& playbook, const std::vector<Check>& checks) {
    int failed = 0;
    Table table;
    table.columns = {{context.text("Example"_text), "label", "", false, ""},
                     {context.text("Source"_text), "printed", "", true, ""},
                     {context.text("Recomputed"_text), "actual", "", true, ""},
                     {"", "verdict", "", false, ""}};
    std::vector<std::string> mistakes;
    for (const Check& check : checks) {
        const CheckResult result = runCheck(check);
        const bool isWrong = result.verdict == CheckVerdict::Fails;
        failed += isWrong ? 1 : 0;
        std::string word = isWrong ? context.text("differs"_text) : context.text("agrees"_text);
        if (result.verdict == CheckVerdict::SourceMistake) {
            std::string note = check.label.in(context.language) + ": " + check.mistake.in(context.language);
            if (!result.rightJson.empty()) note += ' ' + context.text("Right:"_text) + ' ' + result.rightJson;
            if (mistakes.empty() || mistakes.back() != note) mistakes.push_back(std::move(note));
            word = context.text("source mistaken"_text);
        }
        const auto actual = parseJson(result.actualJson, "actual");
        table.rows.push_back(
            {{check.label.in(context.language), {}, Tone::Plain},
             {check.printed.empty() ? "-" : check.printed, {}, Tone::Plain},
             {actual ? wordsOf(context, playbook, *actual) : context.text(result.problem), {}, Tone::Plain},
             {word, {}, isWrong ? Tone::Bad : Tone::Plain}});
    }
    printTable(context.out, table, context.outColour);
    for (const std::string& note : mistakes)
        context.out << "  " << wrapText(printable(note), lineWidth(context.out)) << '\n';
    return failed;
}

void printSubject(CliContext& context, const Playbook& playbook, const Chapter* c, const Experiment* e,
                  const Guess* guess, bool isOpen) {
    const Language language = context.language;
    const std::size_t width = lineWidth(context.out);
    const auto paragraph = [&](const std::string& text) { context.out << wrapText(printable(text), width) << "\n\n"; };
    const auto heading = [&](SourceText text) { context.out << context.text(text) << '\n'; };
    const GuessQuestion& question = c != nullptr ? c->guess : e->guess;
    paragraph(c != nullptr ? std::to_string(c->number) + ". " + c->title.in(language)
                           : e->id + ". " + e->title.in(language));
    paragraph(c != nullptr ? c->question.in(language) : e->question.in(language));
    if (!isOpen) {
        paragraph(context.text("Guess first: slipway playbook guess %1 VALUE (%2)."_text(c != nullptr ? c->id : e->id,
                                                                                         question.unit.in(language))));
        return;
    }
    if (guess != nullptr)
        paragraph(context.text(
            "Your guess: %1 %2."_text(asciiText(formatSignificant(guess->value, 6)), question.unit.in(language))));
    if (const auto answer = answerOf(question))
        paragraph(context.text(
            "The answer: %1 %2."_text(asciiText(formatSignificant(*answer, 4)), question.unit.in(language))));
    if (e != nullptr) {
        paragraph(e->hypothesis.in(language));
        printFacts(context.out, {{context.text("Hardware"_text), e->hardware.in(language)},
                                 {context.text("Axes"_text), e->axes.in(language)},
                                 {context.text("Fixed"_text), e->fixed.in(language)},
                                 {context.text("Expected finding"_text), e->finding.text.in(language)},
                                 {context.text("Derivation"_text), e->derivation.in(language)},
                                 {context.text("Contradicted by"_text), e->finding.contradictedBy.in(language)}});
        if (!e->waitsFor.empty())
            context.out << '\n' << context.text("It waits for: %1."_text(e->waitsFor.in(language))) << '\n';
        return;
    }
    paragraph(c->idea.in(language));
    const Json document = chapterDocument(playbook, *c, {}, true);
    const char* key = language == Language::Korean ? "ko" : "en";
    for (const Json& figure : document["figures"]) {
        context.out << printable(figure["title"][key].get<std::string>()) << '\n';
        FactLines facts;
        for (const char* part : {"sliders", "outputs"})
            for (const Json& one : figure[part])
                if (!one["value"].is_array())
                    facts.emplace_back(
                        "  " + one["label"][key].get<std::string>(),
                        wordsOf(context, playbook, one["value"]) + ' ' + one["unit"][key].get<std::string>());
        printFacts(context.out, facts);
        context.out << '\n';
    }
    for (const ChapterTable& from : c->tables) {
        Table table;
        for (const LocalText& column : from.columns) table.columns.push_back({column.in(language), "", "", false, ""});
        for (const auto& row : from.rows) {
            std::vector<Cell> cells;
            for (const LocalText& cell : row) cells.push_back({cell.in(language), {}, Tone::Plain});
            table.rows.push_back(std::move(cells));
        }
        context.out << printable(from.title.in(language)) << '\n';
        printTable(context.out, table, context.outColour);
        context.out << '\n';
    }
    heading("Worked numbers of the sources"_text);
    (void)printChecks(context, playbook, c->checks);
    context.out << '\n';
    heading("Expected finding"_text);
    paragraph(c->finding.text.in(language));
    heading("Traps"_text);
    for (const Trap& trap : c->traps)
        paragraph("- " + trap.text.in(language) + (trap.rule.empty() ? "" : " (" + trap.rule + ")"));
}

void printExercises(CliContext& context, const Chapter& chapter, const std::vector<Guess>& guesses, bool isAnswered,
                    const std::string& edition) {
    const Language language = context.language;
    const std::size_t width = lineWidth(context.out);
    const auto paragraph = [&](const std::string& text) { context.out << wrapText(printable(text), width) << "\n\n"; };
    if (!chapter.exercises.empty()) context.out << context.text("Exercises"_text) << '\n';
    for (const Exercise& exercise : chapter.exercises) {
        const std::string subject = chapter.subjectOf(exercise), unit = exercise.guess.unit.in(language);
        paragraph(exercise.title.in(language));
        paragraph(exercise.question.in(language));
        const Guess* guess = firstGuess(guesses, subject);
        if (guess == nullptr && !isAnswered) {
            paragraph(context.text("Guess first: slipway playbook guess %1 VALUE (%2)."_text(subject, unit)));
            continue;
        }
        const Edition* found = exercise.edition(edition);
        const Edition& shown = found != nullptr ? *found : exercise.editions.front();
        if (guess != nullptr)
            paragraph(context.text("Your guess: %1 %2."_text(asciiText(formatSignificant(guess->value, 6)), unit)));
        if (const auto answer = answerOf(exercise.guess, shown.answer))
            paragraph(shown.name.in(language) + ". " +
                      context.text("The answer: %1 %2."_text(asciiText(formatSignificant(*answer, 4)), unit)) + ' ' +
                      shown.verdict.in(language));
        int number = 1;
        for (const SolutionStep& step : shown.steps) {
            std::string line = std::to_string(number++) + ". " + step.text.in(language);
            if (step.call) line += " = " + figureText(resultOf(*step.call)) + ' ' + step.unit.in(language);
            context.out << wrapText(printable(line), width) << '\n';
        }
        context.out << '\n';
    }
}

void printCalibration(CliContext& context, const Json& document) {
    const char* key = context.language == Language::Korean ? "ko" : "en";
    if (document["guesses"].empty()) {
        const std::string example = "slipway playbook guess pipelines 15";
        context.out << context.text("No guess yet; %1 makes one."_text(example)) << '\n';
        return;
    }
    Table table;
    table.columns = {{"ID", "subject", "", false, ""},
                     {context.text("Title"_text), "title", "", false, ""},
                     {context.text("Guess"_text), "guess", "", true, ""},
                     {context.text("Answer"_text), "answer", "", true, ""},
                     {context.text("Off by"_text), "error", "", true, ""}};
    for (const Json& row : document["guesses"])
        table.rows.push_back(
            {{row["subject"].get<std::string>(), {}, Tone::Plain},
             {row["title"][key].get<std::string>(), {}, Tone::Plain},
             {figureText(row["guess"]), {}, Tone::Plain},
             {figureText(row["answer"]), {}, Tone::Plain},
             {row["relative_error"].is_number() ? asciiText(formatPercent(row["relative_error"].get<double>())) : "-",
              {},
              Tone::Plain}});
    printTable(context.out, table, context.outColour);
    if (document["median_forecast_error"].is_number())
        context.out << '\n'
                    << context.text("Scored forecasts of the planner: %1; half of them are off by less than %2."_text(
                           document["forecasts"].size(),
                           asciiText(formatPercent(document["median_forecast_error"].get<double>()))))
                    << '\n';
    if (!document["median_error"].is_number()) return;
    context.out << '\n'
                << context.text("%1 of %2 guesses are right; half of them are off by less than %3."_text(
                       document["right"].get<std::size_t>(), document["answered"].get<std::size_t>(),
                       asciiText(formatPercent(document["median_error"].get<double>()))))
                << '\n';
}

void printClaims(CliContext& context, const Json& document) {
    const char* key = context.language == Language::Korean ? "ko" : "en";
    Table table;
    table.columns = {{"ID", "experiment", "", false, ""},
                     {context.text("Claim"_text), "text", "", false, ""},
                     {context.text("Expected"_text), "expected", "", true, ""},
                     {context.text("Measured"_text), "measured", "", true, ""},
                     {context.text("On this computer"_text), "state", "", false, ""},
                     {context.text("Sweep"_text), "sweep", "", false, ""}};
    for (const Json& row : document["claims"]) {
        std::string state = row["state"].get<std::string>();
        for (const ClaimState s :
             {ClaimState::Confirmed, ClaimState::Contradicted, ClaimState::Undecided, ClaimState::Untested})
            if (row["state"] == wordOf(s)) state = context.text(textOf(s));
        table.rows.push_back({{row["experiment"].get<std::string>(), {}, Tone::Plain},
                              {row["text"][key].get<std::string>(), {}, Tone::Plain},
                              {asciiText(figureText(row["expected_text"])), {}, Tone::Plain},
                              {figureText(row["measured"]), {}, Tone::Plain},
                              {state, {}, Tone::Plain},
                              {figureText(row["sweep_id"]), {}, Tone::Plain}});
    }
    printTable(context.out, table, context.outColour);
}

void printVerdict(CliContext& context, const Playbook& playbook, const Experiment& experiment, const Json& document) {
    if (context.json) {
        context.out << dumpJson(document, true);
        return;
    }
    const auto worded = [&](const std::string& word) { return verdictText(context, word); };
    context.out << printable(experiment.id + ", " + experiment.title.in(context.language)) << ": "
                << worded(document["verdict"].get<std::string>()) << "\n\n";
    const char* key = context.language == Language::Korean ? "ko" : "en";
    Table table;
    table.columns = {{context.text("Claim"_text), "text", "", false, ""},
                     {context.text("Measured"_text), "measured", "", true, ""},
                     {context.text("Spread"_text), "spread", "", true, ""},
                     {context.text("Expected"_text), "expected", "", true, ""},
                     {context.text("Forecast"_text), "forecast", "", true, ""},
                     {context.text("Verdict"_text), "verdict", "", false, ""}};
    for (const Json& claim : document["claims"]) {
        std::string word = worded(claim["verdict"].get<std::string>());
        if (!claim["repeats_to_decide"].is_null())
            word += ", " + context.text("%1 repeats would decide"_text(claim["repeats_to_decide"].get<std::int64_t>()));
        if (claim["forecast_error"].is_number())
            word += ", " + context.text("forecast %1 off"_text(
                               asciiText(formatPercent(std::fabs(claim["forecast_error"].get<double>())))));
        if (claim["busy"].get<bool>()) word += ", " + context.text("the computer was busy"_text);
        std::vector<Cell> cells{{claim["text"][key].get<std::string>(), {}, Tone::Plain}};
        for (const char* part : {"measured", "spread", "expected_text", "forecast"})
            cells.push_back({claim[part].is_number()   ? asciiText(formatSignificant(claim[part].get<double>(), 4))
                             : claim[part].is_string() ? asciiText(claim[part].get<std::string>())
                                                       : "-",
                             {},
                             Tone::Plain});
        cells.push_back({word, {}, Tone::Plain});
        table.rows.push_back(std::move(cells));
    }
    if (!table.rows.empty()) printTable(context.out, table, context.outColour);
    if (document["claims"].empty()) (void)printChecks(context, playbook, experiment.computes);
    const Json& guess = document["guess"];
    if (!guess["value"].is_null() && !guess["relative_error"].is_null())
        context.out << '\n'
                    << context.text("Your guess: %1; the answer: %2 (%3 off)."_text(
                           figureText(guess["value"]), figureText(guess["answer"]),
                           asciiText(formatPercent(guess["relative_error"].get<double>()))))
                    << '\n';
    if (document.contains("theirs"))
        for (const Json& theirs : document["theirs"]) {
            context.out << '\n'
                        << context.text(
                               "Measured by others on %1: %2"_text(theirs["hardware"][key].get<std::string>(),
                                                                   worded(theirs["verdict"].get<std::string>())))
                        << '\n';
            for (const Json& claim : theirs["claims"])
                context.out << "  " << printable(claim["text"][key].get<std::string>()) << ": "
                            << figureText(claim["measured"]) << ", " << worded(claim["verdict"].get<std::string>())
                            << '\n';
        }
    if (document["load"].is_number())
        context.out << context.text("Load at the start: %1 on %2 CPUs."_text(
                           asciiText(formatFixed(document["load"].get<double>(), 1)),
                           document["cpus"].get<std::int64_t>()))
                    << '\n';
}

}  // namespace slipway
