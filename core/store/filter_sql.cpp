#include "core/store/filter_sql.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace slipway::store {
namespace {

using Kind = RunFieldKind;

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

bool isNumeric(Kind kind) {
    return kind == Kind::Integer || kind == Kind::Real;
}

struct Suffix {
    const char* text;
    double factor;
};
// Compared in lower case; m is million as in 8M, so minutes are min.
constexpr std::array<Suffix, 21> kSuffixes = {{{"kib", 1024.0},
                                               {"mib", 1048576.0},
                                               {"gib", 1073741824.0},
                                               {"tib", 1099511627776.0},
                                               {"kb", 1e3},
                                               {"mb", 1e6},
                                               {"gb", 1e9},
                                               {"tb", 1e12},
                                               {"us", 1e-6},
                                               {"ms", 1e-3},
                                               {"s", 1},
                                               {"min", 60},
                                               {"h", 3600},
                                               {"d", 86400},
                                               {"%", 0.01},
                                               {"k", 1e3},
                                               {"m", 1e6},
                                               {"b", 1e9},
                                               {"t", 1e12},
                                               {"g", 1e9},
                                               {"p", 1e15}}};

struct Number {
    double value = 0;
    bool hasSuffix = false;
    int digits = 0;  ///< significant digits as typed
};

std::optional<Number> numberOf(const std::string& text) {
    Number out;
    const char* begin = text.data();
    const char* end = begin + text.size();
    if (begin != end && *begin == '+') ++begin;
    const auto [rest, error] = std::from_chars(begin, end, out.value);
    if (error != std::errc() || rest == begin || std::isnan(out.value)) return {};
    bool leading = true;
    for (const char* c = begin; c != rest && *c != 'e' && *c != 'E'; ++c) {
        if (*c < '0' || *c > '9' || (leading && *c == '0')) continue;
        leading = false;
        ++out.digits;
    }
    if (rest == end) return out;
    const std::string suffix = lower(std::string_view(rest, static_cast<std::size_t>(end - rest)));
    for (const Suffix& s : kSuffixes) {
        if (suffix != s.text) continue;
        out.value *= s.factor;
        out.hasSuffix = true;
        return out;
    }
    return {};
}

/// The number in the field's unit: people write percent, the store keeps fractions.
std::optional<double> fieldNumber(const RunField& field, const std::string& text) {
    const auto number = numberOf(text);
    if (!number) return {};
    if (field.unit == "fraction" && !number->hasSuffix && std::fabs(number->value) > 1) return number->value / 100;
    return number->value;
}

std::optional<bool> flagOf(const std::string& text) {
    const std::string word = lower(text);
    if (word == "yes" || word == "true" || word == "1" || word == "on") return true;
    if (word == "no" || word == "false" || word == "0" || word == "off") return false;
    return {};
}

bool digitsAt(const std::string& text, std::size_t at, std::size_t count) {
    if (at + count > text.size()) return false;
    for (std::size_t i = at; i < at + count; ++i)
        if (text[i] < '0' || text[i] > '9') return false;
    return true;
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar (H. Hinnant, days_from_civil).
std::int64_t daysFromCivil(std::int64_t y, int m, int d) {
    y -= m <= 2 ? 1 : 0;
    const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
    const std::int64_t yearOfEra = y - era * 400;
    const std::int64_t dayOfYear = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

/// [first, last] millisecond of a date or minute, or an age counted back from now.
std::optional<std::pair<std::int64_t, std::int64_t>> timeOf(const std::string& text, std::int64_t now) {
    if (digitsAt(text, 0, 4) && text.size() >= 10 && text[4] == '-' && digitsAt(text, 5, 2) && text[7] == '-' &&
        digitsAt(text, 8, 2)) {
        const int month = std::stoi(text.substr(5, 2));
        const int day = std::stoi(text.substr(8, 2));
        if (month < 1 || month > 12 || day < 1 || day > 31) return {};
        std::int64_t begin = daysFromCivil(std::stoi(text.substr(0, 4)), month, day) * 86400000;
        if (text.size() == 10) return std::pair(begin, begin + 86399999);
        if (text.size() != 16 || text[10] != 'T' || !digitsAt(text, 11, 2) || text[13] != ':' || !digitsAt(text, 14, 2))
            return {};
        begin += std::stoi(text.substr(11, 2)) * 3600000LL + std::stoi(text.substr(14, 2)) * 60000LL;
        return std::pair(begin, begin + 59999);
    }
    // In ages 5m can only be minutes.
    const auto age = numberOf(text.ends_with('m') ? text + "in" : text);
    if (!age || !age->hasSuffix || age->value < 0 || age->value > 1e12) return {};
    const std::int64_t at = now - static_cast<std::int64_t>(age->value * 1000);
    return std::pair(at, at);
}

std::optional<std::pair<std::string, std::string>> rangeOf(const std::string& value) {
    const std::size_t dots = value.find("..");
    if (dots == std::string::npos) return {};
    return std::pair(value.substr(0, dots), value.substr(dots + 2));
}

bool isPresenceWord(const std::string& value) {
    const std::string word = lower(value);
    return word == "none" || word == "known";
}

const char* sqlOf(FilterOp op) {
    switch (op) {
        case FilterOp::Less: return " < ";
        case FilterOp::LessEqual: return " <= ";
        case FilterOp::Greater: return " > ";
        case FilterOp::GreaterEqual: return " >= ";
        case FilterOp::NotEqual: return " <> ";
        default: return " = ";
    }
}

class Builder {
public:
    explicit Builder(std::int64_t now) : m_now(now) {}

    SqlPart take() { return std::move(m_out); }

    void node(const FilterNode& n) {
        if (n.kind == FilterNode::Kind::Term) return term(n);
        if (n.kind == FilterNode::Kind::Not) {
            put("NOT ");
            return node(n.children.front());
        }
        if (n.children.empty()) return put("1");
        put("(");
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            if (i > 0) put(n.kind == FilterNode::Kind::Or ? " OR " : " AND ");
            node(n.children[i]);
        }
        put(")");
    }

private:
    void put(const std::string& sql) { m_out.sql += sql; }
    void value(CellValue v) {
        m_out.sql += "?";
        m_out.values.push_back(std::move(v));
    }

    void term(const FilterNode& n) {
        if (n.field.empty()) return freeText(n.values.front());
        const RunField& field = *findRunField(n.field);
        put(n.op == FilterOp::NotEqual ? "NOT (" : "(");
        for (std::size_t i = 0; i < n.values.size(); ++i) {
            if (i > 0) put(" OR ");
            put("coalesce(");
            oneValue(field, n.op == FilterOp::NotEqual ? FilterOp::Equal : n.op, n.values[i]);
            put(", 0)");
        }
        put(")");
    }

    void freeText(const std::string& text) {
        const char* separator = "(";
        for (const char* column : {"r.name", "r.run_id", "r.notes", "r.tags", "r.sweep_id"}) {
            put(separator);
            contains(column, text);
            separator = " OR ";
        }
        put(")");
    }

    void contains(const std::string& expression, const std::string& text) {
        std::string pattern = "%";
        for (const char c : text) {
            if (c == '%' || c == '_' || c == '\\') pattern.push_back('\\');
            pattern.push_back(c);
        }
        put("coalesce(" + expression + ", '') LIKE ");
        value(pattern + "%");
        put(" ESCAPE '\\'");
    }

    void oneValue(const RunField& field, FilterOp op, const std::string& text) {
        if (op == FilterOp::Contains) return contains(field.expression, text);
        if (op == FilterOp::Equal && isPresenceWord(text))
            return put("nullif(" + field.expression + ", '') IS " + (lower(text) == "none" ? "NULL" : "NOT NULL"));
        if (const auto range = rangeOf(text);
            range && op == FilterOp::Equal && (isNumeric(field.kind) || field.kind == Kind::Time)) {
            put("(");
            range->first.empty() ? put("1") : compare(field, FilterOp::GreaterEqual, range->first);
            put(" AND ");
            range->second.empty() ? put("1") : compare(field, FilterOp::LessEqual, range->second);
            return put(")");
        }
        compare(field, op, text);
    }

    void compare(const RunField& field, FilterOp op, const std::string& text) {
        switch (field.kind) {
            case Kind::Integer:
            case Kind::Real: {
                if (lower(text) == "nan") return put("typeof(" + field.expression + ") = 'text'");
                // NaN is stored as text, which SQLite would sort above every number.
                put("(typeof(" + field.expression + ") <> 'text' AND " + field.expression + sqlOf(op));
                value(*fieldNumber(field, text));
                return put(")");
            }
            case Kind::Flag:
                put(field.expression + " = ");
                return value(static_cast<std::int64_t>(*flagOf(text) ? 1 : 0));
            case Kind::Time: return time(field, op, *timeOf(text, m_now));
            case Kind::Tags:
                put("instr(lower(" + field.expression + "), lower(");
                value("\n" + text + "\n");
                return put(")) > 0");
            case Kind::Model: return model(field, op, text);
            case Kind::Text:
                put("(" + field.expression + " COLLATE NOCASE" + sqlOf(op));
                value(text);
                return put(")");
        }
    }

    void time(const RunField& field, FilterOp op, std::pair<std::int64_t, std::int64_t> span) {
        if (op == FilterOp::Equal) {
            put(field.expression + " BETWEEN ");
            value(span.first);
            put(" AND ");
            return value(span.second);
        }
        put(field.expression + sqlOf(op));
        value(op == FilterOp::Less || op == FilterOp::GreaterEqual ? span.first : span.second);
    }

    /// model:llama names a family, model:8B a size: every count of parameters that rounds to it in its digits.
    void model(const RunField& field, FilterOp op, const std::string& text) {
        const RunField& parameters = *findRunField("parameters");
        const auto number = numberOf(text);
        if (!number) {
            put("(" + field.expression + " COLLATE NOCASE" + sqlOf(op));
            value(text);
            return put(")");
        }
        if (op != FilterOp::Equal) return compare(parameters, op, text);
        const double half = 0.5 * std::pow(10.0, std::floor(std::log10(std::max(number->value, 1.0))) + 1 -
                                                     std::max(number->digits, 1));
        put(parameters.expression + " BETWEEN ");
        value(number->value - half);
        put(" AND ");
        value(number->value + half);
    }

    std::int64_t m_now;
    SqlPart m_out;
};

}  // namespace

std::optional<Message> checkValue(const RunField& field, FilterOp op, const std::string& value) {
    if (op == FilterOp::Contains) return {};
    if (op == FilterOp::Equal && isPresenceWord(value)) return {};
    if (const auto range = rangeOf(value);
        range && op == FilterOp::Equal && (isNumeric(field.kind) || field.kind == Kind::Time)) {
        if (range->first.empty() && range->second.empty())
            return "%1:low..high needs at least one bound."_text(field.name);
        for (const std::string& end : {range->first, range->second})
            if (!end.empty())
                if (auto problem = checkValue(field, FilterOp::LessEqual, end)) return problem;
        return {};
    }
    if (isNumeric(field.kind) && !fieldNumber(field, value) && lower(value) != "nan")
        return "%1 is a number; \"%2\" is not."_text(field.name, value);
    if (field.kind == Kind::Flag && !flagOf(value)) return "%1 is yes or no, not \"%2\"."_text(field.name, value);
    if (field.kind == Kind::Time && !timeOf(value, 0))
        return "%1 is a date such as 2026-11-21 or an age such as 2d, not \"%2\"."_text(field.name, value);
    const bool ordered = op != FilterOp::Equal && op != FilterOp::NotEqual;
    if (ordered && (field.kind == Kind::Flag || field.kind == Kind::Tags))
        return "%1 can only be compared with : or =."_text(field.name);
    if (field.name == "status") {
        const std::string word = lower(value);
        if (!runStatusFrom(word))
            return "Unknown status %1; choose one of planned, queued, running, completed, failed, cancelled, lost."_text(
                value);
    }
    return {};
}

SqlPart conditionOf(const RunFilter& filter, std::int64_t nowUnixMilliseconds) {
    Builder builder(nowUnixMilliseconds);
    builder.node(filter.root);
    return builder.take();
}

Result<std::string> orderOf(const std::vector<SortKey>& keys) {
    std::string out;
    for (const SortKey& key : keys) {
        const RunField* field = findRunField(key.field);
        if (field == nullptr) {
            const std::string near = nearestRunField(key.field);
            return fail("unknown_field", "Unknown field %1%2"_text(key.field, didYouMean(near)), "sort");
        }
        const std::string& e = field->expression;
        const std::string direction = key.descending ? " DESC" : " ASC";
        if (isNumeric(field->kind))
            // In this order at the end: infinities, NaN (stored as text), unknown.
            out += "CASE WHEN " + e + " IS NULL THEN 3 WHEN typeof(" + e + ") = 'text' THEN 2 WHEN abs(" + e +
                   ") > 1.7976931348623157e308 THEN 1 ELSE 0 END, " + e + direction + ", ";
        else if (field->kind == Kind::Flag || field->kind == Kind::Time)
            out += e + " IS NULL, " + e + direction + ", ";
        else
            out += "nullif(" + e + ", '') IS NULL, " + e + " COLLATE NOCASE" + direction + ", ";
    }
    return out + "r.created_unix_ms DESC, r.id DESC";
}

}  // namespace slipway::store
