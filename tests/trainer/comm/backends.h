// Runs a body on every rank of a world, over threads (in-process) or over loopback sockets (Gloo; one thread per rank
// here).
#pragma once

#include "trainer/comm/gloo_group.h"
#include "trainer/comm/in_process_group.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace slipway::test {

inline std::uint16_t freePort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ::bind(fd, reinterpret_cast<sockaddr*>(&address), length);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
    ::close(fd);
    return ntohs(address.sin_port);
}

using RankBody = std::function<void(std::int64_t rank, const trainer::GroupMaker& make)>;

/// What each rank threw, as text; empty for none.
inline std::vector<std::string> runRanks(const std::string& backend, std::int64_t size, const RankBody& body) {
    std::vector<std::string> failures(static_cast<std::size_t>(size));
    const auto caught = [&](std::int64_t rank, const auto& run) {
        try {
            run();
        } catch (const std::exception& error) {
            failures[static_cast<std::size_t>(rank)] = error.what();
            throw;
        }
    };
    if (backend == "in_process") {
        try {
            trainer::runInProcess(size, [&](std::int64_t rank, trainer::InProcessWorld& world) {
                caught(rank, [&] { body(rank, world.maker(rank)); });
            });
        } catch (const std::exception&) {
        }
        return failures;
    }
    const std::uint16_t port = freePort();
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            trainer::RankEnvironment environment;
            environment.rank = rank;
            environment.worldSize = size;
            environment.masterPort = port;
            try {
                caught(rank, [&] {
                    trainer::Rendezvous rendezvous(environment, std::chrono::seconds(60));
                    body(rank, trainer::glooMaker(rendezvous, nullptr));
                });
            } catch (const std::exception&) {
            }
        });
    }
    threads.clear();
    return failures;
}

}  // namespace slipway::test
