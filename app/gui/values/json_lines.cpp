#include "app/gui/values/json_lines.h"

#include "core/base/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <string>

namespace slipway::gui {
namespace {

/// Walks the text once and records the line of the longest matching part of the pointer.
class Walker {
public:
    Walker(std::string_view text, std::string_view pointer) : m_text(text), m_pointer(pointer) {}

    int run() {
        value("");
        return m_found;
    }

private:
    void space() {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) {
            m_line += m_text[m_at] == '\n';
            ++m_at;
        }
    }
    [[nodiscard]] char next() {
        space();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    std::string_view string() {
        const std::size_t begin = ++m_at;
        while (m_at < m_text.size() && m_text[m_at] != '"') m_at += m_text[m_at] == '\\' ? 2 : 1;
        const std::size_t end = std::min(m_at, m_text.size());
        ++m_at;
        return m_text.substr(begin, end - begin);
    }
    void value(const std::string& path) {
        const char first = next();
        const bool onTheWay = path.size() <= m_pointer.size() && m_pointer.substr(0, path.size()) == path &&
                              (path.size() == m_pointer.size() || m_pointer[path.size()] == '/');
        if (onTheWay && path.size() >= m_length) {
            m_found = m_line;
            m_length = path.size();
        }
        if (first == '"') {
            string();
        } else if (first == '{' || first == '[') {
            container(path, first);
        } else {
            while (m_at < m_text.size() && std::string_view(",]} \t\r\n").find(m_text[m_at]) == std::string_view::npos)
                ++m_at;
        }
    }
    void container(const std::string& path, char open) {
        ++m_at;
        for (std::size_t i = 0; m_at < m_text.size(); ++i) {
            const char c = next();
            if (c == '}' || c == ']' || c == '\0') break;
            std::string child = path + '/' + std::to_string(i);
            if (open == '{') {
                child = path + pointerToken(string());
                if (next() == ':') ++m_at;
            }
            value(child);
            if (next() == ',') ++m_at;
        }
        ++m_at;
    }

    std::string_view m_text, m_pointer;
    std::size_t m_at = 0, m_length = 0;
    int m_line = 1, m_found = 1;
};

}  // namespace

int lineOf(std::string_view text, std::string_view pointer) {
    if (!parseJson(text, "text")) return 1;
    return Walker(text, pointer).run();
}

}  // namespace slipway::gui
