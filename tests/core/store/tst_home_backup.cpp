#include "core/base/file.h"
#include "core/base/json.h"
#include "core/store/home_backup.h"
#include "core/store/reindex.h"
#include "core/store/run_view.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

class TstHomeBackup : public QObject {
    Q_OBJECT

    static constexpr std::int64_t kNow = 2000000000000;

    static void addRun(StoreFixture& here, const std::string& id) {
        const RunId run = here.add(id, aConfig("cfg"));
        here.appendToStream(run, toLine(MetricHeader{1, run.value, 1, 0, 2, 50}) + stepLine(1, 3) + stepLine(2, 2.5));
        QVERIFY(rebuildIndex(here.home, kNow));
    }
    static bool save(const Home& home, const std::string& name, const std::string& filter) {
        RunView view;
        view.name = name;
        view.filter = filter;
        return saveView(home, view).has_value();
    }
    static std::vector<double> losses(const Home& home, const std::string& id) {
        auto store = RunStore::open(home, OpenMode::ReadOnly);
        const auto series = store ? store->series(RunId(id), "loss") : Result<MetricSeries>(fail(store.error()));
        return series ? series->values : std::vector<double>();
    }

private slots:
    // Index with its points, views and extra files come back, also into an empty home; what was there is kept aside.
    void whatWasBackedUpComesBack() {
        StoreFixture here;
        addRun(here, "kept");
        QVERIFY(save(here.home, "mine", "tp:2"));
        const fs::path extra = here.home.path / "window.ini";
        QVERIFY(writeFileAtomically(extra, "[general]\n"));
        test::TempDir temp;
        const fs::path folder = temp.path() / "it's a backup";
        const auto made = backUpHome(here.home, folder, kNow, {{"settings.ini", extra}});
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        QCOMPARE(made->numFiles, 3);
        QVERIFY(!fs::exists(folder / "home" / "runs") && !fs::exists(folder / "index.sqlite-wal"));
        QCOMPARE(readFile(folder / "extra" / "settings.ini").value_or(""), std::string("[general]\n"));
        QCOMPARE(backUpHome(here.home, folder, kNow).error().code, std::string("folder_not_empty"));

        QVERIFY(save(here.home, "mine", "tp:4"));
        QVERIFY(save(here.home, "later", ""));
        addRun(here, "later");
        const auto restored = restoreHome(here.home, folder, kNow);
        QVERIFY2(restored, restored ? "" : restored.error().text().c_str());
        QCOMPARE(readView(here.home, "mine")->filter, std::string("tp:2"));
        QCOMPARE(viewNames(here.home).size(), 1U);
        QVERIFY(fs::exists(restored->aside / "views" / "later.json") && fs::exists(restored->aside / "index.sqlite"));
        QCOMPARE(losses(here.home, "kept"), (std::vector<double>{3, 2.5}));
        // A store that was open follows, and adopts the run that came after the backup.
        QVERIFY(adoptFolders(here.store, kNow + 10000));
        QCOMPARE(losses(here.home, "later"), (std::vector<double>{3, 2.5}));

        const Home empty{temp.path() / "other home"};
        const auto elsewhere = restoreHome(empty, folder, kNow);
        QVERIFY2(elsewhere, elsewhere ? "" : elsewhere.error().text().c_str());
        QVERIFY(elsewhere->aside.empty());
        QCOMPARE(losses(empty, "kept"), (std::vector<double>{3, 2.5}));
        QCOMPARE(readView(empty, "mine")->filter, std::string("tp:2"));
    }
    // A damaged backup, and a list that leads elsewhere, change nothing.
    void damagedBackupsAreRefused() {
        StoreFixture here;
        addRun(here, "kept");
        QVERIFY(save(here.home, "mine", "tp:2"));
        test::TempDir temp;
        const fs::path folder = temp.path() / "backup";
        QCOMPARE(restoreHome(here.home, folder, kNow).error().code, std::string("not_a_backup"));
        QVERIFY(backUpHome(here.home, folder, kNow));
        QVERIFY(save(here.home, "mine", "tp:4"));
        const fs::path view = folder / "home" / "views" / "mine.json";
        const std::string text = *readFile(view);
        std::string sameSize = text;  // only its checksum differs
        sameSize[text.find("tp:2") + 3] = '4';
        for (const std::string& damaged : {text + " ", sameSize}) {
            QVERIFY(writeFileAtomically(view, damaged));
            QCOMPARE(restoreHome(here.home, folder, kNow).error().code, std::string("backup_damaged"));
        }
        QVERIFY(writeFileAtomically(view, text));
        const Json list = *readJsonFile(folder / "backup.json");
        for (const char* path : {"../x", "/etc/x", "home/runs/x", "home/../runs/x", "home", "home/./views/x", "x"}) {
            Json other = list;
            other["files"][0]["path"] = path;
            QVERIFY(writeJsonFile(folder / "backup.json", other));
            QCOMPARE(restoreHome(here.home, folder, kNow).error().code, std::string("not_a_backup"));
        }
        QCOMPARE(readView(here.home, "mine")->filter, std::string("tp:4"));
    }
};

SLIPWAY_TEST(TstHomeBackup)
#include "tst_home_backup.moc"
