#include "core/playbook/catalogue.h"

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/playbook/object_reader.h"

#include <nlohmann/json.hpp>

#include <sstream>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr const char* kModelValues[] = {
    "parameters", "active_parameters", "num_layers", "hidden_size", "ffn_hidden_size",
    "num_heads",  "num_kv_heads",      "vocab_size", "max_seq_len", "tokens"};

/// Reads each object of a file with one list.
Result<void> readList(const fs::path& file, const std::function<void(ObjectReader&)>& read) {
    const auto json = readJsonFile(file);
    if (!json) return fail(json.error());
    ObjectReader::Problems problems;
    const Json wrapped{{"list", *json}};
    ObjectReader reader(wrapped, file.filename().string(), problems);
    reader.list("list", true, read);
    if (!problems.empty()) return fail("bad_playbook", linesOf(problems), file.string());
    return {};
}

/// A number, or empty for null and absent: not published.
std::optional<double> published(ObjectReader& reader, const char* key) {
    const std::string text = reader.anyOr(key, "null");
    if (text == "null") return {};
    return reader.number(key);
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

Result<std::vector<TrainingSystem>> readSystems(const fs::path& folder) {
    std::vector<TrainingSystem> systems;
    auto read = readList(folder / "catalogue" / "systems.json", [&](ObjectReader& one) {
        TrainingSystem s;
        s.id = one.text("id");
        s.title = one.text("title");
        s.offers = one.localText("offers");
        s.axes = one.texts("axes", true);
        s.configFormat = one.textOr("config_format", "");
        s.launchFormat = one.textOr("launch_format", "");
        s.url = one.textOr("url", "");
        s.source = one.text("source");
        systems.push_back(std::move(s));
    });
    if (!read) return fail(read.error());
    return systems;
}

Result<std::vector<PreflightPoint>> readPreflight(const fs::path& folder) {
    std::vector<PreflightPoint> points;
    auto read = readList(folder / "catalogue" / "preflight.json", [&](ObjectReader& one) {
        points.push_back({one.text("id"), one.localText("text")});
    });
    if (!read) return fail(read.error());
    return points;
}

Result<std::vector<PublishedModel>> readModels(const fs::path& folder) {
    std::vector<PublishedModel> models;
    auto read = readList(folder / "catalogue" / "models.json", [&](ObjectReader& one) {
        PublishedModel m{one.text("name"), static_cast<std::int64_t>(one.number("year")), {}, {}, {}};
        for (const char* key : kModelValues) m.values.emplace_back(key, published(one, key));
        m.note = one.textOr("note", "");
        m.source = one.text("source");
        models.push_back(std::move(m));
    });
    if (!read) return fail(read.error());
    return models;
}

Result<std::vector<GlossaryTerm>> readGlossary(const fs::path& folder) {
    std::error_code code;
    const fs::path installed = folder / "glossary.md";
    const auto text = readFile(fs::exists(installed, code) ? installed : folder / "../../docs/glossary.md");
    if (!text) return fail(text.error());
    std::vector<GlossaryTerm> terms;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t middle = line.find('|', 1), end = line.rfind('|');
        const bool isRow = line.starts_with('|') && middle != std::string::npos && end > middle;
        if (!isRow || line.starts_with("|---") || line.starts_with("| English")) continue;
        terms.push_back({trimmed(line.substr(1, middle - 1)), trimmed(line.substr(middle + 1, end - middle - 1))});
    }
    return terms;
}

}  // namespace slipway
