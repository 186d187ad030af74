// Writes TensorBoard event files for tests (core/interop/tf_events.h has the format).
#pragma once

#include "core/interop/tf_events.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace slipway::interop::events {

template <class T>
void append(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

inline void field(std::string& out, std::uint32_t number, std::string_view bytes) {
    out += static_cast<char>(number << 3 | 2);
    for (std::size_t length = bytes.size();; length >>= 7) {
        out += static_cast<char>(length < 0x80 ? length : (length & 0x7F) | 0x80);
        if (length < 0x80) break;
    }
    out += bytes;
}

/// One record around a payload.
inline std::string tfRecord(std::string_view payload) {
    std::string out;
    append<std::uint64_t>(out, payload.size());
    append(out, maskedCrc32c(out));
    out += payload;
    append(out, maskedCrc32c(payload));
    return out;
}

/// An Event with a scalar.
inline std::string scalarEvent(const ScalarEvent& event) {
    std::string value, summary, out;
    field(value, 1, event.tag);
    value += '\x15';  // field 2, four bytes
    append(value, static_cast<float>(event.value));
    field(summary, 1, value);
    out += '\x09';  // field 1, eight bytes
    append(out, event.wallSeconds);
    out += '\x10';  // field 2, varint
    for (auto step = static_cast<std::uint64_t>(event.step);; step >>= 7) {
        out += static_cast<char>(step < 0x80 ? step : (step & 0x7F) | 0x80);
        if (step < 0x80) break;
    }
    field(out, 5, summary);
    return out;
}

}  // namespace slipway::interop::events
