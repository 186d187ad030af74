#include "core/launch/slurm_launcher.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/base/quoted.h"
#include "core/launch/slurm_script.h"
#include "core/remote/slurm_command.h"
#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <system_error>
#include <utility>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kFirstPause = 2, kLongestPause = 30;  // between queries; it grows while nothing changes
constexpr double kSoonPause = 1;
constexpr double kSubmitSeconds = 60;  // an unreachable controller is retried for this long
constexpr double kRetrySeconds = 5;
constexpr double kBeatSeconds = 10;  // agents beat once per second

std::string lastLine(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    const std::size_t line = text.rfind('\n');
    if (line != std::string::npos) text.erase(0, line + 1);
    constexpr std::size_t kMost = 500;
    return text.substr(0, kMost);
}

std::string timeOf(double unixSeconds) {
    const auto time = static_cast<std::time_t>(unixSeconds);
    std::tm parts{};
    ::localtime_r(&time, &parts);
    char text[16];
    std::strftime(text, sizeof text, "%H:%M:%S", &parts);
    return text;
}

std::string stopWords(const fs::path& folder) {
    return readOwnFile(RunDir{folder}.stopFile(), 0, 64).value_or("");
}

}  // namespace

LaunchEvent& SlurmLauncher::answer(LaunchEvent::Kind kind, const std::string& node) {
    LaunchEvent event;
    event.request = ++m_lastRequest;
    event.kind = kind;
    event.node = node;
    m_ready.push_back(std::move(event));
    return m_ready.back();
}

Result<void> SlurmLauncher::openDoor(const RunDir& folder) {
    if (m_door) return {};
    const auto options = readSlurmOptions(folder);
    if (!options) return fail(options.error());
    const std::string login = *options ? (*options)->login : "";
    if (!login.empty()) {
        const auto node = findNode(m_home, login);
        if (!node) return fail(node.error());
        m_copier = std::make_unique<SlurmLogin>(m_links->link(*node));
        m_login = m_copier.get();
    }
    if (m_queue && m_queue->login() == login) {
        auto seat = std::make_unique<SlurmSeat>(m_queue);
        m_seat = seat.get();
        m_door = std::move(seat);
    } else if (m_copier) {
        m_door = std::move(m_copier);
    } else {
        m_door = std::make_unique<LocalSlurmDoor>();
    }
    return {};
}

void SlurmLauncher::follow(const LaunchHandle& handle, const LaunchPlan* plan) {
    if (m_handle.folder == handle.folder && m_handle.attempt == handle.attempt) return;
    const bool isSameJob = m_handle.folder == handle.folder && m_handle.job == handle.job && !handle.job.empty();
    m_handle = handle;
    m_beats.clear();
    const RunDir folder{handle.folder};
    const auto opened = openDoor(folder);
    m_noDoor = opened ? std::nullopt : std::optional<Error>(opened.error());
    if (m_login != nullptr) {
        const auto text = plan != nullptr ? Result<std::string>(std::string()) : readOwnFile(folder.launch());
        const auto read = plan != nullptr ? Result<LaunchPlan>(*plan)
                          : text          ? parseLaunchPlan(*text, folder.launch().string())
                                          : Result<LaunchPlan>(fail(text.error()));
        if (read) m_login->follow(*read, folder);
    }
    if (isSameJob) return;  // it was requeued
    m_jobName = handle.job;
    m_job.reset();
    m_numEndedLooks = 0;
    m_isForgotten = m_hasLooked = false;
    m_nextLook = 0;
    m_pause = kFirstPause;
}

RequestId SlurmLauncher::check(const std::string& node) {
    LaunchEvent& event = answer(LaunchEvent::Kind::Checked, node);
    if (const auto command = slurmCommand({"sbatch"}); !command)
        event.issues.push_back(issueOf(Severity::Error, command.error().code, "nodes", command.error().sentence()));
    return event.request;
}

RequestId SlurmLauncher::start(const LaunchPlan& plan, const RunDir& folder) {
    m_start = Start{};
    m_start->request = ++m_lastRequest;
    m_start->plan = plan;
    m_start->folder = folder;
    follow(handleOf(plan, folder), &plan);
    if (const auto prepared = prepareStart(); !prepared) finishStart(prepared.error());
    return m_lastRequest;
}

Result<void> SlurmLauncher::prepareStart() {
    Start& start = *m_start;
    if (m_noDoor) return fail(*m_noDoor);
    const auto json = readOwnJson(start.folder.config());
    if (!json) return fail(json.error());
    const auto stored = readStoredConfig(*json, start.folder.config().string());
    if (!stored) return fail(stored.error());
    start.config = stored->acting;
    const auto options = readSlurmOptions(start.folder);
    if (!options) return fail(options.error());
    start.options = options->value_or(SlurmOptions{});
    if (m_login != nullptr) {
        const std::string& tokens = start.config.data.tokens;
        std::function<std::string(const LaunchPlan&, const SlurmLogin::Place&)> script;
        const bool isOfArray = m_seat != nullptr && isElement(m_jobName);
        if (!isOfArray)
            script = [config = start.config](const LaunchPlan& plan, const SlurmLogin::Place& place) {
                return slurmScript(plan, config, place.folder, place.agent);
            };
        m_login->bring(start.plan, start.folder, tokens.empty() ? fs::path() : m_home.tokenFile(tokens),
                       std::move(script));
        return isOfArray ? joinArray({start.plan, start.config, {}, {}}) : Result<void>();
    }
    for (const auto& [program, name] :
         {std::pair(&m_programs.agent, "slipway-agent"), std::pair(&m_programs.trainer, "slipway-trainer")})
        if (program->empty())
            return fail(
                "program_missing",
                "%1 was not found in the folder of this program; build it, or name its folder in SLIPWAY_BIN_DIR."_text(
                    name),
                name);
    if (m_seat != nullptr && isElement(m_jobName)) {
        if (auto line = checkOneLine(start.folder.path.string(), "--home"); !line) return line;
        return joinArray({start.plan, start.config, start.folder, m_programs.agent});
    }
    for (const fs::path& made : {slurmLog(start.folder).parent_path(), slurmScriptFile(start.folder).parent_path()})
        if (auto done = makeFolders(made); !done) return done;
    const std::string script = slurmScript(start.plan, start.config, start.folder, m_programs.agent);
    if (auto written = writeFileAtomically(slurmScriptFile(start.folder), script); !written) return written;
    return makeArguments(start.folder);
}

Result<void> SlurmLauncher::joinArray(SlurmElement element) {
    const auto shape = slurmShape(m_start->config, m_start->options);
    if (!shape) return fail(shape.error());
    m_start->element = m_seat->add(std::move(element), *shape);
    m_asked[*m_start->element] = Question::Submit;
    return {};
}

/// All that a login node needs of the run is there, or was refused.
void SlurmLauncher::takeBrought() {
    Start& start = *m_start;
    const auto brought = m_login->isBrought();
    if (brought && !*brought) return;
    start.isBrought = true;
    const RunDir folder = m_login->place().folder;
    Result<void> done = brought ? checkOneLine(folder.path.string(), "--home-on-node") : fail(brought.error());
    if (!start.element) {
        if (done) done = makeArguments(folder);
    } else if (done) {
        m_seat->complete(*start.element, {start.plan, start.config, folder, m_login->place().agent});
    } else {
        m_seat->leave(*start.element);
        m_asked.erase(*start.element);
    }
    if (!done) finishStart(done.error());
}

Result<void> SlurmLauncher::makeArguments(const RunDir& folder) {
    auto arguments = sbatchArguments(m_start->plan, m_start->config, folder, m_start->options);
    if (!arguments) return fail(arguments.error());
    m_start->arguments = std::move(*arguments);
    m_start->arguments.insert(m_start->arguments.begin(), "sbatch");
    look();  // an earlier submission with a lost answer is found by its name
    return {};
}

void SlurmLauncher::finishStart(const std::optional<Error>& error, bool nothingStarted) {
    LaunchEvent event;
    event.nothingStarted = nothingStarted;
    event.request = m_start->request;
    event.kind = error ? LaunchEvent::Kind::Failed : LaunchEvent::Kind::Started;
    if (error) event.error = *error;
    m_ready.push_back(std::move(event));
    m_start.reset();
}

void SlurmLauncher::submit() {
    m_asked[m_door->run(m_start->arguments)] = Question::Submit;
}

void SlurmLauncher::takeSubmitted(const SlurmAnswer& answer) {
    if (!m_start) return;
    if (answer.exitCode == 0 && !answer.isLost) {
        if (const auto number = jobNumberIn(answer.output)) {
            const std::string element = isElement(m_jobName) ? "_" + m_jobName.substr(m_jobName.find('/') + 1) : "";
            m_job = SlurmJob{*number, m_jobName, "PENDING", "", std::to_string(*number) + element};
            m_hasLooked = true;
            m_nextLook = m_now + kSoonPause;
            return finishStart({});
        }
    }
    if (answer.error.code == SlurmQueue::kNotSubmitted) return finishStart(answer.error, true);
    if (answer.error.code == "slurm_missing" || (isElement(m_jobName) && !answer.error.code.empty()))
        return finishStart(answer.error);
    if (!isUnreachable(answer) && answer.exitCode != 0)
        return finishStart(errorOf("submit_refused", "sbatch refused the job: %1."_text(lastLine(answer.errors))));
    // It is unknown whether the job was accepted: it is searched for before another submission.
    m_start->retryAt = m_now + kRetrySeconds;
    m_hasLooked = false;
}

void SlurmLauncher::look() {
    for (const auto& [command, question] : m_asked)
        if (question == Question::Squeue || question == Question::Sacct) return;
    if (m_jobName.empty() || !m_door) return;
    m_asked[m_door->askFor(m_jobName, false)] = Question::Squeue;
    m_nextLook = m_now + m_pause;
    m_pause = m_copier ? kFirstPause : std::min(kLongestPause, m_pause * 1.5);  // the queue pauses by itself
}

void SlurmLauncher::cannotReach(const std::string& words) {
    if (m_unreachable.empty()) m_unreachableSince = m_now;
    m_unreachable = words.empty() ? "no answer" : words;
    m_pause = kFirstPause;
}

void SlurmLauncher::takeTable(const SlurmTable& table, bool isHistory) {
    const bool hadEnded = hasEnded();
    const auto hasNewEnd = [&] { return m_login != nullptr && !hadEnded && hasEnded(); };
    if (const SlurmJob* job = newestOf(table, m_jobName)) {
        m_unreachable.clear();
        if (!m_job || m_job->state != job->state) m_pause = kFirstPause;
        m_job = *job;
        m_isForgotten = m_isMissing = false;
        m_numEndedLooks = job->phase() == JobPhase::Ended ? m_numEndedLooks + 1 : 0;
        m_hasLooked = true;
        if (m_numEndedLooks == 1) m_nextLook = m_now + kSoonPause;
        if (hasNewEnd()) m_login->lookAgain();
        return cancel();
    }
    if (!table.isWhole) return cannotReach("unreadable answer");
    m_unreachable.clear();
    if (m_start) {
        m_hasLooked = true;
        return;
    }
    // Jobs that ended leave squeue after some minutes.
    if (!isHistory) {
        m_isMissing = isMissingElement(table, m_jobName);
        m_asked[m_door->askFor(m_jobName, true)] = Question::Sacct;
        return;
    }
    m_hasLooked = true;
    m_cancel.reset();
    if (m_isMissing && !hasAgent(RunDir{m_handle.folder}, m_handle)) {
        m_job = SlurmJob{0, m_jobName, "CANCELLED", "", ""};
        m_isForgotten = false;
    } else {
        m_isForgotten = true;
    }
    ++m_numEndedLooks;
    if (m_numEndedLooks == 1) m_nextLook = m_now + kSoonPause;
    if (hasNewEnd()) m_login->lookAgain();
}

void SlurmLauncher::take(Question question, const SlurmAnswer& answer) {
    if (question == Question::Submit) return takeSubmitted(answer);
    if (question == Question::Cancel) {
        m_nextLook = m_now;
        m_pause = kFirstPause;
        return;
    }
    const bool failed = answer.isLost || answer.exitCode != 0;
    if (question == Question::Squeue && failed) {
        if (m_start && answer.error.code == "slurm_missing") return finishStart(answer.error);
        // Its programs are installed on a computer that belongs to no cluster: waiting does not help.
        if (m_start && answer.errors.find("configuration source") != std::string::npos)
            return finishStart(errorOf(
                "slurm_missing",
                "Slurm's programs find no cluster here: %1. Name a login node with --login, or set SLURM_CONF."_text(
                    lastLine(answer.errors))));
        return cannotReach(answer.isLost ? answer.error.message : lastLine(answer.errors));
    }
    // Without accounting sacct fails: then the job's state is no longer known.
    if (question == Question::Sacct && failed) return takeTable({}, true);
    takeTable(answer.table                   ? *answer.table
              : question == Question::Squeue ? readSqueue(answer.output)
                                             : readSacct(answer.output),
              question == Question::Sacct);
}

/// Of a job in its newest state.
void SlurmLauncher::cancel() {
    const auto wanted = std::exchange(m_cancel, {});
    if (!wanted || m_job->phase() == JobPhase::Ended) return;
    const bool isPendingOnly = *wanted == StopKind::Stop;
    if (!isPendingOnly || m_job->phase() == JobPhase::Pending)
        m_asked[m_door->cancel(*m_job, isPendingOnly)] = Question::Cancel;
}

RequestId SlurmLauncher::stop(const LaunchHandle& handle, StopKind kind) {
    follow(handle);
    const RunDir folder{handle.folder};
    const auto path = kind == StopKind::Stop ? folder.stopFile() : folder.killFile();
    auto done = makeFolders(path.parent_path());
    const std::string words = "attempt " + std::to_string(handle.attempt) + "\n";
    if (done) done = writeFileAtomically(path, words);
    if (done && m_noDoor) done = fail(*m_noDoor);
    if (done && m_login != nullptr) m_login->deliver(path.lexically_relative(folder.path).string(), words);
    // Ranks see the file; a pending job has no ranks.
    if (done && isElement(m_jobName)) {
        m_cancel = kind;
        look();
    } else if (done && !m_jobName.empty()) {
        m_asked[m_door->cancel({0, m_jobName, "", "", ""}, kind == StopKind::Stop)] = Question::Cancel;
    }
    LaunchEvent& event = answer(done ? LaunchEvent::Kind::Stopped : LaunchEvent::Kind::Failed, "");
    if (!done) event.error = done.error();
    return event.request;
}

bool SlurmLauncher::hasEnded() const {
    // After these Slurm may still requeue the job, and a restarted controller may find it.
    constexpr std::array<std::string_view, 4> kDoubtful = {"NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "LAUNCH_FAILED"};
    const bool isDoubtful =
        m_isForgotten || (m_job && std::find(kDoubtful.begin(), kDoubtful.end(), m_job->state) != kDoubtful.end());
    return m_numEndedLooks >= (isDoubtful ? 2 : 1);
}

RequestId SlurmLauncher::readFrom(const LaunchHandle& handle, const std::string& node, const fs::path& relativePath,
                                  std::int64_t offset) {
    follow(handle);
    LaunchEvent event = readRunFile(RunDir{handle.folder}, relativePath, offset);
    event.request = ++m_lastRequest;
    event.node = node;
    if (relativePath.filename() == "exit.json" && event.kind == LaunchEvent::Kind::Data && !event.missing &&
        !hasEnded()) {
        // The end of an attempt is the run's only if its job does not start another one.
        const auto exit = parseAgentExit(event.bytes, "exit.json");
        if (exit && exit->attempt == handle.attempt && exit->reason != "completed") {
            event.missing = true;
            event.bytes.clear();
            m_nextLook = std::min(m_nextLook, m_now + kSoonPause);
        }
    }
    m_ready.push_back(std::move(event));
    return m_lastRequest;
}

bool SlurmLauncher::isBeating(const LaunchHandle& handle, const std::string& node) {
    Beat& beat = m_beats[node];
    const auto text = readOwnFile(RunDir{handle.folder}.agentFolder(node) / "heartbeat.json");
    const auto now = text ? parseAgentHeartbeat(*text, "heartbeat.json") : Result<AgentHeartbeat>(fail(text.error()));
    if (now && now->attempt == handle.attempt && now->counter != beat.counter) beat = {now->counter, m_now};
    return beat.counter >= 0 && m_now - beat.changedAt < kBeatSeconds;
}

RequestId SlurmLauncher::presence(const LaunchHandle& handle, const std::string& node) {
    follow(handle);
    if (m_noDoor && !m_start) {
        LaunchEvent& event = answer(LaunchEvent::Kind::Failed, node);
        event.error = *m_noDoor;
        return event.request;
    }
    AgentPresence seen = agentPresence(RunDir{handle.folder}, node, handle.attempt, m_now);
    // On a node of the cluster: only its heartbeats are evidence.
    const bool isBeatingNow = seen == AgentPresence::Elsewhere && isBeating(handle, node);
    if (isBeatingNow) seen = AgentPresence::Alive;
    if (seen != AgentPresence::Alive && !m_unreachable.empty() && !m_start) {
        LaunchEvent& event = answer(LaunchEvent::Kind::Failed, node);
        event.error =
            errorOf("cannot_reach", "Slurm's controller cannot be reached since %1; the job continues. %2"_text(
                                        timeOf(m_unreachableSince), m_unreachable));
        return event.request;
    }
    LaunchEvent& event = answer(LaunchEvent::Kind::Presence, node);
    const bool isOver = hasEnded() && !m_start && (m_login == nullptr || m_login->hasAll());
    event.presence = seen == AgentPresence::Alive ? AgentPresence::Alive
                     : isOver                     ? AgentPresence::Gone
                                                  : AgentPresence::Unknown;
    return event.request;
}

Message SlurmLauncher::waiting() const {
    if (!m_job || m_job->phase() != JobPhase::Pending || !m_unreachable.empty()) return {};
    return pendingText(m_job->reason);
}

std::optional<Error> SlurmLauncher::endOf(const LaunchHandle& handle) const {
    const std::string log = lastLine(readRunFile(RunDir{handle.folder}, "logs/slurm.log", -4096).bytes);
    if (m_isForgotten || !m_job)
        return errorOf("job_forgotten",
                       "Slurm no longer knows the job, and its agents left no record of their end."_text);
    if (const std::string_view fault = faultOf(m_job->state); !fault.empty())
        return errorOf(std::string(fault), Message::name(m_job->state));
    if (stopWords(handle.folder).starts_with("time limit")) return errorOf("time_limit", Message::name("TIMEOUT"));
    if (m_job->state == "COMPLETED") return {};
    return errorOf("job_failed", log.empty()
                                     ? Message("The job failed before its agents started; its log is empty."_text)
                                     : "The job failed before its agents started: %1."_text(log));
}

std::optional<LaunchPlan> SlurmLauncher::newAttempt(const LaunchHandle& handle) {
    const fs::path path = RunDir{handle.folder}.launch();
    std::error_code code;
    const auto stamp = static_cast<std::int64_t>(fs::last_write_time(path, code).time_since_epoch().count());
    if (code || stamp == m_launchStamp) return {};
    const auto text = readOwnFile(path);
    auto plan = text ? parseLaunchPlan(*text, path.string()) : Result<LaunchPlan>(fail(text.error()));
    if (!plan) return {};
    m_launchStamp = stamp;
    if (plan->attempt <= handle.attempt || plan->job != handle.job) return {};
    return std::move(*plan);
}

bool SlurmLauncher::isBusy() const {
    if (m_noDoor) return false;
    return m_start || (m_login != nullptr && m_login->isDelivering() && m_unreachable.empty()) ||
           ((!m_hasLooked || m_cancel) && m_unreachable.empty()) ||
           std::any_of(m_asked.begin(), m_asked.end(),
                       [](const auto& asked) { return asked.second == Question::Cancel; });
}

std::vector<int> SlurmLauncher::newsFds() const {
    return m_door ? m_door->newsFds() : std::vector<int>{};
}

std::vector<LaunchEvent> SlurmLauncher::poll(double nowSeconds) {
    m_now = nowSeconds;
    if (!m_door) return std::exchange(m_ready, {});
    // While hundreds wait in the queue, the login node is not asked for the files of each.
    const bool isWaiting = !m_start && m_job && m_job->phase() == JobPhase::Pending;
    if (m_copier && (!isWaiting || m_copier->isDelivering())) (void)m_copier->poll(nowSeconds);
    for (const SlurmAnswer& answer : m_door->poll(nowSeconds)) {
        const auto asked = m_asked.find(answer.command);
        if (asked == m_asked.end()) continue;
        const Question question = asked->second;
        m_asked.erase(asked);
        take(question, answer);
    }
    if (m_start) {
        Start& start = *m_start;
        if (start.arguments.empty()) {
            if (m_login != nullptr && !start.isBrought) takeBrought();
            return std::exchange(m_ready, {});
        }
        if (start.deadlineSeconds < 0) start.deadlineSeconds = m_now + kSubmitSeconds;
        if (!m_asked.empty()) return std::exchange(m_ready, {});
        if (m_hasLooked && m_unreachable.empty()) {
            if (m_job)
                finishStart({});
            else
                submit();
        } else if (m_now > start.deadlineSeconds) {
            finishStart(
                errorOf("controller_unreachable", "Slurm's controller cannot be reached: %1."_text(m_unreachable)));
        } else if (m_now >= start.retryAt) {
            start.retryAt = m_now + kRetrySeconds;
            look();
        }
    } else if (m_now >= m_nextLook && !m_handle.runId.empty()) {
        look();
    }
    return std::exchange(m_ready, {});
}

}  // namespace slipway
