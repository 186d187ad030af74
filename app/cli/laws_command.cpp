// laws: how to spend a training budget, by every published law or a fit to one's own runs.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "core/answers/laws_answers.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/recorded_text.h"
#include "core/planner/count/parameters.h"
#include "core/planner/presets.h"
#include "core/spec/run_config.h"
#include "core/spec/stored_config.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway {
namespace {

using Maker = Result<AnswerView> (*)(const LawQuestion&, Json&);

const std::vector<std::pair<std::string, Maker>>& topics() {
    static const std::vector<std::pair<std::string, Maker>> list = {{"optimum", optimumAnswer},
                                                                    {"compare", rulesAnswer},
                                                                    {"isoflop", isoFlopAnswer},
                                                                    {"overtrain", overtrainingAnswer},
                                                                    {"serve", servingAnswer},
                                                                    {"repeat", repeatedDataAnswer},
                                                                    {"kaplan", kaplanAnswer},
                                                                    {"experts", expertsAnswer},
                                                                    {"recipe", recipeAnswer},
                                                                    {"shape", shapeAnswer},
                                                                    {"fit", nullptr}};
    return list;
}

/// A value for display: notes and states are texts, option words stay as typed.
Words wordsOf(const Json& value, const AnswerColumn& column, Language language) {
    const std::string text = cellText(value, column, language);
    return column.key == "note" || column.key == "status" ? recordedText(text, language) : text;
}

void printDocument(CliContext& context, const Json& json, const AnswerView& d) {
    if (context.json) {
        context.out << dumpJson(json, true);
        return;
    }
    FactLines facts;
    for (const AnswerColumn& column : d.figures)
        if (json.contains(column.key))
            facts.emplace_back(column.title, wordsOf(json[column.key], column, context.language));
    printFacts(context.out, facts);
    if (!json.contains("rows")) return;
    Table table;
    for (const AnswerColumn& column : d.columns)
        table.columns.push_back({context.text(column.title), column.key, "", column.format != nullptr, ""});
    for (const Json& row : json["rows"]) {
        std::vector<Cell> cells;
        for (const AnswerColumn& column : d.columns)
            cells.push_back({cellText(row[column.key], column, context.language), {}, Tone::Plain});
        table.rows.push_back(std::move(cells));
    }
    context.out << '\n';
    printTable(context.out, table, context.outColour);
}

class LawsCommand : public Command {
public:
    std::string name() const override { return "laws"; }
    Message summary() const override { return "Scaling laws: how large a model, how many tokens, which loss"_text; }
    Examples examples() const override {
        return {
            {"slipway laws --flops 1e24", "best size and tokens, corrected Chinchilla fit"_text},
            {"slipway laws compare --flops 5.76e23", "all laws side by side, with 6ND = C checked"_text},
            {"slipway laws --model llama3-8b --tokens 15e12", "loss and overtraining of a plan"_text},
            {"slipway laws isoflop --flops 1e21 --points 21"},
            {"slipway laws overtrain --flops 1e23", "smaller models that reach the same loss"_text},
            {"slipway laws serve --flops 1e23 --served-tokens 1e13", "with the cost of serving, and break-even"_text},
            {"slipway laws repeat --flops 1e23 --unique-tokens 1e11", "when data run out"_text},
            {"slipway laws kaplan --model gpt3-175b --tokens 3e11",
             "Kaplan's loss, parameters without embeddings"_text},
            {"slipway laws experts --params 1e9 --tokens 2e10", "mixtures of experts (experimental)"_text},
            {"slipway laws recipe --params 8e9 --tokens 2e12", "batch size and learning rate"_text},
            {"slipway laws shape --params 29.4e9", "layers, width and heads of such a model"_text},
            {"slipway laws fit runs.csv --flops 1e22 --json", "own points: params, tokens (or flops), loss"_text},
            {"slipway laws fit --runs tag:law", "the same from own runs"_text}};
    }
    void declare(Arguments& arguments) override {
        std::vector<std::string> words, rules;
        for (const auto& [word, maker] : topics()) words.push_back(word);
        for (const auto& [rule, word, help, label] : enumNames(OptimumRule{})) rules.emplace_back(word);
        arguments
            .option(
                "topic", m_topic,
                "optimum (the default), compare, isoflop, overtrain, serve, repeat, kaplan, experts, recipe, shape or fit"_text)
            .oneOf(words)
            .shownAs("TOPIC");
        arguments.option("file", m_file, "Points to fit (CSV)"_text).shownAs("FILE.csv");
        const auto amount = [&](const char* option, std::optional<double>& to, SourceText help) {
            arguments.option(option, to, help).positive().shownAs("N");
        };
        amount("--flops", m_question.flops, "Training compute C in FLOP"_text);
        amount("--params", m_question.parameters, "Parameters N"_text);
        arguments.option("--model", m_model, "Parameters of this preset (llama3-8b)"_text).shownAs("ID");
        amount("--tokens", m_question.tokens, "Training tokens D"_text);
        arguments
            .option("--law", m_law,
                    "Law: corrected (the default), twenty_tokens, approach_1, approach_2, hoffmann, hoffmann_printed, "
                    "printed_pair, kaplan, llama3, deepseek or repeated_data"_text)
            .oneOf(rules)
            .shownAs("LAW");
        amount("--served-tokens", m_question.servedTokens, "Tokens the model will serve (serve)"_text);
        amount("--unique-tokens", m_question.uniqueTokens, "Different tokens there are (repeat)"_text);
        arguments.option("--points", m_question.numPoints, "Points of the curve (isoflop)"_text).between(3, 10000);
        arguments.option("--span", m_question.span, "Sizes from the best / SPAN to the best * SPAN (isoflop)"_text)
            .between(1.01, 1e6);
        arguments.option("--bootstrap", m_bootstraps, "Fits to resampled points, for the bands (fit; default 400)"_text)
            .between(0, 100000);
        arguments.option("--band", m_band, "Share of the bootstraps inside a band (fit; default 0.95)"_text)
            .between(0.01, 0.999);
        arguments.option("--seed", m_seed, "Seed of the bootstraps (fit)"_text);
        arguments.option("--where", m_where, "Only rows whose column contains the text; may be repeated (fit)"_text)
            .shownAs("COLUMN=TEXT")
            .oneEach();
        arguments
            .option("--runs", m_runs,
                    "Fit to the runs of this home that match the filter, instead of a file: 'tag:law' (fit)"_text)
            .shownAs("FILTER");
        arguments.flag("--with-excluded", m_withExcluded, "Rows marked in the column `excluded` too (fit)"_text);
    }
    Result<int> run(CliContext& context) override {
        for (const auto& [rule, word, help, label] : enumNames(OptimumRule{}))
            if (m_law == word) m_question.rule = rule;
        if (!m_model.empty()) {
            const ModelPreset* preset = findModelPreset(m_model);
            if (preset == nullptr) return fail("usage", unknownModel(), "--model");
            const ParameterCount count = countParameters(preset->model);
            m_question.parameters = m_topic == "kaplan" ? count.total - count.embedding - count.head : count.total;
        }
        Maker maker = nullptr;
        for (const auto& [word, found] : topics())
            if (word == m_topic) maker = found;
        if (maker == nullptr) return fit(context);
        if (!m_file.empty()) return fail("usage", "Only the topic fit reads a file."_text, m_file);
        Json json;
        const auto view = maker(m_question, json);
        if (!view) return fail(asOption(view.error()));
        printDocument(context, json, *view);
        return kExitDone;
    }

private:
    /// A field of the question is an option here.
    static Error asOption(Error error) {
        if (error.where == "parameters") error.where = "params";
        std::replace(error.where.begin(), error.where.end(), '_', '-');
        error.where = "--" + error.where;
        return error;
    }

    [[nodiscard]] Message unknownModel() const {
        std::vector<std::string> known;
        for (const ModelPreset& preset : modelPresets()) known.push_back(preset.id);
        const std::string near = nearestKey(m_model, known);
        return near.empty() ? "Unknown preset %1."_text(m_model)
                            : "Unknown preset %1; did you mean %2?"_text(m_model, near);
    }

    /// Counted from the config, for runs without a forecast (imported ones); 0 if it cannot be read.
    static double parametersOf(RunStore& store, const RunId& id) {
        const auto run = store.run(id);
        const auto document = run ? parseJson(run->configJson, id.value) : Result<Json>(fail(run.error()));
        if (!document) return 0;
        const auto stored = readStoredConfig(*document, id.value);
        const bool isKnown = stored && stored->knows("model.num_layers") && stored->knows("model.hidden_size") &&
                             stored->knows("model.ffn_hidden_size") && stored->knows("model.vocab_size");
        return isKnown ? countParameters(stored->config.model).total : 0;
    }

    /// Parameters, tokens seen and last loss of the home's runs; runs that lack one of them are counted as filtered.
    Result<LawPoints> pointsOfRuns(CliContext& context) const {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        RunQuery query;
        query.filter = *m_runs;
        query.limit = std::numeric_limits<std::int64_t>::max();
        query.nowUnixMilliseconds = context.now();
        const auto rows = store->list(query);
        if (!rows) return fail(rows.error());
        LawPoints points;
        for (const RunRow& row : *rows) {
            LawPoint point{row.record.forecast.parameters.value_or(0), row.record.measured.totalTokens.value_or(0),
                           row.record.measured.finalLoss.value_or(0)};
            if (!(point.parameters > 0)) point.parameters = parametersOf(*store, row.record.id);
            const bool whole = point.parameters > 0 && point.tokens > 0 && point.loss > 0 && std::isfinite(point.loss);
            if (whole)
                points.points.push_back(point);
            else
                ++points.numFiltered;
        }
        return points;
    }

    Result<LawPoints> pointsOfFile() const {
        LawPointsFilter filter;
        filter.withExcluded = m_withExcluded;
        for (const std::string& text : m_where) {
            const std::size_t at = text.find('=');
            if (at == std::string::npos)
                return fail("usage", "--where takes COLUMN=TEXT, not %1."_text(text), "--where");
            filter.where.emplace_back(text.substr(0, at), text.substr(at + 1));
        }
        const auto text = readFile(m_file);
        if (!text) return fail(text.error());
        return parseLawPoints(*text, m_file, filter);
    }

    Result<int> fit(CliContext& context) {
        if (m_file.empty() == !m_runs)
            return fail("usage", "Name the file with the points, or the runs of this home with --runs."_text, "fit");
        const auto points = m_runs ? pointsOfRuns(context) : pointsOfFile();
        if (!points) return fail(points.error());
        const auto huber = fitHuber(points->points);
        if (!huber) return fail(huber.error());
        const auto projection = fitVariableProjection(points->points);
        if (!projection) return fail(projection.error());
        const auto laws = bootstrapLaws(points->points, *huber, m_bootstraps, m_seed);
        if (!laws) return fail(laws.error());
        Json json;
        const AnswerView view =
            fitAnswer(*points, *huber, *projection, *laws, m_band, m_question.flops.value_or(1e25), json);
        printDocument(context, json, view);
        return kExitDone;
    }

    LawQuestion m_question;
    std::string m_topic = "optimum", m_file, m_model, m_law = "corrected";
    std::optional<std::string> m_runs;
    std::vector<std::string> m_where;
    bool m_withExcluded = false;
    int m_bootstraps = 400;
    double m_band = 0.95;
    std::uint64_t m_seed = 1;
};

}  // namespace

std::unique_ptr<Command> makeLawsCommand() {
    return std::make_unique<LawsCommand>();
}

}  // namespace slipway
