#include "core/remote/ssh_messages.h"

#include "core/base/error_of.h"
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
    Rule{"Could not resolve hostname", "unknown_host",
         "The name of %1 is not known: check its spelling, or add it to ~/.ssh/config."_text},
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
        "%1 does not accept the login: check the user name and the key. A password can be stored in the keychain with `slipway nodes check %1 --remember`; a second factor needs a login with `ssh` and ControlMaster first."_text},
    Rule{
        "Too many authentication failures", "permission_denied",
        "%1 does not accept the login: check the user name and the key. A password can be stored in the keychain with `slipway nodes check %1 --remember`; a second factor needs a login with `ssh` and ControlMaster first."_text},
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

}  // namespace

Error sshError(std::string_view messages, const std::string& node) {
    for (const Rule& rule : kRules)
        if (messages.find(rule.words) != std::string_view::npos) return errorOf(rule.code, rule.sentence(node));
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
