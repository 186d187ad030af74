#include "app/gui/engine/import_job.h"
#include "app/gui/main_window.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/import_dialog.h"
#include "app/gui/pages/sweep_draft.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/navigation.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/run_config.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>

using namespace slipway;
using namespace slipway::gui;

class TstMainWindow : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<MainWindow> m_window;

    static constexpr PageId kPages[] = {PageId::Plan,  PageId::Runs,     PageId::Run,   PageId::Compare, PageId::Sweeps,
                                        PageId::Nodes, PageId::Playbook, PageId::Tools, PageId::Settings};

    RunId newest(int place) const {
        RunQuery query;
        const auto rows = readStore(m_home->home, [&](RunStore& store) { return store.list(query); });
        return rows && place < static_cast<int>(rows->size()) ? (*rows)[static_cast<std::size_t>(place)].record.id
                                                              : RunId();
    }
    QListWidget* navigation() const { return m_window->findChild<QListWidget*>(QStringLiteral("navigation")); }

private slots:
    void initTestCase() { test::useLook(); }
    void init() {
        m_home = std::make_unique<test::GuiHome>(6, 30);
        QVERIFY(m_home->start());
        m_window = std::make_unique<MainWindow>(*m_home->context);
        m_window->resize(1440, 900);
        m_window->show();
        QApplication::setActiveWindow(m_window.get());  // offscreen has no window manager that would
    }
    void cleanup() {
        closeThreadStore();
        m_window.reset();
        m_home.reset();
        WindowLanguage().apply(QStringLiteral("en"));
        test::useLook();
    }

    void pagesAreMadeOnFirstVisit() {
        auto* stack = m_window->findChild<QStackedWidget*>();
        QVERIFY(stack);
        const int before = m_window->findChildren<Page*>().size();
        QCOMPARE(before, 1);
        m_window->openPage(PageId::Runs);
        QCOMPARE(m_window->findChildren<Page*>().size(), 2);
        m_window->openPage(PageId::Plan);
        QCOMPARE(m_window->findChildren<Page*>().size(), 2);
    }

    void keysOpenPages() {
        QTest::keyClick(m_window.get(), Qt::Key_2, Qt::ControlModifier);
        EVENTUALLY_IS(m_window->currentPage(), PageId::Runs);
        QTest::keyClick(m_window.get(), Qt::Key_5, Qt::ControlModifier);
        EVENTUALLY_IS(m_window->currentPage(), PageId::Sweeps);
        QTest::keyClick(m_window.get(), Qt::Key_6, Qt::ControlModifier);
        EVENTUALLY_IS(m_window->currentPage(), PageId::Nodes);
        QTest::keyClick(m_window.get(), Qt::Key_7, Qt::ControlModifier);
        EVENTUALLY_IS(m_window->currentPage(), PageId::Playbook);
        QTest::keyClick(m_window.get(), Qt::Key_8, Qt::ControlModifier);
        EVENTUALLY_IS(m_window->currentPage(), PageId::Tools);
        QTest::keyClick(m_window.get(), Qt::Key_9, Qt::ControlModifier);
        EVENTUALLY_IS(m_window->currentPage(), PageId::Settings);
    }

    // A sweep that the search makes opens in the form of a new sweep, which says what can run before anything starts.
    void aSweepOfTheSearchOpensInItsForm() {
        auto* plan = m_window->page(PageId::Plan);
        RunConfig config;
        config.name = "Best five";
        const std::string text = newDraft(config);
        emit plan->wantsNewSweep(QString::fromStdString(text));
        QCOMPARE(m_window->currentPage(), PageId::Sweeps);
        auto* edit = m_window->page(PageId::Sweeps)->findChild<QPlainTextEdit*>(QStringLiteral("sweepText"));
        QVERIFY(edit && edit->isVisible());
        QCOMPARE(edit->toPlainText(), QString::fromStdString(text));
        auto* verdict = m_window->page(PageId::Sweeps)->findChild<QLabel*>(QStringLiteral("draftVerdict"));
        EVENTUALLY(verdict->text().contains(QStringLiteral("3")));
    }

    void navigationShowsCountsAndFolds() {
        EVENTUALLY_IS(navigation()->item(1)->data(Qt::UserRole + 2).toString(), QStringLiteral("6"));
        auto* bar = m_window->findChild<Navigation*>();
        QVERIFY(!bar->isFolded());
        m_window->resize(1100, 700);
        EVENTUALLY(bar->isFolded());
        m_window->resize(1440, 900);
        EVENTUALLY(!bar->isFolded());
        std::vector<ActiveRun> active;
        for (int i = 0; i < 8; ++i)
            active.push_back(
                {RunId("r" + std::to_string(i)), QStringLiteral("run %1").arg(i), RunStatus::Running, i, 10});
        bar->setActive(active);
        auto* list = m_window->findChild<QListWidget*>(QStringLiteral("inProgress"));
        QCOMPARE(list->count(), 6);
        QVERIFY(list->item(5)->text().contains(QStringLiteral("3")));
        QSignalSpy spy(bar, &Navigation::runChosen);
        emit list->itemActivated(list->item(2));
        QCOMPARE(spy[0][0].value<RunId>().value, std::string("r2"));
    }

    void theLanguageSwitchesWhileTheWindowIsOpen() {
        m_window->openPage(PageId::Runs);
        test::settle();
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        EVENTUALLY_IS(navigation()->item(1)->text(), QStringLiteral("실행 목록"));
        QCOMPARE(m_window->menuBar()->actions().front()->text(), QStringLiteral("파일(&F)"));
        EVENTUALLY_IS(m_window->page(PageId::Runs)->header()->title(), QStringLiteral("실행 목록"));
        QCOMPARE(m_window->currentPage(), PageId::Runs);
        language.apply(QStringLiteral("en"));
        EVENTUALLY_IS(navigation()->item(1)->text(), QStringLiteral("Runs"));
    }

    // Walks all pages in Korean: no text that has a translation may stand there in English.
    void nothingStaysEnglish() {
        QFile catalogue(QStringLiteral(SLIPWAY_SOURCE_DIR "/translations/slipway_ko.ts"));
        QVERIFY(catalogue.open(QIODevice::ReadOnly));
        static const QRegularExpression message(
            QStringLiteral("<source>([^<%]*)</source>\\s*<translation>([^<]*)</translation>"));
        QSet<QString> english;
        for (auto match = message.globalMatch(QString::fromUtf8(catalogue.readAll())); match.hasNext();) {
            const auto m = match.next();
            if (m.captured(1) != m.captured(2) &&
                m.captured(1).contains(QRegularExpression(QStringLiteral("[a-z]{3}"))))
                english.insert(m.captured(1));
        }
        QVERIFY(english.size() > 300);
        WindowLanguage words;
        words.apply(QStringLiteral("ko"));
        EVENTUALLY_IS(navigation()->item(1)->text(), QStringLiteral("실행 목록"));
        m_window->openCompare({newest(0), newest(1)});
        QStringList left;
        for (const PageId id : kPages) {
            if (id == PageId::Run) m_window->openRun(newest(0));
            m_window->openPage(id);
            test::settle();
            const auto check = [&](QString text) {
                text.remove(QChar(0x2060)).remove('&');
                if (english.contains(text)) left << QStringLiteral("%1: %2").arg(static_cast<int>(id)).arg(text);
            };
            for (QLabel* label : m_window->page(id)->findChildren<QLabel*>()) check(label->text());
            for (QAbstractButton* button : m_window->page(id)->findChildren<QAbstractButton*>()) check(button->text());
            for (QComboBox* box : m_window->page(id)->findChildren<QComboBox*>()) check(box->currentText());
            for (QTableView* table : m_window->page(id)->findChildren<QTableView*>())
                for (int c = 0; c < table->model()->columnCount(); ++c) {
                    check(table->model()->headerData(c, Qt::Horizontal).toString());
                    for (int r = 0; r < std::min(40, table->model()->rowCount()); ++r)
                        check(table->model()->index(r, c).data().toString());
                }
        }
        left.removeDuplicates();
        QVERIFY2(left.isEmpty(), qPrintable(left.join("\n")));
    }

    void pagesAreNotBlank_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QString>("language");
        QTest::addRow("light en") << false << "en";
        QTest::addRow("dark ko") << true << "ko";
    }
    void pagesAreNotBlank() {
        QFETCH(bool, dark);
        QFETCH(QString, language);
        WindowLanguage words;
        words.apply(language);
        test::useLook(dark);
        test::settle();
        for (const PageId id : kPages) {
            m_window->openPage(id);
            test::settle();
            const QImage picture = m_window->grab().toImage();
            QVERIFY2(test::numColours(picture) > 30, qPrintable(QString::number(static_cast<int>(id))));
            // The panel's colour covers most of it: the theme reached the page.
            int panel = 0, samples = 0;
            for (int y = 100; y < picture.height() - 60; y += 7)
                for (int x = 300; x < picture.width(); x += 7, ++samples)
                    panel += QColor(picture.pixel(x, y)) == theme().panel;
            QVERIFY2(panel * 3 > samples,
                     qPrintable(QStringLiteral("page %1: %2 of %3").arg(static_cast<int>(id)).arg(panel).arg(samples)));
        }
    }

    void controlKGoesToRunsAndPages() {
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        auto* dialog = m_window->findChild<QDialog*>(QStringLiteral("gotoDialog"));
        QVERIFY(dialog);
        auto* line = dialog->findChild<QLineEdit*>();
        auto* list = dialog->findChild<QListWidget*>();
        EVENTUALLY(!list->findItems(QStringLiteral("run 3"), Qt::MatchStartsWith).isEmpty());
        QTest::keyClicks(line, "run 3");
        QCOMPARE(list->count(), 1);
        QTest::keyClick(line, Qt::Key_Return);
        EVENTUALLY_IS(m_window->currentPage(), PageId::Run);
        EVENTUALLY(m_window->page(PageId::Run)->header()->title().startsWith(QStringLiteral("run 3")));
    }

    // An entry of a menu is enabled for what it can do; its key stays heard.
    void menusOfferWhatCanBeDone() {
        const auto offered = [this](const QString& text) {
            for (QAction* top : m_window->menuBar()->actions())
                for (QAction* action : top->menu()->actions())
                    if (action->text() == text) {
                        emit top->menu()->aboutToShow();
                        const bool enabled = action->isEnabled();
                        emit top->menu()->aboutToHide();
                        return enabled && action->isEnabled();
                    }
            return false;
        };
        const auto check = [&](PageId id, const char* enabled, const char* disabled) {
            m_window->openPage(id);
            test::settle();
            for (const QString& text : QString::fromUtf8(enabled).split('|', Qt::SkipEmptyParts))
                QVERIFY2(offered(text), qPrintable(text));
            for (const QString& text : QString::fromUtf8(disabled).split('|', Qt::SkipEmptyParts))
                QVERIFY2(!offered(text), qPrintable(text));
        };
        check(PageId::Settings, "New plan|Quit",
              "Export…|Find|Refresh|Primary action of the page|Stop after this step|Resume");
        check(PageId::Run, "New plan", "Export…|Find|Refresh|Terminate…");
        check(PageId::Compare, "New plan", "Export…|Refresh|Find");
        check(PageId::Runs, "Export…|Find|Refresh|Primary action of the page", "Resume");
        check(PageId::Plan, "Export…|Find|Primary action of the page", "Refresh");
        m_window->openRun(newest(0));
        check(PageId::Run, "Export…|Find|Refresh", "Stop after this step|Terminate…");
    }

    void aNewPlanIsNew() {
        m_window->openPage(PageId::Plan);
        test::settle();
        auto* seq = m_window->page(PageId::Plan)->findChild<QAbstractSpinBox*>(QStringLiteral("field.train.seq_len"));
        const QString before = seq->text();
        seq->setFocus();
        seq->selectAll();
        QTest::keyClicks(seq, "4096");
        QTest::keyClick(seq, Qt::Key_Return);
        test::settle();
        QVERIFY(seq->text() != before);
        const QString changed = seq->text();
        m_window->openPage(PageId::Settings);
        QTest::keyClick(m_window.get(), Qt::Key_N, Qt::ControlModifier);
        test::settle();
        QCOMPARE(m_window->currentPage(), PageId::Plan);
        QCOMPARE(seq->text(), before);
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        test::settle();
        QCOMPARE(seq->text(), changed);
    }

    // What a file holds is shown before anything is made of it; then its runs come in behind the window.
    void runsOfOtherTrainersAreImported() {
        const auto openDialog = [this](const QString& name, const std::string& text) -> ImportDialog* {
            const QString file = m_home->dir.filePath(name);
            if (!writeFileAtomically(file.toStdString(), text)) return nullptr;
            dialogAnswers().file = file;
            QApplication::setActiveWindow(m_window.get());
            QTest::keyClick(m_window.get(), Qt::Key_I, Qt::ControlModifier);
            dialogAnswers() = {};
            test::settle();
            const auto dialogs = m_window->findChildren<ImportDialog*>();
            return dialogs.isEmpty() ? nullptr : dialogs.back();
        };
        ImportDialog* odd = openDialog(QStringLiteral("odd.log"), "hello\n");
        QVERIFY(odd && !odd->findChild<QPushButton*>(QStringLiteral("importNow"))->isEnabled());
        const QAbstractItemModel* files = odd->findChild<QTableView*>(QStringLiteral("importFiles"))->model();
        QCOMPARE(files->rowCount(), 1);
        QVERIFY(files->index(0, 5).data(Qt::ToolTipRole).toString().contains(QStringLiteral("torchtitan")));
        delete odd;

        ImportDialog* dialog =
            openDialog(QStringLiteral("titan.log"),
                       "step: 1  loss: 8.0  tps: 100\nstep: 2  loss: 7.5  tps: 200\nstep:  loss: 7.0\n");
        QVERIFY(dialog);
        files = dialog->findChild<QTableView*>(QStringLiteral("importFiles"))->model();
        QCOMPARE(files->index(0, 1).data().toString(), QStringLiteral("torchtitan"));
        QVERIFY(files->index(0, 5).data().toString().contains(QStringLiteral("no step number")));
        QVERIFY(dialog->findChild<QTableView*>(QStringLiteral("importNames"))->model()->rowCount() >= 2);
        const qint64 before = m_home->engine->numRuns();
        auto* import = dialog->findChild<QPushButton*>(QStringLiteral("importNow"));
        QVERIFY(import->text().startsWith(QStringLiteral("Import 1 run")));
        import->click();
        EVENTUALLY_IS(m_home->engine->numRuns(), before + 1);
        auto* said = m_window->findChild<ElidedLabel*>(QStringLiteral("said"));
        EVENTUALLY_SAYING(said->fullText().startsWith(QStringLiteral("1 run")), qPrintable(said->fullText()));
        QVERIFY(!m_window->findChild<QPushButton*>(QStringLiteral("cancelJob"))->isVisible());
    }

    // Cancel stops before the next run and says what was kept.
    void anImportCanBeCancelled() {
        ImportedRun run;
        run.format = "torchtitan";
        run.file = "x.log";
        run.log.name = "x";
        ImportJob job(*m_home->engine);
        QSignalSpy finished(&job, &ImportJob::finished);
        job.start(std::vector<ImportedRun>(5000, run));
        job.cancel();
        EVENTUALLY(!job.isRunning());
        test::settle();
        QVERIFY2(finished.front().front().toString().endsWith(QStringLiteral("of 5000 runs imported.")),
                 qPrintable(finished.front().front().toString()));
        EVENTUALLY(m_home->engine->numRuns() < 5000);
    }

    void aConfigFileOpensAsAPlan() {
        const QString file = m_home->dir.filePath(QStringLiteral("config.json"));
        RunConfig config;
        config.name = "from a file";
        QVERIFY(writeJsonFile(file.toStdString(), toJson(config)));
        dialogAnswers().file = file;
        m_window->openPage(PageId::Settings);
        QTest::keyClick(m_window.get(), Qt::Key_O, Qt::ControlModifier);
        EVENTUALLY_IS(m_window->currentPage(), PageId::Plan);
        EVENTUALLY_IS(m_window->page(PageId::Plan)->header()->title(), QStringLiteral("from a file"));
        QFile broken(file);
        QVERIFY(broken.open(QIODevice::WriteOnly | QIODevice::Truncate));
        broken.write("{\"model\": {\"num_layres\": 2}}");
        broken.close();
        QTest::keyClick(m_window.get(), Qt::Key_O, Qt::ControlModifier);
        auto* said = m_window->findChild<ElidedLabel*>(QStringLiteral("said"));
        EVENTUALLY_SAYING(said->fullText().contains(QStringLiteral("num_layers")), qPrintable(said->fullText()));
        dialogAnswers() = {};
    }

    // What the keyboard can reach has a name that can be read aloud.
    void everyControlHasAName() {
        QStringList nameless;
        for (const PageId id : kPages) {
            m_window->openPage(id);
            test::settle();
            for (QWidget* widget : m_window->page(id)->findChildren<QWidget*>()) {
                const bool control = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
                                     qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QLineEdit*>(widget) ||
                                     qobject_cast<QAbstractItemView*>(widget) || qobject_cast<PaintedWidget*>(widget);
                if (!control || !widget->isVisibleTo(m_window->page(id)) || !(widget->focusPolicy() & Qt::TabFocus))
                    continue;
                if (qobject_cast<QLineEdit*>(widget) && qobject_cast<QAbstractSpinBox*>(widget->parentWidget()))
                    continue;
                QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(widget);
                if (!spoken || spoken->text(QAccessible::Name).isEmpty())
                    nameless << QStringLiteral("%1: %2 %3")
                                    .arg(static_cast<int>(id))
                                    .arg(widget->metaObject()->className(), widget->objectName());
            }
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
    }

    // Each picture has a sentence for screen readers, also without data, is reached by Tab, and its menu saves, copies and tabulates it.
    void everyChartCanBeReadAndSaved() {
        m_window->openRun(newest(0));
        m_window->openCompare({newest(0), newest(1)});
        int charts = 0;
        QStringList lacking;
        for (const PageId id : kPages) {
            m_window->openPage(id);
            test::settle();
            for (QWidget* widget : m_window->page(id)->findChildren<QWidget*>()) {
                auto* chart = qobject_cast<MetricChart*>(widget);
                auto* painted = qobject_cast<PaintedWidget*>(widget);
                if ((!chart && !painted) || (painted && qobject_cast<MetricChart*>(widget->parentWidget()))) continue;
                ++charts;
                QStringList lacks;
                if (!(widget->focusPolicy() & Qt::TabFocus)) lacks << QStringLiteral("Tab");
                QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(widget);
                if (!spoken ||
                    (spoken->text(QAccessible::Description).isEmpty() && spoken->text(QAccessible::Value).isEmpty()))
                    lacks << QStringLiteral("what is read aloud");
                QStringList offered;
                QTimer::singleShot(0, widget, [&offered] {
                    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                    if (!menu) return;
                    for (const QAction* action : menu->actions()) offered << action->text();
                    menu->close();
                });
                QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(), QPoint());
                QApplication::sendEvent(widget, &asked);
                for (const char* wanted : {"Copy picture", "Copy data", "Save picture…", "Save data…", "Show as table"})
                    if (offered.filter(QString::fromUtf8(wanted)).isEmpty()) lacks << QString::fromUtf8(wanted);
                if (!lacks.isEmpty())
                    lacking << QStringLiteral("%1 %2: %3")
                                   .arg(widget->metaObject()->className(), widget->objectName(),
                                        lacks.join(QStringLiteral(", ")));
            }
        }
        QVERIFY2(lacking.isEmpty(), qPrintable(lacking.join("\n")));
        QVERIFY2(charts > 20, qPrintable(QString::number(charts)));
    }

    void aDamagedIndexIsNamedAndCanBeRebuilt() {
        m_window.reset();
        m_home.reset();
        auto home = std::make_unique<test::GuiHome>(3, 5);
        {
            QFile index(QString::fromStdString(home->home.index().string()));
            QVERIFY(index.open(QIODevice::WriteOnly | QIODevice::Truncate));
            index.write(QByteArray(8192, 'x'));
            for (const char* suffix : {"-wal", "-shm"}) QFile::remove(index.fileName() + QLatin1String(suffix));
        }
        QVERIFY(!home->start());
        MainWindow window(*home->context);
        window.resize(1200, 800);
        window.show();
        window.openPage(PageId::Runs);
        EVENTUALLY(home->engine->storeError());
        auto* page = window.page(PageId::Runs);
        page->refresh();
        const auto shown = [&] {
            for (QLabel* label : page->findChildren<QLabel*>(QStringLiteral("stateHeadline")))
                if (label->isVisible() && label->text().contains(QStringLiteral("cannot be read"))) return true;
            return false;
        };
        EVENTUALLY(shown());
        home->engine->rebuildIndex();
        EVENTUALLY(home->engine->isReady());
        EVENTUALLY(!shown());
    }
};

SLIPWAY_TEST(TstMainWindow)
#include "tst_main_window.moc"
