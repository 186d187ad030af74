#include "core/launch/slurm_queue.h"

#include "core/base/error_of.h"
#include "core/base/file.h"

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

constexpr double kShortestPause = 2, kLongestPause = 30;  // between two questions; it grows with the number of jobs
constexpr double kPausePerJob = 0.03;
constexpr std::size_t kMostNames = 200;  // in one question
constexpr double kSubmitSeconds = 60, kRetrySeconds = 5;

/// sbatch refused so many elements, or so many jobs of one person.
bool isTooLarge(const std::string& errors) {
    constexpr std::array<std::string_view, 4> kWords = {"Invalid job array", "QOS policy", "submit limit",
                                                        "MaxSubmitJobs"};
    return std::ranges::any_of(kWords, [&](std::string_view words) { return errors.find(words) != std::string::npos; });
}

SlurmAnswer notSubmitted(const Message& why) {
    SlurmAnswer answer;
    answer.exitCode = 1;
    answer.error = errorOf(std::string(SlurmQueue::kNotSubmitted), why);
    return answer;
}

}  // namespace

void SlurmQueue::open(const std::string& name, std::int64_t limit) {
    m_array = Array{name, limit, Stage::Open, {}, {}, {}, 0, -1};
}

bool SlurmQueue::fits(const std::vector<std::string>& shape) const {
    return isOpen() && !isFull() && (m_array->elements.empty() || m_array->shape == shape);
}

std::string SlurmQueue::nextJob() const {
    return isOpen() ? elementOf(m_array->name, static_cast<std::int64_t>(m_array->elements.size())) : "";
}

std::uint64_t SlurmQueue::add(SlurmElement element, const std::vector<std::string>& shape) {
    const std::uint64_t command = ++m_last;
    if (!fits(shape)) {
        m_ready[command] = notSubmitted("The array of jobs is closed."_text);
        return command;
    }
    m_array->shape = shape;
    m_array->elements.push_back(std::move(element));
    m_array->commands.push_back(command);
    return command;
}

void SlurmQueue::complete(std::uint64_t command, SlurmElement element) {
    if (!m_array) return;
    const auto found = std::ranges::find(m_array->commands, command);
    if (found != m_array->commands.end())
        m_array->elements[static_cast<std::size_t>(found - m_array->commands.begin())] = std::move(element);
}

void SlurmQueue::leave(std::uint64_t command) {
    m_ready.erase(command);
    if (m_array) std::ranges::replace(m_array->commands, command, std::uint64_t(0));
}

std::size_t SlurmQueue::numAwaited() const {
    std::size_t number = 0;
    for (std::size_t i = 0; m_array && i < m_array->elements.size(); ++i)
        number += m_array->commands[i] != 0 && m_array->elements[i].folder.path.empty() ? 1 : 0;
    return number;
}

void SlurmQueue::submit() {
    if (!isOpen()) return;
    if (m_array->elements.empty())
        m_array.reset();
    else
        m_array->stage = Stage::Ready;
}

void SlurmQueue::drop() {
    if (isOpen()) endArray(notSubmitted("The array of jobs was given up before it was submitted."_text));
}

/// The same answer for all that are left of it.
void SlurmQueue::endArray(const SlurmAnswer& answer) {
    for (const std::uint64_t command : m_array->commands)
        if (command != 0) m_ready[command] = answer;
    m_array.reset();
    m_writing.reset();
    m_submitting.reset();
    m_arrayLook.reset();
}

std::uint64_t SlurmQueue::run(const std::vector<std::string>& arguments) {
    m_running[m_door->run(arguments)] = {++m_last};
    return m_last;
}

std::uint64_t SlurmQueue::write(const std::filesystem::path& folder, const std::string& run, const std::string& name,
                                const std::string& text) {
    m_running[m_door->write(folder, run, name, text)] = {++m_last};
    return m_last;
}

std::uint64_t SlurmQueue::askFor(const std::string& job, bool isHistory) {
    m_looks[isHistory ? 1 : 0].waiting.push_back({++m_last, job});
    return m_last;
}

std::uint64_t SlurmQueue::cancel(const SlurmJob& job, bool isPendingOnly) {
    if (isElement(job.name) && job.phase() == JobPhase::Pending) {
        m_cancels[arrayOf(job.name)].emplace_back(++m_last, job.id);
        return m_last;
    }
    m_running[m_door->cancel(job, isPendingOnly)] = {++m_last};
    return m_last;
}

std::optional<SlurmAnswer> SlurmQueue::take(std::uint64_t command) {
    const auto ready = m_ready.find(command);
    if (ready == m_ready.end()) return {};
    SlurmAnswer answer = std::move(ready->second);
    answer.command = command;
    m_ready.erase(ready);
    return answer;
}

void SlurmQueue::sendLook(bool isHistory) {
    Looks& looks = m_looks[isHistory ? 1 : 0];
    if (looks.running || looks.waiting.empty() || m_now < looks.nextAt) return;
    std::set<std::string> names;
    std::vector<Look> later;
    for (Look& look : looks.waiting) {
        const std::string name = arrayOf(look.job);
        const bool hasRoom = names.size() < kMostNames || names.contains(name);
        if (hasRoom) names.insert(name);
        (hasRoom ? looks.asked : later).push_back(std::move(look));
    }
    looks.waiting = std::move(later);
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
    looks.running = m_door->askFor(list, isHistory);
}

void SlurmQueue::takeLook(Looks& looks, const SlurmAnswer& answer, bool isHistory) {
    looks.running.reset();
    const double pause = kShortestPause + kPausePerJob * static_cast<double>(looks.asked.size());
    looks.nextAt = m_now + std::min(kLongestPause, pause);
    std::map<std::string, SlurmTable> byJob;
    SlurmTable all;
    if (!answer.isLost && answer.exitCode == 0) {
        all = isHistory ? readSacct(answer.output) : readSqueue(answer.output);
        for (const Look& look : looks.asked)
            if (!isHistory) m_numWaiting[arrayOf(look.job)] = 0;
        for (const SlurmJob& job : all.jobs) {
            byJob[job.name].jobs.push_back(job);
            if (!isElement(job.name)) continue;
            byJob[arrayOf(job.name)].jobs = {job};  // for those that are missing: the array is listed
            if (!isHistory && job.phase() == JobPhase::Pending) ++m_numWaiting[arrayOf(job.name)];
        }
    }
    for (const Look& look : std::exchange(looks.asked, {})) {
        SlurmAnswer& own = m_ready[look.command];
        own = answer;
        own.output.clear();
        if (m_arrayLook == look.command) {
            own.table = all;
            continue;
        }
        const auto rows = byJob.find(look.job);
        own.table = rows != byJob.end() ? rows->second : byJob[arrayOf(look.job)];
        own.table->isWhole = all.isWhole;
    }
}

void SlurmQueue::poll(double now) {
    if (now == m_now) return;  // all launchers of a program poll it
    m_now = now;
    for (const SlurmAnswer& answer : m_door->poll(now)) {
        if (m_submitting == answer.command) {
            takeSubmitted(answer);
        } else if (m_looks[0].running == answer.command) {
            takeLook(m_looks[0], answer, false);
        } else if (m_looks[1].running == answer.command) {
            takeLook(m_looks[1], answer, true);
        } else if (const auto running = m_running.find(answer.command); running != m_running.end()) {
            for (const std::uint64_t command : running->second) m_ready[command] = answer;
            m_running.erase(running);
        }
    }
    for (auto& [array, elements] : std::exchange(m_cancels, {})) {
        std::vector<std::uint64_t> commands;
        std::vector<std::string> arguments = {"scancel"};
        // All that wait have a name; some of them have numbers alone.
        const bool isAll = m_numWaiting[array] > 0 && elements.size() >= m_numWaiting[array];
        if (isAll) arguments.insert(arguments.end(), {"--name=" + array, "--state=PENDING"});
        for (auto& [command, id] : elements) {
            commands.push_back(command);
            if (!isAll) arguments.push_back(std::move(id));
        }
        m_running[m_door->run(arguments)] = std::move(commands);
    }
    if (m_array) pollArray();
    sendLook(false);
    sendLook(true);
}

/// The first run that takes part; none when all have left.
const SlurmElement* SlurmQueue::firstOfArray() const {
    const auto found =
        std::ranges::find_if(m_array->elements, [](const SlurmElement& one) { return !one.folder.path.empty(); });
    return found == m_array->elements.end() ? nullptr : &*found;
}

void SlurmQueue::pollArray() {
    Array& array = *m_array;
    if (array.stage == Stage::Open || numAwaited() > 0) return;
    const SlurmElement* first = firstOfArray();
    if (first == nullptr) return endArray({});
    const std::filesystem::path folder = m_login.empty() ? m_folder : slurmScriptFile(first->folder).parent_path();
    if (array.deadlineSeconds < 0) array.deadlineSeconds = m_now + kSubmitSeconds;
    if (array.stage == Stage::Ready) {
        m_writing = write(folder, first->plan.runId, array.name + ".sbatch", slurmArrayScript(array.elements));
        array.stage = Stage::Writing;
    } else if (array.stage == Stage::Writing) {
        const auto answer = take(*m_writing);
        if (!answer) return;
        if (answer->exitCode != 0) {
            // A lost link has not begun anything.
            if (!answer->isLost || m_now > array.deadlineSeconds) return endArray(*answer);
            array.stage = Stage::Lost;
            array.retryAt = m_now + kRetrySeconds;
            return;
        }
        std::vector<std::string> arguments =
            sbatchArrayArguments(array.shape, array.name, folder, array.elements.size(), array.limit);
        arguments.insert(arguments.begin(), "sbatch");
        m_submitting = m_door->run(arguments);
        array.stage = Stage::Submitting;
    } else if (array.stage == Stage::Lost && m_now >= array.retryAt) {
        // It may have been accepted: it is searched for before another submission.
        m_arrayLook = askFor(array.name, false);
        array.stage = Stage::Looking;
    } else if (array.stage == Stage::Looking) {
        const auto answer = take(*m_arrayLook);
        if (!answer) return;
        const bool hasAnswered = answer->table && !answer->isLost && answer->exitCode == 0;
        if (hasAnswered && !answer->table->jobs.empty()) {
            const auto found = std::ranges::find_if(
                answer->table->jobs, [&](const SlurmJob& job) { return arrayOf(job.name) == array.name; });
            if (found != answer->table->jobs.end()) {
                SlurmAnswer submitted;
                submitted.output = std::to_string(found->number) + "\n";
                return endArray(submitted);
            }
        }
        if (m_now > array.deadlineSeconds)
            return endArray(notSubmitted("Slurm's controller cannot be reached: %1."_text(answer->errors)));
        array.stage = hasAnswered && answer->table->isWhole ? Stage::Ready : Stage::Lost;
        array.retryAt = m_now + kRetrySeconds;
    }
}

void SlurmQueue::takeSubmitted(const SlurmAnswer& answer) {
    m_submitting.reset();
    Array& array = *m_array;
    if (!answer.isLost && answer.exitCode == 0 && jobNumberIn(answer.output)) return endArray(answer);
    const bool isRefused = !isUnreachable(answer) && answer.exitCode != 0;
    if (isRefused && isTooLarge(answer.errors) && array.elements.size() > 1) {
        // The others wait for the next array.
        m_most = array.elements.size() / 2;
        const SlurmAnswer tooMany = notSubmitted("Slurm takes no array of that many jobs."_text);
        for (std::size_t i = m_most; i < array.commands.size(); ++i)
            if (array.commands[i] != 0) m_ready[array.commands[i]] = tooMany;
        array.elements.resize(m_most);
        array.commands.resize(m_most);
        array.stage = Stage::Ready;
        return;
    }
    if (isRefused || answer.error.code == "slurm_missing") return endArray(answer);
    array.stage = Stage::Lost;
    array.retryAt = m_now + kRetrySeconds;
}

std::vector<SlurmAnswer> SlurmSeat::poll(double now) {
    m_queue->poll(now);
    std::vector<SlurmAnswer> answers;
    for (auto command = m_commands.begin(); command != m_commands.end();) {
        auto answer = m_queue->take(*command);
        if (answer) answers.push_back(std::move(*answer));
        command = answer ? m_commands.erase(command) : std::next(command);
    }
    return answers;
}

}  // namespace slipway
