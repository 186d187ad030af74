// The keyboard alone: Tab comes to every control of every page and out of it again, in reading order; each has a name
// that can be read aloud, and one can see where one is, in both themes.
#include "app/gui/goto_dialog.h"
#include "app/gui/main_window.h"
#include "app/gui/pages/columns_dialog.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/launch_sheet.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/shortcuts.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollArea>

using namespace slipway;
using namespace slipway::gui;

class TstKeyboard : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<MainWindow> m_window;

    static QString nameOf(const QWidget* widget) {
        return QStringLiteral("%1 \"%2\" in %3 \"%4\"")
            .arg(QString::fromLatin1(widget->metaObject()->className()), widget->objectName(),
                 QString::fromLatin1(widget->parentWidget()->metaObject()->className()),
                 widget->parentWidget()->objectName());
    }
    /// What Tab should come to: seen, enabled, asks for focus, and no part of another control.
    static QList<QWidget*> controls(QWidget* root) {
        QList<QWidget*> out;
        for (QWidget* widget : root->findChildren<QWidget*>()) {
            if (!widget->isVisibleTo(root) || !widget->isEnabled() || !(widget->focusPolicy() & Qt::TabFocus) ||
                widget->focusProxy())
                continue;
            if (widget->window() != root->window()) continue;
            if (qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) ||
                qobject_cast<QComboBox*>(widget->parentWidget()))
                continue;
            out << widget;
        }
        return out;
    }
    static QString spoken(QWidget* widget) {
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
        return face ? face->text(QAccessible::Name).trimmed() : QString();
    }
    QWidget* focus() const {
        QWidget* at = QApplication::focusWidget();
        // A spin box hands its focus to the edit inside.
        return at && qobject_cast<QAbstractSpinBox*>(at->parentWidget()) ? at->parentWidget() : at;
    }
    /// Presses Tab until it comes back to where it began; what it came by.
    QList<QWidget*> walk(QWidget* root) {
        QList<QWidget*> seen;
        QApplication::setActiveWindow(root->window());
        QTest::keyClick(root->window(), Qt::Key_Tab);
        for (int i = 0; i < 1000 && focus() && !seen.contains(focus()); ++i) {
            seen << focus();
            QTest::keyClick(focus(), Qt::Key_Tab);
        }
        return seen;
    }
    void check(QWidget* root, const QString& place) {
        const QList<QWidget*> wanted = controls(root);
        QVERIFY2(!wanted.isEmpty(), qPrintable(place));
        QStringList faults;
        for (QWidget* widget : wanted)
            if (spoken(widget).isEmpty()) faults << QStringLiteral("no name: ") + nameOf(widget);
        const QList<QWidget*> seen = walk(root);
        for (QWidget* widget : wanted)
            if (!seen.contains(widget)) faults << QStringLiteral("Tab does not come to: ") + nameOf(widget);
        QVERIFY2(faults.isEmpty(), qPrintable(place + QStringLiteral(":\n") + faults.join('\n')));
    }

    static QImage pictureOf(QWidget* widget) {
        QWidget* window = widget->window();
        const QPoint at = widget->mapTo(window, QPoint());
        return window->grab(QRect(at, widget->size()).adjusted(-3, -3, 3, 3)).toImage();
    }
    void checkFocusIsSeen(QWidget* root, const QString& place) {
        QStringList faults;
        auto* rest = new QWidget(root->window());  // somewhere else for the focus
        rest->setFocusPolicy(Qt::StrongFocus);
        rest->show();
        for (QWidget* widget : controls(root)) {
            rest->setFocus(Qt::TabFocusReason);
            root->window()->setProperty("keyboardFocus", true);
            for (QWidget* area = widget->parentWidget(); area; area = area->parentWidget())
                if (auto* scroll = qobject_cast<QScrollArea*>(area)) scroll->ensureWidgetVisible(widget);
            const QImage before = pictureOf(widget);
            widget->setFocus(Qt::TabFocusReason);
            root->window()->setAttribute(Qt::WA_KeyboardFocusChange);
            // An empty list has no row to mark.
            const auto* view = qobject_cast<QAbstractItemView*>(widget);
            if (view && view->model() && view->model()->rowCount() == 0) continue;
            if (pictureOf(widget) == before) faults << nameOf(widget);
        }
        delete rest;
        QVERIFY2(faults.isEmpty(), qPrintable(place + QStringLiteral(", focus is not seen on:\n") + faults.join('\n')));
    }

    PlanPage* plan() { return static_cast<PlanPage*>(m_window->page(PageId::Plan)); }
    void open(const QString& place) {
        const auto rows = readStore(m_home->home, [](RunStore& store) { return store.list({}); });
        std::vector<RunId> ids;
        if (rows)
            for (const RunRow& row : *rows) ids.push_back(row.record.id);
        if (place == QStringLiteral("runs"))
            m_window->openPage(PageId::Runs);
        else if (place == QStringLiteral("run") && ids.empty())
            m_window->openPage(PageId::Run);
        else if (place == QStringLiteral("run"))
            m_window->openRun(ids.front());
        else if (place == QStringLiteral("compare") && ids.empty())
            m_window->openPage(PageId::Compare);
        else if (place == QStringLiteral("compare"))
            m_window->openCompare(ids);
        else if (place == QStringLiteral("settings"))
            m_window->openPage(PageId::Settings);
        else {
            m_window->openPage(PageId::Plan);
            test::settle();
            if (place == QStringLiteral("search")) {
                m_window->openSearch();
                test::settle();
                plan()->findChild<QPushButton*>(QStringLiteral("foldAxes"))->click();
            }
            if (place == QStringLiteral("whatif")) {
                m_window->openPlan(PlanTab::WhatIf);
                plan()->findChild<QPushButton*>(QStringLiteral("keepBaseline"))->click();
            }
        }
        test::settle();
    }
    void start(int numRuns, bool dark = false) {
        test::useLook(dark);
        m_home = std::make_unique<test::GuiHome>(numRuns, numRuns > 0 ? 30 : 0);
        QVERIFY(m_home->start());
        m_window = std::make_unique<MainWindow>(*m_home->context);
        m_window->resize(1440, 900);
        m_window->show();
        QApplication::setActiveWindow(m_window.get());  // offscreen has no window manager that would
    }
    void places() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<int>("numRuns");
        for (const char* place : {"plan", "search", "whatif", "runs", "run", "compare", "settings"}) {
            QTest::addRow("%s with runs", place) << place << 4;
            QTest::addRow("%s, empty home", place) << place << 0;
        }
    }

private slots:
    void cleanup() {
        closeThreadStore();
        m_window.reset();
        m_home.reset();
        dialogAnswers() = {};
        test::useLook();
    }

    void tabComesToEveryControl_data() { places(); }
    void tabComesToEveryControl() {
        QFETCH(QString, place);
        QFETCH(int, numRuns);
        start(numRuns);
        open(place);
        check(m_window->centralWidget(), place);
    }

    void focusIsSeen_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<bool>("dark");
        for (const char* place : {"plan", "search", "whatif", "runs", "run", "compare", "settings"})
            for (const bool dark : {false, true})
                QTest::addRow("%s %s", place, dark ? "dark" : "light") << place << dark;
    }
    void focusIsSeen() {
        QFETCH(QString, place);
        QFETCH(bool, dark);
        start(4, dark);
        open(place);
        checkFocusIsSeen(m_window->centralWidget(), place);
    }

    // Header first, then the form from top to bottom: the order in which the page is read.
    void theFormIsWalkedFromTopToBottom() {
        start(0);
        open(QStringLiteral("plan"));
        auto* form = plan()->findChild<QWidget*>(QStringLiteral("planForm"));
        auto* launch = plan()->findChild<QPushButton*>(QStringLiteral("launch"));
        QVERIFY(form && launch);
        const QList<QWidget*> seen = walk(m_window->centralWidget());
        int last = -1, before = 0;
        for (int i = 0; i < static_cast<int>(seen.size()); ++i) {
            if (!form->isAncestorOf(seen[i])) continue;
            const int top = seen[i]->mapTo(form, QPoint()).y();
            if (last >= 0 && top < last - 8) ++before;
            last = top;
        }
        QVERIFY(last >= 0);
        QVERIFY2(before <= 1, qPrintable(QString::number(before)));  // once where the walk began in the middle
    }

    void dialogsToo_data() {
        QTest::addColumn<QString>("dialog");
        for (const char* dialog : {"goto", "columns", "launch", "keys", "figures"})
            QTest::addRow("%s", dialog) << dialog;
    }
    void dialogsToo() {
        QFETCH(QString, dialog);
        start(4);
        open(dialog == QStringLiteral("columns") ? QStringLiteral("runs") : QStringLiteral("plan"));
        if (dialog == QStringLiteral("goto"))
            (new GotoDialog(*m_home->context, m_window->menuBar(), m_window.get()))->open();
        if (dialog == QStringLiteral("columns"))
            m_window->page(PageId::Runs)->findChild<QPushButton*>(QStringLiteral("columns"))->click();
        if (dialog == QStringLiteral("launch")) m_window->page(PageId::Plan)->primaryAction();
        if (dialog == QStringLiteral("keys")) showShortcuts(m_window.get());
        if (dialog == QStringLiteral("figures"))
            showDataTable(m_window.get(), QStringLiteral("figures"), {{QStringLiteral("a")}, {{QStringLiteral("1")}}});
        test::settle();
        QDialog* shown = nullptr;
        for (QDialog* candidate : m_window->findChildren<QDialog*>())
            if (candidate->isVisible()) shown = candidate;
        QVERIFY(shown);
        check(shown, dialog);
        QVERIFY(!shown->windowTitle().isEmpty());
        // Esc closes it.
        QTest::keyClick(shown, Qt::Key_Escape);
        QVERIFY(!shown->isVisible());
    }
};

SLIPWAY_TEST(TstKeyboard)
#include "tst_keyboard.moc"
