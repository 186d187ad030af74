// NodeCheck: can ranks run on this node? Step by step, each with one sentence; a failed step leaves its dependents "not
// reached".
//   NodeCheck check(node, options, versionText());   while (!check.done()) check.poll(now, unixMilliseconds);
#pragma once

#include "core/remote/node_facts.h"
#include "core/remote/node_link.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct NodeStep {
    enum class State { NotReached, Ok, Failed };
    std::string key;  ///< "reach", "host_key", "login", "agent", "trainer", "devices", "disk", "clock", "interface"
    State state = State::NotReached;
    std::string code;  ///< of the error
    Message text;      ///< finding, or cause and remedy
};
/// "ok", "failed", "not_reached".
std::string wordOf(NodeStep::State state);

/// From the agent's answers to "hello" and "facts": it comes from another computer, so every field may be of any type.
void readHello(const Json& hello, NodeFacts& facts);
void readFacts(const Json& answer, NodeFacts& facts);
/// The error of an agent that was asked for its trainer, with the command that installs it. @param node its name
Error trainerError(const std::string& node, const Error& error);
/// "0.10.0" in the trainer's output for --version.
std::string versionIn(const std::string& printed);

class NodeCheck {
public:
    /// @param ownVersion required version of the trainer there
    NodeCheck(NodeRecord node, SshOptions options, std::string ownVersion);

    /// @param nowSeconds of a monotonic clock; @param unixMilliseconds of this computer's wall clock
    void poll(double nowSeconds, std::int64_t unixMilliseconds);
    [[nodiscard]] bool done() const { return m_done; }
    [[nodiscard]] const std::vector<NodeStep>& steps() const { return m_steps; }
    [[nodiscard]] bool passed() const;
    [[nodiscard]] const NodeFacts& facts() const { return m_facts; }
    /// As in NodeLink::hostKey().
    [[nodiscard]] const std::string& hostKey() const { return m_link.hostKey(); }
    [[nodiscard]] NodeLink& link() { return m_link; }

private:
    NodeStep& step(const char* key);
    void pass(const char* key, const Message& text);
    void failStep(const char* key, const Error& error);
    void connectionFailed(const Error& error);
    void take(const LinkAnswer& answer, std::int64_t unixMilliseconds);
    void checkFacts();
    void checkTrainer(const LinkAnswer& answer);
    void checkClock();

    NodeLink m_link;
    std::string m_ownVersion;
    std::vector<NodeStep> m_steps;
    NodeFacts m_facts;
    bool m_done = false, m_isUp = false;
    std::uint64_t m_hello = 0, m_factsRequest = 0, m_trainer = 0;
    std::int64_t m_askedUnixMilliseconds = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_clocks;  // round trip and offset, milliseconds
};

}  // namespace slipway
