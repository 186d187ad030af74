// Fields: squeue(1) and sacct(1) of Slurm 22.05; states: JOB STATE CODES there, with those that later versions added.
#include "core/launch/slurm_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace slipway {
namespace {

constexpr std::size_t kMostJobs = 100000;
constexpr std::size_t kLongestLine = 4096;

std::optional<std::int64_t> numberIn(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size() || number < 0) return {};
    return number;
}

/// "CANCELLED by 0" and "CANCELLED+" are CANCELLED.
std::string firstWord(std::string_view state) {
    return std::string(state.substr(0, state.find_first_of(" +")));
}

/// Exactly this many fields; the last one keeps further delimiters.
std::vector<std::string_view> fieldsOf(std::string_view line, char delimiter, std::size_t number) {
    std::vector<std::string_view> fields;
    while (fields.size() + 1 < number) {
        const std::size_t end = line.find(delimiter);
        if (end == std::string_view::npos) return {};
        fields.push_back(line.substr(0, end));
        line.remove_prefix(end + 1);
    }
    fields.push_back(line);
    return fields;
}

/// The elements that "3" or "[3-9,12,20-30:5%2]" lists, in Slurm's notation; nothing for another text.
std::optional<std::vector<std::int64_t>> indicesIn(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    text = text.substr(0, text.find('%'));
    std::vector<std::int64_t> indices;
    for (;;) {
        const std::size_t comma = text.find(',');
        const std::string_view part = text.substr(0, comma);
        const std::size_t dash = part.find('-'), colon = std::min(part.find(':'), part.size());
        const auto first = numberIn(part.substr(0, std::min(dash, colon)));
        const auto last = dash < colon ? numberIn(part.substr(dash + 1, colon - dash - 1)) : first;
        const auto step = colon < part.size() ? numberIn(part.substr(colon + 1)) : std::optional<std::int64_t>(1);
        if (!first || !last || !step || *step < 1 || *last > static_cast<std::int64_t>(kMostJobs)) return {};
        for (std::int64_t index = *first; index <= *last; index += *step) {
            if (indices.size() >= kMostJobs) return {};
            indices.push_back(index);
        }
        if (comma == std::string_view::npos) return indices;
        text.remove_prefix(comma + 1);
    }
}

SlurmTable readTable(std::string_view text, char delimiter) {
    constexpr std::size_t kFields = 4;
    SlurmTable table;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos || table.jobs.size() >= kMostJobs) {
            table.isWhole = false;
            break;
        }
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.empty()) continue;
        const auto fields =
            line.size() <= kLongestLine ? fieldsOf(line, delimiter, kFields) : std::vector<std::string_view>{};
        const std::string_view id = fields.empty() ? std::string_view() : fields[0];
        const std::size_t underscore = id.find('_');
        const auto number = numberIn(id.substr(0, underscore));
        const std::string state = fields.empty() ? std::string() : firstWord(fields[1]);
        const bool isOfArray = underscore != std::string_view::npos;
        const auto indices = isOfArray ? indicesIn(id.substr(underscore + 1)) : std::vector<std::int64_t>{0};
        if (!number || state.empty() || !indices || table.jobs.size() + indices->size() > kMostJobs) {
            table.isWhole = false;
            continue;
        }
        const std::string digits = std::to_string(*number), name(fields[3]), reason(fields[2]);
        for (const std::int64_t index : *indices) {
            const std::string own = std::to_string(index);
            table.jobs.push_back({*number, isOfArray ? elementOf(name, index) : name, state, reason,
                                  isOfArray ? digits + "_" + own : digits});
        }
    }
    return table;
}

}  // namespace

JobPhase SlurmJob::phase() const {
    const auto isOneOf = [&](auto words) { return std::find(words.begin(), words.end(), state) != words.end(); };
    if (isOneOf(std::array<std::string_view, 6>{"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT",
                                                "RESV_DEL_HOLD"}))
        return JobPhase::Pending;
    if (isOneOf(std::array<std::string_view, 8>{"RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED",
                                                "RESIZING", "SIGNALING", "STAGE_OUT"}))
        return JobPhase::Running;
    if (isOneOf(std::array<std::string_view, 11>{"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL",
                                                 "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "LAUNCH_FAILED",
                                                 "RECONFIG_FAIL"}))
        return JobPhase::Ended;
    return JobPhase::Unknown;
}

std::string elementOf(const std::string& array, std::int64_t index) {
    return array + "/" + std::to_string(index);
}

std::string arrayOf(const std::string& job) {
    return job.substr(0, job.find('/'));
}

bool isElement(const std::string& job) {
    return job.find('/') != std::string::npos;
}

SlurmTable readSqueue(std::string_view text) {
    return readTable(text, '|');
}

SlurmTable readSacct(std::string_view text) {
    return readTable(text, kSacctDelimiter);
}

bool isMissingElement(const SlurmTable& table, const std::string& job) {
    const std::string array = arrayOf(job);
    return isElement(job) && newestOf(table, job) == nullptr &&
           std::ranges::any_of(table.jobs, [&](const SlurmJob& other) { return arrayOf(other.name) == array; });
}

const SlurmJob* newestOf(const SlurmTable& table, std::string_view name) {
    const SlurmJob* newest = nullptr;
    for (const SlurmJob& job : table.jobs) {
        if (job.name != name) continue;
        const auto order = [](const SlurmJob& one) { return std::pair(one.phase() != JobPhase::Ended, one.number); };
        if (newest == nullptr || order(job) > order(*newest)) newest = &job;
    }
    return newest;
}

std::optional<std::int64_t> jobNumberIn(std::string_view printed) {
    while (!printed.empty() && (printed.back() == '\n' || printed.back() == ' ')) printed.remove_suffix(1);
    if (const std::size_t line = printed.rfind('\n'); line != std::string_view::npos) printed.remove_prefix(line + 1);
    const auto number = numberIn(printed.substr(0, printed.find(';')));
    return number && *number > 0 ? number : std::nullopt;
}

Message pendingText(const std::string& reason) {
    static const std::array<std::pair<std::string_view, SourceText>, 12> kWords = {{
        {"Priority", "Waiting in Slurm's queue: other jobs have priority."_text},
        {"Resources", "Waiting in Slurm's queue: no nodes are free yet."_text},
        {"Dependency", "Waiting in Slurm's queue for another job to end."_text},
        {"BeginTime", "Waiting in Slurm's queue for its begin time; Slurm delays a job that is queued again."_text},
        {"JobHeldUser", "Held in Slurm's queue by its owner; `scontrol release` lets it start."_text},
        {"JobHeldAdmin", "Held in Slurm's queue by an administrator."_text},
        {"PartitionTimeLimit",
         "Waiting in Slurm's queue: the time limit is above the partition's; set a shorter "
         "--time-limit."_text},
        {"PartitionNodeLimit", "Waiting in Slurm's queue: the job needs more nodes than the partition allows."_text},
        {"PartitionDown", "Waiting in Slurm's queue: the partition is down."_text},
        {"PartitionInactive", "Waiting in Slurm's queue: the partition is inactive."_text},
        {"ReqNodeNotAvail", "Waiting in Slurm's queue: nodes that the job needs are not available."_text},
        {"Licenses", "Waiting in Slurm's queue for a license."_text},
    }};
    const std::string_view word = std::string_view(reason).substr(0, reason.find_first_of(" ,"));
    for (const auto& [known, text] : kWords)
        if (word == known) return text;
    if (reason.empty() || reason == "None") return "Waiting in Slurm's queue."_text;
    return "Waiting in Slurm's queue: %1."_text(reason.substr(0, 200));
}

std::string_view faultOf(std::string_view state) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kFaults = {{
        {"TIMEOUT", "time_limit"},
        {"DEADLINE", "time_limit"},
        {"PREEMPTED", "preempted"},
        {"NODE_FAIL", "node_failed"},
        {"BOOT_FAIL", "node_failed"},
        {"LAUNCH_FAILED", "node_failed"},
        {"OUT_OF_MEMORY", "oom_kill"},
        {"CANCELLED", "job_cancelled"},
    }};
    for (const auto& [word, fault] : kFaults)
        if (state == word) return fault;
    return {};
}

}  // namespace slipway
