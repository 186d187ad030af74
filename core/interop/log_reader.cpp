#include "core/interop/log_reader.h"

#include "core/interop/log_builder.h"
#include "core/interop/tf_events.h"

#include <algorithm>
#include <cstring>

namespace slipway::interop {

std::string guessLogFormat(std::string_view bytes) {
    if (bytes.size() >= 16) {
        std::uint32_t crc = 0;
        std::memcpy(&crc, bytes.data() + 8, sizeof crc);
        if (crc == maskedCrc32c(bytes.substr(0, 8))) return "tensorboard";
    }
    const std::string_view head = bytes.substr(0, bytes.find('\n'));
    if (head.find("tok/s/gpu") != std::string_view::npos && head.find(',') != std::string_view::npos)
        return "nanotron-csv";
    if (head.find("MFU") != std::string_view::npos && head.find("HFU") != std::string_view::npos &&
        head.find(',') != std::string_view::npos)
        return "llm-foundry-csv";
    const auto has = [&](std::string_view word) { return bytes.find(word) != std::string_view::npos; };
    if (has("[batch=") && has("Train ")) return "llm-foundry";
    if (has("tps:") && has("step:")) return "torchtitan";
    if (has("approx flops per GPU")) return "neox";
    if (has("elapsed time per iteration (ms)")) return "megatron";
    if (has("elapsed_time_per_iteration_ms") || has("time_per_iteration_ms")) return "nanotron";
    if (has("SamplesPerSec=") || has("iter time (s)") || has("] step=")) return "deepspeed";
    if (looksLikeHuggingFace(bytes)) return "huggingface";
    if (has("step:") && has("loss:")) return "torchtitan";
    if (looksLikeStepTable(head)) return "csv";
    return looksPrinted(bytes) ? "prints" : "";
}

std::string logFormats() {
    return "megatron, neox, deepspeed, torchtitan, nanotron, nanotron-csv, llm-foundry, llm-foundry-csv, huggingface, tensorboard, csv, prints";
}

Result<Log> readLog(std::string_view bytes, const std::string& name, const std::string& format,
                    const std::optional<RunConfig>& config) {
    const std::string chosen = format.empty() ? guessLogFormat(bytes) : format;
    if (chosen.empty()) return fail("bad_log", "Unknown log format; supported: %1."_text(logFormats()), name);
    if (chosen == "csv") return readStepTable(bytes, name, config);
    if (chosen == "tensorboard") return readEvents(bytes, name, config);
    if (chosen == "nanotron-csv" || chosen == "llm-foundry-csv") return readTable(bytes, name, chosen, config);
    if (LineLog::reads(chosen)) {
        LineLog log(chosen, name, config);
        log.feed(bytes);
        return log.finish();
    }
    return fail("usage", "Unknown log format \"%1\"; choose one of %2."_text(chosen, logFormats()));
}

}  // namespace slipway::interop
