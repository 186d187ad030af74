#include "core/remote/keychain.h"

#include "core/base/error_of.h"
#include "core/process/program_path.h"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kPatienceSeconds = 8;  // a launch gives a login 10 s
constexpr std::size_t kLongestQuestion = 512;

std::vector<std::string> argumentsOf(std::vector<std::string> words, const std::string& host) {
    words.insert(words.end(), {"application", "slipway", "host", host});
    return words;
}

void wipe(std::string& secret) {
    ::explicit_bzero(secret.data(), secret.size());
    secret.clear();
}

}  // namespace

Error noKeychain() {
    return errorOf(
        "no_keychain",
        "This computer has no keychain that Slipway can use: install secret-tool (Debian: libsecret-tools)."_text);
}

fs::path keychainProgram() {
    return programInPath("secret-tool");
}

// ssh puts "(USER@HOST) " before a question of the server, so no server can word another one's.
bool isLastingSecret(std::string_view question) {
    if (question.size() > kLongestQuestion ||
        std::any_of(question.begin(), question.end(), [](unsigned char c) { return c < 32 || c == 127; }))
        return false;
    while (question.ends_with(' ')) question.remove_suffix(1);
    if (question.starts_with("Enter passphrase for ") || question.ends_with("'s password:")) return true;
    const std::size_t close = question.find(") ");
    return question.starts_with('(') && close != std::string_view::npos &&
           (question.substr(close) == ") Password:" || question.substr(close) == ") password:");
}

std::optional<std::string> secretInKeychain(const std::string& host, const std::string& question) {
    const fs::path program = keychainProgram();
    if (program.empty() || !isLastingSecret(question)) return {};
    ProcessSpec spec;
    spec.arguments = argumentsOf({program.string(), "lookup"}, host);
    spec.arguments.insert(spec.arguments.end(), {"question", question});
    spec.captureOutput = true;
    spec.converse = true;
    auto process = Process::start(spec);
    if (!process) return {};
    process->closeInput();
    const auto& exit = process->wait(kPatienceSeconds);
    if (!exit) process->signal(SIGKILL);
    std::string secret = process->takeOutput();
    if (exit && exit->ok() && !secret.empty()) return secret;
    wipe(secret);
    return {};
}

void removeFromKeychain(const std::string& host) {
    const fs::path program = keychainProgram();
    if (program.empty()) return;
    ProcessSpec spec;
    spec.arguments = argumentsOf({program.string(), "clear"}, host);
    auto process = Process::start(spec);
    if (process && !process->wait(kPatienceSeconds)) process->signal(SIGKILL);
}

KeychainWriter::~KeychainWriter() {
    for (auto& [question, secret] : m_held) wipe(secret);
}

void KeychainWriter::hold(const std::string& question, std::string secret) {
    if (isLastingSecret(question)) std::swap(m_held[question], secret);
    wipe(secret);
}

void KeychainWriter::begin(const std::string& host) {
    auto held = m_held.extract(m_held.begin());
    const fs::path program = keychainProgram();
    if (program.empty()) {
        m_error = noKeychain();
    } else {
        ProcessSpec spec;
        spec.arguments = argumentsOf({program.string(), "store", "--label=Slipway: " + host}, host);
        spec.arguments.insert(spec.arguments.end(), {"question", held.key()});
        spec.captureOutput = true;
        spec.converse = true;
        auto process = Process::start(spec);
        if (process) {
            m_process.emplace(std::move(*process));
            (void)m_process->write(held.mapped());  // shorter than a pipe holds
            m_process->closeInput();
        } else {
            m_error = process.error();
        }
    }
    wipe(held.mapped());
}

void KeychainWriter::poll(const std::string& host, bool isLoggedIn) {
    m_isLoggedIn = m_isLoggedIn || isLoggedIn;
    if (!m_isLoggedIn) return;
    if (m_process) {
        const auto& exit = m_process->poll();
        if (!exit) return;
        if (exit->ok())
            m_hasStored = true;
        else
            m_error =
                errorOf("keychain_refused", "The keychain did not store the answer: %1 (%2)."_text(
                                                m_process->errorOutput().substr(0, kLongestQuestion), exit->text()));
        m_process.reset();
    }
    if (!m_held.empty()) begin(host);
}

}  // namespace slipway
