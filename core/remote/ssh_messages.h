// Messages of ssh, classified: its exit code is 255 for everything, including remote death by a signal.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace slipway {

/// The error behind ssh's messages (LC_ALL=C), as a sentence with cause and remedy. Codes: "unknown_host", "refused",
/// "unreachable", "timeout", "host_key_unknown", "host_key_changed", "permission_denied", "bad_ssh_config", "closed",
/// and "ssh_failed" with its last line for everything else. @param node its name in the sentence
Error sshError(std::string_view messages, const std::string& node);

/// The fingerprint of a host key, "SHA256:" and 43 characters, in a question or message of ssh; empty when there is none.
std::string fingerprintIn(std::string_view messages);
bool isFingerprint(std::string_view text);

/// The kind of key next to the fingerprint in a question of ssh: "ED25519"; empty when there is none.
std::string keyKindIn(std::string_view messages);

}  // namespace slipway
