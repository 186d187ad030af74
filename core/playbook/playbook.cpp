#include "core/playbook/playbook.h"

#include "core/base/json_fields.h"
#include "core/planner/advice/lint.h"
#include "core/playbook/check.h"
#include "core/playbook/figure_model.h"
#include "core/playbook/object_reader.h"
#include "core/playbook/plan_figures.h"
#include "core/process/proc_facts.h"
#include "core/spec/run_config.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostIdeaWords = 200;
constexpr std::size_t kMostSliders = 6;

using Problems = ObjectReader::Problems;

std::size_t wordsIn(const std::string& text) {
    std::size_t words = 0;
    bool inside = false;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\n';
        words += !blank && !inside ? 1 : 0;
        inside = !blank;
    }
    return words;
}

std::vector<std::string> modelIds() {
    std::vector<std::string> ids;
    for (const FigureModel& model : figureModels()) ids.emplace_back(model.id);
    return ids;
}

const FigureModel* modelOf(ObjectReader& reader, const std::string& id) {
    const FigureModel* model = findFigureModel(id);
    if (model == nullptr && !id.empty())
        reader.problem("there is no figure model %1%2"_text(id, didYouMean(nearestKey(id, modelIds()))), "model");
    return model;
}

void requireOutput(ObjectReader& reader, const FigureModel& model, const std::string& output, const char* key) {
    std::vector<std::string> known;
    for (const FigureOutput& one : model.outputs) known.emplace_back(one.key);
    if (std::find(known.begin(), known.end(), output) == known.end())
        reader.problem("the figure model %1 has no output %2%3"_text(std::string(model.id), output,
                                                                     didYouMean(nearestKey(output, known))),
                       key);
}

void requireInputs(ObjectReader& reader, const FigureModel& model, const std::string& inputsJson) {
    const auto inputs = parseJson(inputsJson, "inputs");
    if (!inputs || !inputs->is_object()) return reader.problem("must be an object { ... }."_text, "inputs");
    if (const auto result = computeFigure(model, *inputs); !result) reader.problem(result.error().sentence(), "inputs");
}

FigureCall readCall(ObjectReader& reader) {
    FigureCall call{reader.text("model"), reader.anyOr("inputs", "{}"), reader.text("output")};
    if (const FigureModel* model = modelOf(reader, call.model)) {
        requireInputs(reader, *model, call.inputsJson);
        requireOutput(reader, *model, call.output, "output");
    }
    return call;
}

GuessQuestion readGuess(ObjectReader& reader) {
    GuessQuestion guess;
    guess.asked = reader.localText("asked");
    guess.unit = reader.wordOf("unit");
    guess.claim = reader.textOr("claim", "");
    reader.object("answer", false, [&](ObjectReader& answer) { guess.answer = readCall(answer); });
    if (guess.answer.has_value() == !guess.claim.empty()) reader.problem("needs either an answer or a claim."_text);
    guess.scale = reader.numberOr("scale", 1);
    guess.tolerance = reader.numberOr("tolerance", 0.1);
    return guess;
}

Slider readSlider(ObjectReader& reader, const FigureModel* model, const std::vector<std::string>& fields) {
    Slider slider;
    slider.input = reader.text("input");
    slider.field = reader.textOr("field", "");
    slider.ofPlan = reader.textOr("plan", "");
    const std::vector<std::string> figures = planFigureNames();
    if (!slider.ofPlan.empty() && std::find(figures.begin(), figures.end(), slider.ofPlan) == figures.end())
        reader.problem("a plan has no figure %1%2"_text(slider.ofPlan, didYouMean(nearestKey(slider.ofPlan, figures))),
                       "plan");
    slider.low = reader.number("low");
    slider.high = reader.number("high");
    slider.value = reader.number("value");
    slider.isLogarithmic = reader.flagOr("log", false);
    if (slider.low >= slider.high || slider.value < slider.low || slider.value > slider.high)
        reader.problem("low, value and high are not in order."_text);
    if (slider.isLogarithmic && slider.low <= 0) reader.problem("a logarithmic slider begins above 0."_text, "low");
    if (!slider.field.empty() && std::find(fields.begin(), fields.end(), slider.field) == fields.end())
        reader.problem("there is no field %1%2"_text(slider.field, didYouMean(nearestKey(slider.field, fields))),
                       "field");
    if (model != nullptr)
        for (const double end : {slider.low, slider.high})
            if (const auto result = computeFigure(*model, Json{{slider.input, end}}); !result)
                reader.problem(result.error().sentence(), "input");
    return slider;
}

FigureUse readFigure(ObjectReader& reader, const std::vector<std::string>& fields) {
    FigureUse figure;
    figure.title = reader.localText("title");
    figure.model = reader.text("model");
    figure.inputsJson = reader.anyOr("inputs", "{}");
    const FigureModel* model = modelOf(reader, figure.model);
    if (model != nullptr) requireInputs(reader, *model, figure.inputsJson);
    reader.list("sliders", true,
                [&](ObjectReader& slider) { figure.sliders.push_back(readSlider(slider, model, fields)); });
    if (figure.sliders.size() > kMostSliders) reader.problem("may have %1 sliders."_text(kMostSliders), "sliders");
    figure.edits = reader.texts("edits", false);
    std::vector<std::string> inputs;
    if (model != nullptr)
        for (const FigureInput& input : model->inputs) inputs.emplace_back(input.key);
    for (const std::string& key : figure.edits)
        if (model != nullptr && std::find(inputs.begin(), inputs.end(), key) == inputs.end())
            reader.problem("%1 has no input %2%3"_text(figure.model, key, didYouMean(nearestKey(key, inputs))),
                           "edits");
    figure.outputs = reader.texts("outputs", true);
    if (model != nullptr)
        for (const std::string& output : figure.outputs) requireOutput(reader, *model, output, "outputs");
    return figure;
}

Check readCheck(ObjectReader& reader) {
    Check check;
    check.label = reader.localText("label");
    check.call = readCall(reader);
    check.expectedJson = reader.any("expected");
    check.tolerance = reader.textOr("tolerance", "exact");
    check.printed = reader.textOr("printed", "");
    check.row = reader.textOr("row", "");
    check.part = reader.textOr("part", "");
    check.mistake = reader.localTextOr("mistake");
    check.rightOutput = reader.textOr("right_output", "");
    if (const FigureModel* model = findFigureModel(check.call.model); model != nullptr && !check.rightOutput.empty())
        requireOutput(reader, *model, check.rightOutput, "right_output");
    if (!isTolerance(check.tolerance))
        reader.problem("must be \"exact\", or \"rel\" or \"abs\" and a number."_text, "tolerance");
    return check;
}

ChapterTable readTable(ObjectReader& reader) {
    ChapterTable table;
    table.title = reader.localText("title");
    table.columns = reader.localTexts("columns");
    reader.list("rows", true, [&](ObjectReader& row) { table.rows.push_back(row.localTexts("cells")); });
    for (const auto& cells : table.rows)
        if (cells.size() != table.columns.size())
            reader.problem("has a row of %1 cells for %2 columns."_text(cells.size(), table.columns.size()), "rows");
    table.row = reader.textOr("row", "");
    return table;
}

Edition readEdition(ObjectReader& reader) {
    Edition edition;
    edition.id = reader.text("id");
    edition.name = reader.localText("name");
    reader.object("answer", true, [&](ObjectReader& answer) { edition.answer = readCall(answer); });
    edition.verdict = reader.localText("verdict");
    reader.list("steps", true, [&](ObjectReader& one) {
        SolutionStep step{one.localText("text"), {}, {}};
        if (one.has("unit")) step.unit = one.wordOf("unit");
        one.object("figure", false, [&](ObjectReader& figure) { step.call = readCall(figure); });
        edition.steps.push_back(std::move(step));
    });
    return edition;
}

Exercise readExercise(ObjectReader& reader) {
    Exercise exercise;
    exercise.id = reader.text("id");
    exercise.title = reader.localText("title");
    exercise.question = reader.localText("question");
    exercise.guess.asked = reader.localText("asked");
    exercise.guess.unit = reader.wordOf("unit");
    exercise.guess.tolerance = reader.numberOr("tolerance", 0.1);
    reader.list("editions", true, [&](ObjectReader& one) { exercise.editions.push_back(readEdition(one)); });
    if (exercise.editions.empty())
        reader.problem("needs at least one edition."_text, "editions");
    else
        exercise.guess.answer = exercise.editions.front().answer;
    return exercise;
}

Finding readFinding(ObjectReader& reader) {
    return {reader.localText("text"), reader.localText("contradicted_by"), reader.text("source")};
}

Trap readTrap(ObjectReader& reader) {
    Trap trap{reader.textOr("rule", ""), reader.localText("text")};
    std::vector<std::string> codes;
    for (const LintRule& rule : lintRules()) codes.emplace_back(rule.code);
    if (!trap.rule.empty() && evidenceOf(trap.rule) == nullptr)
        reader.problem("there is no lint rule %1%2"_text(trap.rule, didYouMean(nearestKey(trap.rule, codes))), "rule");
    return trap;
}

Chapter readChapter(ObjectReader& reader, const std::vector<std::string>& fields) {
    Chapter c;
    if (reader.number("schema") != 1) reader.problem("must be 1."_text, "schema");
    c.id = reader.text("id");
    c.number = static_cast<std::int64_t>(reader.number("number"));
    c.title = reader.localText("title");
    c.question = reader.localText("question");
    reader.object("guess", true, [&](ObjectReader& guess) { c.guess = readGuess(guess); });
    c.idea = reader.localText("idea");
    for (const Language language : {Language::English, Language::Korean})
        if (const std::size_t words = wordsIn(c.idea.in(language)); words > kMostIdeaWords)
            reader.problem("has %1 words; it may have %2."_text(words, kMostIdeaWords), "idea");
    reader.list("figures", true, [&](ObjectReader& figure) { c.figures.push_back(readFigure(figure, fields)); });
    reader.list("tables", false, [&](ObjectReader& table) { c.tables.push_back(readTable(table)); });
    reader.list("checks", true, [&](ObjectReader& check) { c.checks.push_back(readCheck(check)); });
    reader.list("exercises", false, [&](ObjectReader& one) { c.exercises.push_back(readExercise(one)); });
    c.experiments = reader.texts("experiments", true);
    reader.object("finding", true, [&](ObjectReader& finding) { c.finding = readFinding(finding); });
    reader.list("traps", true, [&](ObjectReader& trap) { c.traps.push_back(readTrap(trap)); });
    c.sources = reader.texts("sources", true);
    return c;
}

constexpr std::pair<ExperimentNeed, std::string_view> kNeeds[] = {{ExperimentNeed::Laptop, "laptop"},
                                                                  {ExperimentNeed::Gpu, "gpu"},
                                                                  {ExperimentNeed::Node, "node"},
                                                                  {ExperimentNeed::Cluster, "cluster"},
                                                                  {ExperimentNeed::Plan, "plan"}};

ClaimSide readSide(ObjectReader& reader) {
    const std::string side = reader.textOr("side", "around");
    if (side != "around" && side != "above" && side != "below")
        reader.problem("must be one of %1."_text(std::string("around, above, below")), "side");
    return side == "above" ? ClaimSide::Above : side == "below" ? ClaimSide::Below : ClaimSide::Around;
}

Replay readReplay(ObjectReader& reader) {
    Replay replay;
    replay.reference = reader.text("reference");
    reader.list("claims", false, [&](ObjectReader& one) {
        ReplayClaim claim{one.text("id"), one.localText("text"), one.text("figure"), one.textOr("baseline", "")};
        claim.side = readSide(one);
        claim.expected = one.number("expected");
        claim.tolerance = claim.side == ClaimSide::Around ? one.number("tolerance") : 0;
        replay.claims.push_back(std::move(claim));
    });
    return replay;
}

Claim readClaim(ObjectReader& reader) {
    Claim claim;
    claim.id = reader.text("id");
    claim.text = reader.localText("text");
    claim.metric = reader.text("metric");
    claim.baselineMetric = reader.textOr("baseline_metric", "");
    const std::string kind = reader.textOr("kind", "ratio");
    if (kind != "ratio" && kind != "difference")
        reader.problem("must be one of %1."_text(std::string("ratio, difference")), "kind");
    claim.kind = kind == "difference" ? ClaimKind::Difference : ClaimKind::Ratio;
    claim.point = reader.text("point");
    claim.baseline = reader.text("baseline");
    claim.isPaired = reader.flagOr("paired", false);
    claim.side = readSide(reader);
    claim.expected = reader.number("expected");
    claim.tolerance = claim.side == ClaimSide::Around ? reader.number("tolerance") : 0;
    return claim;
}

Experiment readExperiment(ObjectReader& reader) {
    Experiment e;
    if (reader.number("schema") != 1) reader.problem("must be 1."_text, "schema");
    e.id = reader.text("id");
    e.chapter = reader.text("chapter");
    e.title = reader.localText("title");
    e.question = reader.localText("question");
    e.hypothesis = reader.localText("hypothesis");
    const std::string need = reader.text("need");
    const auto* found =
        std::find_if(std::begin(kNeeds), std::end(kNeeds), [&](const auto& n) { return n.second == need; });
    if (found == std::end(kNeeds))
        reader.problem("must be one of %1."_text(std::string("laptop, gpu, node, cluster, plan")), "need");
    else
        e.need = found->first;
    e.hardware = reader.localText("hardware");
    e.axes = reader.localText("axes");
    e.searched = reader.localTextOr("searched");
    e.fixed = reader.localText("fixed");
    e.repeats = static_cast<std::int64_t>(reader.numberOr("repeats", 3));
    e.warmupSteps = static_cast<std::int64_t>(reader.numberOr("warmup_steps", 0));
    reader.object("guess", true, [&](ObjectReader& guess) { e.guess = readGuess(guess); });
    e.sweepJson = reader.anyOr("sweep", "");
    e.shortSweepJson = reader.anyOr("short", "");
    e.bench = reader.textOr("bench", "");
    if (!e.bench.empty() && e.bench != "comm" && e.bench != "near_duplicates")
        reader.problem("must be one of %1."_text(std::string("comm, near_duplicates")), "bench");
    for (const std::string& line : reader.texts("script", false)) e.script += line + '\n';
    reader.object("kill", false, [&](ObjectReader& kill) {
        e.kill = KillPoint{kill.texts("points", true), static_cast<std::int64_t>(kill.number("step"))};
    });
    reader.object("replay", false, [&](ObjectReader& replay) { e.replay = readReplay(replay); });
    reader.list("computes", false, [&](ObjectReader& check) { e.computes.push_back(readCheck(check)); });
    reader.list("claims", false, [&](ObjectReader& claim) { e.claims.push_back(readClaim(claim)); });
    if (!e.guess.claim.empty() &&
        std::none_of(e.claims.begin(), e.claims.end(), [&](const Claim& claim) { return claim.id == e.guess.claim; }))
        reader.problem("there is no claim %1."_text(e.guess.claim), "guess");
    e.derivation = reader.localTextOr("derivation");
    reader.object("finding", true, [&](ObjectReader& finding) { e.finding = readFinding(finding); });
    e.waitsFor = reader.localTextOr("waits_for");
    e.sources = reader.texts("sources", true);
    return e;
}

std::vector<fs::path> jsonFiles(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// Reads every file of a folder of the playbook with `read`; with `soundOnly` files with a problem are skipped.
template <class T>
void readAll(const fs::path& root, const char* folder, bool soundOnly, std::vector<T>& all, Problems& problems,
             const std::function<T(ObjectReader&)>& read) {
    for (const fs::path& file : jsonFiles(root / folder)) {
        const auto json = readJsonFile(file);
        if (!json) {
            problems.push_back("%1: %2"_text(json.error().where, json.error().sentence()));
            continue;
        }
        ObjectReader reader(*json, std::string(folder) + "/" + file.filename().string(), problems);
        const std::size_t before = problems.size();
        T one = read(reader);
        reader.finish();
        if (!soundOnly || problems.size() == before) all.push_back(std::move(one));
    }
}

void readWords(const fs::path& file, Playbook& playbook, Problems& problems) {
    const auto json = readJsonFile(file);
    if (!json) return problems.push_back("%1: %2"_text(json.error().where, json.error().sentence()));
    if (!json->is_object())
        return problems.push_back("%1: %2"_text("words.json"_text, "must be an object { ... }."_text));
    for (const auto& item : json->items()) {
        ObjectReader reader(item.value(), "words.json/" + item.key(), problems);
        FigureWord word{item.key(), reader.localText("label"), {}};
        if (reader.has("unit")) word.unit = reader.wordOf("unit");
        reader.finish();
        playbook.words.push_back(std::move(word));
    }
}

/// Checks across files: names used twice, and links between files.
void checkLinks(const Playbook& playbook, Problems& problems) {
    std::set<std::string> ids, words;
    for (const FigureWord& word : playbook.words) words.insert(word.key);
    std::vector<std::string> chapters, experiments;
    for (const Chapter& c : playbook.chapters) chapters.push_back(c.id);
    for (const Experiment& e : playbook.experiments) experiments.push_back(e.id);
    for (const auto& list : {chapters, experiments})
        for (const std::string& id : list)
            if (!ids.insert(id).second) problems.push_back("%1 is used twice."_text(id));
    for (const Chapter& c : playbook.chapters)
        for (const std::string& id : c.experiments)
            if (playbook.experiment(id) == nullptr)
                problems.push_back(
                    "%1: there is no experiment %2%3"_text(c.id, id, didYouMean(nearestKey(id, experiments))));
    for (const Experiment& e : playbook.experiments)
        if (playbook.chapter(e.chapter) == nullptr)
            problems.push_back(
                "%1: there is no chapter %2%3"_text(e.id, e.chapter, didYouMean(nearestKey(e.chapter, chapters))));
    std::set<std::string> missing;
    for (const FigureModel& model : figureModels()) {
        for (const FigureInput& input : model.inputs) missing.emplace(input.key);
        for (const FigureOutput& output : model.outputs) missing.emplace(output.key);
    }
    for (const std::string& key : missing)
        if (words.count(key) == 0) problems.push_back("words.json has no label for %1."_text(key));
}

/// "L2" before "L10".
bool byNumber(const Experiment& a, const Experiment& b) {
    const std::string order = "LGNKP";
    const auto key = [&](const Experiment& e) {
        return std::pair(order.find(e.id.substr(0, 1)), std::atoi(e.id.c_str() + 1));
    };
    return key(a) < key(b);
}

LocalText named(const std::vector<FigureWord>& words, std::string_view key, LocalText FigureWord::*part,
                LocalText other) {
    for (const FigureWord& word : words)
        if (word.key == key) return word.*part;
    return other;
}

Result<Playbook> readFiles(const fs::path& folder, bool soundOnly, Problems& problems) {
    std::error_code code;
    if (!fs::is_directory(folder / "chapters", code))
        return fail("folder_missing", "There is no playbook in %1."_text(folder.string()), folder.string());
    Playbook playbook;
    playbook.folder = folder;
    std::vector<std::string> fields;
    for (const FieldInfo& field : runConfigFields()) fields.push_back(field.path);
    readWords(folder / "words.json", playbook, problems);
    readAll<Chapter>(folder, "chapters", soundOnly, playbook.chapters, problems,
                     [&](ObjectReader& reader) { return readChapter(reader, fields); });
    readAll<Experiment>(folder, "experiments", soundOnly, playbook.experiments, problems, readExperiment);
    std::sort(playbook.chapters.begin(), playbook.chapters.end(),
              [](const Chapter& a, const Chapter& b) { return a.number < b.number; });
    std::sort(playbook.experiments.begin(), playbook.experiments.end(), byNumber);
    return playbook;
}

}  // namespace

std::string_view wordOf(ExperimentNeed need) {
    for (const auto& [value, word] : kNeeds)
        if (value == need) return word;
    return "unknown";
}

const Chapter* Playbook::chapter(std::string_view idOrNumber) const {
    for (const Chapter& c : chapters)
        if (c.id == idOrNumber || std::to_string(c.number) == idOrNumber) return &c;
    return nullptr;
}

const Experiment* Playbook::experiment(std::string_view id) const {
    for (const Experiment& e : experiments)
        if (e.id == id) return &e;
    return nullptr;
}

const Edition* Exercise::edition(std::string_view wanted) const {
    for (const Edition& one : editions)
        if (one.id == wanted) return &one;
    return nullptr;
}

std::optional<GuessSubject> Playbook::guessSubject(std::string_view id) const {
    if (const Chapter* c = chapter(id)) return GuessSubject{c->id, &c->guess};
    if (const Experiment* e = experiment(id)) return GuessSubject{e->id, &e->guess};
    for (const Chapter& c : chapters)
        for (const Exercise& exercise : c.exercises)
            if (c.subjectOf(exercise) == id) return GuessSubject{c.subjectOf(exercise), &exercise.guess};
    return {};
}

LocalText Playbook::label(std::string_view key) const {
    return named(words, key, &FigureWord::label, {std::string(key), std::string(key)});
}

LocalText Playbook::unit(std::string_view key) const {
    return named(words, key, &FigureWord::unit, {});
}

Result<Playbook> readPlaybook(const fs::path& folder) {
    Problems problems;
    auto playbook = readFiles(folder, false, problems);
    if (!playbook) return playbook;
    checkLinks(*playbook, problems);
    if (!problems.empty()) return fail("bad_playbook", linesOf(problems), folder.string());
    return playbook;
}

Result<Playbook> readSoundPlaybook(const fs::path& folder, std::vector<Message>& problems) {
    auto playbook = readFiles(folder, true, problems);
    if (!playbook) return playbook;
    for (Chapter& c : playbook->chapters)
        std::erase_if(c.experiments, [&](const std::string& id) { return playbook->experiment(id) == nullptr; });
    return playbook;
}

fs::path findPlaybookFolder() {
    std::error_code code;
    const char* given = std::getenv("SLIPWAY_PLAYBOOK_DIR");
    const fs::path program = programFolder();
    for (const fs::path& candidate :
         {fs::path(given == nullptr ? "" : given), program / "../share/slipway/experiments/playbook",
          program / "../../../experiments/playbook"})
        if (!candidate.empty() && fs::is_directory(candidate / "chapters", code))
            return fs::weakly_canonical(candidate, code);
    return {};
}

}  // namespace slipway
