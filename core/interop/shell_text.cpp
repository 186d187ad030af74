#include "core/base/json_members.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#include <cctype>
#include <map>

namespace slipway::interop {
namespace {

constexpr std::size_t kMaxWords = 100000;

bool isNameCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Lexer {
public:
    Lexer(const std::string& text, ShellScript& script) : m_text(text), m_script(script) {}

    void run() {
        while (m_at < m_text.size() && m_words < kMaxWords) {
            const char c = m_text[m_at];
            if (c == '\n' || c == ';' || c == '&' || c == '|') {
                endWord();
                endCommand();
                ++m_at;
            } else if (c == ' ' || c == '\t' || c == '\r') {
                endWord();
                ++m_at;
            } else if (c == '#' && !m_inWord) {
                comment();
            } else if (c == '\\' && m_at + 1 < m_text.size()) {
                if (m_text[m_at + 1] != '\n') add(m_text[m_at + 1]);
                m_at += 2;
            } else if (c == '(' && m_inWord && m_word.ends_with('=') && !m_inArray) {
                m_array = m_word.substr(0, m_word.size() - 1);
                m_inArray = true;
                m_word.clear();
                m_inWord = false;
                m_elements.clear();
                ++m_at;
            } else if (c == ')' && m_inArray) {
                endWord();
                m_script.variables[m_array] = m_elements;
                m_inArray = false;
                ++m_at;
            } else if (c == '\'') {
                const std::size_t end = std::min(m_text.find('\'', m_at + 1), m_text.size());
                m_inWord = true;
                m_word += m_text.substr(m_at + 1, end - m_at - 1);
                m_at = end + 1;
            } else if (c == '"') {
                m_quoted = !m_quoted;
                m_inWord = true;
                ++m_at;
                if (m_quoted) quoted();
            } else if (c == '$') {
                variable(false);
            } else {
                add(c);
                ++m_at;
            }
        }
        endWord();
        endCommand();
    }

private:
    void add(char c) {
        m_word += c;
        m_inWord = true;
    }

    void quoted() {
        while (m_at < m_text.size() && m_text[m_at] != '"' && m_words < kMaxWords) {
            const char c = m_text[m_at];
            if (c == '\\' && m_at + 1 < m_text.size()) {
                const char next = m_text[m_at + 1];
                if (next != '\n') {
                    if (next != '"' && next != '\\' && next != '$' && next != '`') m_word += '\\';
                    m_word += next;
                }
                m_at += 2;
            } else if (c == '$') {
                variable(true);
            } else {
                m_word += c;
                ++m_at;
            }
        }
        if (m_at < m_text.size()) ++m_at;
        m_quoted = false;
    }

    void comment() {
        const std::size_t end = std::min(m_text.find('\n', m_at), m_text.size());
        const std::string line = m_text.substr(m_at, end - m_at);
        if (line.starts_with("#SBATCH")) {
            ShellScript inner;
            Lexer lexer(line, inner);
            lexer.m_at = 7;
            lexer.run();
            if (!inner.commands.empty()) m_script.sbatch.push_back(inner.commands.front());
        }
        m_at = end;
    }

    // $NAME, ${NAME}, ${NAME:-default}, ${NAME[@]}, $(...) and $((...)): the last two stay as written.
    void variable(bool inQuotes) {
        const std::size_t begin = m_at++;
        std::string name, fallback;
        bool all = false;
        if (m_at < m_text.size() && m_text[m_at] == '{') {
            const std::size_t close = m_text.find('}', m_at);
            if (close == std::string::npos) return add('$');
            std::string inside = m_text.substr(m_at + 1, close - m_at - 1);
            m_at = close + 1;
            const std::size_t operation = inside.find(":-");
            if (operation != std::string::npos) {
                fallback = inside.substr(operation + 2);
                inside.resize(operation);
            }
            all = inside.ends_with("[@]") || inside.ends_with("[*]");
            if (all) inside.resize(inside.size() - 3);
            name = inside;
        } else if (m_at < m_text.size() && m_text[m_at] == '(') {
            int depth = 0;
            do {
                depth += m_text[m_at] == '(' ? 1 : m_text[m_at] == ')' ? -1 : 0;
                ++m_at;
            } while (m_at < m_text.size() && depth > 0);
            m_word += m_text.substr(begin, m_at - begin);
            m_inWord = true;
            return;
        } else {
            while (m_at < m_text.size() && isNameCharacter(m_text[m_at])) name += m_text[m_at++];
        }
        const auto found = m_script.variables.find(name);
        if (found == m_script.variables.end()) {
            m_word += fallback.empty() ? m_text.substr(begin, m_at - begin) : fallback;
            m_inWord = true;
            return;
        }
        const Words values = found->second;
        if (all || !inQuotes) {
            // A text of several words is split if unquoted, as in every shell.
            bool first = true;
            for (const std::string& value : values)
                for (const std::string& part : all&& inQuotes ? Words{value} : split(value)) {
                    if (!first) endWord();
                    first = false;
                    m_word += part;
                    m_inWord = true;
                }
            return;
        }
        if (!values.empty()) m_word += values.front();
        m_inWord = true;
    }

    static Words split(const std::string& text) {
        Words words;
        std::string word;
        for (const char c : text) {
            if (c != ' ' && c != '\t' && c != '\n') {
                word += c;
                continue;
            }
            if (!word.empty()) words.push_back(std::move(word));
            word.clear();
        }
        if (!word.empty()) words.push_back(std::move(word));
        return words;
    }

    void endWord() {
        if (!m_inWord) return;
        ++m_words;
        (m_inArray ? m_elements : m_command).push_back(std::move(m_word));
        m_word.clear();
        m_inWord = false;
    }

    void endCommand() {
        if (m_inArray) return;
        std::size_t begin = 0;
        while (begin < m_command.size()) {
            const std::string& word = m_command[begin];
            const std::size_t equals = word.find('=');
            bool isName = equals != std::string::npos && equals > 0;
            for (std::size_t i = 0; isName && i < equals; ++i) isName = isNameCharacter(word[i]);
            if (isName)
                m_script.variables[word.substr(0, equals)] = {word.substr(equals + 1)};
            else if (word != "export" && word != "local")
                break;
            ++begin;
        }
        if (begin < m_command.size())
            m_script.commands.emplace_back(m_command.begin() + static_cast<std::ptrdiff_t>(begin), m_command.end());
        m_command.clear();
    }

    const std::string& m_text;
    ShellScript& m_script;
    std::size_t m_at = 0, m_words = 0;
    std::string m_word, m_array;
    Words m_command, m_elements;
    bool m_inWord = false, m_inArray = false, m_quoted = false;
};

}  // namespace

ShellScript readShell(const std::string& text) {
    ShellScript script;
    Lexer(text, script).run();
    return script;
}

Json optionsFrom(const Words& words) {
    Json options = Json::object();
    std::map<std::string, std::size_t> places;  // among the members, whose look-up by key is slow
    const auto valueOf = [&](const std::string& name) -> Json& {
        const auto [place, isNew] = places.try_emplace(name, places.size());
        if (isNew) return appendMember(options, name, nullptr);
        return options.get_ref<Json::object_t&>().begin()[static_cast<std::ptrdiff_t>(place->second)].second;
    };
    std::string key;
    const auto isOption = [](const std::string& word) { return word.size() > 2 && word.starts_with("--"); };
    for (const std::string& word : words) {
        if (isOption(word)) {
            const std::size_t equals = word.find('=');
            key = word.substr(2, equals == std::string::npos ? equals : equals - 2);
            for (char& c : key)
                if (c == '_') c = '-';
            valueOf(key) = equals == std::string::npos ? Json(true) : Json(word.substr(equals + 1));
            continue;
        }
        if (key.empty()) continue;
        Json& value = valueOf(key);
        if (value.is_boolean())
            value = word;
        else if (value.is_array())
            value.push_back(word);
        else
            value = Json::array({value, word});
    }
    return options;
}

}  // namespace slipway::interop
