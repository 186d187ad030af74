#include "core/process/file_lock.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace slipway;
using namespace slipway::test;

class TstFileLock : public QObject {
    Q_OBJECT

private slots:
    void hasOneHolder() {
        TempDir temp;
        auto first = FileLock::tryLock(temp.path() / "lock");
        QVERIFY(first && first->held());
        QCOMPARE(FileLock::tryLock(temp.path() / "lock").error().code, std::string("locked"));
        *first = FileLock();
        QVERIFY(FileLock::tryLock(temp.path() / "lock"));
    }

    void isFreedByDeath() {
        TempDir temp;
        const auto path = temp.path() / "lock";
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        const pid_t holder = ::fork();
        if (holder == 0) {
            const auto lock = FileLock::tryLock(path);
            const char held = lock ? '1' : '0';
            if (::write(ready[1], &held, 1) != 1 || !lock) ::_exit(1);
            for (;;) ::pause();
        }
        char held = '?';
        QCOMPARE(::read(ready[0], &held, 1), ssize_t(1));
        const bool refused = !FileLock::tryLock(path);
        ::kill(holder, SIGKILL);
        ::waitpid(holder, nullptr, 0);
        ::close(ready[0]);
        ::close(ready[1]);
        QCOMPARE(held, '1');
        QVERIFY(refused);
        QVERIFY(FileLock::tryLock(path));
    }

    void followsNoLinks() {
        TempDir temp;
        std::filesystem::create_symlink(temp.path() / "target", temp.path() / "lock");
        QCOMPARE(FileLock::tryLock(temp.path() / "lock").error().code, std::string("file_unwritable"));
        QVERIFY(!std::filesystem::exists(temp.path() / "target"));
    }
};

SLIPWAY_TEST(TstFileLock)
#include "tst_file_lock.moc"
