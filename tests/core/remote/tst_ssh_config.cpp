#include "core/base/file.h"
#include "core/remote/ssh_config.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;

class TstSshConfig : public QObject {
    Q_OBJECT

private slots:
    void namesHostsButNoPatterns() {
        const test::TempDir temp;
        const auto write = [&](const char* name, const std::string& text) {
            std::filesystem::create_directories((temp.path() / name).parent_path());
            QVERIFY(writeFileAtomically(temp.path() / name, text));
        };
        write("config",
              "# Host commented\nInclude conf.d/*.conf\nHost gpu1 gpu2  # two\n  HostName 10.0.0.1\n"
              "host=\"gpu 3\"\nHOST * !gpu9 gpu?\nHost gpu1\nMatch host x\nInclude config\nInclude /nowhere/*\n");
        write("conf.d/a.conf", "Host from-a\n");
        write("conf.d/b.txt", "Host from-b\n");
        QVERIFY(hostsInSshConfig(temp.path()) == (std::vector<std::string>{"from-a", "gpu1", "gpu2", "gpu 3"}));
        QVERIFY(hostsInSshConfig(temp.path() / "nowhere").empty());
    }
    void boundsWhatItReads() {
        const test::TempDir temp;
        std::string text;
        for (int i = 0; i < 5000; ++i) text += "Host h" + std::to_string(i) + "\n";
        QVERIFY(writeFileAtomically(temp.path() / "config", text));
        QCOMPARE(hostsInSshConfig(temp.path()).size(), std::size_t(1000));
    }
    // Each would be read eight times by each of the other, sixteen deep.
    void endsWhereFilesIncludeEachOther() {
        const test::TempDir temp;
        std::string text = "Host last\n";
        for (int i = 0; i < 8; ++i) text = "Include config\nInclude other\n" + text;
        for (const char* name : {"config", "other"}) QVERIFY(writeFileAtomically(temp.path() / name, text));
        QVERIFY(hostsInSshConfig(temp.path()) == std::vector<std::string>{"last"});
    }
};

SLIPWAY_TEST(TstSshConfig)
#include "tst_ssh_config.moc"
