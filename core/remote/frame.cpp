#include "core/remote/frame.h"

#include "core/base/error_of.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace slipway {
namespace {

constexpr std::size_t kLengths = 8;

void appendLength(std::string& out, std::size_t length) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) out.push_back(static_cast<char>(length >> shift & 0xFFU));
}

std::size_t lengthAt(std::string_view bytes, std::size_t at) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8U | static_cast<unsigned char>(bytes[at + i]);
    return length;
}

}  // namespace

std::string encodeFrame(const Json& header, std::string_view data) {
    const std::string text = dumpJson(header, false);
    std::string out;
    out.reserve(kLengths + text.size() + data.size());
    appendLength(out, text.size());
    appendLength(out, data.size());
    out += text;
    out += data;
    return out;
}

Result<std::optional<Frame>> FrameReader::next() {
    if (m_error) return fail(*m_error);
    const auto refuse = [&](const char* code, const Message& why) {
        m_error = errorOf(code, why);
        return fail(*m_error);
    };
    if (size() < kLengths) return std::optional<Frame>();
    const std::size_t header = lengthAt(m_bytes, m_at), data = lengthAt(m_bytes, m_at + 4);
    if (header > kMaxFrameHeaderBytes || data > kMaxFrameBytes || kLengths + header + data > kMaxFrameBytes)
        return refuse("frame_too_large", "A message of the channel is larger than 1 MiB."_text);
    if (size() < kLengths + header + data) return std::optional<Frame>();
    auto json = parseJson(std::string_view(m_bytes).substr(m_at + kLengths, header), "message");
    if (!json || !json->is_object()) return refuse("bad_frame", "A message of the channel is not a JSON object."_text);
    Frame frame{std::make_shared<const Json>(std::move(*json)), m_bytes.substr(m_at + kLengths + header, data)};
    m_at += kLengths + header + data;
    if (m_at > m_bytes.size() / 2) m_bytes.erase(0, std::exchange(m_at, 0));
    return frame;
}

Result<Greeting::Found> Greeting::add(std::string_view bytes) {
    m_bytes.append(bytes);
    Found found = Found::Nothing;
    for (;;) {
        const std::size_t end = m_bytes.find('\n');
        if (end == std::string::npos) break;
        const std::string line = m_bytes.substr(0, end);
        m_bytes.erase(0, end + 1);
        // A prompt or a text without a line end may be before it on the same line.
        if (line.ends_with("slipway-agent " + m_nonce)) return Found::Agent;
        if (line.ends_with("slipway-agent-missing " + m_nonce))
            found = Found::AgentMissing;
        else if (line.ends_with("slipway-agent-refused " + m_nonce))
            found = Found::AgentRefused;
        else
            m_noise += line + '\n';
        if (m_noise.size() > kMaxNoiseBytes) break;
    }
    if (m_noise.size() + m_bytes.size() > kMaxNoiseBytes)
        return fail("greeting_too_long",
                    "The login shell of the node prints without end instead of starting the agent."_text);
    return found;
}

}  // namespace slipway
