// The sheet of all keys, the about box, and moving between panes.
#pragma once

class QMainWindow;
class QWidget;

namespace slipway::gui {

/// Lists every action of the menus with its key, then the keys of tables and charts.
void showShortcuts(QMainWindow* window);
void showAbout(QWidget* parent);
/// Gives the focus to the first focusable widget of the next pane.
void focusNextPane(QWidget* page);

}  // namespace slipway::gui
