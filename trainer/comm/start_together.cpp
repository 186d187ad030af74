#include "trainer/comm/start_together.h"

#include "trainer/comm/process_group.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

namespace slipway::trainer {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions(200);
constexpr int kQuestionsPerSearch = 5;  ///< search for ended ranks, about once a second
constexpr int kMostSearched = 64;
constexpr std::chrono::seconds kReadersPatience(10);
constexpr std::chrono::seconds kReadersOfAnEnd(
    3);  ///< several searches; a rank that is still checking its data may miss it
constexpr const char* kAllReady = "all_ready";
constexpr const char* kEnd = "end";
constexpr const char* kStopped = "this rank was asked to stop";

std::string key(const char* what, std::int64_t rank) {
    return std::string(what) + "/" + std::to_string(rank);
}

[[noreturn]] void raise(const std::string& what) {
    throw CommError("world", "rendezvous", "rendezvous failed: " + what);
}

/// Calls use(address) for each address of a numeric host until it returns true.
template <class Use>
void eachAddress(const std::string& host, const std::string& port, const Use& use) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return;
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next)
        if (use(*at)) break;
    freeaddrinfo(found);
}

/// A listening socket at the host and its port; -1 on failure.
int listenAt(const std::string& host, std::string& port) {
    int listening = -1;
    eachAddress(host, "0", [&](const addrinfo& at) {
        const int fd = socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) return false;
        sockaddr_storage local{};
        socklen_t length = sizeof local;
        std::vector<char> text(NI_MAXSERV);
        if (bind(fd, at.ai_addr, at.ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0 &&
            getsockname(fd, reinterpret_cast<sockaddr*>(&local), &length) == 0 &&
            getnameinfo(reinterpret_cast<sockaddr*>(&local), length, nullptr, 0, text.data(), NI_MAXSERV,
                        NI_NUMERICSERV) == 0) {
            listening = fd;
            port = text.data();
            return true;
        }
        close(fd);
        return false;
    });
    return listening;
}

/// Only a refusal means that the socket is closed: packets dropped by a network prove nothing.
bool isRefused(const std::string& place) {
    const std::size_t space = place.find(' ');
    bool refused = false;
    if (space == std::string::npos) return false;
    eachAddress(place.substr(0, space), place.substr(space + 1), [&](const addrinfo& at) {
        const int fd = socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) return false;
        const timeval second{1, 0};
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
        refused = connect(fd, at.ai_addr, at.ai_addrlen) != 0 && errno == ECONNREFUSED;
        close(fd);
        return true;
    });
    return refused;
}

}  // namespace

StartTogether::StartTogether(Rendezvous& rendezvous) : m_rendezvous(rendezvous) {
    const std::string& host = rendezvous.localAddress();
    std::string port;
    m_socket = listenAt(host, port);
    if (m_socket < 0) raise("no socket can be opened at " + host + ": " + std::strerror(errno));
    m_rendezvous.put(key("lives", rendezvous.environment().rank), host + " " + port);
}

StartTogether::~StartTogether() {
    close(m_socket);
}

void StartTogether::failed(const std::string& why) noexcept {
    try {
        m_rendezvous.put(key("ended", m_rendezvous.environment().rank), why);
        m_rendezvous.keepForReaders(kEnd, kReadersOfAnEnd);
    } catch (...) {  // rank 0 is gone; the other ranks notice
    }
}

void StartTogether::wait(std::chrono::seconds patience) {
    if (m_rendezvous.isStopRequested())
        raise(kStopped);  // before it counts as ready: the others would start without it
    m_rendezvous.put(key("ready", m_rendezvous.environment().rank), "1");
    std::string failure;
    try {
        failure = whatKeepsRanks(patience);
        m_rendezvous.acknowledge(failure.empty() ? kAllReady : kEnd);
        if (failure.empty()) m_rendezvous.keepForReaders(kAllReady, kReadersPatience);
    } catch (const CommError&) {
        if (failure.empty()) failure = "rank 0 ended before the first step, and the store with it";
    }
    if (!failure.empty()) raise(failure);
}

std::string StartTogether::whatKeepsRanks(std::chrono::seconds patience) {
    using Clock = std::chrono::steady_clock;
    const std::int64_t worldSize = m_rendezvous.environment().worldSize;
    std::int64_t next = 0;  // all before it are ready
    const Clock::time_point begin = Clock::now();
    for (int question = 1;; ++question) {
        while (next < worldSize && m_rendezvous.find(key("ready", next))) ++next;
        if (next == worldSize) return {};
        if (m_rendezvous.isStopRequested()) return kStopped;
        if (question % kQuestionsPerSearch == 0)
            if (std::string ended = endedRank(); !ended.empty()) return ended;
        if (Clock::now() - begin >= patience)
            return "after " + std::to_string(patience.count()) + " s these ranks are not ready: " + missingRanks();
        std::this_thread::sleep_for(kBetweenQuestions);
    }
}

std::string StartTogether::endedRank() {
    const RankEnvironment& here = m_rendezvous.environment();
    int searched = 0;
    for (std::int64_t rank = 0; rank < here.worldSize && searched < kMostSearched; ++rank) {
        if (rank == here.rank || m_rendezvous.find(key("ready", rank))) continue;
        ++searched;
        if (const auto why = m_rendezvous.find(key("ended", rank)))
            return "rank " + std::to_string(rank) + " ended before the first step: " + *why;
        const auto place = m_rendezvous.find(key("lives", rank));
        if (!place || !isRefused(*place)) continue;
        if (m_refusedRank == rank)
            return "rank " + std::to_string(rank) + " ended before the first step without a word";
        m_refusedRank = rank;
        return {};
    }
    return {};
}

std::string StartTogether::missingRanks() {
    std::string missing;
    int count = 0;
    for (std::int64_t rank = 0; rank < m_rendezvous.environment().worldSize; ++rank) {
        if (m_rendezvous.find(key("ready", rank)) || ++count > kMostSearched) continue;
        if (!missing.empty()) missing += ' ';
        missing += std::to_string(rank);
    }
    return missing;
}

}  // namespace slipway::trainer
