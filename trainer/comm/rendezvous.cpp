#include "trainer/comm/rendezvous.h"

#include "trainer/comm/process_group.h"
#include "trainer/comm/rendezvous_store.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace slipway::trainer {
namespace {

constexpr std::chrono::seconds kNoticeAfter(20);
constexpr std::chrono::milliseconds kBetweenQuestions(100);
constexpr std::chrono::seconds kReadersPatience(10);
constexpr std::chrono::seconds kConnecting(3);  // libtorch checks nothing else in the meantime
constexpr const char* kAllHere = "all_here";

std::string joinedKey(std::int64_t rank) {
    return "joined/" + std::to_string(rank);
}

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? std::string() : std::string(text);
}

Result<std::int64_t> numberOf(const char* name, std::int64_t fallback) {
    const std::string text = variable(name);
    if (text.empty()) return fallback;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return fail("bad_environment", std::string(name) + " is \"" + text + "\"; it must be a whole number.");
    }
    return value;
}

// Calls `use` with a socket for each address of the host until it returns true; returns whether it ever did.
template <class Use>
bool overAddresses(const std::string& host, std::uint16_t port, int kind, const Use& use) {
    addrinfo hints{};
    hints.ai_socktype = kind;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return false;
    bool served = false;
    for (const addrinfo* at = found; at != nullptr && !served; at = at->ai_next) {
        const int fd = socket(at->ai_family, kind | SOCK_CLOEXEC, 0);
        if (fd < 0) continue;
        served = use(fd, *at);
        close(fd);
    }
    freeaddrinfo(found);
    return served;
}

// A connected datagram socket sends nothing; the kernel only chooses the interface.
std::string addressTowards(const std::string& host, std::uint16_t port) {
    std::vector<char> text(NI_MAXHOST);
    const bool known = overAddresses(host, port, SOCK_DGRAM, [&](int fd, const addrinfo& at) {
        sockaddr_storage local{};
        socklen_t length = sizeof local;
        return connect(fd, at.ai_addr, at.ai_addrlen) == 0 &&
               getsockname(fd, reinterpret_cast<sockaddr*>(&local), &length) == 0 &&
               getnameinfo(reinterpret_cast<sockaddr*>(&local), length, text.data(), NI_MAXHOST, nullptr, 0,
                           NI_NUMERICHOST) == 0;
    });
    return known ? text.data() : host;
}

bool isLoopback(const sockaddr& address) {
    if (address.sa_family == AF_INET)
        return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24 == 127;
    return address.sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

/// A socket that listens on the loopback address of the host; empty if its addresses are reachable from elsewhere.
/// libtorch by itself listens on every interface, and anyone who reaches its store can write there.
std::optional<int> listenOnLoopback(const std::string& host, std::uint16_t port) {
    bool hasLoopback = false;
    int listening = -1, problem = 0;
    overAddresses(host, port, SOCK_STREAM, [&](int fd, const addrinfo& at) {
        if (!isLoopback(*at.ai_addr)) return false;
        hasLoopback = true;
        const int on = 1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd, at.ai_addr, at.ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
            listening = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        problem = errno;
        return listening >= 0;
    });
    if (!hasLoopback) return {};
    if (listening < 0)
        throw CommError(
            "world", "rendezvous",
            "rendezvous failed: cannot listen at " + host + ":" + std::to_string(port) + ": " + std::strerror(problem));
    return listening;
}

bool answers(const std::string& host, std::uint16_t port) {
    return overAddresses(host, port, SOCK_STREAM, [](int fd, const addrinfo& at) {
        const timeval second{1, 0};
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
        return connect(fd, at.ai_addr, at.ai_addrlen) == 0;
    });
}

// Polls the number of missing ranks until it is zero (true), or until no rank has arrived for as long as `patience`;
// calls `tell` once halfway. libtorch could wait as well, but fills the log with its stack.
template <class Missing, class Tell>
bool await(std::chrono::milliseconds patience, const Missing& missing, const Tell& tell, const Rendezvous::Ended& ended,
           const Rendezvous::Stop& stop) {
    using Clock = std::chrono::steady_clock;
    const std::chrono::milliseconds untilNotice = std::min<std::chrono::milliseconds>(kNoticeAfter, patience / 2);
    bool told = false;
    std::size_t before = 0;
    Clock::time_point begin = Clock::now();
    for (int question = 1;; ++question, std::this_thread::sleep_for(kBetweenQuestions)) {
        if (stop && stop()) throw CommError("world", "rendezvous", "rendezvous failed: this rank was asked to stop");
        const std::size_t number = missing();
        if (number == 0) return true;
        if (number != before) begin = Clock::now();
        before = number;
        constexpr int kQuestionsPerSearch = 10;
        if (ended && question % kQuestionsPerSearch == 0)
            if (const std::string why = ended(); !why.empty())
                throw CommError("world", "rendezvous", "rendezvous failed: " + why);
        const Clock::duration elapsed = Clock::now() - begin;
        if (!told && elapsed >= untilNotice) {
            tell();
            told = true;
        }
        if (elapsed >= patience) return false;
    }
}

template <class Body>
auto guarded(const Body& body) {
    try {
        return body();
    } catch (const CommError&) {
        throw;
    } catch (const c10::Error& error) {
        throw CommError("world", "rendezvous", std::string("rendezvous failed: ") + error.what_without_backtrace());
    } catch (const std::exception& error) {
        throw CommError("world", "rendezvous", std::string("rendezvous failed: ") + error.what());
    }
}

std::vector<std::uint8_t> bytesOf(const std::string& text) {
    return {text.begin(), text.end()};
}

}  // namespace

Result<RankEnvironment> RankEnvironment::read() {
    RankEnvironment env;
    std::int64_t port = 0;
    struct Row {
        const char* name;
        std::int64_t* value;
    };
    for (const Row& row : {Row{"RANK", &env.rank}, Row{"LOCAL_RANK", &env.localRank}, Row{"WORLD_SIZE", &env.worldSize},
                           Row{"MASTER_PORT", &port}, Row{"SLIPWAY_ATTEMPT", &env.attempt}}) {
        const Result<std::int64_t> number = numberOf(row.name, *row.value);
        if (!number) return fail(number.error());
        *row.value = *number;
    }
    if (env.worldSize < 1 || env.rank < 0 || env.rank >= env.worldSize) {
        return fail("bad_environment", "RANK " + std::to_string(env.rank) + " is outside of WORLD_SIZE " +
                                           std::to_string(env.worldSize) + ".");
    }
    if (port < 0 || port > 65535)
        return fail("bad_environment", "MASTER_PORT " + std::to_string(port) + " is no port.");
    env.masterPort = static_cast<std::uint16_t>(port);
    if (const std::string address = variable("MASTER_ADDR"); !address.empty()) env.masterAddress = address;
    if (const std::string node = variable("SLIPWAY_NODE"); !node.empty()) env.node = node;
    env.runId = variable("SLIPWAY_RUN_ID");
    env.storeSecret = variable("SLIPWAY_STORE_SECRET");
    return env;
}

Rendezvous::Rendezvous(const RankEnvironment& environment, std::chrono::seconds patience, const Notice& notice,
                       const Ended& ended, Stop stop)
    : m_environment(environment),
      m_localAddress(addressTowards(environment.masterAddress, environment.masterPort)),
      m_store(std::make_unique<Store>()),
      m_stop(std::move(stop)) {
    guarded([&] {
        if (environment.masterPort == 0)
            throw CommError("world", "rendezvous", "rendezvous failed: MASTER_PORT is not set");
        if (environment.rank == 0)
            gather(patience, notice, ended);
        else
            join(patience, notice, ended);
    });
}

void Rendezvous::gather(std::chrono::seconds patience, const Notice& notice, const Ended& ended) {
    connect(patience, patience);
    std::vector<std::string> keys;
    for (std::int64_t rank = 1; rank < m_environment.worldSize; ++rank) keys.push_back(joinedKey(rank));
    const auto missing = [&] {
        constexpr int kMostAsked = 64;  // limit of a request
        int asked = 0;
        std::erase_if(keys,
                      [&](const std::string& key) { return asked++ < kMostAsked && m_store->keys->check({key}); });
        return keys.size();
    };
    const auto tell = [&] {
        if (notice) notice(missingRanks());
    };
    if (!await(patience, missing, tell, ended, m_stop))
        throw CommError("world", "rendezvous",
                        "rendezvous failed: after " + std::to_string(patience.count()) +
                            " s these ranks have not come: " + missingRanks());
    put(kAllHere, "1");
    keepForReaders(kAllHere, kReadersPatience);
}

void Rendezvous::join(std::chrono::seconds patience, const Notice& notice, const Ended& ended) {
    const std::string host = m_environment.masterAddress + ":" + std::to_string(m_environment.masterPort);
    // Rank 0 may end between its answer and the connection: then it counts as missing again.
    const auto missing = [&]() -> std::size_t {
        if (!answers(m_environment.masterAddress, m_environment.masterPort)) return 1;
        try {
            connect(std::min<std::chrono::milliseconds>(kConnecting, patience), patience);
        } catch (const c10::Error&) {
            return 1;
        }
        return 0;
    };
    const auto tell = [&] {
        if (notice) notice("0 (" + host + ")");
    };
    if (!await(patience, missing, tell, ended, m_stop))
        throw CommError(
            "world", "rendezvous",
            "rendezvous failed: after " + std::to_string(patience.count()) + " s rank 0 does not answer at " + host);
    put(joinedKey(m_environment.rank), "1");
    // Rank 0 gives up before this, and its store ends with it.
    const std::chrono::seconds untilAllHere = patience * m_environment.worldSize;
    try {
        if (!await(
                untilAllHere, [&]() -> std::size_t { return m_store->keys->check({kAllHere}) ? 0 : 1; }, [] {}, ended,
                m_stop))
            throw CommError("world", "rendezvous", "rendezvous failed: rank 0 did not announce that all had come");
        acknowledge(kAllHere);
    } catch (const c10::Error& error) {
        // Rank 0 may have left for the reason that this rank was about to receive.
        const std::string why = ended ? ended() : std::string();
        if (!why.empty()) throw CommError("world", "rendezvous", "rendezvous failed: " + why);
        throw CommError("world", "rendezvous",
                        std::string("rendezvous failed: rank 0 did not announce that all had come: ") +
                            error.what_without_backtrace());
    }
}

void Rendezvous::connect(std::chrono::milliseconds patience, std::chrono::milliseconds afterwards) {
    c10d::TCPStoreOptions options;
    options.port = m_environment.masterPort;
    options.isServer = m_environment.rank == 0;
    options.waitWorkers = false;
    options.timeout = patience;
    if (options.isServer) options.masterListenFd = listenOnLoopback(m_environment.masterAddress, options.port);
    const auto tcp = c10::make_intrusive<c10d::TCPStore>(m_environment.masterAddress, options);
    tcp->setTimeout(afterwards);
    // The store of several nodes answers anyone who reaches its port, but finding the run's keys takes the secret.
    if (m_environment.storeSecret.empty())
        m_store->keys = tcp;
    else
        m_store->keys = c10::make_intrusive<c10d::PrefixStore>(m_environment.storeSecret, tcp);
}

std::string Rendezvous::missingRanks() {
    constexpr int kMostNamed = 32;
    std::string missing;
    int count = 0;
    for (std::int64_t rank = 1; rank < m_environment.worldSize; ++rank) {
        if (find(joinedKey(rank)) || ++count > kMostNamed) continue;
        if (!missing.empty()) missing += ' ';
        missing += std::to_string(rank);
    }
    return count > kMostNamed ? missing + " and " + std::to_string(count - kMostNamed) + " more" : missing;
}

Rendezvous::~Rendezvous() = default;

void Rendezvous::put(const std::string& key, const std::string& value) {
    guarded([&] { m_store->keys->set(key, bytesOf(value)); });
}

std::optional<std::string> Rendezvous::find(const std::string& key) {
    return guarded([&]() -> std::optional<std::string> {
        if (!m_store->keys->check({key})) return std::nullopt;
        const std::vector<std::uint8_t> value = m_store->keys->get(key);
        return std::string(value.begin(), value.end());
    });
}

std::string Rendezvous::wait(const std::string& key, std::chrono::seconds patience) {
    return guarded([&] {
        m_store->keys->wait({key}, patience);
        const std::vector<std::uint8_t> value = m_store->keys->get(key);
        return std::string(value.begin(), value.end());
    });
}

void Rendezvous::acknowledge(const std::string& what) {
    put("read/" + what + "/" + std::to_string(m_environment.rank), "1");
}

void Rendezvous::keepForReaders(const std::string& what, std::chrono::seconds patience) {
    if (m_environment.rank != 0) return;
    constexpr std::chrono::milliseconds kBetweenLooks(10);
    const auto end = std::chrono::steady_clock::now() + patience;
    for (std::int64_t rank = 1; rank < m_environment.worldSize; ++rank)
        while (!find("read/" + what + "/" + std::to_string(rank))) {
            if (std::chrono::steady_clock::now() >= end) return;
            std::this_thread::sleep_for(kBetweenLooks);
        }
}

}  // namespace slipway::trainer
