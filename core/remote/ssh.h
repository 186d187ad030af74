// OpenSSH as a child process: argument vectors, the user's own ssh_config, and fixed safety options.
#pragma once

#include "core/process/process.h"
#include "core/remote/node_record.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

/// The source of answers to ssh's questions.
enum class SshQuestions {
    None,     ///< nobody, except the keychain for its nodes: ssh fails immediately, with its reason (a running launch)
    HostKey,  ///< slipway-agent: accepts the one fingerprint named by the person, else reports the key's and refuses
    Person,   ///< the person at this terminal, by ssh's own prompts
};

struct SshOptions {
    SshQuestions questions = SshQuestions::None;
    std::filesystem::path agent;  ///< slipway-agent, for HostKey and for nodes in the keychain
    std::string fingerprint;      ///< "SHA256:..." accepted by the person; empty: none
    /// For HostKey: socket for every other question (AskDoor); empty: they are left unanswered.
    std::filesystem::path askSocket = {};
};

/// The first ssh in PATH; empty when there is none.
std::filesystem::path sshProgram();

/// "ssh OPTIONS -- HOST COMMAND" with LC_ALL=C, so that its messages can be classified. The command is parsed by the
/// node's login shell: callers pass fixed text only. "ssh_missing".
Result<ProcessSpec> sshCommand(const NodeRecord& node, const SshOptions& options, const std::string& command);

/// The only command run on a node: executes ~/.cache/slipway/agent/HASH/slipway-agent --serve NONCE; where that is missing, it is first
/// read from standard input (after a line "slipway-agent-missing NONCE") and checked by its SHA-256. The same text in sh, bash, zsh,
/// dash, fish and tcsh. @param hash 64 hex digits, @param nonce hex digits, @param bytes of the program
std::string bootstrapCommand(const std::string& hash, std::uint64_t bytes, const std::string& nonce);

}  // namespace slipway
