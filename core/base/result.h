// Errors are values: every fallible function returns Result<T>.
//   Result<RunConfig> config = loadRunConfig(path);
//   if (!config) return fail(config.error());
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// One failure: a stable code for programs, a sentence for people that names the field and the remedy, and a place
/// (JSON pointer, file, file:line; may be empty).
struct Error {
    std::string code;
    std::string message;
    std::string where;

    /// "where: message" or just the message; for logs and the command line.
    [[nodiscard]] std::string text() const { return where.empty() ? message : where + ": " + message; }
};

template <class T>
using Result = tl::expected<T, Error>;

/// Builds the failing side of any Result: `return fail("file_missing", "...", path);`
inline tl::unexpected<Error> fail(std::string code, std::string message, std::string where = {}) {
    return tl::unexpected<Error>(Error{std::move(code), std::move(message), std::move(where)});
}

/// Passes an error on: `if (!file) return fail(file.error());`
inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

enum class Severity { Info, Warning, Error };

/// A finding about a config: unlike an Error it does not stop the check, all of them are collected.
struct Issue {
    Severity severity = Severity::Error;
    std::string code;     ///< stable, snake_case; the window translates by it
    std::string field;    ///< dotted path of the field, e.g. "parallel.tp"
    std::string message;  ///< one sentence with the remedy
};

using Issues = std::vector<Issue>;

/// True if any issue has Severity::Error.
inline bool hasErrors(const Issues& issues) {
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) return true;
    return false;
}

}  // namespace slipway
