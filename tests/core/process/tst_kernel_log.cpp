#include "core/process/kernel_log.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstKernelLog : public QObject {
    Q_OBJECT

private slots:
    void readsRecords_data() {
        QTest::addColumn<QByteArray>("record");
        QTest::addColumn<double>("seconds");  // -1: none
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("line") << QByteArray("3,1502,5678901,-;NVRM: Xid (PCI:0000:3b:00): 79") << 5.678901
                              << QByteArray("NVRM: Xid (PCI:0000:3b:00): 79");
        QTest::newRow("with tags") << QByteArray("6,1,2000000,-;a; b\n SUBSYSTEM=pci\n DEVICE=+pci:0\n") << 2.0
                                   << QByteArray("a; b");
        QTest::newRow("flags") << QByteArray("6,1,2000000,c,caller=T1;a") << 2.0 << QByteArray("a");
        QTest::newRow("no head") << QByteArray("only text") << -1.0 << QByteArray();
        QTest::newRow("no time") << QByteArray("6,1,x,-;a") << -1.0 << QByteArray();
        QTest::newRow("short head") << QByteArray("6;a") << -1.0 << QByteArray();
        QTest::newRow("empty") << QByteArray() << -1.0 << QByteArray();
    }
    void readsRecords() {
        QFETCH(QByteArray, record);
        const auto line = kernelLineOf(record.toStdString());
        QTEST(line ? line->monotonicSeconds : -1.0, "seconds");
        QTEST(line ? QByteArray::fromStdString(line->text) : QByteArray(), "text");
    }

    void countsKills() {
        QCOMPARE(oomKillsIn("low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n"), 2);
        QCOMPARE(oomKillsIn("oom_kill_disable 0\nunder_oom 0\noom_kill 4\n"), 4);
        QCOMPARE(oomKillsIn("oom_kill x"), 0);
        QCOMPARE(oomKillsIn(""), 0);
        QVERIFY(oomKills() >= 0);
    }

    void knowsBothVersionsOfCgroups() {
        QCOMPARE(oomFile("0::/user.slice/a\n"), std::filesystem::path("/sys/fs/cgroup/user.slice/a/memory.events"));
        QCOMPARE(oomFile("9:name=systemd:/\n6:memory:/job/7\n0::/x\n"),
                 std::filesystem::path("/sys/fs/cgroup/memory/job/7/memory.oom_control"));
        QVERIFY(oomFile("9:name=systemd:/\n").empty());
        QVERIFY(oomFile("nothing").empty() && oomFile("").empty());
    }

    void readsThisKernel() {
        const auto lines = kernelLines(0, 5);
        if (!lines) {
            QCOMPARE(lines.error().code, std::string("file_unreadable"));
            QSKIP("this user may not read the kernel's log");
        }
        QVERIFY(lines->size() <= 5);
        QVERIFY(kernelLines(1e12, 5)->empty());
    }
};

SLIPWAY_TEST(TstKernelLog)
#include "tst_kernel_log.moc"
