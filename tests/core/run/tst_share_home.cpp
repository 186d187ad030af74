// Homes: closed when they are new, as open as somebody made them, and shared with a group.
#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/process/file_lock.h"
#include "core/run/share_home.h"
#include "core/store/run_store.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

using namespace slipway;
using namespace slipway::test;

namespace {

struct Mode {
    unsigned bits = 0;
    gid_t group = 0;
};

Mode modeOf(const std::filesystem::path& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? Mode{info.st_mode & 07777, info.st_gid} : Mode{};
}

/// What of a tree has another mode; links do not count.
QStringList others(const std::filesystem::path& root, unsigned folders, unsigned files) {
    QStringList found;
    const auto look = [&](const std::filesystem::path& path) {
        if (std::filesystem::is_symlink(path)) return;
        const unsigned wanted = std::filesystem::is_directory(path) ? folders : files;
        if (modeOf(path).bits != wanted)
            found << QString("%1 %2").arg(QString::fromStdString(path.string())).arg(modeOf(path).bits, 0, 8);
    };
    look(root);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) look(entry.path());
    return found;
}

/// A group of this user other than that of new files, where there is one.
const struct group* someGroup() {
    gid_t mine[64];
    const int count = ::getgroups(64, mine);
    for (int i = 0; i < count; ++i)
        if (mine[i] != ::getegid())
            if (const struct group* known = ::getgrgid(mine[i])) return known;
    return ::getuid() == 0 ? ::getgrnam("users") : ::getgrgid(::getegid());
}

void fill(const Home& home, const char* name) {
    auto store = RunStore::open(home, OpenMode::ReadWrite);
    QVERIFY2(store.has_value(), store ? "" : store.error().text().c_str());
    NewRun run;
    run.id = RunId(name);
    run.config = tinyConfig(name);
    QVERIFY(store->createRun(run, 1).has_value());
    const RunDir dir = *home.run(run.id);
    QVERIFY(makeFolders(dir.checkpoint(1)).has_value());
    QVERIFY(AppendFile::open(dir.metrics()).has_value());
    QVERIFY(FileLock::tryLock(dir.path / "lock").has_value());
}

}  // namespace

class TstShareHome : public QObject {
    Q_OBJECT
    mode_t m_umask = 0;

private slots:
    void init() { m_umask = ::umask(022); }
    void cleanup() { ::umask(m_umask); }

    void newHomesAreClosed() {
        const TempDir temp;
        const Home home{temp.path() / "data" / "slipway"};
        fill(home, "one");
        QCOMPARE(others(home.path, 0700, 0600), QStringList());
        QCOMPARE(modeOf(temp.path() / "data").bits, modeOf(temp.path()).bits);  // only the home itself is closed
    }

    void anExistingHomeKeepsItsMode() {
        const TempDir temp;
        const Home home{temp.path() / "home"};
        std::filesystem::create_directories(home.path);
        QCOMPARE(modeOf(home.path).bits, 0755U);
        fill(home, "one");
        QCOMPARE(others(home.path, 0755, 0644), QStringList());
    }

    void sharedHomes() {
        const struct group* group = someGroup();
        if (group == nullptr) QSKIP("this user has no group with a name");
        const std::string name = group->gr_name;
        const gid_t id = group->gr_gid;
        const TempDir temp;
        const Home home{temp.path() / "home"};
        fill(home, "before");
        std::ofstream(temp.path() / "outside") << "x";
        ::chmod((temp.path() / "outside").c_str(), 0600);
        std::filesystem::create_symlink(temp.path() / "outside", home.path / "link");
        const auto shared = shareHome(home, name);
        QVERIFY2(shared.has_value(), shared ? "" : shared.error().text().c_str());
        std::int64_t folders = 1, files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(home.path))
            if (!entry.is_symlink()) ++(entry.is_directory() ? folders : files);
        QCOMPARE(shared->folders, folders);
        QCOMPARE(shared->files, files);
        QCOMPARE(others(home.path, 02770, 0660), QStringList());
        fill(home, "after");
        QCOMPARE(others(home.path, 02770, 0660), QStringList());
        for (const auto& entry : std::filesystem::recursive_directory_iterator(home.path))
            if (!entry.is_symlink()) QVERIFY2(modeOf(entry.path()).group == id, entry.path().c_str());
        QCOMPARE(modeOf(temp.path() / "outside").bits, 0600U);
        // A home that is made for it.
        const Home fresh{temp.path() / "fresh"};
        QVERIFY(shareHome(fresh, name).has_value());
        QCOMPARE(modeOf(fresh.path).bits, 02770U);
        QCOMPARE(shareHome(home, "no-such-group").error().code, std::string("unknown_group"));
    }

    void programsTakeTheModeOfTheirFolder() {
        const TempDir temp;
        for (const auto& [folder, mask] : {std::pair{0700U, 077U}, {0755U, 022U}, {02770U, 07U}}) {
            ::chmod(temp.path().c_str(), folder);
            takeUmaskOf(temp.path());
            QCOMPARE(::umask(022), mask);
        }
        takeUmaskOf(temp.path() / "missing");
        QCOMPARE(::umask(022), 022U);
    }
};
SLIPWAY_TEST(TstShareHome)
#include "tst_share_home.moc"
