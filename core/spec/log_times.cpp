#include "core/spec/log_times.h"

#include <charconv>
#include <string>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kTimesPiece = 64U << 10;

std::uint64_t lengthOf(const fs::path& path) {
    std::error_code code;
    const auto bytes = fs::file_size(path, code);
    return code ? 0 : bytes;
}

/// "4096 1764365412345"; false for anything else.
bool readNote(std::string_view line, std::uint64_t& bytes, std::int64_t& time) {
    const auto first = std::from_chars(line.data(), line.data() + line.size(), bytes);
    if (first.ec != std::errc() || first.ptr == line.data() + line.size() || *first.ptr != ' ') return false;
    const auto second = std::from_chars(first.ptr + 1, line.data() + line.size(), time);
    return second.ec == std::errc() && second.ptr == line.data() + line.size() && time >= 0;
}

}  // namespace

fs::path logTimesFile(const fs::path& log) {
    return fs::path(log).replace_extension(".times");
}

LogTimesWriter::LogTimesWriter(fs::path log) : m_log(std::move(log)) {}

void LogTimesWriter::begin() {
    m_bytes = lengthOf(m_log);
    m_noted = 0;
    const fs::path times = logTimesFile(m_log);
    const std::uint64_t size = lengthOf(times);
    const auto tail = readFileFrom(times, size > 128 ? size - 128 : 0, 128);
    if (tail && !tail->empty()) {
        const std::size_t end = tail->rfind('\n');
        const std::size_t begin = end == 0 || end == std::string::npos ? std::string::npos : tail->rfind('\n', end - 1);
        std::int64_t time = 0;
        if (end != std::string::npos)
            (void)readNote(std::string_view(*tail).substr(begin + 1, end - begin - 1), m_noted, time);
    }
    std::error_code code;
    if (m_noted > m_bytes) {
        fs::remove(times, code);
        m_noted = 0;
    }
    if (m_bytes > m_noted) note(m_bytes, 0);
}

void LogTimesWriter::look(double now, std::int64_t unixMilliseconds, bool isLast) {
    m_bytes = lengthOf(m_log);
    if (m_bytes == m_noted || (!isLast && now < m_notedSeconds + kSeconds)) return;
    if (m_bytes < m_noted) {
        m_file.reset();
        std::error_code code;
        fs::remove(logTimesFile(m_log), code);
    }
    note(m_bytes, unixMilliseconds);
    m_notedSeconds = now;
}

// Times are a convenience: a full disk leaves gaps, and nothing fails.
void LogTimesWriter::note(std::uint64_t bytes, std::int64_t unixMilliseconds) {
    if (!m_file) {
        auto opened = AppendFile::open(logTimesFile(m_log));
        if (!opened) return;
        m_file = std::move(*opened);
    }
    if (m_file->append(std::to_string(bytes) + ' ' + std::to_string(unixMilliseconds) + '\n')) m_noted = bytes;
}

LogTimes::LogTimes(fs::path times, std::optional<std::uint64_t> tailBytes) : m_path(std::move(times)) {
    const std::uint64_t size = tailBytes ? lengthOf(m_path) : 0;
    if (!tailBytes || size <= *tailBytes) return;
    m_offset = size - *tailBytes;
    m_skipsPart = true;
    // What the first of these notes covers may be older than it.
    while (m_notes.empty() && readOn()) {
    }
    if (!m_notes.empty()) m_knownFrom = m_notes.front().bytes;
}

bool LogTimes::readOn() {
    const auto piece = readFileFrom(m_path, m_offset, kTimesPiece);
    if (!piece) return false;
    const std::size_t end = piece->rfind('\n');
    if (end == std::string::npos) return false;
    std::size_t begin = 0;
    if (m_skipsPart) begin = piece->find('\n') + 1;
    m_skipsPart = false;
    m_offset += end + 1;
    while (begin <= end) {
        const std::size_t next = piece->find('\n', begin);
        Note note;
        if (readNote(std::string_view(*piece).substr(begin, next - begin), note.bytes, note.unixMilliseconds))
            m_notes.push_back(note);
        begin = next + 1;
    }
    return true;
}

std::optional<std::int64_t> LogTimes::timeOf(std::uint64_t lineEnd) {
    while (true) {
        while (!m_notes.empty() && m_notes.front().bytes < lineEnd) m_notes.pop_front();
        if (!m_notes.empty()) break;
        if (!readOn()) return {};
    }
    if (lineEnd <= m_knownFrom && m_knownFrom > 0) return {};
    return m_notes.front().unixMilliseconds > 0 ? std::optional(m_notes.front().unixMilliseconds) : std::nullopt;
}

}  // namespace slipway
