#include "app/cli/run_tools.h"

#include "app/cli/interrupts.h"
#include "app/cli/print.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "core/remote/node_record.h"
#include "core/run/readiness.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <sstream>

namespace slipway {
namespace {

constexpr double kBusySeconds = 0.1;  // at most, between two looks at nodes that are sent something

}  // namespace

Result<std::vector<RunId>> findRuns(RunStore& store, const std::vector<std::string>& names) {
    std::vector<RunId> ids;
    for (const std::string& name : names) {
        const auto record = store.findRun(name);
        if (!record) return fail(record.error());
        ids.push_back(record->id);
    }
    return ids;
}

std::string allOf(const std::vector<std::string>& filters) {
    std::vector<std::string> some;
    for (const std::string& filter : filters)
        if (!filter.empty()) some.push_back(filter);
    if (some.size() == 1) return some.front();
    std::string all;
    for (const std::string& filter : some) all += (all.empty() ? "(" : " (") + filter + ")";
    return all;
}

Result<void> applySettings(Json& document, const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0)
            return fail("usage", "--set takes FIELD=VALUE, for example --set parallel.tp=2; got " + setting + ".");
        if (auto set = setField(document, setting.substr(0, equals), setting.substr(equals + 1)); !set) return set;
    }
    return {};
}

Result<RunConfig> loadConfig(const std::string& path, const std::vector<std::string>& settings,
                             const std::optional<std::string>& name) {
    auto document = readJsonFile(path);
    if (!document) return fail(document.error());
    if (auto set = applySettings(*document, settings); !set) return fail(set.error());
    if (name && document->is_object()) (*document)["name"] = *name;
    return parseRunConfig(*document, path);
}

std::string devicesLike(const std::string& name, std::optional<DeviceKind> kind) {
    const auto lowered = [](std::string text) {
        for (char& c : text)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return text;
    };
    std::vector<std::string> all, like;
    for (const ClusterSpec& preset : devicePresets()) {
        if (kind && preset.device.kind != *kind) continue;
        all.push_back(preset.device.name);
        // Every word that was typed stands in the name: "h100 sxm".
        std::istringstream words(lowered(name));
        const std::string full = lowered(preset.device.name);
        bool isLike = !name.empty();
        for (std::string word; words >> word;) isLike = isLike && full.find(word) != std::string::npos;
        if (isLike) like.push_back(preset.device.name);
    }
    if (like.empty())
        if (const std::string near = nearestKey(name, all); !near.empty()) like.push_back(near);
    std::string list;
    for (const std::string& one : like.empty() ? all : like)
        list += (list.empty() ? "" : like.empty() ? ", " : " or ") + one;
    return like.empty() ? "The library has " + list + "." : "Did you mean " + list + "?";
}

Result<ClusterSpec> libraryCluster(const std::string& name, std::int64_t numDevices, std::optional<DeviceKind> kind) {
    const std::vector<const ClusterSpec*> meant = devicePresetsLike(name, kind);
    if (meant.empty())
        return fail("usage", "The library has no device " + name + ". " + devicesLike(name, kind), "--device");
    if (meant.size() > 1) {
        std::string list;
        for (const ClusterSpec* one : meant) list += (list.empty() ? "" : " or ") + one->device.name;
        return fail("usage", name + " may be several devices of the library. Did you mean " + list + "?", "--device");
    }
    ClusterSpec cluster = *meant.front();
    const std::int64_t perNode = std::max<std::int64_t>(1, cluster.devicesPerNode);
    cluster.numNodes = std::max(cluster.numNodes, (numDevices + perNode - 1) / perNode);
    return cluster;
}

bool namesLibraryDevice(const std::string& cluster) {
    std::error_code ignored;
    return findDevicePreset(cluster) != nullptr ||
           (!std::filesystem::exists(cluster, ignored) && devicePresetsLike(cluster).size() == 1);
}

Result<MachineProfile> knownMachine(CliContext& context, bool again) {
    if (!again)
        if (const auto stored = machineProfile(context.home)) return *stored;
    progressLine(context, "Measuring this computer");
    double load = 0;
    (void)getloadavg(&load, 1);
    auto profile = measureMachine(context.home, context.programs, context.now());
    endProgressLine(context);
    if (profile)
        if (const std::string busy = busyText(load, profile->cpus); !busy.empty())
            context.err << "note: " << busy << '\n';
    return profile;
}

Result<ClusterSpec> clusterFor(CliContext& context, const std::string& clusterFile, std::int64_t numDevices) {
    if (clusterFile.empty() || clusterFile == "here") {
        const auto profile = knownMachine(context);
        if (!profile) context.err << "note: " << printable(profile.error().text()) << " Times and MFU stay unknown.\n";
        return thisMachine(context.home);
    }
    std::error_code ignored;
    if (findDevicePreset(clusterFile) != nullptr ||
        (!std::filesystem::exists(clusterFile, ignored) && !devicePresetsLike(clusterFile).empty())) {
        auto cluster = libraryCluster(clusterFile, numDevices);
        if (!cluster) return fail(cluster.error().code, cluster.error().message, "--cluster");
        if (cluster->device.name != clusterFile)
            context.err << "note: " << printable(clusterFile) << " is taken as " << printable(cluster->device.name)
                        << ".\n";
        return cluster;
    }
    const auto json = readJsonFile(clusterFile);
    if (!json && json.error().code == "file_missing")
        return fail("file_missing", "This is neither a file nor a device of the library. " + devicesLike(clusterFile),
                    clusterFile);
    if (!json) return fail(json.error());
    Issues issues;
    ClusterSpec cluster = clusterFromJson(*json, issues);
    if (!hasErrors(issues)) return cluster;
    return fail("bad_config", issues, clusterFile);
}

Result<ClusterSpec> clusterOf(CliContext& context, const std::string& cluster, const RunConfig& config,
                              std::int64_t numDevices) {
    if (!cluster.empty() || config.train.device == DeviceKind::Cpu) return clusterFor(context, cluster, numDevices);
    if (config.train.device == DeviceKind::Tpu)
        return fail("usage", "The config trains on TPUs; name them. " + devicesLike("", DeviceKind::Tpu), "--cluster");
    context.err << "note: the config trains on GPUs; planned for " << kUsualDevice << ", changed by --cluster.\n";
    return clusterFor(context, kUsualDevice, numDevices);
}

void progressLine(CliContext& context, const std::string& text) {
    if (context.errIsTerminal) context.err << "\r\x1b[K" << printable(text) << std::flush;
}

void endProgressLine(CliContext& context) {
    if (context.errIsTerminal) context.err << "\r\x1b[K" << std::flush;
}

std::string timeLeftText(double seconds) {
    return "about " + asciiText(formatSeconds(seconds < 10 ? std::ceil(seconds) : std::round(seconds))) + " left";
}

std::string timeText(std::optional<std::int64_t> unixMilliseconds) {
    if (!unixMilliseconds || *unixMilliseconds == 0) return "-";
    const auto time = static_cast<std::time_t>(*unixMilliseconds / 1000);
    std::tm parts{};
    localtime_r(&time, &parts);
    char text[40];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    return text;
}

Result<void> requireTrainer(const CliContext& context) {
    if (!context.programs.trainer.empty()) return {};
    return fail(
        "program_missing",
        "slipway-trainer was not found beside slipway; build it with libtorch (./run does), or set SLIPWAY_BIN_DIR.");
}

int followRun(CliContext& context, RunSession& session) {
    const std::int64_t begin = context.now();
    const std::int64_t firstStep = session.lastStep();
    const int interruptsAtStart = context.interrupts();
    int handled = 0;
    while (true) {
        const std::int64_t now = context.now();
        for (const RunEvent& event : session.poll(now)) {
            if (event.kind != RunEvent::Kind::Problem && event.kind != RunEvent::Kind::Event) continue;
            endProgressLine(context);
            context.err << (event.kind == RunEvent::Kind::Problem
                                ? "problem: "
                                : "step " + std::to_string(event.step) + ": " + printable(event.name) + " ")
                        << printable(event.text) << '\n';
        }
        if (session.done()) break;
        const int interrupts = context.interrupts() - interruptsAtStart;
        if (interrupts > handled) {
            handled = interrupts;
            endProgressLine(context);
            if (interrupts >= 2) {
                context.err << "The run goes on; `slipway logs -f " << session.id().value
                            << "` follows it, `slipway stop` ends it.\n";
                return kExitInterrupted;
            }
            context.err << "Stopping after the current step; Ctrl-C again leaves the run alone.\n";
            if (auto stopped = session.stop(now); !stopped)
                context.err << "problem: " << printable(stopped.error().text()) << '\n';
        }
        const std::optional<std::int64_t> steps = session.numSteps();
        std::string line = session.config().name + ": step " + std::to_string(session.lastStep());
        if (steps) line += " of " + std::to_string(*steps);
        if (steps && session.lastStep() > firstStep)
            line += ", " + timeLeftText(static_cast<double>(now - begin) / 1000 *
                                        static_cast<double>(*steps - session.lastStep()) /
                                        static_cast<double>(session.lastStep() - firstStep));
        progressLine(context, line);
        if (session.isBusy())
            session.wait(kBusySeconds);
        else
            context.waitFor(session.newsFds());
    }
    endProgressLine(context);
    if (handled > 0 && session.status() == RunStatus::Cancelled) return kExitInterrupted;
    return session.status() == RunStatus::Completed ? kExitDone : kExitFailed;
}

void hearNodes(CliContext& context, RunSession& session) {
    constexpr std::int64_t kPatienceMilliseconds = 60000;
    const std::int64_t begin = context.now();
    do {
        for (const RunEvent& event : session.poll(context.now()))
            if (event.kind == RunEvent::Kind::Problem) context.err << "problem: " << printable(event.text) << '\n';
        if (!session.isBusy()) return;
        session.wait(kBusySeconds);
    } while (context.interrupts() == 0 && context.now() - begin < kPatienceMilliseconds);
}

Result<void> followDetached(const CliContext& context, const RunId& run) {
    ProcessSpec spec;
    spec.arguments = {
        (programFolder() / "slipway").string(), "--home", context.home.path.string(), "logs", "-f", run.value};
    spec.newSession = true;
    const auto follower = Process::start(spec);
    if (!follower) return fail(follower.error());
    return {};
}

namespace {

/// Starts a run that has been made, and follows it unless `detach`.
Result<int> startSession(CliContext& context, RunSession& session, bool detach, const std::string& restart) {
    if (auto started = session.launch(context.now()); !started) return fail(started.error());
    context.err << "Run " << session.id().value << " started.\n";
    if (detach && (session.isRemote() || session.isBusy())) hearNodes(context, session);  // until the agents have it
    const bool hasFailed = detach && session.done() && session.status() != RunStatus::Completed;
    if (detach && !hasFailed && restart == "auto")
        if (const auto followed = followDetached(context, session.id()); !followed)
            context.err << "note: it restarts while a window or `slipway logs -f " << session.id().value
                        << "` follows it: " << printable(followed.error().inLanguage(context.language)) << '\n';
    const int code = hasFailed ? kExitFailed : detach ? kExitDone : followRun(context, session);
    if (context.json) {
        context.out << dumpJson(Json{{"run_id", session.id().value},
                                     {"status", wordOf(session.status())},
                                     {"reason", session.reason().empty() ? Json(nullptr) : Json(session.reason())}},
                                true);
        return code;
    }
    if (detach && !hasFailed)
        context.out << session.id().value << '\n';
    else
        context.out << session.id().value << "  " << wordOf(session.status())
                    << (session.reason().empty() ? "" : ": " + printable(session.reason())) << '\n';
    return code;
}

}  // namespace

Result<int> startRun(CliContext& context, const RunConfig& config, const std::string& clusterFile,
                     const std::vector<std::string>& tags, bool detach, const StartPlace& place) {
    std::vector<NodeRecord> records;
    if (place.slurm) {
        if (auto good = checkSlurmOptions(*place.slurm); !good) return fail(good.error());
        if (const std::string& login = place.slurm->login; !login.empty())
            if (const auto node = findNode(context.home, login); !node) return fail(node.error());
    }
    for (const std::string& name : place.nodes) {
        auto node = findNode(context.home, name);
        if (!node) return fail(node.error());
        records.push_back(std::move(*node));
    }
    auto nodes = shareRanks(config, records);
    if (!nodes) return fail(nodes.error());
    const auto cluster = clusterFor(context, clusterFile, config.parallel.worldSize());
    if (!cluster) return fail(cluster.error());
    // A run that cannot start here is none: it would stand in the list as planned for ever.
    Issues issues =
        checkReadiness(config, gatherReadiness(config, context.home, context.programs),
                       makePlan(config, *cluster).memoryPeakBytes, !place.nodes.empty() || place.slurm.has_value());
    if (hasErrors(issues)) {
        std::erase_if(issues, [](const Issue& issue) { return issue.severity != Severity::Error; });
        return fail("not_ready", issues, config.name);
    }
    auto store = openStore(context);
    if (!store) return fail(store.error());
    handleInterrupts();
    RunRequest request;
    request.config = config;
    request.cluster = *cluster;
    request.tags = tags;
    request.nodes = std::move(*nodes);
    request.slurm = place.slurm;
    request.restart = place.restart;
    request.pool = place.nodes;
    auto session = RunSession::create(*store, context.home, request, context.now(), context.programs);
    if (!session) return fail(session.error());
    return startSession(context, *session, detach, place.restart);
}

Result<int> startProgram(CliContext& context, const ProgramRequest& request, bool detach) {
    if (context.programs.agent.empty())
        return fail("program_missing",
                    "%1 was not found beside this program; build it, or name its folder in SLIPWAY_BIN_DIR."_text(
                        std::string("slipway-agent")));
    auto store = openStore(context);
    if (!store) return fail(store.error());
    handleInterrupts();
    auto session = RunSession::createProgram(*store, context.home, request, context.now(), context.programs);
    if (!session) return fail(session.error());
    auto code = startSession(context, *session, detach, request.restart);
    if (!code || *code != kExitFailed) return code;
    const auto record = store->run(session->id());
    const int own = record ? record->exitCode.value_or(0) : 0;
    return own > 0 && own < 256 ? own : kExitFailed;
}

}  // namespace slipway
