// Logs: our own metric stream, and consoles, tables and event files of other trainers.
#include "core/interop/log_reader.h"
#include "core/metrics/metric_reader.h"
#include "core/spec/metric_line.h"
#include "tests/fuzz/fuzz.h"

#include <string>

using namespace slipway;
using namespace slipway::interop;
using namespace slipway::test;

namespace {

void readOwnStream(const std::string& bytes) {
    MetricReader reader;
    const MetricBatch batch = reader.read(bytes, 0);
    require(batch.toOffset <= bytes.size(), "a position behind the end of the stream");
    require(batch.toOffset == 0 || bytes[batch.toOffset - 1] == '\n' || bytes.size() > MetricReader::kMaxLineBytes,
            "a position inside a line");
    // Read in two pieces, the same records come out.
    const std::size_t half = bytes.size() / 2;
    const MetricBatch first = reader.read(std::string_view(bytes).substr(0, half), 0);
    const MetricBatch rest = reader.read(std::string_view(bytes).substr(first.toOffset), first.toOffset);
    require(first.records.size() + rest.records.size() == batch.records.size() && rest.toOffset == batch.toOffset,
            "a stream that is read in pieces gives other records");
    std::string written;
    for (const MetricRecord& record : batch.records) written += toLine(record);
    const MetricBatch again = reader.read(written, 0);
    require(again.malformedLines == 0 && again.records.size() == batch.records.size(),
            "a written record cannot be read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = textOf(data, size);
    readOwnStream(bytes);
    (void)guessLogFormat(bytes);
    for (const char* format : {"megatron", "neox", "deepspeed", "torchtitan", "nanotron", "llm-foundry", "nanotron-csv",
                               "llm-foundry-csv", "tensorboard"}) {
        const auto log = readLog(bytes, "fuzz", format);
        if (!valueOrError(log)) continue;
        for (const LogRun& run : log->runs)
            for (std::size_t i = 1; i < run.steps.size(); ++i)
                require(run.steps[i - 1].step < run.steps[i].step, "steps that do not ascend");
    }
    return 0;
}
