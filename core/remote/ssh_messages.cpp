#include "core/remote/ssh_messages.h"

#include "core/base/error_of.h"
#include "core/base/quoted.h"
#include "core/base/untrusted_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace slipway {
namespace {

constexpr std::string_view kHash = "SHA256:";
constexpr std::size_t kHashDigits = 43;  // of 32 bytes in base64 without padding
constexpr std::size_t kLongestLine = 300;

bool isBase64(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/';
}

std::string lastLineOf(std::string_view messages) {
    while (!messages.empty() && (messages.back() == '\n' || messages.back() == '\r' || messages.back() == ' '))
        messages.remove_suffix(1);
    const std::size_t at = messages.rfind('\n');
    return UntrustedText(messages.substr(at == std::string_view::npos ? 0 : at + 1).substr(0, kLongestLine)).terminal();
}

/// What follows `before` in the messages, up to `end`, if it is a host as known_hosts writes it: "gpu1", "[10.0.0.2]:2222".
std::string hostAfter(std::string_view messages, std::string_view before, char end) {
    const std::size_t at = messages.find(before);
    if (at == std::string_view::npos) return {};
    std::string_view rest = messages.substr(at + before.size());
    rest = rest.substr(0, std::min(rest.find(end), rest.size()));
    constexpr std::size_t kLongestHost = 255;
    const bool isHost = !rest.empty() && rest.size() <= kLongestHost && rest.front() != '-' &&
                        std::all_of(rest.begin(), rest.end(), [](char c) {
                            return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                                   std::string_view("._-:@%[]").find(c) != std::string_view::npos;
                        });
    return isHost ? std::string(rest) : std::string();
}

/// The file of a line "Offending ED25519 key in /home/anna/.ssh/known_hosts:3"; empty for the user's usual one.
std::string otherKeyFile(std::string_view messages) {
    constexpr std::string_view kBefore = " in ";
    std::size_t at = messages.find("Offending ");
    at = at == std::string_view::npos ? at : messages.find(kBefore, at);
    if (at == std::string_view::npos) return {};
    std::string_view line = messages.substr(at + kBefore.size());
    line = line.substr(0, std::min(line.find_first_of("\r\n"), line.size()));
    const std::string file(line.substr(0, std::min(line.rfind(':'), line.size())));
    return file.ends_with("/.ssh/known_hosts") ? std::string() : file;
}

/// The command that removes the old key. ssh itself names the host in its messages as known_hosts does: by alias, address and port.
std::string removalOf(std::string_view messages) {
    std::string host = hostAfter(messages, "the key for the IP address '", '\'');
    if (host.empty()) host = hostAfter(messages, "Host key for ", ' ');
    if (host.empty()) return {};
    const std::string file = otherKeyFile(messages);
    return "ssh-keygen " + (file.empty() ? std::string() : "-f " + shellQuoted(file) + " ") + "-R " + shellQuoted(host);
}

struct Rule {
    const char* words;
    const char* code;
    SourceText sentence;
};

// The first match counts: a changed key also ends with "verification failed", a lost link with "closed".
constexpr std::array kRules = {
    Rule{
        "REMOTE HOST IDENTIFICATION HAS CHANGED", "host_key_changed",
        "The host key of %1 has changed since it was accepted: somebody may be listening, or the node was reinstalled. Ask its administrator whether the new key is right; then remove the old one with `ssh-keygen -R`."_text},
    Rule{
        "differs from the key for the IP address", "host_key_changed",
        "The host key of %1 has changed since it was accepted: somebody may be listening, or the node was reinstalled. Ask its administrator whether the new key is right; then remove the old one with `ssh-keygen -R`."_text},
    Rule{
        "Temporary failure in name resolution", "unreachable",
        "%1 cannot be reached: no name server answers this computer. Check the network, or write an address instead of the name."_text},
    Rule{"Could not resolve hostname", "unknown_host",
         "%1 cannot be found: its host name %2 is unknown. Check the spelling, or add it to ~/.ssh/config."_text},
    Rule{"Connection refused", "refused",
         "%1 refuses the connection: no SSH server listens there. Check the port, and that sshd runs."_text},
    Rule{"No route to host", "unreachable",
         "%1 cannot be reached: there is no route to it. Check the network, or a ProxyJump in ~/.ssh/config."_text},
    Rule{"Network is unreachable", "unreachable",
         "%1 cannot be reached: there is no route to it. Check the network, or a ProxyJump in ~/.ssh/config."_text},
    Rule{"not responding", "timeout", "%1 stopped answering: the network is cut or slow, or the node is frozen."_text},
    Rule{"timed out", "timeout",
         "%1 did not answer in time: it is off, a firewall drops the connection, or the network is slow."_text},
    Rule{
        "host key is known for", "host_key_unknown",
        "The host key of %1 is not known yet. Compare its fingerprint with the node's administrator and accept it with `slipway nodes check`."_text},
    Rule{
        "authenticity of host", "host_key_unknown",
        "The host key of %1 is not known yet. Compare its fingerprint with the node's administrator and accept it with `slipway nodes check`."_text},
    Rule{
        "Host key verification failed", "host_key_unknown",
        "The host key of %1 is not known yet. Compare its fingerprint with the node's administrator and accept it with `slipway nodes check`."_text},
    Rule{
        "Permission denied", "permission_denied",
        "%1 does not accept the login: check the user name, and the key or the password. A launch cannot ask for a password; `slipway nodes check %1 --remember` stores it in the keychain. A second factor needs a login with `ssh` and ControlMaster first."_text},
    Rule{
        "Too many authentication failures", "permission_denied",
        "%1 does not accept the login: check the user name, and the key or the password. A launch cannot ask for a password; `slipway nodes check %1 --remember` stores it in the keychain. A second factor needs a login with `ssh` and ControlMaster first."_text},
    Rule{
        "Bad configuration option", "bad_ssh_config",
        "ssh does not accept its configuration for %1: correct ~/.ssh/config; `ssh -G` prints the settings it reads."_text},
    Rule{
        "bad configuration options", "bad_ssh_config",
        "ssh does not accept its configuration for %1: correct ~/.ssh/config; `ssh -G` prints the settings it reads."_text},
    Rule{
        "Bad owner or permissions", "bad_ssh_config",
        "ssh does not accept its configuration for %1: correct ~/.ssh/config; `ssh -G` prints the settings it reads."_text},
    Rule{"Connection closed", "closed",
         "%1 closed the connection: too many logins at once, a restart, or a rule of the server."_text},
    Rule{"Connection reset", "closed",
         "%1 closed the connection: too many logins at once, a restart, or a rule of the server."_text},
    Rule{"kex_exchange_identification", "closed",
         "%1 closed the connection: too many logins at once, a restart, or a rule of the server."_text},
    Rule{"Broken pipe", "closed",
         "%1 closed the connection: too many logins at once, a restart, or a rule of the server."_text},
};

Message changedKey(const std::string& node, const std::string& fingerprint, const std::string& removal) {
    if (fingerprint.empty())
        return "The host key of %1 has changed since it was accepted: somebody may be listening, or the node was reinstalled. Ask its administrator whether the new key is right; then remove the old one: `%2`."_text(
            node, removal);
    return "The host key of %1 has changed since it was accepted: somebody may be listening, or the node was reinstalled. Ask its administrator whether the new key is right: %2. Then remove the old one: `%3`."_text(
        node, fingerprint, removal);
}

}  // namespace

Error sshError(std::string_view messages, const std::string& node) {
    for (const Rule& rule : kRules) {
        if (messages.find(rule.words) == std::string_view::npos) continue;
        const std::string_view code = rule.code;
        if (const std::string removal = removalOf(messages); code == "host_key_changed" && !removal.empty())
            return errorOf(rule.code, changedKey(node, fingerprintIn(messages), removal));
        if (code != "unknown_host") return errorOf(rule.code, rule.sentence(node));
        const std::string host = hostAfter(messages, "Could not resolve hostname ", ':');
        return errorOf(rule.code, rule.sentence(node, host.empty() ? node : host));
    }
    const std::string last = lastLineOf(messages);
    if (last.empty())
        return errorOf(
            "closed",
            "%1 closed the connection: too many logins at once, a restart, or a rule of the server."_text(node));
    return errorOf("ssh_failed", "The connection to %1 ended: %2"_text(node, last));
}

bool isFingerprint(std::string_view text) {
    return text.size() == kHash.size() + kHashDigits && text.starts_with(kHash) &&
           std::all_of(text.begin() + kHash.size(), text.end(), isBase64);
}

std::string fingerprintIn(std::string_view messages) {
    for (std::size_t at = messages.find(kHash); at != std::string_view::npos; at = messages.find(kHash, at + 1)) {
        const std::string_view text = messages.substr(at, kHash.size() + kHashDigits);
        const bool ends = at + text.size() >= messages.size() || !isBase64(messages[at + text.size()]);
        if (isFingerprint(text) && ends) return std::string(text);
    }
    return {};
}

std::string keyKindIn(std::string_view messages) {
    const std::size_t end = messages.find(" key fingerprint is ");
    if (end == std::string_view::npos) return {};
    std::size_t begin = end;
    while (begin > 0 &&
           (std::isalnum(static_cast<unsigned char>(messages[begin - 1])) != 0 || messages[begin - 1] == '-'))
        --begin;
    return std::string(messages.substr(begin, std::min<std::size_t>(end - begin, 32)));
}

}  // namespace slipway
