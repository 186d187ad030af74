#include "app/cli/run_tools.h"

#include "app/cli/interrupts.h"
#include "app/cli/print.h"
#include "core/base/json_fields.h"
#include "core/base/recorded_text.h"
#include "core/base/units.h"
#include "core/launch/lost_attempts.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/stack/chosen_stack.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "core/remote/node_record.h"
#include "core/run/alert_watch.h"
#include "core/run/measured_nodes.h"
#include "core/run/missing_figures.h"
#include "core/run/readiness.h"
#include "core/run/slow_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <utility>

namespace slipway {
namespace {

constexpr std::int64_t kFiguresPatienceMilliseconds = 60000;  // time of a program until its first figure
constexpr double kBusySeconds = 0.1;  // longest wait between two polls while data is sent to nodes

/// "a or b or c".
Message eitherOf(const std::vector<std::string>& names) {
    Message list;
    for (const std::string& name : names) list = list.empty() ? Message::name(name) : "%1 or %2"_text(list, name);
    return list;
}

void noteMeasured(CliContext& context, const MeasuredNodes& measured) {
    std::vector<Message> names;
    for (const std::string& name : measured.names()) names.push_back(Message::name(name));
    context.note((names.size() == 1 ? "hardware: node %1, measured here at %2."_text
                                    : "hardware: the slowest of %1, measured here at %2."_text)(
        listOf(names), timeText(measured.unixMilliseconds)));
}

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
            return fail("usage", "--set takes FIELD=VALUE, for example --set parallel.tp=2; got %1."_text(setting));
        if (auto set = setField(document, setting.substr(0, equals), setting.substr(equals + 1)); !set) return set;
    }
    return {};
}

Result<RunConfig> loadConfig(const std::string& path, const std::vector<std::string>& settings,
                             const std::optional<std::string>& name) {
    auto document = readJsonFile(path);
    if (!document) return fail(document.error());
    if (document->is_object() && document->contains("base") && !document->contains("model"))
        return fail("usage", "This file describes a sweep, not a run; `slipway sweep %1` starts it."_text(path), path);
    if (auto set = applySettings(*document, settings); !set) return fail(set.error());
    if (name && document->is_object()) (*document)["name"] = *name;
    return parseRunConfig(*document, path);
}

Message devicesLike(const std::string& name, std::optional<DeviceKind> kind) {
    const auto lowered = [](std::string text) {
        for (char& c : text)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return text;
    };
    std::vector<std::string> all, like;
    for (const ClusterSpec& preset : devicePresets()) {
        if (kind && preset.device.kind != *kind) continue;
        all.push_back(preset.device.name);
        // Every typed word is part of the name: "h100 sxm".
        std::istringstream words(lowered(name));
        const std::string full = lowered(preset.device.name);
        bool isLike = !name.empty();
        for (std::string word; words >> word;) isLike = isLike && full.find(word) != std::string::npos;
        if (isLike) like.push_back(preset.device.name);
    }
    if (like.empty())
        if (const std::string near = nearestKey(name, all); !near.empty()) like.push_back(near);
    if (!like.empty()) return "Did you mean %1?"_text(eitherOf(like));
    std::vector<Message> names;
    for (const std::string& one : all) names.push_back(Message::name(one));
    return "The library has %1."_text(listOf(names));
}

Result<ClusterSpec> libraryCluster(const std::string& name, std::int64_t numDevices, std::optional<DeviceKind> kind) {
    const std::vector<const ClusterSpec*> meant = devicePresetsLike(name, kind);
    if (meant.empty())
        return fail("usage", "The library has no device %1. %2"_text(name, devicesLike(name, kind)), "--device");
    if (meant.size() > 1) {
        std::vector<std::string> names;
        for (const ClusterSpec* one : meant) names.push_back(one->device.name);
        return fail("usage", "%1 may be several devices of the library. Did you mean %2?"_text(name, eitherOf(names)),
                    "--device");
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
    const Message told = "Measuring this computer"_text;
    progressLine(context, told);
    if (!context.errIsTerminal && !context.programs.trainer.empty()) context.note("%1."_text(told));
    double load = 0;
    (void)getloadavg(&load, 1);
    auto profile = measureMachine(context.home, context.programs, context.now());
    endProgressLine(context);
    if (profile)
        if (const Message busy = busyText(load, profile->cpus); !busy.empty()) context.note(busy);
    return profile;
}

std::vector<std::string> namesIn(const std::string& list) {
    std::vector<std::string> names;
    std::istringstream in(list);
    for (std::string name; std::getline(in, name, ',');) names.push_back(name);
    return names;
}

Result<ClusterSpec> clusterFor(CliContext& context, const std::string& clusterFile, std::int64_t numDevices) {
    if (clusterFile.empty() || clusterFile == "here") {
        const auto profile = knownMachine(context);
        if (!profile) context.note("%1 Times and MFU remain unknown."_text(profile.error().sentence()));
        return thisMachine(context.home);
    }
    if (clusterFile.starts_with(kNodesPrefix)) {
        auto measured = findMeasuredNodes(context.home, namesIn(clusterFile.substr(kNodesPrefix.size())));
        if (!measured) return fail(measured.error());
        noteMeasured(context, *measured);
        return std::move(measured->cluster);
    }
    std::error_code ignored;
    if (findDevicePreset(clusterFile) != nullptr ||
        (!std::filesystem::exists(clusterFile, ignored) && !devicePresetsLike(clusterFile).empty())) {
        auto cluster = libraryCluster(clusterFile, numDevices);
        if (!cluster) return fail(cluster.error().code, cluster.error().sentence(), "--cluster");
        if (cluster->device.name != clusterFile)
            context.note("%1 is taken as %2."_text(clusterFile, cluster->device.name));
        return cluster;
    }
    const auto json = readJsonFile(clusterFile);
    if (!json && json.error().code == "file_missing")
        return fail("file_missing",
                    "This is neither a file nor a device of the library. %1"_text(devicesLike(clusterFile)),
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
        return fail("usage", "The config trains on TPUs; name them. %1"_text(devicesLike("", DeviceKind::Tpu)),
                    "--cluster");
    context.note("the config trains on GPUs; planned for %1, changed by --cluster."_text(std::string(kUsualDevice)));
    return clusterFor(context, kUsualDevice, numDevices);
}

Result<std::string> clusterOfNodes(CliContext& context, const std::vector<std::string>& nodes) {
    std::string list;
    for (const std::string& name : nodes) {
        if (const auto known = findNode(context.home, name); !known) return fail(known.error());
        list += (list.empty() ? "" : ",") + name;
    }
    if (nodes.empty()) return list;
    if (findMeasuredNodes(context.home, nodes)) return std::string(kNodesPrefix) + list;
    context.note("the forecast is not for these nodes; `slipway nodes bench %1` measures them."_text(list));
    return std::string();
}

void progressLine(CliContext& context, const Message& text) {
    if (context.errIsTerminal) context.err << "\r\x1b[K" << printable(context.text(text)) << std::flush;
}

void endProgressLine(CliContext& context) {
    if (context.errIsTerminal) context.err << "\r\x1b[K" << std::flush;
}

Message timeLeftText(double seconds) {
    return "about %1 left"_text(Seconds{seconds < 10 ? std::ceil(seconds) : std::round(seconds)});
}

Message phaseText(std::string_view phase) {
    for (const auto& [word, text] :
         {std::pair{"hash", "checking the sources"_text}, std::pair{"read", "reading"_text},
          std::pair{"sample", "sampling"_text}, std::pair{"tokenizer", "making the tokenizer"_text},
          std::pair{"encode", "encoding"_text}, std::pair{"write", "writing"_text}})
        if (phase == word) return text;
    return Message::name(phase);
}

Message statusText(const CliContext& context, RunStatus status, const std::string& reason) {
    return reason.empty() ? statusText(status)
                          : "%1: %2"_text(statusText(status), recordedText(reason, context.language));
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
        "slipway-trainer was not found in the folder of slipway; build it with libtorch (./run does), or set SLIPWAY_BIN_DIR."_text);
}

int followRun(CliContext& context, RunSession& session) {
    const std::int64_t begin = context.now();
    const std::int64_t firstStep = session.lastStep();
    const int interruptsAtStart = context.interrupts();
    int handled = 0;
    bool saidMissing = false;
    while (true) {
        const std::int64_t now = context.now();
        for (const RunEvent& event : session.poll(now)) {
            const bool isProblem = event.kind == RunEvent::Kind::Problem;
            if (!isProblem && event.kind != RunEvent::Kind::Event) continue;
            const bool isAlert = event.name.starts_with(AlertWatch::kEventPrefix);
            endProgressLine(context);
            if (event.name == kMissingFiguresEvent) {
                if (!std::exchange(saidMissing, true)) context.note(missingFiguresText());
                continue;
            }
            context.err << (isAlert     ? "alert: %1"_text(recordedText(event.text, context.language))
                            : isProblem ? "problem: %1"_text(event.text)
                                        : "step %1: %2 %3"_text(event.step, event.name, event.text))
                        << '\n';
        }
        if (session.done()) break;
        if (!saidMissing && session.lastStep() == 0 && now - begin > kFiguresPatienceMilliseconds) {
            saidMissing = true;
            const auto folder = context.home.run(session.id());
            if (const auto why = folder ? missingFigures(*folder) : std::nullopt) {
                endProgressLine(context);
                context.note(*why);
            }
        }
        const int interrupts = context.interrupts() - interruptsAtStart;
        if (interrupts > handled) {
            handled = interrupts;
            endProgressLine(context);
            if (interrupts >= 2) {
                context.err << "The run continues; `slipway logs -f %1` follows it, `slipway stop` ends it."_text(
                                   session.id().value)
                            << '\n';
                return kExitInterrupted;
            }
            context.err << "Stopping after the current step; Ctrl-C again leaves the run alone."_text << '\n';
            if (auto stopped = session.stop(now); !stopped)
                context.err << "problem: %1"_text(stopped.error().sentence()) << '\n';
        }
        const std::optional<std::int64_t> steps = session.numSteps();
        Message line = steps ? "%1: step %2 of %3"_text(session.config().name, session.lastStep(), *steps)
                             : "%1: step %2"_text(session.config().name, session.lastStep());
        if (steps && session.lastStep() > firstStep)
            line = "%1, %2"_text(line, timeLeftText(static_cast<double>(now - begin) / 1000 *
                                                    static_cast<double>(*steps - session.lastStep()) /
                                                    static_cast<double>(session.lastStep() - firstStep)));
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
            if (event.kind == RunEvent::Kind::Problem) context.err << "problem: %1"_text(event.text) << '\n';
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

/// "not_ready" with the errors among the issues, if any.
Result<void> refuseErrors(Issues issues, const RunConfig& config) {
    if (!hasErrors(issues)) return {};
    std::erase_if(issues, [](const Issue& issue) { return issue.severity != Severity::Error; });
    return fail("not_ready", issues, config.name);
}

/// Starts a run that has been created, and follows it unless `detach`.
Result<int> startSession(CliContext& context, RunSession& session, bool detach, const std::string& restart) {
    if (auto started = session.launch(context.now()); !started) return fail(started.error());
    context.err << "Run %1 started."_text(session.id().value) << '\n';
    if (detach && (session.isRemote() || session.isBusy())) hearNodes(context, session);  // until the agents have it
    const bool hasFailed = detach && session.done() && session.status() != RunStatus::Completed;
    if (detach && !hasFailed && restart == "auto")
        if (const auto followed = followDetached(context, session.id()); !followed)
            context.note("it restarts while a window or `slipway logs -f %1` follows it: %2"_text(
                session.id().value, followed.error().sentence()));
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
        context.out << session.id().value << "  " << statusText(context, session.status(), session.reason()) << '\n';
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
        if (auto lost = lostRanksOn(context.home, name)) return fail(std::move(*lost));
        if (const auto proposal = exclusionProposal(context.home, name, context.now())) context.note(*proposal);
        records.push_back(std::move(*node));
    }
    auto nodes = shareRanks(config, records);
    if (!nodes) return fail(nodes.error());
    // Before this computer is measured for the forecast.
    if (auto valid = refuseErrors(validate(config), config); !valid) return fail(valid.error());
    auto named = clusterFile.empty() ? clusterOfNodes(context, place.nodes) : Result<std::string>(clusterFile);
    if (!named) return fail(named.error());
    const bool isAway = !place.nodes.empty() || place.slurm.has_value();
    const std::int64_t world = config.parallel.worldSize();
    auto hardware = isAway ? clusterOf(context, *named, config, world) : clusterFor(context, *named, world);
    if (!hardware) return fail(hardware.error());
    const auto chosen = chooseStack("", config, std::move(*hardware));
    if (!chosen) return fail(chosen.error());
    const ClusterSpec& cluster = chosen->cluster;
    if (const auto other = otherSoftwareNote(config, cluster)) context.note(*other);
    const auto plan = std::make_shared<const Plan>(makePlan(config, cluster));
    // A run that cannot start here is not created: it would be listed as planned forever.
    const Issues issues = checkReadiness(config, gatherReadiness(config, context.home, context.programs),
                                         plan->memoryPeakBytes, !place.nodes.empty() || place.slurm.has_value());
    if (auto ready = refuseErrors(issues, config); !ready) return fail(ready.error());
    auto store = openStore(context);
    if (!store) return fail(store.error());
    handleInterrupts();
    RunRequest request;
    request.config = config;
    request.cluster = cluster;
    request.tags = tags;
    request.nodes = std::move(*nodes);
    request.slurm = place.slurm;
    request.restart = place.restart;
    request.pool = place.nodes;
    request.plan = plan;
    auto session = RunSession::create(*store, context.home, request, context.now(), context.programs);
    if (!session) return fail(session.error());
    return startSession(context, *session, detach, place.restart);
}

Result<int> startProgram(CliContext& context, const ProgramRequest& request, bool detach) {
    if (context.programs.agent.empty())
        return fail(
            "program_missing",
            "%1 was not found in the folder of this program; build it, or name its folder in SLIPWAY_BIN_DIR."_text(
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
