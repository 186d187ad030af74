// Result tables: nanotron's benchmark CSV and llm-foundry's results.csv. One row is one run, with its mean as one step.
#include "core/base/csv_table.h"
#include "core/interop/log_builder.h"

#include <algorithm>

namespace slipway::interop {
namespace {

class Row {
public:
    Row(const CsvTable& table, std::size_t row) : m_table(table), m_row(row) {}
    [[nodiscard]] const std::string& text(const std::string& column) const { return m_table.text(m_row, column); }
    [[nodiscard]] std::int64_t whole(const std::string& column, std::int64_t otherwise) const {
        const auto number = logNumber(text(column));
        return number && *number >= 1 && *number <= 1e9 ? static_cast<std::int64_t>(*number) : otherwise;
    }
    [[nodiscard]] bool yes(const std::string& column) const {
        const std::string& word = text(column);
        return word == "True" || word == "true" || word == "1";
    }

private:
    const CsvTable& m_table;
    std::size_t m_row;
};

RunConfig nanotronConfig(const Row& row) {
    RunConfig c;
    c.model.numLayers = row.whole("num_layers", c.model.numLayers);
    c.model.hiddenSize = row.whole("hidden_size", c.model.hiddenSize);
    c.model.numHeads = row.whole("num_heads", c.model.numHeads);
    c.model.numKvHeads = row.whole("num_kv_heads", c.model.numHeads);
    c.model.vocabSize = row.whole("vocab_size", c.model.vocabSize);
    c.model.maxSeqLen = row.whole("max_pos", c.model.maxSeqLen);
    c.model.tieEmbeddings = row.yes("tie_word_embeddings");
    // The table has no feed-forward width, but the number of parameters: the remainder after the other parts.
    const double h = static_cast<double>(c.model.hiddenSize), layers = static_cast<double>(c.model.numLayers);
    const double kv = h / static_cast<double>(c.model.numHeads) * static_cast<double>(*c.model.numKvHeads);
    const auto total = logNumber(row.text("Total Params"), true);
    const double rest = total.value_or(0) -
                        (c.model.tieEmbeddings ? 1 : 2) * static_cast<double>(c.model.vocabSize) * h -
                        layers * (2 * h * h + 2 * h * kv + 2 * h) - h;
    if (rest > 0 && rest / (3 * h * layers) < 1e6)
        c.model.ffnHiddenSize = static_cast<std::int64_t>(rest / (3 * h * layers) + 0.5);
    c.train.seqLen = row.whole("seq_len", c.train.seqLen);
    c.train.microBatchSize = row.whole("mbs", c.train.microBatchSize);
    c.parallel.dp = row.whole("dp", 1);
    c.parallel.tp = row.whole("tp", 1);
    c.parallel.pp = row.whole("pp", 1);
    c.parallel.cp = row.whole("cp", 1);
    c.parallel.zeroStage = std::min<std::int64_t>(3, row.whole("zero_stage", 0));
    c.train.globalBatchSize = std::min<std::int64_t>(row.whole("mbs", 1) * row.whole("batch_accum", 1), 1000000) *
                              std::min<std::int64_t>(c.parallel.dp, 1000000);
    c.train.precision = row.text("dtype").find("bfloat16") != std::string::npos  ? Precision::Bf16
                        : row.text("dtype").find("float16") != std::string::npos ? Precision::Fp16
                                                                                 : Precision::Fp32;
    c.train.gradDtype =
        row.yes("accumulate_grad_in_fp32") || c.train.precision == Precision::Fp32 ? Precision::Fp32 : Precision::Bf16;
    c.train.recompute.policy = row.yes("recompute_layer") ? RecomputePolicy::Full : RecomputePolicy::None;
    c.parallel.sequenceParallel = c.parallel.tp > 1 && row.text("tp_mode").find("REDUCE_SCATTER") != std::string::npos;
    c.parallel.schedule =
        row.text("pp_engine").find("AllForward") != std::string::npos || row.text("pp_engine") == "afab"
            ? ScheduleKind::Afab
            : ScheduleKind::OneFOneB;
    c.train.numSteps = 1;
    return canonical(c);
}

/// Fields read by nanotronConfig; the number of steps, the seed, the learning rate, ... are not in the table.
std::vector<std::string> nanotronFields() {
    return {"model.num_layers",
            "model.hidden_size",
            "model.ffn_hidden_size",
            "model.num_heads",
            "model.num_kv_heads",
            "model.vocab_size",
            "model.max_seq_len",
            "model.tie_embeddings",
            "train.seq_len",
            "train.micro_batch_size",
            "train.global_batch_size",
            "train.precision",
            "train.grad_dtype",
            "train.recompute.policy",
            "parallel.dp",
            "parallel.tp",
            "parallel.pp",
            "parallel.cp",
            "parallel.zero_stage",
            "parallel.sequence_parallel",
            "parallel.schedule"};
}

/// Fields read by foundryConfig. Its layouts are only data-parallel.
std::vector<std::string> foundryFields() {
    return {"train.seq_len",
            "train.micro_batch_size",
            "train.global_batch_size",
            "train.precision",
            "train.recompute.policy",
            "parallel.dp",
            "parallel.tp",
            "parallel.pp",
            "parallel.cp",
            "parallel.zero_stage"};
}

RunConfig foundryConfig(const Row& row) {
    RunConfig c;
    c.train.seqLen = row.whole("SeqLen (T)", row.whole("SeqLen", c.train.seqLen));
    c.train.microBatchSize = row.whole("MicroBatchSize", 1);
    c.parallel.dp = row.whole("GPUs", row.whole("#GPUs", 1));
    c.train.globalBatchSize = row.whole("GlobalBatchSize (S)", row.whole("GlobalBatchSize", c.parallel.dp));
    c.model.maxSeqLen = std::max(c.model.maxSeqLen, c.train.seqLen);
    const std::string precision = row.text("Precision");
    c.train.precision = precision.find("fp8") != std::string::npos    ? Precision::Fp8
                        : precision.find("bf16") != std::string::npos ? Precision::Bf16
                        : precision.find("fp16") != std::string::npos ? Precision::Fp16
                                                                      : Precision::Fp32;
    const std::string sharding =
        row.text("Sharding Strategy").empty() ? row.text("Sharding") : row.text("Sharding Strategy");
    c.parallel.zeroStage = sharding.find("FULL") != std::string::npos      ? 3
                           : sharding.find("GRAD_OP") != std::string::npos ? 2
                                                                           : 0;
    c.train.recompute.policy =
        row.yes("Activation Checkpointing") || row.yes("Act. ckpt") ? RecomputePolicy::Full : RecomputePolicy::None;
    c.train.numSteps = 1;
    return canonical(c);
}

}  // namespace

Result<Log> readTable(std::string_view bytes, const std::string& name, const std::string& format,
                      const std::optional<RunConfig>& config) {
    const auto table = CsvTable::parse(bytes, name);
    if (!table) return fail("bad_log", table.error().sentence(), name);
    const std::vector<std::string>& head = table->header();
    Log log;
    log.format = format;
    log.lines = 1;
    LogBuilder builder(format);
    for (std::size_t at = 0; at < table->numRows(); ++at) {
        const std::vector<std::string>& cells = table->cells(at);
        ++log.lines;
        if (cells.size() == 1 && trimmed(cells[0]).empty()) continue;
        if (cells.size() != head.size()) {
            builder.malformed("row whose number of columns differs from the header"_text);
            continue;
        }
        const Row row(*table, at);
        bool any = false;
        for (std::size_t i = 0; i < head.size(); ++i) {
            const Alias* alias = findAlias(format, head[i]);
            if (alias == nullptr || alias->format != format || alias->metric.empty()) continue;
            const auto value = logNumber(cells[i]);
            if (value) {
                builder.add(1, head[i], *value);
                any = true;
            } else if (!trimmed(cells[i]).empty()) {
                builder.malformed("value that is not a number"_text);
            }
        }
        if (!any) {
            builder.malformed("row without figures"_text);
            continue;
        }
        LogRun run;
        const bool nanotron = format == "nanotron-csv";
        run.config = config ? *config : nanotron ? nanotronConfig(row) : foundryConfig(row);
        run.configKnown = nanotron || config.has_value();
        if (!config) run.given = nanotron ? nanotronFields() : foundryFields();
        const std::string title = nanotron ? row.text("name") : row.text("Model");
        run.name = title.empty() ? name + " row " + std::to_string(table->line(at)) : title;
        run.worldSize = run.config.parallel.worldSize();
        run.steps = builder.takeSteps(run.config, run.worldSize);
        log.runs.push_back(std::move(run));
        ++log.used;
    }
    builder.finish(log);
    if (log.runs.empty()) return fail("bad_log", "The table has no figures."_text, name);
    return log;
}

}  // namespace slipway::interop
