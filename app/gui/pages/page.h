// The main window's view of every page: a header over content, and the actions of the menus.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/widgets/pane.h"

#include <QList>
#include <QWidget>
#include <initializer_list>
#include <vector>

class QSplitter;
class QVBoxLayout;

namespace slipway::gui {

enum class PageId { Plan, Runs, Run, Compare, Sweeps, Nodes, Playbook, Tools, Settings };

/// The views next to the Plan page's form.
enum class PlanTab { Forecast, Search, WhatIf };

/// Panes side by side or one above the other, with a thin handle; `stretch` has their shares. Owned by the widget it is added to.
QSplitter* splitter(Qt::Orientation orientation, std::initializer_list<QWidget*> widgets, const QList<int>& stretch);

/// A page's actions in the menus.
enum class PageAction { Primary, Find, Refresh, Export };

class Page : public QWidget {
    Q_OBJECT

public:
    Page(Context& context, QWidget* parent);

    [[nodiscard]] HeaderBar* header() const { return m_header; }
    /// Whether the action applies now.
    [[nodiscard]] virtual bool can(PageAction) const { return false; }
    virtual void primaryAction() {}
    virtual void find() {}
    virtual void refresh() {}
    virtual void exportData() {}
    virtual QUndoStack* undoStack() { return nullptr; }
    virtual void undo();
    virtual void redo();

signals:
    void said(const QString& text);
    /// Requests training a tiny model on this computer.
    void wantsTiny();
    /// Requests the Plan page with a new plan.
    void wantsNewPlan();
    /// Requests making a token file from text.
    void wantsCorpus();
    /// Requests importing runs of other programs.
    void wantsImport();
    void wantsPage(slipway::gui::PageId page);
    void wantsRun(const slipway::RunId& id);
    void wantsSweep(const slipway::SweepId& id);
    /// Requests the form of a new sweep with this file.
    void wantsNewSweep(const QString& text);
    void wantsCompare(const std::vector<slipway::RunId>& ids);
    /// Requests the launch sheet of the open plan with these nodes selected; none: this computer.
    void wantsLaunch(const QStringList& nodes);
    /// Requests opening the plan of a run.
    void wantsPlanOf(const slipway::RunId& id);

protected:
    void setContent(QWidget* content);
    [[nodiscard]] Context& context() { return m_context; }
    /// Saves the sizes of a splitter under the page's name.
    void rememberSizes(QSplitter* splitter, const QString& key);

private:
    Context& m_context;
    HeaderBar* m_header;
    QVBoxLayout* m_layout;
};

}  // namespace slipway::gui
