// Every program that commands, agents and ranks start, seen by strace: only those on a list, whatever names, folders and hosts are
// called; secrets are in no argument and in no other program's environment. Needs strace.
#include "core/base/file.h"
#include "core/process/process.h"
#include "core/remote/node_record.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kStrace = "/usr/bin/strace";
constexpr const char* kCanary = "canary-of-the-hub-7d1f";
constexpr const char* kHostile = "$(touch owned); `touch owned` | touch owned & '\"";

struct Executed {
    std::string program, arguments, environment;  ///< as strace writes them
    [[nodiscard]] std::string name() const { return fs::path(program).filename().string(); }
    /// Of the one command that a login shell gets, and what that runs where the agent is not there yet.
    [[nodiscard]] bool isBootstrap() const {
        constexpr std::array kTools = {"mkdir", "head", "chmod", "sha256sum", "cut", "mv", "rm", "cat"};
        const bool isShell =
            program == "/bin/sh" &&
            (arguments.starts_with("\"/bin/sh\", \"-c\", \"exec /bin/sh -c 'd=$HOME/.cache/slipway/agent/") ||
             arguments.starts_with("\"/bin/sh\", \"-c\", \"d=$HOME/.cache/slipway/agent/"));
        return isShell || std::ranges::find(kTools, name()) != kTools.end();
    }
    [[nodiscard]] bool isExpected() const {
        constexpr std::array kOwn = {"slipway", "slipway-agent", "slipway-trainer", "ssh"};
        return std::ranges::find(kOwn, name()) != kOwn.end() || isBootstrap();
    }
};

std::vector<Executed> executedIn(const fs::path& trace) {
    std::vector<Executed> all;
    std::istringstream lines(readFile(trace).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find("execve(\"");
        if (begin == std::string::npos) continue;
        const std::size_t program = begin + 8, end = line.find("\", [", program), close = line.find("], [", end);
        if (end == std::string::npos || close == std::string::npos) continue;
        all.push_back(
            {line.substr(program, end - program), line.substr(end + 4, close - end - 4), line.substr(close + 4)});
    }
    return all;
}

}  // namespace

class TstProgramsRunFull : public QObject {
    Q_OBJECT

private slots:
    void startsNothingUnexpected() {
        if (::access(kStrace, X_OK) != 0) QSKIP("no strace: install it");
        const FakeNodes fake;
        RunHome at;
        const fs::path work = at.temp.path() / "work";
        fs::create_directories(work);
        const std::string bin = SLIPWAY_BIN_DIR;
        for (const char* name : {"a", "b"}) {
            NodeRecord node;
            node.name = node.host = name;
            node.home = (fake.home(name) / ("home " + std::string(kHostile))).string();
            const fs::path folder = fake.home(name) / ("bin; touch owned $(touch owned)");
            fs::create_directories(folder);
            fs::copy_file(bin + "/fake/slipway-trainer", folder / "slipway-trainer");
            node.trainer = (folder / "slipway-trainer").string();
            QVERIFY(writeNode(at.home, node, false));
        }
        const std::string config = (work / "c $(touch owned).json").string();
        const std::string name = std::string("tiny [ms=2] ") + kHostile;
        QVERIFY(writeJsonFile(config, toJson(tinyConfig(name, 10, 2))));
        Json sweep{
            {"schema", 1}, {"name", kHostile}, {"base", toJson(tinyConfig("", 10, 1))}, {"points", Json::array()}};
        for (const char* point : {"$(touch owned)", "; touch owned"})
            sweep["points"].push_back({{"name", point}, {"train.seed", sweep["points"].size() + 1}});
        const std::string sweepFile = (work / "s.json").string();
        QVERIFY(writeJsonFile(sweepFile, sweep));

        ::setenv("SLIPWAY_BIN_DIR", (bin + "/fake").c_str(), 1);
        ::setenv("HF_TOKEN", kCanary, 1);
        // Arguments, and whether the command is to succeed.
        const std::vector<std::pair<std::vector<std::string>, bool>> commands = {
            {{"nodes", "check", "a"}, false},  // its clock and trainer may differ: only what it starts counts
            {{"nodes", "add", "--name", "evil", "--", "-oProxyCommand=touch owned"}, false},
            {{"nodes", "add", "$(touch owned)"}, false},
            {{"launch", config, "--nodes", "a,b"}, true},
            {{"launch", config, "--nodes", "a,$(touch owned)"}, false},
            {{"launch", config}, true},
            {{"launch", config, "--write", "slurm"}, true},
            {{"sweep", sweepFile, "--nodes", "a,b"}, true},
            {{"runs"}, true}};
        std::vector<Executed> all;
        int number = 0;
        for (const auto& [arguments, isGood] : commands) {
            const fs::path trace = at.temp.path() / ("trace" + std::to_string(++number));
            ProcessSpec spec;
            spec.arguments = {kStrace,
                              "-f",
                              "-qq",
                              "-v",
                              "-s",
                              "100000",
                              "-e",
                              "trace=execve",
                              "-e",
                              "signal=none",
                              "-o",
                              trace.string(),
                              bin + "/slipway",
                              "--home",
                              at.home.path.string()};
            spec.arguments.insert(spec.arguments.end(), arguments.begin(), arguments.end());
            spec.workingFolder = work;
            spec.captureOutput = true;
            auto process = Process::start(spec);
            QVERIFY(process);
            const auto& exit = process->wait(300);
            QVERIFY2(exit, arguments.front().c_str());
            if (process->errorOutput().find("PTRACE") != std::string::npos)
                QSKIP("this computer lets strace see nothing");
            if (isGood) QVERIFY2(exit->ok(), (arguments.front() + ": " + process->errorOutput()).c_str());
            const auto more = executedIn(trace);
            QVERIFY(!more.empty());
            all.insert(all.end(), more.begin(), more.end());
        }
        ::unsetenv("SLIPWAY_BIN_DIR");
        ::unsetenv("HF_TOKEN");

        std::string secret;
        int agents = 0, ranks = 0, links = 0;
        for (const Executed& one : all) {
            QVERIFY2(one.isExpected(), (one.program + " " + one.arguments).c_str());
            agents += one.name() == "slipway-agent" ? 1 : 0;
            ranks += one.name() == "slipway-trainer" ? 1 : 0;
            links += one.name() == "ssh" ? 1 : 0;
            constexpr std::string_view kSecret = "SLIPWAY_STORE_SECRET=";
            if (const auto from = one.environment.find(kSecret); from != std::string::npos)
                secret = one.environment.substr(from + kSecret.size(), 32);
        }
        qInfo("%zu programs: %d agents, %d trainers, %d ssh", all.size(), agents, ranks, links);
        QVERIFY(agents >= 6 && ranks >= 8 && links >= 4);
        QCOMPARE(secret.size(), std::size_t(32));
        for (const Executed& one : all) {
            const bool mayKnow =
                one.name() == "slipway-trainer" || one.arguments.find("\"--run-dir\"") != std::string::npos;
            QVERIFY2(mayKnow || one.environment.find(secret) == std::string::npos, one.arguments.c_str());
            QVERIFY2(one.arguments.find(secret) == std::string::npos, one.arguments.c_str());
            QVERIFY2(one.arguments.find(kCanary) == std::string::npos, one.arguments.c_str());
        }
        for (const auto& root : {fake.temp.path(), at.temp.path()})
            for (const auto& entry : fs::recursive_directory_iterator(root)) {
                QVERIFY2(entry.path().filename() != "owned", entry.path().c_str());
                if (!entry.is_regular_file() || entry.is_symlink() ||
                    entry.path().filename().string().starts_with("trace"))
                    continue;
                const std::string bytes = readFile(entry.path()).value_or("");
                QVERIFY2(bytes.find(secret) == std::string::npos, entry.path().c_str());
                QVERIFY2(bytes.find(kCanary) == std::string::npos, entry.path().c_str());
            }
    }
};

SLIPWAY_TEST_FULL(TstProgramsRunFull)
#include "tst_programs_run.moc"
