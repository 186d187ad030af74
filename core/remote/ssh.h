// OpenSSH as a child process: argument vectors, the user's own ssh_config, and what is fixed for safety.
#pragma once

#include "core/process/process.h"
#include "core/remote/node_record.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

/// Who answers the questions of ssh.
enum class SshQuestions {
    None,     ///< nobody: ssh fails at once, with its reason (scripts, a running launch)
    HostKey,  ///< slipway-agent: accepts the one fingerprint that the person has named, else reports the key's and refuses
    Person,  ///< the person at this terminal, by ssh's own prompts
};

struct SshOptions {
    SshQuestions questions = SshQuestions::None;
    std::filesystem::path agent;  ///< slipway-agent, for HostKey
    std::string fingerprint;      ///< "SHA256:..." that the person accepts; empty: none
    /// For HostKey: where slipway-agent hands on every other question (AskDoor); empty: it leaves them without an answer.
    std::filesystem::path askSocket = {};
};

/// The first ssh in PATH; empty when there is none.
std::filesystem::path sshProgram();

/// "ssh OPTIONS -- HOST COMMAND" with LC_ALL=C, so that its messages can be distinguished. The command is read by the login shell of
/// the node: callers pass fixed text only. "ssh_missing".
Result<ProcessSpec> sshCommand(const NodeRecord& node, const SshOptions& options, const std::string& command);

/// The one command that is ever run on a node: becomes ~/.cache/slipway/agent/HASH/slipway-agent --serve NONCE, which is read
/// from standard input first (after a line "slipway-agent-missing NONCE") and checked by its SHA-256 where it is not there. The same
/// text in sh, bash, zsh, dash, fish and tcsh. @param hash 64 hex digits, @param nonce hex digits, @param bytes of the program
std::string bootstrapCommand(const std::string& hash, std::uint64_t bytes, const std::string& nonce);

}  // namespace slipway
