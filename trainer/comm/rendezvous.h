// Rendezvous of a run's ranks: the environment from the agent (or torchrun), and the key-value store of rank 0.
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace slipway::trainer {

/// RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and Slipway's own SLIPWAY_NODE, SLIPWAY_ATTEMPT,
/// SLIPWAY_RUN_ID, SLIPWAY_STORE_SECRET.
struct RankEnvironment {
    std::int64_t rank = 0;
    std::int64_t localRank = 0;
    std::int64_t worldSize = 1;
    std::string masterAddress = "127.0.0.1";
    std::uint16_t masterPort = 0;
    std::string node = "local";
    std::int64_t attempt = 0;  ///< 0: not given
    std::string runId;
    std::string storeSecret;  ///< prefix of the store's keys; empty: on one computer

    /// From the process environment; without RANK and WORLD_SIZE a world of one. "bad_environment" for text that is not
    /// a number, a rank outside the world, or a world above one without an address and a port.
    static Result<RankEnvironment> read();
};

/// The store of one run: a TCP server in rank 0, clients everywhere. Throws CommError (group "world", operation
/// "rendezvous").
class Rendezvous {
public:
    /// Called with the missing ranks ("1 3", "0 (host:port)") after half the patience, at most 20 s.
    using Notice = std::function<void(const std::string& missing)>;
    /// Called about once a second while ranks are missing: returns the reason why one of them will not come, or "".
    using Ended = std::function<std::string()>;
    /// Asked at every look at the others, here and in StartTogether: whether this rank was asked to stop.
    using Stop = std::function<bool()>;
    /// Connects and waits until every rank has come; gives up when none has come for `patience`, one has ended, or this
    /// one is to stop. The error names the ranks that have not come. Rank 0 gives the notice, or who cannot reach it.
    Rendezvous(const RankEnvironment& environment, std::chrono::seconds patience, const Notice& notice = {},
               const Ended& ended = {}, Stop stop = {});
    ~Rendezvous();
    Rendezvous(const Rendezvous&) = delete;
    Rendezvous& operator=(const Rendezvous&) = delete;

    [[nodiscard]] const RankEnvironment& environment() const { return m_environment; }
    [[nodiscard]] bool isStopRequested() const { return m_stop && m_stop(); }
    void put(const std::string& key, const std::string& value);
    /// Empty when the key does not exist.
    [[nodiscard]] std::optional<std::string> find(const std::string& key);
    /// Waits for the key at most `patience`.
    [[nodiscard]] std::string wait(const std::string& key, std::chrono::seconds patience);
    /// Tells rank 0 that this rank has read `what`.
    void acknowledge(const std::string& what);
    /// The store ends with rank 0, and a rank that has not read the last message would treat the end as a failure. Rank
    /// 0 waits here until every other rank has acknowledged `what`, at most `patience`; the others return immediately.
    void keepForReaders(const std::string& what, std::chrono::seconds patience);

    /// The local address that leads to the master: the interface for collectives.
    [[nodiscard]] const std::string& localAddress() const { return m_localAddress; }

    struct Store;
    [[nodiscard]] Store& store() { return *m_store; }

private:
    void gather(std::chrono::seconds patience, const Notice& notice, const Ended& ended);
    void join(std::chrono::seconds patience, const Notice& notice, const Ended& ended);
    /// @param patience of the connection itself; afterwards each question has `afterwards`
    void connect(std::chrono::milliseconds patience, std::chrono::milliseconds afterwards);
    [[nodiscard]] std::string missingRanks();

    RankEnvironment m_environment;
    std::string m_localAddress;
    std::unique_ptr<Store> m_store;
    Stop m_stop;
};

}  // namespace slipway::trainer
