// Questions of ssh that only a person can answer (a password, a second factor, the passphrase of a key) on their way from ssh's
// askpass program to the program that started ssh. They go through a socket in a private folder; a secret is in no argument,
// no variable of the environment and no file.
//   auto door = AskDoor::open();   options.askSocket = door->socket();
//   if (const auto question = door->poll()) ...a person...   door->answer(secret);
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slipway {

struct AskQuestion {
    enum class Kind {
        Secret,   ///< a line that is not shown while it is typed
        Confirm,  ///< yes or no
        Notice,   ///< something to do elsewhere, such as touching a key; withdrawn when it is done
    };
    Kind kind = Kind::Secret;
    std::string text;  ///< from ssh and, in part, from the server
    bool operator==(const AskQuestion&) const = default;
};

class AskDoor {
public:
    static constexpr std::size_t kLongestText = 4096;

    /// "no_socket" where no private folder for it can be made.
    static Result<AskDoor> open();
    AskDoor(AskDoor&& other) noexcept;
    AskDoor& operator=(AskDoor&&) = delete;
    ~AskDoor();

    [[nodiscard]] const std::filesystem::path& socket() const { return m_socket; }
    /// The question that waits for an answer; empty when there is none, or when ssh no longer waits. Never blocks. Other users'
    /// processes are turned away.
    const std::optional<AskQuestion>& poll();
    void answer(std::string_view text);
    /// No answer: ssh goes without.
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
};

/// For the askpass program: hands the question over and waits for the answer. Empty: there is none.
std::optional<std::string> askThrough(const std::filesystem::path& socket, const AskQuestion& question);

}  // namespace slipway
