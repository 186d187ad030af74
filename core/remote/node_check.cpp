#include "core/remote/node_check.h"

#include "core/base/error_of.h"
#include "core/base/units.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr std::size_t kClockQuestions = 5;
constexpr std::int64_t kSkewMilliseconds = 30000;
constexpr double kLeastDiskBytes = 1024.0 * 1024 * 1024;
constexpr std::size_t kLongest = 200;  // of a text from another computer
constexpr std::size_t kMostListed = 256;
constexpr double kTrainerSeconds = 120;

std::string textIn(const Json& json, const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string()
               ? json[key].get<std::string>().substr(0, 1000)
               : std::string();
}

double numberIn(const Json& json, const char* key) {
    const double value = json.is_object() && json.contains(key) && json[key].is_number() ? json[key].get<double>() : 0;
    return std::isfinite(value) ? std::clamp(value, -1e18, 1e18) : 0;
}

}  // namespace

std::string wordOf(NodeStep::State state) {
    return state == NodeStep::State::Ok ? "ok" : state == NodeStep::State::Failed ? "failed" : "not_reached";
}

void readHello(const Json& hello, NodeFacts& facts) {
    facts.version = textIn(hello, "version");
    facts.host = textIn(hello, "host");
    facts.bootId = textIn(hello, "boot_id");
}

void readFacts(const Json& answer, NodeFacts& facts) {
    facts.home = textIn(answer, "home");
    facts.cpu = textIn(answer, "cpu").substr(0, kLongest);
    facts.cpus = static_cast<std::int64_t>(numberIn(answer, "cpus"));
    facts.memoryBytes = numberIn(answer, "memory_bytes");
    facts.freeDiskBytes = numberIn(answer, "free_disk_bytes");
    facts.gpus.clear();
    facts.interfaces.clear();
    if (answer.contains("gpus") && answer["gpus"].is_array())
        for (const Json& gpu : answer["gpus"])
            if (gpu.is_string() && facts.gpus.size() < kMostListed)
                facts.gpus.push_back(gpu.get<std::string>().substr(0, kLongest));
    if (answer.contains("interfaces") && answer["interfaces"].is_array())
        for (const Json& one : answer["interfaces"])
            if (one.is_object() && facts.interfaces.size() < kMostListed)
                facts.interfaces.push_back(
                    {textIn(one, "name"), textIn(one, "address"), one.contains("loopback") && one["loopback"] == true});
}

std::string versionIn(const std::string& printed) {
    const std::size_t digit = printed.find_first_of("0123456789");
    return digit == std::string::npos ? "" : printed.substr(digit, printed.find('\n', digit) - digit);
}

Error trainerError(const std::string& node, const Error& error) {
    if (error.code == "program_missing")
        return errorOf(error.code,
                       "slipway-trainer was not found on %1; `slipway nodes setup %2` installs it."_text(node, node));
    // The trainer's own remedy for a missing libtorch is for a computer with a person at it.
    const std::size_t remedy = error.message.find("; run `slipway trainer setup`");
    const std::string words = remedy == std::string::npos ? error.message : error.message.substr(0, remedy) + ".";
    return errorOf(error.code,
                   "The trainer does not start on %1: %2 `slipway nodes setup %3` installs what it needs."_text(
                       node, words, node));
}

NodeCheck::NodeCheck(NodeRecord node, SshOptions options, std::string ownVersion)
    : m_link(std::move(node), std::move(options)), m_ownVersion(std::move(ownVersion)) {
    for (const char* key : {"reach", "host_key", "login", "agent", "trainer", "devices", "disk", "clock", "interface"})
        m_steps.push_back({key, NodeStep::State::NotReached, "", {}});
    m_hello = m_link.ask(Json{{"do", "hello"}});
}

bool NodeCheck::passed() const {
    return std::all_of(m_steps.begin(), m_steps.end(),
                       [](const NodeStep& one) { return one.state == NodeStep::State::Ok; });
}

NodeStep& NodeCheck::step(const char* key) {
    return *std::find_if(m_steps.begin(), m_steps.end(), [&](const NodeStep& one) { return one.key == key; });
}

void NodeCheck::pass(const char* key, const Message& text) {
    step(key).state = NodeStep::State::Ok;
    step(key).text = text;
}

void NodeCheck::failStep(const char* key, const Error& error) {
    step(key).state = NodeStep::State::Failed;
    step(key).code = error.code;
    step(key).text = error.sentence();
}

// Determines the failed step from ssh's messages; earlier steps are ok.
void NodeCheck::connectionFailed(const Error& error) {
    m_done = true;
    const bool isKey = error.code == "host_key_unknown" || error.code == "host_key_changed";
    const bool isLogin = error.code == "permission_denied";
    const bool isAgent = error.code == "agent_refused" || error.code == "agent_not_executable" ||
                         error.code == "no_shell" || error.code == "greeting_too_long" || error.code == "bad_frame" ||
                         error.code == "frame_too_large";
    if (isKey || isLogin || isAgent) pass("reach", "%1 answers."_text(m_link.node().host));
    if (isLogin || isAgent) pass("host_key", "The host key is the accepted one."_text);
    if (isAgent) pass("login", "The login works."_text);
    failStep(isKey ? "host_key" : isLogin ? "login" : isAgent ? "agent" : "reach", error);
    if (isKey && !m_link.hostKey().empty())
        step("host_key").text =
            "The host key of %1 is not known yet: %2. Compare it with the node's administrator, then accept it: `slipway nodes check %3 --accept-host-key %4`."_text(
                m_link.node().name, m_link.hostKey(), m_link.node().name,
                m_link.hostKey().substr(m_link.hostKey().find(' ') + 1));
}

void NodeCheck::checkFacts() {
    const std::string cpus = std::to_string(m_facts.cpus);
    pass("devices",
         m_facts.gpus.empty()
             ? "%1 CPUs (%2), %3 of memory, no GPU."_text(cpus, m_facts.cpu, formatBytes(m_facts.memoryBytes))
             : "%1 GPUs (%2), %3 CPUs, %4 of memory."_text(m_facts.gpus.size(), m_facts.gpus.front(), cpus,
                                                           formatBytes(m_facts.memoryBytes)));
    const std::string room = formatBytes(m_facts.freeDiskBytes);
    if (m_facts.freeDiskBytes < kLeastDiskBytes)
        failStep("disk",
                 errorOf("disk_full",
                         "Only %1 are free in %2; free some space, or name another folder with --home-on-node."_text(
                             room, m_facts.home)));
    else
        pass("disk", "%1 are free in %2."_text(room, m_facts.home));
    std::vector<Message> names;
    for (const NodeFacts::Interface& one : m_facts.interfaces)
        if (!one.loopback) names.push_back(Message::name(one.address + " (" + one.name + ")"));
    if (names.empty())
        failStep(
            "interface",
            errorOf("no_interface",
                    "The node has no address but loopback ones: it can run alone, but not together with others."_text));
    else
        pass("interface", listOf(names));
}

void NodeCheck::checkTrainer(const LinkAnswer& answer) {
    if (!answer.frame) return failStep("trainer", trainerError(m_link.node().name, answer.frame.error()));
    m_facts.trainer = textIn(*answer.frame->header, "path");
    m_facts.trainerVersion = versionIn(textIn(*answer.frame->header, "printed"));
    if (m_facts.trainerVersion != m_ownVersion)
        return failStep(
            "trainer",
            errorOf("version_mismatch",
                    "%1 is version %2, this program is %3; `slipway nodes setup %4` installs this one's."_text(
                        m_facts.trainer, m_facts.trainerVersion, m_ownVersion, m_link.node().name)));
    pass("trainer", "%1, version %2."_text(m_facts.trainer, m_facts.trainerVersion));
}

// Each answer's time was taken between request and answer; the fastest round trip is the most accurate.
void NodeCheck::checkClock() {
    const auto best = *std::min_element(m_clocks.begin(), m_clocks.end());
    const double seconds = std::abs(static_cast<double>(best.second)) / 1000;
    if (std::abs(best.second) > kSkewMilliseconds)
        return failStep(
            "clock",
            errorOf("clock_skew",
                    "The clock of %1 differs by %2 from this computer's; set up time synchronisation there."_text(
                        m_link.node().name, Seconds{seconds})));
    if (best.first == 0 && best.second == 0) return pass("clock", "The clock agrees within a millisecond."_text);
    pass("clock", "The clock differs by %1; a round trip takes %2."_text(
                      Seconds{seconds}, Seconds{static_cast<double>(best.first) / 1000}));
}

void NodeCheck::take(const LinkAnswer& answer, std::int64_t unixMilliseconds) {
    if (answer.request == m_hello) {
        if (!answer.frame) return;
        readHello(*answer.frame->header, m_facts);
        const std::int64_t trip = unixMilliseconds - m_askedUnixMilliseconds;
        const auto there = static_cast<std::int64_t>(numberIn(*answer.frame->header, "clock_unix_ms"));
        // The first answer includes the login.
        if (m_askedUnixMilliseconds > 0) m_clocks.emplace_back(trip, there - (m_askedUnixMilliseconds + trip / 2));
        if (m_clocks.size() < kClockQuestions) {
            m_askedUnixMilliseconds = unixMilliseconds;
            m_hello = m_link.ask(Json{{"do", "hello"}});
            return;
        }
        m_hello = 0;
        checkClock();
        m_factsRequest = m_link.ask(Json{{"do", "facts"}, {"home", m_link.node().home}});
        m_trainer = m_link.ask(Json{{"do", "trainer"}, {"home", m_link.node().home}, {"path", m_link.node().trainer}},
                               {}, kTrainerSeconds);
    } else if (answer.request == m_factsRequest) {
        m_factsRequest = 0;
        if (!answer.frame) return failStep("disk", answer.frame.error());
        readFacts(*answer.frame->header, m_facts);
        checkFacts();
    } else if (answer.request == m_trainer) {
        m_trainer = 0;
        checkTrainer(answer);
    }
    if (m_hello == 0 && m_factsRequest == 0 && m_trainer == 0) m_done = true;
}

void NodeCheck::poll(double nowSeconds, std::int64_t unixMilliseconds) {
    if (m_done) return;
    const std::vector<LinkAnswer> answers = m_link.poll(nowSeconds);
    if (m_link.state() == NodeLink::State::Down) return connectionFailed(m_link.error());
    if (m_link.state() == NodeLink::State::Up && !m_isUp) {
        m_isUp = true;
        pass("reach", "%1 answers."_text(m_link.node().host));
        pass("host_key", "The host key is the accepted one."_text);
        pass("login",
             m_link.noise().empty()
                 ? Message("The login works."_text)
                 : Message(
                       "The login works; its profile files print text, which other programs may stumble over."_text));
        pass("agent",
             m_link.copiedAgent() ? "The agent was copied to ~/.cache/slipway."_text : "The agent is there."_text);
    }
    for (const LinkAnswer& answer : answers) take(answer, unixMilliseconds);
}

}  // namespace slipway
