// Questions of ssh, answered by the person at the terminal, for logins whose answers the system keychain has or is to get.
#pragma once

#include "app/cli/command.h"
#include "core/remote/ask_door.h"
#include "core/remote/keychain.h"
#include "core/remote/node_link.h"

namespace slipway {

class TerminalAnswers {
public:
    /// "no_socket"; "no_keychain" where `remember` has no keychain to write to.
    /// @param remember stores passwords and passphrases in the keychain after the login
    static Result<TerminalAnswers> open(bool remember);

    [[nodiscard]] const std::filesystem::path& socket() const { return m_door.socket(); }
    /// Asks what ssh wants to know; blocks while the person types.
    void poll(CliContext& context, const NodeLink& link);
    /// Whether answers remain to be stored.
    [[nodiscard]] bool isBusy() const { return m_writer.isBusy(); }
    /// Records that the keychain has the node's answers, or why it has none.
    Result<void> finish(const Home& home, const NodeRecord& node) const;

private:
    TerminalAnswers(AskDoor door, bool remember) : m_door(std::move(door)), m_isRemembering(remember) {}

    AskDoor m_door;
    bool m_isRemembering;
    KeychainWriter m_writer;
    std::string m_noticed;  ///< the last notice, printed once
};

}  // namespace slipway
