// Passes questions of ssh that only a person can answer (a password, a second factor, the passphrase of a key) from
// ssh's askpass program to the program that started ssh, through a socket in a private folder; secrets are never in an
// argument, an environment variable or a file.
//   auto door = AskDoor::open();   options.askSocket = door->socket();
//   if (const auto question = door->poll()) ...a person...   door->answer(secret);
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace slipway {

struct AskQuestion {
    enum class Kind {
        Secret,   ///< a line, hidden while typed
        Confirm,  ///< yes or no
        Notice,   ///< an action elsewhere, such as touching a key; withdrawn when done
    };
    Kind kind = Kind::Secret;
    std::string text;  ///< from ssh and, in part, from the server
    bool operator==(const AskQuestion&) const = default;
};

class AskDoor {
public:
    static constexpr std::size_t kLongestText = 4096;

    /// "no_socket" where its private folder cannot be created.
    static Result<AskDoor> open();
    AskDoor(AskDoor&& other) noexcept;
    AskDoor& operator=(AskDoor&&) = delete;
    ~AskDoor();

    [[nodiscard]] const std::filesystem::path& socket() const { return m_socket; }
    /// The pending question; empty when there is none, or when ssh no longer waits. Never blocks. Other users'
    /// processes are rejected.
    const std::optional<AskQuestion>& poll();
    void answer(std::string_view text);
    /// No answer: ssh continues without one.
    void refuse();

private:
    AskDoor() = default;
    void accept();
    void read();
    void hangUp();

    std::filesystem::path m_folder, m_socket;
    int m_listener = -1, m_caller = -1;
    std::string m_received;
    std::optional<AskQuestion> m_question;
    std::set<std::string> m_fromKeychain;  // questions; asked again, a stored answer was wrong
};

/// For the askpass program: passes the question on and waits for the answer. Empty: none.
/// @param stored the keychain's answer; used once for each question, then the person is asked
std::optional<std::string> askThrough(const std::filesystem::path& socket, const AskQuestion& question,
                                      const std::optional<std::string>& stored = {});

}  // namespace slipway
