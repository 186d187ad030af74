// NodeLink: one ssh and one agent per node, kept for as long as it is needed. Requests are answered in poll(); a link that is lost
// fails what is outstanding and connects again by itself, with growing pauses.
//   NodeLink link(node, {.agent = programs.agent});
//   const auto id = link.ask(Json{{"do", "hello"}});
//   for (LinkAnswer& answer : link.poll(now)) if (answer.request == id) ...
#pragma once

#include "core/process/process.h"
#include "core/remote/frame.h"
#include "core/remote/node_record.h"
#include "core/remote/ssh.h"

#include <poll.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// Waits until one of the links has something to do, at most this long. For threads that may wait, never for the window's.
class NodeLink;
void waitForLinks(const std::vector<const NodeLink*>& links, double seconds);

struct LinkAnswer {
    std::uint64_t request = 0;
    Result<Frame> frame;  ///< the agent's error, or the link's
    bool isLost = false;  ///< the link's: whether the agent has done it is not known
};

class NodeLink {
public:
    enum class State {
        Connecting,  ///< since it was made, or after a loss
        Up,          ///< the agent answers
        Down,        ///< see error(); it connects again at some time, unless the error stays without a person
    };

    NodeLink(NodeRecord node, SshOptions options);
    ~NodeLink();
    NodeLink(const NodeLink&) = delete;
    NodeLink& operator=(const NodeLink&) = delete;

    /// Sends a request as soon as the link is up. While it is down, or when it is lost, or after `patience` seconds, the answer is
    /// the error of the link.
    std::uint64_t ask(Json request, std::string data = {}, double patience = kAnswerSeconds);
    /// Advances; never blocks. @param nowSeconds of any clock that only goes forward
    std::vector<LinkAnswer> poll(double nowSeconds);

    /// What poll(2) waits for until poll() has something to do.
    void addDescriptors(std::vector<pollfd>& descriptors) const;

    [[nodiscard]] State state() const { return m_state; }
    /// Why it is down, or was last.
    [[nodiscard]] const Error& error() const { return m_error; }
    /// By the clock of poll(): since when it has not been up.
    [[nodiscard]] double downSinceSeconds() const { return m_downSince; }
    [[nodiscard]] const NodeRecord& node() const { return m_node; }
    /// "ED25519 SHA256:...": the key that ssh showed and that was not accepted.
    [[nodiscard]] const std::string& hostKey() const { return m_hostKey; }
    /// How often it has come up: what an agent held open for an earlier connection is gone.
    [[nodiscard]] int numConnections() const { return m_numConnections; }
    /// The agent was not there and was copied when the link came up.
    [[nodiscard]] bool copiedAgent() const { return m_copiedAgent; }
    /// What the login shell printed before the agent came.
    [[nodiscard]] const std::string& noise() const { return m_noise; }
    static constexpr double kAnswerSeconds = 30;
    static constexpr double kConnectSeconds = 60;  ///< login, copy of the agent and its greeting

private:
    struct Outstanding {
        double patience = 0;
        double deadlineSeconds = -1;
    };

    void connect(double now);
    void flush();
    void lose(double now, Error error);
    void take(double now, std::string bytes);
    void receive(double now);
    void offerAgent(double now);
    [[nodiscard]] Error endOf(const ExitState& exit) const;

    NodeRecord m_node;
    SshOptions m_options;
    State m_state = State::Connecting;
    std::optional<Process> m_process;
    std::string m_nonce, m_hash, m_agentBytes;
    std::optional<Greeting> m_greeting;
    FrameReader m_reader;
    std::string m_outbox;  // being sent
    std::size_t m_sent = 0;
    std::string m_waiting;  // until the link is up
    std::map<std::uint64_t, Outstanding> m_outstanding;
    std::vector<LinkAnswer> m_answers;
    std::uint64_t m_last = 0;
    Error m_error;
    double m_downSince = -1, m_retryAt = -1, m_connectDeadline = 0;
    int m_failures = 0, m_numConnections = 0;
    bool m_agentRefused = false, m_copiedAgent = false;
    std::string m_hostKey, m_noise;
};

}  // namespace slipway
