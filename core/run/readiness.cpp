#include "core/run/readiness.h"

#include "core/base/units.h"
#include "core/base/version.h"
#include "core/spec/token_file.h"
#include "core/spec/trainer_notes.h"

#include <unistd.h>

#include <cmath>
#include <system_error>

namespace slipway {
namespace {

constexpr double kLeastDiskBytes = 32.0 * 1024 * 1024;
constexpr double kRankOverheadBytes = 220e6;  // libtorch's own resident memory per process, roughly

void add(Issues& issues, Severity severity, const char* code, const char* field, const Message& message) {
    issues.push_back(issueOf(severity, code, field, message));
}

void checkProgram(const std::filesystem::path& path, const char* name, Issues& issues) {
    if (path.empty())
        add(issues, Severity::Error, "program_missing", name,
            "%1 was not found in the folder of this program; build it, or name its folder in SLIPWAY_BIN_DIR."_text(
                std::string(name)));
    else if (::access(path.c_str(), X_OK) != 0)
        add(issues, Severity::Error, "program_not_executable", name, "%1 cannot be executed."_text(path.string()));
}

void checkVersion(const std::string& own, const std::string& other, const char* name, Issues& issues) {
    if (own.empty() || other.empty() || own == other) return;
    add(issues, Severity::Warning, "version_mismatch", name,
        "%1 is version %2, this program is %3; build them together."_text(std::string(name), other, own));
}

void checkData(const RunConfig& config, const ReadinessFacts& facts, Issues& issues) {
    if (config.data.tokens.empty()) {
        add(issues, Severity::Error, "data_missing", "data.tokens",
            "data.tokens is empty; make a token file with `slipway corpus FILE` and set it."_text);
    } else if (!facts.tokenFileExists) {
        add(issues, Severity::Error, "data_missing", "data.tokens",
            "The token file %1 does not exist; make it with `slipway corpus FILE`."_text(config.data.tokens));
    } else if (!facts.tokenFileProblem.empty()) {
        add(issues, Severity::Error, "data_unreadable", "data.tokens", Message::name(facts.tokenFileProblem));
    } else {
        if (facts.tokenVocabSize > config.model.vocabSize)
            add(issues, Severity::Error, "vocab_too_small", "model.vocab_size",
                "The token file has %1 vocabulary entries; the model has %2. Raise model.vocab_size."_text(
                    facts.tokenVocabSize, config.model.vocabSize));
        if (facts.numTokens <= config.train.seqLen)
            add(issues, Severity::Error, "data_too_short", "data.tokens",
                "The token file has %1 tokens, less than one sequence of %2."_text(facts.numTokens,
                                                                                   config.train.seqLen));
    }
}

void checkRoom(const RunConfig& config, const ReadinessFacts& facts, double memoryPeakBytes, Issues& issues) {
    const auto world = static_cast<double>(config.parallel.worldSize());
    if (config.train.device == DeviceKind::Cpu && std::isfinite(memoryPeakBytes)) {
        const double needed = world * (memoryPeakBytes + kRankOverheadBytes);
        if (facts.computer.memoryBytes && needed > *facts.computer.memoryBytes)
            add(issues, Severity::Error, "memory_short", "train.micro_batch_size",
                "The ranks need about %1 together; this computer has %2. Reduce the batch or the model."_text(
                    formatBytes(needed), formatBytes(*facts.computer.memoryBytes)));
        else if (facts.computer.availableMemoryBytes && needed > *facts.computer.availableMemoryBytes)
            add(issues, Severity::Warning, "memory_tight", "train.micro_batch_size",
                "The ranks need about %1 together; %2 are free now."_text(
                    formatBytes(needed), formatBytes(*facts.computer.availableMemoryBytes)));
    }
    if (config.train.device == DeviceKind::Cpu && config.train.precision == Precision::Fp8)
        add(issues, Severity::Warning, "fp8_emulated", "train.precision",
            "A CPU has no fp8 products: they are emulated, with the same rounding but slower than fp32."_text);
    if (config.train.device == DeviceKind::Gpu && facts.numGpus < config.parallel.worldSize())
        add(issues, Severity::Error, "gpus_missing", "parallel",
            "The layout needs %1 GPUs; this computer has %2."_text(config.parallel.worldSize(), facts.numGpus));
    if (config.train.device == DeviceKind::Tpu)
        add(issues, Severity::Error, "device_unsupported", "train.device", "This trainer runs on CPUs and GPUs."_text);
    if (facts.freeDiskBytes && *facts.freeDiskBytes < kLeastDiskBytes)
        add(issues, Severity::Error, "disk_full", "",
            "Only %1 are free on the disk of the run folders; free some space."_text(
                formatBytes(*facts.freeDiskBytes)));
}

}  // namespace

ReadinessFacts gatherReadiness(const RunConfig& config, const Home& home, const Programs& programs) {
    ReadinessFacts facts;
    facts.computer = thisComputer();
    facts.programs = programs;
    facts.freeDiskBytes = freeDiskBytes(home.runs());
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", code))
        facts.numGpus += entry.exists() ? 1 : 0;
    const auto cache = home.path / "programs.json";
    facts.ownVersion = versionText();
    if (!programs.agent.empty()) facts.agentVersion = programVersion(programs.agent, cache).value_or("");
    if (!programs.trainer.empty()) facts.trainerVersion = programVersion(programs.trainer, cache).value_or("");
    const auto path = home.tokenFile(config.data.tokens);
    facts.tokenFileExists = !config.data.tokens.empty() && std::filesystem::is_regular_file(path, code);
    if (!facts.tokenFileExists) return facts;
    if (const auto file = TokenFile::open(path)) {
        facts.tokenVocabSize = file->header().vocabSize;
        facts.numTokens = file->header().numTokens;
    } else {
        facts.tokenFileProblem = file.error().text();
    }
    return facts;
}

Issues checkReadiness(const RunConfig& config, const ReadinessFacts& facts, double memoryPeakBytes, bool onNodes) {
    Issues issues = validate(config);
    if (hasErrors(issues)) return issues;
    for (Issue& issue : trainerSupports(config)) issues.push_back(std::move(issue));
    for (Issue& issue : trainerNotes(config)) issues.push_back(std::move(issue));
    checkProgram(facts.programs.agent, "slipway-agent", issues);
    checkVersion(facts.ownVersion, facts.agentVersion, "slipway-agent", issues);
    checkData(config, facts, issues);
    if (onNodes) return issues;
    checkProgram(facts.programs.trainer, "slipway-trainer", issues);
    checkVersion(facts.ownVersion, facts.trainerVersion, "slipway-trainer", issues);
    checkRoom(config, facts, memoryPeakBytes, issues);
    return issues;
}

}  // namespace slipway
