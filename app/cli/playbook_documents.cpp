#include "app/cli/playbook_documents.h"

#include "core/base/units.h"
#include "core/playbook/figure_model.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

Json parsed(const std::string& text) {
    const auto json = parseJson(text, "value");
    return json ? *json : Json(nullptr);
}

Json callDocument(const FigureCall& call) {
    return {{"model", call.model}, {"inputs", parsed(call.inputsJson)}, {"output", call.output}};
}

Json guessDocument(const GuessQuestion& question, const Guess* guess, std::optional<double> answer, bool isOpen) {
    Json json{{"asked", toJson(question.asked)},
              {"unit", toJson(question.unit)},
              {"tolerance", question.tolerance},
              {"value", guess == nullptr ? Json(nullptr) : jsonNumber(guess->value)}};
    if (!isOpen) return json;
    json["answer"] = answer ? jsonNumber(*answer) : Json(nullptr);
    const auto score = guess != nullptr && answer ? scoreOf(question, guess->value, *answer) : std::nullopt;
    json["relative_error"] = score ? jsonNumber(score->relativeError) : Json(nullptr);
    json["is_right"] = score ? Json(score->isRight) : Json(nullptr);
    return json;
}

Json findingDocument(const Finding& finding) {
    return {{"text", toJson(finding.text)},
            {"contradicted_by", toJson(finding.contradictedBy)},
            {"source", finding.source}};
}

Json figureDocument(const Playbook& playbook, const FigureUse& figure) {
    const FigureModel& model = *findFigureModel(figure.model);
    Json inputs = parsed(figure.inputsJson), sliders = Json::array(), outputs = Json::array();
    for (const Slider& slider : figure.sliders) {
        inputs[slider.input] = slider.value;
        sliders.push_back({{"input", slider.input},
                           {"label", toJson(playbook.label(slider.input))},
                           {"unit", toJson(playbook.unit(slider.input))},
                           {"field", slider.field},
                           {"low", slider.low},
                           {"high", slider.high},
                           {"value", slider.value},
                           {"log", slider.isLogarithmic}});
    }
    const auto values = computeFigure(model, inputs);
    for (const std::string& key : figure.outputs)
        for (const FigureOutput& output : model.outputs)
            if (output.key == key)
                outputs.push_back({{"output", key},
                                   {"label", toJson(playbook.label(key))},
                                   {"unit", toJson(playbook.unit(key))},
                                   {"value", values ? (*values)[key] : Json(nullptr)},
                                   {"formula", std::string(output.formula)},
                                   {"source", std::string(output.source)}});
    return {{"title", toJson(figure.title)},
            {"model", figure.model},
            {"inputs", inputs},
            {"sliders", sliders},
            {"outputs", outputs}};
}

std::string expectedOf(const Claim& claim) {
    return expectedText(claim, [](double value) { return formatSignificant(value, 4); });
}

Json hardwareDocument(const Circumstances& at) {
    const Message hardware = hardwareOf(at);
    return {{"en", textOf(hardware, Language::English)}, {"ko", textOf(hardware, Language::Korean)}};
}

}  // namespace

Json toJson(const LocalText& text) {
    return {{"en", text.english}, {"ko", text.korean}};
}

Json checkDocument(const Check& check, const CheckResult& result) {
    Json json{{"label", toJson(check.label)},
              {"call", callDocument(check.call)},
              {"expected", parsed(check.expectedJson)},
              {"tolerance", check.tolerance},
              {"printed", check.printed},
              {"actual", parsed(result.actualJson)},
              {"verdict", std::string(wordOf(result.verdict))},
              {"row", check.row}};
    if (!check.mistake.empty()) json["mistake"] = toJson(check.mistake);
    if (!check.rightOutput.empty()) json["right"] = parsed(result.rightJson);
    if (!result.problem.empty()) json["problem"] = textOf(result.problem);
    return json;
}

Json exerciseDocument(const Chapter& chapter, const Exercise& exercise, const Guess* guess, bool isOpen) {
    Json json{{"id", chapter.subjectOf(exercise)},
              {"title", toJson(exercise.title)},
              {"question", toJson(exercise.question)},
              {"guess", guessDocument(exercise.guess, guess, answerOf(exercise.guess), isOpen)}};
    if (!isOpen) return json;
    json["editions"] = Json::array();
    for (const Edition& edition : exercise.editions) {
        Json steps = Json::array();
        for (const SolutionStep& step : edition.steps)
            steps.push_back({{"text", toJson(step.text)},
                             {"unit", toJson(step.unit)},
                             {"figure", step.call ? callDocument(*step.call) : Json(nullptr)},
                             {"value", step.call ? resultOf(*step.call) : Json(nullptr)}});
        const auto answer = answerOf(exercise.guess, edition.answer);
        json["editions"].push_back({{"id", edition.id},
                                    {"name", toJson(edition.name)},
                                    {"answer", answer ? jsonNumber(*answer) : Json(nullptr)},
                                    {"verdict", toJson(edition.verdict)},
                                    {"steps", steps}});
    }
    return json;
}

Json chapterDocument(const Playbook& playbook, const Chapter& c, const std::vector<Guess>& guesses, bool isAnswered) {
    const Guess* guess = firstGuess(guesses, c.id);
    const bool isOpen = guess != nullptr || isAnswered;
    Json json{{"id", c.id},
              {"number", c.number},
              {"title", toJson(c.title)},
              {"question", toJson(c.question)},
              {"guess", guessDocument(c.guess, guess, answerOf(c.guess), isOpen)},
              {"is_open", isOpen},
              {"experiments", c.experiments},
              {"sources", c.sources}};
    json["exercises"] = Json::array();
    for (const Exercise& exercise : c.exercises) {
        const Guess* made = firstGuess(guesses, c.subjectOf(exercise));
        json["exercises"].push_back(exerciseDocument(c, exercise, made, made != nullptr || isAnswered));
    }
    if (!isOpen) return json;
    json["idea"] = toJson(c.idea);
    for (const char* key : {"figures", "tables", "checks", "traps"}) json[key] = Json::array();
    for (const ChapterTable& table : c.tables) {
        Json columns = Json::array(), rows = Json::array();
        for (const LocalText& column : table.columns) columns.push_back(toJson(column));
        for (const auto& row : table.rows) {
            rows.push_back(Json::array());
            for (const LocalText& cell : row) rows.back().push_back(toJson(cell));
        }
        json["tables"].push_back({{"title", toJson(table.title)}, {"columns", columns}, {"rows", rows}});
    }
    for (const FigureUse& figure : c.figures) json["figures"].push_back(figureDocument(playbook, figure));
    for (const Check& check : c.checks) json["checks"].push_back(checkDocument(check, runCheck(check)));
    json["finding"] = findingDocument(c.finding);
    for (const Trap& trap : c.traps) json["traps"].push_back({{"rule", trap.rule}, {"text", toJson(trap.text)}});
    return json;
}

Json experimentDocument(const Experiment& e, const Guess* guess, bool isOpen) {
    Json json{{"id", e.id},
              {"chapter", e.chapter},
              {"title", toJson(e.title)},
              {"question", toJson(e.question)},
              {"need", std::string(wordOf(e.need))},
              {"hardware", toJson(e.hardware)},
              {"axes", toJson(e.axes)},
              {"fixed", toJson(e.fixed)},
              {"repeats", e.repeats},
              {"is_open", isOpen},
              {"guess", guessDocument(e.guess, guess, answerOf(e.guess), isOpen)},
              {"sources", e.sources}};
    if (!e.searched.empty()) json["searched"] = toJson(e.searched);
    if (!e.waitsFor.empty()) json["waits_for"] = toJson(e.waitsFor);
    if (!isOpen) return json;
    json["hypothesis"] = toJson(e.hypothesis);
    json["claims"] = Json::array();
    for (const Claim& claim : e.claims)
        json["claims"].push_back({{"id", claim.id},
                                  {"text", toJson(claim.text)},
                                  {"metric", claim.metric},
                                  {"baseline_metric", claim.metricOfBaseline()},
                                  {"kind", claim.kind == ClaimKind::Ratio ? "ratio" : "difference"},
                                  {"point", claim.point},
                                  {"baseline", claim.baseline},
                                  {"expected", claim.expected},
                                  {"expected_text", expectedOf(claim)},
                                  {"tolerance", claim.tolerance}});
    json["computes"] = Json::array();
    for (const Check& check : e.computes) json["computes"].push_back(checkDocument(check, runCheck(check)));
    if (!e.derivation.empty()) json["derivation"] = toJson(e.derivation);
    json["finding"] = findingDocument(e.finding);
    return json;
}

Json verdictDocument(const Experiment& e, const Json& record, const Guess* guess) {
    const ExperimentStanding standing = standingOf(e, record, guess);
    Json claims = Json::array(), computes = Json::array();
    for (const ClaimResult& r : standing.claims) {
        const Judgement& j = r.judgement;
        claims.push_back({{"id", r.claim->id},
                          {"text", toJson(r.claim->text)},
                          {"verdict", std::string(wordOf(j.verdict))},
                          {"measured", j.repeats > 0 ? jsonNumber(j.measured) : Json(nullptr)},
                          {"spread", j.repeats > 0 ? jsonNumber(j.spread) : Json(nullptr)},
                          {"expected", r.claim->expected},
                          {"expected_text", expectedOf(*r.claim)},
                          {"tolerance", r.claim->tolerance},
                          {"forecast", r.forecast ? jsonNumber(*r.forecast) : Json(nullptr)},
                          {"forecast_error", r.forecastError() ? jsonNumber(*r.forecastError()) : Json(nullptr)},
                          {"repeats", j.repeats},
                          {"busy", r.wasBusy},
                          {"repeats_to_decide", j.repeatsToDecide ? Json(*j.repeatsToDecide) : Json(nullptr)}});
    }
    for (std::size_t i = 0; i < standing.computes.size(); ++i)
        computes.push_back(checkDocument(e.computes[i], standing.computes[i]));
    const auto member = [&](const char* key) {
        return record.is_object() && record.contains(key) ? record[key] : Json(nullptr);
    };
    return {{"experiment", e.id},
            {"verdict", std::string(wordOf(standing.verdict))},
            {"claims", claims},
            {"computes", computes},
            {"guess", guessDocument(e.guess, guess, standing.answer, true)},
            {"unix_ms", member("unix_ms")},
            {"host", member("host")},
            {"hardware", standing.at ? hardwareDocument(*standing.at) : Json(nullptr)},
            {"cpus", member("cpus")},
            {"load", member("load")},
            {"version", member("version")},
            {"short", member("short")},
            {"sweep_id", member("sweep_id")}};
}

Json calibrationDocument(const GuessCalibration& all) {
    Json rows = Json::array(), chapters = Json::array();
    for (const GuessRow& row : all.rows)
        rows.push_back({{"subject", row.subject()},
                        {"chapter", row.chapter->id},
                        {"title", toJson(row.title())},
                        {"guess", jsonNumber(row.value)},
                        {"answer", row.answer ? jsonNumber(*row.answer) : Json(nullptr)},
                        {"relative_error", row.score ? jsonNumber(row.score->relativeError) : Json(nullptr)},
                        {"is_right", row.score ? Json(row.score->isRight) : Json(nullptr)}});
    for (const ChapterCalibration& one : all.chapters)
        chapters.push_back(
            {{"chapter", one.chapter->id}, {"guesses", one.guesses}, {"median_error", jsonNumber(one.medianError)}});
    Json forecasts = Json::array();
    for (const ForecastRow& row : all.forecasts)
        forecasts.push_back({{"experiment", row.experiment->id},
                             {"claim", row.claim->id},
                             {"forecast", jsonNumber(row.forecast)},
                             {"measured", jsonNumber(row.measured)},
                             {"relative_error", jsonNumber(row.relativeError)}});
    return {{"guesses", rows},
            {"forecasts", forecasts},
            {"median_forecast_error", all.medianForecastError ? jsonNumber(*all.medianForecastError) : Json(nullptr)},
            {"answered", all.answered},
            {"right", all.right},
            {"median_error", all.medianError ? jsonNumber(*all.medianError) : Json(nullptr)},
            {"chapters", chapters}};
}

Json claimsDocument(const std::vector<ClaimRow>& rows) {
    Json claims = Json::array();
    for (const ClaimRow& row : rows)
        claims.push_back({{"experiment", row.experiment->id},
                          {"claim", row.claim == nullptr ? Json(nullptr) : Json(row.claim->id)},
                          {"text", toJson(row.claim == nullptr ? row.experiment->finding.text : row.claim->text)},
                          {"state", std::string(wordOf(row.state))},
                          {"measured", row.measured ? jsonNumber(*row.measured) : Json(nullptr)},
                          {"expected", row.claim == nullptr ? Json(nullptr) : jsonNumber(row.claim->expected)},
                          {"expected_text", row.claim == nullptr ? Json(nullptr) : Json(expectedOf(*row.claim))},
                          {"host", row.at ? Json(row.at->host) : Json(nullptr)},
                          {"sweep_id", row.at ? Json(row.at->sweepId) : Json(nullptr)}});
    return {{"claims", claims}};
}

Json listedDocument(const Experiment& experiment, const Json* record, const Guess* guess, const ClusterSpec& machine) {
    const auto takes = [&](bool isShort) {
        const auto cost = costOf(experiment, isShort, machine);
        return cost ? costDocument(*cost) : Json(nullptr);
    };
    const Json verdict = verdictDocument(experiment, record == nullptr ? Json(nullptr) : *record, guess);
    return {{"id", experiment.id},           {"title", toJson(experiment.title)},
            {"chapter", experiment.chapter}, {"need", std::string(wordOf(experiment.need))},
            {"short", takes(true)},          {"full", takes(false)},
            {"verdict", verdict["verdict"]}, {"waits", !experiment.waitsFor.empty()}};
}

Json costDocument(const ExperimentCost& cost) {
    Json skipped = Json::array();
    for (const auto& one : cost.skipped) skipped.push_back({{"run", one.run}, {"reason", one.reason}});
    return {{"points", cost.points},
            {"runs", cost.runs},
            {"seconds", cost.seconds ? Json(*cost.seconds) : Json(nullptr)},
            {"disk_bytes", cost.diskBytes},
            {"device", cost.device.empty() ? Json(nullptr) : Json(cost.device)},
            {"skipped", skipped}};
}

}  // namespace slipway
