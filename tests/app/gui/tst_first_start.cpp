#include "app/gui/main_window.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/spec_form.h"
#include "core/base/file.h"
#include "core/run/machine.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QComboBox>
#include <QProcess>

using namespace slipway;
using namespace slipway::gui;

namespace {

const std::filesystem::path kTrainer = std::filesystem::path(SLIPWAY_BIN_DIR) / "fake" / "slipway-trainer";

}  // namespace

/// A home of which nobody has measured the computer: that is done behind the window, once, and open plans take it over.
class TstFirstStart : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { test::useLook(); }
    void cleanup() { closeThreadStore(); }

    void thePeakIsMeasuredBehindTheWindow() {
        if (!std::filesystem::exists(kTrainer)) QSKIP("stand-in trainer not built");
        test::GuiHome home;
        const std::filesystem::path folder = home.dir.path().toStdString(), calls = folder / "calls",
                                    go = folder / "go";
        // A measurement that lasts until the test has seen what it wants.
        const std::filesystem::path trainer = folder / "slipway-trainer";
        QVERIFY(writeFileAtomically(trainer, "#!/bin/sh\necho called >> '" + calls.string() + "'\nwhile [ ! -e '" +
                                                 go.string() + "' ]; do sleep 0.05; done\nexec '" + kTrainer.string() +
                                                 "' \"$@\"\n"));
        std::filesystem::permissions(trainer, std::filesystem::perms::owner_all);
        home.programs.trainer = trainer;
        QVERIFY(home.start());
        MainWindow window(*home.context);
        window.resize(1280, 800);
        window.show();
        window.openPage(PageId::Plan);
        auto* presets = window.page(PageId::Plan)->findChild<QComboBox*>(QStringLiteral("modelPreset"));
        presets->setCurrentIndex(1);  // the tiny model, for this computer
        emit presets->activated(1);
        auto* answers = window.page(PageId::Plan)->findChild<AnswerStrip*>(QStringLiteral("answers"));
        EVENTUALLY(answers->figure(0).endsWith(QStringLiteral("MiB")));
        test::settle();
        QCOMPARE(answers->figure(1), unknownText());

        window.measureMachine();
        EVENTUALLY(std::filesystem::exists(calls));
        // Meanwhile pages open, and what is typed is planned.
        window.openPage(PageId::Settings);
        window.openPage(PageId::Plan);
        auto* form = window.page(PageId::Plan)->findChild<SpecForm*>(QStringLiteral("planForm"));
        auto* batch = qobject_cast<NumberEdit*>(form->editor("train.micro_batch_size"));
        const QString before = answers->figure(0);
        batch->setFocus();
        batch->selectAll();
        QTest::keyClicks(batch, "1");
        QTest::keyClick(batch, Qt::Key_Return);
        EVENTUALLY(answers->figure(0) != before);
        QVERIFY(!machineProfile(home.home));
        QCOMPARE(answers->figure(1), unknownText());

        QVERIFY(writeFileAtomically(go, ""));
        EVENTUALLY(answers->figure(1) != unknownText());
        QVERIFY(machineProfile(home.home)->peakFp32Flops);
        // A later start has nothing to measure.
        const auto called = readFile(calls);
        window.measureMachine();
        test::settle();
        QCOMPARE(*readFile(calls), *called);
    }

    // The program itself asks for it, in a home that is not there yet.
    void theProgramMeasures() {
        const QString program = QStringLiteral(SLIPWAY_BIN_DIR "/slipway-gui");
        if (!QFile::exists(program) || !std::filesystem::exists(kTrainer))
            QSKIP("window or stand-in trainer not built");
        test::GuiHome home;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("SLIPWAY_BIN_DIR"), QStringLiteral(SLIPWAY_BIN_DIR "/fake"));
        QProcess window;
        window.setProcessEnvironment(environment);
        window.start(program, {QStringLiteral("--home"), QString::fromStdString(home.home.path.string()),
                               QStringLiteral("--settings"), home.dir.filePath(QStringLiteral("gui.ini"))});
        QVERIFY(window.waitForStarted());
        EVENTUALLY(machineProfile(home.home) || window.state() == QProcess::NotRunning);
        QVERIFY2(machineProfile(home.home), window.readAllStandardError().constData());
        window.kill();
        QVERIFY(window.waitForFinished());
    }
};

SLIPWAY_TEST(TstFirstStart)
#include "tst_first_start.moc"
