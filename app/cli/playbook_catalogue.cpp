#include "app/cli/playbook_catalogue.h"

#include "app/cli/playbook_documents.h"
#include "app/cli/print.h"
#include "core/base/units.h"
#include "core/playbook/catalogue.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

Cell cell(std::string text) {
    return {std::move(text), {}, Tone::Plain};
}

/// "175B", "12288".
std::string shortNumber(double value) {
    if (value >= 1e9) return asciiText(formatSignificant(value / 1e9, 4)) + "B";
    return std::to_string(static_cast<std::int64_t>(value));
}

Result<int> showSystems(CliContext& context, const Playbook& playbook) {
    const auto systems = readSystems(playbook.folder);
    if (!systems) return fail(systems.error());
    if (context.json) {
        Json all = Json::array();
        for (const TrainingSystem& s : *systems)
            all.push_back({{"id", s.id},
                           {"title", s.title},
                           {"offers", toJson(s.offers)},
                           {"axes", s.axes},
                           {"config_format", s.configFormat},
                           {"launch_format", s.launchFormat},
                           {"url", s.url},
                           {"source", s.source}});
        context.out << dumpJson(Json{{"systems", all}}, true);
        return kExitDone;
    }
    for (const TrainingSystem& s : *systems) {
        context.out << printable(s.title) << '\n'
                    << wrapText(printable(s.offers.in(context.language)), lineWidth(context.out)) << '\n';
        std::string axes;
        for (const std::string& axis : s.axes) axes += (axes.empty() ? "" : ", ") + axis;
        FactLines facts{{"Axes"_text, axes}};
        if (!s.configFormat.empty())
            facts.emplace_back("Config"_text, "slipway convert config.json --to " + s.configFormat);
        if (!s.launchFormat.empty())
            facts.emplace_back("Launch file"_text, "slipway convert config.json --to " + s.launchFormat);
        facts.emplace_back("Source"_text, s.source);
        if (!s.url.empty()) facts.emplace_back("URL", s.url);
        printFacts(context.out, facts);
        context.out << '\n';
    }
    return kExitDone;
}

Result<int> showModels(CliContext& context, const Playbook& playbook) {
    const auto models = readModels(playbook.folder);
    if (!models) return fail(models.error());
    Json all = Json::array();
    Table table;
    table.columns = {{context.text("Model"_text), "name", "", false, ""},
                     {context.text("Year"_text), "year", "", true, ""},
                     {context.text("Parameters"_text), "parameters", "", true, ""},
                     {context.text("Active"_text), "active", "", true, ""},
                     {context.text("Layers"_text), "layers", "", true, ""},
                     {context.text("Hidden size"_text), "hidden", "", true, ""},
                     {"FFN", "ffn", "", true, ""},
                     {context.text("Heads"_text), "heads", "", true, ""},
                     {context.text("KV heads"_text), "kv_heads", "", true, ""},
                     {context.text("Vocabulary"_text), "vocab", "", true, ""},
                     {context.text("Sequence"_text), "seq", "", true, ""},
                     {context.text("Tokens"_text), "tokens", "", true, ""},
                     {context.text("Source"_text), "source", "", false, ""}};
    for (const PublishedModel& m : *models) {
        Json json{{"name", m.name}, {"year", m.year}, {"note", m.note}, {"source", m.source}};
        std::vector<Cell> cells{cell(m.name), cell(std::to_string(m.year))};
        for (const auto& [key, value] : m.values) {
            json[key] = value ? Json(*value) : Json(nullptr);
            cells.push_back(cell(value                        ? shortNumber(*value)
                                 : key == "active_parameters" ? "-"
                                                              : context.text("unpublished"_text)));
        }
        cells.push_back(cell(m.source));
        table.rows.push_back(std::move(cells));
        all.push_back(std::move(json));
    }
    if (context.json)
        context.out << dumpJson(Json{{"models", all}}, true);
    else
        printTable(context.out, table, context.outColour);
    return kExitDone;
}

Result<int> showGlossary(CliContext& context, const Playbook& playbook) {
    const auto terms = readGlossary(playbook.folder);
    if (!terms) return fail(terms.error());
    Json all = Json::array();
    Table table;
    table.columns = {{"English", "en", "", false, ""}, {"한국어", "ko", "", false, ""}};
    for (const GlossaryTerm& term : *terms) {
        all.push_back({{"en", term.english}, {"ko", term.korean}});
        table.rows.push_back({cell(term.english), cell(term.korean)});
    }
    if (context.json)
        context.out << dumpJson(Json{{"terms", all}}, true);
    else
        printTable(context.out, table, context.outColour);
    return kExitDone;
}

}  // namespace

Result<int> lookUp(CliContext& context, const Playbook& playbook, const std::string& what) {
    if (what == "models") return showModels(context, playbook);
    return what == "glossary" ? showGlossary(context, playbook) : showSystems(context, playbook);
}

}  // namespace slipway
