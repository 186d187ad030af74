#include "core/remote/ssh.h"

#include "core/process/program_path.h"

#include <unistd.h>

extern char** environ;

namespace slipway {
namespace fs = std::filesystem;

fs::path sshProgram() {
    return programInPath("ssh");
}

Result<ProcessSpec> sshCommand(const NodeRecord& node, const SshOptions& options, const std::string& command) {
    const fs::path program = sshProgram();
    if (program.empty())
        return fail("ssh_missing", "The program ssh was not found; install the OpenSSH client."_text, "ssh");
    if (const auto good = checkNode(node); !good) return fail(good.error());
    ProcessSpec spec;
    spec.arguments = {program.string(), "-T", "-e", "none"};
    const auto set = [&](const std::string& option) { spec.arguments.insert(spec.arguments.end(), {"-o", option}); };
    // The keychain answers wherever nobody is at the terminal.
    const bool hasKeychain = node.isInKeychain && options.questions != SshQuestions::Person && !options.agent.empty();
    const bool hasAskpass = hasKeychain || options.questions == SshQuestions::HostKey;
    set(options.questions == SshQuestions::None && !hasKeychain ? "BatchMode=yes" : "BatchMode=no");
    set(options.questions == SshQuestions::None ? "StrictHostKeyChecking=yes" : "StrictHostKeyChecking=ask");
    // A lost link is detected within 20 s: ssh gives up one interval after the last of its probes, i.e. after 16 s.
    for (const char* fixed :
         {"ConnectTimeout=10", "ServerAliveInterval=4", "ServerAliveCountMax=3", "ForwardAgent=no", "ForwardX11=no",
          "ClearAllForwardings=yes", "PermitLocalCommand=no", "RequestTTY=no", "RemoteCommand=none", "LogLevel=ERROR"})
        set(fixed);
    // A second prompt only where a person can correct what the keychain answered.
    if (hasAskpass)
        set(hasKeychain && !options.askSocket.empty() ? "NumberOfPasswordPrompts=2" : "NumberOfPasswordPrompts=1");
    if (node.port != 0) spec.arguments.insert(spec.arguments.end(), {"-p", std::to_string(node.port)});
    spec.arguments.insert(spec.arguments.end(), {"--", node.host, command});

    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (!text.starts_with("LC_") && !text.starts_with("LANG=") && !text.starts_with("LANGUAGE=") &&
            !text.starts_with("SSH_ASKPASS") && !text.starts_with("SLIPWAY_ASKPASS"))
            environment.push_back(text);
    }
    environment.emplace_back("LC_ALL=C");
    environment.emplace_back("LANG=C");
    if (hasAskpass) {
        environment.push_back("SSH_ASKPASS=" + options.agent.string());
        environment.emplace_back("SSH_ASKPASS_REQUIRE=force");
        environment.push_back("SLIPWAY_ASKPASS=" + (options.fingerprint.empty() ? "-" : options.fingerprint));
        if (!options.askSocket.empty()) environment.push_back("SLIPWAY_ASKPASS_SOCKET=" + options.askSocket.string());
        if (hasKeychain) environment.push_back("SLIPWAY_ASKPASS_KEYCHAIN=" + node.host);
    }
    spec.environment = std::move(environment);
    spec.captureOutput = true;
    spec.converse = true;
    spec.newSession = options.questions != SshQuestions::Person;  // ssh prompts at the person's terminal
    return spec;
}

std::string bootstrapCommand(const std::string& hash, std::uint64_t bytes, const std::string& nonce) {
    // Inside the quotes: no quote, no line break and no "!", which differ between shells.
    return "exec /bin/sh -c 'd=$HOME/.cache/slipway/agent/" + hash + "; a=$d/slipway-agent; [ -x \"$a\" ] || { " +
           "echo slipway-agent-missing " + nonce + "; umask 077; p=$d/part.$$; mkdir -p \"$d\" && head -c " +
           std::to_string(bytes) +
           " > \"$p\" && chmod 700 \"$p\" && [ \"$(sha256sum < \"$p\" | cut -c1-64)\" = " + hash +
           " ] && mv \"$p\" \"$a\" || { rm -f \"$p\"; echo slipway-agent-refused " + nonce +
           "; exit 3; }; }; exec \"$a\" --serve " + nonce + "'";
}

}  // namespace slipway
