#include "core/launch/programs.h"

#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/base/json.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

fs::path findProgram(const char* name) {
    std::error_code code;
    const char* folder = std::getenv("SLIPWAY_BIN_DIR");
    for (const fs::path& candidate : {fs::path(folder == nullptr ? "" : folder), programFolder()})
        if (!candidate.empty() && fs::is_regular_file(candidate / name, code)) return fs::absolute(candidate / name);
    return {};
}

std::string lastLine(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::size_t at = text.rfind('\n');
    return at == std::string::npos ? text : text.substr(at + 1);
}

}  // namespace

Programs Programs::find() {
    return {findProgram("slipway-agent"), findProgram("slipway-trainer")};
}

Result<std::string> programOutput(const std::vector<std::string>& arguments, double seconds) {
    ProcessSpec spec;
    spec.arguments = arguments;
    spec.captureOutput = true;
    spec.newSession = true;
    spec.parentDeathSignal = SIGKILL;  // its answer is no longer needed
    auto process = Process::start(spec);
    if (!process) return fail(process.error());
    const auto& exit = process->wait(seconds);
    if (!exit) {
        process->signalGroup(SIGKILL);
        process->wait(5);
        return fail("program_slow", "The program did not finish within %1 s."_text(static_cast<int>(seconds)),
                    arguments.front());
    }
    if (!exit->ok()) {
        const std::string words = lastLine(process->errorOutput());
        return fail("program_failed",
                    words.empty() ? "The program ended with %1."_text(exit->text())
                                  : "The program ended with %1: %2"_text(exit->text(), words),
                    arguments.front());
    }
    return process->output();
}

std::string versionIn(std::string_view printed) {
    const auto digit =
        std::find_if(printed.begin(), printed.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    std::string text(digit, std::find(digit, printed.end(), '\n'));
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.pop_back();
    return text;
}

Result<std::string> programVersion(const fs::path& program, const fs::path& cacheFile) {
    std::error_code code;
    const auto size = static_cast<std::int64_t>(fs::file_size(program, code));
    if (code) return fail("program_missing", "The program does not exist."_text, program.string());
    const std::int64_t changed = fs::last_write_time(program, code).time_since_epoch().count();
    Json cache = readJsonFile(cacheFile).value_or(Json::object());
    if (!cache.is_object()) cache = Json::object();
    const std::string key = program.string();
    const Json known = cache.value(key, Json::object());
    if (known.is_object() && known.contains("version") && known["version"].is_string() &&
        known.value("size", Json()) == size && known.value("changed", Json()) == changed) {
        return known["version"].get<std::string>();
    }
    const auto printed = programOutput({program.string(), "--version"}, 60);
    if (!printed) return fail(printed.error());
    const std::string version = versionIn(*printed);
    if (version.empty()) return fail("no_version", "The program did not report its version."_text, program.string());
    cache[key] = Json{{"size", size}, {"changed", changed}, {"version", version}};
    if (makePrivateFolder(cacheFile.parent_path()))
        (void)writeJsonFile(cacheFile, cache);  // only a cache: without it the next call runs the program again
    return version;
}

}  // namespace slipway
