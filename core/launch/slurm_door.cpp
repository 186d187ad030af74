#include "core/launch/slurm_door.h"

#include "core/base/error_of.h"
#include "core/remote/slurm_command.h"

#include <signal.h>

#include <algorithm>
#include <utility>

namespace slipway {

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
