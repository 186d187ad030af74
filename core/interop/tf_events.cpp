#include "core/interop/tf_events.h"

#include "core/interop/log_builder.h"

#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace slipway::interop {
namespace {

static_assert(std::endian::native == std::endian::little, "the framing is read as it lies in memory");

template <class T>
T loaded(std::string_view bytes, std::size_t at) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// Walks the fields of one protobuf message; every step is checked against the end.
class Fields {
public:
    explicit Fields(std::string_view message) : m_bytes(message) {}

    /// Moves to the next field; false at the end or at an unreadable field (then `broken`).
    bool next() {
        if (m_at >= m_bytes.size()) return false;
        const auto key = varint();
        if (!key) return fail();
        number = static_cast<std::uint32_t>(*key >> 3);
        wire = static_cast<int>(*key & 7);
        switch (wire) {
            case 0: {
                const auto value = varint();
                if (!value) return fail();
                whole = static_cast<std::int64_t>(*value);
                return true;
            }
            case 1: return take(8);
            case 2: {
                const auto length = varint();
                if (!length || *length > m_bytes.size() - m_at) return fail();
                return take(static_cast<std::size_t>(*length));
            }
            case 5: return take(4);
            default: return fail();
        }
    }

    std::uint32_t number = 0;
    int wire = 0;
    std::int64_t whole = 0;
    std::string_view bytes;
    bool broken = false;

private:
    bool fail() {
        broken = true;
        return false;
    }
    bool take(std::size_t length) {
        if (length > m_bytes.size() - m_at) return fail();
        bytes = m_bytes.substr(m_at, length);
        m_at += length;
        return true;
    }
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            if (m_at >= m_bytes.size()) return {};
            const auto byte = static_cast<unsigned char>(m_bytes[m_at++]);
            if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        return {};
    }

    std::string_view m_bytes;
    std::size_t m_at = 0;
};

/// The one element of a scalar tensor: TensorProto{1: dtype, 4: tensor_content, 5: float_val, 6: double_val}.
std::optional<double> scalarOf(std::string_view tensor) {
    Fields f(tensor);
    std::int64_t dtype = 0;
    std::string_view content, floats, doubles;
    while (f.next()) {
        if (f.number == 1 && f.wire == 0) dtype = f.whole;
        if (f.number == 4 && f.wire == 2) content = f.bytes;
        if (f.number == 5 && (f.wire == 2 || f.wire == 5)) floats = f.bytes;
        if (f.number == 6 && (f.wire == 2 || f.wire == 1)) doubles = f.bytes;
    }
    if (f.broken) return {};
    if (dtype == 1 && content.size() == 4) return loaded<float>(content, 0);
    if (dtype == 2 && content.size() == 8) return loaded<double>(content, 0);
    if (floats.size() == 4) return loaded<float>(floats, 0);
    if (doubles.size() == 8) return loaded<double>(doubles, 0);
    return {};
}

/// Reads the scalars of one Event; returns the reason for a broken message.
SourceText readEvent(std::string_view message, EventCounts& counts,
                     const std::function<void(const ScalarEvent&)>& take) {
    ScalarEvent event;
    std::string_view summary;
    Fields f(message);
    while (f.next()) {
        if (f.number == 1 && f.wire == 1) event.wallSeconds = loaded<double>(f.bytes, 0);
        if (f.number == 2 && f.wire == 0) event.step = f.whole;
        if (f.number == 5 && f.wire == 2) summary = f.bytes;
    }
    if (f.broken) return "record that is not a TensorBoard event"_text;
    Fields values(summary);
    while (values.next()) {
        if (values.number != 1 || values.wire != 2) continue;
        std::optional<double> scalar;
        event.tag.clear();
        Fields v(values.bytes);
        while (v.next()) {
            if (v.number == 1 && v.wire == 2) event.tag = v.bytes;
            if (v.number == 2 && v.wire == 5) scalar = loaded<float>(v.bytes, 0);
            if (v.number == 8 && v.wire == 2) scalar = scalarOf(v.bytes);
        }
        if (v.broken) return "unreadable value"_text;
        if (!scalar || event.tag.empty()) continue;  // histograms, images, texts
        event.value = *scalar;
        ++counts.scalars;
        take(event);
    }
    return values.broken ? "unreadable summary"_text : SourceText();
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> entries{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ 0x82F63B78U : value >> 1;
            entries[i] = value;
        }
        return entries;
    }();
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char c : bytes) crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xFF] ^ crc >> 8;
    return crc ^ 0xFFFFFFFFU;
}

std::uint32_t maskedCrc32c(std::string_view bytes) {
    const std::uint32_t crc = crc32c(bytes);
    return (crc >> 15 | crc << 17) + 0xA282EAD8U;
}

EventCounts readScalarEvents(std::string_view bytes, const std::function<void(const ScalarEvent&)>& take) {
    EventCounts counts;
    while (!bytes.empty()) {
        if (bytes.size() < 12) {
            countReason(counts.malformed, "unfinished record at the end"_text);
            break;
        }
        const auto length = loaded<std::uint64_t>(bytes, 0);
        if (loaded<std::uint32_t>(bytes, 8) != maskedCrc32c(bytes.substr(0, 8))) {
            countReason(counts.malformed, "length with a wrong checksum; the rest was not read"_text);
            break;
        }
        if (bytes.size() < 16 || length > bytes.size() - 16) {
            countReason(counts.malformed, "unfinished record at the end"_text);
            break;
        }
        const std::string_view payload = bytes.substr(12, static_cast<std::size_t>(length));
        const auto crc = loaded<std::uint32_t>(bytes, 12 + payload.size());
        bytes.remove_prefix(16 + payload.size());
        counts.bytes += 16 + payload.size();
        ++counts.records;
        if (crc != maskedCrc32c(payload))
            countReason(counts.malformed, "record with a wrong checksum"_text);
        else if (const SourceText reason = readEvent(payload, counts, take); !reason.empty())
            countReason(counts.malformed, reason);
    }
    return counts;
}

Result<Log> readEvents(std::string_view bytes, const std::string& name, const std::optional<RunConfig>& config) {
    Log log;
    log.format = "tensorboard";
    LogBuilder builder(log.format);
    std::int64_t last = -1;
    EventCounts counts = readScalarEvents(bytes, [&](const ScalarEvent& event) {
        if (event.tag.find(" vs samples") != std::string::npos)
            return;  // Megatron writes its curves twice; these count samples
        builder.add(event.step, event.tag, event.value);
        if (event.step != last && event.wallSeconds > 0 && event.wallSeconds < 1e11)
            builder.time(event.step, static_cast<std::int64_t>(event.wallSeconds * 1000));
        last = event.step;
    });
    log.lines = counts.records;
    log.used = counts.scalars;
    log.malformed = std::move(counts.malformed);
    if (builder.empty()) return fail("bad_log", "The event file contains no scalars."_text, name);
    LogRun run;
    run.name = name;
    if (config) run.config = *config;
    run.steps = builder.takeSteps(config, {});
    log.runs.push_back(std::move(run));
    builder.finish(log);
    return log;
}

}  // namespace slipway::interop
