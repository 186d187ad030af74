#include "core/remote/errands.h"

#include "core/base/file.h"

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace slipway {
namespace {

constexpr std::size_t kHashPiece = 32U << 20;  // limits the duration of a poll
constexpr double kLastPieceSeconds = 900;      // the node hashes all of it before it answers

std::shared_ptr<const Json> shared(Json json) {
    return std::make_shared<const Json>(std::move(json));
}

struct Pushing {
    FilePush push;
    std::uint64_t there = 0;
    int checksumFailures = 0;
    bool isUnsure = false;  // amount on the node unknown: the answer to a piece was lost

    [[nodiscard]] std::uint64_t bytes() const { return push.file->bytes(); }
    [[nodiscard]] Json request(const char* what) const {
        return Json{{"do", what}, {"home", push.home}, {"sha256", push.file->sha256()}, {"bytes", bytes()}};
    }
};

/// Inode, size and times of a file, which another content changes; empty: it was written a moment ago, so that a further write might not.
std::string versionOf(const std::filesystem::path& file) {
    constexpr std::int64_t kSettledSeconds = 2;
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) return {};
    if (std::max(info.st_mtim.tv_sec, info.st_ctim.tv_sec) + kSettledSeconds > ::time(nullptr)) return {};
    std::string version;
    for (const auto number :
         {static_cast<std::int64_t>(info.st_dev), static_cast<std::int64_t>(info.st_ino),
          static_cast<std::int64_t>(info.st_size), static_cast<std::int64_t>(info.st_mtim.tv_sec),
          static_cast<std::int64_t>(info.st_mtim.tv_nsec), static_cast<std::int64_t>(info.st_ctim.tv_sec),
          static_cast<std::int64_t>(info.st_ctim.tv_nsec)})
        version += std::to_string(number) + " ";
    return version;
}

/// Of this program's files: each trial of a sweep sends the same token file, which may have gigabytes.
class KnownHashes {
public:
    static std::string find(const std::filesystem::path& file, const std::string& version) {
        const std::scoped_lock lock(s_mutex);
        const auto known = s_hashes.find(file.string());
        return known == s_hashes.end() || version.empty() || known->second.first != version ? std::string()
                                                                                            : known->second.second;
    }
    static void keep(const std::filesystem::path& file, const std::string& version, const std::string& sha256) {
        constexpr std::size_t kMost = 64;
        if (version.empty()) return;
        const std::scoped_lock lock(s_mutex);
        if (s_hashes.size() >= kMost) s_hashes.clear();
        s_hashes[file.string()] = {version, sha256};
    }

private:
    static inline std::mutex s_mutex;
    static inline std::map<std::string, std::pair<std::string, std::string>> s_hashes;
};

}  // namespace

Result<bool> FileHash::poll() {
    if (!m_sha256.empty()) return true;
    if (!m_begun) {
        std::error_code code;
        m_bytes = std::filesystem::file_size(m_file, code);
        if (code) return fail("file_missing", "The file does not exist."_text, m_file.string());
        m_begun = true;
        m_version = versionOf(m_file);
        m_sha256 = KnownHashes::find(m_file, m_version);
        if (!m_sha256.empty()) return true;
    }
    const auto piece = readFileFrom(m_file, m_hashed, kHashPiece);
    if (!piece) return fail(piece.error());
    m_hash.add(*piece);
    m_hashed += piece->size();
    if (m_hashed < m_bytes && !piece->empty()) return false;
    if (m_hashed != m_bytes)
        return fail("file_changed", "The file changed while it was copied to a node."_text, m_file.string());
    m_sha256 = m_hash.hex();
    if (versionOf(m_file) == m_version) KnownHashes::keep(m_file, m_version, m_sha256);
    return true;
}

Errand simpleErrand(const Json& request, std::string data, std::function<void(const Frame&)> take, double patience) {
    Errand errand;
    errand.make = [ask = Errand::Ask{shared(request), std::move(data)}]() -> Result<std::optional<Errand::Ask>> {
        return ask;
    };
    errand.take = [take = std::move(take)](const Frame& frame, const Error* error) -> Result<bool> {
        if (error != nullptr) return fail(*error);
        if (take) take(frame);
        return true;
    };
    errand.patience = patience;
    return errand;
}

bool Errands::take(const LinkAnswer& answer) {
    const auto asked = std::ranges::find(m_asked, answer.request, &Asked::request);
    if (asked == m_asked.end() || asked->isDone) return false;
    if (answer.isLost) {  // repeated when the link is back
        m_isUnsure = m_isUnsure || m_errands.front().mustHear;
        m_asked.clear();
        return true;
    }
    m_lostAt = -1;
    m_isUnsure = false;
    static const Frame kEmpty;
    Errand& errand = m_errands[static_cast<std::size_t>(asked - m_asked.begin())];
    const auto done = answer.frame ? errand.take(*answer.frame, nullptr) : errand.take(kEmpty, &answer.frame.error());
    if (!done)
        m_error = done.error();
    else if (*done)
        asked->isDone = true;
    else
        m_asked.erase(asked, m_asked.end());  // the ones behind it are asked again
    while (!m_asked.empty() && m_asked.front().isDone) {
        m_asked.pop_front();
        m_errands.pop_front();
    }
    return true;
}

void Errands::poll(NodeLink& link, double now) {
    constexpr std::size_t kMostAsked = 16;
    while (m_asked.empty() && !done() && m_errands.front().isOver && m_errands.front().isOver()) m_errands.pop_front();
    if (done()) return;
    if (link.state() == NodeLink::State::Up) {
        m_wasUp = true;
    } else if (!m_asked.empty()) {
        return;
    } else if (link.state() == NodeLink::State::Down) {
        if (m_lostAt < 0) m_lostAt = now;
        const bool mayReturn = m_wasUp || link.error().code == "closed";
        const bool isLong = now - m_lostAt > kPatienceSeconds && !m_isUnsure;
        if (!mayReturn || isLong) m_error = link.error();
        return;
    }
    while (m_asked.size() < std::min(m_errands.size(), kMostAsked)) {
        Errand& next = m_errands[m_asked.size()];
        if (!m_asked.empty() && !next.joins) return;
        auto ask = next.make();
        if (ask && *ask) {
            m_asked.push_back({link.ask(*(*ask)->request, std::move((*ask)->data), next.patience), false});
            continue;
        }
        if (!m_asked.empty()) return;  // made again when its turn comes
        if (!ask)
            m_error = ask.error();
        else if (m_wasUp)
            m_lostAt = -1;  // not ready by itself: not the link's fault
        return;
    }
}

void addFilePush(Errands& errands, FilePush push) {
    auto at = std::make_shared<Pushing>();
    at->push = std::move(push);
    using Made = Result<std::optional<Errand::Ask>>;
    Errand have;
    have.make = [at]() -> Made {
        const auto isKnown = at->push.file->poll();
        if (!isKnown) return fail(isKnown.error());
        if (!*isKnown) return std::optional<Errand::Ask>();
        return Errand::Ask{shared(at->request("have")), ""};
    };
    const auto takeBytes = [at](const Frame& frame) {
        const Json& header = *frame.header;
        at->there =
            header.contains("bytes") && header["bytes"].is_number_unsigned() ? header["bytes"].get<std::uint64_t>() : 0;
        if (at->push.progress) at->push.progress(std::min(at->there, at->bytes()), at->bytes());
    };
    have.take = [takeBytes](const Frame& frame, const Error* error) -> Result<bool> {
        if (error != nullptr) return fail(*error);
        takeBytes(frame);
        return true;
    };
    have.joins = true;
    errands.add(std::move(have));
    Errand put;
    put.patience = kLastPieceSeconds;
    put.isOver = [at] { return !at->isUnsure && at->there >= at->bytes() && at->bytes() > 0; };
    put.make = [at]() -> Made {
        if (at->isUnsure) return Errand::Ask{shared(at->request("have")), ""};
        auto piece = readFileFrom(at->push.file->file(), at->there, kFrameDataBytes);
        if (!piece) return fail(piece.error());
        Json request = at->request("put");
        request["offset"] = at->there;
        return Errand::Ask{shared(std::move(request)), std::move(*piece)};
    };
    put.take = [at, takeBytes](const Frame& frame, const Error* error) -> Result<bool> {
        constexpr int kTries = 2;
        if (error != nullptr && error->code == "bad_checksum" && ++at->checksumFailures < kTries) {
            at->there = 0;
            return false;
        }
        if (error != nullptr && error->code == "wrong_offset") {
            at->isUnsure = true;
            return false;
        }
        if (error != nullptr) return fail(*error);
        takeBytes(frame);
        at->isUnsure = false;
        return at->there >= at->bytes();
    };
    errands.add(std::move(put));
    Errand place;
    place.make = [at]() -> Made {
        Json request = at->request("place");
        std::string path = at->push.relative;
        if (const std::size_t mark = path.find("{}"); mark != std::string::npos)
            path.replace(mark, 2, at->push.file->sha256());
        request["path"] = path;
        request["execute"] = at->push.execute;
        request["own"] = at->push.isOwn;
        return Errand::Ask{shared(std::move(request)), ""};
    };
    place.take = [](const Frame&, const Error* error) -> Result<bool> {
        if (error != nullptr) return fail(*error);
        return true;
    };
    errands.add(std::move(place));
}

}  // namespace slipway
