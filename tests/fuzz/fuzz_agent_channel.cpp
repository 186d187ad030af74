// What comes over the channel of a node: the greeting, frames, and the messages of ssh.
#include "core/remote/frame.h"
#include "core/remote/ssh_messages.h"
#include "tests/fuzz/fuzz.h"

using namespace slipway;
using namespace slipway::test;

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
    const std::string fingerprint = fingerprintIn(bytes);
    require(fingerprint.empty() || isFingerprint(fingerprint), "a fingerprint that is none");
    return 0;
}
