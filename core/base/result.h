// Errors are values: every fallible function returns Result<T>.
//   Result<RunConfig> config = loadRunConfig(path);
//   if (!config) return fail(config.error());
#pragma once

#include "core/base/message.h"

#include <tl/expected.hpp>

#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// One failure: a stable code for programs, a sentence for people that names the field and the remedy, and a place
/// (JSON pointer, file, file:line; may be empty).
struct Error {
    std::string code;
    std::string message;  ///< English
    std::string where;
    Message source = {};  ///< the message with its arguments apart; empty where it has English words only

    /// "where: message" or just the message; for logs and the command line.
    [[nodiscard]] std::string text(Language language = Language::English) const {
        const std::string sentence = inLanguage(language);
        return where.empty() ? sentence : where + ": " + sentence;
    }
    /// The message, for use as an argument or as another error's message.
    [[nodiscard]] Message sentence() const { return source.empty() ? Message::name(message) : source; }
    [[nodiscard]] std::string inLanguage(Language language) const {
        return language == Language::English ? message : textOf(sentence(), language);
    }
    /// Adds a sentence to the message.
    void append(const Message& more) {
        source = "%1 %2"_text(sentence(), more);
        message = textOf(source);
    }
};

template <class T>
using Result = tl::expected<T, Error>;

/// Builds the error of any Result: `return fail("file_missing", "There is no file %1."_text(path), path);`
inline tl::unexpected<Error> fail(std::string code, const Message& message, std::string where = {}) {
    return tl::unexpected<Error>(Error{std::move(code), textOf(message), std::move(where), message});
}

/// The same with a message in English only.
inline tl::unexpected<Error> fail(std::string code, std::string message, std::string where = {}) {
    return tl::unexpected<Error>(Error{std::move(code), std::move(message), std::move(where)});
}

/// Passes an error on: `if (!file) return fail(file.error());`
inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

enum class Severity { Info, Warning, Error };

/// A finding about a config: unlike an Error it does not stop the check; all are collected.
struct Issue {
    Severity severity = Severity::Error;
    std::string code;     ///< stable, snake_case
    std::string field;    ///< dotted path of the field, e.g. "parallel.tp"
    std::string message;  ///< one sentence with the remedy, English
    Message source = {};  ///< as in Error

    /// The message, for use as an argument or as another error's message.
    [[nodiscard]] Message sentence() const { return source.empty() ? Message::name(message) : source; }
    [[nodiscard]] std::string inLanguage(Language language) const {
        return language == Language::English ? message : textOf(sentence(), language);
    }
};

inline Issue issueOf(Severity severity, std::string code, std::string field, const Message& message) {
    return {severity, std::move(code), std::move(field), textOf(message), message};
}

using Issues = std::vector<Issue>;

/// All messages of issues as one error, a line each.
inline tl::unexpected<Error> fail(std::string code, const Issues& issues, std::string where = {}) {
    std::vector<Message> lines;
    for (const Issue& issue : issues) lines.push_back(issue.sentence());
    return fail(std::move(code), linesOf(lines), std::move(where));
}

/// True if any issue has Severity::Error.
inline bool hasErrors(const Issues& issues) {
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) return true;
    return false;
}

}  // namespace slipway
