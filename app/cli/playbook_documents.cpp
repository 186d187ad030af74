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

Json chapterDocument(const Playbook& playbook, const Chapter& c, const Guess* guess, bool isOpen) {
    Json json{{"id", c.id},
              {"number", c.number},
              {"title", toJson(c.title)},
              {"question", toJson(c.question)},
              {"guess", guessDocument(c.guess, guess, answerOf(c.guess), isOpen)},
              {"is_open", isOpen},
              {"experiments", c.experiments},
              {"sources", c.sources}};
    if (!isOpen) return json;
    json["idea"] = toJson(c.idea);
    for (const char* key : {"figures", "checks", "traps"}) json[key] = Json::array();
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
                                  {"kind", claim.kind == ClaimKind::Ratio ? "ratio" : "difference"},
                                  {"point", claim.point},
                                  {"baseline", claim.baseline},
                                  {"expected", claim.expected},
                                  {"tolerance", claim.tolerance}});
    json["computes"] = Json::array();
    for (const Check& check : e.computes) json["computes"].push_back(checkDocument(check, runCheck(check)));
    json["finding"] = findingDocument(e.finding);
    return json;
}

Json verdictDocument(const Experiment& e, const Json& record, const Guess* guess) {
    const Measurements measurements = measurementsOf(record);
    const auto numberAt = [&](const char* key) {
        return record.is_object() && record.contains(key) && record[key].is_number() ? record[key].get<double>() : 0;
    };
    const bool isBusy = numberAt("cpus") > 0 && wasBusy(numberAt("load"), static_cast<std::int64_t>(numberAt("cpus")));
    const std::vector<ClaimResult> results = judgeAll(e, measurements, isBusy);
    Json claims = Json::array();
    std::vector<Judgement> judgements;
    std::optional<double> answer = answerOf(e.guess);
    for (const ClaimResult& r : results) {
        const Judgement& j = r.judgement;
        judgements.push_back(j);
        if (r.claim->id == e.guess.claim && j.repeats > 0) answer = j.measured * e.guess.scale;
        claims.push_back({{"id", r.claim->id},
                          {"text", toJson(r.claim->text)},
                          {"verdict", std::string(wordOf(j.verdict))},
                          {"measured", j.repeats > 0 ? jsonNumber(j.measured) : Json(nullptr)},
                          {"spread", j.repeats > 0 ? jsonNumber(j.spread) : Json(nullptr)},
                          {"expected", r.claim->expected},
                          {"tolerance", r.claim->tolerance},
                          {"forecast", r.forecast ? jsonNumber(*r.forecast) : Json(nullptr)},
                          {"repeats", j.repeats},
                          {"busy", r.wasBusy},
                          {"repeats_to_decide", j.repeatsToDecide ? Json(*j.repeatsToDecide) : Json(nullptr)}});
    }
    Verdict verdict = worstOf(judgements);
    Json computes = Json::array();
    if (e.claims.empty())
        for (const Check& check : e.computes) {
            const CheckResult result = runCheck(check);
            computes.push_back(checkDocument(check, result));
            verdict = result.verdict == CheckVerdict::Fails                          ? Verdict::Differs
                      : verdict == Verdict::NotRun && e.need == ExperimentNeed::Plan ? Verdict::Agrees
                                                                                     : verdict;
        }
    const auto member = [&](const char* key) {
        return record.is_object() && record.contains(key) ? record[key] : Json(nullptr);
    };
    return {{"experiment", e.id},
            {"verdict", std::string(wordOf(verdict))},
            {"claims", claims},
            {"computes", computes},
            {"guess", guessDocument(e.guess, guess, answer, true)},
            {"unix_ms", member("unix_ms")},
            {"host", member("host")},
            {"cpus", member("cpus")},
            {"load", member("load")},
            {"version", member("version")},
            {"short", member("short")},
            {"sweep_id", member("sweep_id")}};
}

Json costDocument(const ExperimentCost& cost) {
    Json skipped = Json::array();
    for (const auto& one : cost.skipped) skipped.push_back({{"run", one.run}, {"reason", one.reason}});
    return {{"points", cost.points},
            {"runs", cost.runs},
            {"seconds", cost.seconds ? Json(*cost.seconds) : Json(nullptr)},
            {"disk_bytes", cost.diskBytes},
            {"skipped", skipped}};
}

const Json* lastRecord(const std::vector<Json>& records, const std::string& experiment) {
    for (auto it = records.rbegin(); it != records.rend(); ++it)
        if (it->contains("experiment") && (*it)["experiment"] == experiment) return &*it;
    return nullptr;
}

std::string chapterMarkdown(const Playbook& playbook, const Chapter& c, const std::vector<Guess>& guesses,
                            const std::vector<Json>& records, Language language) {
    const auto says = [&](SourceText text) { return textOf(text, language); };
    const std::string& question = c.question.in(language);
    std::string out = "# " + std::to_string(c.number) + ". " + c.title.in(language) + "\n\n" + question + "\n\n";
    if (const Guess* guess = firstGuess(guesses, c.id))
        out += "**" + says("Your guess"_text) + "**: " + asciiText(formatSignificant(guess->value, 6)) + ' ' +
               c.guess.unit.in(language) + "\n\n";
    out += c.idea.in(language) + "\n\n## " + says("Worked numbers of the sources"_text) + "\n\n";
    out += "| | " + says("Source"_text) + " | " + says("Recomputed"_text) + " | |\n|---|---|---|---|\n";
    for (const Check& check : c.checks) {
        const CheckResult result = runCheck(check);
        out += "| " + check.label.in(language) + " | " + check.printed + " | " + result.actualJson + " | " +
               (result.verdict == CheckVerdict::Agrees ? says("agrees"_text) : check.mistake.in(language)) + " |\n";
    }
    out += "\n## " + says("Expected finding"_text) + "\n\n" + c.finding.text.in(language) + " " +
           says("It would be contradicted by:"_text) + ' ' + c.finding.contradictedBy.in(language) + "\n\n";
    out += "## " + says("What you found"_text) + "\n\n";
    for (const std::string& id : c.experiments) {
        const Experiment& e = *playbook.experiment(id);
        const Json* record = lastRecord(records, id);
        const Json verdict = verdictDocument(e, record == nullptr ? Json(nullptr) : *record, firstGuess(guesses, id));
        out += "- " + id + ", " + e.title.in(language) + ": **" + verdict["verdict"].get<std::string>() + "**\n";
        for (const Json& claim : verdict["claims"])
            if (!claim["measured"].is_null())
                out += "  - " + claim["text"][language == Language::Korean ? "ko" : "en"].get<std::string>() + ": " +
                       dumpJson(claim["measured"], false) + " (" + says("expected"_text) + ' ' +
                       dumpJson(claim["expected"], false) + ", " + claim["verdict"].get<std::string>() + ")\n";
    }
    out += "\n## " + says("Traps"_text) + "\n\n";
    for (const Trap& trap : c.traps)
        out += "- " + trap.text.in(language) + (trap.rule.empty() ? "" : " (`slipway lint`: " + trap.rule + ")") + "\n";
    out += "\n## " + says("Sources"_text) + "\n\n";
    for (const std::string& source : c.sources) out += "- " + source + "\n";
    return out;
}

}  // namespace slipway
