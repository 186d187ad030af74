#include "core/process/free_port.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "tests/support/slipway_test.h"

#include <signal.h>
#include <unistd.h>

using namespace slipway;

class TstProcFacts : public QObject {
    Q_OBJECT

private slots:
    void tellsAReusedNumberApart() {
        const ProcessIdentity self = identityOf(::getpid());
        QVERIFY(isAlive(self));
        ProcessIdentity other = self;
        other.startTicks += 1;
        QVERIFY(!isAlive(other));
        other = self;
        other.bootId = "00000000-0000-0000-0000-000000000000";
        QVERIFY(!isAlive(other));
        QVERIFY(!isAlive({}));
    }

    void seesStates() {
        ProcessSpec spec;
        spec.arguments = {"/bin/sleep", "60"};
        auto process = Process::start(spec);
        QVERIFY(process);
        const ProcessIdentity identity = identityOf(process->pid());
        QVERIFY(isAlive(identity));
        process->signal(SIGSTOP);
        QTRY_COMPARE_WITH_TIMEOUT(processState(process->pid()), 'T', 120000);
        process->signal(SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(processState(process->pid()), 'Z', 120000);
        QVERIFY(!isAlive(identity));  // a zombie runs no more
        QVERIFY(process->wait(120));
        QCOMPARE(processState(process->pid()), '\0');
    }

    void findsProcessesByEnvironment() {
        ProcessSpec spec;
        spec.arguments = {"/bin/sleep", "60"};
        spec.environment = std::vector<std::string>{"SLIPWAY_MARK=one", "OTHER=" + std::to_string(::getpid())};
        auto process = Process::start(spec);
        QVERIFY(process);
        const std::string other = "OTHER=" + std::to_string(::getpid());
        QCOMPARE(processesWithEnvironment({"SLIPWAY_MARK=one", other}), std::vector<std::int64_t>{process->pid()});
        QVERIFY(processesWithEnvironment({"SLIPWAY_MARK=on", other}).empty());
        QVERIFY(processesWithEnvironment({"SLIPWAY_MARK=one", "OTHER=2"}).empty());
        process->signal(SIGKILL);
        process->wait(120);
    }

    void knowsThisComputer() {
        QVERIFY(!hostName().empty());
        QVERIFY(usableCpus() >= 1);
        QVERIFY(*totalMemoryBytes() >= *availableMemoryBytes());
        QVERIFY(*availableMemoryBytes() > 1e6);
        QCOMPARE(bootId().size(), std::size_t(36));
    }

    void findsFreePorts() {
        const auto port = freePort("127.0.0.1");
        QVERIFY(port && *port > 1024 && *port < 65536);
        QCOMPARE(freePort("not an address").error().code, std::string("bad_address"));
    }
};

SLIPWAY_TEST(TstProcFacts)
#include "tst_proc_facts.moc"
