// In-process backend: all ranks of a layout are threads of one process that share one device. Sums run in rank order,
// so results are bitwise reproducible; a failing rank wakes every other with a CommError.
//   runInProcess(4, [&](std::int64_t rank, InProcessWorld& world) {
//       ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank)); ...
//   });
#pragma once

#include "trainer/comm/group_base.h"
#include "trainer/comm/mesh.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slipway::trainer {

/// Matching of messages between ranks: by their tags, or by their order alone, as in NCCL. The second proves on a CPU
/// that NCCL meets the trainer's needs.
enum class Messages { Tagged, InOrder };

class InProcessWorld {
public:
    explicit InProcessWorld(std::int64_t size, Messages messages = Messages::Tagged);
    ~InProcessWorld();
    InProcessWorld(const InProcessWorld&) = delete;
    InProcessWorld& operator=(const InProcessWorld&) = delete;

    [[nodiscard]] std::int64_t size() const;
    /// Groups of one rank, for that rank's thread only. The world must outlive them.
    [[nodiscard]] GroupMaker maker(std::int64_t worldRank, std::shared_ptr<CommActivity> activity = nullptr);
    /// Declares a rank dead: every wait of every other rank, now and later, throws CommError naming it.
    void fail(std::int64_t worldRank, const std::string& why);

    struct Shared;

private:
    std::unique_ptr<Shared> m_shared;
};

/// Runs `body` on `size` threads, each with one intra-op thread. When one throws, the others are woken; the first
/// exception that is not a consequence (not a CommError, if possible) is rethrown here.
void runInProcess(std::int64_t size, const std::function<void(std::int64_t rank, InProcessWorld& world)>& body,
                  Messages messages = Messages::Tagged);

}  // namespace slipway::trainer
