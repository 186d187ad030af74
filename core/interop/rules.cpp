#include "core/interop/rules.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace slipway::interop {
namespace {

FieldKind kindOf(const std::string& path) {
    static const std::map<std::string, FieldKind> kinds = [] {
        std::map<std::string, FieldKind> all;
        for (const FieldInfo& info : runConfigFields()) all[info.path] = info.kind;
        return all;
    }();
    const auto found = kinds.find(path);
    return found == kinds.end() ? FieldKind::Text : found->second;
}

/// The value of a rule's word.
Json valueOf(const std::string& word) {
    if (word == "true") return true;
    if (word == "false") return false;
    if (word == "null") return nullptr;
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (!word.empty() && end == word.c_str() + word.size() &&
        word.find_first_not_of("0123456789.+-e") == std::string::npos)
        return number == std::floor(number) ? Json(static_cast<std::int64_t>(number)) : Json(number);
    return word;
}

std::string lowered(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

bool sameWord(const Json& value, const std::string& word) {
    const std::string text = value.is_string() ? value.get<std::string>() : dumpJson(value, false);
    return lowered(text) == lowered(word);
}

}  // namespace

void readRules(KeyReader& reader, const Rules& rules, Json& config) {
    for (const Rule& rule : rules) {
        if (!rule.words.empty()) {
            const Json* value = reader.find(rule.key);
            if (value == nullptr) continue;
            bool known = false;
            for (const auto& [theirs, ours] : rule.words) {
                if (!sameWord(*value, theirs)) continue;
                put(config, rule.path, valueOf(ours));
                known = true;
                break;
            }
            if (!known) reader.approximated(rule.key, "Slipway has no such value; %1 is unchanged."_text(rule.path));
            continue;
        }
        switch (kindOf(rule.path)) {
            case FieldKind::Integer:
                if (const auto value = reader.integer({rule.key})) put(config, rule.path, *value);
                break;
            case FieldKind::Real:
                if (const auto value = reader.real({rule.key})) put(config, rule.path, *value);
                break;
            case FieldKind::Bool:
                if (const auto value = reader.flag({rule.key})) put(config, rule.path, *value);
                break;
            default:
                if (const auto value = reader.text({rule.key})) put(config, rule.path, *value);
                break;
        }
    }
}

void writeRules(const Json& config, const Rules& rules, Json& document) {
    for (const Rule& rule : rules) {
        const Json* value = peek(config, rule.path);
        if (value == nullptr || value->is_null()) continue;
        if (rule.words.empty()) {
            put(document, rule.key, *value);
            continue;
        }
        for (const auto& [theirs, ours] : rule.words) {
            if (!sameWord(*value, ours)) continue;
            put(document, rule.key, valueOf(theirs));
            break;
        }
    }
}

namespace {

/// digits * 10^exponent, the shortest decimal that reads back as the number.
struct Decimal {
    std::string digits;
    int exponent = 0;
};

Decimal decimalOf(double value) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    const std::string text(buffer, end);
    const std::size_t e = text.find('e');
    Decimal decimal;
    for (const char c : text.substr(0, e))
        if (c >= '0' && c <= '9') decimal.digits += c;
    decimal.exponent = std::stoi(text.substr(e + 1)) - static_cast<int>(decimal.digits.size()) + 1;
    return decimal;
}

/// The double nearest to the exact product of the two decimals.
double decimalProduct(double a, double b) {
    const Decimal x = decimalOf(a), y = decimalOf(b);
    std::string digits(x.digits.size() + y.digits.size(), '0');
    for (std::size_t i = x.digits.size(); i-- > 0;) {
        int carry = 0;
        for (std::size_t j = y.digits.size(); j-- > 0;) {
            const int sum = (x.digits[i] - '0') * (y.digits[j] - '0') + (digits[i + j + 1] - '0') + carry;
            digits[i + j + 1] = static_cast<char>('0' + sum % 10);
            carry = sum / 10;
        }
        digits[i] = static_cast<char>('0' + carry);
    }
    return std::strtod((digits + "e" + std::to_string(x.exponent + y.exponent)).c_str(), nullptr);
}

}  // namespace

double endOf(double lr, double ratio) {
    if (!std::isfinite(lr) || !std::isfinite(ratio) || lr < 0 || ratio < 0) return lr * ratio;
    const double product = decimalProduct(lr, ratio);
    // A ratio without a short decimal form, such as a third, was a quotient: then a short decimal near the product was
    // its origin.
    constexpr std::size_t kShort = 12;
    char text[40];
    std::snprintf(text, sizeof text, "%.15g", product);
    const double rounded = std::strtod(text, nullptr);
    if (!std::isfinite(product) || !std::isfinite(rounded)) return lr * ratio;
    const std::size_t digits = decimalOf(rounded).digits.size();
    return digits <= kShort && digits < decimalOf(product).digits.size() ? rounded : product;
}

double ratioOf(double minimum, double lr) {
    if (!(lr > 0)) return 0;
    char text[40];
    std::snprintf(text, sizeof text, "%.12g", minimum / lr);
    const double quotient = minimum / lr;
    for (const double ratio :
         {std::strtod(text, nullptr), quotient, std::nextafter(quotient, 2 * quotient), std::nextafter(quotient, 0.0)})
        if (endOf(lr, ratio) == minimum) return ratio;
    return quotient;
}

Result<Imported> finishReading(KeyReader& reader, Json config, const std::vector<std::string_view>& known,
                               const std::string& where) {
    reader.finish(known);
    if (!reader.problems().empty()) return fail("bad_config", linesOf(reader.problems()), where);
    auto checked = configFromDocument(std::move(config), where, reader.remarks);
    if (!checked) return fail(checked.error());
    Imported imported;
    imported.config = std::move(*checked);
    imported.remarks = std::move(reader.remarks);
    return imported;
}

void putRotaryPart(Json& config, double part) {
    const Json *head = peek(config, "model.head_dim"), *hidden = peek(config, "model.hidden_size"),
               *number = peek(config, "model.num_heads");
    double size = 0;
    if (head != nullptr && head->is_number())
        size = head->get<double>();
    else if (hidden != nullptr && number != nullptr && hidden->is_number() && number->is_number() && *number > 0)
        size = hidden->get<double>() / number->get<double>();
    if (part > 0 && part < 1 && size >= 4 && size < 1e6)
        put(config, "model.rotary_dim", std::max<std::int64_t>(1, static_cast<std::int64_t>(part * size) / 2) * 2);
}

double rotaryPart(const ModelSpec& m) {
    return static_cast<double>(m.rotarySize()) / static_cast<double>(std::max<std::int64_t>(1, m.headSize()));
}

}  // namespace slipway::interop
