#include "core/remote/node_connection.h"

#include "core/base/clock.h"
#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/remote/ssh_messages.h"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace slipway {
namespace {

constexpr double kFirstPauseSeconds = 0.5;
constexpr double kLongestPauseSeconds = 2;  // a healed link is found soon; a handshake costs the node little
constexpr double kPersonSeconds = 180;      // to type a password and a second factor; sshd allows 120
constexpr double kLoginPauseSeconds = 60;   // logins that fail lock accounts
constexpr int kSoonPauses = 60;             // then a link that stays down is tried less often
constexpr double kLaterPauseSeconds = 30;
constexpr std::size_t kErrorTail = 4096;

/// Errors that only a person can end.
bool isFinalError(const std::string& code) {
    constexpr std::array kFinal = {"host_key_unknown", "host_key_changed", "bad_ssh_config",
                                   "ssh_missing",      "bad_node",         "program_missing"};
    return std::find(kFinal.begin(), kFinal.end(), code) != kFinal.end();
}

double pauseAfter(const std::string& code, int failures) {
    if (isFinalError(code)) return std::numeric_limits<double>::infinity();
    double pause = failures > kSoonPauses
                       ? kLaterPauseSeconds
                       : std::min(kLongestPauseSeconds, kFirstPauseSeconds * std::exp2(std::min(failures, 10) - 1));
    if (code == "permission_denied" || code == "bad_frame" || code == "frame_too_large" || code == "agent_refused" ||
        code == "agent_not_executable")
        pause = kLoginPauseSeconds;
    return pause *
           (0.75 + 0.5 * static_cast<double>(randomEntropy()) / 4294967296.0);  // many links do not come at once
}

std::string randomHex() {
    constexpr int kWords = 4;
    std::string text;
    for (int word = 0; word < kWords; ++word) {
        const std::uint32_t bits = randomEntropy();
        for (unsigned shift = 0; shift < 32; shift += 4) text.push_back("0123456789abcdef"[bits >> shift & 15U]);
    }
    return text;
}

std::string tailOf(const std::string& text) {
    return text.size() > kErrorTail ? text.substr(text.size() - kErrorTail) : text;
}

Error errorIn(const Json& answer) {
    const Json& error = answer["error"];
    const auto text = [&](const char* key) {
        return error.is_object() && error.contains(key) && error[key].is_string() ? error[key].get<std::string>()
                                                                                  : std::string();
    };
    const std::string code = text("code");
    return {code.empty() ? "agent_error" : code, text("message"), text("where")};
}

}  // namespace

Result<void> AgentProgram::load() {
    if (!m_hash.empty()) return {};
    auto bytes = readFile(m_file);
    if (!bytes)
        return fail(
            "program_missing",
            "%1 was not found in the folder of this program; build it, or name its folder in SLIPWAY_BIN_DIR."_text(
                std::string("slipway-agent")));
    m_bytes = std::move(*bytes);
    m_hash = sha256Of(m_bytes);
    return {};
}

NodeConnection::NodeConnection(NodeRecord node, SshOptions options, std::shared_ptr<AgentProgram> agent)
    : m_node(std::move(node)), m_options(std::move(options)), m_agent(std::move(agent)) {}

NodeConnection::~NodeConnection() {
    if (!m_process) return;
    m_process->closeInput();
    m_process->signal(SIGKILL);
    m_process->wait(1);
}

NodeConnection::Client NodeConnection::join() {
    if (m_state == State::Down) m_state = State::Connecting;
    m_answers[++m_lastClient];
    return m_lastClient;
}

void NodeConnection::leave(Client client) {
    m_answers.erase(client);
    std::erase_if(m_waiting, [&](const auto& one) { return one.first == client; });
    if (m_state != State::Up)
        std::erase_if(m_outstanding, [&](const auto& one) { return one.second.client == client; });
}

std::vector<LinkAnswer> NodeConnection::takeAnswers(Client client) {
    return std::exchange(m_answers[client], {});
}

void NodeConnection::answer(Client client, LinkAnswer answer) {
    const auto asked = m_answers.find(client);
    if (asked != m_answers.end()) asked->second.push_back(std::move(answer));
}

std::uint64_t NodeConnection::ask(Client client, Json request, std::string data, double patience) {
    const std::uint64_t id = ++m_last;
    if (m_state == State::Down) {
        answer(client, {id, fail(m_error), true});
        return id;
    }
    request["id"] = id;
    m_outstanding[id] = {client, patience, -1};
    if (m_state == State::Up)
        m_outbox += encodeFrame(request, data);
    else
        m_waiting.emplace_back(client, encodeFrame(request, data));
    flush();
    return id;
}

void NodeConnection::flush() {
    if (!m_process) return;
    m_sent += m_process->write(std::string_view(m_outbox).substr(m_sent));
    if (m_sent < m_outbox.size()) return;
    m_outbox.clear();
    m_sent = 0;
}

void NodeConnection::connect(double now) {
    m_state = State::Connecting;
    if (m_downSince < 0) m_downSince = now;
    const bool isAnswered = m_options.questions == SshQuestions::Person || !m_options.askSocket.empty();
    m_connectDeadline = now + (isAnswered ? kPersonSeconds : kConnectSeconds);
    if (const auto loaded = m_agent->load(); !loaded) return lose(now, loaded.error());
    m_nonce = randomHex();
    const auto spec =
        sshCommand(m_node, m_options, bootstrapCommand(m_agent->hash(), m_agent->bytes().size(), m_nonce));
    if (!spec) return lose(now, spec.error());
    auto process = Process::start(*spec);
    if (!process) return lose(now, process.error());
    m_process = std::move(*process);
    m_greeting.emplace(m_nonce);
    m_reader = FrameReader();
    m_outbox.clear();
    m_sent = 0;
    m_agentRefused = false;
    m_hostKey.clear();
}

void NodeConnection::lose(double now, Error error) {
    m_look.reset();
    if (m_process) {
        m_process->closeInput();
        m_process->signal(SIGKILL);
        m_process->wait(1);
        m_process.reset();
    }
    if (m_state == State::Up || m_downSince < 0) m_downSince = now;
    m_state = State::Down;
    m_error = std::move(error);
    m_retryAt = now + pauseAfter(m_error.code, ++m_failures);
    m_outbox.clear();
    m_sent = 0;
    m_waiting.clear();
    for (const auto& [id, outstanding] : std::exchange(m_outstanding, {}))
        answer(outstanding.client, {id, fail(m_error), true});
}

Error NodeConnection::endOf(const ExitState& exit) const {
    const std::string words = tailOf(m_process->errorOutput());
    if (m_agentRefused)
        return errorOf(
            "agent_refused",
            "The agent could not be written to ~/.cache/slipway of %1: is the disk full, or its home not writable?"_text(
                m_node.name));
    constexpr int kCannotExecute = 126, kNotFound = 127, kOfSsh = 255;
    if (m_state != State::Up && (exit.code == kCannotExecute || exit.code == kNotFound))
        return errorOf(
            "agent_not_executable",
            "The agent does not start on %1: its processor type differs from this computer's, or its home is mounted noexec."_text(
                m_node.name));
    // An agent killed from outside is not evidence about the node.
    if (m_state != State::Up && exit.signal == 0 && exit.code != kOfSsh)
        return errorOf(
            "no_shell",
            "The login on %1 ends without starting the agent: the account has no shell, or a forced command."_text(
                m_node.name));
    // ssh itself ended a connection, without a word: nothing came for three of its keep-alive intervals.
    if (m_state == State::Up && exit.code == kOfSsh && words.empty()) return sshError("not responding", m_node.name);
    return sshError(words, m_node.name);
}

void NodeConnection::offerAgent(double now) {
    m_copiedAgent = true;
    m_outbox = m_agent->bytes();
    m_sent = 0;
    m_connectDeadline = now + 10 * kConnectSeconds;  // over a slow line
}

void NodeConnection::take(double now, std::string bytes) {
    if (m_state == State::Connecting) {
        const auto found = m_greeting->add(bytes);
        if (!found) return lose(now, found.error());
        if (*found == Greeting::Found::AgentMissing) offerAgent(now);
        if (*found == Greeting::Found::AgentRefused) m_agentRefused = true;
        if (*found != Greeting::Found::Agent) return;
        m_noise = m_greeting->noise();
        bytes = m_greeting->takeRest();
        m_state = State::Up;
        ++m_numConnections;
        m_failures = 0;
        m_downSince = -1;
        m_outbox.clear();
        for (const auto& [client, frame] : std::exchange(m_waiting, {})) m_outbox += frame;
        m_sent = 0;
    }
    m_heardAt = now;
    m_reader.add(bytes);
    receive(now);
}

void NodeConnection::receive(double now) {
    for (;;) {
        auto frame = m_reader.next();
        if (!frame) return lose(now, frame.error());
        if (!*frame) return;
        const Json& header = *(*frame)->header;
        const std::uint64_t id =
            header.contains("id") && header["id"].is_number_unsigned() ? header["id"].get<std::uint64_t>() : 0;
        const auto asked = m_outstanding.find(id);
        if (asked == m_outstanding.end())
            return lose(now, errorOf("bad_frame",
                                     "%1 sent an answer to no request; the connection was closed."_text(m_node.name)));
        const Client client = asked->second.client;
        m_outstanding.erase(asked);
        if (header.contains("error"))
            answer(client, {id, fail(errorIn(header))});
        else
            answer(client, {id, std::move(**frame)});
    }
}

void NodeConnection::addDescriptors(std::vector<pollfd>& descriptors) const {
    if (!m_process) return;
    descriptors.push_back({m_process->outputFd(), POLLIN, 0});
    if (m_sent < m_outbox.size()) descriptors.push_back({m_process->inputFd(), POLLOUT, 0});
}

void NodeConnection::poll(double now) {
    if (m_look && now - m_look->atSeconds > kLookSeconds) m_look.reset();
    if (!m_process && (m_state == State::Connecting || now >= m_retryAt)) connect(now);
    if (m_process) {
        flush();
        const auto exit = m_process->poll();
        if (std::string bytes = m_process->takeOutput(); !bytes.empty()) take(now, std::move(bytes));
        if (m_process && m_hostKey.empty()) {
            const std::string& words = m_process->errorOutput();
            if (const auto at = words.find("slipway-host-key "); at != std::string::npos) {
                const std::string line = words.substr(at, words.find('\n', at) - at);
                if (const std::string key = fingerprintIn(line); !key.empty() && key != m_options.fingerprint)
                    m_hostKey = line.substr(line.find(' ') + 1);
            }
        }
        if (m_process && exit) lose(now, endOf(*exit));
    }
    if (m_process && m_state == State::Connecting && now > m_connectDeadline)
        lose(now,
             errorOf(
                 "timeout",
                 "%1 did not answer in time: it is off, a firewall drops the connection, or the network is slow."_text(
                     m_node.name)));
    if (isLate(now))
        lose(now, errorOf("timeout", "%1 stopped answering: the network is cut or slow, or the node is frozen."_text(
                                         m_node.name)));
}

/// An answer queued after others on a slow line is not late as long as data arrives.
bool NodeConnection::isLate(double now) {
    constexpr double kQuietSeconds = 10;
    constexpr double kMostPatience = 10;  // times its own: something may come for ever
    if (m_state != State::Up) return false;
    bool isAnyLate = false;
    for (auto& [id, outstanding] : m_outstanding) {
        if (outstanding.askedSeconds < 0) outstanding.askedSeconds = now;
        const double waited = now - outstanding.askedSeconds;
        const bool isQuiet = now - m_heardAt > kQuietSeconds;
        isAnyLate =
            isAnyLate || waited > kMostPatience * outstanding.patience || (waited > outstanding.patience && isQuiet);
    }
    return isAnyLate;
}

}  // namespace slipway
