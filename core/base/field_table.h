// The field table: each spec struct lists its fields once, in a static `visit`. Everything that needs all fields is a
// visitor: JSON out and in, unknown-key check, `--set`, sweep axes, forms, tool tips, diff, reference page.
//
//   struct Router {
//       std::int64_t topK = 2;
//       template <class Self, class V> static void visit(Self& s, V& v) {
//           v(field("top_k").label("Experts per token"_text).unit("experts"_text).range(1, 64)
//                 .help("Experts each token is sent to."_text), s.topK);
//       }
//   };
//
// Member types: bool, std::int64_t, double, std::string, enum with enumNames(), std::optional of these, std::vector of
// these, and structs that have a `visit` of their own (also in optional and vector).
#pragma once

#include "core/base/message.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// The table entry of one field. `applies` is computed from the struct at hand when it is visited: setting a field that
/// does not apply is an error, because an option without effect must never be silent.
struct Field {
    std::string_view keyName;
    SourceText labelText = {};
    SourceText unitText = {};
    SourceText helpText = {};
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    bool applies = true;
    SourceText appliesText = {};
    bool isAdvanced = false;

    /// The field's name in forms: "Tensor parallel (tp)".
    constexpr Field label(SourceText text) const { return with(&Field::labelText, text); }
    constexpr Field unit(SourceText text) const { return with(&Field::unitText, text); }
    /// One sentence.
    constexpr Field help(SourceText text) const { return with(&Field::helpText, text); }
    constexpr Field range(double low, double high) const {
        return with(&Field::minimum, low).with(&Field::maximum, high);
    }
    constexpr Field atLeast(double low) const { return with(&Field::minimum, low); }
    /// @param condition whether the field has an effect now; @param text the condition in words ("family is llama")
    constexpr Field when(bool condition, SourceText text) const {
        return with(&Field::applies, condition).with(&Field::appliesText, text);
    }
    constexpr Field advanced() const { return with(&Field::isAdvanced, true); }

private:
    template <class T>
    constexpr Field with(T Field::*member, T value) const {
        Field copy = *this;
        copy.*member = value;
        return copy;
    }
};

constexpr Field field(std::string_view key) {
    Field f{key};
    return f;
}

/// One value of an enum with its JSON word, a clause for tool tips, and its name in forms (default: the word).
template <class E>
struct EnumName {
    E value;
    std::string_view word;
    SourceText help = {};
    SourceText label = {};
};

/// The word of an enum value, from enumNames(E) found by argument-dependent lookup.
template <class E>
constexpr std::string_view wordOf(E value) {
    for (const auto& name : enumNames(E{}))
        if (name.value == value) return name.word;
    return "unknown";
}

enum class FieldKind { Bool, Integer, Real, Text, Enum, IntegerList, RealList, TextList, StructList };

/// One leaf of a table, as listed by the registry.
struct FieldInfo {
    std::string path;  ///< dotted path from the root: "parallel.tp"
    std::string key;
    FieldKind kind = FieldKind::Text;
    bool isOptional = false;
    Message label;  ///< empty for fields that nobody types
    SourceText unit;
    SourceText help;
    double minimum = 0;
    double maximum = 0;
    std::vector<std::string> choices;   ///< words of an enum
    std::vector<Message> choiceLabels;  ///< as long as `choices`
    std::string defaultJson;            ///< JSON text of the value in a default-constructed struct; "null" if absent
    bool applies = true;                ///< for the listed instance
    SourceText appliesWhen;
    bool advanced = false;
};

using FieldInfos = std::vector<FieldInfo>;

}  // namespace slipway
