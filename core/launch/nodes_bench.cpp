#include "core/launch/nodes_bench.h"

#include "core/base/error_of.h"
#include "core/launch/remote_start.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway {
namespace {

constexpr double kLookSeconds = 0.5;  // between two queries for the end of a measurement

}  // namespace

NodesBench::NodesBench(const std::vector<NodeRecord>& nodes, const SshOptions& options)
    : m_figures(nodes.size()), m_silent(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        At at;
        at.link = std::make_unique<NodeLink>(nodes[i], options);
        m_nodes.push_back(std::move(at));
        m_figures[i].name = nodes[i].name;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) addNodeQuestions(m_nodes[i].errands, nodes[i], m_figures[i].facts);
}

std::vector<const NodeLink*> NodesBench::links() const {
    std::vector<const NodeLink*> links;
    for (const At& at : m_nodes) links.push_back(at.link.get());
    return links;
}

void NodesBench::measure(std::size_t i, Json request, std::string& document) {
    request["do"] = "bench";
    request["trainer"] = m_figures[i].facts.trainer;
    m_nodes[i].errands.add(simpleErrand(request));
    Errand errand;
    errand.make = [this, next = 0.0]() mutable -> Result<std::optional<Errand::Ask>> {
        if (m_now < next) return std::optional<Errand::Ask>();
        next = m_now + kLookSeconds;
        return Errand::Ask{std::make_shared<const Json>(Json{{"do", "bench_look"}}), ""};
    };
    errand.take = [&document, name = m_figures[i].name](const Frame& frame, const Error* error) -> Result<bool> {
        if (error != nullptr)
            return fail(error->code, "The measurement on %1 has ended: %2"_text(name, error->message), name);
        const Json& header = *frame.header;
        const auto is = [&](const char* key) { return header.contains(key) && header[key] == true; };
        if (is("running")) return false;
        if (!is("ok"))
            return fail(
                "bench_failed",
                "slipway-trainer bench failed on %1: %2"_text(
                    name, header.contains("words") && header["words"].is_string() ? header["words"].get<std::string>()
                                                                                  : std::string()),
                name);
        document = frame.data;
        return true;
    };
    m_nodes[i].errands.add(std::move(errand));
}

void NodesBench::measureAlone(std::size_t i) {
    m_nodes[i].isMeasuring = true;
    Node& node = m_figures[i];
    if (!isGpu()) return measure(i, Json{{"parts", {"gemm", "memory", "comm"}}}, node.alone);
    node.numRanks = static_cast<std::int64_t>(node.facts.gpus.size());
    measure(i, Json{{"parts", {"gpu"}}}, node.alone);
    if (node.numRanks < 2) return;
    const std::string address = "127.0.0.1";
    m_nodes[i].errands.add(simpleErrand(Json{{"do", "port"}, {"address", address}}, {}, [=, this](const Frame& frame) {
        const Json& port = frame.header->contains("port") ? (*frame.header)["port"] : *frame.header;
        measure(i,
                Json{{"parts", {"comm", "nccl"}},
                     {"ranks", m_figures[i].numRanks},
                     {"world", m_figures[i].numRanks},
                     {"address", address},
                     {"port", port.is_number_integer() ? port : Json(0)}},
                m_figures[i].inside);
    }));
}

// Starts each node whose computer is not measuring already.
void NodesBench::startAlone() {
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const bool mayStart = !m_nodes[i].isMeasuring && !m_nodes[i].isMeasured;
        bool isBusy = false;
        for (std::size_t other = 0; other < m_nodes.size(); ++other)
            isBusy = isBusy || (m_nodes[other].isMeasuring && !m_figures[i].facts.bootId.empty() &&
                                m_figures[other].facts.bootId == m_figures[i].facts.bootId);
        if (mayStart && !isBusy) measureAlone(i);
    }
}

void NodesBench::startBetween() {
    m_phase = Phase::Between;
    const std::string secret = newStoreSecret();
    std::int64_t world = 0, first = 0;
    for (const Node& node : m_figures) world += node.numRanks;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        measure(i,
                Json{{"parts", isGpu() ? Json{"comm", "nccl"} : Json{"comm"}},
                     {"ranks", m_figures[i].numRanks},
                     {"first", first},
                     {"world", world},
                     {"address", m_meeting->address()},
                     {"port", m_meeting->port()},
                     {"secret", secret}},
                i == 0 ? m_between : m_silent[i]);
        first += m_figures[i].numRanks;
    }
}

void NodesBench::poll(double now) {
    if (done()) return;
    m_now = now;
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        for (const LinkAnswer& answer : m_nodes[i].link->poll(now))
            if (!m_meeting || !m_meeting->take(m_figures[i].name, answer)) m_nodes[i].errands.take(answer);
    bool allDone = true;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        At& at = m_nodes[i];
        at.errands.poll(*at.link, now);
        if (at.errands.error()) {
            m_error = *at.errands.error();
            if (m_error->where.empty()) m_error->where = m_figures[i].name;
            return;
        }
        if (at.isMeasuring && at.errands.done()) at.isMeasuring = false, at.isMeasured = true;
        allDone = allDone && at.errands.done();
    }
    if (m_phase == Phase::Alone) {
        startAlone();
        allDone = std::all_of(m_nodes.begin(), m_nodes.end(), [](const At& at) { return at.isMeasured; });
    }
    if (!allDone) return;
    switch (m_phase) {
        case Phase::Look: {
            for (const Node& node : m_figures)
                if (node.facts.gpus != m_figures.front().facts.gpus) {
                    m_error = errorOf("nodes_differ",
                                      "%1 and %2 have different GPUs; measure nodes of one kind together."_text(
                                          m_figures.front().name, node.name),
                                      node.name);
                    return;
                }
            m_phase = Phase::Alone;
            return;
        }
        case Phase::Alone: {
            if (m_nodes.size() == 1) {
                m_phase = Phase::Done;
                return;
            }
            m_phase = Phase::Meet;
            std::vector<Meeting::Place> places;
            std::vector<NodeFacts> facts;
            for (std::size_t i = 0; i < m_nodes.size(); ++i) {
                places.push_back({m_figures[i].name, m_nodes[i].link.get()});
                facts.push_back(m_figures[i].facts);
            }
            m_meeting = std::make_unique<Meeting>(places, facts);
            return;
        }
        case Phase::Meet:
            m_meeting->poll(now);
            if (m_meeting->error()) m_error = m_meeting->error();
            if (!m_error && m_meeting->done()) startBetween();
            return;
        case Phase::Between: m_phase = Phase::Done; return;
        case Phase::Done: return;
    }
}

Message NodesBench::progress() const {
    std::vector<Message> names;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const bool isAway = m_nodes[i].link->state() != NodeLink::State::Up;
        if (m_phase == Phase::Alone ? m_nodes[i].isMeasuring : m_phase != Phase::Look || isAway)
            names.push_back(Message::name(m_figures[i].name));
    }
    switch (m_phase) {
        case Phase::Look: return names.empty() ? "Checking the nodes"_text : "Connecting to %1"_text(listOf(names));
        case Phase::Alone:
            return isGpu() ? "Measuring the GPUs of %1"_text(listOf(names))
                           : "Measuring the CPU of %1"_text(listOf(names));
        case Phase::Meet:
        case Phase::Between: return "Measuring collectives between %1"_text(listOf(names));
        case Phase::Done: break;
    }
    return {};
}

}  // namespace slipway
