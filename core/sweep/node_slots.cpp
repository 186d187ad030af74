#include "core/sweep/node_slots.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/process/host_identity.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kElsewhereMilliseconds = 600'000;  // claims from elsewhere are not renewed; their runs decide

std::optional<std::int64_t> numberIn(std::string_view text) {
    std::int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || end.ec != std::errc{} || end.ptr != text.data() + text.size() || number < 0) return {};
    return number;
}

SlotHolder thisDriver(const std::string& run, bool isWholeNode) {
    const HostIdentity& here = thisHost();
    const std::int64_t pid = ::getpid();
    return {run, isWholeNode, here.host, here.bootId, here.pidNamespace, pid, processStartTicks(pid).value_or(0)};
}

}  // namespace

fs::path NodeSlots::file(const std::string& node, std::int64_t slot, std::int64_t generation) const {
    return m_root / node / (std::to_string(slot) + "." + std::to_string(generation));
}

std::vector<std::string> NodeSlots::nodes() const {
    std::vector<std::string> names;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(m_root, code)) names.push_back(entry.path().filename().string());
    return names;
}

bool NodeSlots::isDriverGone(const SlotHolder& holder, const fs::path& claim) const {
    switch (reachOf({holder.host, holder.bootId, holder.pidNamespace})) {
        case Reach::Here: return !isAlive({holder.pid, holder.startTicks, holder.bootId});
        case Reach::Rebooted: return true;
        case Reach::Elsewhere: break;
    }
    return unixMillisecondsNow() - modifiedUnixMilliseconds(claim) > kElsewhereMilliseconds;
}

std::vector<NodeSlots::Claim> NodeSlots::newest(const std::string& node) const {
    std::map<std::int64_t, std::int64_t> generations;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(m_root / node, code)) {
        const std::string name = entry.path().filename().string();
        const std::size_t dot = name.find('.');
        const auto slot = numberIn(std::string_view(name).substr(0, dot));
        const auto generation =
            dot == std::string::npos ? std::nullopt : numberIn(std::string_view(name).substr(dot + 1));
        if (slot && generation) generations[*slot] = std::max(generations[*slot], *generation);
    }
    std::vector<Claim> claims;
    for (const auto& [slot, generation] : generations) {
        Claim claim{slot, generation, {}, false};
        const fs::path path = file(node, slot, generation);
        Issues issues;
        if (const auto json = readOwnJson(path)) claim.holder = fields::fromJson<SlotHolder>(*json, issues);
        claim.isOver = fs::exists(fs::path(path) += ".over", code) || claim.holder.run.empty() ||
                       (isDriverGone(claim.holder, path) && m_isRunOver(claim.holder.run));
        claims.push_back(std::move(claim));
    }
    return claims;
}

Result<bool> NodeSlots::link(const std::string& node, std::int64_t slot, std::int64_t generation,
                             const SlotHolder& holder) {
    const fs::path path = file(node, slot, generation);
    if (const auto made = makeFolders(path.parent_path()); !made) return fail(made.error());
    const fs::path aside =
        m_root / node / (".new-" + std::to_string(::getpid()) + "-" + std::to_string(randomEntropy()));
    if (const auto written = writeJsonFile(aside, fields::toJson(holder)); !written) return fail(written.error());
    const int number = ::link(aside.c_str(), path.c_str()) == 0 ? 0 : errno;
    ::unlink(aside.c_str());
    if (number == EEXIST) return false;
    if (number != 0)
        return fail("file_unwritable", "The slot of a node cannot be claimed: %1."_text(std::strerror(number)),
                    path.string());
    // A driver with an outdated listing can recreate a claim that a later generation has removed.
    for (const Claim& claim : newest(node))
        if (claim.slot == slot && claim.generation > generation) {
            ::unlink(path.c_str());
            return false;
        }
    for (std::int64_t old = generation - 2; old > 0; --old) {
        if (::unlink(file(node, slot, old).c_str()) != 0) break;
        ::unlink((file(node, slot, old) += ".over").c_str());
    }
    return true;
}

Result<bool> NodeSlots::take(const std::string& node, std::int64_t slot, const std::string& run, bool isWholeNode) {
    std::int64_t generation = 1;
    for (const Claim& claim : newest(node)) {
        if (!claim.isOver && (claim.slot == slot || isWholeNode || claim.holder.isWholeNode)) return false;
        if (claim.slot == slot) generation = claim.generation + 1;
    }
    const auto taken = link(node, slot, generation, thisDriver(run, isWholeNode));
    if (!taken || !*taken) return taken;
    // Two drivers that claim different slots at the same time see each other here, and at least one of them leaves.
    for (const Claim& claim : newest(node)) {
        if (claim.isOver || claim.slot == slot || (!isWholeNode && !claim.holder.isWholeNode)) continue;
        end(node, {slot, generation, {}, false});
        return false;
    }
    return true;
}

void NodeSlots::end(const std::string& node, const Claim& claim) {
    (void)writeFileAtomically(file(node, claim.slot, claim.generation) += ".over", "");
}

void NodeSlots::release(const std::string& run) {
    for (const std::string& node : nodes())
        for (const Claim& claim : newest(node))
            if (claim.holder.run == run && !claim.isOver) end(node, claim);
}

void NodeSlots::adopt(const std::string& run) {
    for (const std::string& node : nodes())
        for (const Claim& claim : newest(node))
            if (claim.holder.run == run && !claim.isOver)
                (void)link(node, claim.slot, claim.generation + 1, thisDriver(run, claim.holder.isWholeNode));
}

std::vector<SlotHolder> NodeSlots::holders(const std::string& node) const {
    std::vector<SlotHolder> holders;
    for (const Claim& claim : newest(node))
        if (!claim.isOver) holders.push_back(claim.holder);
    return holders;
}

std::vector<std::string> NodeSlots::orphans(const std::vector<std::string>& nodes) const {
    std::vector<std::string> runs;
    for (const std::string& node : nodes)
        for (const Claim& claim : newest(node))
            if (!claim.isOver && isDriverGone(claim.holder, file(node, claim.slot, claim.generation)))
                runs.push_back(claim.holder.run);
    return runs;
}

}  // namespace slipway
