// Internals of NodeJobs, on its thread. Only node_jobs.cpp calls it.
#pragma once

#include "app/gui/engine/node_jobs.h"
#include "core/remote/keychain.h"
#include "core/remote/node_setup.h"

#include <QTimer>
#include <map>
#include <memory>

namespace slipway::gui {

class NodeWorker : public QObject {
    Q_OBJECT

public:
    NodeWorker(Programs programs, Home home);

    void begin(int job, const NodeRecord& node, const NodeJobOptions& options, bool isSetUp);
    void cancel(int job);
    void answer(int job, std::string text, bool remembered);
    void refuse(int job);

signals:
    void reported(const slipway::gui::NodeReport& report);
    void asked(int job, const slipway::AskQuestion& question);
    void withdrawn(int job);

private:
    struct Job {
        std::optional<AskDoor> door;
        std::optional<AskQuestion> question;  ///< as reported last
        KeychainWriter keychain;
        std::string node;
        std::unique_ptr<NodeCheck> check;
        std::unique_ptr<NodeSetup> setUp;
        std::string told;

        [[nodiscard]] NodeLink& link() const { return check ? check->link() : setUp->link(); }
    };
    void recordKeychain(const Job& job);
    void poll();
    void listen(int id, Job& job);
    [[nodiscard]] static NodeReport reportOf(int id, const Job& job);
    void fail(int id, bool isSetUp, const Error& error);

    Programs m_programs;
    Home m_home;
    std::map<int, Job> m_jobs;
    QTimer m_timer{this};
};

}  // namespace slipway::gui
