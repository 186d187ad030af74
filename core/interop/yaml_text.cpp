#include "core/base/json_members.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

namespace slipway::interop {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxNodes = 100000;
constexpr std::size_t kMaxScalarBytes = 16U << 20;  // an alias repeats a text written once

std::string placeOf(const YAML::Mark& mark) {
    return std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

struct Refused {
    Message message;
    YAML::Mark mark;
};

Json scalarOf(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    if (node.Tag() == "!") return text;  // in quotes
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    const char* begin = text.data() + (text[0] == '+' ? 1 : 0);
    const char* end = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto [at, error] = std::from_chars(begin, end, whole); error == std::errc{} && at == end) return whole;
    double real = 0;
    const bool looksReal = text.find_first_not_of("+-.0123456789eE") == std::string::npos;
    if (looksReal)
        if (const auto [at, error] = std::from_chars(begin, end, real); error == std::errc{} && at == end) return real;
    return text;
}

struct Size {
    int nodes = 0;
    std::size_t scalarBytes = 0;
};

Json convert(const YAML::Node& node, int depth, Size& size) {
    if (depth > kMaxDepth) throw Refused{"deeper than 64 levels"_text, node.Mark()};
    if (++size.nodes > kMaxNodes) throw Refused{"more than 100,000 values"_text, node.Mark()};
    switch (node.Type()) {
        case YAML::NodeType::Scalar:
            size.scalarBytes += node.Scalar().size();
            if (size.scalarBytes > kMaxScalarBytes) throw Refused{"more than 16 MiB of text"_text, node.Mark()};
            return scalarOf(node);
        case YAML::NodeType::Sequence: {
            Json list = Json::array();
            for (const auto& item : node) list.push_back(convert(item, depth + 1, size));
            return list;
        }
        case YAML::NodeType::Map: {
            Json object = Json::object();
            std::set<std::string> keys;
            for (const auto& item : node) {
                if (!item.first.IsScalar()) throw Refused{"a key that is not a scalar"_text, node.Mark()};
                const std::string& key = item.first.Scalar();
                if (!keys.insert(key).second) throw Refused{"the key \"%1\" twice"_text(key), item.first.Mark()};
                appendMember(object, key, convert(item.second, depth + 1, size));
            }
            return object;
        }
        default: return nullptr;
    }
}

bool isPlainWord(const std::string& text) {
    static const char* const reserved[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    if (text.empty() || !std::isalpha(static_cast<unsigned char>(text[0]))) return false;
    for (const char c : text)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '/' && c != '-') return false;
    std::string lower = text;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* word : reserved)
        if (lower == word) return false;
    return true;
}

std::string scalarText(const Json& value) {
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        return isPlainWord(text) ? text : dumpJson(value, false);
    }
    std::string text = dumpJson(value, false);
    if (!value.is_number_float()) return text;
    const std::size_t exponent = text.find('e');
    if (exponent == std::string::npos) return text;
    if (text.find('.') == std::string::npos) text.insert(exponent, ".0");
    const std::size_t sign = text.find('e') + 1;
    if (text[sign] != '-' && text[sign] != '+') text.insert(sign, "+");
    return text;
}

std::string flow(const Json& value) {
    if (!value.is_array()) return scalarText(value);
    std::string text = "[";
    for (const Json& item : value) text += (text.size() > 1 ? ", " : "") + flow(item);
    return text + "]";
}

void emit(const Json& object, int indent, std::string& out) {
    for (const auto& item : object.items()) {
        out += std::string(static_cast<std::size_t>(indent), ' ') + scalarText(item.key()) + ":";
        if (item.value().is_object() && !item.value().empty()) {
            out += '\n';
            emit(item.value(), indent + 2, out);
        } else {
            out += " " + (item.value().is_object() ? std::string("{}") : flow(item.value())) + "\n";
        }
    }
}

/// A line of three dashes after content other than comments.
bool hasSecondDocument(const std::string& text) {
    std::istringstream lines(text);
    bool content = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("---", 0) == 0 && (line.size() == 3 || line[3] == ' ' || line[3] == '\r')) {
            if (content) return true;
            content = line.find_first_not_of(" \r", 3) != std::string::npos;
            continue;
        }
        const auto first = line.find_first_not_of(" \t\r");
        content = content || (first != std::string::npos && line[first] != '#' && line[first] != '%');
    }
    return false;
}

}  // namespace

Result<Json> parseYaml(const std::string& text, const std::string& where) {
    try {
        // Not YAML::LoadAll: for some malformed texts yaml-cpp 0.7 finds endless empty documents.
        if (hasSecondDocument(text))
            return fail("yaml_syntax", "One YAML document was expected; a second one begins with \"---\"."_text, where);
        Size size;
        const YAML::Node root = YAML::Load(text);
        if (root.IsNull()) return fail("yaml_syntax", "The file contains no YAML."_text, where);
        return convert(root, 0, size);
    } catch (const YAML::Exception& error) {
        return fail("yaml_syntax", "Not valid YAML: %1."_text(error.msg), where + ":" + placeOf(error.mark));
    } catch (const std::exception& error) {
        return fail("yaml_syntax", "Not valid YAML: %1."_text(error.what()), where);
    } catch (const Refused& refused) {
        return fail("yaml_syntax", "The YAML contains %1."_text(refused.message), where + ":" + placeOf(refused.mark));
    }
}

std::string dumpYaml(const Json& value) {
    std::string out;
    emit(value, 0, out);
    return out;
}

}  // namespace slipway::interop
