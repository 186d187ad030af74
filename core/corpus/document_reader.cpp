#include "core/corpus/document_reader.h"

#include "core/base/json.h"
#include "core/base/utf8.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <cerrno>
#include <cstring>

namespace slipway {
namespace {

// Prose shrinks to a third, logs to a twentieth; a higher ratio is an attempt to fill memory or disk.
constexpr std::int64_t kMostExpansion = 100;
constexpr std::int64_t kSmallBytes = std::int64_t{64} << 20;  // smaller files are never refused

enum class Format { Text, JsonLines, Dictionary };

Format formatOf(std::filesystem::path path) {
    if (path.extension() == ".gz" || path.extension() == ".dz") path.replace_extension();
    if (path.extension() == ".jsonl" || path.extension() == ".ndjson") return Format::JsonLines;
    return path.extension() == ".dict" ? Format::Dictionary : Format::Text;
}

/// Lines of a file that may be compressed: zlib reads plain files as they are.
class LineSource {
public:
    static Result<LineSource> open(const std::filesystem::path& path) {
        std::error_code code;
        if (std::filesystem::is_directory(path, code))
            return fail("file_unreadable", "This is a folder, not a file."_text, path.string());
        LineSource source;
        errno = 0;
        source.m_file.reset(gzopen(path.c_str(), "rb"));
        if (!source.m_file)
            return fail(errno == ENOENT ? "file_missing" : "file_unreadable",
                        errno == ENOENT ? Message("The file does not exist."_text)
                                        : "The file cannot be opened: %1."_text(std::strerror(errno)),
                        path.string());
        gzbuffer(source.m_file.get(), 1U << 18);
        source.m_path = path.string();
        return source;
    }

    /// The next line with its newline, at most kMaxDocumentBytes of it; false at the end.
    Result<bool> next(std::string& line) {
        line.clear();
        while (line.size() < kMaxDocumentBytes) {
            if (m_at == m_buffer.size()) {
                m_buffer.resize(1U << 18);
                const int n = gzread(m_file.get(), m_buffer.data(), static_cast<unsigned>(m_buffer.size()));
                int code = Z_OK;
                const char* message = gzerror(m_file.get(), &code);
                m_buffer.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
                m_at = 0;
                // A truncated file yields its data first and Z_BUF_ERROR at the end.
                if (n < 0 || (n == 0 && code != Z_OK && code != Z_STREAM_END))
                    return fail(code == Z_ERRNO ? "file_unreadable" : "corpus_bad_text",
                                code == Z_ERRNO ? "The file cannot be read: %1."_text(std::strerror(errno))
                                                : "The compressed file is damaged or truncated (%1)."_text(message),
                                m_path);
                if (n == 0) break;
                const std::int64_t unpacked = gztell(m_file.get());
                if (unpacked > kSmallBytes && unpacked / kMostExpansion > gzoffset(m_file.get()))
                    return fail("corpus_bad_text",
                                "The compressed file unpacks to more than 100 times its size, as no text does."_text,
                                m_path);
            }
            const std::size_t newline = m_buffer.find('\n', m_at);
            const std::size_t end = newline == std::string::npos ? m_buffer.size() : newline + 1;
            line.append(m_buffer, m_at, end - m_at);
            m_at = end;
            if (newline != std::string::npos) break;
        }
        return !line.empty();
    }

private:
    struct Close {
        void operator()(gzFile file) const { gzclose(file); }
    };
    std::unique_ptr<gzFile_s, Close> m_file;
    std::string m_buffer;
    std::size_t m_at = 0;
    std::string m_path;
};

bool isBlank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::string cleanUtf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8Length(text, at);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++at;
            continue;
        }
        if (text[at] == '\0')
            out += ' ';
        else
            out.append(text, at, length);
        at += length;
    }
    return out;
}

Result<bool> readDocuments(const std::filesystem::path& path, const DocumentSink& sink) {
    auto source = LineSource::open(path);
    if (!source) return fail(source.error());
    const Format format = formatOf(path);
    std::string document;
    std::string line;
    const auto give = [&] {
        const bool goOn = isBlank(document) || sink(document);
        document.clear();
        return goOn;
    };
    for (std::int64_t number = 1;; ++number) {
        const auto more = source->next(line);
        if (!more) return fail(more.error());
        if (!*more) return give();
        if (line.ends_with("\r\n")) line.replace(line.size() - 2, 2, "\n");
        if (format == Format::JsonLines) {
            if (isBlank(line)) continue;
            const std::string where = path.string() + ":" + std::to_string(number);
            const auto json = parseJson(line, where);
            if (!json)
                return fail("corpus_bad_text", "The line is not valid JSON: %1"_text(json.error().message), where);
            if (!json->is_object() || !json->contains("text") || !(*json)["text"].is_string())
                return fail("corpus_bad_text", "The line has no \"text\" string."_text, where);
            document = (*json)["text"].get<std::string>();
            if (!give()) return false;
            continue;
        }
        const bool newEntry =
            format == Format::Dictionary && !isBlank(line) && line.front() != ' ' && line.front() != '\t';
        if ((newEntry || document.size() + line.size() > kMaxDocumentBytes) && !give()) return false;
        document += cleanUtf8(line);
    }
}

}  // namespace slipway
