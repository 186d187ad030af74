// reindex, corpus and machine: contents of the home folder besides runs.
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
    Message summary() const override { return "Rebuild the index from the run folders"_text; }
    Examples examples() const override {
        return {
            {"slipway reindex"},
            {"", "The folders are the truth: a damaged index is set aside, nothing in the folders is changed."_text}};
    }
    void declare(Arguments&) override {}
    Result<int> run(CliContext& context) override {
        const auto report = rebuildIndex(context.home, context.now(), [&](std::int64_t done, std::int64_t all) {
            progressLine(context, "Reading run folders: %1 of %2"_text(done, all));
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
            context.out << "Indexed %1 runs, %2 sweeps, %3 metric points; removed %4 rows without a folder."_text(
                               report->runs, report->sweeps, report->points, report->removed)
                        << '\n';
        return kExitDone;
    }
};

constexpr std::int64_t kFirstTokens = 16;

/// The first tokens of the file as text.
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
    Message summary() const override { return "Make a tokenizer and a token file from text"_text; }
    Examples examples() const override {
        return {{"slipway corpus book.txt"},
                {"slipway corpus *.jsonl.gz --name web --vocab-size 8192"},
                {"", "then, in a config: \"data\": {\"tokens\": \"web.tok\"}"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("files", m_spec.sources, "Text: .txt, .jsonl (key \"text\"), also as .gz or .dz"_text)
            .required()
            .shownAs("FILE");
        arguments.option("--name", m_spec.name, "Name of the token file; default: the first file's"_text)
            .shownAs("NAME");
        arguments.option("--vocab-size", m_spec.vocabSize, "Entries of the vocabulary"_text).between(512, 1000000);
        arguments.option("--max-bytes", m_spec.maxBytes, "Text to encode at most; 0: all"_text).notNegative();
    }
    Result<int> run(CliContext& context) override {
        if (m_spec.name.empty()) {
            m_spec.name = corpusNameOf(m_spec.sources.front());
            if (m_spec.name.empty())
                return fail(
                    "usage",
                    "The file's name has no letter that a token file's name can have; give one: --name NAME."_text,
                    std::filesystem::path(m_spec.sources.front()).filename().string());
        }
        const auto corpus = buildCorpus(m_spec, context.home, [&](const CorpusProgress& progress) {
            progressLine(context, "%1 %2"_text(phaseText(progress.phase), formatPercent(progress.fraction)));
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
                       {{"Token file"_text, corpus->reused ? "%1 (existed)"_text(corpus->tokenFile.string())
                                                           : Message::name(corpus->tokenFile.string())},
                        {"Tokens"_text, formatCount(static_cast<double>(header.numTokens))},
                        {"Vocabulary"_text, formatCount(static_cast<double>(header.vocabSize))},
                        {"Text"_text, formatBytes(static_cast<double>(corpus->numTextBytes))},
                        {"First tokens"_text, joined(*beginning)},
                        {"Unigram entropy"_text, "%1 nats/token"_text(formatFixed(header.unigramEntropy, 3))}});
        return kExitDone;
    }

private:
    CorpusSpec m_spec;
};

class MachineCommand : public Command {
public:
    std::string name() const override { return "machine"; }
    Message summary() const override { return "Capabilities of this computer: measured peaks, memory, links"_text; }
    Examples examples() const override {
        return {{"slipway machine"},
                {"slipway machine --measure", "measure again"_text},
                {"slipway machine --json > here.json", "for plan --cluster"_text}};
    }
    void declare(Arguments& arguments) override { arguments.flag("--measure", m_measure, "Measure again"_text); }
    Result<int> run(CliContext& context) override {
        const auto profile = knownMachine(context, m_measure);
        if (!profile) return fail(profile.error());
        const ClusterSpec cluster = thisMachine(context.home);
        if (context.json) {
            context.out << dumpJson(toJson(cluster), true);
            return kExitDone;
        }
        FactLines facts = {
            {"Device"_text, cluster.device.name},
            {"Ranks it hosts"_text, std::to_string(cluster.devicesPerNode)},
            {"Memory"_text,
             cluster.device.memoryBytes > 0 ? Words(formatBytes(cluster.device.memoryBytes)) : Words("unknown"_text)}};
        for (const auto& entry : enumNames(Precision{}))
            if (const auto peak = cluster.device.peakFlops(entry.value))
                facts.emplace_back("Peak %1"_text(std::string(entry.word)), formatFlops(*peak));
        facts.emplace_back("Measured"_text,
                           "%1 on %2 threads"_text(timeText(profile->measuredUnixMilliseconds), profile->threads));
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
