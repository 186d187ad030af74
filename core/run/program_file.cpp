#include "core/run/program_file.h"

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/own_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

extern char** environ;

namespace slipway {
namespace fs = std::filesystem;
namespace {

bool isProgram(const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

/// As found by execvp.
Result<fs::path> findProgram(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        const fs::path path = fs::absolute(name).lexically_normal();
        if (isProgram(path)) return path;
        std::error_code code;
        if (fs::exists(path, code))
            return fail("program_not_executable", "%1 cannot be executed."_text(path.string()), path.string());
        return fail("program_missing", "There is no program %1."_text(path.string()), path.string());
    }
    const char* list = std::getenv("PATH");
    std::istringstream folders(list == nullptr ? "/usr/local/bin:/usr/bin:/bin" : list);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path path = fs::absolute(folder.empty() ? "." : folder) / name;
        if (isProgram(path)) return path.lexically_normal();
    }
    return fail("program_missing", "%1 is not in PATH."_text(name), name);
}

std::vector<std::string> safeEnvironment() {
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (safeVariable(text.substr(0, text.find('=')))) out.emplace_back(text);
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

bool safeVariable(std::string_view name) {
    static constexpr std::array kNames = {std::string_view("PATH"),
                                          std::string_view("LD_LIBRARY_PATH"),
                                          std::string_view("PYTHONPATH"),
                                          std::string_view("PYTHONHASHSEED"),
                                          std::string_view("VIRTUAL_ENV"),
                                          std::string_view("CONDA_PREFIX"),
                                          std::string_view("CONDA_DEFAULT_ENV"),
                                          std::string_view("CUDA_VISIBLE_DEVICES"),
                                          std::string_view("HIP_VISIBLE_DEVICES"),
                                          std::string_view("ROCR_VISIBLE_DEVICES"),
                                          std::string_view("CUDA_DEVICE_MAX_CONNECTIONS"),
                                          std::string_view("CUDA_LAUNCH_BLOCKING"),
                                          std::string_view("CUBLAS_WORKSPACE_CONFIG"),
                                          std::string_view("PYTORCH_CUDA_ALLOC_CONF"),
                                          std::string_view("PYTORCH_ALLOC_CONF"),
                                          std::string_view("TOKENIZERS_PARALLELISM"),
                                          std::string_view("OMP_NUM_THREADS"),
                                          std::string_view("MKL_NUM_THREADS"),
                                          std::string_view("HF_HOME"),
                                          std::string_view("HF_HUB_OFFLINE")};
    if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
    for (const std::string_view word : {"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH"})
        if (name.find(word) != std::string_view::npos) return false;
    return std::ranges::any_of(std::array{"NCCL_", "GLOO_", "TORCH_NCCL_", "TORCH_DISTRIBUTED_"},
                               [&](const char* prefix) { return name.starts_with(prefix); });
}

std::string programName(const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments)
        for (const char* ending : {".py", ".sh"})
            if (argument.ends_with(ending) && !argument.starts_with('-')) return fs::path(argument).stem().string();
    return arguments.empty() ? "program" : fs::path(arguments.front()).filename().string();
}

Result<ProgramRun> makeProgram(std::vector<std::string> arguments, interop::LogReading log) {
    if (arguments.empty() || arguments.front().empty())
        return fail("usage", "Name the program to run after --."_text, "--");
    if (auto read = interop::LiveLog::make(log); !read) return fail(read.error());
    const auto path = findProgram(arguments.front());
    if (!path) return fail(path.error());
    arguments.front() = path->string();
    return ProgramRun{{std::move(arguments), fs::current_path().string(), safeEnvironment()}, std::move(log)};
}

Result<std::optional<ProgramRun>> readProgram(const RunDir& folder) {
    const auto json = readOwnJson(folder.program());
    if (!json && json.error().code == "file_missing") return std::optional<ProgramRun>();
    if (!json) return fail(json.error());
    Issues issues;
    ProgramRun program = fields::fromJson<ProgramRun>(*json, issues);
    if (hasErrors(issues)) return fail("bad_config", issues, folder.program().string());
    if (program.command.arguments.empty())
        return fail("bad_config", "The file names no program."_text, folder.program().string());
    return std::optional(std::move(program));
}

std::vector<std::pair<std::string, std::string>> programDocuments(const ProgramRun& program) {
    Json variables = Json::object();
    for (const std::string& entry : program.command.environment) {
        const std::size_t equals = entry.find('=');
        variables[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
    const Json environment{{"program", program.command.arguments.front()},
                           {"arguments", program.command.arguments},
                           {"folder", program.command.folder},
                           {"environment", std::move(variables)}};
    const RunDir here;
    return {{here.environment().string(), dumpJson(environment, true)},
            {here.program().string(), dumpJson(fields::toJson(program), true)}};
}

}  // namespace slipway
