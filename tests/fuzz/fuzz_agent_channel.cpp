// What comes over the channel of a node: the greeting, frames, what they hold of the node, and the messages of ssh.
#include "core/base/json.h"
#include "core/base/untrusted_text.h"
#include "core/remote/frame.h"
#include "core/remote/last_check.h"
#include "core/remote/node_check.h"
#include "core/remote/ssh_messages.h"
#include "tests/fuzz/fuzz.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace slipway;
using namespace slipway::test;

namespace {

/// What a node tells of itself is bounded and can be stored, whatever it tells.
void readNode(const Json& answer) {
    NodeFacts facts;
    readHello(answer, facts);
    readFacts(answer, facts);
    constexpr std::size_t kMost = 256;
    require(facts.gpus.size() <= kMost && facts.interfaces.size() <= kMost, "a list without end");
    require(std::isfinite(facts.memoryBytes) && std::isfinite(facts.freeDiskBytes), "a figure that is none");
    const std::string text = dumpJson(toJson(facts), false);
    require(parseJson(text, "facts").has_value(), "facts that cannot be read again");
    (void)versionIn(facts.version);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = textOf(data, size);
    // However the bytes are cut, the same frames come out.
    std::string whole, cut;
    for (const std::size_t piece : {bytes.size() + 1, std::size_t{1} + bytes.size() % 7}) {
        FrameReader reader;
        std::string& seen = piece > bytes.size() ? whole : cut;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.add(std::string_view(bytes).substr(at, piece));
            for (;;) {
                const auto frame = reader.next();
                if (!frame || !*frame) break;
                if (piece > bytes.size()) readNode(*(*frame)->header);
                seen += encodeFrame(*(*frame)->header, (*frame)->data);
            }
        }
        require(reader.next().has_value() ? reader.size() < kMaxFrameBytes : true, "a reader that keeps too much");
    }
    require(whole == cut, "frames that depend on the pieces they came in");

    Greeting greeting("0011223344556677");
    (void)greeting.add(bytes);
    require(greeting.noise().size() <= 2 * Greeting::kMaxNoiseBytes + bytes.size(), "noise without end");

    const Error error = sshError(bytes, "node");
    require(!error.code.empty() && !error.message.empty(), "an error without words");
    require(UntrustedText(error.message).terminal() == error.message, "a message that steers the terminal");
    require(error.message.size() < 4096, "a message without end");
    if (const auto json = parseJson(bytes, "answer"); json && json->is_object()) readNode(*json);
    require(keyKindIn(bytes).size() <= 32, "a kind of key without end");
    const std::string fingerprint = fingerprintIn(bytes);
    require(fingerprint.empty() || isFingerprint(fingerprint), "a fingerprint that is none");
    return 0;
}
