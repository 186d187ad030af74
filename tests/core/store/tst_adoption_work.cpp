// What a look at the folders costs: counted in folders and in calls of read(), which no clock and no other program changes.
#include "core/base/file.h"
#include "core/store/reindex.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <sys/resource.h>

#include <cstdlib>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kNow = 2000000000000;

/// Calls of read() and its kin by this process so far; -1 where the kernel does not count them.
std::int64_t numReads() {
    const std::string counts = readFile("/proc/self/io").value_or("");
    const std::size_t at = counts.find("syscr: ");
    return at == std::string::npos ? -1 : std::atoll(counts.c_str() + at + 7);
}

/// Reads of a look without news, and of one that finds folders of another program; how many folders that one went into.
struct Work {
    std::int64_t idle = 0, adopting = 0, numFolders = 0;
};

Work workOver(int numRuns, int numNew) {
    StoreFixture here, there;
    RunChange completed;
    completed.status = RunStatus::Completed;
    for (int i = 0; i < numRuns; ++i) {
        const RunId id = here.add("old" + std::to_string(10000 + i), aConfig("old"));
        if (!here.store.updateRun(id, completed)) qFatal("update");
    }
    Work work;
    const auto look = [&] {
        const std::int64_t before = numReads();
        work.numFolders = 0;
        const auto adopted = adoptFolders(here.store, kNow, [&](std::int64_t, std::int64_t) {
            ++work.numFolders;
            return true;
        });
        if (!adopted) qFatal("%s", adopted.error().text().c_str());
        return std::pair(numReads() - before, adopted->runs);
    };
    (void)look();  // fills what the store remembers of the folders
    work.idle = look().first;
    for (int i = 0; i < numNew; ++i) {
        const RunId id = there.add("new" + std::to_string(i), aConfig("new"));
        if (!there.store.updateRun(id, completed)) qFatal("update");
        there.appendToStream(id, toLine(MetricHeader{1, id.value, 1, 0, 2, 50}) + stepLine(1, 3));
        fs::copy(there.home.run(id)->path, here.home.run(id)->path, fs::copy_options::recursive);
    }
    const auto [reads, adopted] = look();
    if (adopted != numNew) qFatal("%d of %d adopted", static_cast<int>(adopted), numNew);
    work.adopting = reads;
    return work;
}

}  // namespace

class TstAdoptionWork : public QObject {
    Q_OBJECT

private slots:
    // Ten times the runs: the same files are read, and some pages more of an index that is larger.
    void itDependsOnWhatIsNewAlone() {
        if (numReads() < 0) QSKIP("this kernel does not count reads");
        constexpr int kNew = 3;
        const Work small = workOver(20, kNew), large = workOver(200, kNew);
        qInfo("reads over 20 and 200 runs: %lld and %lld without news, %lld and %lld for %d new folders",
              static_cast<long long>(small.idle), static_cast<long long>(large.idle),
              static_cast<long long>(small.adopting), static_cast<long long>(large.adopting), kNew);
        QCOMPARE(large.numFolders, std::int64_t{kNew});
        QVERIFY(small.adopting > small.idle);
        QCOMPARE(large.idle, small.idle);
        constexpr std::int64_t kPagesOfALargerTree = 30;
        QVERIFY(large.adopting <= small.adopting + kPagesOfALargerTree);
    }

    // The second look and every later one list nothing: the kernel names what is new. Here a listing could not open the folder.
    void noFolderIsListedTwice() {
        StoreFixture here;
        RunChange completed;
        completed.status = RunStatus::Completed;
        for (const char* name : {"one", "two"})
            QVERIFY(here.store.updateRun(here.add(name, aConfig("old")), completed));
        QVERIFY(adoptFolders(here.store, kNow));
        fs::create_directory(here.home.runs() / "gone");
        fs::remove(here.home.runs() / "gone");
        rlimit files{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &files), 0);
        const rlimit none{0, files.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &none), 0);
        const auto looked = adoptFolders(here.store, kNow);
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &files), 0);
        QVERIFY2(looked, looked ? "" : looked.error().text().c_str());
    }

    // A folder that is being copied, and a look that was broken off, lose nothing that was reported.
    void reportsAreKeptUntilTheyAreRead() {
        StoreFixture here, there;
        here.add("old", aConfig("old"));
        QVERIFY(adoptFolders(here.store, kNow));
        const RunId copied = there.add("copied", aConfig("new"));
        fs::create_directory(here.home.run(copied)->path);
        auto looked = adoptFolders(here.store, kNow);
        QVERIFY(looked && looked->runs == 0);
        fs::copy(there.home.run(copied)->path, here.home.run(copied)->path, fs::copy_options::recursive);
        const auto broken = adoptFolders(here.store, kNow, [](std::int64_t, std::int64_t) { return false; });
        QVERIFY(!broken && broken.error().code == "cancelled");
        looked = adoptFolders(here.store, kNow);
        QVERIFY(looked && looked->runs == 1);
        QVERIFY(here.store.run(copied));
    }

    void aNewFolderCostsTheSameEachTime() {
        if (numReads() < 0) QSKIP("this kernel does not count reads");
        const std::int64_t one = workOver(20, 1).adopting, ten = workOver(20, 10).adopting;
        QVERIFY(ten > one);
        QVERIFY2(ten < 12 * one, (std::to_string(one) + " " + std::to_string(ten)).c_str());
    }
};

SLIPWAY_TEST(TstAdoptionWork)
#include "tst_adoption_work.moc"
