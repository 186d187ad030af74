#include "core/store/filter_match.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace slipway::store {
namespace {

using Kind = RunFieldKind;

constexpr const char* kSizeField = "parameters";  // as in model:8B

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
    const std::string suffix = folded(std::string_view(rest, static_cast<std::size_t>(end - rest)));
    for (const Suffix& s : kSuffixes) {
        if (suffix != s.text) continue;
        out.value *= s.factor;
        out.hasSuffix = true;
        return out;
    }
    return {};
}

/// The number in the field's unit: people type percent, the store has fractions.
std::optional<double> fieldNumber(const RunField& field, const std::string& text) {
    const auto number = numberOf(text);
    if (!number) return {};
    if (field.unit == "fraction" && !number->hasSuffix && std::fabs(number->value) > 1) return number->value / 100;
    return number->value;
}

std::optional<bool> flagOf(const std::string& text) {
    const std::string word = folded(text);
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

/// [first, last] millisecond of a date or minute, or of an age relative to now.
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
    // In ages, 5m can only be minutes.
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
    const std::string word = folded(value);
    return word == "none" || word == "known";
}

template <class T>
bool holds(FilterOp op, const T& a, const T& b) {
    switch (op) {
        case FilterOp::Less: return a < b;
        case FilterOp::LessEqual: return a <= b;
        case FilterOp::Greater: return a > b;
        case FilterOp::GreaterEqual: return a >= b;
        default: return a == b;
    }
}

class Matcher {
public:
    Matcher(const ColumnOf& columnOf, std::size_t numSlots, std::int64_t now)
        : m_columnOf(columnOf), m_numSlots(numSlots), m_now(now) {}

    [[nodiscard]] Mask node(const FilterNode& n) const {
        if (n.kind == FilterNode::Kind::Term) return term(n);
        if (n.kind == FilterNode::Kind::Not) return inverted(node(n.children.front()));
        if (n.children.empty()) return Mask(m_numSlots, 1);
        Mask out = node(n.children.front());
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const Mask other = node(n.children[i]);
            if (n.kind == FilterNode::Kind::Or)
                add(out, other);
            else
                keep(out, other);
        }
        return out;
    }

private:
    static void add(Mask& to, const Mask& other) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] |= other[i];
    }
    static void keep(Mask& in, const Mask& other) {
        for (std::size_t i = 0; i < in.size(); ++i) in[i] &= other[i];
    }
    static Mask inverted(Mask mask) {
        for (std::uint8_t& bit : mask) bit ^= 1;
        return mask;
    }

    [[nodiscard]] Mask term(const FilterNode& n) const {
        if (n.field.empty()) {
            Mask out(m_numSlots);
            for (const char* field : kFreeTextFields)
                add(out, m_columnOf(*findRunField(field)).containing(folded(n.values.front())));
            return out;
        }
        const RunField& field = *findRunField(n.field);
        const FilterOp op = n.op == FilterOp::NotEqual ? FilterOp::Equal : n.op;
        Mask out(m_numSlots);
        for (const std::string& value : n.values) add(out, oneValue(field, op, value));
        return n.op == FilterOp::NotEqual ? inverted(std::move(out)) : out;
    }

    [[nodiscard]] Mask oneValue(const RunField& field, FilterOp op, const std::string& text) const {
        const RunColumn& column = m_columnOf(field);
        if (op == FilterOp::Contains) return column.containing(folded(text));
        if (op == FilterOp::Equal && isPresenceWord(text))
            return folded(text) == "none" ? inverted(column.known()) : column.known();
        if (const auto range = rangeOf(text);
            range && op == FilterOp::Equal && (isNumeric(field.kind) || field.kind == Kind::Time)) {
            Mask out(m_numSlots, 1);
            if (!range->first.empty()) keep(out, compare(field, FilterOp::GreaterEqual, range->first));
            if (!range->second.empty()) keep(out, compare(field, FilterOp::LessEqual, range->second));
            return out;
        }
        return compare(field, op, text);
    }

    [[nodiscard]] Mask compare(const RunField& field, FilterOp op, const std::string& text) const {
        const RunColumn& column = m_columnOf(field);
        switch (field.kind) {
            case Kind::Integer:
            case Kind::Real: {
                if (folded(text) == "nan") return column.numbersThat([](double value) { return std::isnan(value); });
                const double wanted = *fieldNumber(field, text);
                return column.numbersThat([&](double value) { return holds(op, value, wanted); });
            }
            case Kind::Flag: {
                const double wanted = *flagOf(text) ? 1 : 0;
                return column.numbersThat([&](double value) { return value == wanted; });
            }
            case Kind::Time: return time(column, op, *timeOf(text, m_now));
            case Kind::Tags: return column.containing("\n" + folded(text) + "\n");
            case Kind::Model: return model(column, op, text);
            case Kind::Text: break;
        }
        const std::string wanted = folded(text);
        return column.textsThat([&](std::string_view value) { return holds(op, value, std::string_view(wanted)); });
    }

    [[nodiscard]] static Mask time(const RunColumn& column, FilterOp op, std::pair<std::int64_t, std::int64_t> span) {
        const auto first = static_cast<double>(span.first), last = static_cast<double>(span.second);
        if (op == FilterOp::Equal)
            return column.numbersThat([&](double value) { return value >= first && value <= last; });
        const double bound = op == FilterOp::Less || op == FilterOp::GreaterEqual ? first : last;
        return column.numbersThat([&](double value) { return holds(op, value, bound); });
    }

    /// model:llama is a family, model:8B a size: every parameter count that rounds to it at its number of digits.
    [[nodiscard]] Mask model(const RunColumn& column, FilterOp op, const std::string& text) const {
        const auto number = numberOf(text);
        if (!number) {
            const std::string wanted = folded(text);
            return column.textsThat([&](std::string_view value) { return holds(op, value, std::string_view(wanted)); });
        }
        const RunField& parameters = *findRunField(kSizeField);
        if (op != FilterOp::Equal) return compare(parameters, op, text);
        const double half = 0.5 * std::pow(10.0, std::floor(std::log10(std::max(number->value, 1.0))) + 1 -
                                                     std::max(number->digits, 1));
        return m_columnOf(parameters).numbersThat([&](double value) {
            return value >= number->value - half && value <= number->value + half;
        });
    }

    const ColumnOf& m_columnOf;
    std::size_t m_numSlots;
    std::int64_t m_now;
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
    if (isNumeric(field.kind) && !fieldNumber(field, value) && folded(value) != "nan")
        return "%1 is a number; \"%2\" is not."_text(field.name, value);
    if (field.kind == Kind::Flag && !flagOf(value)) return "%1 is yes or no, not \"%2\"."_text(field.name, value);
    if (field.kind == Kind::Time && !timeOf(value, 0))
        return "%1 is a date such as 2026-11-21 or an age such as 2d, not \"%2\"."_text(field.name, value);
    const bool ordered = op != FilterOp::Equal && op != FilterOp::NotEqual;
    if (ordered && (field.kind == Kind::Flag || field.kind == Kind::Tags))
        return "%1 can only be compared with : or =."_text(field.name);
    if (field.name == "status") {
        const std::string word = folded(value);
        if (!runStatusFrom(word))
            return "Unknown status %1; choose one of planned, queued, running, completed, failed, cancelled, lost."_text(
                value);
    }
    return {};
}

void addFieldsOf(const FilterNode& node, std::vector<const RunField*>& out) {
    for (const FilterNode& child : node.children) addFieldsOf(child, out);
    if (node.kind != FilterNode::Kind::Term) return;
    if (node.field.empty())
        for (const char* field : kFreeTextFields) out.push_back(findRunField(field));
    else
        out.push_back(findRunField(node.field));
    if (out.back()->kind == Kind::Model) out.push_back(findRunField(kSizeField));
}

Mask matchesOf(const RunFilter& filter, const ColumnOf& columnOf, std::size_t numSlots,
               std::int64_t nowUnixMilliseconds) {
    return Matcher(columnOf, numSlots, nowUnixMilliseconds).node(filter.root);
}

}  // namespace slipway::store
