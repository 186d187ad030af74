// reindex, corpus and machine: what lies under the home folder besides runs.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/corpus/corpus.h"
#include "core/corpus/document_reader.h"
#include "core/corpus/tokenizer.h"
#include "core/store/reindex.h"

#include <algorithm>

namespace slipway {
namespace {

class ReindexCommand : public Command {
public:
    std::string name() const override { return "reindex"; }
    std::string summary() const override { return "Rebuild the index from the run folders"; }
    std::string examples() const override {
        return "  slipway reindex\n  The folders are the truth: a damaged index is set aside, nothing in the folders is changed.";
    }
    void declare(Arguments&) override {}
    Result<int> run(CliContext& context) override {
        const auto report = rebuildIndex(context.home, context.now(), [&](std::int64_t done, std::int64_t all) {
            progressLine(context, std::to_string(done) + " of " + std::to_string(all) + " folders");
            return context.interrupts() == 0;
        });
        endProgressLine(context);
        if (!report) return fail(report.error());
        printIssues(context.err, report->issues, false, context.language);
        if (context.json)
            context.out << dumpJson(
                Json{
                    {"runs", report->runs},
                    {"sweeps", report->sweeps},
                    {"trials", report->trials},
                    {"points", report->points},
                    {"removed", report->removed},
                    {"issues", report->issues.size()},
                    {"damaged_copy", report->damagedCopy.empty() ? Json(nullptr) : Json(report->damagedCopy.string())}},
                true);
        else
            context.out << report->runs << " runs, " << report->sweeps << " sweeps, " << report->points
                        << " metric points indexed, " << report->removed << " rows without a folder removed.\n";
        return kExitDone;
    }
};

constexpr std::int64_t kFirstTokens = 16;

/// The first tokens of the file, each as the text it stands for.
Result<std::vector<std::string>> firstTokens(const CorpusResult& corpus) {
    const auto model = readFile(corpus.tokenizerFile);
    if (!model) return fail(model.error());
    const auto tokenizer = Tokenizer::load(*model);
    if (!tokenizer) return fail(tokenizer.error());
    const auto file = TokenFile::open(corpus.tokenFile);
    if (!file) return fail(file.error());
    std::vector<std::int64_t> ids(static_cast<std::size_t>(std::min(file->size(), kFirstTokens)));
    if (auto read = file->read(0, static_cast<std::int64_t>(ids.size()), ids.data()); !read) return fail(read.error());
    std::vector<std::string> texts;
    for (const std::int64_t id : ids) texts.push_back(cleanUtf8(tokenizer->decode({static_cast<std::uint32_t>(id)})));
    return texts;
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : "|") + printable(text);
    return all;
}

class CorpusCommand : public Command {
public:
    std::string name() const override { return "corpus"; }
    std::string summary() const override { return "Make a tokenizer and a token file from text"; }
    std::string examples() const override {
        return "  slipway corpus book.txt\n  slipway corpus *.jsonl.gz --name web --vocab-size 8192\n  then, in a config: \"data\": {\"tokens\": \"web.tok\"}";
    }
    void declare(Arguments& arguments) override {
        arguments.option("files", m_spec.sources, "Text: .txt, .jsonl (key \"text\"), also as .gz or .dz")
            .required()
            .shownAs("FILE");
        arguments.option("--name", m_spec.name, "Name of the token file; default: the first file's").shownAs("NAME");
        arguments.option("--vocab-size", m_spec.vocabSize, "Entries of the vocabulary").between(512, 1000000);
        arguments.option("--max-bytes", m_spec.maxBytes, "Text to encode at most; 0: all").notNegative();
    }
    Result<int> run(CliContext& context) override {
        if (m_spec.name.empty()) {
            m_spec.name = corpusNameOf(m_spec.sources.front());
            if (m_spec.name.empty())
                return fail("usage",
                            "The file's name has no letter that a token file's name can have; give one: --name NAME.",
                            std::filesystem::path(m_spec.sources.front()).filename().string());
        }
        const auto corpus = buildCorpus(m_spec, context.home, [&](const CorpusProgress& progress) {
            progressLine(context, std::string(progress.phase) + " " + asciiText(formatPercent(progress.fraction)));
            return context.interrupts() == 0;
        });
        endProgressLine(context);
        if (!corpus) return fail(corpus.error());
        const TokenFileHeader& header = corpus->header;
        const auto beginning = firstTokens(*corpus);
        if (!beginning) return fail(beginning.error());
        if (context.json)
            context.out << dumpJson(Json{{"tokens", corpus->tokenFile.filename().string()},
                                         {"token_file", corpus->tokenFile.string()},
                                         {"tokenizer_file", corpus->tokenizerFile.string()},
                                         {"num_tokens", header.numTokens},
                                         {"vocab_size", header.vocabSize},
                                         {"unigram_entropy", jsonNumber(header.unigramEntropy)},
                                         {"first_tokens", *beginning},
                                         {"num_documents", corpus->numDocuments},
                                         {"num_text_bytes", corpus->numTextBytes},
                                         {"reused", corpus->reused}},
                                    true);
        else
            printFacts(context.out,
                       {{"Token file", corpus->tokenFile.string() + (corpus->reused ? " (was there already)" : "")},
                        {"Tokens", formatCount(static_cast<double>(header.numTokens))},
                        {"Vocabulary", formatCount(static_cast<double>(header.vocabSize))},
                        {"Text", formatBytes(static_cast<double>(corpus->numTextBytes))},
                        {"First tokens", joined(*beginning)},
                        {"Unigram entropy", formatFixed(header.unigramEntropy, 3) + " nats/token"}});
        return kExitDone;
    }

private:
    CorpusSpec m_spec;
};

class MachineCommand : public Command {
public:
    std::string name() const override { return "machine"; }
    std::string summary() const override { return "What this computer can do: measured peaks, memory, links"; }
    std::string examples() const override {
        return "  slipway machine\n  slipway machine --measure           measure again\n  slipway machine --json > here.json  for plan --cluster";
    }
    void declare(Arguments& arguments) override { arguments.flag("--measure", m_measure, "Measure again"); }
    Result<int> run(CliContext& context) override {
        const auto profile = knownMachine(context, m_measure);
        if (!profile) return fail(profile.error());
        const ClusterSpec cluster = thisMachine(context.home);
        if (context.json) {
            context.out << dumpJson(toJson(cluster), true);
            return kExitDone;
        }
        std::vector<std::pair<std::string, std::string>> facts = {
            {"Device", cluster.device.name},
            {"Ranks it hosts", std::to_string(cluster.devicesPerNode)},
            {"Memory", cluster.device.memoryBytes > 0 ? formatBytes(cluster.device.memoryBytes) : "unknown"}};
        for (const auto& entry : enumNames(Precision{}))
            if (const auto peak = cluster.device.peakFlops(entry.value))
                facts.emplace_back("Peak " + std::string(entry.word), formatFlops(*peak));
        facts.emplace_back("Measured", timeText(profile->measuredUnixMilliseconds) + " on " +
                                           std::to_string(profile->threads) + " threads");
        printFacts(context.out, facts);
        return kExitDone;
    }

private:
    bool m_measure = false;
};

}  // namespace

std::unique_ptr<Command> makeReindexCommand() {
    return std::make_unique<ReindexCommand>();
}

std::unique_ptr<Command> makeCorpusCommand() {
    return std::make_unique<CorpusCommand>();
}

std::unique_ptr<Command> makeMachineCommand() {
    return std::make_unique<MachineCommand>();
}

}  // namespace slipway
