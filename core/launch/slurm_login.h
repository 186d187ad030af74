// SlurmLogin: a login node of a cluster, over one link: runs Slurm's programs there, copies a run's files to it, and
// copies the output of the cluster's agents in its home into the local run folder.
#pragma once

#include "core/launch/run_mirror.h"
#include "core/launch/slurm_door.h"
#include "core/remote/errands.h"
#include "core/remote/node_check.h"
#include "core/remote/node_link.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slipway {

class SlurmLogin : public SlurmDoor {
public:
    explicit SlurmLogin(std::unique_ptr<NodeLink> link) : m_link(std::move(link)) {}

    std::uint64_t run(const std::vector<std::string>& arguments) override;
    std::vector<SlurmAnswer> poll(double nowSeconds) override;
    std::uint64_t write(const std::filesystem::path& folder, const std::string& run, const std::string& name,
                        const std::string& text) override;

    /// Paths on the cluster; known once bring() has succeeded.
    struct Place {
        RunDir folder;
        std::filesystem::path agent;
    };
    /// Copies the config, the data, the plan and the script of an attempt to the cluster. @param data the local token
    /// file; empty: none; @param script makes the script from the plan with the cluster's paths; null: an array's script starts the run
    void bring(const LaunchPlan& plan, const RunDir& folder, const std::filesystem::path& data,
               std::function<std::string(const LaunchPlan&, const Place&)> script);
    /// True when all is copied; the error when that failed.
    [[nodiscard]] Result<bool> isBrought() const;
    [[nodiscard]] const Place& place() const { return m_place; }

    /// Copies the files of this attempt here as they grow.
    void follow(const LaunchPlan& plan, const RunDir& folder);
    /// Copies all of them again; hasAll() is false until then.
    void lookAgain();
    [[nodiscard]] bool hasAll() const;
    /// Delivers a request to the ranks as soon as the node is reachable.
    void deliver(const std::string& path, const std::string& text);
    [[nodiscard]] bool isDelivering() const { return !m_deliveries.empty(); }

private:
    void askPlan(double now);
    void takePlan(const Frame& frame);

    std::unique_ptr<NodeLink> m_link;
    std::set<std::uint64_t> m_commands, m_writes;
    std::unique_ptr<Errands> m_errands;
    NodeFacts m_facts;
    Place m_place;
    LaunchPlan m_plan;  // of the followed attempt, with local paths
    RunDir m_folder;
    std::vector<std::unique_ptr<RunMirror>> m_mirrors;
    std::map<std::string, std::string> m_deliveries;  // by path
    std::string m_deliveringPath;
    std::optional<std::uint64_t> m_delivering, m_planAsked;
    double m_nextPlan = 0;
};

}  // namespace slipway
