#include "trainer/checkpoint/export_command.h"

#include "core/base/json.h"
#include "core/base/untrusted_text.h"
#include "core/spec/run_dir.h"
#include "trainer/checkpoint/huggingface_weights.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <ostream>

namespace slipway::trainer {
namespace {

constexpr const char* kUsage =
    "usage: slipway-trainer export RUN|CHECKPOINT FOLDER [--dtype F64|F32|BF16] [--max-file-bytes N] [--json]\n"
    "\n"
    "Writes config.json, generation_config.json, the tokenizer of the run's tokens and model.safetensors (several files with\n"
    "an index above 5 GB) as transformers reads them;\n"
    "weights of an earlier export in FOLDER are replaced.\n"
    "RUN is a run's folder: its newest whole checkpoint is taken.\n";

struct Options {
    std::string source, folder;
    ExportOptions exported;
    bool json = false;
};

Result<Options> parse(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        if (word == "--json") {
            options.json = true;
        } else if (word == "--dtype" && i + 1 < arguments.size()) {
            options.exported.dtype = arguments[++i];
        } else if (word == "--max-file-bytes" && i + 1 < arguments.size()) {
            const std::string& value = arguments[++i];
            const auto [end, error] =
                std::from_chars(value.data(), value.data() + value.size(), options.exported.maxFileBytes);
            if (error != std::errc() || end != value.data() + value.size() || options.exported.maxFileBytes == 0)
                return fail("usage", "--max-file-bytes is \"" + value + "\"; it must be a whole number above 0.");
        } else if (word.starts_with("--")) {
            return fail("usage", "Unknown option " + word + ", or its value is missing.");
        } else if (options.source.empty()) {
            options.source = word;
        } else if (options.folder.empty()) {
            options.folder = word;
        } else {
            return fail("usage", "One checkpoint and one folder, please; \"" + word + "\" is too much.");
        }
    }
    if (options.folder.empty()) return fail("usage", "A checkpoint and a folder to write to are needed.");
    return options;
}

Result<std::filesystem::path> checkpointOf(const std::string& source) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::path(source) / "manifest.json", ignored)) return {source};
    const RunDir dir{source};
    const std::vector<std::int64_t> steps = completeCheckpoints(dir.checkpoints());
    if (steps.empty()) return fail("checkpoint_missing", "There is no whole checkpoint in this folder.", source);
    return dir.checkpoint(steps.front());
}

}  // namespace

int runExportCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    if (std::ranges::any_of(arguments, [](const std::string& word) { return word == "--help" || word == "-h"; })) {
        out << kUsage;
        return 0;
    }
    const Result<Options> options = parse(arguments);
    if (!options) {
        err << "slipway-trainer export: " << UntrustedText(options.error().message).terminalLines() << "\n" << kUsage;
        return 2;
    }
    const auto failed = [&](const Error& error) {
        err << "slipway-trainer export: " << UntrustedText(error.text()).terminalLines() << "\n";
        return error.code == "usage" ? 2 : error.code == "disk_full" ? static_cast<int>(TrainerExit::DiskFull) : 1;
    };
    const Result<std::filesystem::path> checkpoint = checkpointOf(options->source);
    if (!checkpoint) return failed(checkpoint.error());
    const Result<ExportReport> report = exportHuggingFace(*checkpoint, options->folder, options->exported);
    if (!report) return failed(report.error());
    if (options->json) {
        out << dumpJson(Json{{"step", report->step},
                             {"num_parameters", report->numParameters},
                             {"bytes", report->bytes},
                             {"files", report->files},
                             {"note", report->note}},
                        true);
        return 0;
    }
    out << "Step " << report->step << ": " << report->numParameters << " parameters, " << report->bytes
        << " bytes in\n";
    for (const std::string& file : report->files)
        out << "  " << (std::filesystem::path(options->folder) / file).string() << "\n";
    if (!report->note.empty()) out << "No tokenizer was written. " << report->note << "\n";
    return 0;
}

}  // namespace slipway::trainer
