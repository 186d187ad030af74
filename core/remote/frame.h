// The channel between a launcher and the agent of a node: frames of one JSON document followed by raw bytes.
//   out += encodeFrame(Json{{"id", 1}, {"do", "hello"}});
//   reader.add(bytes);   for (auto frame = reader.next(); frame && *frame; frame = reader.next()) ... (*frame)->header ...
// Both ends treat the other as hostile: lengths are checked before anything is stored, and errors are permanent.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

/// Maximum bytes of a frame, its two lengths included.
constexpr std::size_t kMaxFrameBytes = 1U << 20;
/// Maximum bytes of its JSON document, which has at most 64 levels.
constexpr std::size_t kMaxFrameHeaderBytes = 1U << 18;
/// Data bytes of one frame, with room for its header.
constexpr std::size_t kFrameDataBytes = 768U << 10;

struct Frame {
    std::shared_ptr<const Json> header;  ///< an object
    std::string data;
};

/// Two lengths (32 bits, big endian), the document, the data. Both must be within the limits.
std::string encodeFrame(const Json& header, std::string_view data = {});

class FrameReader {
public:
    void add(std::string_view bytes) { m_bytes.append(bytes); }
    /// The next frame once it is complete. "frame_too_large" (by its lengths, before its bytes have arrived), "bad_frame" (not JSON, not
    /// an object); after an error the same error again, since the start of the next frame is unknown.
    Result<std::optional<Frame>> next();
    /// Buffered bytes: less than kMaxFrameBytes once next() has found no frame.
    [[nodiscard]] std::size_t size() const { return m_bytes.size() - m_at; }

private:
    std::string m_bytes;
    std::size_t m_at = 0;
    std::optional<Error> m_error;
};

/// Finds the line "slipway-agent NONCE" in the output of a login shell and the agent, and drops everything before it:
/// profile files may print anything.
class Greeting {
public:
    explicit Greeting(std::string nonce) : m_nonce(std::move(nonce)) {}
    enum class Found { Nothing, AgentMissing, AgentRefused, Agent };
    /// @return the latest state found in the input; bytes after the agent's line are in rest(). "greeting_too_long"
    /// after kMaxNoiseBytes without one.
    Result<Found> add(std::string_view bytes);
    [[nodiscard]] std::string takeRest() { return std::move(m_bytes); }
    /// Earlier output of the login shell.
    [[nodiscard]] const std::string& noise() const { return m_noise; }

    static constexpr std::size_t kMaxNoiseBytes = 64U << 10;

private:
    std::string m_nonce, m_bytes, m_noise;
};

}  // namespace slipway
