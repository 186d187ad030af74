// State of the Nodes page and its requests: the nodes of the home, what their checks found, and what people want of them.
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
    /// Files of nodes that cannot be read.
    [[nodiscard]] const Issues& issues() const { return m_issues; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_undo; }

    /// Reads the nodes again. The first time, every node is checked too, without questions.
    void reload();
    void checkAll();
    /// @param mayAsk a person is there to answer ssh
    void check(const std::string& name, bool mayAsk);
    /// The same, accepting the host key with this fingerprint.
    void accept(const std::string& name, const std::string& fingerprint);
    void setUp(const std::string& name);
    /// Ends a check or a set-up; what was copied stays on the node.
    void cancel(const std::string& name);
    /// Stores a new node; what its check found is taken over.
    void add(const NodeRecord& node, const NodeReport& report);
    /// Can be undone.
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
    std::map<std::string, NodeReport> m_found;  ///< by the dialog, of nodes that are being stored
    Issues m_issues;
    QUndoStack m_undo;
    bool m_wasRead = false;
};

}  // namespace slipway::gui
