#include "core/run/log_search.h"

#include "core/base/own_file.h"
#include "core/spec/log_times.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace slipway {
namespace {

constexpr std::size_t kSearchPiece = 4U << 20;
constexpr std::uint64_t kTimesTail = 128U << 10;
constexpr std::array<std::string_view, 3> kLevelWords{"error", "fatal", "warn"};

std::uint64_t bytesOf(const std::filesystem::path& path) {
    std::error_code code;
    const auto bytes = std::filesystem::file_size(path, code);
    return code ? 0 : bytes;
}

void toSmall(std::string& text) {
    for (char& c : text) c = static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 'a' - 'A' : 0));
}

std::size_t findFrom(std::string_view text, std::string_view word, std::size_t from) {
    const void* at =
        from < text.size() ? ::memmem(text.data() + from, text.size() - from, word.data(), word.size()) : nullptr;
    return at == nullptr ? std::string_view::npos
                         : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

LogLevel levelOfSmall(std::string_view line) {
    if (findFrom(line, kLevelWords[0], 0) != std::string_view::npos ||
        findFrom(line, kLevelWords[1], 0) != std::string_view::npos)
        return LogLevel::Error;
    return findFrom(line, kLevelWords[2], 0) != std::string_view::npos ? LogLevel::Warning : LogLevel::Info;
}

std::string_view withoutReturn(std::string_view line) {
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

}  // namespace

LogLevel logLevelOf(std::string_view line) {
    std::string small(line);
    toSmall(small);
    return levelOfSmall(small);
}

std::vector<LogEntry> logTail(const RunDir& folder, std::int64_t rank, std::size_t maxBytes, std::size_t maxLines) {
    const std::filesystem::path path = folder.rankLog(rank);
    const std::uint64_t size = bytesOf(path);
    const std::uint64_t offset = size > maxBytes ? size - maxBytes : 0;
    const auto text = readOwnFile(path, offset, maxBytes);
    if (!text) return {};
    std::vector<std::pair<std::size_t, std::size_t>> lines;     // begin and end in the text
    std::size_t begin = offset > 0 ? text->find('\n') + 1 : 0;  // the first line of a tail may be a part
    for (std::size_t end = text->find('\n', begin); end != std::string::npos;
         begin = end + 1, end = text->find('\n', begin))
        lines.emplace_back(begin, end);
    if (begin < text->size()) lines.emplace_back(begin, text->size());
    if (lines.size() > maxLines) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(maxLines));
    LogTimes times(logTimesFile(path), kTimesTail);
    std::vector<LogEntry> out;
    for (const auto& [from, to] : lines) {
        const std::string_view line = withoutReturn(std::string_view(*text).substr(from, to - from));
        out.push_back(
            {rank, times.timeOf(offset + to), logLevelOf(line), std::string(line.substr(0, LogSearch::kLineBytes))});
    }
    return out;
}

LogSearch::LogSearch(RunDir folder, std::vector<std::int64_t> ranks, LogQuestion question)
    : m_folder(std::move(folder)), m_question(std::move(question)) {
    toSmall(m_question.text);
    if (!m_question.text.empty())
        m_words = {m_question.text};
    else if (m_question.least != LogLevel::Info)
        m_words.assign(kLevelWords.begin(), kLevelWords.end() - (m_question.least == LogLevel::Error ? 1 : 0));
    for (const std::int64_t rank : ranks) m_logs.push_back({rank, 0, {}, {}, 0});
    m_mostOfLog = std::max<std::size_t>(8, kMostHits / 2 / std::max<std::size_t>(1, m_logs.size()));
}

bool LogSearch::advance(bool isOver, const Progress& progress) {
    std::uint64_t total = 0, done = 0;
    for (const Log& log : m_logs) {
        const std::uint64_t bytes = bytesOf(m_folder.rankLog(log.rank));
        total += bytes > log.offset ? bytes - log.offset : 0;
    }
    for (Log& log : m_logs) {
        const std::filesystem::path path = m_folder.rankLog(log.rank);
        if (bytesOf(path) <= log.offset) continue;
        LogTimes times(logTimesFile(path));
        const auto timeOf = [&times](std::uint64_t end) { return times.timeOf(end); };
        while (true) {
            if (!progress(total == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total))))
                return false;
            auto piece = readOwnFile(path, log.offset, kSearchPiece);
            if (!piece || piece->empty()) break;
            const bool isLast = piece->size() < kSearchPiece;
            std::size_t whole = piece->rfind('\n') + 1;
            // A line that fills the piece is searched in parts.
            if (isLast ? isOver : whole == 0) whole = piece->size();
            if (whole == 0) break;
            searchPiece(log, std::string_view(*piece).substr(0, whole), timeOf);
            log.offset += whole;
            m_bytesRead += whole;
            done += whole;
            if (isLast) break;
        }
    }
    return true;
}

void LogSearch::searchPiece(Log& log, std::string_view piece,
                            const std::function<std::optional<std::int64_t>(std::uint64_t)>& timeOf) {
    std::string small(piece);
    toSmall(small);
    const std::string_view text(small);
    std::vector<std::size_t> found(m_words.size(), 0);  // the next place of each word
    for (std::size_t i = 0; i < m_words.size(); ++i) found[i] = findFrom(text, m_words[i], 0);
    std::size_t from = 0;
    while (from < text.size()) {
        std::size_t at = from;
        if (!m_words.empty()) {
            for (std::size_t i = 0; i < m_words.size(); ++i)
                if (found[i] < from) found[i] = findFrom(text, m_words[i], from);
            at = *std::min_element(found.begin(), found.end());
            if (at >= text.size()) return;  // npos
        }
        std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        std::size_t end = text.find('\n', at);
        if (end == std::string_view::npos) end = text.size();
        begin = std::max(begin, from);
        from = end + 1;
        const LogLevel level = levelOfSmall(text.substr(begin, end - begin));
        if (level < m_question.least) continue;
        const std::string_view line = withoutReturn(piece.substr(begin, end - begin));
        // A long line is shown from shortly before the match.
        const std::size_t lead = at - begin > kLineBytes / 2 ? at - begin - kLineBytes / 2 : 0;
        keep(log, {log.rank, timeOf(log.offset + end), level,
                   std::string(line.substr(std::min(lead, line.size()), kLineBytes))});
    }
}

void LogSearch::keep(Log& log, LogEntry entry) {
    ++m_numMatches;
    if (log.first.size() < m_mostOfLog) {
        log.first.push_back(std::move(entry));
    } else if (log.latest.size() < m_mostOfLog) {
        log.latest.push_back(std::move(entry));
    } else {
        log.latest[log.next] = std::move(entry);
        log.next = (log.next + 1) % m_mostOfLog;
    }
}

std::vector<LogEntry> LogSearch::hits() const {
    std::vector<LogEntry> out;
    for (const Log& log : m_logs) {
        out.insert(out.end(), log.first.begin(), log.first.end());
        for (std::size_t i = 0; i < log.latest.size(); ++i)
            out.push_back(log.latest[(log.next + i) % log.latest.size()]);
    }
    return out;
}

}  // namespace slipway
