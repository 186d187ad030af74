#include "app/agent/serve.h"

#include "app/agent/held_status.h"
#include "app/agent/node_bench.h"
#include "app/agent/node_facts.h"
#include "app/agent/node_files.h"
#include "app/agent/node_health.h"
#include "app/agent/node_reach.h"
#include "app/agent/request_fields.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/base/ids.h"
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/base/version.h"
#include "core/process/free_port.h"
#include "core/process/host_identity.h"
#include "core/process/process.h"
#include "core/process/program_path.h"
#include "core/remote/agent_presence.h"
#include "core/remote/errands.h"
#include "core/remote/frame.h"
#include "core/remote/gpu_state.h"
#include "core/remote/slurm_command.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

extern char** environ;

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kSilentSeconds = 120;
constexpr double kStartSeconds = 60;
constexpr double kVersionSeconds = 90;    // libtorch from a cold network disk
constexpr int kAlreadyStarted = 4;        // exit code of slipway-agent
constexpr std::size_t kMostWorking = 16;  // in parallel
constexpr std::size_t kMostQueued = 1024;
constexpr std::size_t kMostHashing = 64;
constexpr std::int64_t kMostPatience = 5000;  // milliseconds

class Server {
public:
    Server(int output, fs::path agent) : m_output(output), m_agent(std::move(agent)) {}

    /// Answers the request now, or when the program it needs has ended.
    void take(const Frame& frame);
    void look();
    /// Sockets for poll(2) besides requests: connections from and to other nodes, and ends of programs.
    void addSockets(std::vector<pollfd>& sockets) const;
    /// Longest wait for these sockets.
    [[nodiscard]] int patienceMilliseconds() const;
    [[nodiscard]] bool isBroken() const { return m_broken; }

private:
    struct Working {
        Json request;
        Process process;
        double deadlineSeconds = 0;
    };
    struct Queued {
        Json request;
        ProcessSpec spec;
        double seconds = 0;
    };
    struct Hashing {
        Json request;
        FileHash file;
    };
    using Answer = Result<std::optional<Json>>;

    void send(const Json& request, Json answer, std::string_view data);
    void sendError(const Json& request, const Error& error);
    Answer answerTo(const Json& request, const std::string& data, std::string& bytes);
    Answer answerOnFiles(NodeFiles& files, const std::string& what, const Json& request, const std::string& data,
                         std::string& bytes);
    Answer trainer(const NodeFiles& files, const Json& request);
    Answer start(const NodeFiles& files, const Json& request);
    Answer setup(const NodeFiles& files, const Json& request);
    Answer slurm(const Json& request);
    Answer gpuState(const Json& request);
    Answer status(const NodeFiles& files, const Json& request);
    Answer read(const NodeFiles& files, const Json& request, std::string& bytes) const;
    Answer begin(const Json& request, ProcessSpec spec, double seconds);
    void finish(Working& done);
    void startQueued(double now);

    int m_output;
    fs::path m_agent;
    bool m_broken = false;
    std::vector<Working> m_working;
    std::deque<Queued> m_queued;
    std::deque<Hashing> m_hashing;
    HeldStatus m_held;
    NodeBench m_bench;
    std::optional<Process> m_setup;
    fs::path m_setupLog;
    NodeReach m_reach;
};

void Server::send(const Json& request, Json answer, std::string_view data) {
    answer["id"] = numberOf(request, "id");
    const std::string frame = encodeFrame(answer, data);
    for (std::size_t done = 0; done < frame.size() && !m_broken;) {
        const ssize_t n = ::write(m_output, frame.data() + done, frame.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            m_broken = true;
        else
            done += static_cast<std::size_t>(n);
    }
}

void Server::sendError(const Json& request, const Error& error) {
    send(request, Json{{"error", Json{{"code", error.code}, {"message", error.message}, {"where", error.where}}}}, {});
}

void Server::take(const Frame& frame) {
    std::string bytes;
    const Answer answer = answerTo(*frame.header, frame.data, bytes);
    if (!answer)
        sendError(*frame.header, answer.error());
    else if (*answer)
        send(*frame.header, **answer, bytes);
}

Server::Answer Server::answerTo(const Json& request, const std::string& data, std::string& bytes) {
    const std::string what = textOf(request, "do");
    const std::string address = textOf(request, "address");
    if (what == "hello") {
        const HostIdentity& here = thisHost();
        return Json{{"version", versionText()},
                    {"protocol", 1},
                    {"host", here.host},
                    {"boot_id", here.bootId},
                    {"pid_namespace", here.pidNamespace},
                    {"agent", m_agent.string()},
                    {"clock_unix_ms", unixMillisecondsNow()}};
    }
    if (what == "slurm") return slurm(request);
    if (what == "gpu_state") return gpuState(request);
    if (what == "bench") {
        if (const auto started = m_bench.start(request); !started) return fail(started.error());
        return Json::object();
    }
    if (what == "bench_look") {
        auto seen = m_bench.look(bytes);
        if (!seen) return fail(seen.error());
        return std::move(*seen);
    }
    if (what == "listen") {
        const auto port = m_reach.listen(address);
        if (!port) return fail(port.error());
        return Json{{"port", *port}};
    }
    if (what == "connect") {
        const auto begun = m_reach.connect(request, address, static_cast<int>(numberOf(request, "port")));
        if (!begun) return fail(begun.error());
        return std::optional<Json>();
    }
    if (what == "port") {
        const auto port = freePort(address);
        if (!port) return fail(port.error());
        return Json{{"port", *port}};
    }
    auto files = NodeFiles::open(textOf(request, "home"));
    if (!files) return fail(files.error());
    return answerOnFiles(*files, what, request, data, bytes);
}

Server::Answer Server::answerOnFiles(NodeFiles& files, const std::string& what, const Json& request,
                                     const std::string& data, std::string& bytes) {
    const std::string sha256 = textOf(request, "sha256"), run = textOf(request, "run"), path = textOf(request, "path");
    const auto size = static_cast<std::uint64_t>(numberOf(request, "bytes"));
    if (what == "facts") {
        Json facts = nodeFacts(files.home());
        facts["home"] = files.home().string();
        return facts;
    }
    if (what == "health") return nodeHealth(files.home());
    if (what == "trainer") return trainer(files, request);
    if (what == "setup") return setup(files, request);
    if (what == "have" || what == "put") {
        const auto here = what == "have"
                              ? files.have(sha256, size)
                              : files.put(sha256, size, static_cast<std::uint64_t>(numberOf(request, "offset")), data);
        if (!here) return fail(here.error());
        return Json{{"bytes", *here}};
    }
    if (what == "place") {
        const bool execute = request.contains("execute") && request["execute"] == true;
        const bool isOwn = request.contains("own") && request["own"] == true;
        if (const auto placed = files.place(sha256, path, execute, isOwn); !placed) return fail(placed.error());
        return Json::object();
    }
    if (what == "runs") {
        Json runs = Json::array();
        std::error_code code;
        for (const auto& entry : fs::directory_iterator(files.home() / "runs", code))
            if (const std::string name = entry.path().filename().string(); isSafeId(name) && runs.size() < 10000)
                runs.push_back(name);
        return Json{{"runs", runs}};
    }
    const auto folder = files.below("runs/" + run);
    if (!folder || !isSafeId(run)) return fail("bad_id", "\"" + run + "\" is not a run id.", "run");
    if (what == "write") {
        const auto file = files.below("runs/" + run + "/" + path);
        if (!file) return fail(file.error());
        if (const auto made = makePrivateFolder(file->parent_path()); !made) return fail(made.error());
        if (const auto written = writeFileAtomically(*file, data); !written) return fail(written.error());
        return Json::object();
    }
    if (what == "clear") {  // a request to an earlier attempt must not end this one
        std::error_code code;
        fs::remove(RunDir{*folder}.stopFile(), code);
        fs::remove(RunDir{*folder}.killFile(), code);
        return Json::object();
    }
    if (what == "set_aside") {
        const auto done = files.setAside(run, textOf(request, "node"), numberOf(request, "attempt", 1));
        if (!done) return fail(done.error());
        return Json::object();
    }
    if (what == "start") return start(files, request);
    if (what == "status") return status(files, request);
    if (what == "read") return read(files, request, bytes);
    if (what == "checkpoints") {
        Json list = Json::array();
        for (const NodeFiles::File& file : files.checkpointsOf(run)) list.push_back(Json{file.path, file.bytes});
        bytes = dumpJson(list, false);  // too many for a header
        return Json::object();
    }
    if (what == "hash") {
        auto file = files.below("runs/" + run + "/" + path);
        if (!file) return fail(file.error());
        if (m_hashing.size() >= kMostHashing) return fail("busy", "The agent is busy with too many requests."_text);
        m_hashing.push_back({request, FileHash(std::move(*file))});
        return std::optional<Json>();
    }
    return fail("unknown_request",
                "This agent does not know the request \"" + what + "\"; it is " + versionText() + ".", "do");
}

Server::Answer Server::status(const NodeFiles& files, const Json& request) {
    const std::string run = textOf(request, "run"), node = textOf(request, "node");
    if (!isSafeId(node)) return fail("bad_node", "\"" + node + "\" cannot be the name of a node.", "node");
    // Before the files are listed: an agent that is gone now has already written its exit.json, or never will.
    const RunDir folder{files.home() / "runs" / run};
    const AgentPresence presence =
        agentPresence(folder, node, numberOf(request, "attempt", 1), static_cast<double>(unixMillisecondsNow()) / 1000);
    const std::vector<NodeFiles::File> found = files.filesOf(run, node);
    const std::string digest = files.digestOf(run, found);
    const double patience =
        1e-3 * static_cast<double>(std::clamp<std::int64_t>(numberOf(request, "patience_ms"), 0, kMostPatience));
    const double least = 1e-3 * static_cast<double>(numberOf(request, "least_ms")), now = monotonicSecondsNow();
    if (patience > 0 && presence == AgentPresence::Alive && (least > 0 || digest == textOf(request, "known")) &&
        m_held.hold(request, folder, node, now + least, now + patience))
        return std::optional<Json>();
    Json list = Json::array();
    for (const NodeFiles::File& file : found) list.push_back(Json{file.path, file.bytes, file.stamp});
    return Json{{"presence", wordOf(presence)}, {"files", list}, {"digest", digest}};
}

Server::Answer Server::read(const NodeFiles& files, const Json& request, std::string& bytes) const {
    const auto path = files.below("runs/" + textOf(request, "run") + "/" + textOf(request, "path"));
    if (!path) return fail(path.error());
    const auto offset = static_cast<std::uint64_t>(std::max<std::int64_t>(0, numberOf(request, "offset")));
    auto piece = readOwnFile(*path, offset, kFrameDataBytes);
    if (!piece) return fail(piece.error());
    bytes = std::move(*piece);
    return Json{{"offset", offset}};
}

Server::Answer Server::begin(const Json& request, ProcessSpec spec, double seconds) {
    spec.captureOutput = true;
    spec.newSession = true;
    if (m_queued.size() >= kMostQueued) return fail("busy", "The agent is busy with too many requests."_text);
    if (m_working.size() >= kMostWorking) {
        m_queued.push_back({request, std::move(spec), seconds});
        return std::optional<Json>();
    }
    auto process = Process::start(spec);
    if (!process) return fail(process.error());
    m_working.push_back({request, std::move(*process), monotonicSecondsNow() + seconds});
    return std::optional<Json>();
}

Server::Answer Server::trainer(const NodeFiles& files, const Json& request) {
    std::vector<fs::path> candidates = {textOf(request, "path")};
    if (candidates.front().empty()) {
        candidates = {files.home() / "trainer" / "bin" / "slipway-trainer", "/usr/bin/slipway-trainer",
                      "/usr/local/bin/slipway-trainer"};
        if (const char* home = std::getenv("HOME")) candidates.push_back(fs::path(home) / ".local/bin/slipway-trainer");
    }
    for (const fs::path& path : candidates) {
        if (::access(path.c_str(), X_OK) != 0) continue;
        Json named = request;
        named["path"] = path.string();
        ProcessSpec spec;
        spec.arguments = {path.string(), "--version"};
        return begin(named, spec, kVersionSeconds);
    }
    return fail("program_missing", "slipway-trainer was not found.", candidates.front().string());
}

Server::Answer Server::slurm(const Json& request) {
    constexpr double kSlurmSeconds = 60;  // with its controller down, squeue waits for 18 s
    std::vector<std::string> arguments;
    if (request.contains("arguments") && request["arguments"].is_array())
        for (const Json& argument : request["arguments"])
            arguments.push_back(argument.is_string() ? argument.get<std::string>() : std::string());
    const auto spec = slurmCommand(arguments);
    if (!spec) return fail(spec.error());
    return begin(request, *spec, kSlurmSeconds);
}

Server::Answer Server::gpuState(const Json& request) {
    constexpr double kSeconds = 20;  // for a driver that hangs
    const fs::path program = programInPath("nvidia-smi");
    if (program.empty()) return fail("program_missing", "nvidia-smi was not found.", "PATH");
    ProcessSpec spec;
    spec.arguments = {program.string(), "--query-gpu=" + std::string(kGpuStateFields), "--format=csv,noheader,nounits"};
    return begin(request, spec, kSeconds);
}

Server::Answer Server::start(const NodeFiles& files, const Json& request) {
    const std::string node = textOf(request, "node");
    ProcessSpec spec;
    spec.arguments = {m_agent.string(), "--run-dir", (files.home() / "runs" / textOf(request, "run")).string(),
                      "--node", node};
    spec.environment.emplace();
    for (char** entry = environ; *entry != nullptr; ++entry) spec.environment->emplace_back(*entry);
    // Never in a file or an argument, which other users can read.
    if (const std::string secret = textOf(request, "secret"); !secret.empty())
        spec.environment->push_back("SLIPWAY_STORE_SECRET=" + secret);
    return begin(request, spec, kStartSeconds);
}

Server::Answer Server::setup(const NodeFiles& files, const Json& request) {
    m_setupLog = files.home() / "trainer" / "setup.log";
    if (!m_setup) {
        ProcessSpec spec;
        spec.arguments = {(files.home() / "trainer" / "lib" / "slipway" / "libtorch.sh").string(), "setup"};
        if (const std::string torch = textOf(request, "torch"); !torch.empty()) {
            if (torch.front() != '/')
                return fail("bad_path", "The folder of a torch package must be an absolute path."_text, torch);
            spec.arguments = {spec.arguments.front(), "use", torch};
        }
        spec.output = m_setupLog;
        spec.newSession = true;
        std::error_code code;
        fs::remove(m_setupLog, code);
        auto process = Process::start(spec);
        if (!process) return fail(process.error());
        m_setup = std::move(*process);
    }
    const auto exit = m_setup->poll();
    const std::string words = lastWords(readOwnFile(m_setupLog).value_or(""));
    Json answer{{"running", !exit.has_value()}, {"words", words}};
    if (exit) {
        answer["ok"] = exit->ok();
        m_setup.reset();
    }
    return answer;
}

void Server::finish(Working& done) {
    Process& process = done.process;
    const ExitState exit = *process.poll();
    const std::string words = lastWords(process.errorOutput());
    if (const std::string what = textOf(done.request, "do"); what == "slurm" || what == "gpu_state") {
        const std::string printed = process.output().substr(0, kFrameDataBytes);
        return send(done.request, Json{{"code", exit.code}, {"signal", exit.signal}, {"errors", words}}, printed);
    }
    if (textOf(done.request, "do") == "start") {
        if (exit.ok()) return send(done.request, Json::object(), {});
        return sendError(done.request, {exit.code == kAlreadyStarted ? "already_started" : "agent_failed",
                                        words.empty() ? "slipway-agent ended with " + exit.text() + "." : words, ""});
    }
    if (!exit.ok())
        return sendError(done.request,
                         {"program_failed", words.empty() ? "The trainer ended with " + exit.text() + "." : words,
                          textOf(done.request, "path")});
    send(done.request, Json{{"path", textOf(done.request, "path")}, {"printed", lastWords(process.output())}}, {});
}

void Server::addSockets(std::vector<pollfd>& sockets) const {
    m_reach.addSockets(sockets);
    for (const Working& each : m_working)
        if (each.process.pidFd() >= 0) sockets.push_back({each.process.pidFd(), POLLIN, 0});
    m_held.addSockets(sockets);
}

int Server::patienceMilliseconds() const {
    if (!m_hashing.empty()) return 0;
    return m_held.milliseconds(monotonicSecondsNow(), m_working.empty() && m_queued.empty() ? 1000 : 50);
}

void Server::look() {
    if (!m_hashing.empty()) {
        Hashing& next = m_hashing.front();
        const auto known = next.file.poll();
        if (!known) sendError(next.request, known.error());
        if (known && *known) send(next.request, Json{{"sha256", next.file.sha256()}, {"bytes", next.file.bytes()}}, {});
        if (!known || *known) m_hashing.pop_front();
    }
    m_reach.look([this](const Json& request, const Result<std::string>& from) {
        if (from)
            send(request, Json{{"address", *from}}, {});
        else
            sendError(request, from.error());
    });
    const double now = monotonicSecondsNow();
    for (auto it = m_working.begin(); it != m_working.end();) {
        if (it->process.poll()) {
            finish(*it);
            it = m_working.erase(it);
        } else if (now > it->deadlineSeconds) {
            // Not killed: an agent may still appear, and the claim in the run folder prevents a second start.
            sendError(it->request,
                      {"program_slow", "The program has not answered in time.", textOf(it->request, "do")});
            it = m_working.erase(it);
        } else {
            ++it;
        }
    }
    startQueued(now);
    const auto isNew = [](const Json& request) {
        const auto files = NodeFiles::open(textOf(request, "home"));
        if (!files) return true;
        const std::string run = textOf(request, "run");
        return files->digestOf(run, files->filesOf(run, textOf(request, "node"))) != textOf(request, "known");
    };
    for (const auto& request : m_held.due(now, isNew)) take({request, {}});
}

void Server::startQueued(double now) {
    while (!m_queued.empty() && m_working.size() < kMostWorking) {
        Queued next = std::move(m_queued.front());
        m_queued.pop_front();
        auto process = Process::start(next.spec);
        if (process)
            m_working.push_back({std::move(next.request), std::move(*process), now + next.seconds});
        else
            sendError(next.request, process.error());
    }
}

}  // namespace

int serveAgent(int input, int output, const std::string& nonce, const fs::path& agent) {
    ::signal(SIGPIPE, SIG_IGN);
    ::umask(077);
    Server server(output, agent);
    const std::string greeting = "slipway-agent " + nonce + "\n";
    if (::write(output, greeting.data(), greeting.size()) != static_cast<ssize_t>(greeting.size())) return 1;
    FrameReader reader;
    std::array<char, 1 << 16> buffer{};
    std::vector<pollfd> readable;
    double lastHeard = monotonicSecondsNow();
    while (!server.isBroken()) {
        readable.assign(1, {input, POLLIN, 0});
        server.addSockets(readable);
        if (::poll(readable.data(), readable.size(), server.patienceMilliseconds()) > 0 && readable[0].revents != 0) {
            const ssize_t n = ::read(input, buffer.data(), buffer.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return 0;
            lastHeard = monotonicSecondsNow();
            reader.add({buffer.data(), static_cast<std::size_t>(n)});
            for (;;) {
                const auto frame = reader.next();
                if (!frame) return 1;
                if (!*frame) break;
                server.take(**frame);
            }
        }
        server.look();
        if (monotonicSecondsNow() - lastHeard > kSilentSeconds) return 0;
    }
    return 0;
}

}  // namespace slipway
