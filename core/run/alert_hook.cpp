#include "core/run/alert_hook.h"

#include "core/base/json.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace slipway {
namespace {

constexpr double kGraceSeconds = 2;

std::string withoutNul(std::string text) {
    std::erase(text, '\0');
    return text;
}

std::vector<std::string> environmentFor(const HookAlert& alert) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (!std::string_view(*entry).starts_with("SLIPWAY_ALERT_")) all.emplace_back(*entry);
    const auto add = [&](const char* name, const std::string& value) {
        all.push_back(std::string("SLIPWAY_ALERT_") + name + "=" + withoutNul(value));
    };
    add("RULE", alert.rule);
    add("STEP", std::to_string(alert.step));
    add("RUN_ID", alert.runId);
    add("RUN_NAME", alert.runName);
    add("TEXT", alert.text);
    return all;
}

std::string documentOf(const HookAlert& alert) {
    return Json{{"rule", alert.rule},
                {"run_id", alert.runId},
                {"run_name", alert.runName},
                {"attempt", alert.attempt},
                {"step", alert.step},
                {"text", alert.text},
                {"time_unix_ms", alert.timeUnixMilliseconds}}
               .dump(-1, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

}  // namespace

AlertHook::~AlertHook() {
    if (m_process) m_process->signalGroup(SIGKILL);
}

void AlertHook::add(HookAlert alert) {
    if (m_waiting.size() < kMostWaiting) return m_waiting.push_back(std::move(alert));
    m_ends.push_back({std::move(alert.rule), alert.step, "not started: " + std::to_string(kMostWaiting) + " wait"});
}

void AlertHook::start(const std::vector<std::string>& arguments) {
    ProcessSpec spec;
    spec.arguments = arguments;
    spec.environment = environmentFor(m_waiting.front());
    spec.captureOutput = true;
    spec.converse = true;
    spec.newSession = true;
    auto started = Process::start(spec);
    if (!started) return end(started.error().message);
    m_process.emplace(std::move(*started));
    m_input = documentOf(m_waiting.front());
    m_isEnding = false;
}

void AlertHook::end(std::string text) {
    m_ends.push_back({m_waiting.front().rule, m_waiting.front().step, std::move(text)});
    m_waiting.pop_front();
    m_process.reset();
    m_lock = {};
}

void AlertHook::poll(const std::vector<std::string>& arguments, const std::filesystem::path& lock, double now) {
    if (!m_process) {
        if (arguments.empty()) m_waiting.clear();
        if (m_waiting.empty()) return;
        auto held = FileLock::tryLock(lock);
        if (!held && held.error().code == "locked") return;  // another hook is running
        if (!held) return end(held.error().message);
        m_lock = std::move(*held);
        m_startedSeconds = now;
        start(arguments);
        if (!m_process) return;
    }
    m_input.erase(0, m_process->write(m_input));
    if (m_input.empty()) m_process->closeInput();
    (void)m_process->takeOutput();
    if (const auto& exit = m_process->poll()) return end(exit->text());
    if (now - m_startedSeconds > kMostSeconds && !std::exchange(m_isEnding, true))
        m_process->askToEnd(now, kGraceSeconds);
    m_process->escalate(now);
}

std::vector<HookEnd> AlertHook::takeEnds() {
    return std::exchange(m_ends, {});
}

}  // namespace slipway
