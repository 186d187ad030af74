// SlurmDoor: runs sbatch, squeue, sacct and scancel. Commands are argument vectors; poll() collects their results.
#pragma once

#include "core/base/result.h"
#include "core/process/process.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slipway {

struct SlurmAnswer {
    std::uint64_t command = 0;
    bool isLost = false;  ///< outcome unknown: `error` has the reason
    int exitCode = 0;
    std::string output, errors;
    Error error;
};

class SlurmDoor {
public:
    virtual ~SlurmDoor() = default;
    /// @param arguments the first is the name of the program: "squeue"
    virtual std::uint64_t run(const std::vector<std::string>& arguments) = 0;
    virtual std::vector<SlurmAnswer> poll(double nowSeconds) = 0;
    /// Readable when a command has ended; may be empty.
    [[nodiscard]] virtual std::vector<int> newsFds() const { return {}; }

    /// With the controller down, squeue waits for 18 s.
    static constexpr double kPatienceSeconds = 60;
};

/// The local programs, found through PATH.
class LocalSlurmDoor : public SlurmDoor {
public:
    std::uint64_t run(const std::vector<std::string>& arguments) override;
    std::vector<SlurmAnswer> poll(double nowSeconds) override;
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
