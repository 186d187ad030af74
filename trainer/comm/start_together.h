// Between rendezvous and the first group: every rank checks its own data and device, then all connect together. A rank
// that ends meanwhile ends the others within seconds, for any starter: by a message in the store, or, when killed, by
// its closed socket.
//   StartTogether together(rendezvous);  ... own checks ...;  together.wait();  makeMesh(...);
#pragma once

#include "trainer/comm/rendezvous.h"

#include <chrono>
#include <string>

namespace slipway::trainer {

class StartTogether {
public:
    /// Opens a socket for the lifetime of this process or object. Throws CommError (group "world", operation
    /// "rendezvous"), as do all functions here.
    explicit StartTogether(Rendezvous& rendezvous);
    ~StartTogether();
    StartTogether(const StartTogether&) = delete;
    StartTogether& operator=(const StartTogether&) = delete;

    /// Reports the end of this rank, with the reason, to the others; rank 0 stays up to 3 s, until they have read it. Never throws.
    void failed(const std::string& why) noexcept;
    /// Returns when all ranks are here; throws when one has ended, is not here after `patience`, or this one is to stop.
    void wait(std::chrono::seconds patience = std::chrono::minutes(10));

private:
    /// Empty when all ranks are ready.
    [[nodiscard]] std::string whatKeepsRanks(std::chrono::seconds patience);
    [[nodiscard]] std::string endedRank();
    [[nodiscard]] std::string missingRanks();

    Rendezvous& m_rendezvous;
    int m_socket = -1;
    std::int64_t m_refusedRank = -1;  ///< rank of the last refused socket; a second refusal means it has ended
};

}  // namespace slipway::trainer
