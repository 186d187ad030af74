// NodeConnection: one ssh and one agent of a node, shared by links (node_link.h). A request belongs to one of them, and so does its
// answer. A connection that is lost fails what is outstanding and is made again by itself, with growing pauses.
#pragma once

#include "core/process/process.h"
#include "core/remote/frame.h"
#include "core/remote/node_facts.h"
#include "core/remote/node_record.h"
#include "core/remote/ssh.h"

#include <poll.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

struct LinkAnswer {
    std::uint64_t request = 0;
    Result<Frame> frame;  ///< the agent's error, or the link's
    bool isLost = false;  ///< the link's: whether the agent has done it is not known
};

/// slipway-agent as it is copied to nodes: read when the first connection needs it, then kept for all of them.
class AgentProgram {
public:
    explicit AgentProgram(std::filesystem::path file) : m_file(std::move(file)) {}
    /// "program_missing".
    Result<void> load();
    [[nodiscard]] const std::string& bytes() const { return m_bytes; }
    [[nodiscard]] const std::string& hash() const { return m_hash; }

private:
    std::filesystem::path m_file;
    std::string m_bytes, m_hash;
};

class NodeConnection {
public:
    enum class State {
        Connecting,  ///< since it was made, or after a loss
        Up,          ///< the agent answers
        Down,        ///< see error(); it connects again at some time, unless the error stays without a person
    };
    /// Of one link: its requests and their answers.
    using Client = std::uint64_t;

    NodeConnection(NodeRecord node, SshOptions options, std::shared_ptr<AgentProgram> agent);
    ~NodeConnection();
    NodeConnection(const NodeConnection&) = delete;
    NodeConnection& operator=(const NodeConnection&) = delete;

    /// A further link. One that is down connects again at its next poll: what kept it down may have been mended.
    Client join();
    /// What the link has asked is not sent any more where that is possible, and its answers are dropped.
    void leave(Client client);
    std::uint64_t ask(Client client, Json request, std::string data, double patience);
    /// Advances; never blocks. Links that share it may each call it.
    void poll(double nowSeconds);
    [[nodiscard]] std::vector<LinkAnswer> takeAnswers(Client client);
    void addDescriptors(std::vector<pollfd>& descriptors) const;

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const Error& error() const { return m_error; }
    [[nodiscard]] double downSinceSeconds() const { return m_downSince; }
    [[nodiscard]] const NodeRecord& node() const { return m_node; }
    [[nodiscard]] const std::string& hostKey() const { return m_hostKey; }
    [[nodiscard]] int numConnections() const { return m_numConnections; }
    [[nodiscard]] bool copiedAgent() const { return m_copiedAgent; }
    [[nodiscard]] const std::string& noise() const { return m_noise; }
    [[nodiscard]] const std::optional<NodeLook>& look() const { return m_look; }
    void keepLook(NodeLook look) { m_look = std::move(look); }
    void forgetLook() { m_look.reset(); }

    static constexpr double kLookSeconds = 60;
    static constexpr double kAnswerSeconds = 30;
    static constexpr double kConnectSeconds = 60;  ///< login, copy of the agent and its greeting

private:
    struct Outstanding {
        Client client = 0;
        double patience = 0, askedSeconds = -1;
    };

    void connect(double now);
    void flush();
    void lose(double now, Error error);
    void take(double now, std::string bytes);
    void receive(double now);
    void offerAgent(double now);
    void answer(Client client, LinkAnswer answer);
    [[nodiscard]] bool isLate(double now);
    [[nodiscard]] Error endOf(const ExitState& exit) const;

    NodeRecord m_node;
    SshOptions m_options;
    std::shared_ptr<AgentProgram> m_agent;
    State m_state = State::Connecting;
    std::optional<Process> m_process;
    std::string m_nonce;
    std::optional<Greeting> m_greeting;
    FrameReader m_reader;
    std::string m_outbox;  // being sent
    std::size_t m_sent = 0;
    std::vector<std::pair<Client, std::string>> m_waiting;  // until the connection is up
    std::map<std::uint64_t, Outstanding> m_outstanding;
    std::map<Client, std::vector<LinkAnswer>> m_answers;
    Client m_lastClient = 0;
    std::uint64_t m_last = 0;
    Error m_error;
    double m_downSince = -1, m_retryAt = -1, m_connectDeadline = 0, m_heardAt = 0;
    int m_failures = 0, m_numConnections = 0;
    bool m_agentRefused = false, m_copiedAgent = false;
    std::string m_hostKey, m_noise;
    std::optional<NodeLook> m_look;
};

}  // namespace slipway
