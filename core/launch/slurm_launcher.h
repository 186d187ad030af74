// SlurmLauncher: agents inside a Slurm job. Progress of the ranks is read from the run folder, which the cluster shares; Slurm
// reports why nothing runs yet, and how a job ended whose agents left no record. A job is identified by its name, made of the run and
// the attempt it was submitted with: after a controller failure numbers are reused.
//   A requeued job (time limit, preemption, node failure) begins the next attempt itself; see newAttempt().
#pragma once

#include "core/launch/launcher.h"
#include "core/launch/slurm_door.h"
#include "core/launch/slurm_login.h"
#include "core/launch/slurm_options.h"
#include "core/launch/slurm_queue.h"
#include "core/launch/slurm_text.h"
#include "core/spec/run_config.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

class SlurmLauncher : public Launcher {
public:
    /// @param links to login nodes, which it may share with launchers of other runs; never null
    /// @param queue shared with launchers of other runs; null: it queries Slurm by itself
    SlurmLauncher(Programs programs, Home home, std::shared_ptr<NodeLinks> links, std::shared_ptr<SlurmQueue> queue)
        : m_programs(std::move(programs)),
          m_home(std::move(home)),
          m_links(std::move(links)),
          m_queue(std::move(queue)) {}

    RequestId check(const std::string& node) override;
    RequestId start(const LaunchPlan& plan, const RunDir& folder) override;
    RequestId stop(const LaunchHandle& handle, StopKind kind) override;
    RequestId readFrom(const LaunchHandle& handle, const std::string& node, const std::filesystem::path& relativePath,
                       std::int64_t offset) override;
    RequestId presence(const LaunchHandle& handle, const std::string& node) override;
    std::vector<LaunchEvent> poll(double nowSeconds) override;
    [[nodiscard]] bool isBusy() const override;
    [[nodiscard]] std::vector<int> newsFds() const override;

    [[nodiscard]] Message waiting() const override;
    [[nodiscard]] std::optional<Error> endOf(const LaunchHandle& handle) const override;
    std::optional<LaunchPlan> newAttempt(const LaunchHandle& handle) override;

private:
    enum class Question { Squeue, Sacct, Submit, Cancel };
    struct Beat {
        std::int64_t counter = -1;
        double changedAt = 0;
    };

    LaunchEvent& answer(LaunchEvent::Kind kind, const std::string& node);
    /// Opens the door named in slurm.json, once.
    Result<void> openDoor(const RunDir& folder);
    void follow(const LaunchHandle& handle, const LaunchPlan* plan = nullptr);
    Result<void> prepareStart();
    Result<void> makeArguments(const RunDir& folder);
    Result<void> joinArray(SlurmElement element);
    void takeBrought();
    void look();
    void submit();
    void cancel();
    void finishStart(const std::optional<Error>& error, bool nothingStarted = false);
    void take(Question question, const SlurmAnswer& answer);
    void takeTable(const SlurmTable& table, bool isHistory);
    void takeSubmitted(const SlurmAnswer& answer);
    void cannotReach(const std::string& words);
    /// The job is over; confirmed by a second query where that may change.
    [[nodiscard]] bool hasEnded() const;
    [[nodiscard]] bool isBeating(const LaunchHandle& handle, const std::string& node);

    Programs m_programs;
    Home m_home;
    std::shared_ptr<NodeLinks> m_links;
    std::shared_ptr<SlurmQueue> m_queue;
    std::unique_ptr<SlurmDoor> m_door;
    std::unique_ptr<SlurmLogin> m_copier;  // copies files to and from a login node, where others use the door as well
    SlurmLogin* m_login = nullptr;         // it, or the door
    SlurmSeat* m_seat = nullptr;           // the door, where others use it as well
    std::optional<Error> m_noDoor;
    LaunchHandle m_handle;  // of the followed run: a launcher belongs to one
    std::string m_jobName;
    std::map<std::uint64_t, Question> m_asked;

    std::optional<SlurmJob> m_job;  // last seen state
    int m_numEndedLooks = 0;
    bool m_isForgotten = false;  // Slurm answers, but does not know the job
    bool m_isMissing = false;    // of the elements that squeue lists of its array
    bool m_hasLooked = false;
    std::optional<StopKind> m_cancel;  // wanted: the number of an element has to be known first
    std::string m_unreachable;         // error text of the controller or the program; empty: it answers
    double m_unreachableSince = 0;
    double m_nextLook = 0, m_pause = 0;

    struct Start {
        RequestId request = 0;
        LaunchPlan plan;
        RunDir folder;
        RunConfig config;
        SlurmOptions options;
        std::vector<std::string> arguments;    // of sbatch; empty: the files are still being copied to the login node
        std::optional<std::uint64_t> element;  // of an array, which waits for these files
        bool isBrought = false;
        double deadlineSeconds = -1, retryAt = 0;
    };
    std::optional<Start> m_start;
    std::int64_t m_launchStamp = 0;
    std::map<std::string, Beat> m_beats;
    RequestId m_lastRequest = 0;
    double m_now = 0;
    std::vector<LaunchEvent> m_ready;
};

}  // namespace slipway
