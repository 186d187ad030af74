#include "trainer/comm/rendezvous.h"

#include "trainer/comm/process_group.h"
#include "trainer/comm/rendezvous_store.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace slipway::trainer {
namespace {

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

// A connected datagram socket sends nothing; the kernel only chooses the interface.
std::string addressTowards(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return host;
    std::string result = host;
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
        const int fd = socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd < 0) continue;
        sockaddr_storage local{};
        socklen_t length = sizeof local;
        std::vector<char> text(NI_MAXHOST);
        const bool known = connect(fd, at->ai_addr, at->ai_addrlen) == 0 &&
                           getsockname(fd, reinterpret_cast<sockaddr*>(&local), &length) == 0 &&
                           getnameinfo(reinterpret_cast<sockaddr*>(&local), length, text.data(), NI_MAXHOST, nullptr, 0,
                                       NI_NUMERICHOST) == 0;
        close(fd);
        if (known) {
            result = text.data();
            break;
        }
    }
    freeaddrinfo(found);
    return result;
}

template <class Body>
auto guarded(const Body& body) {
    try {
        return body();
    } catch (const CommError&) {
        throw;
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
    return env;
}

Rendezvous::Rendezvous(const RankEnvironment& environment, std::chrono::seconds patience)
    : m_environment(environment),
      m_localAddress(addressTowards(environment.masterAddress, environment.masterPort)),
      m_store(std::make_unique<Store>()) {
    guarded([&] {
        if (environment.masterPort == 0)
            throw CommError("world", "rendezvous", "rendezvous failed: MASTER_PORT is not set");
        c10d::TCPStoreOptions options;
        options.port = environment.masterPort;
        options.isServer = environment.rank == 0;
        options.waitWorkers = false;
        options.timeout = patience;
        m_store->tcp = c10::make_intrusive<c10d::TCPStore>(environment.masterAddress, options);
        put("joined/" + std::to_string(environment.rank), "1");
        std::vector<std::string> keys;
        for (std::int64_t rank = 0; rank < environment.worldSize; ++rank)
            keys.push_back("joined/" + std::to_string(rank));
        try {
            m_store->tcp->wait(keys, patience);
        } catch (const std::exception&) {
            std::string missing;
            for (std::int64_t rank = 0; rank < environment.worldSize; ++rank) {
                if (!find(keys[static_cast<std::size_t>(rank)])) missing += " " + std::to_string(rank);
            }
            throw CommError("world", "rendezvous",
                            "rendezvous failed: after " + std::to_string(patience.count()) +
                                " s these ranks have not come:" + missing);
        }
    });
}

Rendezvous::~Rendezvous() = default;

void Rendezvous::put(const std::string& key, const std::string& value) {
    guarded([&] { m_store->tcp->set(key, bytesOf(value)); });
}

std::optional<std::string> Rendezvous::find(const std::string& key) {
    return guarded([&]() -> std::optional<std::string> {
        if (!m_store->tcp->check({key})) return std::nullopt;
        const std::vector<std::uint8_t> value = m_store->tcp->get(key);
        return std::string(value.begin(), value.end());
    });
}

std::string Rendezvous::wait(const std::string& key, std::chrono::seconds patience) {
    return guarded([&] {
        m_store->tcp->wait({key}, patience);
        const std::vector<std::uint8_t> value = m_store->tcp->get(key);
        return std::string(value.begin(), value.end());
    });
}

}  // namespace slipway::trainer
