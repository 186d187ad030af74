#include "core/process/folder_watch.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <fstream>

using namespace slipway;
namespace fs = std::filesystem;

class TstFolderWatch : public QObject {
    Q_OBJECT

private slots:
    void namesWhatAppears() {
        test::TempDir temp;
        const fs::path folder = temp.path() / "runs";
        QVERIFY(!FolderWatch(folder).isActive());
        fs::create_directories(folder / "old");
        FolderWatch watch(folder);
        if (!watch.isActive()) QSKIP("this kernel has no free watches");
        QCOMPARE(*watch.take(), std::vector<std::string>());
        fs::create_directory(folder / "made");
        std::ofstream(folder / "old" / "below") << "not of the folder itself";
        fs::create_directory(temp.path() / "outside");
        fs::rename(temp.path() / "outside", folder / "moved");
        fs::remove(folder / "old" / "below");
        QCOMPARE(*watch.take(), (std::vector<std::string>{"made", "moved"}));
        QCOMPARE(*watch.take(), std::vector<std::string>());
    }
    void aFolderThatGoesEndsIt() {
        test::TempDir temp;
        const fs::path folder = temp.path() / "runs";
        fs::create_directory(folder);
        FolderWatch watch(folder);
        if (!watch.isActive()) QSKIP("this kernel has no free watches");
        fs::rename(folder, temp.path() / "away");
        fs::create_directory(folder);
        QVERIFY(!watch.take());
        QVERIFY(!watch.isActive());
        QVERIFY(!watch.take());
    }
};

SLIPWAY_TEST(TstFolderWatch)
#include "tst_folder_watch.moc"
