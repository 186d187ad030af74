// Texts that people see. A text is written once, where it is made, in English and with the suffix `_text`; its figures and names
// are arguments. translations/korean.inc has the Korean of every marked text; TstCatalogue lists missing and left-over rows.
//   Message m = "The layout needs %1 devices; the cluster has %2."_text(world, devices);
//   textOf(m) == "The layout needs 8 devices; the cluster has 4."    textOf(m, Language::Korean) == "이 병렬 구성에는 ..."
//   plural(n, "%1 trial"_text, "%1 trials"_text)(n)
#pragma once

#include "core/base/language.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace slipway {

class Message;

/// A source text. Only the suffix `_text` makes one, so that the catalogue knows every text.
class SourceText {
public:
    constexpr SourceText() = default;
    [[nodiscard]] constexpr std::string_view english() const { return m_english; }
    [[nodiscard]] constexpr bool empty() const { return m_english.empty(); }
    /// The message with its arguments in the places %1 to %9: whole numbers, names, and clauses (messages and texts).
    template <class... Arguments>
    [[nodiscard]] Message operator()(Arguments&&... arguments) const;
    bool operator==(const SourceText&) const = default;
    bool operator==(std::string_view english) const { return m_english == english; }

private:
    constexpr explicit SourceText(std::string_view english) : m_english(english) {}
    friend consteval SourceText operator""_text(const char* literal, std::size_t size);
    std::string_view m_english;
};

consteval SourceText operator""_text(const char* literal, std::size_t size) {
    return SourceText(std::string_view(literal, size));
}

/// A duration as an argument; its units follow the language.
struct Seconds {
    double value = 0;
};
/// A large count as an argument, abbreviated: "10.4 k", in Korean "1.04만".
struct ShortCount {
    double value = 0;
};

/// A text with its arguments, or an argument itself.
class Message {
public:
    Message() = default;
    Message(SourceText source) : m_source(source) {}
    Message(SourceText source, std::vector<Message> arguments) : m_source(source), m_arguments(std::move(arguments)) {}
    Message(Seconds duration) : m_kind(Kind::Seconds), m_number(duration.value) {}
    Message(ShortCount count) : m_kind(Kind::Count), m_number(count.value) {}

    /// A name, a citation, a formatted figure: the same in every language, not searched for %1.
    [[nodiscard]] static Message name(std::string_view text);

    [[nodiscard]] bool empty() const { return m_kind == Kind::Clause && m_source.empty(); }

private:
    enum class Kind { Clause, Name, Seconds, Count };
    friend std::string textOf(const Message& message, Language language);

    Kind m_kind = Kind::Clause;
    SourceText m_source;
    std::string m_name;
    double m_number = 0;
    std::vector<Message> m_arguments;
};

/// The text with its arguments in place. English needs no look-up; a text missing in the catalogue stays English.
[[nodiscard]] std::string textOf(const Message& message, Language language = Language::English);
/// All of them, joined with "; ", in Korean with ". ".
[[nodiscard]] std::string textOf(const std::vector<Message>& messages, Language language = Language::English);
/// "a, b, c" as one message; empty for an empty list.
[[nodiscard]] Message listOf(const std::vector<Message>& messages);
/// Number of problems listed per file; the rest are counted.
constexpr std::size_t kListedProblems = 20;
/// A line for each of the first kListedProblems, then the number of the rest.
[[nodiscard]] Message linesOf(const std::vector<Message>& messages);
/// The first text for 1, the second for every other number.
[[nodiscard]] SourceText plural(std::int64_t number, SourceText one, SourceText many);

template <class... Arguments>
Message SourceText::operator()(Arguments&&... arguments) const {
    const auto messageOf = []<class T>(T&& argument) {
        using Value = std::remove_cvref_t<T>;
        static_assert(!std::is_array_v<std::remove_reference_t<T>>,
                      "a literal as an argument: add _text, or make it a std::string");
        if constexpr (std::integral<Value>) {
            static_assert(!std::same_as<Value, bool> && !std::same_as<Value, char>);
            return Message::name(std::to_string(argument));
        } else if constexpr (std::convertible_to<Value, std::string_view>) {
            return Message::name(argument);
        } else {
            return Message(std::forward<T>(argument));
        }
    };
    return {*this, {messageOf(std::forward<Arguments>(arguments))...}};
}

}  // namespace slipway
