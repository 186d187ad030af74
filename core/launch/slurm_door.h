// SlurmDoor: runs sbatch, squeue, sacct and scancel. Commands are argument vectors; poll() collects their results.
#pragma once

#include "core/base/result.h"
#include "core/launch/slurm_text.h"
#include "core/process/process.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct SlurmAnswer {
    std::uint64_t command = 0;
    bool isLost = false;  ///< outcome unknown: `error` has the reason
    int exitCode = 0;
    std::string output, errors;
    Error error;
    std::optional<SlurmTable> table = {};  ///< of askFor(), where it has been read already
};

/// The controller, or its program, gave no verdict.
bool isUnreachable(const SlurmAnswer& answer);

class SlurmDoor {
public:
    virtual ~SlurmDoor() = default;
    /// @param arguments the first is the name of the program: "squeue"
    virtual std::uint64_t run(const std::vector<std::string>& arguments) = 0;
    virtual std::vector<SlurmAnswer> poll(double nowSeconds) = 0;
    /// The state of a job, or of several ("a,b"): by squeue, or by sacct for one that squeue no longer lists.
    virtual std::uint64_t askFor(const std::string& job, bool isHistory) { return run(lookArguments(job, isHistory)); }
    /// Takes it out of the queue. @param job as seen a moment ago: an element of an array that waits has no other handle than its number
    virtual std::uint64_t cancel(const SlurmJob& job, bool isPendingOnly) {
        return run(cancelArguments(job, isPendingOnly));
    }
    /// Writes a file into a folder where sbatch runs. @param run whose folder has that one; only a login node needs to know it
    virtual std::uint64_t write(const std::filesystem::path& folder, const std::string& run, const std::string& name,
                                const std::string& text) = 0;
    /// Readable when a command has ended; may be empty.
    [[nodiscard]] virtual std::vector<int> newsFds() const { return {}; }

    /// With the controller down, squeue waits for 18 s.
    static constexpr double kPatienceSeconds = 60;

protected:
    static std::vector<std::string> lookArguments(const std::string& job, bool isHistory);
    static std::vector<std::string> cancelArguments(const SlurmJob& job, bool isPendingOnly);
};

/// The local programs, found through PATH.
class LocalSlurmDoor : public SlurmDoor {
public:
    std::uint64_t run(const std::vector<std::string>& arguments) override;
    std::vector<SlurmAnswer> poll(double nowSeconds) override;
    std::uint64_t write(const std::filesystem::path& folder, const std::string& run, const std::string& name,
                        const std::string& text) override;
    [[nodiscard]] std::vector<int> newsFds() const override;

private:
    struct Running {
        Process process;
        double deadlineSeconds = -1;
    };
    std::uint64_t m_last = 0;
    std::map<std::uint64_t, Running> m_running;
    std::vector<SlurmAnswer> m_ready;
};

}  // namespace slipway
