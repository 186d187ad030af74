// A trainer without torch for the flow tests: the same command line, files and exit codes as slipway-trainer. What it
// does wrong is a script, from SLIPWAY_FAKE_SCRIPT or from brackets in the config's name ("tiny [nan@5]"):
//   ms=20       milliseconds per step (default 5)         slow        ms=200
//   crash@K     aborts before step K                      exit@K=C    exits with code C
//   kill@K=N    gets SIGKILL before step K, in the first N attempts (default: in all)
//   nan@K       the loss is NaN from step K on, stops at K with code 13
//   hang@K      stops getting on before step K            deaf        ignores SIGTERM and control/stop
//   wait@K      stands before step K until there is a file control/go
//   half@K      writes half of step K's line and aborts   orphan      leaves a process behind in a session of its own
//   tree=N      leaves N processes behind that ignore SIGTERM: some in sessions of their own, some adopted, some without an environment
//   port        the first try of the first attempt finds its port in use
//   error@K     writes an error file and exits with code 12
//   baddisk@K   on a node called "a": says that its disk does not work, and exits with code 1
// A file control/mended in the run folder ends crash, exit and kill. ":R" behind a word lets it count for rank R only
// (default: rank 0), e.g. crash@5:1.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/version.h"
#include "core/spec/agent_files.h"
#include "core/spec/metric_line.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace slipway;
namespace fs = std::filesystem;

namespace {

volatile sig_atomic_t g_terminated = 0;
constexpr const char* kWeights = "rank_00000.safetensors";

struct Action {
    std::int64_t step = 0;
    std::int64_t value = 0;
    std::int64_t rank = 0;
};
using Script = std::map<std::string, Action>;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::int64_t number(const char* name, std::int64_t otherwise) {
    const std::string text = variable(name);
    return text.empty() ? otherwise : std::stoll(text);
}

Script readScript(const std::string& configName) {
    std::string text = variable("SLIPWAY_FAKE_SCRIPT");
    const std::size_t open = configName.find('['), close = configName.find(']');
    if (text.empty() && open != std::string::npos && close != std::string::npos)
        text = configName.substr(open + 1, close - open - 1);
    Script script;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        Action action;
        const auto cut = [&word](char mark, std::int64_t& value) {
            const std::size_t at = word.rfind(mark);
            if (at == std::string::npos) return;
            value = std::stoll(word.substr(at + 1));
            word.resize(at);
        };
        cut(':', action.rank);
        cut('=', action.value);
        cut('@', action.step);
        script[word] = action;
    }
    return script;
}

/// What is left behind: `--left FOLDER` in the command line is all that tells whose it is.
[[noreturn]] void stayBehind() {
    ::signal(SIGTERM, SIG_IGN);
    for (;;) ::pause();
}

/// Each process begins the next one, in a way of its own.
void leaveTree(std::int64_t numProcesses, const std::string& folder) {
    if (numProcesses <= 0) return;
    if (::fork() != 0) return;
    ::signal(SIGTERM, SIG_IGN);
    if (numProcesses % 2 == 0) ::setsid();
    leaveTree(numProcesses - 1, folder);
    if (numProcesses % 3 == 0) {
        if (::fork() != 0) ::_exit(0);  // whoever is left is adopted
    }
    if (numProcesses % 4 == 1) {
        char* const nothing[] = {nullptr};
        ::execle("/proc/self/exe", "left", "--left", folder.c_str(), static_cast<char*>(nullptr), nothing);
    }
    stayBehind();
}

struct Trainer {
    RunConfig config;
    RunDir folder;
    Script script;
    std::int64_t rank = 0, worldSize = 1, attempt = 1;
    std::string node, runId;
    bool resume = false;
    AppendFile metrics, stream;

    [[nodiscard]] bool does(const std::string& word, std::int64_t step) const {
        const auto it = script.find(word);
        return it != script.end() && it->second.rank == rank && it->second.step == step;
    }
    void say(const MetricRecord& record) {
        if (rank != 0) return;
        if (!metrics.append(toLine(record))) ::_exit(static_cast<int>(TrainerExit::DiskFull));
    }
    /// Weights that follow from each other, so that a run which lost its way ends with others; longer than a frame of the channel.
    std::uint64_t weight = 1;
    void train(std::int64_t step) {
        weight = weight * 6364136223846793005ULL + static_cast<std::uint64_t>(step) * 1442695040888963407ULL;
    }
    void saveCheckpoint(std::int64_t step) {
        if (rank != 0) return;
        const fs::path path = folder.checkpoint(step);
        (void)makeFolders(path);
        const std::string one = std::to_string(weight) + "\n";
        std::string all;
        while (all.size() < 1'000'000) all += one;
        (void)writeFileAtomically(path / kWeights, all);
        const Json file{{"rank", 0}, {"file", kWeights}, {"bytes", all.size()}};
        (void)writeJsonFile(path / "manifest.json", Json{{"step", step}, {"files", Json::array({file})}});
    }
    void loadCheckpoint(const fs::path& path) {
        const auto text = readFile(path / kWeights);
        if (!text) ::_exit(static_cast<int>(TrainerExit::BadConfig));
        weight = std::stoull(*text);
    }
    [[nodiscard]] std::int64_t newestCheckpoint() const {
        std::int64_t newest = 0;
        std::error_code code;
        for (const auto& entry : fs::directory_iterator(folder.checkpoints(), code)) {
            const std::string name = entry.path().filename().string();
            if (name.rfind("step_", 0) == 0 && fs::exists(entry.path() / "manifest.json"))
                newest = std::max<std::int64_t>(newest, std::stoll(name.substr(5)));
        }
        return newest;
    }
    void writeError(const std::string& code, const std::string& message, TrainerExit exit, const std::string& group,
                    const std::string& operation) const {
        (void)writeJsonFile(
            folder.rankError(node, rank),
            toJson(RankError{rank, code, message, group, operation, static_cast<int>(exit), unixMillisecondsNow()}));
    }
    void misbehave(std::int64_t step);
    int run();
};

void Trainer::misbehave(std::int64_t step) {
    if (does("error", step)) {
        writeError("comm_failed", "the peer closed the connection", TrainerExit::CommunicationFailure, "dp",
                   "all_reduce");
        ::_exit(static_cast<int>(TrainerExit::CommunicationFailure));
    }
    if (node == "a" && does("baddisk", step)) {
        std::fprintf(stderr, "fake trainer: write failed: Input/output error\n");
        ::_exit(1);
    }
    while (does("hang", step)) ::usleep(50000);
    while (does("wait", step) && g_terminated == 0 && !fs::exists(folder.path / "control" / "go")) ::usleep(1000);
    if (does("half", step)) {
        const std::string line =
            toLine(MetricStep{step, step * config.tokensPerStep(), unixMillisecondsNow(), {{"loss", 1.0}}});
        (void)metrics.append(line.substr(0, line.size() / 2));
        std::abort();
    }
    if (fs::exists(folder.path / "control" / "mended")) return;
    if (does("kill", step) && (script.at("kill").value == 0 || attempt <= script.at("kill").value)) ::raise(SIGKILL);
    if (does("crash", step)) {
        std::fprintf(stderr, "fake trainer: crash asked for at step %lld\n", static_cast<long long>(step));
        std::abort();
    }
    if (does("exit", step)) ::_exit(static_cast<int>(script.at("exit").value));
}

int Trainer::run() {
    const bool deaf = script.contains("deaf");
    if (!deaf) ::signal(SIGTERM, [](int) { g_terminated = 1; });
    if (deaf) ::signal(SIGTERM, SIG_IGN);
    const fs::path once = folder.path / "control" / "port_was_taken";
    if (script.contains("port") && rank == 0 && !fs::exists(once)) {
        (void)writeFileAtomically(once, "");
        writeError("comm_failed", "the server socket cannot listen: EADDRINUSE, address already in use",
                   TrainerExit::CommunicationFailure, "world", "rendezvous");
        return static_cast<int>(TrainerExit::CommunicationFailure);
    }
    if (script.contains("orphan") && ::fork() == 0) {
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        for (;;) ::pause();
    }
    if (script.contains("tree") && script.at("tree").rank == rank)
        leaveTree(script.at("tree").value, folder.path.string());
    const std::int64_t start = resume ? newestCheckpoint() : 0;
    if (rank == 0 && start > 0) loadCheckpoint(folder.checkpoint(start));
    if (rank == 0 && start == 0 && !config.checkpoint.startFrom.empty()) loadCheckpoint(config.checkpoint.startFrom);
    if (rank == 0) {
        auto file = AppendFile::open(folder.metrics());
        if (!file) return static_cast<int>(TrainerExit::DiskFull);
        metrics = std::move(*file);
        (void)writeJsonFile(folder.environment(),
                            Json{{"slipway_version", versionText()}, {"program", "fake_trainer"}});
    }
    std::printf("fake trainer: rank %lld of %lld starts at step %lld\n", static_cast<long long>(rank),
                static_cast<long long>(worldSize), static_cast<long long>(start));
    std::fflush(stdout);
    say(MetricHeader{1, runId, attempt, start, worldSize, unixMillisecondsNow()});
    const std::int64_t ms = script.contains("ms") ? script.at("ms").value : script.contains("slow") ? 200 : 5;
    std::error_code code;
    for (std::int64_t step = start + 1; step <= config.train.numSteps; ++step) {
        misbehave(step);
        train(step);
        ::usleep(static_cast<useconds_t>(ms * 1000));
        const bool nan = script.contains("nan") && step >= script.at("nan").step;
        const double loss = nan ? std::numeric_limits<double>::quiet_NaN() : 10.0 / (1.0 + static_cast<double>(step));
        say(MetricStep{step,
                       step * config.tokensPerStep(),
                       unixMillisecondsNow(),
                       {{"loss", loss}, {"step_seconds", 1e-3 * static_cast<double>(ms)}, {"memory_peak_bytes", 1e6}}});
        if (nan) {
            say(MetricEvent{step, "nonfinite_loss", "rank 0", unixMillisecondsNow()});
            say(MetricEnd{"failed", step, static_cast<int>(TrainerExit::NonFinite), unixMillisecondsNow()});
            return static_cast<int>(TrainerExit::NonFinite);
        }
        const bool stop = !deaf && (g_terminated != 0 || fs::exists(folder.stopFile(), code));
        const std::int64_t every = config.checkpoint.everySteps;
        if (stop || (every > 0 && (step % every == 0 || step == config.train.numSteps))) saveCheckpoint(step);
        if (stop && step < config.train.numSteps) {
            say(MetricEnd{"cancelled", step, static_cast<int>(TrainerExit::Stopped), unixMillisecondsNow()});
            return static_cast<int>(TrainerExit::Stopped);
        }
    }
    say(MetricEnd{"completed", config.train.numSteps, 0, unixMillisecondsNow()});
    return 0;
}

/// Figures of its own for each computer, whose home is $HOME: a file bench.slow there makes it never end, bench.fails fail.
int bench(const std::vector<std::string>& arguments) {
    const fs::path home = variable("HOME");
    const std::int64_t world = number("WORLD_SIZE", 1);
    const auto measures = [&](const char* part) {
        return std::find(arguments.begin(), arguments.end(), part) != arguments.end();
    };
    if (fs::exists(home / "bench.fails")) {
        std::fprintf(stderr, "the fans stand still\n");
        return static_cast<int>(TrainerExit::CommunicationFailure);
    }
    if (fs::exists(home / "bench.slow")) {
        (void)writeFileAtomically(home / "bench.pid", std::to_string(::getpid()));
        for (;;) ::pause();
    }
    if (number("RANK", 0) > 0) return 0;
    Json out = {{"device", "fake"}, {"threads", 2}};
    const double speed = home.filename() == "b" ? 0.5 : 1;
    if (measures("--gemm"))
        out["peak_flops"] = {{"fp64", 5e10 * speed}, {"fp32", 1e11 * speed}, {"bf16", 2e10 * speed}};
    if (measures("--memory")) out["memory"] = {{"bytes_per_second", 8e9 * speed}};
    if (measures("--comm") && (world > 1 || measures("--memory"))) {
        const double rate = world > 1 ? 1e8 : 1e9;
        out["link"] = {{"bytes_per_second", rate}, {"latency_seconds", 1e-4}};
        out["comm_ranks"] = world > 1 ? world : 2;
        out["comm_ranks_per_node"] = world > 1 ? number("LOCAL_WORLD_SIZE", 1) : 2;
        for (const double bytes : {1e3, 1e6})
            out["comm"].push_back({{"operation", "all_reduce"}, {"bytes", bytes}, {"seconds", 2e-4 + bytes / rate}});
    }
    std::printf("%s\n", dumpJson(out, false).c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    Trainer trainer;
    fs::path configPath;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--version") {
            const std::string other = variable("SLIPWAY_FAKE_VERSION");
            std::printf("slipway-trainer %s\n", (other.empty() ? versionText() : other).c_str());
            return 0;
        }
        if (arguments[i] == "--left") stayBehind();
        if (arguments[i] == "bench") {
            return bench(arguments);
        }
        if (arguments[i] == "--config")
            configPath = arguments.at(++i);
        else if (arguments[i] == "--run-dir")
            trainer.folder.path = arguments.at(++i);
        else if (arguments[i] == "--resume")
            trainer.resume = !arguments.at(++i).empty();
        else if (arguments[i] == "--backend")
            ++i;
    }
    const auto json = readJsonFile(configPath);
    auto config = json ? parseRunConfig(*json, configPath.string()) : Result<RunConfig>(fail(json.error()));
    if (!config) {
        std::fprintf(stderr, "%s\n", config.error().text().c_str());
        return static_cast<int>(TrainerExit::BadConfig);
    }
    trainer.config = *config;
    trainer.rank = number("RANK", 0);
    trainer.worldSize = number("WORLD_SIZE", 1);
    trainer.attempt = number("SLIPWAY_ATTEMPT", 1);
    trainer.node = variable("SLIPWAY_NODE");
    trainer.runId = variable("SLIPWAY_RUN_ID");
    trainer.script = readScript(config->name);
    return trainer.run();
}
