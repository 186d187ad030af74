#include "trainer/loop/train.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/stored_config.h"
#include "trainer/comm/gloo_group.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/comm/nccl_group.h"
#include "trainer/comm/start_together.h"
#include "trainer/kernels/device_rows.h"
#include "trainer/kernels/tf32.h"
#include "trainer/loop/train_rank.h"
#include "trainer/pipeline/micro_batch_graph.h"
#include "trainer/telemetry/hang_report.h"
#include "trainer/telemetry/tensor_memory.h"

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <mutex>
#include <new>
#include <sstream>

namespace slipway::trainer {
namespace {

std::atomic<bool> g_stopRequested{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may set it

extern "C" void onTerminate(int) {
    g_stopRequested.store(true);
}

void catchSignals() {
    struct sigaction action {};
    action.sa_handler = onTerminate;
    action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

std::filesystem::path homeOf(const TrainOptions& options) {
    if (!options.home.empty()) return options.home;
    const std::filesystem::path folder = std::filesystem::absolute(options.runDir).lexically_normal();
    if (std::getenv("SLIPWAY_HOME") == nullptr && folder.parent_path().filename() == "runs")
        return folder.parent_path().parent_path();
    return Home::resolve().path;
}

int exitCodeOf(const Error& error) {
    return static_cast<int>(error.code == "disk_full" ? TrainerExit::DiskFull : TrainerExit::BadConfig);
}

/// Reports to people (standard error) and programs (error file) why a rank ends.
class Reporter {
public:
    Reporter(RunDir dir, std::string node) : m_dir(std::move(dir)), m_node(std::move(node)) {}

    void waitsFor(std::int64_t rank, const std::string& missing) const {
        std::fprintf(
            stderr,
            "slipway-trainer: rank %lld: waits for ranks that have not come: %s; --join-seconds N waits longer\n",
            static_cast<long long>(rank), missing.c_str());
    }

    void stopped(std::int64_t rank) const {
        std::fprintf(stderr, "slipway-trainer: rank %lld: stopped on request before the first step\n",
                     static_cast<long long>(rank));
    }

    void failed(RankError error) const {
        error.timeUnixMilliseconds = unixMillisecondsNow();
        std::fprintf(stderr, "slipway-trainer: rank %lld: %s\n", static_cast<long long>(error.rank),
                     error.message.c_str());
        const std::filesystem::path path = m_dir.rankError(m_node, error.rank);
        if (const Result<void> made = makeFolders(path.parent_path()); !made) return;
        // On failure the message is on standard error.
        static_cast<void>(writeJsonFile(path, toJson(error)));
    }

    /// "rank 3 ended before the first step: ..." for the first error file of another rank, on any node, that is not
    /// older than the given time; otherwise "".
    [[nodiscard]] std::string endedSince(std::int64_t unixMilliseconds, std::int64_t ownRank) const {
        std::error_code ignored;
        for (std::filesystem::directory_iterator node(m_dir.path / "agent", ignored), end; !ignored && node != end;
             node.increment(ignored)) {
            std::error_code none;
            for (std::filesystem::directory_iterator file(node->path(), none); !none && file != end;
                 file.increment(none)) {
                if (!file->path().filename().string().starts_with("error_")) continue;
                const Result<Json> json = readJsonFile(file->path());
                const Result<RankError> error =
                    json ? rankErrorFromJson(*json, file->path().string()) : Result<RankError>(fail(json.error()));
                if (error && error->rank != ownRank && error->timeUnixMilliseconds >= unixMilliseconds)
                    return "rank " + std::to_string(error->rank) + " ended before the first step: " + error->message;
            }
        }
        return {};
    }

    /// Writes the position of this rank when it hangs or loses another: logs/hang_00003.txt.
    void stands(std::int64_t rank, const CommActivity& activity) const {
        char name[32];
        std::snprintf(name, sizeof name, "hang_%05lld.txt", static_cast<long long>(rank));
        if (const Result<void> made = makeFolders(m_dir.path / "logs"); !made) return;
        static_cast<void>(writeFileAtomically(m_dir.path / "logs" / name, hangReport(rank, activity)));
    }

private:
    RunDir m_dir;
    std::string m_node;
};

/// Milliseconds since the Unix epoch. Loading libtorch takes longer than another rank may live, so that an error of this start
/// may be older than main().
std::int64_t processStartUnixMilliseconds() {
    const std::int64_t now = unixMillisecondsNow();
    const std::string stat = readFile("/proc/self/stat").value_or("");
    std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    std::string field;
    for (int number = 3; number <= 22; ++number) fields >> field;  // the 22nd: clock ticks from boot to process start
    timespec sinceBoot{};
    const double ticks = std::atof(field.c_str());
    if (ticks <= 0 || clock_gettime(CLOCK_BOOTTIME, &sinceBoot) != 0) return now;
    const double age = static_cast<double>(sinceBoot.tv_sec) + static_cast<double>(sinceBoot.tv_nsec) * 1e-9 -
                       ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    return now - static_cast<std::int64_t>(1000 * age);
}

/// @param goesOn the run was started earlier, perhaps by an older version
Result<StoredConfig> readConfig(const TrainOptions& options, bool goesOn) {
    const Result<Json> json = readJsonFile(options.config);
    if (!json) return fail(json.error());
    StoredConfig read;
    Issues issues;
    if (goesOn) {
        Result<StoredConfig> stored = readStoredConfig(*json, options.config.string());
        if (!stored) return stored;
        read = std::move(*stored);
    } else {
        read.acting = read.config = runConfigFromJson(*json, issues);
    }
    const RunConfig& config = read.acting;
    if (!hasErrors(issues)) {
        for (const Issue& issue : validate(config)) issues.push_back(issue);
        for (const Issue& issue : trainerSupports(config)) issues.push_back(issue);
    }
    std::string text;
    for (const Issue& issue : issues) {
        if (issue.severity == Severity::Error) text += (text.empty() ? "" : "\n") + issue.field + ": " + issue.message;
    }
    if (!text.empty()) return fail("bad_config", text, options.config.string());
    return read;
}

/// Runs one rank in its own process.
int trainProcess(const TrainOptions& options, const StoredConfig& read, const RankEnvironment& environment,
                 const Reporter& reporter, const std::filesystem::path& tokens) {
    const RunConfig& config = read.acting;
    const auto activity = std::make_shared<CommActivity>();
    const std::int64_t begin = processStartUnixMilliseconds();
    std::unique_ptr<Rendezvous> rendezvous;
    std::unique_ptr<StartTogether> together;  // until the groups exist
    bool isMeeting = environment.worldSize > 1;
    const auto isStopRequested = [&] {
        std::error_code ignored;
        return g_stopRequested.load() || std::filesystem::exists(RunDir{options.runDir}.stopFile(), ignored);
    };
    const auto leave = [&](const RankError& error) {
        if (error.exitCode == static_cast<int>(TrainerExit::CommunicationFailure))
            reporter.stands(environment.rank, *activity);
        reporter.failed(error);
        if (together) together->failed(error.message);
        std::_Exit(error.exitCode);
    };
    try {
        GroupMaker maker;
        std::function<void()> beforeGroups;
        if (environment.worldSize > 1) {
            rendezvous = std::make_unique<Rendezvous>(
                environment, std::chrono::seconds(options.joinSeconds),
                [&](const std::string& missing) { reporter.waitsFor(environment.rank, missing); },
                [&] { return reporter.endedSince(begin, environment.rank); }, isStopRequested);
            together = std::make_unique<StartTogether>(*rendezvous);
            beforeGroups = [&] {
                together->wait();
                together.reset();
                isMeeting = false;
            };
            maker = options.backend == Backend::Nccl
                        ? ncclMaker(*rendezvous, static_cast<int>(environment.localRank), activity)
                        : glooMaker(*rendezvous, activity);
        }
        const RankSetup setup{
            options,          config, RunDir{options.runDir}, tokens, environment,  maker,       activity,
            rendezvous.get(), leave,  g_stopRequested,        {},     beforeGroups, read.leftOut};
        const Result<TrainerExit> outcome = trainRank(setup);
        if (outcome) return static_cast<int>(*outcome);
        leave({environment.rank, outcome.error().code, outcome.error().text(), {}, {}, exitCodeOf(outcome.error()), 0});
    } catch (const CommError& caught) {
        // Ranks that are stopped together see each other leave: whatever ended the wait, this one was to stop.
        if (!isMeeting || !isStopRequested()) leave(rankErrorOf(caught, environment.rank));
        reporter.stopped(environment.rank);
        if (together) together->failed("it was asked to stop");
        return static_cast<int>(TrainerExit::Stopped);
    } catch (const std::exception& caught) {
        leave(rankErrorOf(caught, environment.rank));
    }
    return 1;
}

/// Runs all ranks as threads.
int trainThreads(const TrainOptions& options, const StoredConfig& read, const RankEnvironment& environment,
                 const Reporter& reporter, const std::filesystem::path& tokens) {
    const RunConfig& config = read.acting;
    std::mutex mutex;
    int exitCode = static_cast<int>(TrainerExit::Completed);
    try {
        runInProcess(config.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
            TensorMemory::useOwnInThisThread();
            at::set_num_threads(static_cast<int>(config.train.threadsPerRank));
            RankEnvironment mine = environment;
            mine.rank = rank;
            mine.localRank = 0;
            mine.worldSize = config.parallel.worldSize();
            const auto activity = std::make_shared<CommActivity>();
            const auto leave = [&](const RankError& error) {
                reporter.failed(error);
                std::_Exit(error.exitCode);
            };
            const RankSetup setup{options,         config,  RunDir{options.runDir},
                                  tokens,          mine,    world.maker(rank, activity),
                                  activity,        nullptr, leave,
                                  g_stopRequested, {},      {},
                                  read.leftOut};
            const Result<TrainerExit> outcome = trainRank(setup);
            const std::lock_guard lock(mutex);
            if (outcome) {
                exitCode = static_cast<int>(*outcome);
                return;
            }
            exitCode = exitCodeOf(outcome.error());
            if (rank == 0) reporter.failed({rank, outcome.error().code, outcome.error().text(), {}, {}, exitCode, 0});
            world.fail(rank, outcome.error().message);
        });
    } catch (const std::exception& caught) {
        if (exitCode != 0) return exitCode;  // a consequence of the failure reported above
        const RankError error = rankErrorOf(caught, 0);
        reporter.failed(error);
        return error.exitCode;
    }
    return exitCode;
}

}  // namespace

RankError rankErrorOf(const std::exception& caught, std::int64_t rank) {
    RankError error;
    error.rank = rank;
    const std::string what = caught.what();
    const auto* comm = dynamic_cast<const CommError*>(&caught);
    if (comm != nullptr) {
        error.code = "comm_failure";
        error.group = comm->group();
        error.operation = comm->operation();
        error.exitCode = static_cast<int>(TrainerExit::CommunicationFailure);
    } else if (dynamic_cast<const std::bad_alloc*>(&caught) != nullptr ||
               what.find("can't allocate memory") != std::string::npos ||
               what.find("out of memory") != std::string::npos) {
        error.code = "out_of_memory";
        error.exitCode = static_cast<int>(TrainerExit::OutOfMemory);
    } else if (dynamic_cast<const KernelRefused*>(&caught) != nullptr) {
        error.code = "kernel_refused";
        error.exitCode = 1;
    } else if (dynamic_cast<const GraphMismatch*>(&caught) != nullptr) {
        error.code = "graph_mismatch";
        error.exitCode = 1;
    } else {
        error.code = "crashed";
        error.exitCode = 1;
    }
    // c10 appends its stack, preceded by one of these lines.
    error.message = what.substr(0, std::min(what.find("\nException raised from"), what.find("\nframe #")));
    return error;
}

int train(const TrainOptions& given) {
    TrainOptions options = given;
    const Result<RankEnvironment> environment = RankEnvironment::read();
    const Reporter reporter(RunDir{options.runDir}, environment ? environment->node : "local");
    const auto refuse = [&](const Error& error) {
        reporter.failed({environment ? environment->rank : 0, error.code, error.text(), {}, {}, exitCodeOf(error), 0});
        return exitCodeOf(error);
    };
    if (!environment) return refuse(environment.error());
    const Result<StoredConfig> read = readConfig(options, !options.resume.empty() || environment->attempt > 1);
    if (!read) return refuse(read.error());
    const RunConfig* config = &read->acting;
    options.backend = backendFor(given.backend, config->train.device);
    const bool threads = options.backend == Backend::InProcess;
    if (!threads && environment->worldSize != config->parallel.worldSize()) {
        return refuse({"wrong_world_size",
                       "WORLD_SIZE is " + std::to_string(environment->worldSize) + ", the layout needs " +
                           std::to_string(config->parallel.worldSize()) + " ranks.",
                       "parallel"});
    }
    catchSignals();
    installTensorMemory();
    at::set_num_threads(static_cast<int>(config->train.threadsPerRank));
    const Tf32Products products(config->train.precision == Precision::Tf32);
    const std::filesystem::path tokens = Home{homeOf(options)}.tokenFile(config->data.tokens);
    return threads ? trainThreads(options, *read, *environment, reporter, tokens)
                   : trainProcess(options, *read, *environment, reporter, tokens);
}

}  // namespace slipway::trainer
