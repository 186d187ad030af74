#include "app/gui/main_window.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/spec_form.h"
#include "app/gui/widgets/typed_field.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QTableView>

using namespace slipway;
using namespace slipway::gui;

/// Typing in the plan's form, with the keys of the window.
class TstPlanTyping : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<MainWindow> m_window;

    PlanPage* page() { return static_cast<PlanPage*>(m_window->page(PageId::Plan)); }
    SpecForm* form() { return page()->findChild<SpecForm*>(QStringLiteral("planForm")); }
    /// The number of a field as the plan's form shows it after everything has come to rest.
    QString shown(const char* path) {
        if (auto* number = qobject_cast<NumberEdit*>(form()->editor(path))) return number->storedText();
        return qobject_cast<QCheckBox*>(form()->editor(path))->isChecked() ? QStringLiteral("true")
                                                                           : QStringLiteral("false");
    }
    NumberEdit* enter(const char* path) {
        auto* edit = qobject_cast<NumberEdit*>(form()->editor(path));
        edit->setFocus(Qt::TabFocusReason);
        edit->selectAll();
        return edit;
    }
    static void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }

private slots:
    void init() {
        test::useLook();
        m_home = std::make_unique<test::GuiHome>();
        QVERIFY(m_home->start());
        m_window = std::make_unique<MainWindow>(*m_home->context);
        m_window->resize(1440, 900);
        m_window->show();
        QApplication::setActiveWindow(m_window.get());  // offscreen has no window manager that would
        m_window->openPage(PageId::Plan);
        test::settle();
    }
    void cleanup() {
        closeThreadStore();
        m_window.reset();
        m_home.reset();
        dialogAnswers() = {};
    }

    // 16 over 4 passes through 1, where sequence parallelism has no effect.
    void aNumberIsTakenWhenItIsWhole() {
        QCOMPARE(shown("parallel.tp"), QStringLiteral("4"));
        QCOMPARE(shown("parallel.sequence_parallel"), QStringLiteral("true"));
        NumberEdit* tp = enter("parallel.tp");
        QTest::keyClicks(tp, "1");
        test::settle();
        QCOMPARE(shown("parallel.sequence_parallel"), QStringLiteral("true"));
        QTest::keyClicks(tp, "6");
        key(Qt::Key_Return);
        test::settle();
        QCOMPARE(shown("parallel.tp"), QStringLiteral("16"));
        QCOMPARE(shown("parallel.sequence_parallel"), QStringLiteral("true"));
    }

    void tabTakesItToo() {
        QTest::keyClicks(enter("train.seq_len"), "4096");
        key(Qt::Key_Tab);
        test::settle();
        QVERIFY(!TypedField::of(form()->editor("train.seq_len"))->isWaiting());
        m_window->page(PageId::Plan)->undo();
        test::settle();
        QCOMPARE(shown("train.seq_len"), QStringLiteral("8192"));
    }

    void aPauseTakesItWithoutMovingTheCursor() {
        NumberEdit* seq = enter("train.seq_len");
        QTest::keyClicks(seq, "1638");
        EVENTUALLY(!TypedField::of(seq)->isWaiting());
        test::settle();
        QTest::keyClicks(seq, "4");
        key(Qt::Key_Return);
        test::settle();
        QCOMPARE(shown("train.seq_len"), QStringLiteral("16384"));
    }

    // The typed field is marked at the keystroke, before the plan changes.
    void everyKeystrokeIsChecked() {
        QTest::keyClicks(enter("parallel.tp"), "3");
        const QString issue = form()->issueShownAt("parallel.tp");
        QVERIFY2(issue.contains(QStringLiteral("tp = 3")), qPrintable(issue));
        QVERIFY2(!issue.contains(QStringLiteral("parallel.")), qPrintable(issue));  // as the form calls it
        // An emptied field is not a value: what it held is not taken while one looks for the next digit.
        key(Qt::Key_Backspace);
        QTest::qWait(TypedField::kPauseMilliseconds + 100);
        test::settle();
        QVERIFY(TypedField::of(form()->editor("parallel.tp"))->isWaiting());
        QTest::keyClicks(form()->editor("parallel.tp"), "2");
        QVERIFY2(form()->issueShownAt("parallel.tp").isEmpty(), qPrintable(form()->issueShownAt("parallel.tp")));
    }

    void whatAChangeSwitchesOffComesBackWithIt() {
        for (const char* tp : {"1", "2"}) {
            QTest::keyClicks(enter("parallel.tp"), tp);
            key(Qt::Key_Return);
            test::settle();
            QCOMPARE(shown("parallel.tp"), QString::fromLatin1(tp));
            QCOMPARE(shown("parallel.sequence_parallel"),
                     tp[0] == '1' ? QStringLiteral("false") : QStringLiteral("true"));
        }
        // What the person switched off stays off.
        qobject_cast<QCheckBox*>(form()->editor("parallel.sequence_parallel"))->click();
        for (const char* tp : {"1", "4"}) {
            QTest::keyClicks(enter("parallel.tp"), tp);
            key(Qt::Key_Return);
            test::settle();
        }
        QCOMPARE(shown("parallel.sequence_parallel"), QStringLiteral("false"));
    }

    void controlZUndoesTheLastChange_data() {
        QTest::addColumn<QString>("focus");
        for (const char* focus : {"field.train.seq_len", "field.name", "field.parallel.sequence_parallel",
                                  "field.train.precision", "fieldSearch", "layouts", "modelPreset"})
            QTest::addRow("%s", focus) << focus;
    }
    void controlZUndoesTheLastChange() {
        QFETCH(QString, focus);
        QTest::keyClicks(enter("train.seq_len"), "4096");
        key(Qt::Key_Return);
        QTest::keyClicks(enter("train.micro_batch_size"), "1");
        key(Qt::Key_Return);
        test::settle();
        auto* widget = page()->findChild<QWidget*>(focus);
        QVERIFY(widget);
        if (focus.startsWith(QStringLiteral("field."))) form()->focusField(focus.mid(6).toStdString());
        if (focus == QStringLiteral("fieldSearch")) page()->find();
        widget->setFocus(Qt::TabFocusReason);
        key(Qt::Key_Z, Qt::ControlModifier);
        test::settle();
        QCOMPARE(shown("train.micro_batch_size"), QStringLiteral("2"));
        QCOMPARE(shown("train.seq_len"), QStringLiteral("4096"));
        key(Qt::Key_Z, Qt::ControlModifier);
        test::settle();
        QCOMPARE(shown("train.seq_len"), QStringLiteral("8192"));
        key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        test::settle();
        QCOMPARE(shown("train.seq_len"), QStringLiteral("4096"));
    }

    // A text that the plan did not take is the last change that is seen.
    void controlZTakesARefusedTextBack() {
        QTest::keyClicks(enter("train.seq_len"), "4096");
        key(Qt::Key_Return);
        auto* line = qobject_cast<QLineEdit*>(form()->editor("parallel.layers_per_stage"));
        form()->focusField("parallel.layers_per_stage");
        QTest::keyClicks(line, "a,b");
        key(Qt::Key_Return);
        test::settle();
        QCOMPARE(line->text(), QStringLiteral("a,b"));
        key(Qt::Key_Z, Qt::ControlModifier);
        test::settle();
        QCOMPARE(line->text(), QString());
        QVERIFY(form()->issueShownAt("parallel.layers_per_stage").isEmpty());
        QCOMPARE(shown("train.seq_len"), QStringLiteral("4096"));
    }
};

SLIPWAY_TEST(TstPlanTyping)
#include "tst_plan_typing.moc"
