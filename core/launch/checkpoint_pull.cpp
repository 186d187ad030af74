#include "core/launch/checkpoint_pull.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/launch/computer.h"
#include "core/launch/run_mirror.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kListSeconds = 2;         // between two listings of the node
constexpr double kLookSeconds = 1;         // between two looks at the folder here while nothing is to be copied
constexpr double kHashSeconds = 900;       // of a large file
constexpr double kLeastDiskBytes = 256e6;  // to remain free here
constexpr const char* kCopied = "copied";  // marks folders copied here, which are pruned here
constexpr std::size_t kKept = 2;           // the newest, and the previous one in case it is damaged
constexpr std::string_view kComing = "coming_";
constexpr std::uint64_t kMostManifestBytes = 64U << 20;  // it arrives before the checkpoint's size is known

}  // namespace

void discardComingCheckpoints(const RunDir& folder) {
    std::error_code code;
    std::vector<fs::path> coming;
    for (const auto& entry : fs::directory_iterator(folder.checkpoints(), code))
        if (entry.path().filename().string().starts_with(kComing)) coming.push_back(entry.path());
    for (const fs::path& path : coming) fs::remove_all(path, code);
}

CheckpointPull::CheckpointPull(RunDir folder, std::string run, std::string node, std::string remoteHome,
                               std::optional<std::set<std::int64_t>> ranks)
    : m_folder(std::move(folder)),
      m_run(std::move(run)),
      m_node(std::move(node)),
      m_remoteHome(std::move(remoteHome)),
      m_ranks(std::move(ranks)),
      m_newestHere(newestWholeCheckpoint(m_folder).value_or(-1)) {}

fs::path CheckpointPull::comingFolder(std::int64_t step) const {
    return m_folder.checkpoints() / (std::string(kComing) + m_folder.checkpoint(step).filename().string());
}

/// The checkpoint to complete: one whose manifest is already here, so that all nodes send the same, else the node's newest.
std::optional<std::int64_t> CheckpointPull::target() const {
    std::optional<std::int64_t> coming, newest;
    const auto isNew = [&](std::int64_t step) { return step > m_newestHere && !m_givenUp.contains(step); };
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(m_folder.checkpoints(), code)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kComing) || !fs::exists(entry.path() / kCheckpointManifest, code)) continue;
        const auto step = checkpointStep(name.substr(kComing.size()));
        if (step && isNew(*step) && (!coming || *step > *coming)) coming = step;
    }
    if (!m_ranks || m_ranks->contains(0))
        for (const auto& [step, files] : m_there)
            if (files.contains(kCheckpointManifest) && isNew(step)) newest = step;
    // A node that sends everything may be queried for the last time.
    if (!m_ranks && newest && (!coming || *newest > *coming)) return newest;
    return coming ? coming : newest;
}

/// The next file missing here that this node has. Publishes complete checkpoints.
std::optional<CheckpointPull::Wanted> CheckpointPull::wanted() {
    const auto step = target();
    if (!step) return {};
    const auto listed = m_there.find(*step);
    const auto bytesThere = [&](const std::string& name) -> std::optional<std::uint64_t> {
        if (listed == m_there.end()) return {};
        const auto file = listed->second.find(name);
        return file == listed->second.end() ? std::nullopt : std::optional(file->second);
    };
    const fs::path folder = comingFolder(*step);
    std::error_code code;
    if (!fs::exists(folder / kCheckpointManifest, code)) {
        const auto bytes = bytesThere(kCheckpointManifest);
        return bytes ? std::optional(Wanted{*step, kCheckpointManifest, *bytes}) : std::nullopt;
    }
    const auto files = checkpointFiles(folder);
    if (!files) {
        giveUp(*step, files.error());
        return {};
    }
    bool isWhole = true;
    double missing = 0;
    std::optional<Wanted> next;
    for (const CheckpointFile& file : *files) {
        if (fs::file_size(folder / file.name, code) == file.bytes && !code) continue;
        isWhole = false;
        missing += static_cast<double>(file.bytes);
        if (next || (m_ranks && !m_ranks->contains(file.rank))) continue;
        if (bytesThere(file.name) == file.bytes) {
            next = Wanted{*step, file.name, file.bytes};
        } else if (m_ranks) {
            if (m_listedFor == step)
                discard(*step);  // the node has removed it in the meantime: a newer one follows
            else
                m_isListed = false, m_nextList = m_now;  // the list may be older than the checkpoint
            return {};
        }
    }
    if (isWhole) {
        publish(*step);
        return {};
    }
    const auto free = freeDiskBytes(m_folder.path);
    if (!next || !free || missing + kLeastDiskBytes < *free) return next;
    giveUp(*step, errorOf("disk_full",
                          "The disk here has no room for the checkpoints of the run; they stay on %1."_text(m_node),
                          m_folder.checkpoints().string()));
    return {};
}

void CheckpointPull::publish(std::int64_t step) {
    const fs::path folder = m_folder.checkpoint(step);
    std::error_code code;
    fs::remove_all(folder, code);
    (void)writeFileAtomically(comingFolder(step) / kCopied, m_node + "\n");
    fs::rename(comingFolder(step), folder, code);
    if (code) return giveUp(step, errorOf("file_unwritable", Message::name(code.message()), folder.string()));
    m_newestHere = step;
    std::vector<std::pair<std::int64_t, fs::path>> copied;
    for (const auto& entry : fs::directory_iterator(m_folder.checkpoints(), code)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kComing)) {
            if (checkpointStep(name.substr(kComing.size())).value_or(step) <= step) fs::remove_all(entry.path(), code);
        } else if (const auto other = checkpointStep(name); other && fs::exists(entry.path() / kCopied, code)) {
            copied.emplace_back(*other, entry.path());
        }
    }
    std::sort(copied.rbegin(), copied.rend());
    for (std::size_t i = kKept; i < copied.size(); ++i) {
        fs::remove(copied[i].second / kCheckpointManifest, code);  // first: a partial checkpoint must not look complete
        fs::remove_all(copied[i].second, code);
    }
}

void CheckpointPull::discard(std::int64_t step) {
    std::error_code code;
    fs::remove_all(comingFolder(step), code);
    m_isListed = false;
    m_nextList = m_now + kListSeconds;
}

void CheckpointPull::giveUp(std::int64_t step, const Error& error) {
    m_givenUp.insert(step);
    discard(step);
    m_problems.push_back(error);
}

void CheckpointPull::takeList(const std::string& data) {
    m_there.clear();
    m_isListed = true;
    m_nextList = m_now + kListSeconds;
    m_nextLook = 0;
    if (newestCheckpoint(m_folder).value_or(-1) > m_newestHere)  // another program was first
        m_newestHere = newestWholeCheckpoint(m_folder).value_or(-1);
    const auto list = parseJson(data, m_node);
    if (!list || !list->is_array()) return;
    for (const Json& row : *list) {
        if (!row.is_array() || row.size() != 2 || !row[0].is_string() || !row[1].is_number_unsigned()) continue;
        const fs::path path = row[0].get<std::string>();
        const auto step = checkpointStep(path.parent_path().filename().string());
        const std::string name = path.filename().string();
        const auto bytes = row[1].get<std::uint64_t>();
        if (step && isSafeId(name) && (name != kCheckpointManifest || bytes <= kMostManifestBytes))
            m_there[*step][name] = bytes;
    }
}

void CheckpointPull::takeBytes(const Frame& frame) {
    const fs::path part = comingFolder(m_current->step) / (m_current->name + ".part");
    std::error_code code;
    const std::uint64_t offset = fs::exists(part, code) ? fs::file_size(part, code) : 0;
    auto made = makeFolders(part.parent_path());
    if (made && !frame.data.empty()) made = writeAt(part, offset, frame.data);
    if (!made) return giveUp(m_current->step, made.error());
    if (frame.data.empty()) m_isListed = false;  // it has become shorter
}

bool CheckpointPull::take(const LinkAnswer& answer) {
    if (!m_asked || answer.request != *m_asked) return false;
    m_asked.reset();
    if (!answer.frame) {
        m_hash.reset();
        m_nextList = m_now + kListSeconds;
        if (!answer.isLost && m_current) discard(m_current->step);  // the node has removed it
        if (!m_current) m_there.clear();
        m_isListed = !answer.isLost && !m_current;  // it has none to list
        m_current.reset();
    } else if (!m_current) {
        takeList(answer.frame->data);
    } else if (m_hash) {
        const Json& header = *answer.frame->header;
        m_remoteHash =
            header.contains("sha256") && header["sha256"].is_string() ? header["sha256"].get<std::string>() : "-";
    } else {
        takeBytes(*answer.frame);
    }
    return true;
}

void CheckpointPull::compare() {
    const fs::path part = m_hash->file();
    const auto known = m_hash->poll();
    if (known && !*known) return;
    const bool isSame = known && m_hash->sha256() == m_remoteHash;
    std::error_code code;
    if (isSame)
        fs::rename(part, comingFolder(m_current->step) / m_current->name, code);
    else
        fs::remove(part, code);
    m_checksumFailures = isSame ? 0 : m_checksumFailures + 1;
    constexpr int kTries = 2;
    if (m_checksumFailures >= kTries)
        giveUp(m_current->step,
               errorOf("bad_checksum",
                       "A file of the checkpoint of step %1 does not have the checksum it has on %2."_text(
                           m_current->step, m_node),
                       m_current->name));
    m_hash.reset();
    m_remoteHash.clear();
    m_current.reset();
}

bool CheckpointPull::isUpToDate() {
    return m_isListed && !m_asked && !m_hash && !wanted() && m_isListed;
}

void CheckpointPull::poll(NodeLink& link, double now) {
    m_now = now;
    if (link.state() == NodeLink::State::Down) {
        m_isListed = false;
        m_nextList = 0;
        m_hash.reset();
        m_current.reset();
        m_lock.reset();
        return;
    }
    if (m_asked) return;
    if (m_hash) return compare();
    const auto next = m_isListed && now >= m_nextLook ? wanted() : std::nullopt;
    if (m_isListed && !next && now >= m_nextLook) m_nextLook = now + kLookSeconds;
    m_current = next;
    if (!next) {
        m_lock.reset();
        if (now < m_nextList) return;
        m_listedFor = target();
        // Without rank 0 a node sends only what is coming already.
        if (m_isListed && m_ranks && !m_ranks->contains(0) && !m_listedFor) {
            m_nextList = now + kLookSeconds;
            return;
        }
        m_asked = link.ask(Json{{"do", "checkpoints"}, {"home", m_remoteHome}, {"run", m_run}});
        return;
    }
    if (!m_lock) {
        const fs::path path = m_folder.path / "control" / ("pull_" + m_node);
        if (!makeFolders(path.parent_path())) return;
        auto lock = FileLock::tryLock(path);
        if (!lock) return;  // another program copies it
        m_lock = std::move(*lock);
    }
    const fs::path part = comingFolder(next->step) / (next->name + ".part");
    std::error_code code;
    const std::uint64_t here = fs::exists(part, code) ? fs::file_size(part, code) : 0;
    Json request{{"do", "read"},
                 {"home", m_remoteHome},
                 {"run", m_run},
                 {"path", (m_folder.checkpoint(next->step) / next->name).lexically_relative(m_folder.path).string()},
                 {"offset", here}};
    if (here < next->bytes) {
        m_asked = link.ask(request);
        return;
    }
    if (here > next->bytes) {
        fs::remove(part, code);
        return;
    }
    request["do"] = "hash";
    m_hash.emplace(part);
    m_asked = link.ask(request, {}, kHashSeconds);
}

}  // namespace slipway
