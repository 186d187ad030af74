// SshLauncher: agents on nodes, over SSH. The files of a run are copied into its local folder as they grow, so that
// readers see no difference; an unreachable node is Unknown, never Gone.
#pragma once

#include "core/launch/checkpoint_pull.h"
#include "core/launch/launcher.h"
#include "core/launch/remote_start.h"
#include "core/launch/run_mirror.h"
#include "core/process/file_lock.h"
#include "core/remote/node_link.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

class SshLauncher : public Launcher {
public:
    /// @param links to nodes, which it may share with launchers of other runs; never null
    SshLauncher(Home home, std::shared_ptr<NodeLinks> links) : m_home(std::move(home)), m_links(std::move(links)) {}

    RequestId check(const std::string& node) override;
    RequestId start(const LaunchPlan& plan, const RunDir& folder) override;
    RequestId stop(const LaunchHandle& handle, StopKind kind) override;
    RequestId readFrom(const LaunchHandle& handle, const std::string& node, const std::filesystem::path& relativePath,
                       std::int64_t offset) override;
    RequestId presence(const LaunchHandle& handle, const std::string& node) override;
    std::vector<LaunchEvent> poll(double nowSeconds) override;
    [[nodiscard]] bool isBusy() const override;
    void wait(double seconds) const override;
    [[nodiscard]] std::vector<int> newsFds() const override;

private:
    struct Node {
        std::unique_ptr<NodeLink> link;
        std::unique_ptr<RunMirror> mirror;
        std::unique_ptr<CheckpointPull> pull;
        std::optional<std::uint64_t> delivering;  // a stop or kill
        StopKind deliveringKind = StopKind::Stop;
        bool stopDelivered = false, killDelivered = false;
        bool wasStarting = false;          // another program was starting the attempt at the last check
        double otherStartSeconds = -1e18;  // the last time at which another program was starting it
    };

    LaunchEvent& answer(LaunchEvent::Kind kind, const std::string& node);
    Result<Node*> nodeOf(const std::string& name);
    Result<void> follow(const LaunchHandle& handle, const std::string& name);
    struct Stops {
        bool stop = false, kill = false;
    };
    /// Requests in the run folder here, of this program or another one.
    [[nodiscard]] Stops stops() const;
    void deliverStops(Node& node, const Stops& stops);
    [[nodiscard]] std::vector<RemoteStart::Node> formerNodes(const RunDir& folder);
    void finishStart();
    void tell(const std::string& node, std::vector<Error> problems);
    [[nodiscard]] Error unreachable(const Node& node, const std::string& name) const;

    Home m_home;
    std::shared_ptr<NodeLinks> m_links;
    std::map<std::string, Node> m_nodes;
    LaunchHandle m_handle;  // of the followed run: a launcher belongs to one
    std::unique_ptr<RemoteStart> m_start;
    RequestId m_startRequest = 0;
    std::int64_t m_startAttempt = 0,
                 m_failedAttempt = 0;  ///< of the newest start; the one of which nothing has started
    std::optional<FileLock> m_starting;
    RequestId m_lastRequest = 0;
    double m_now = 0;
    std::vector<LaunchEvent> m_ready;
};

}  // namespace slipway
