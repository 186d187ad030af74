#include "core/launch/run_mirror.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "core/base/file_mode.h"
#include "core/base/own_file.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <system_error>
#include <utility>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kBusySeconds = 0.5;  // between two rounds while data arrives
constexpr double kQuietSeconds = 1.0;
constexpr double kHeldSeconds = 4.0;  // while nothing changes; a heartbeat is obsolete after 10 s
constexpr std::size_t kMostFiles = 10000;

bool isDocument(const std::string& path) {
    return path.ends_with(".json");
}

bool isHeartbeat(const std::string& path) {
    return path.ends_with("/heartbeat.json");
}

/// Replaces a document that is obsolete within seconds: a reader sees a complete one or, for a moment, none, and nothing waits for the
/// disk. A file system that writes out what replaces a file (ext4) does so only while that file is there.
Result<void> replaceFleeting(const fs::path& path, std::string_view text) {
    const fs::path part = path.string() + ".part" + std::to_string(::getpid());
    std::error_code code;
    fs::remove(part, code);
    if (auto written = writeAt(part, 0, text); !written) return written;
    fs::remove(path, code);
    fs::rename(part, path, code);
    if (!code) return {};
    return fail("file_unwritable", "A file of the run cannot be written: %1."_text(code.message()), path.string());
}

/// The number in "ranks/rank_00012.jsonl"; empty when the path is not of this form.
std::optional<std::int64_t> rankIn(const std::string& path, std::string_view before, std::string_view after) {
    if (!path.starts_with(before) || !path.ends_with(after) || path.size() <= before.size() + after.size()) return {};
    const std::string digits = path.substr(before.size(), path.size() - before.size() - after.size());
    constexpr std::size_t kMostDigits = 9;
    if (digits.size() > kMostDigits || digits.find_first_not_of("0123456789") != std::string::npos) return {};
    return std::stoll(digits);
}

}  // namespace

Result<void> writeAt(const fs::path& path, std::uint64_t offset, std::string_view bytes) {
    const FileDescriptor file(openInFolder(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC));
    int number = file.number < 0 ? errno : 0;
    for (std::size_t done = 0; number == 0 && done < bytes.size();) {
        const ssize_t n =
            ::pwrite(file.number, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno != EINTR) number = errno;
        if (n > 0) done += static_cast<std::size_t>(n);
    }
    if (number == 0) return {};
    return fail(number == ENOSPC ? "disk_full" : "file_unwritable",
                "A file of the run cannot be written: %1."_text(std::strerror(number)), path.string());
}

RunMirror::RunMirror(RunDir folder, std::string run, std::string node, std::int64_t attempt,
                     std::set<std::int64_t> ranks, std::string remoteHome)
    : m_folder(std::move(folder)),
      m_run(std::move(run)),
      m_node(std::move(node)),
      m_remoteHome(std::move(remoteHome)),
      m_attempt(attempt),
      m_ranks(std::move(ranks)) {}

bool RunMirror::isExpected(const std::string& path) const {
    if (path == "metrics.jsonl" || path == "environment.json") return m_ranks.contains(0);
    for (const auto& [before, after] : {std::pair<std::string_view, std::string_view>{"ranks/rank_", ".jsonl"},
                                        {"logs/rank_", ".log"},
                                        {"logs/rank_", ".times"}})
        if (const auto rank = rankIn(path, before, after)) return m_ranks.contains(*rank);
    const std::string own = "agent/" + m_node + "/";
    if (!path.starts_with(own)) return false;
    const std::string name = path.substr(own.size());
    if (const auto rank = rankIn(name, "error_", ".json")) return m_ranks.contains(*rank);
    return name == "id.json" || name == "heartbeat.json" || name == "exit.json" || name == "agent.log";
}

void RunMirror::problem(const char* code, const Message& message, const std::string& path) {
    if (m_told.insert(code + path).second) m_problems.push_back(errorOf(code, message, m_node + ": " + path));
}

// Another program may copy the same file: both write the same bytes at the same places.
std::uint64_t RunMirror::copiedBytes(const std::string& path) {
    if (const auto known = m_offsets.find(path); known != m_offsets.end()) return known->second;
    std::error_code code;
    const fs::path file = m_folder.path / path;
    std::uint64_t end = fs::is_symlink(file, code) ? 0 : fs::file_size(file, code);
    if (code) end = 0;
    // Back to the end of a line: later bytes were truncated there at the start of a later attempt, or are still being written.
    constexpr std::uint64_t kPiece = 1U << 16;
    while (end > 0) {
        const std::uint64_t from = end > kPiece ? end - kPiece : 0;
        const auto piece = readFileFrom(file, from, end - from);
        if (!piece) return 0;
        const std::size_t at = piece->rfind('\n');
        end = at == std::string::npos ? from : from + at + 1;
        if (at != std::string::npos) break;
    }
    return m_offsets[path] = end;
}

std::uint64_t RunMirror::copiedInAll() const {
    return std::accumulate(m_offsets.begin(), m_offsets.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& file) { return sum + file.second; });
}

void RunMirror::takeStatus(const Json& answer) {
    const auto word =
        answer.contains("presence") && answer["presence"].is_string() ? answer["presence"].get<std::string>() : "";
    endRound();
    m_coming = agentPresenceFrom(word).value_or(AgentPresence::Unknown);
    m_comingDigest = answer.value("digest", Json()).is_string() ? answer["digest"].get<std::string>() : "";
    m_hadNews = false;
    if (!answer.contains("files") || !answer["files"].is_array()) return;
    for (const Json& row : answer["files"]) {
        if (!row.is_array() || row.size() != 3 || !row[0].is_string() || !row[1].is_number_unsigned() ||
            !row[2].is_number_integer())
            continue;
        File file{row[0].get<std::string>(), row[1].get<std::uint64_t>(), row[2].get<std::int64_t>()};
        if (!isExpected(file.path) || m_files.size() >= kMostFiles) continue;
        if (isDocument(file.path)) {
            const auto known = m_stamps.find(file.path);
            if (known != m_stamps.end() && known->second == file.stamp) continue;
            if (file.path.ends_with("/exit.json"))
                m_exit = file;
            else
                m_files.push_back(std::move(file));
        } else if (copiedBytes(file.path) != file.bytes) {
            m_files.push_back(std::move(file));
        }
    }
    m_hasExit = m_hasExit || m_exit.has_value();
}

void RunMirror::endRound() {
    m_known.clear();
    m_comingDigest.clear();
    m_nextRound = m_now + kQuietSeconds;
    m_files.clear();
    m_reading.clear();
    m_exit.reset();
    m_coming.reset();
}

void RunMirror::takeBytes(File file, const Frame& frame) {
    const fs::path path = m_folder.path / file.path;
    auto made = makeFolders(path.parent_path());
    if (made && isDocument(file.path)) {
        const bool isExit = file.path.ends_with("/exit.json");
        made = isHeartbeat(file.path) ? replaceFleeting(path, frame.data) : writeFileAtomically(path, frame.data);
        if (made) m_stamps[file.path] = file.stamp;
        if (isHeartbeat(file.path)) m_hasHeartbeat = true;
        m_hadNews = true;  // a heartbeat has the states of ranks: a dead one is reported within two seconds
        if (isExit)
            if (const auto exit = parseAgentExit(frame.data, file.path); !exit || exit->code != 0) m_hasFailed = true;
    } else if (made) {
        std::uint64_t& offset = m_offsets[file.path];
        const bool isLog = file.path.ends_with(".log");
        std::string_view bytes = frame.data;
        const std::size_t end = bytes.rfind('\n');
        // The last line of a log may be truncated by a crash; it is copied at the end of the log, or when overlong.
        const bool takesAll =
            isLog && (m_hasExit || (end == std::string_view::npos && bytes.size() >= kFrameDataBytes));
        if (!takesAll) bytes = bytes.substr(0, end == std::string_view::npos ? 0 : end + 1);
        if (bytes.empty()) {
            if (frame.data.size() >= kFrameDataBytes)
                problem("line_too_long",
                        "A line of this file is longer than 768 KiB; nothing more of it is copied."_text, file.path);
        } else if (copiedInAll() + bytes.size() > kMostBytes) {
            problem(
                "too_many_bytes",
                "%1 has sent 16 GiB of streams and logs of this run, the most that is kept here; the rest stays there."_text(
                    m_node),
                file.path);
        } else {
            made = writeAt(path, offset, bytes);
            if (made) offset += bytes.size();
            m_hadNews = true;
            if (made && offset < file.bytes) m_files.push_front(file);
        }
    }
    if (made) return;
    problem(made.error().code.c_str(), made.error().sentence(), file.path);
    endRound();  // incomplete: retried in the next round
}

bool RunMirror::take(const LinkAnswer& answer) {
    if (m_asked && answer.request == *m_asked) {
        m_asked.reset();
        if (!answer.frame)
            endRound();
        else
            takeStatus(*answer.frame->header);
    } else if (const auto reading = m_reading.find(answer.request); reading != m_reading.end()) {
        File file = std::move(reading->second);
        m_reading.erase(reading);
        if (answer.frame)
            takeBytes(std::move(file), *answer.frame);
        else
            m_comingDigest.clear();  // lost, or it disappeared between listing and request: asked for again
        if (answer.isLost) endRound();
    } else {
        return false;
    }
    next();
    return true;
}

// The end of a round: all listed files are here.
void RunMirror::next() {
    if (!m_coming || !m_files.empty() || !m_reading.empty() || m_exit) return;
    m_presence = std::exchange(m_coming, std::nullopt);
    // False: this node cannot hold it back, or what changed there is not copied (part of a line).
    const bool wasHeld = m_now - m_askedSeconds >= m_expectedSeconds || (m_hadNews && m_expectedSeconds > kBusySeconds);
    m_known = std::exchange(m_comingDigest, std::string());
    const double pause = m_hadNews ? kBusySeconds : kQuietSeconds;
    // A living agent's node waits itself, and answers at the end of the agent at once. What was not copied is asked for again.
    const bool isHeld = m_presence == AgentPresence::Alive && !m_known.empty();
    m_nextRound = m_now + (isHeld && wasHeld ? 0 : pause);
    m_least = isHeld && m_hadNews ? pause : 0;
}

void RunMirror::read(NodeLink& link, File file, std::uint64_t offset) {
    const auto id =
        link.ask(Json{{"do", "read"}, {"home", m_remoteHome}, {"run", m_run}, {"path", file.path}, {"offset", offset}});
    m_reading.emplace(id, std::move(file));
}

void RunMirror::poll(NodeLink& link, double now) {
    constexpr std::size_t kMostReading = 8;
    m_now = now;
    if (link.state() == NodeLink::State::Down) {
        m_presence.reset();
        endRound();
        m_nextRound = 0;
        return;
    }
    if (std::exchange(m_hasFailed, false)) link.forgetLook();
    if (m_asked) return;
    while (m_coming && !m_files.empty() && m_reading.size() < kMostReading) {
        File file = std::move(m_files.front());
        m_files.pop_front();
        const std::uint64_t offset = isDocument(file.path) ? 0 : copiedBytes(file.path);
        if (isDocument(file.path) || offset < file.bytes) {
            read(link, std::move(file), offset);
        } else if (offset > file.bytes) {
            problem("stream_replaced", "This file on the node is shorter than its copy; copying it has stopped."_text,
                    file.path);
        }
    }
    if (m_coming && m_files.empty() && m_reading.empty() && m_exit) read(link, *std::exchange(m_exit, std::nullopt), 0);
    if (!m_reading.empty()) return;
    next();
    if (now < m_nextRound) return;
    m_askedSeconds = now;
    m_expectedSeconds = (m_known.empty() ? 0 : m_least > 0 ? m_least : kHeldSeconds) / 2;
    m_asked = link.ask(Json{{"do", "status"},
                            {"home", m_remoteHome},
                            {"run", m_run},
                            {"node", m_node},
                            {"attempt", m_attempt},
                            {"known", m_known},
                            {"least_ms", static_cast<std::int64_t>(1000 * m_least)},
                            {"patience_ms", static_cast<std::int64_t>(m_known.empty() ? 0 : 1000 * kHeldSeconds)}});
}

}  // namespace slipway
