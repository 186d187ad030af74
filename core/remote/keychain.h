// Answers to ssh's questions in the system keychain (the Secret Service of the desktop), through the program secret-tool. Only there is a
// secret kept, and only if the person has asked for it: it goes through a pipe, never into an argument, a file or the index.
#pragma once

#include "core/base/result.h"
#include "core/process/process.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

/// secret-tool in PATH; empty: this computer has no keychain.
std::filesystem::path keychainProgram();

/// "no_keychain", with the remedy.
Error noKeychain();

/// Whether the next login gets the same answer: a password or the passphrase of a key, never a one-time code.
bool isLastingSecret(std::string_view question);

/// The answer stored for this question of ssh on the way to this host; empty when there is none, or the keychain stays locked. Blocks, at
/// most 8 s, while the person unlocks the keychain: for the askpass program.
std::optional<std::string> secretInKeychain(const std::string& host, const std::string& question);

/// Removes all answers for this host; blocks for at most 8 s.
void removeFromKeychain(const std::string& host);

/// Holds the answers that the person wants remembered until the login has succeeded, then stores them.
class KeychainWriter {
public:
    KeychainWriter() = default;
    KeychainWriter(KeychainWriter&&) noexcept = default;
    KeychainWriter& operator=(KeychainWriter&&) = delete;
    ~KeychainWriter();

    /// Another answer to the same question replaces the previous one.
    void hold(const std::string& question, std::string secret);
    /// Advances; never blocks. @param host as in the node's record
    void poll(const std::string& host, bool isLoggedIn);
    /// Whether answers remain to be stored after a successful login.
    [[nodiscard]] bool isBusy() const { return m_isLoggedIn && (m_process.has_value() || !m_held.empty()); }
    [[nodiscard]] bool hasStored() const { return m_hasStored; }
    /// "no_keychain" or "keychain_refused".
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    void begin(const std::string& host);

    std::map<std::string, std::string> m_held;  // by question
    std::optional<Process> m_process;
    bool m_isLoggedIn = false, m_hasStored = false;
    std::optional<Error> m_error;
};

}  // namespace slipway
