#include "core/launch/slurm_door.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/remote/slurm_command.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace slipway {

bool isUnreachable(const SlurmAnswer& answer) {
    constexpr std::array<std::string_view, 6> kWords = {"Unable to contact slurm controller",
                                                        "Connection refused",
                                                        "Socket timed out",
                                                        "slurm_load_jobs error",
                                                        "Slurm backup controller",
                                                        "Zero Bytes were transmitted"};
    return answer.isLost || std::any_of(kWords.begin(), kWords.end(), [&](std::string_view words) {
               return answer.errors.find(words) != std::string::npos;
           });
}

std::vector<std::string> SlurmDoor::lookArguments(const std::string& job, bool isHistory) {
    const std::string names = arrayOf(job);
    if (!isHistory)
        return {"squeue",       "--noheader",      "--array",
                "--states=all", "--name=" + names, "--format=" + std::string(kSqueueFormat)};
    // A job that was cancelled before its time to begin counts as one of that time.
    return {"sacct",
            "--allocations",
            "--noheader",
            "--parsable2",
            "--delimiter=" + std::string(1, kSacctDelimiter),
            "--starttime=now-30days",
            "--endtime=now+3650days",
            "--name=" + names,
            "--format=" + std::string(kSacctFormat)};
}

// With the name and the number of an element that waits, scancel of Slurm 22.05 cancels all that wait of the array.
std::vector<std::string> SlurmDoor::cancelArguments(const SlurmJob& job, bool isPendingOnly) {
    if (isElement(job.name) && job.phase() == JobPhase::Pending) return {"scancel", job.id};
    std::vector<std::string> arguments = {"scancel", "--name=" + arrayOf(job.name)};
    if (isElement(job.name)) {
        arguments.emplace_back("--state=RUNNING");
        arguments.push_back(job.id);
    } else if (isPendingOnly) {
        arguments.emplace_back("--state=PENDING");
    }
    return arguments;
}

std::uint64_t LocalSlurmDoor::run(const std::vector<std::string>& arguments) {
    const std::uint64_t command = ++m_last;
    const auto refuse = [&](const Error& error) {
        SlurmAnswer answer;
        answer.command = command;
        answer.exitCode = 127;
        answer.errors = error.message;
        answer.error = error;
        m_ready.push_back(std::move(answer));
    };
    const auto spec = slurmCommand(arguments);
    auto process = spec ? Process::start(*spec) : Result<Process>(fail(spec.error()));
    if (process)
        m_running[command].process = std::move(*process);
    else
        refuse(process.error());
    return command;
}

std::uint64_t LocalSlurmDoor::write(const std::filesystem::path& folder, const std::string& /*run*/,
                                    const std::string& name, const std::string& text) {
    SlurmAnswer answer;
    answer.command = ++m_last;
    auto written = makeFolders(folder);
    if (written) written = writeFileAtomically(folder / name, text);
    if (!written) {
        answer.exitCode = 1;
        answer.error = written.error();
    }
    m_ready.push_back(std::move(answer));
    return m_last;
}

std::vector<SlurmAnswer> LocalSlurmDoor::poll(double now) {
    for (auto it = m_running.begin(); it != m_running.end();) {
        auto& [command, running] = *it;
        if (running.deadlineSeconds < 0) running.deadlineSeconds = now + kPatienceSeconds;
        SlurmAnswer answer;
        answer.command = command;
        if (const auto& exit = running.process.poll()) {
            answer.isLost = exit->signal != 0;
            answer.exitCode = exit->code;
            answer.output = running.process.output();
            answer.errors = running.process.errorOutput();
        } else if (now > running.deadlineSeconds) {
            running.process.signalGroup(SIGKILL);
            answer.isLost = true;
        } else {
            ++it;
            continue;
        }
        if (answer.isLost)
            answer.error = errorOf("controller_unreachable", "Slurm's controller did not answer within %1 s."_text(
                                                                 static_cast<std::int64_t>(kPatienceSeconds)));
        m_ready.push_back(std::move(answer));
        it = m_running.erase(it);
    }
    return std::exchange(m_ready, {});
}

std::vector<int> LocalSlurmDoor::newsFds() const {
    std::vector<int> fds;
    for (const auto& [command, running] : m_running)
        if (running.process.pidFd() >= 0) fds.push_back(running.process.pidFd());
    return fds;
}

}  // namespace slipway
