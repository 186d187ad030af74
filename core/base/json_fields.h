// Visitors of field tables that speak JSON. Include in sources only: it brings all of nlohmann/json.
#pragma once

#include "core/base/field_table.h"
#include "core/base/json.h"
#include "core/base/message.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <type_traits>

namespace slipway::fields {

struct AnyVisitor {
    template <class T>
    void operator()(const Field&, T&);
};
template <class T>
concept Visitable = requires(T& t, AnyVisitor& v) {
    T::visit(t, v);
};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
Json toJson(const T& value);

struct Writer {
    Json out = Json::object();
    bool onlyApplying = true;
    template <class T>
    void operator()(const Field& f, const T& value) {
        if (onlyApplying && !f.applies) return;
        if constexpr (IsOptional<T>::value) {
            if (!value) return;
        }
        out[std::string(f.keyName)] = toJson(value);
    }
};

/// The value as JSON; fields that do not apply and absent optionals are omitted.
template <class T>
Json toJson(const T& value) {
    if constexpr (IsOptional<T>::value) {
        return value ? toJson(*value) : Json(nullptr);
    } else if constexpr (IsVector<T>::value) {
        Json list = Json::array();
        for (const auto& item : value) list.push_back(toJson(item));
        return list;
    } else if constexpr (std::is_enum_v<T>) {
        return std::string(wordOf(value));
    } else if constexpr (Visitable<T>) {
        Writer writer;
        T::visit(value, writer);
        return writer.out;
    } else if constexpr (std::is_same_v<T, double>) {
        return jsonNumber(value);
    } else {
        return value;
    }
}

inline std::string dotted(const std::string& prefix, std::string_view key) {
    return prefix.empty() ? std::string(key) : prefix + "." + std::string(key);
}

inline void addIssue(Issues& issues, const char* code, const std::string& path, const Message& message) {
    issues.push_back(issueOf(Severity::Error, code, path, message));
}

inline std::string numberText(double value) {
    return value == std::floor(value) && std::fabs(value) < 1e15 ? std::to_string(static_cast<std::int64_t>(value))
                                                                 : dumpJson(jsonNumber(value), false);
}

inline void checkRange(const Field& f, double value, const std::string& path, Issues& issues) {
    if (value >= f.minimum && value <= f.maximum) return;
    const std::string low = numberText(f.minimum), high = numberText(f.maximum);
    const Message allowed = std::isinf(f.maximum)   ? "at least %1"_text(low)
                            : std::isinf(f.minimum) ? "at most %1"_text(high)
                                                    : "from %1 to %2"_text(low, high);
    addIssue(issues, "out_of_range", path, "%1 is %2; it must be %3."_text(path, numberText(value), allowed));
}

template <class T>
void readValue(const Field& f, const Json& json, T& value, const std::string& path, Issues& issues);

struct Reader {
    const Json& json;
    std::string prefix;
    Issues& issues;
    std::vector<std::string> known{};
    /// Second pass only (conditions may depend on fields that come later in the table): the struct's defaults. A value
    /// equal to its default is harmless where it has no effect, and sweeps write such values.
    const Json* defaults = nullptr;

    template <class T>
    void operator()(const Field& f, T& value) {
        const std::string key(f.keyName);
        known.push_back(key);
        const auto it = json.find(key);
        if (it == json.end()) return;
        const std::string path = dotted(prefix, key);
        if (defaults != nullptr) {
            if (f.applies || it->is_null() || (defaults->contains(key) && (*defaults)[key] == toJson(value))) return;
            addIssue(issues, "no_effect", path,
                     "%1 has no effect unless %2; remove it or change that."_text(path, f.appliesText));
            return;
        }
        readValue(f, *it, value, path, issues);
    }
};

template <class T>
void readStruct(const Json& json, T& value, const std::string& prefix, Issues& issues) {
    if (!json.is_object()) {
        addIssue(issues, "type_mismatch", prefix,
                 prefix.empty() ? "The document must be an object { ... }."_text
                                : "%1 must be an object { ... }."_text(prefix));
        return;
    }
    Reader reader{json, prefix, issues};
    T::visit(value, reader);
    for (const auto& item : json.items()) {
        if (std::find(reader.known.begin(), reader.known.end(), item.key()) != reader.known.end()) continue;
        // Only listed problems get a suggestion; the rest are counted.
        const std::string near = issues.size() < kListedProblems ? nearestKey(item.key(), reader.known) : "";
        const std::string path = dotted(prefix, item.key());
        addIssue(issues, "unknown_key", path,
                 "Unknown key %1%2"_text(path, didYouMean(near.empty() ? near : dotted(prefix, near))));
    }
    Writer defaults{Json::object(), false};
    const T untouched{};
    T::visit(untouched, defaults);
    Reader second{json, prefix, issues, {}, &defaults.out};
    T::visit(value, second);
}

template <class T>
void readValue(const Field& f, const Json& json, T& value, const std::string& path, Issues& issues) {
    const auto mismatch = [&](SourceText wanted) {
        addIssue(issues, "type_mismatch", path,
                 "%1 must be %2, not %3."_text(path, wanted, dumpJson(json, false).substr(0, 60)));
    };
    if constexpr (IsOptional<T>::value) {
        if (json.is_null()) {
            value.reset();
            return;
        }
        typename T::value_type inner{};
        readValue(f, json, inner, path, issues);
        value = std::move(inner);
    } else if constexpr (IsVector<T>::value) {
        if (!json.is_array()) return mismatch("a list [ ... ]"_text);
        value.clear();
        for (std::size_t i = 0; i < json.size(); ++i) {
            typename T::value_type item{};
            readValue(f, json[i], item, path + "." + std::to_string(i), issues);
            value.push_back(std::move(item));
        }
    } else if constexpr (std::is_enum_v<T>) {
        std::vector<std::string> words;
        for (const auto& name : enumNames(T{})) {
            words.emplace_back(name.word);
            if (json.is_string() && json.get_ref<const std::string&>() == name.word) {
                value = name.value;
                return;
            }
        }
        std::string list;
        for (const auto& word : words) list += (list.empty() ? "" : ", ") + word;
        const bool isListed = json.is_string() && issues.size() < kListedProblems;
        const std::string near = isListed ? nearestKey(json.get_ref<const std::string&>(), words) : "";
        addIssue(
            issues, "unknown_choice", path,
            "%1 is %2; choose one of %3%4"_text(path, dumpJson(json, false).substr(0, 60), list, didYouMean(near)));
    } else if constexpr (Visitable<T>) {
        readStruct(json, value, path, issues);
    } else if constexpr (std::is_same_v<T, bool>) {
        if (!json.is_boolean()) return mismatch("true or false"_text);
        value = json.get<bool>();
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        // 1e3 is a fine way to write an integer; 3.7, true and numbers beyond 2^63 are not integers.
        if (json.is_number_unsigned() &&
            json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return mismatch("a whole number below 2^63"_text);
        if (json.is_number_float()) {
            const double real = json.get<double>();
            if (real != std::floor(real) || std::fabs(real) > 9007199254740992.0)
                return mismatch("a whole number"_text);
            value = static_cast<std::int64_t>(real);
        } else if (json.is_number_integer()) {
            value = json.get<std::int64_t>();
        } else {
            return mismatch("a whole number"_text);
        }
        checkRange(f, static_cast<double>(value), path, issues);
    } else if constexpr (std::is_same_v<T, double>) {
        const auto number = numberFromJson(json, path);
        if (!number) return mismatch("a number"_text);
        value = *number;
        checkRange(f, value, path, issues);
    } else {
        static_assert(std::is_same_v<T, std::string>, "a field table holds a type that json_fields.h does not know");
        if (!json.is_string()) return mismatch("text in quotes"_text);
        value = json.get<std::string>();
    }
}

/// Reads a struct strictly: unknown keys, wrong types, values out of range and fields without effect become issues.
/// Missing fields keep their defaults.
template <class T>
T fromJson(const Json& json, Issues& issues, const std::string& prefix = {}) {
    T value{};
    readStruct(json, value, prefix, issues);
    return value;
}

template <class T>
constexpr FieldKind kindOf() {
    if constexpr (IsOptional<T>::value) {
        return kindOf<typename T::value_type>();
    } else if constexpr (IsVector<T>::value) {
        using Item = typename T::value_type;
        if constexpr (std::is_same_v<Item, std::int64_t>)
            return FieldKind::IntegerList;
        else if constexpr (std::is_same_v<Item, double>)
            return FieldKind::RealList;
        else if constexpr (Visitable<Item>)
            return FieldKind::StructList;
        else
            return FieldKind::TextList;
    } else if constexpr (std::is_enum_v<T>) {
        return FieldKind::Enum;
    } else if constexpr (std::is_same_v<T, bool>) {
        return FieldKind::Bool;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        return FieldKind::Integer;
    } else if constexpr (std::is_same_v<T, double>) {
        return FieldKind::Real;
    } else {
        return FieldKind::Text;
    }
}

template <class T>
struct Plain {
    using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
    using type = T;
};

struct Collector {
    FieldInfos& out;
    std::string prefix;
    bool parentApplies = true;
    SourceText parentLabel = {};

    template <class T>
    void operator()(const Field& f, const T& value) {
        using Inner = typename Plain<T>::type;
        const std::string path = dotted(prefix, f.keyName);
        const bool applies = parentApplies && f.applies;
        if constexpr (Visitable<Inner>) {
            Inner inner{};
            if constexpr (IsOptional<T>::value) {
                if (value) inner = *value;
            } else {
                inner = value;
            }
            Collector nested{out, path, applies, f.labelText};
            Inner::visit(inner, nested);
        } else {
            FieldInfo info;
            info.path = path;
            info.key = f.keyName;
            info.kind = kindOf<T>();
            info.isOptional = IsOptional<T>::value;
            info.label = parentLabel.empty() || f.labelText.empty() ? Message(f.labelText)
                                                                    : "%1: %2"_text(parentLabel, f.labelText);
            info.unit = f.unitText;
            info.help = f.helpText;
            info.minimum = f.minimum;
            info.maximum = f.maximum;
            if constexpr (std::is_enum_v<Inner>) {
                for (const auto& name : enumNames(Inner{})) {
                    info.choices.emplace_back(name.word);
                    info.choiceLabels.push_back(name.label.empty() ? Message::name(name.word) : Message(name.label));
                }
            }
            info.defaultJson = dumpJson(toJson(value), false);
            info.applies = applies;
            info.appliesWhen = f.appliesText;
            info.advanced = f.isAdvanced;
            out.push_back(std::move(info));
        }
    }
};

/// All leaves of a struct, depth first. `defaultJson` and `applies` are the given instance's.
template <class T>
FieldInfos collect(const T& value, const std::string& prefix = {}) {
    FieldInfos out;
    Collector collector{out, prefix};
    T::visit(value, collector);
    return out;
}

}  // namespace slipway::fields
