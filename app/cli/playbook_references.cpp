#include "app/cli/playbook_references.h"

#include "app/cli/playbook_documents.h"
#include "app/cli/print.h"
#include "core/base/file.h"
#include "core/base/units.h"
#include "core/net/http.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway {
namespace {

Json referenceDocument(const CliContext& context, const Reference& one) {
    return {{"id", one.id},
            {"title", toJson(one.title)},
            {"url", one.url},
            {"licence", one.licence},
            {"about_bytes", one.aboutBytes},
            {"sha256", one.sha256.empty() ? Json(nullptr) : Json(one.sha256)},
            {"is_fetched", isFetched(context.home, one.id)}};
}

void printReference(CliContext& context, const Reference& one) {
    const bool isHere = isFetched(context.home, one.id);
    context.out << one.id << ": " << printable(one.title.in(context.language)) << '\n';
    printFacts(context.out,
               {{"URL", one.url},
                {"Licence"_text, one.licence},
                {"Size, about"_text, formatBytes(one.aboutBytes)},
                {"SHA-256", one.sha256.empty() ? Words("recorded at the first fetch"_text) : Words(one.sha256)},
                {"Fetched"_text, isHere ? "yes"_text : "no"_text}});
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
    if (run.tokensPerSecondPerGpu)
        if (const auto mfu = mfuOf(facts, run.model, *run.tokensPerSecondPerGpu)) json["mfu"] = *mfu;
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

void printBest(CliContext& context, const std::vector<BenchmarkFacts::Best>& rows) {
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
    for (const BenchmarkFacts::Best& row : rows) {
        const double slower = 1 - row.printedBestTokensPerSecondPerGpu / row.tokensPerSecondPerGpu;
        std::vector<Cell> cells;
        for (const std::string& text :
             {row.model, std::to_string(row.nodes), std::to_string(row.ran) + "/" + std::to_string(row.tried),
              row.fastest ? layoutText(*row.fastest) : context.text("none ran"_text),
              row.fastest ? asciiText(formatSignificant(row.tokensPerSecondPerGpu, 5)) : std::string("-"),
              row.fastest ? asciiText(formatPercent(row.mfuPercent / 100)) : std::string("-"),
              row.fastest ? asciiText(formatSignificant(row.memoryGb, 3)) : std::string("-"),
              row.printedBest ? layoutText(*row.printedBest) : context.text("the same"_text),
              row.printedBest ? asciiText(formatPercent(slower)) : std::string("-")})
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
        return fail("usage", "Unknown published data %1; slipway playbook fetch lists them."_text(id), "ID");
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
    const auto body = fromFile.empty() ? httpGet(found->url, {.maxBytes = kMostReferenceBytes}) : readFile(fromFile);
    if (!body) {
        if (!fromFile.empty()) return fail(body.error());
        return fail(body.error().code,
                    "%1 Without a network, fetch the page elsewhere and name the file with --from."_text(
                        body.error().sentence()),
                    found->url);
    }
    const auto checksum = keepReference(context.home, *found, *body);
    if (!checksum) return fail(checksum.error());
    const auto file = referenceFile(context.home, id);
    if (context.json)
        context.out << dumpJson(
            Json{{"id", id}, {"file", file.string()}, {"bytes", body->size()}, {"sha256", *checksum}}, true);
    else
        context.out << context.text("%1: %2, SHA-256 %3, kept as %4."_text(
                           id, asciiText(formatBytes(static_cast<double>(body->size()))), *checksum, file.string()))
                    << '\n';
    return kExitDone;
}

Result<int> exploreBenchmark(CliContext& context, const Playbook& playbook, const std::string& model,
                             std::int64_t nodes) {
    const auto facts = readBenchmarkFacts(playbook.folder);
    if (!facts) return fail(facts.error());
    const auto runs = fetchedRuns(context.home);
    if (!runs) return fail(runs.error());
    const auto isWanted = [&](const std::string& name, std::int64_t count) {
        return (model.empty() || name == model) && (nodes == 0 || count == nodes);
    };
    std::vector<BenchmarkCell> cells = rankBenchmark(*runs, *facts);
    std::erase_if(cells, [&](const BenchmarkCell& cell) { return !isWanted(cell.model, cell.nodes); });
    std::vector<BenchmarkFacts::Best> rows = bestLayouts(cells, *facts);
    std::erase_if(rows, [&](const BenchmarkFacts::Best& row) { return !isWanted(row.model, row.nodes); });
    if (!runs->empty() && cells.empty()) rows.clear();
    if (rows.empty())
        return fail("usage", "The benchmark has no such cell; its models are 1B, 3B, 8B, 80B on 1 to 64 nodes."_text);
    if (context.json) {
        Json all = Json::array(), best = Json::array(), mistakes = Json::array();
        for (const BenchmarkCell& cell : cells) all.push_back(cellDocument(cell, *facts));
        for (const BenchmarkFacts::Best& row : rows)
            best.push_back(
                {{"model", row.model},
                 {"nodes", row.nodes},
                 {"ran", row.ran},
                 {"tried", row.tried},
                 {"fastest", row.fastest ? toJson(*row.fastest) : Json(nullptr)},
                 {"tokens_per_second_per_gpu", row.fastest ? Json(row.tokensPerSecondPerGpu) : Json(nullptr)},
                 {"printed_best", row.printedBest ? toJson(*row.printedBest) : Json(nullptr)}});
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
        printBest(context, rows);
    context.out << '\n' << context.text("Mistakes of the original:"_text) << '\n';
    for (const LocalText& one : facts->mistakes)
        context.out << wrapText(printable("- " + one.in(context.language)), lineWidth(context.out)) << '\n';
    context.out << '\n' << printable(facts->source) << '\n';
    return kExitDone;
}

Json replayDocument(const ReplayResult& replay) {
    if (replay.reference == nullptr) return nullptr;
    Json rows = Json::array();
    for (const ReplayRow& row : replay.rows)
        rows.push_back({{"id", row.id},
                        {"text", toJson(row.text)},
                        {"published", row.published ? jsonNumber(*row.published) : Json(nullptr)},
                        {"expected", row.expected},
                        {"expected_text", expectedText(row, [](double value) { return formatSignificant(value, 4); })},
                        {"tolerance", row.tolerance},
                        {"verdict", std::string(wordOf(row.verdict))}});
    return {{"reference", replay.reference->id},
            {"title", toJson(replay.reference->title)},
            {"licence", replay.reference->licence},
            {"is_fetched", replay.isFetched},
            {"verdict", std::string(wordOf(replay.verdict))},
            {"claims", rows}};
}

Result<int> replayExperiment(CliContext& context, const Playbook& playbook, const Experiment& experiment) {
    const auto data = readPublishedData(context.home, playbook.folder);
    if (!data) return fail(data.error());
    const ReplayResult replay = replayOf(experiment, *data);
    if (replay.reference == nullptr) return fail("no_replay", noReplayText(experiment, context.language), "ID");
    if (context.json) {
        Json document = replayDocument(replay);
        document["experiment"] = experiment.id;
        context.out << dumpJson(document, true);
        return kExitDone;
    }
    printReplay(context, replay);
    return kExitDone;
}

void printReplay(CliContext& context, const ReplayResult& replay) {
    if (replay.reference == nullptr) return;
    context.out << context.text("Published data: %1"_text(replay.reference->title.in(context.language))) << '\n';
    if (!replay.isFetched) {
        context.out
            << context.text(
                   "They are not on this computer; `slipway playbook fetch %1` shows URL, licence and size."_text(
                       replay.reference->id))
            << '\n';
        return;
    }
    Table table;
    table.columns = {{context.text("Claim"_text), "claim", "", false, ""},
                     {context.text("Published"_text), "published", "", true, ""},
                     {context.text("Expected"_text), "expected", "", true, ""},
                     {context.text("Verdict"_text), "verdict", "", false, ""}};
    for (const ReplayRow& row : replay.rows)
        table.rows.push_back(
            {{row.text.in(context.language), {}, Tone::Plain},
             {row.published ? asciiText(formatSignificant(*row.published, 4)) : "-", {}, Tone::Plain},
             {asciiText(expectedText(row, [](double value) { return formatSignificant(value, 4); })), {}, Tone::Plain},
             {context.text(textOf(row.verdict)), {}, row.verdict == Verdict::Differs ? Tone::Bad : Tone::Plain}});
    printTable(context.out, table, context.outColour);
}

}  // namespace slipway
