// A real Slurm on this computer, slurmctld and two slurmd (tests/support/slurm_cluster), and a home whose runs are its jobs.
#pragma once

#include "core/base/file.h"
#include "core/process/free_port.h"
#include "core/process/process.h"
#include "core/process/program_path.h"
#include "core/remote/slurm_command.h"
#include "core/run/run_session.h"
#include "core/store/run_store.h"
#include "tests/support/run_home.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace slipway::test {

/// "" when it ended well, else what it printed.
inline std::string command(const std::vector<std::string>& arguments, std::string* output = nullptr) {
    ProcessSpec spec;
    spec.arguments = arguments;
    spec.captureOutput = true;
    auto process = Process::start(spec);
    if (!process) return process.error().message;
    const auto& exit = process->wait(60);
    if (output != nullptr) *output = process->output();
    if (exit && exit->ok()) return {};
    return process->errorOutput() + (exit ? exit->text() : " no end");
}

struct SlurmCluster {
    TempDir temp;
    std::string port = std::to_string(*freePort("127.0.0.1"));
    std::string problem;

    /// @param hasAccounting slurmdbd with a database, and jobs that the controller forgets within seconds of their end
    explicit SlurmCluster(bool hasAccounting = false) {
        ::setenv("SLURM_CONF", (temp.path() / "slurm.conf").c_str(), 1);
        problem = run("start", hasAccounting ? "accounting" : "");
    }
    ~SlurmCluster() { (void)run("stop"); }
    SlurmCluster(const SlurmCluster&) = delete;
    SlurmCluster& operator=(const SlurmCluster&) = delete;

    [[nodiscard]] std::string run(const std::string& what, const std::string& node = "") const {
        // Its daemons keep whatever output it has.
        ProcessSpec spec;
        spec.arguments = {SLIPWAY_SOURCE_DIR "/tests/support/slurm_cluster", what, temp.path().string(), port, node};
        spec.output = temp.path() / "cluster.log";
        auto process = Process::start(spec);
        if (!process) return process.error().message;
        const auto& exit = process->wait(120);
        return exit && exit->ok() ? "" : readFile(temp.path() / "cluster.log").value_or("no log");
    }
    void killController() const { killDaemon("slurmctld"); }
    /// @param name of its pid file: "slurmctld", "slurmd-n1"
    void killDaemon(const std::string& name) const {
        const int pid = std::atoi(readFile(temp.path() / (name + ".pid")).value_or("0").c_str());
        if (pid > 1) ::kill(pid, SIGKILL);
    }
    /// A controller without its memory gives the same numbers again.
    void forget() const {
        std::filesystem::remove_all(temp.path() / "state");
        std::filesystem::create_directories(temp.path() / "state");
    }
    /// Why it cannot be made here; the reason to skip.
    static const char* isMissing() {
        if (::geteuid() != 0) return "Slurm's daemons are started as root here";
        if (::access("/usr/sbin/slurmctld", X_OK) != 0 || programInPath("sbatch").empty())
            return "Slurm is not installed (slurm-wlm)";
        return nullptr;
    }
    /// The same for accounting.
    static const char* isAccountingMissing() {
        if (const char* missing = isMissing()) return missing;
        for (const char* program : {"/usr/sbin/slurmdbd", "/usr/sbin/mariadbd"})
            if (::access(program, X_OK) != 0)
                return "Slurm's accounting is not installed (slurmdbd, slurm-wlm-mysql-plugin, mariadb-server)";
        return nullptr;
    }
    static bool isIdle() {
        std::string nodes;
        return command({programInPath("sinfo").string(), "--noheader", "--format=%T %D"}, &nodes).empty() &&
               nodes == "idle 2\n";
    }
};

struct SlurmLab {
    RunHome at;
    Result<RunStore> store = RunStore::open(at.home, OpenMode::ReadWrite);

    Result<RunSession> launch(const std::string& script, std::int64_t steps, SlurmOptions options = {},
                              std::int64_t dp = 1) {
        RunRequest request;
        request.config = tinyConfig("tiny [" + script + "]", steps, dp);
        request.config.checkpoint.everySteps = 1000;
        request.slurm = std::move(options);
        auto session = RunSession::create(*store, at.home, request, unixMillisecondsNow(), at.programs);
        if (!session) return session;
        if (const auto begun = session->launch(unixMillisecondsNow()); !begun) return fail(begun.error());
        return session;
    }
    static bool reaches(RunSession& session, double seconds, auto what) {
        return waitUntil(seconds, [&] {
            (void)session.poll(unixMillisecondsNow());
            return what();
        });
    }
    static bool runs(RunSession& session, std::int64_t step) {
        return reaches(session, 120,
                       [&] { return session.status() == RunStatus::Running && session.lastStep() >= step; });
    }
};

}  // namespace slipway::test
