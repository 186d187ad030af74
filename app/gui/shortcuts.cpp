#include "app/gui/shortcuts.h"

#include "app/gui/text/format.h"
#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/pane.h"
#include "core/base/version.h"

#include <QApplication>
#include <QCoreApplication>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("Shortcuts", text);
}

}  // namespace

void showShortcuts(QMainWindow* window) {
    DataTable table{{say(QT_TRANSLATE_NOOP("Shortcuts", "Action")), say(QT_TRANSLATE_NOOP("Shortcuts", "Key"))}, {}};
    for (QAction* top : window->menuBar()->actions()) {
        if (!top->menu()) continue;
        for (QAction* action : top->menu()->actions())
            if (!action->shortcut().isEmpty())
                table.rows.append({action->text(), action->shortcut().toString(QKeySequence::NativeText)});
    }
    const std::pair<const char*, const char*> fixed[] = {
        {QT_TRANSLATE_NOOP("Shortcuts", "Table: open the row"), "Enter"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Table: formula of the figure"), "Alt+Enter"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Runs: move to trash"), "Del"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Compare: make the run the baseline"), "B"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Compare: show or hide the run"), "Space"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Chart: move the pointer by one point, by ten"), "← →, Shift+← →"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Chart: zoom in, out, all"), "+ − 0"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Chart: logarithmic axis"), "L"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Chart: show as table"), "T"},
        {QT_TRANSLATE_NOOP("Shortcuts", "Form: help on the field"), "F1"},
    };
    for (const auto& [what, key] : fixed) table.rows.append({say(what), QString::fromUtf8(key)});
    showDataTable(window, say(QT_TRANSLATE_NOOP("Shortcuts", "Keys")), table);
}

void showAbout(QWidget* parent) {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, say(QT_TRANSLATE_NOOP("Shortcuts", "About Slipway")),
        say(QT_TRANSLATE_NOOP(
                "Shortcuts",
                "Slipway %1\nPlan, prove, launch and compare training runs of large language models.\nLicence: GPL-3.0-or-later."))
            .arg(qs(versionText())),
        QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void focusNextPane(QWidget* page) {
    QList<QWidget*> stops;
    for (Pane* pane : page->findChildren<Pane*>())
        for (QWidget* widget : pane->findChildren<QWidget*>())
            if (widget->isVisible() && (widget->focusPolicy() & Qt::TabFocus)) {
                stops.append(widget);
                break;
            }
    if (stops.isEmpty()) return;
    qsizetype next = 0;
    for (qsizetype i = 0; i < stops.size(); ++i) {
        const QWidget* pane = stops[i];
        while (pane && !qobject_cast<const Pane*>(pane)) pane = pane->parentWidget();
        if (pane && QApplication::focusWidget() && pane->isAncestorOf(QApplication::focusWidget()))
            next = (i + 1) % stops.size();
    }
    stops[next]->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace slipway::gui
