// State of the Nodes page and its requests: the nodes of the home, their checks' findings, and people's requests.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/pages/nodes_data.h"

#include <QObject>
#include <QUndoStack>
#include <functional>
#include <map>
#include <set>

namespace slipway::gui {

class NodesController : public QObject {
    Q_OBJECT

public:
    explicit NodesController(Context& context, QObject* parent = nullptr);

    /// This computer first, then the nodes by name; empty until they are read.
    [[nodiscard]] const std::vector<NodeRow>& rows() const { return m_rows; }
    [[nodiscard]] const NodeRow* row(const std::string& name) const;
    /// Unreadable files of nodes.
    [[nodiscard]] const Issues& issues() const { return m_issues; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_undo; }

    /// Rereads the nodes. The first time, every node is also checked, without questions.
    void reload();
    void checkAll();
    /// @param mayAsk a person is present to answer ssh
    void check(const std::string& name, bool mayAsk);
    /// The same, accepting the host key with this fingerprint.
    void accept(const std::string& name, const std::string& fingerprint);
    void setUp(const std::string& name);
    /// Ends a check or a set-up; copied files stay on the node.
    void cancel(const std::string& name);
    /// Stores a new node with the findings of its check.
    void add(const NodeRecord& node, const NodeReport& report);
    /// Undoable.
    void remove(const std::string& name);

signals:
    void changed();
    void added(const QString& name);
    void asked(int job, const QString& node, const slipway::AskQuestion& question);
    void said(const QString& text);

private:
    struct Loaded {
        std::vector<NodeRecord> nodes;
        Issues issues;
        LocalFacts local;
    };
    void take(Loaded loaded);
    void takeReport(const NodeReport& report);
    void takeRuns();
    void store(const std::function<Result<void>(const Home&)>& edit);
    void begin(NodeRow& row, const NodeJobOptions& options, bool isSetUp);
    NodeRow* find(const std::string& name);

    Context& m_context;
    LatestJob m_job;
    std::vector<NodeRow> m_rows;
    std::map<std::string, NodeReport> m_found;  ///< by the dialog, for nodes being stored
    Issues m_issues;
    QUndoStack m_undo;
    bool m_wasRead = false;
};

}  // namespace slipway::gui
