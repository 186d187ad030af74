#include "core/store/run_filter.h"

#include "core/store/filter_match.h"
#include "core/store/run_fields.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace slipway {
namespace {

struct Token {
    enum class Kind { Open, Close, Or, Not, Word } kind = Kind::Word;
    std::string field;  // of a word with field, operator and values; empty for free text
    FilterOp op = FilterOp::Text;
    std::vector<std::string> values;
    bool hasOperator = false;
    std::size_t begin = 0, end = 0;
    std::size_t valueBegin = 0;
};

struct Refused {
    FilterProblem problem;
};

[[noreturn]] void refuse(std::string code, Message message, std::size_t begin, std::size_t end) {
    throw Refused{{std::move(code), std::move(message), begin, end}};
}

bool isSpace(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// Characters of a typed field name: letters, digits, underscore, dot.
bool isFieldChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

class Lexer {
public:
    explicit Lexer(std::string_view text) : m_text(text) {}

    std::vector<Token> all() {
        std::vector<Token> out;
        while (true) {
            while (m_at < m_text.size() && isSpace(m_text[m_at])) ++m_at;
            if (m_at == m_text.size()) return out;
            out.push_back(one());
        }
    }

private:
    Token one() {
        Token token;
        token.begin = m_at;
        const char c = m_text[m_at];
        if (c == '(' || c == ')') {
            token.kind = c == '(' ? Token::Kind::Open : Token::Kind::Close;
            ++m_at;
        } else if (c == '-' && m_at + 1 < m_text.size() && !isSpace(m_text[m_at + 1]) && m_text[m_at + 1] != '-') {
            token.kind = Token::Kind::Not;
            ++m_at;
        } else {
            word(token);
        }
        token.end = m_at;
        return token;
    }

    void word(Token& token) {
        std::size_t end = m_at;
        while (end < m_text.size() && isFieldChar(m_text[end])) ++end;
        if (const auto op = operatorAt(end); op && end > m_at) {
            token.field = lower(m_text.substr(m_at, end - m_at));
            token.op = op->first;
            token.hasOperator = true;
            m_at = end + op->second;
            token.valueBegin = m_at;
            values(token);
            return;
        }
        bool quoted = false;
        token.values.push_back(value(quoted, " ()"));
        const std::string text = lower(token.values.front());
        if (!quoted && text == "or") token.kind = Token::Kind::Or;
        if (!quoted && text == "not") token.kind = Token::Kind::Not;
    }

    void values(Token& token) {
        do {
            bool quoted = false;
            std::string text = value(quoted, " (),");
            if (text.empty() && !quoted)
                refuse("filter_syntax", "A value is missing after %1."_text(token.field), token.begin, m_at);
            token.values.push_back(std::move(text));
        } while (m_at < m_text.size() && m_text[m_at] == ',' && ++m_at != 0);
    }

    std::string value(bool& quoted, std::string_view stops) {
        std::string out;
        if (m_at < m_text.size() && m_text[m_at] == '"') {
            quoted = true;
            const std::size_t begin = m_at++;
            while (m_at < m_text.size() && m_text[m_at] != '"') {
                if (m_text[m_at] == '\\' && m_at + 1 < m_text.size()) ++m_at;
                out.push_back(m_text[m_at++]);
            }
            if (m_at == m_text.size())
                refuse("filter_syntax", "The closing quotation mark is missing."_text, begin, m_at);
            ++m_at;
            return out;
        }
        while (m_at < m_text.size() && !(isSpace(m_text[m_at]) || stops.find(m_text[m_at]) != std::string_view::npos))
            out.push_back(m_text[m_at++]);
        return out;
    }

    [[nodiscard]] std::optional<std::pair<FilterOp, std::size_t>> operatorAt(std::size_t at) const {
        const std::string_view rest = m_text.substr(std::min(at, m_text.size()));
        if (rest.starts_with("!=")) return std::pair(FilterOp::NotEqual, 2);
        if (rest.starts_with("<=")) return std::pair(FilterOp::LessEqual, 2);
        if (rest.starts_with(">=")) return std::pair(FilterOp::GreaterEqual, 2);
        if (rest.starts_with("<")) return std::pair(FilterOp::Less, 1);
        if (rest.starts_with(">")) return std::pair(FilterOp::Greater, 1);
        if (rest.starts_with(":") || rest.starts_with("=")) return std::pair(FilterOp::Equal, 1);
        if (rest.starts_with("~")) return std::pair(FilterOp::Contains, 1);
        return {};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

// filter := term*            (all must hold; `or` binds less tightly than juxtaposition)
// or     := and ("or" and)*      and := unary+      unary := "not" unary | "(" or ")" | word
class Parser {
public:
    Parser(std::vector<Token> tokens, std::size_t length) : m_tokens(std::move(tokens)), m_length(length) {}

    FilterNode filter() {
        if (m_tokens.empty()) return {};
        std::size_t numValues = 0;
        for (const Token& token : m_tokens) numValues += token.kind == Token::Kind::Word ? token.values.size() : 0;
        if (numValues > kMaxParts) refuse("filter_syntax", "This filter has too many terms."_text, 0, m_length);
        FilterNode root = alternatives(0);
        if (m_at < m_tokens.size())
            refuse("filter_syntax", "There is no opening parenthesis for this one."_text, m_tokens[m_at].begin,
                   m_tokens[m_at].end);
        if (root.kind == FilterNode::Kind::And) return root;
        FilterNode all{FilterNode::Kind::And, {}, {}, FilterOp::Text, {}, root.begin, root.end};
        all.children.push_back(std::move(root));
        return all;
    }

private:
    static constexpr int kMaxDepth = 100;
    static constexpr std::size_t kMaxParts = 900;  // SQLite's expression trees end at a depth of 1,000

    bool at(Token::Kind kind) const { return m_at < m_tokens.size() && m_tokens[m_at].kind == kind; }

    FilterNode alternatives(int depth) {
        FilterNode out = conjunction(depth);
        while (at(Token::Kind::Or)) {
            ++m_at;
            FilterNode right = conjunction(depth);
            if (out.kind != FilterNode::Kind::Or) {
                FilterNode either{FilterNode::Kind::Or, {}, {}, FilterOp::Text, {}, out.begin, out.end};
                either.children.push_back(std::move(out));
                out = std::move(either);
            }
            out.end = right.end;
            out.children.push_back(std::move(right));
        }
        return out;
    }

    FilterNode conjunction(int depth) {
        FilterNode out;
        out.begin = m_at < m_tokens.size() ? m_tokens[m_at].begin : m_length;
        while (m_at < m_tokens.size() && !at(Token::Kind::Or) && !at(Token::Kind::Close))
            out.children.push_back(unary(depth));
        if (out.children.empty())
            refuse("filter_syntax", "Something to look for is missing here."_text, out.begin,
                   m_at < m_tokens.size() ? m_tokens[m_at].end : m_length);
        out.end = out.children.back().end;
        return out;
    }

    FilterNode unary(int depth) {
        const Token& token = m_tokens[m_at];
        if (depth > kMaxDepth)
            refuse("filter_syntax", "This filter is nested too deeply."_text, token.begin, token.end);
        ++m_at;
        if (token.kind == Token::Kind::Not) {
            if (m_at == m_tokens.size() || at(Token::Kind::Or) || at(Token::Kind::Close))
                refuse("filter_syntax", "Something is missing after not."_text, token.begin, token.end);
            FilterNode out{FilterNode::Kind::Not, {}, {}, FilterOp::Text, {}, token.begin, token.end};
            out.children.push_back(unary(depth + 1));
            out.end = out.children.back().end;
            return out;
        }
        if (token.kind == Token::Kind::Open) {
            FilterNode out = alternatives(depth + 1);
            if (!at(Token::Kind::Close))
                refuse("filter_syntax", "The closing parenthesis is missing."_text, token.begin, token.end);
            out.begin = token.begin;
            out.end = m_tokens[m_at++].end;
            return out;
        }
        return leaf(token);
    }

    static FilterNode leaf(const Token& token) {
        FilterNode out{FilterNode::Kind::Term, {}, token.field, token.op, token.values, token.begin, token.end};
        if (token.field.empty()) return out;
        const RunField* field = findRunField(token.field);
        if (field == nullptr) {
            const std::string near = nearestRunField(token.field);
            refuse("unknown_field", "Unknown field %1%2"_text(token.field, didYouMean(near)), token.begin,
                   token.begin + token.field.size());
        }
        for (const std::string& value : token.values)
            if (auto problem = store::checkValue(*field, token.op, value))
                refuse("bad_value", *problem, token.valueBegin, token.end);
        return out;
    }

    std::vector<Token> m_tokens;
    std::size_t m_length;
    std::size_t m_at = 0;
};

bool mentionsField(const FilterNode& node, const RunField* field) {
    if (node.kind == FilterNode::Kind::Term) return !node.field.empty() && findRunField(node.field) == field;
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const FilterNode& child) { return mentionsField(child, field); });
}

}  // namespace

bool RunFilter::mentions(std::string_view field) const {
    return mentionsField(root, findRunField(field));
}

tl::expected<RunFilter, FilterProblem> parseRunFilter(std::string_view text) {
    try {
        return RunFilter{Parser(Lexer(text).all(), text.size()).filter()};
    } catch (const Refused& refused) {
        return tl::unexpected<FilterProblem>(refused.problem);
    }
}

Error toError(const FilterProblem& problem) {
    return {problem.code, textOf(problem.message), "column " + std::to_string(problem.begin + 1), problem.message};
}

}  // namespace slipway
