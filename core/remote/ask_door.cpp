#include "core/remote/ask_door.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

// Protocol of the socket: a letter for the kind and the text, up to the end of writing; back a letter and the answer.
// A stored secret stays with the asker: the reply only permits its use.
constexpr char kSecret = 's', kStored = 'k', kConfirm = 'c', kNotice = 'n', kAnswer = 'a', kUseStored = 'u';
constexpr std::size_t kPiece = 1024;

std::optional<sockaddr_un> addressOf(const fs::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& text = socket.native();
    if (text.size() >= sizeof address.sun_path) return {};
    std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
    return address;
}

bool isOwn(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

bool sendAll(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

}  // namespace

Result<AskDoor> AskDoor::open() {
    const auto failed = [] {
        return fail("no_socket", "No private folder can be made for the questions of ssh: %1."_text(
                                     std::system_category().message(errno)));
    };
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    std::error_code code;
    const fs::path parent =
        runtime != nullptr && fs::is_directory(runtime, code) ? fs::path(runtime) : fs::path("/tmp");
    std::string folder = (parent / "slipway-ask-XXXXXX").string();
    AskDoor door;
    if (::mkdtemp(folder.data()) == nullptr) return failed();  // 0700
    door.m_folder = folder;
    door.m_socket = door.m_folder / "ask";
    const auto address = addressOf(door.m_socket);
    door.m_listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (!address || door.m_listener < 0 ||
        ::bind(door.m_listener, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
        ::listen(door.m_listener, 4) != 0)
        return failed();
    return door;
}

AskDoor::AskDoor(AskDoor&& other) noexcept
    : m_folder(std::exchange(other.m_folder, {})),
      m_socket(std::exchange(other.m_socket, {})),
      m_listener(std::exchange(other.m_listener, -1)),
      m_caller(std::exchange(other.m_caller, -1)),
      m_received(std::exchange(other.m_received, {})),
      m_question(std::exchange(other.m_question, {})),
      m_fromKeychain(std::exchange(other.m_fromKeychain, {})) {}

AskDoor::~AskDoor() {
    hangUp();
    if (m_listener >= 0) ::close(m_listener);
    std::error_code code;
    if (!m_folder.empty()) fs::remove_all(m_folder, code);
}

void AskDoor::hangUp() {
    if (m_caller >= 0) ::close(m_caller);
    m_caller = -1;
    m_received.clear();
    m_question.reset();
}

// One caller at a time; another jump host's question waits in the socket's queue.
void AskDoor::accept() {
    m_caller = ::accept4(m_listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (m_caller >= 0 && !isOwn(m_caller)) hangUp();
}

void AskDoor::read() {
    std::array<char, kPiece> piece{};
    for (;;) {
        const ssize_t got = ::recv(m_caller, piece.data(), piece.size(), 0);
        if (got < 0) {
            if (errno != EAGAIN && errno != EINTR) hangUp();
            return;
        }
        if (got == 0) break;
        m_received.append(piece.data(), static_cast<std::size_t>(got));
        if (m_received.size() > kLongestText + 1) return hangUp();
    }
    if (m_received.empty()) return hangUp();
    const char kind = m_received.front();
    if (kind == kStored && m_fromKeychain.insert(m_received.substr(1)).second) {
        (void)sendAll(m_caller, {&kUseStored, 1});
        return hangUp();
    }
    m_question = AskQuestion{kind == kConfirm  ? AskQuestion::Kind::Confirm
                             : kind == kNotice ? AskQuestion::Kind::Notice
                                               : AskQuestion::Kind::Secret,
                             m_received.substr(1)};
}

const std::optional<AskQuestion>& AskDoor::poll() {
    if (m_caller < 0) accept();
    if (m_caller >= 0 && !m_question) read();
    if (m_caller >= 0 && m_question) {
        // It has closed its writing half; when it has ended the other half is closed too.
        pollfd state{m_caller, 0, 0};
        if (::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0) hangUp();
    }
    return m_question;
}

void AskDoor::answer(std::string_view text) {
    if (m_caller < 0) return;
    if (sendAll(m_caller, {&kAnswer, 1})) (void)sendAll(m_caller, text);
    hangUp();
}

void AskDoor::refuse() {
    hangUp();
}

std::optional<std::string> askThrough(const fs::path& socket, const AskQuestion& question,
                                      const std::optional<std::string>& stored) {
    const auto address = addressOf(socket);
    const int door = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    std::optional<std::string> answer;
    if (address && door >= 0 && ::connect(door, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0) {
        const char kind = question.kind == AskQuestion::Kind::Confirm  ? kConfirm
                          : question.kind == AskQuestion::Kind::Notice ? kNotice
                          : stored                                     ? kStored
                                                                       : kSecret;
        if (sendAll(door, kind + question.text.substr(0, AskDoor::kLongestText)) && ::shutdown(door, SHUT_WR) == 0) {
            std::string received;
            std::array<char, kPiece> piece{};
            for (ssize_t got = 0; (got = ::recv(door, piece.data(), piece.size(), 0)) > 0;)
                received.append(piece.data(), static_cast<std::size_t>(got));
            ::explicit_bzero(piece.data(), piece.size());
            if (!received.empty() && received.front() == kAnswer) answer = received.substr(1);
            if (received == std::string_view(&kUseStored, 1)) answer = stored;
            ::explicit_bzero(received.data(), received.size());
        }
    }
    if (door >= 0) ::close(door);
    return answer;
}

}  // namespace slipway
