#include "core/launch/meeting.h"

#include "core/base/clock.h"
#include "core/base/error_of.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

constexpr int kListens = 20;  // a lost link takes the port that others try with it

std::int64_t portIn(const Frame& frame) {
    const Json& header = *frame.header;
    if (!header.contains("port") || !header["port"].is_number_integer()) return 0;
    return std::clamp<std::int64_t>(header["port"].get<std::int64_t>(), 0, 65535);
}

std::string addressIn(const Frame& frame) {
    const Json& header = *frame.header;
    return header.contains("address") && header["address"].is_string() ? header["address"].get<std::string>() : "";
}

}  // namespace

std::vector<std::string> meetingAddresses(const std::string& given, const std::vector<NodeFacts>& nodes) {
    if (!given.empty()) return {given};
    std::vector<std::string> addresses;
    const bool isOneComputer = std::all_of(nodes.begin(), nodes.end(), [&](const NodeFacts& facts) {
        return facts.bootId == nodes.front().bootId && !facts.bootId.empty();
    });
    if (isOneComputer) addresses.emplace_back("127.0.0.1");
    for (const NodeFacts::Interface& one : nodes.front().interfaces)
        if (!one.loopback && one.address.find(':') == std::string::npos) addresses.push_back(one.address);
    return addresses;
}

std::string newStoreSecret() {
    std::string text;
    for (int word = 0; word < 4; ++word) {
        const std::uint32_t bits = randomEntropy();
        for (unsigned shift = 0; shift < 32; shift += 4) text.push_back("0123456789abcdef"[bits >> shift & 15U]);
    }
    return text;
}

Meeting::Meeting(const std::vector<Place>& places, const std::vector<NodeFacts>& facts)
    : m_addresses(meetingAddresses(places.front().link->node().address, facts)) {
    for (const Place& place : places) {
        At at;
        at.place = place;
        m_nodes.push_back(std::move(at));
    }
    if (m_addresses.empty())
        m_error = errorOf("no_interface", "%1 has no address that other nodes could reach."_text(places.front().name),
                          places.front().name);
    else
        enter(Phase::Listen);
}

void Meeting::enter(Phase phase) {
    m_phase = phase;
    At& first = m_nodes.front();
    if (phase == Phase::Listen)
        first.errands.add(simpleErrand(Json{{"do", "listen"}, {"address", address()}}, {}, [this](const Frame& frame) {
            m_probePort = static_cast<int>(portIn(frame));
            m_listenedOn = m_nodes.front().place.link->numConnections();
        }));
    if (phase == Phase::Connect) {
        m_numReached = 0;
        for (std::size_t i = 1; i < m_nodes.size(); ++i) {
            Errand errand = simpleErrand(Json{{"do", "connect"}, {"address", address()}, {"port", m_probePort}});
            errand.take = [this, i](const Frame& frame, const Error* error) -> Result<bool> {
                At& at = m_nodes[i];
                if (error == nullptr) {
                    ++m_numReached;
                    at.own = addressIn(frame);
                } else {
                    m_unreached = at.place.name + ": " + address() + ": " + error->message;
                }
                return true;
            };
            m_nodes[i].errands.add(std::move(errand));
        }
    }
    if (phase == Phase::Port)
        first.errands.add(simpleErrand(Json{{"do", "port"}, {"address", address()}}, {},
                                       [this](const Frame& frame) { m_port = portIn(frame); }));
}

void Meeting::evaluateConnections() {
    if (m_numReached + 1 == m_nodes.size()) return enter(Phase::Port);
    const At& first = m_nodes.front();
    // The port may be lost with its link; if the loss is not known yet, the next listening detects it.
    const NodeLink& link = *first.place.link;
    if ((link.state() != NodeLink::State::Up || link.numConnections() != m_listenedOn) && ++m_listenAgain < kListens)
        return enter(Phase::Listen);
    const bool isLast = m_isSecondTry && m_address + 1 == m_addresses.size();
    if (!isLast) {
        if (std::exchange(m_isSecondTry, !m_isSecondTry)) ++m_address;
        return enter(Phase::Listen);
    }
    m_error = errorOf(
        "nodes_apart",
        "The other nodes cannot reach %1 (%2). Open the ports between them, or give its address with `slipway nodes add --address`."_text(
            first.place.name, m_unreached));
}

bool Meeting::take(const std::string& node, const LinkAnswer& answer) {
    for (At& at : m_nodes)
        if (at.place.name == node && at.errands.take(answer)) return true;
    return false;
}

void Meeting::poll(double now) {
    if (done()) return;
    bool allDone = true;
    for (At& at : m_nodes) {
        at.errands.poll(*at.place.link, now);
        if (at.errands.error()) {
            m_error = *at.errands.error();
            m_error->where = at.place.name;
            return;
        }
        allDone = allDone && at.errands.done();
    }
    if (!allDone) return;
    switch (m_phase) {
        case Phase::Listen: return enter(Phase::Connect);
        case Phase::Connect: return evaluateConnections();
        case Phase::Port: m_phase = Phase::Done; return;
        case Phase::Done: return;
    }
}

}  // namespace slipway
