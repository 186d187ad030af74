#include "core/launch/preflight.h"

#include "core/base/clock.h"
#include "core/base/units.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

namespace slipway {
namespace {

constexpr double kLeastInodes = 10'000;
constexpr double kLeastSharedBytes =
    64.0 * 1024 * 1024;  // the default limit of containers; NCCL and data loaders need more
constexpr double kLeastOpenFiles = 1024;
constexpr double kLeastDiskRate = 4e6;
constexpr double kLeastMemoryBytes = 512.0 * 1024 * 1024;
constexpr double kMostClockSeconds = 5;
constexpr double kBusyGpuShare = 0.05;  // of its memory: more than used by a driver and a display

std::optional<double> figureIn(const Json& json, const char* key) {
    if (!json.contains(key) || !json[key].is_number()) return {};
    const double value = json[key].get<double>();
    return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

std::string wordsIn(const Json& json, const char* key) {
    constexpr std::size_t kMost = 200;
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>().substr(0, kMost) : std::string();
}

Json orNull(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace

NodeHealth readHealth(const Json& answer) {
    NodeHealth health;
    health.freeInodes = figureIn(answer, "free_inodes");
    health.sharedMemoryBytes = figureIn(answer, "shm_bytes");
    health.openFiles = figureIn(answer, "open_files");
    health.availableMemoryBytes = figureIn(answer, "available_memory_bytes");
    health.memoryLimitBytes = figureIn(answer, "memory_limit_bytes");
    health.diskBytesPerSecond = figureIn(answer, "disk_bytes_per_second");
    health.load = figureIn(answer, "load");
    health.governor = wordsIn(answer, "governor");
    health.diskProblem = wordsIn(answer, "disk_problem");
    return health;
}

Json toJson(const NodeHealth& health) {
    Json gpus = Json::array();
    for (const GpuState& gpu : health.gpus)
        gpus.push_back(Json{{"index", gpu.index},
                            {"driver", gpu.driver},
                            {"used_bytes", orNull(gpu.usedBytes)},
                            {"total_bytes", orNull(gpu.totalBytes)},
                            {"mig", gpu.isPartitioned},
                            {"ecc_errors", gpu.eccErrors},
                            {"slowed", gpu.isSlowed}});
    return Json{{"free_inodes", orNull(health.freeInodes)},
                {"shm_bytes", orNull(health.sharedMemoryBytes)},
                {"open_files", orNull(health.openFiles)},
                {"available_memory_bytes", orNull(health.availableMemoryBytes)},
                {"memory_limit_bytes", orNull(health.memoryLimitBytes)},
                {"disk_bytes_per_second", orNull(health.diskBytesPerSecond)},
                {"load", orNull(health.load)},
                {"clock_offset_seconds", orNull(health.clockOffsetSeconds)},
                {"governor", health.governor.empty() ? Json(nullptr) : Json(health.governor)},
                {"disk_problem", health.diskProblem.empty() ? Json(nullptr) : Json(health.diskProblem)},
                {"gpu_states", std::move(gpus)}};
}

Issues checkHealth(const NodeHealth& health, const std::string& node, std::int64_t numRanks, bool onGpus) {
    Issues issues;
    const auto add = [&](Severity severity, const char* code, const Message& text) {
        issues.push_back(issueOf(severity, code, node, text));
    };
    const auto isBelow = [](const std::optional<double>& value, double least) { return value && *value < least; };
    if (!health.diskProblem.empty())
        add(Severity::Error, "disk_error",
            "The disk of %1 loses written data: %2. Choose another folder with `slipway nodes add --home-on-node`."_text(
                node, health.diskProblem));
    else if (isBelow(health.diskBytesPerSecond, kLeastDiskRate))
        add(Severity::Warning, "disk_slow",
            "The disk of %1 writes %2 per second; checkpoints take long."_text(
                node, formatBytes(*health.diskBytesPerSecond)));
    if (isBelow(health.freeInodes, 1))
        add(Severity::Error, "disk_full", "The file system of %1 takes no more files; remove some."_text(node));
    else if (isBelow(health.freeInodes, kLeastInodes))
        add(Severity::Warning, "few_inodes",
            "The file system of %1 takes only %2 more files."_text(node,
                                                                   static_cast<std::int64_t>(*health.freeInodes)));
    if (onGpus && numRanks > 1 && health.sharedMemoryBytes && *health.sharedMemoryBytes <= kLeastSharedBytes)
        add(Severity::Warning, "shared_memory_short",
            "/dev/shm of %1 has %2, which NCCL may exceed; start its container with more (--shm-size)."_text(
                node, formatBytes(*health.sharedMemoryBytes)));
    if (isBelow(health.openFiles, kLeastOpenFiles))
        add(Severity::Warning, "few_open_files",
            "A process on %1 may open %2 files; raise the limit (ulimit -n)."_text(
                node, static_cast<std::int64_t>(*health.openFiles)));
    const double memory = std::min(health.availableMemoryBytes.value_or(kLeastMemoryBytes),
                                   health.memoryLimitBytes.value_or(kLeastMemoryBytes));
    if (memory < kLeastMemoryBytes)
        add(Severity::Warning, "memory_tight", "%1 has %2 of memory free."_text(node, formatBytes(memory)));
    if (health.clockOffsetSeconds && *health.clockOffsetSeconds > kMostClockSeconds)
        add(Severity::Warning, "clock_skew",
            "The clock of %1 differs by %2 from this computer's; set up time synchronisation there."_text(
                node, Seconds{*health.clockOffsetSeconds}));
    if (!onGpus && health.governor == "powersave")
        add(Severity::Warning, "cpu_saves_power",
            "The CPU of %1 saves power (governor powersave); its steps take longer."_text(node));
    if (!onGpus) return issues;
    for (const GpuState& gpu : health.gpus) {
        if (gpu.usedBytes && gpu.totalBytes && *gpu.usedBytes > kBusyGpuShare * *gpu.totalBytes)
            add(Severity::Warning, "gpu_busy",
                "Another program has %1 of GPU %2 of %3; end it, or expect less memory and speed."_text(
                    formatBytes(*gpu.usedBytes), gpu.index, node));
        if (gpu.eccErrors > 0)
            add(Severity::Warning, "gpu_memory_errors",
                "GPU %1 of %2 counts memory errors (%3) that it did not correct; reset it, or leave the node out."_text(
                    gpu.index, node, gpu.eccErrors));
        if (gpu.isSlowed)
            add(Severity::Warning, "gpu_slowed",
                "GPU %1 of %2 is slowed by heat or power; check its cooling."_text(gpu.index, node));
        if (gpu.isPartitioned)
            add(Severity::Warning, "gpu_partitioned",
                "GPU %1 of %2 is divided (MIG); a rank gets one part of it."_text(gpu.index, node));
    }
    return issues;
}

Preflight::Preflight(std::vector<Node> nodes, bool onGpus) : m_nodes(nodes.size()), m_onGpus(onGpus) {
    for (std::size_t i = 0; i < nodes.size(); ++i) m_nodes[i].node = std::move(nodes[i]);
    for (At& at : m_nodes) {
        if (at.node.health) {
            at.health = *at.node.health;
            continue;
        }
        Errand health = simpleErrand(
            Json{{"do", "health"}, {"home", at.node.link->node().home}}, {}, [this, &at](const Frame& frame) {
                at.health = readHealth(*frame.header);
                // The travel time is subtracted from the difference.
                const double there = figureIn(*frame.header, "clock_unix_ms").value_or(0) / 1000;
                const double early = at.askedSeconds - there, late = there - m_now;
                if (there > 0 && at.askedSeconds > 0) at.health.clockOffsetSeconds = std::max({0.0, early, late});
            });
        health.make = [this, &at, make = health.make]() {
            at.askedSeconds = m_now;
            return make();
        };
        at.errands.add(std::move(health));
        if (!onGpus) continue;
        Errand gpus = simpleErrand(Json{{"do", "gpu_state"}});
        gpus.take = [&at](const Frame& frame, const Error* error) -> Result<bool> {
            if (error == nullptr) at.health.gpus = gpuStatesIn(frame.data);
            return true;  // without nvidia-smi they are unknown
        };
        at.errands.add(joining(std::move(gpus)));
    }
}

void Preflight::evaluate() {
    std::set<std::string> drivers;
    for (const At& at : m_nodes) {
        for (Issue& issue : checkHealth(at.health, at.node.name, at.node.numRanks, m_onGpus))
            m_issues.push_back(std::move(issue));
        for (const GpuState& gpu : at.health.gpus)
            if (!gpu.driver.empty()) drivers.insert(gpu.driver);
    }
    if (drivers.size() > 1)
        m_issues.push_back(
            issueOf(Severity::Warning, "drivers_differ", m_nodes.front().node.name,
                    "The GPU drivers of the nodes differ: %1 and %2."_text(*drivers.begin(), *drivers.rbegin())));
}

std::vector<std::size_t> nodesThatTry(std::size_t node, std::size_t numNodes, std::uint32_t seed) {
    std::vector<std::size_t> others;
    for (std::size_t k = 1; k < numNodes; ++k) others.push_back((node + k) % numNodes);
    if (numNodes <= kMeshNodes) return others;
    std::minstd_rand draw(seed + static_cast<std::uint32_t>(node));
    std::shuffle(others.begin() + 1, others.end(), draw);
    others.resize(kTriesPerNode);
    return others;
}

bool Preflight::take(const std::string& node, const LinkAnswer& answer) {
    for (const auto& meeting : m_meetings)
        if (meeting->take(node, answer)) return true;
    for (At& at : m_nodes)
        if (at.node.name == node && at.errands.take(answer)) return true;
    return false;
}

void Preflight::poll(double now) {
    if (done()) return;
    m_now = now;
    bool allDone = true;
    for (At& at : m_nodes) {
        at.errands.poll(*at.node.link, now);
        if (at.errands.error()) {
            m_error = *at.errands.error();
            m_error->where = at.node.name;
            return;
        }
        allDone = allDone && at.errands.done();
    }
    for (const auto& meeting : m_meetings) {
        meeting->poll(now);
        if (meeting->error()) {
            m_error = meeting->error();
            return;
        }
        allDone = allDone && meeting->done();
    }
    if (!allDone) return;
    if (m_phase == Phase::Reach) {
        m_phase = Phase::Done;
        return;
    }
    evaluate();
    m_phase = Phase::Reach;
    beginMeetings();
}

/// Where ranks of several nodes communicate, every node must be reachable from the others; the first is covered by the meeting.
void Preflight::beginMeetings() {
    const std::uint32_t seed = randomEntropy();
    std::size_t tried = 0;
    for (std::size_t i = 1; i < m_nodes.size(); ++i) {
        std::vector<Meeting::Place> places{{m_nodes[i].node.name, m_nodes[i].node.link}};
        std::vector<NodeFacts> facts{m_nodes[i].node.facts};
        for (const std::size_t other : nodesThatTry(i, m_nodes.size(), seed)) {
            places.push_back({m_nodes[other].node.name, m_nodes[other].node.link});
            facts.push_back(m_nodes[other].node.facts);
        }
        tried += places.size() - 1;
        m_meetings.push_back(std::make_unique<Meeting>(places, facts));
    }
    if (m_nodes.size() <= kMeshNodes) return;
    m_issues.push_back(issueOf(
        Severity::Info, "mesh_sampled", m_nodes.front().node.name,
        "%2 of %1 connections between the nodes were tested: with more than %3 nodes, each is tested from the next node and from %4 random ones."_text(
            (m_nodes.size() - 1) * (m_nodes.size() - 1), tried, kMeshNodes, kTriesPerNode - 1)));
}

}  // namespace slipway
