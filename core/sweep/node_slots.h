// Slots of nodes: the number of concurrent trials on a node, over all sweeps of a home. A claim is a file of its own generation,
// HOME/slots/NODE/SLOT.GENERATION, created atomically with its content by link(): two drivers never get the same slot. It is over when
// its driver reports it (SLOT.GENERATION.over), or when the driver is gone and the run has ended; the next generation takes it over.
//   NodeSlots slots(home, isRunOver);   if (slots.take("a", 0, run, false)) ...   slots.release(run);
#pragma once

#include "core/base/field_table.h"
#include "core/base/result.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace slipway {

struct SlotHolder {
    std::string run;
    bool isWholeNode = false;  ///< excludes other trials on the node
    std::string host, bootId, pidNamespace;
    std::int64_t pid = 0, startTicks = 0;  ///< of the driver

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("run"), s.run);
        v(field("whole_node"), s.isWholeNode);
        v(field("host"), s.host);
        v(field("boot_id"), s.bootId);
        v(field("pid_namespace"), s.pidNamespace);
        v(field("pid"), s.pid);
        v(field("start_ticks"), s.startTicks);
    }
};

class NodeSlots {
public:
    /// @param isRunOver whether no process of a run can be alive: it has ended, or was never started
    NodeSlots(const Home& home, std::function<bool(const std::string& run)> isRunOver)
        : m_root(home.path / "slots"), m_isRunOver(std::move(isRunOver)) {}

    /// False when it is held, or the other holders of the node leave no room. Errors: the folder is not writable.
    Result<bool> take(const std::string& node, std::int64_t slot, const std::string& run, bool isWholeNode);
    /// Ends all claims of the run.
    void release(const std::string& run);
    /// Takes over the claims of a run from a driver that is gone.
    void adopt(const std::string& run);

    /// Holders of current claims.
    [[nodiscard]] std::vector<SlotHolder> holders(const std::string& node) const;
    /// Unfinished runs on the nodes without a driver.
    [[nodiscard]] std::vector<std::string> orphans(const std::vector<std::string>& nodes) const;

private:
    struct Claim {
        std::int64_t slot = 0, generation = 0;
        SlotHolder holder;
        bool isOver = false;
    };
    [[nodiscard]] std::vector<Claim> newest(const std::string& node) const;
    [[nodiscard]] std::filesystem::path file(const std::string& node, std::int64_t slot, std::int64_t generation) const;
    [[nodiscard]] bool isDriverGone(const SlotHolder& holder, const std::filesystem::path& claim) const;
    Result<bool> link(const std::string& node, std::int64_t slot, std::int64_t generation, const SlotHolder& holder);
    void end(const std::string& node, const Claim& claim);
    [[nodiscard]] std::vector<std::string> nodes() const;

    std::filesystem::path m_root;
    std::function<bool(const std::string& run)> m_isRunOver;
};

}  // namespace slipway
