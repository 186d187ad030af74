// An error stored or passed on as a value, where no Result is returned.
//   m_error = errorOf("stopped", "Stopped before its ranks had started."_text);
#pragma once

#include "core/base/result.h"

namespace slipway {

/// The error that fail() would return for the same arguments.
inline Error errorOf(std::string code, const Message& message, std::string where = {}) {
    return fail(std::move(code), message, std::move(where)).value();
}

/// All messages of issues as one error, a line each.
inline Error errorOf(std::string code, const Issues& issues, std::string where = {}) {
    return fail(std::move(code), issues, std::move(where)).value();
}

}  // namespace slipway
