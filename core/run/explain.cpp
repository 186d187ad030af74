#include "core/run/explain.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace slipway {
namespace {

constexpr std::size_t kMaxLineBytes = 200;

bool isReason(const AgentExit& exit, const char* reason) {
    return exit.reason == reason;
}

// Terminal escapes and control characters come from a program that nobody here has checked.
std::string cleaned(const std::string& line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto c = static_cast<unsigned char>(line[i]);
        if (c == 0x1B && i + 1 < line.size() && line[i + 1] == '[') {
            i += 2;
            while (i < line.size() && !(line[i] >= '@' && line[i] <= '~')) ++i;
            continue;
        }
        if (c == '\t')
            out += ' ';
        else if (c >= 0x20 && c != 0x7F)
            out += line[i];
    }
    const std::size_t first = out.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    out = out.substr(first, out.find_last_not_of(' ') - first + 1);
    if (out.size() <= kMaxLineBytes) return out;
    std::size_t cut = kMaxLineBytes;
    while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0U) == 0x80U) --cut;  // not inside a character
    return out.substr(0, cut) + "…";
}

bool namesAnError(const std::string& line) {
    std::string lower = line;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<const char*, 9> words = {"error",  "what():", "terminate called", "exception", "failed",
                                                  "cannot", "assert",  "out of memory",    "killed"};
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return lower.find(word) != std::string::npos; });
}

std::string afterStep(std::int64_t step) {
    return step > 0 ? " after step " + std::to_string(step) : " before the first step";
}

std::string withoutFullStop(std::string text) {
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
    return text;
}

int weight(const AgentExit& exit) {
    if (isReason(exit, "completed")) return 0;
    if (isReason(exit, "stopped") || isReason(exit, "killed")) return 1;
    if (exit.code == static_cast<std::int64_t>(TrainerExit::CommunicationFailure)) return 2;
    return 3;
}

}  // namespace

std::string exitWord(std::int64_t code) {
    switch (code) {
        case static_cast<int>(TrainerExit::Completed): return "completed";
        case static_cast<int>(TrainerExit::BadConfig): return "bad config";
        case static_cast<int>(TrainerExit::OutOfMemory): return "out of memory";
        case static_cast<int>(TrainerExit::CommunicationFailure): return "communication failure";
        case static_cast<int>(TrainerExit::NonFinite): return "non-finite loss";
        case static_cast<int>(TrainerExit::Stopped): return "stopped";
        case static_cast<int>(TrainerExit::DiskFull): return "disk full";
        case 127: return "program not started";
        default: return "";
    }
}

std::string tellingLine(const std::string& log) {
    std::istringstream lines(log);
    std::string last, telling;
    for (std::string line; std::getline(lines, line);) {
        const std::string text = cleaned(line);
        if (text.empty() || text.rfind("--- attempt", 0) == 0) continue;
        last = text;
        if (namesAnError(text)) telling = text;
    }
    return telling.empty() ? last : telling;
}

std::size_t causeOf(const std::vector<AgentExit>& exits) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < exits.size(); ++i) {
        const int here = weight(exits[i]), there = weight(exits[best]);
        if (here > there || (here == there && exits[i].endedUnixMilliseconds < exits[best].endedUnixMilliseconds))
            best = i;
    }
    return best;
}

EndVerdict explainEnd(const EndEvidence& evidence) {
    if (evidence.exits.empty())
        return {RunStatus::Lost, 0, "The agent left no record of the end" + afterStep(evidence.lastStep) + "."};
    const AgentExit& exit = evidence.exits[causeOf(evidence.exits)];
    if (isReason(exit, "completed")) return {RunStatus::Completed, 0, ""};
    if (isReason(exit, "stopped"))
        return {RunStatus::Cancelled, exit.code, withoutFullStop(exit.detail) + afterStep(evidence.lastStep) + "."};
    if (isReason(exit, "killed"))
        return {RunStatus::Cancelled, exit.code,
                "Ended on request" + afterStep(evidence.lastStep) + ", without a checkpoint."};
    EndVerdict verdict{RunStatus::Failed, exit.code, ""};
    const std::string word = exitWord(exit.code);
    std::string detail = withoutFullStop(exit.detail);
    // "ended with exit code 13" says less than the word for it.
    const std::string bare = "ended with exit code " + std::to_string(exit.code);
    if (const std::size_t at = detail.find(bare);
        at != std::string::npos && !word.empty() && !isReason(exit, "start_failed")) {
        detail.replace(at, bare.size(), "stopped: " + word + " (exit code " + std::to_string(exit.code) + ")");
    } else if (at == std::string::npos && !word.empty() && !isReason(exit, "hang") &&
               detail.find(word) == std::string::npos) {
        detail += " (" + word + ")";
    }
    verdict.reason = detail + afterStep(evidence.lastStep);
    const std::string line = tellingLine(evidence.logTail);
    const bool crashed = word.empty() || exit.code == static_cast<std::int64_t>(TrainerExit::BadConfig);
    if (crashed && !line.empty() && detail.find(line) == std::string::npos) verdict.reason += "; the log says: " + line;
    verdict.reason = withoutFullStop(verdict.reason) + ".";
    return verdict;
}

}  // namespace slipway
