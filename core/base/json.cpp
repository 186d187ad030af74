#include "core/base/json.h"

#include "core/base/file.h"
#include "core/base/json_members.h"
#include "core/base/untrusted_text.h"
#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace slipway {
namespace {

constexpr std::size_t kMaxDepth = 64;

std::string placeOf(std::string_view text, std::size_t byte, const std::string& name) {
    const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    const std::size_t lineStart = text.rfind('\n', end == 0 ? 0 : end - 1);
    const std::size_t column = lineStart == std::string_view::npos || lineStart >= end ? end + 1 : end - lineStart;
    return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

// Builds the document itself: the library's own builder neither limits depth nor detects repeated keys, and it searches
// all members of an object for every new one.
class StrictSax : public nlohmann::json_sax<Json> {
public:
    explicit StrictSax(Json& document) : m_document(document) {}

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t&) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t& value) override { return put(std::move(value)); }
    bool start_object(std::size_t) override { return enter(Json::object()); }
    bool start_array(std::size_t) override { return enter(Json::array()); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool key(string_t& name) override {
        if (!m_open.back().keys.insert(name).second) {
            problem = "The key \"%1\" appears twice in one object; remove one of them."_text(name);
            code = "json_repeated_key";
            return false;
        }
        m_key = std::move(name);
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
        byte = position;
        const std::string what = error.what();
        problem = Message::name(what);
        code = "json_syntax";
        // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." -> the useful part
        if (const auto bracket = what.find("] ");
            what.starts_with("[json.exception.out_of_range") && bracket != std::string::npos)
            problem = "Not valid JSON: %1; the largest number is 1.8e308."_text(what.substr(bracket + 2));
        else if (const auto colon = what.find(": "); colon != std::string::npos)
            problem = "Not valid JSON: %1."_text(what.substr(colon + 2));
        return false;
    }

    Message problem;
    std::string code;
    std::size_t byte = 0;

private:
    struct Open {
        Json* value;
        std::set<std::string> keys;
    };

    Json& added(Json value) {
        if (m_open.empty()) return m_document = std::move(value);
        Json& parent = *m_open.back().value;
        if (!parent.is_array()) return appendMember(parent, std::move(m_key), std::move(value));
        parent.push_back(std::move(value));
        return parent.back();
    }
    bool put(Json value) {
        added(std::move(value));
        return true;
    }
    bool enter(Json empty) {
        if (m_open.size() < kMaxDepth) {
            Json& value = added(std::move(empty));
            m_open.push_back({&value, {}});
            return true;
        }
        problem = "The document is nested deeper than 64 levels."_text;
        code = "json_too_deep";
        return false;
    }
    bool leave() {
        m_open.pop_back();
        return true;
    }

    Json& m_document;
    std::string m_key;
    std::vector<Open> m_open;
};

/// Control characters and direction marks as \u escapes. In JSON only strings can contain non-ASCII characters.
std::string withoutSteering(std::string text) {
    if (text.find_first_of("\x7F\xC2\xD8\xE2") == std::string::npos) return text;
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const char32_t c = nextCodePoint(text, at);
        if (c != '\n' && steersText(c)) {
            char escape[16];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else {
            out.append(text, begin, at - begin);
        }
    }
    return out;
}

}  // namespace

Result<Json> parseJson(std::string_view text, const std::string& name) {
    Json root;
    StrictSax sax(root);
    bool ok = false;
    try {
        ok = Json::sax_parse(text, &sax);
    } catch (const std::exception& error) {
        return fail("json_syntax", "Not valid JSON: %1"_text(error.what()), name);
    }
    if (!ok) {
        const std::string where = sax.byte > 0 ? placeOf(text, sax.byte, name) : name;
        if (sax.problem.empty()) return fail("json_syntax", "Not valid JSON."_text, where);
        return fail(sax.code.empty() ? "json_syntax" : sax.code, sax.problem, where);
    }
    return root;
}

Result<Json> readJsonFile(const std::filesystem::path& path) {
    // A document takes about ten times its size in memory.
    constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20;
    std::error_code code;
    if (std::filesystem::is_regular_file(path, code) && std::filesystem::file_size(path, code) > kLargest && !code)
        return fail("file_too_large", "The file exceeds 256 MiB, the limit for documents."_text, path.string());
    auto text = readFile(path);
    if (!text) return fail(text.error());
    return parseJson(*text, path.string());
}

std::string dumpJson(const Json& value, bool pretty) {
    // `replace` allows writing a file with an invalid byte from a log line.
    std::string text = withoutSteering(value.dump(pretty ? 2 : -1, ' ', false, Json::error_handler_t::replace));
    if (pretty) text += '\n';
    return text;
}

Result<void> writeJsonFile(const std::filesystem::path& path, const Json& value) {
    return writeFileAtomically(path, dumpJson(value, true));
}

Json jsonNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

Result<double> numberFromJson(const Json& value, const std::string& where) {
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
        if (text == "inf") return std::numeric_limits<double>::infinity();
        if (text == "-inf") return -std::numeric_limits<double>::infinity();
    }
    return fail("type_mismatch", "Must be a number."_text, where);
}

std::string pointerToken(std::string_view key) {
    std::string out = "/";
    for (const char c : key) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

std::string nearestKey(std::string_view key, const std::vector<std::string>& known) {
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(2, key.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const std::size_t unequal = std::max(key.size(), candidate.size()) - std::min(key.size(), candidate.size());
        if (unequal >= bestDistance) continue;
        std::vector<std::size_t> row(candidate.size() + 1);
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
        for (std::size_t i = 1; i <= key.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= candidate.size(); ++j) {
                const std::size_t substitute = diagonal + (key[i - 1] == candidate[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
            }
        }
        if (row.back() < bestDistance) {
            bestDistance = row.back();
            best = candidate;
        }
    }
    return best;
}

Message didYouMean(const std::string& near) {
    return near.empty() ? Message::name(".") : "; did you mean %1?"_text(near);
}

}  // namespace slipway
