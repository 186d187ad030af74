#include "app/cli/playbook_references.h"

#include "app/cli/playbook_documents.h"
#include "app/cli/print.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/units.h"
#include "core/net/http.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway {
namespace {

constexpr std::size_t kMostBytes = 64ULL << 20U;
constexpr const char* kBenchmark = "ultrascale";

Json referenceDocument(const CliContext& context, const Reference& one) {
    std::error_code code;
    return {{"id", one.id},
            {"title", toJson(one.title)},
            {"url", one.url},
            {"licence", one.licence},
            {"about_bytes", one.aboutBytes},
            {"sha256", one.sha256.empty() ? Json(nullptr) : Json(one.sha256)},
            {"is_fetched", std::filesystem::exists(referenceFile(context.home, one.id), code)}};
}

void printReference(CliContext& context, const Reference& one) {
    std::error_code code;
    const bool isHere = std::filesystem::exists(referenceFile(context.home, one.id), code);
    context.out << one.id << ": " << printable(one.title.in(context.language)) << '\n';
    printFacts(context.out,
               {{"URL", one.url},
                {"Licence"_text, one.licence},
                {"Size, about"_text, formatBytes(one.aboutBytes)},
                {"SHA-256", one.sha256.empty() ? Words("recorded at the first fetch"_text) : Words(one.sha256)},
                {"Fetched"_text, isHere ? "yes"_text : "no"_text}});
}

std::filesystem::path checksumFile(const CliContext& context, const std::string& id) {
    return referenceFile(context.home, id).string() + ".sha256";
}

/// The checksum that a document must have: the published one, else that of the first fetch; empty: any.
std::string expectedChecksum(const CliContext& context, const Reference& one) {
    if (!one.sha256.empty()) return one.sha256;
    return readFile(checksumFile(context, one.id)).value_or("");
}

std::string layoutText(const BenchmarkLayout& l) {
    const auto part = [](const char* name, std::int64_t value) { return std::string(name) + std::to_string(value); };
    return part("DP", l.dp) + part(" TP", l.tp) + part(" PP", l.pp) + part(" acc", l.accumulation) +
           part(" mbs", l.microBatch) + part(" Z", l.zero);
}

Json toJson(const BenchmarkLayout& l) {
    return {
        {"dp", l.dp},    {"tp", l.tp}, {"pp", l.pp}, {"accumulation", l.accumulation}, {"micro_batch", l.microBatch},
        {"zero", l.zero}};
}

Json toJson(const PublishedRun& run, const BenchmarkFacts& facts) {
    Json json{
        {"layout", toJson(run.layout)},
        {"ran", run.tokensPerSecondPerGpu.has_value()},
        {"tokens_per_second_per_gpu", run.tokensPerSecondPerGpu ? Json(*run.tokensPerSecondPerGpu) : Json(nullptr)},
        {"printed_mfu_percent", run.printedMfu},
        {"memory_gb", run.memoryGb}};
    for (const BenchmarkFacts::Shape& shape : facts.shapes)
        if (shape.name == run.model && run.tokensPerSecondPerGpu)
            json["mfu"] = mfuOf(facts, shape.model, *run.tokensPerSecondPerGpu);
    return json;
}

Json cellDocument(const BenchmarkCell& cell, const BenchmarkFacts& facts) {
    Json runs = Json::array();
    for (const PublishedRun& run : cell.runs) runs.push_back(toJson(run, facts));
    return {{"model", cell.model},
            {"nodes", cell.nodes},
            {"ran", cell.ran},
            {"tried", cell.runs.size()},
            {"printed_best", cell.printedBest ? toJson(*cell.printedBest, facts) : Json(nullptr)},
            {"runs", runs}};
}

/// One row of the table of best layouts.
struct BestRow {
    std::string model;
    std::int64_t nodes = 0;
    std::size_t ran = 0, tried = 0;
    std::optional<BenchmarkLayout> fastest, printed;
    double speed = 0, printedSpeed = 0, memoryGb = 0;
};

void printBest(CliContext& context, const std::vector<BestRow>& rows, const BenchmarkFacts& facts) {
    Table table;
    table.columns = {{context.text("Model"_text), "model", "", false, ""},
                     {context.text("Nodes"_text), "nodes", "", true, ""},
                     {context.text("Ran"_text), "ran", "", true, ""},
                     {context.text("Fastest layout"_text), "layout", "", false, ""},
                     {"tok/s/GPU", "speed", "", true, ""},
                     {"MFU", "mfu", "", true, ""},
                     {"GB", "memory", "", true, ""},
                     {context.text("Best as printed"_text), "printed", "", false, ""},
                     {context.text("Slower by"_text), "slower", "", true, ""}};
    for (const BestRow& row : rows) {
        std::string mfu = "-";
        for (const BenchmarkFacts::Shape& shape : facts.shapes)
            if (shape.name == row.model && row.fastest)
                mfu = asciiText(formatPercent(mfuOf(facts, shape.model, row.speed)));
        std::vector<Cell> cells;
        for (const std::string& text :
             {row.model, std::to_string(row.nodes), std::to_string(row.ran) + "/" + std::to_string(row.tried),
              row.fastest ? layoutText(*row.fastest) : context.text("none runs"_text),
              row.fastest ? asciiText(formatSignificant(row.speed, 5)) : std::string("-"), mfu,
              row.fastest ? asciiText(formatSignificant(row.memoryGb, 3)) : std::string("-"),
              row.printed ? layoutText(*row.printed) : context.text("the same"_text),
              row.printed ? asciiText(formatPercent(1 - row.printedSpeed / row.speed)) : std::string("-")})
            cells.push_back({text, {}, Tone::Plain});
        table.rows.push_back(std::move(cells));
    }
    printTable(context.out, table, context.outColour);
}

/// All layouts of one model on one number of nodes.
void printCell(CliContext& context, const BenchmarkCell& cell, const BenchmarkFacts& facts) {
    Table table;
    table.columns = {{context.text("Layout"_text), "layout", "", false, ""},
                     {"tok/s/GPU", "speed", "", true, ""},
                     {"MFU", "mfu", "", true, ""},
                     {context.text("MFU as printed"_text), "printed", "", true, ""},
                     {"GB", "memory", "", true, ""}};
    for (const PublishedRun& run : cell.runs) {
        const Json json = toJson(run, facts);
        const bool ran = run.tokensPerSecondPerGpu.has_value();
        table.rows.push_back(
            {{layoutText(run.layout), {}, Tone::Plain},
             {ran ? asciiText(formatSignificant(*run.tokensPerSecondPerGpu, 5)) : context.text("failed"_text),
              {},
              ran ? Tone::Plain : Tone::Bad},
             {json.contains("mfu") ? asciiText(formatPercent(json["mfu"].get<double>())) : "-", {}, Tone::Plain},
             {ran ? asciiText(formatPercent(run.printedMfu / 100)) : "-", {}, Tone::Plain},
             {ran ? asciiText(formatSignificant(run.memoryGb, 3)) : "-", {}, Tone::Plain}});
    }
    printTable(context.out, table, context.outColour);
}

/// The page that was fetched; empty without one.
Result<std::vector<PublishedRun>> fetchedRuns(const CliContext& context) {
    const auto file = referenceFile(context.home, kBenchmark);
    std::error_code code;
    if (!std::filesystem::exists(file, code)) return std::vector<PublishedRun>{};
    const auto page = readFile(file);
    if (!page) return fail(page.error());
    return readBenchmarkPage(*page);
}

}  // namespace

Result<int> fetchReference(CliContext& context, const Playbook& playbook, const std::string& id,
                           const std::string& fromFile, bool isAgreed) {
    const auto references = readReferences(playbook.folder);
    if (!references) return fail(references.error());
    if (id.empty()) {
        Json all = Json::array();
        for (const Reference& one : *references) all.push_back(referenceDocument(context, one));
        if (context.json) context.out << dumpJson(Json{{"references", all}}, true);
        for (const Reference& one : *references)
            if (!context.json) printReference(context, one);
        return kExitDone;
    }
    const auto found =
        std::find_if(references->begin(), references->end(), [&](const Reference& one) { return one.id == id; });
    if (found == references->end())
        return fail("usage", "There is no published data %1; slipway playbook fetch lists them."_text(id), "ID");
    if (!isAgreed && fromFile.empty()) {
        if (context.json)
            context.out << dumpJson(referenceDocument(context, *found), true);
        else {
            printReference(context, *found);
            context.out << context.text(
                               "Nothing was fetched. --yes fetches it; --from FILE takes a copy that is here."_text)
                        << '\n';
        }
        return kExitDone;
    }
    const auto body = fromFile.empty() ? httpGet(found->url, {.maxBytes = kMostBytes}) : readFile(fromFile);
    if (!body) {
        if (!fromFile.empty()) return fail(body.error());
        return fail(body.error().code,
                    "%1 Without a network, fetch the page elsewhere and name the file with --from."_text(
                        body.error().sentence()),
                    found->url);
    }
    const std::string checksum = sha256Of(*body), expected = expectedChecksum(context, *found);
    if (!expected.empty() && expected != checksum)
        return fail("checksum_differs",
                    "The document has the SHA-256 %1, not %2: it was changed. Delete %3 to take the new one."_text(
                        checksum, expected, checksumFile(context, id).string()),
                    id);
    if (id == kBenchmark)
        if (const auto runs = readBenchmarkPage(*body); !runs) return fail(runs.error());
    const auto file = referenceFile(context.home, id);
    std::error_code code;
    std::filesystem::create_directories(file.parent_path(), code);
    if (auto kept = writeFileAtomically(file, *body); !kept) return fail(kept.error());
    if (auto kept = writeFileAtomically(checksumFile(context, id), checksum); !kept) return fail(kept.error());
    if (context.json)
        context.out << dumpJson(
            Json{{"id", id}, {"file", file.string()}, {"bytes", body->size()}, {"sha256", checksum}}, true);
    else
        context.out << context.text("%1: %2, SHA-256 %3, kept as %4."_text(
                           id, asciiText(formatBytes(static_cast<double>(body->size()))), checksum, file.string()))
                    << '\n';
    return kExitDone;
}

Result<int> exploreBenchmark(CliContext& context, const Playbook& playbook, const std::string& model,
                             std::int64_t nodes) {
    const auto facts = readBenchmarkFacts(playbook.folder);
    if (!facts) return fail(facts.error());
    const auto runs = fetchedRuns(context);
    if (!runs) return fail(runs.error());
    const auto isWanted = [&](const std::string& name, std::int64_t count) {
        return (model.empty() || name == model) && (nodes == 0 || count == nodes);
    };
    std::vector<BenchmarkCell> cells = rankBenchmark(*runs, *facts);
    std::erase_if(cells, [&](const BenchmarkCell& cell) { return !isWanted(cell.model, cell.nodes); });
    std::vector<BestRow> rows;
    for (const BenchmarkCell& cell : cells) {
        BestRow row{cell.model, cell.nodes, cell.ran, cell.runs.size(), {}, {}};
        if (cell.ran > 0) {
            const PublishedRun& first = cell.runs.front();
            row.fastest = first.layout;
            row.speed = *first.tokensPerSecondPerGpu;
            row.memoryGb = first.memoryGb;
            if (cell.printedBest) {
                row.printed = cell.printedBest->layout;
                row.printedSpeed = *cell.printedBest->tokensPerSecondPerGpu;
            }
        }
        rows.push_back(std::move(row));
    }
    if (runs->empty())
        for (const BenchmarkFacts::Best& best : facts->best)
            if (isWanted(best.model, best.nodes))
                rows.push_back({best.model, best.nodes, static_cast<std::size_t>(best.ran),
                                static_cast<std::size_t>(best.tried), best.fastest, best.printedBest,
                                best.tokensPerSecondPerGpu, best.printedBestTokensPerSecondPerGpu, best.memoryGb});
    if (rows.empty())
        return fail("usage", "The benchmark has no such cell; its models are 1B, 3B, 8B, 80B on 1 to 64 nodes."_text);
    if (context.json) {
        Json all = Json::array(), best = Json::array(), mistakes = Json::array();
        for (const BenchmarkCell& cell : cells) all.push_back(cellDocument(cell, *facts));
        for (const BestRow& row : rows)
            best.push_back({{"model", row.model},
                            {"nodes", row.nodes},
                            {"ran", row.ran},
                            {"tried", row.tried},
                            {"fastest", row.fastest ? toJson(*row.fastest) : Json(nullptr)},
                            {"tokens_per_second_per_gpu", row.fastest ? Json(row.speed) : Json(nullptr)},
                            {"printed_best", row.printed ? toJson(*row.printed) : Json(nullptr)}});
        for (const LocalText& one : facts->mistakes) mistakes.push_back(toJson(one));
        context.out << dumpJson(Json{{"is_fetched", !runs->empty()},
                                     {"source", facts->source},
                                     {"best", best},
                                     {"cells", all},
                                     {"mistakes", mistakes}},
                                true);
        return kExitDone;
    }
    if (runs->empty())
        context.out
            << context.text(
                   "The page is not here (slipway playbook fetch ultrascale): the published list of best layouts."_text)
            << "\n\n";
    if (cells.size() == 1)
        printCell(context, cells.front(), *facts);
    else
        printBest(context, rows, *facts);
    context.out << '\n' << context.text("Mistakes of the original:"_text) << '\n';
    for (const LocalText& one : facts->mistakes)
        context.out << wrapText(printable("- " + one.in(context.language)), lineWidth(context.out)) << '\n';
    context.out << '\n' << printable(facts->source) << '\n';
    return kExitDone;
}

Result<void> addPublished(const CliContext& context, const Playbook& playbook, const Experiment& experiment,
                          Json& verdict) {
    const auto runs = fetchedRuns(context);
    if (!runs) return fail(runs.error());
    const auto facts = runs->empty() ? Result<BenchmarkFacts>(BenchmarkFacts{}) : readBenchmarkFacts(playbook.folder);
    if (!facts) return fail(facts.error());
    for (std::size_t i = 0; i < experiment.claims.size(); ++i) {
        const auto published = publishedFor(experiment, experiment.claims[i], *runs, *facts);
        verdict["claims"][i]["published"] = published ? jsonNumber(*published) : Json(nullptr);
    }
    return {};
}

}  // namespace slipway
