// Checks and set-ups of nodes over SSH, on a separate thread: all calls return immediately, answers are signals.
//   const int job = jobs.check(record, {.mayAsk = true});   connect(&jobs, &NodeJobs::reported, ...);
#pragma once

#include "core/launch/programs.h"
#include "core/remote/ask_door.h"
#include "core/remote/node_check.h"
#include "core/spec/run_dir.h"

#include <QObject>
#include <QThread>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slipway::gui {

class NodeWorker;

/// Progress of a job. The last report of a job is `done`, unless it was cancelled: then none follows.
struct NodeReport {
    int job = 0;
    bool isSetUp = false, done = false;
    // Of a check.
    std::vector<NodeStep> steps;
    NodeFacts facts;
    std::string hostKey;  ///< as in NodeLink::hostKey()
    bool passed = false;
    // Of a set-up.
    Message progress;
    std::optional<double> share;  ///< of the file being copied
    std::optional<Error> error;
    bool wasReady = false;
    bool isInKeychain = false;  ///< an answer was stored there; the node's record, if there is one, has this as well
    std::int64_t unixMilliseconds = 0;
};

struct NodeJobOptions {
    bool mayAsk = false;      ///< may request passwords and second factors; else ssh fails with its reason
    std::string fingerprint;  ///< of the host key accepted by the person; empty: unknown keys are reported and refused
};

class NodeJobs : public QObject {
    Q_OBJECT

public:
    /// @param home stores the newest check of each node
    NodeJobs(Programs programs, Home home, QObject* parent = nullptr);
    ~NodeJobs() override;

    int check(const NodeRecord& node, const NodeJobOptions& options);
    int setUp(const NodeRecord& node, const NodeJobOptions& options);
    /// Ends its ssh; files already on the node stay there.
    void cancel(int job);
    /// The person's answer to the question of `asked`. @param remembered also for later logins, in the keychain
    void answer(int job, const std::string& text, bool remembered);
    void refuse(int job);

signals:
    void reported(const slipway::gui::NodeReport& report);
    void asked(int job, const slipway::AskQuestion& question);
    /// The answer is no longer needed.
    void withdrawn(int job);

private:
    void post(std::function<void(NodeWorker&)> work);

    QThread m_thread;
    NodeWorker* m_worker;
    int m_last = 0;
};

}  // namespace slipway::gui

Q_DECLARE_METATYPE(slipway::gui::NodeReport)
Q_DECLARE_METATYPE(slipway::AskQuestion)
