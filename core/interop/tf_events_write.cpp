#include "core/interop/tf_events.h"

#include <bit>
#include <cstring>

namespace slipway::interop {
namespace {

static_assert(std::endian::native == std::endian::little, "the framing is written as it is in memory");

template <class T>
void append(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

/// Seven bits per byte, the least first; the top bit marks continuation.
void appendVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
    out += static_cast<char>(value);
}

/// Wire types of protobuf: 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes.
void appendKey(std::string& out, std::uint32_t number, std::uint32_t wire) {
    appendVarint(out, number << 3 | wire);
}

void appendBytes(std::string& out, std::uint32_t number, std::string_view bytes) {
    appendKey(out, number, 2);
    appendVarint(out, bytes.size());
    out += bytes;
}

std::string eventAt(double wallSeconds) {
    std::string out;
    appendKey(out, 1, 1);
    append(out, wallSeconds);
    return out;
}

}  // namespace

std::string tfRecord(std::string_view message) {
    std::string out;
    append<std::uint64_t>(out, message.size());
    append(out, maskedCrc32c(out));
    out += message;
    append(out, maskedCrc32c(message));
    return out;
}

std::string versionEvent(double wallSeconds) {
    std::string out = eventAt(wallSeconds);
    appendBytes(out, 3, "brain.Event:2");
    return out;
}

std::string scalarEvent(const ScalarEvent& event) {
    std::string value, summary, out = eventAt(event.wallSeconds);
    appendBytes(value, 1, event.tag);
    appendKey(value, 2, 5);
    append(value, static_cast<float>(event.value));
    appendBytes(summary, 1, value);
    appendKey(out, 2, 0);
    appendVarint(out, static_cast<std::uint64_t>(event.step));
    appendBytes(out, 5, summary);
    return out;
}

}  // namespace slipway::interop
