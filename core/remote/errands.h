// Errands: requests to one node in sequence, each repeated after a lost link. Those that join do not wait for the answers before
// them: over a long line a launch then takes a few round trips, not one for each request.
//   errands.add({[] { return Errand::Ask{Json{{"do", "hello"}}, ""}; }, [](const Frame&) { return true; }});
//   for (const LinkAnswer& answer : link.poll(now)) errands.take(answer, now);   errands.poll(link, now);
#pragma once

#include "core/base/sha256.h"
#include "core/remote/node_link.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace slipway {

struct Errand {
    struct Ask {
        std::shared_ptr<const Json> request;
        std::string data;
    };
    /// The request; empty: not ready yet, tried again at the next poll.
    std::function<Result<std::optional<Ask>>()> make;
    /// Takes the answer. False: not done, repeat it. @param error of the agent, with an empty frame; returning it ends all errands
    std::function<Result<bool>(const Frame& frame, const Error* error)> take;
    double patience = NodeLink::kAnswerSeconds;
    /// Once sent, the node may have done it: its answer is awaited for any downtime of the link.
    bool mustHear = false;
    /// May be sent before the errands in front of it are answered. An error of these ends it as well, so it must do no harm.
    bool joins = false;
    /// True: not necessary any more, so it is left out when its turn comes. Empty: always necessary.
    std::function<bool()> isOver = {};
};

/// An errand with one request whose answer is passed on; errors of the agent end all errands.
Errand simpleErrand(const Json& request, std::string data = {}, std::function<void(const Frame&)> take = {},
                    double patience = NodeLink::kAnswerSeconds);

/// The same errand, sent without waiting for the answers before it.
inline Errand joining(Errand errand) {
    errand.joins = true;
    return errand;
}

class Errands {
public:
    void add(Errand errand) { m_errands.push_back(std::move(errand)); }
    /// True when the answer belongs to one of these.
    bool take(const LinkAnswer& answer);
    void poll(NodeLink& link, double nowSeconds);
    [[nodiscard]] bool done() const { return m_errands.empty() || m_error; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

    /// Patience with a link that was up, or was closed by its server, without an answer; it reconnects by itself, with
    /// growing and varying pauses.
    static constexpr double kPatienceSeconds = 60;

private:
    struct Asked {
        std::uint64_t request = 0;
        bool isDone = false;
    };
    std::deque<Errand> m_errands;
    std::deque<Asked> m_asked;  // the first of them
    std::optional<Error> m_error;
    bool m_wasUp = false, m_isUnsure = false;
    double m_lostAt = -1;
};

/// The SHA-256 of a file, a piece at a time; at once for a file that this program has read before and that is unchanged.
class FileHash {
public:
    explicit FileHash(std::filesystem::path file) : m_file(std::move(file)) {}
    /// True when done; else call it again. "file_missing", "file_unreadable", "file_changed".
    Result<bool> poll();
    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }
    [[nodiscard]] const std::string& sha256() const { return m_sha256; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }

private:
    std::filesystem::path m_file;
    Sha256 m_hash;
    std::string m_sha256, m_version;
    std::uint64_t m_bytes = 0, m_hashed = 0;
    bool m_begun = false;
};

/// Errands that copy a file to a node: bytes already there are not sent again. Several may share the hash.
struct FilePush {
    std::shared_ptr<FileHash> file;
    std::string home;      ///< of the node
    std::string relative;  ///< destination below the home; "{}" in it becomes its SHA-256
    bool execute = false;
    std::function<void(std::uint64_t here, std::uint64_t all)> progress = {};
    bool isOwn = false;  ///< the node will change it: its content is not stored for others
};
void addFilePush(Errands& errands, FilePush push);

}  // namespace slipway
