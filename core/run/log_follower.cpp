#include "core/run/log_follower.h"

#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/run/missing_figures.h"
#include "core/run/stream_mark.h"
#include "core/spec/agent_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMark = "log";  // [attempt, byte]

}  // namespace

LogFollower::LogFollower(RunDir folder, std::int64_t attempt, interop::LogReading reading)
    : m_folder(std::move(folder)), m_attempt(attempt), m_reading(std::move(reading)) {
    m_isAtEnd = m_reading.format == "none";
}

Result<void> LogFollower::begin() {
    const fs::path control = m_folder.stopFile().parent_path();
    if (auto made = makeFolders(control); !made) return made;
    auto lock = FileLock::tryLock(control / "log_reader");
    if (!lock) return lock.error().code == "locked" ? Result<void>() : fail(lock.error());
    auto log = interop::LiveLog::make(m_reading);
    if (!log) return fail(log.error());
    const auto mark = newestMark(m_folder.metrics(), kMark);
    if (!mark) return fail(mark.error());
    if (mark->is_array() && mark->size() == 2 && (*mark)[0].is_number_unsigned() && (*mark)[1].is_number_unsigned()) {
        m_hasHeader = (*mark)[0] == m_attempt;
        m_offset = (*mark)[1];
    }
    m_log = std::move(*log);
    m_lock = std::move(*lock);
    return {};
}

Result<void> LogFollower::advance(std::int64_t now, bool isOver) {
    if (m_reading.format == "none") return {};
    std::error_code code;
    if (m_reading.format == "auto" && fs::exists(m_folder.stopFile().parent_path() / "recorded", code)) {
        m_isAtEnd = true;
        m_lock.reset();
        m_log.reset();
        return {};
    }
    m_isAtEnd = false;
    if (!m_log) {
        if (auto begun = begin(); !begun || !m_log) return begun;
    }
    const auto piece = readOwnFile(m_folder.rankLog(0), m_offset, kPieceBytes);
    if (!piece && piece.error().code == "file_missing") {
        m_isAtEnd = isOver;
        return noteMissingFigures(now);
    }
    if (!piece) return fail(piece.error());
    std::size_t whole = piece->rfind('\n') + 1;
    // A line that fills the piece is not a record; it is skipped like any other.
    if (piece->size() == kPieceBytes ? whole == 0 : isOver) whole = piece->size();
    m_isAtEnd = isOver && piece->size() < kPieceBytes;
    if (whole == 0) return noteMissingFigures(now);
    m_offset += whole;
    const std::vector<MetricStep> steps = m_log->feed(std::string_view(*piece).substr(0, whole));
    if (steps.empty()) return noteMissingFigures(now);
    auto appended = append(steps, now);
    if (!appended) {  // reread from the stream's position
        m_log.reset();
        m_lock.reset();
    }
    return appended;
}

Result<void> LogFollower::append(const std::vector<MetricStep>& steps, std::int64_t now) {
    std::string text;
    for (const MetricStep& step : steps) {
        MetricStep timed = step;
        if (timed.timeUnixMilliseconds == 0) timed.timeUnixMilliseconds = now;
        text += toLine(timed);
    }
    return write(std::move(text), m_attempt == 1 ? 0 : std::max<std::int64_t>(0, steps.front().step - 1), now);
}

Result<void> LogFollower::write(std::string text, std::int64_t resumeStep, std::int64_t now) {
    auto stream = AppendFile::open(m_folder.metrics());
    if (!stream) return fail(stream.error());
    if (!m_hasHeader)
        text.insert(0, toLine(MetricHeader{1, m_folder.path.filename().string(), m_attempt, resumeStep, 0, now}));
    if (auto appended = stream->append(withMark(std::move(text), kMark, Json{m_attempt, m_offset})); !appended)
        return appended;
    m_hasHeader = true;
    return {};
}

// A program that failed has more to say than this.
Result<void> LogFollower::noteMissingFigures(std::int64_t now) {
    if (!m_isAtEnd || m_hasHeader || m_attempt > 1) return {};
    const std::string path = m_folder.agentFolder("local") / "exit.json";
    const auto text = readOwnFile(path);
    const auto exit = text ? parseAgentExit(*text, path) : Result<AgentExit>(fail(text.error()));
    if (!exit || exit->attempt != m_attempt || exit->code != 0) return {};
    return write(toLine(MetricEvent{0, kMissingFiguresEvent, textOf(missingFiguresText()), now}), 0, now);
}

}  // namespace slipway
