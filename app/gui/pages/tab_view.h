// Base of the Plan page's tabs other than the plan itself: a scrolling column with a stack of the panel for empty,
// running and failed, and the tab's contents.
//   class SearchView : public TabView { ... auto* row = addLine(); ... addStack(makeResults()); }
#pragma once

#include <QScrollArea>

class QHBoxLayout;
class QStackedWidget;
class QVBoxLayout;

namespace slipway::gui {

class StatePanel;

/// Content as wide as the area, with vertical scrolling.
void scrollDown(QScrollArea* area, QWidget* content);

class TabView : public QScrollArea {
    Q_OBJECT

public:
    explicit TabView(QWidget* parent);

protected:
    /// Parent of the widgets in the column.
    [[nodiscard]] QWidget* content() const { return m_content; }
    [[nodiscard]] QVBoxLayout* column() const { return m_column; }
    /// An edge below the column.
    void addEdge();
    /// A line of controls with an edge below.
    QHBoxLayout* addLine();
    /// Adds a stack of state() at 0 and `shown` at 1, which takes the remaining space.
    void addStack(QWidget* shown);
    [[nodiscard]] QStackedWidget* stack() const { return m_stack; }
    [[nodiscard]] StatePanel* state() const { return m_state; }

private:
    QWidget* m_content;
    QVBoxLayout* m_column;
    QStackedWidget* m_stack;
    StatePanel* m_state;
};

}  // namespace slipway::gui
