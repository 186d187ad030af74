// LocalLauncher: agents on this computer.
#pragma once

#include "core/base/file_descriptor.h"
#include "core/launch/launcher.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"

#include <map>
#include <memory>

namespace slipway {

class LocalLauncher : public Launcher {
public:
    explicit LocalLauncher(Programs programs) : m_programs(std::move(programs)) {}

    RequestId check(const std::string& node) override;
    RequestId start(const LaunchPlan& plan, const RunDir& folder) override;
    RequestId stop(const LaunchHandle& handle, StopKind kind) override;
    RequestId readFrom(const LaunchHandle& handle, const std::string& node, const std::filesystem::path& relativePath,
                       std::int64_t offset) override;
    RequestId presence(const LaunchHandle& handle, const std::string& node) override;
    std::vector<LaunchEvent> poll(double nowSeconds) override;
    [[nodiscard]] std::vector<int> newsFds() const override;

private:
    // The caller's side of an agent that is detaching itself.
    struct Starting {
        RequestId request = 0;
        std::string node;
        Process process;
        double deadlineSeconds = 0;
    };

    LaunchEvent& answer(LaunchEvent::Kind kind, const std::string& node);
    void finish(const Starting& starting, const ExitState& exit);
    void watch(const std::filesystem::path& agent, bool isRunning);

    Programs m_programs;
    RequestId m_lastRequest = 0;
    double m_lastNowSeconds = 0;
    std::vector<LaunchEvent> m_ready;
    std::vector<Starting> m_starting;
    std::map<std::filesystem::path, std::unique_ptr<FileDescriptor>> m_agents;  ///< agents seen alive, by their folders
};

}  // namespace slipway
