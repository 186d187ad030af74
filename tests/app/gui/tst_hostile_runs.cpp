// The window over a home that strangers filled: every page, dialog and tool tip shows their texts as they are, with control
// characters and direction marks as marks; no picture of theirs is opened, and nothing is a link.
#include "app/gui/goto_dialog.h"
#include "app/gui/main_window.h"
#include "app/gui/pages/compare_page.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/import_dialog.h"
#include "app/gui/pages/launch_sheet.h"
#include "app/gui/pages/page.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/text/format.h"
#include "app/gui/values/plan_document.h"
#include "app/gui/widgets/painted_widget.h"
#include "core/base/file.h"
#include "core/store/reindex.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/hostile_runs.h"
#include "tests/support/slipway_test.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QGroupBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTableView>
#include <QTimer>
#include <QToolTip>

using namespace slipway;
using namespace slipway::gui;

namespace {

/// Whether a file was opened or read since this was made.
class Watch {
public:
    explicit Watch(const QString& file) : m_descriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        m_works =
            m_descriptor >= 0 && inotify_add_watch(m_descriptor, file.toUtf8().constData(), IN_OPEN | IN_ACCESS) >= 0;
    }
    ~Watch() {
        if (m_descriptor >= 0) ::close(m_descriptor);
    }
    [[nodiscard]] bool works() const { return m_works; }
    [[nodiscard]] bool wasOpened() const {
        char event[4096];
        return ::read(m_descriptor, event, sizeof event) > 0;
    }

private:
    int m_descriptor;
    bool m_works = false;
};

}  // namespace

class TstHostileRuns : public QObject {
    Q_OBJECT

    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<Watch> m_watch;
    test::HostileHome m_made;
    std::vector<std::string> m_texts;
    QStringList m_wrong;
    QString m_place;
    int m_seen = 0;  // texts of strangers that were shown

    void wrong(const QObject* at, const QString& what) {
        m_wrong << QStringLiteral("%1: %2 \"%3\": %4")
                       .arg(m_place, QString::fromLatin1(at->metaObject()->className()), at->objectName(), what);
    }

    static bool isForeign(const QString& text) {
        return text.contains(QStringLiteral("Heading")) || text.contains(QStringLiteral("evil.example")) ||
               text.contains(QStringLiteral("owned"));
    }

    void evaluate(const QObject* at, const QString& text) {
        if (isForeign(text)) ++m_seen;
        if (const std::string found = test::steeringIn(text.toStdString(), true); !found.empty())
            wrong(at, QString::fromStdString(found));
    }

    void evaluate(const QAbstractItemView* view) {
        const QAbstractItemModel* model = view->model();
        if (model == nullptr) return;
        for (int column = 0; column < model->columnCount(); ++column) {
            evaluate(view, model->headerData(column, Qt::Horizontal).toString());
            evaluate(view, model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
            for (int row = 0; row < std::min(60, model->rowCount()); ++row)
                for (const int role : {Qt::DisplayRole, Qt::ToolTipRole, Qt::AccessibleTextRole, Qt::StatusTipRole})
                    evaluate(view, model->index(row, column).data(role).toString());
        }
    }

    void evaluate(QLabel* label) {
        label->ensurePolished();  // as every label is before it is shown
        if (label->textFormat() == Qt::AutoText) wrong(label, QStringLiteral("guesses markup"));
        if (label->textFormat() != Qt::PlainText && isForeign(label->text()))
            wrong(label, QStringLiteral("draws markup"));
        if (label->openExternalLinks()) wrong(label, QStringLiteral("opens links"));
        evaluate(label, label->text());
    }

    /// Every widget there is, shown or not, but what people type in.
    void walk(const QString& place) {
        m_place = place;
        test::settle();
        QCoreApplication::processEvents();
        for (QWidget* widget : QApplication::allWidgets()) {
            evaluate(widget, widget->toolTip());
            evaluate(widget, widget->windowTitle());
            evaluate(widget, widget->accessibleName());
            evaluate(widget, widget->accessibleDescription());
            for (const QAction* action : widget->actions()) evaluate(action, action->text() + action->toolTip());
            if (auto* label = qobject_cast<QLabel*>(widget)) evaluate(label);
            if (const auto* button = qobject_cast<QAbstractButton*>(widget)) evaluate(button, button->text());
            if (const auto* box = qobject_cast<QGroupBox*>(widget)) evaluate(box, box->title());
            if (const auto* view = qobject_cast<QAbstractItemView*>(widget)) evaluate(view);
            if (const auto* edit = qobject_cast<QPlainTextEdit*>(widget); edit != nullptr && edit->isReadOnly())
                evaluate(edit, edit->toPlainText());
            if (const auto* box = qobject_cast<QComboBox*>(widget); box != nullptr && !box->isEditable())
                for (int i = 0; i < box->count(); ++i) evaluate(box, box->itemText(i));
            if (const auto* bar = qobject_cast<QTabBar*>(widget))
                for (int i = 0; i < bar->count(); ++i) evaluate(bar, bar->tabText(i) + bar->tabToolTip(i));
            if (auto* painted = qobject_cast<PaintedWidget*>(widget)) {
                const DataTable table = painted->dataTable();
                for (const QString& head : table.headers) evaluate(painted, head);
                for (const QStringList& row : table.rows)
                    for (const QString& cell : row) evaluate(painted, cell);
            }
        }
    }

    void verify(bool foreign = true) {
        QVERIFY2(m_wrong.isEmpty(), qPrintable(m_wrong.mid(0, 20).join('\n')));
        QVERIFY2(!m_watch->wasOpened(), "the picture was opened");
        if (foreign) QVERIFY2(m_seen > 0, "none of the texts is there");
    }

    /// Walks the dialog that `open` shows, and closes it.
    void walkModal(const QString& place, const std::function<void()>& open) {
        QTimer::singleShot(0, this, [this, place] {
            QWidget* dialog = QApplication::activeModalWidget();
            if (dialog == nullptr) return wrong(this, place + QStringLiteral(" did not open"));
            dialog->grab();
            walk(place);
            dialog->close();
        });
        open();
    }

private slots:
    void initTestCase() { test::useLook(); }
    void init() {
        m_home = std::make_unique<test::GuiHome>();
        const QString picture = m_home->dir.filePath(QStringLiteral("picture.png"));
        QImage image(400, 300, QImage::Format_RGB32);
        image.fill(Qt::red);
        QVERIFY(image.save(picture));
        m_texts = test::hostileTexts(picture.toStdString());
        m_made = test::makeHostileRuns(m_home->home, picture.toStdString());
        QVERIFY(rebuildIndex(m_home->home, 0));
        m_watch = std::make_unique<Watch>(picture);
        if (!m_watch->works()) QSKIP("this system does not tell which files are opened");
        QVERIFY(m_home->start());
        m_window = std::make_unique<MainWindow>(*m_home->context);
        m_window->resize(1440, 900);
        m_window->show();
        m_wrong.clear();
        m_seen = 0;
    }
    void cleanup() {
        closeThreadStore();
        m_window.reset();
        m_home.reset();
    }

    void pages() {
        for (const PageId id : {PageId::Plan, PageId::Runs, PageId::Run, PageId::Compare, PageId::Sweeps, PageId::Nodes,
                                PageId::Playbook, PageId::Tools, PageId::Settings}) {
            m_window->openPage(id);
            walk(QStringLiteral("page %1").arg(static_cast<int>(id)));
            m_window->grab();
        }
        verify();
    }

    void selectedRun() {
        m_window->openPage(PageId::Runs);
        test::settle();
        auto* table = m_window->page(PageId::Runs)->findChild<QTableView*>(QStringLiteral("runs"));
        QVERIFY(table);
        EVENTUALLY(table->model()->rowCount() == static_cast<int>(m_made.runs.size()));
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            table->selectRow(row);
            walk(QStringLiteral("preview of row %1").arg(row));
        }
        table->selectAll();
        walk(QStringLiteral("preview of all"));
        m_window->grab();
        verify();
    }

    void oneRun() {
        for (std::size_t i = 0; i < m_made.runs.size(); ++i) {
            m_window->openRun(m_made.runs[i]);
            walk(QStringLiteral("run %1").arg(i));
            m_window->grab();
        }
        verify();
    }

    void comparison() {
        m_window->openCompare(m_made.runs);
        for (const CompareTab tab :
             {CompareTab::Summary, CompareTab::Charts, CompareTab::Board, CompareTab::WhySlower}) {
            m_window->openCompareTab(tab);
            m_seen = 0;
            walk(QStringLiteral("comparison, tab %1").arg(static_cast<int>(tab)));
            m_window->grab();
            verify();
            if (QTest::currentTestFailed()) return;
        }
    }

    void oneSweep() {
        m_window->openPage(PageId::Sweeps);
        test::settle();
        auto* table = m_window->page(PageId::Sweeps)->findChild<QTableView*>(QStringLiteral("sweeps"));
        QVERIFY(table);
        EVENTUALLY(table->model()->rowCount() == 1);
        table->selectRow(0);
        QTest::keyClick(table, Qt::Key_Return);
        EVENTUALLY(!table->isVisible());
        m_seen = 0;
        walk(QStringLiteral("sweep"));
        m_window->grab();
        verify();
    }

    void planOfARun() {
        PlanDocument document = startingDocument();
        document.config.name = m_texts[0];
        document.config.data.tokens = m_texts[1];
        auto* sheet = new LaunchSheet(*m_home->context, document, {}, m_window.get());
        sheet->open();
        walk(QStringLiteral("launch sheet"));
        sheet->grab();
        sheet->close();
        m_window->openPage(PageId::Plan);
        m_window->openPlan(PlanTab::WhatIf);
        walk(QStringLiteral("what if"));  // the baselines are runs
        verify();
    }

    void dialogs() {
        const QString first = qs(m_texts[0]);
        walkModal(QStringLiteral("confirmation"),
                  [&] { askConfirm(m_window.get(), first, first, QStringLiteral("Stop")); });
        walkModal(QStringLiteral("text"), [&] { askText(m_window.get(), first, first, first, false); });
        walkModal(QStringLiteral("notes"), [&] { askText(m_window.get(), first, first, first, true); });
        auto* go = new GotoDialog(*m_home->context, m_window->menuBar(), m_window.get());
        go->open();
        walk(QStringLiteral("go to"));
        go->grab();
        go->close();
        const QString log = m_home->dir.filePath(QStringLiteral("<h1>Heading\u202E.log"));
        (void)writeFileAtomically(log.toStdString(),
                                  "iteration 1/ 10 | lm loss: 1.0 | " + m_texts[1] + ": 5 |\n" + m_texts[0]);
        auto* import = new ImportDialog({log}, m_window.get());
        import->open();
        walk(QStringLiteral("import"));
        import->grab();
        import->close();
        DataTable table;
        table.headers = QStringList{first};
        table.rows.append(QStringList{first});
        showDataTable(m_window.get(), first, table);
        walk(QStringLiteral("table of figures"));
        verify();
    }

    // Qt guesses markup in tool tips, too.
    void toolTips() {
        m_window->openPage(PageId::Runs);
        test::settle();
        showHelp(m_window->page(PageId::Runs), qs(m_texts[0]));
        bool found = false;
        for (QWidget* widget : QApplication::allWidgets())
            if (auto* label = qobject_cast<QLabel*>(widget); label != nullptr && label->inherits("QTipLabel")) {
                found = true;
                QCOMPARE(label->textFormat(), Qt::PlainText);
                QCOMPARE(label->text(), qs(m_texts[0]));
                label->grab();
            }
        QVERIFY(found);
        walk(QStringLiteral("tool tip"));
        QToolTip::hideText();
        verify();
    }

    // The check sees what it looks for.
    void aLabelThatGuessesIsFound() {
        QLabel label(QString::fromStdString(m_texts[0]));
        label.setTextFormat(Qt::RichText);
        label.show();
        walk(QStringLiteral("label"));
        label.grab();
        QVERIFY(m_wrong.join('\n').contains(QStringLiteral("draws markup")));
        QVERIFY(m_watch->wasOpened());
        m_wrong.clear();
        QLabel raw(QString::fromStdString(m_texts[1]));
        walk(QStringLiteral("label"));
        QVERIFY(m_wrong.join('\n').contains(QStringLiteral("\\x1b")));
    }

    void whatIsCopiedRunsNowhere() {
        QCOMPARE(tabCell(QStringLiteral("=cmd|' /C calc'!A0")), QStringLiteral("'=cmd|' /C calc'!A0"));
        QCOMPARE(tabCell(QStringLiteral("\u22125\u202Fms")), QStringLiteral("-5 ms"));
        QCOMPARE(shellWord(QStringLiteral("a'; touch x;\n'")), QStringLiteral("'a'\\''; touch x; '\\'''"));
        QCOMPARE(fileName("../../.ssh/x"), QStringLiteral("ssh-x"));
        QCOMPARE(fileName("--help"), QStringLiteral("help"));
        QCOMPARE(fileName(""), QStringLiteral("config"));
    }
};

SLIPWAY_TEST(TstHostileRuns)
#include "tst_hostile_runs.moc"
