#include "core/launch/launcher.h"
#include "core/launch/programs.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstPrograms : public QObject {
    Q_OBJECT

private slots:
    void readsVersions_data() {
        QTest::addColumn<QString>("printed");
        QTest::addColumn<QString>("version");
        QTest::newRow("plain") << "0.1.0\n"
                               << "0.1.0";
        QTest::newRow("with name and commit") << "slipway-trainer 0.1.0 (3f2a1b4c)\nlibtorch 2.11.0\n"
                                              << "0.1.0 (3f2a1b4c)";
        QTest::newRow("none") << "no version here\n"
                              << "";
        QTest::newRow("empty") << ""
                               << "";
    }
    void readsVersions() {
        QFETCH(QString, printed);
        QTEST(QString::fromStdString(versionIn(printed.toStdString())), "version");
    }

    void knowsItsLaunchers() {
        QVERIFY(makeLauncher("local", {}, {}));
        const auto other = makeLauncher("pigeon", {}, {});
        QVERIFY(!other);
        QVERIFY(other.error().message.find("local") != std::string::npos);
    }

    void saysThatProgramsAreMissing() {
        auto launcher = makeLauncher("local", {}, {});
        const RequestId request = (*launcher)->check("local");
        const auto events = (*launcher)->poll(0);
        QCOMPARE(events.size(), std::size_t(1));
        QCOMPARE(events[0].request, request);
        QCOMPARE(events[0].issues.size(), std::size_t(2));
    }
};

SLIPWAY_TEST(TstPrograms)
#include "tst_programs.moc"
