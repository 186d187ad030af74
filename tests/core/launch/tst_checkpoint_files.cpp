// Checkpoints as files: which is whole, and manifests of nodes that mean harm.
#include "core/base/file.h"
#include "core/launch/checkpoint_files.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    QVERIFY(writeFileAtomically(path, text));
}

}  // namespace

class TstCheckpointFiles : public QObject {
    Q_OBJECT

private slots:
    void findsTheNewestThatIsWhole() {
        const TempDir temp;
        const RunDir run{temp.path()};
        QVERIFY(!newestCheckpoint(run) && !newestWholeCheckpoint(run));
        const std::string manifest = R"({"files":[{"rank":0,"file":"rank_00000.safetensors","bytes":3}]})";
        for (const std::int64_t step : {5, 10, 15}) write(run.checkpoint(step) / "rank_00000.safetensors", "abc");
        write(run.checkpoint(5) / "manifest.json", manifest);
        write(run.checkpoint(10) / "manifest.json", manifest);
        write(run.checkpoints() / "coming_step_00000020" / "manifest.json", manifest);
        QCOMPARE(newestWholeCheckpoint(run), std::optional<std::int64_t>(10));
        write(run.checkpoint(10) / "rank_00000.safetensors", "ab");
        QCOMPARE(newestCheckpoint(run), std::optional<std::int64_t>(10));
        QCOMPARE(newestWholeCheckpoint(run), std::optional<std::int64_t>(5));
    }

    void readsNamesOnlyThatStayInTheFolder_data() {
        QTest::addColumn<QString>("files");
        QTest::addColumn<QString>("code");
        const auto named = [](const char* name) {
            return QStringLiteral(R"({"files":[{"rank":0,"file":"%1","bytes":3}]})").arg(QString::fromUtf8(name));
        };
        QTest::newRow("good") << named("rank_00000.safetensors") << "";
        for (const char* name : {"../config.json", "/etc/passwd", "..", "", "a/b", ".hidden", "manifest.json"})
            QTest::newRow(*name == '\0' ? "empty" : name) << named(name) << "bad_manifest";
        QTest::newRow("no list") << "{}"
                                 << "bad_manifest";
        QTest::newRow("a list") << "[]"
                                << "bad_manifest";
        QTest::newRow("negative") << R"({"files":[{"rank":"x","file":"a","bytes":1}]})"
                                  << "bad_manifest";
        QTest::newRow("not JSON") << "{"
                                  << "json_syntax";
        QTest::newRow("deep") << QString(QString(100, '[') + QString(100, ']')) << "json_too_deep";
    }
    void readsNamesOnlyThatStayInTheFolder() {
        QFETCH(QString, files);
        QFETCH(QString, code);
        const TempDir temp;
        write(temp.path() / "manifest.json", files.toStdString());
        const auto read = checkpointFiles(temp.path());
        QCOMPARE(QString::fromStdString(read ? "" : read.error().code), code);
    }

    // A link in the place of a manifest is not followed.
    void followsNoLink() {
        const TempDir temp;
        write(temp.path() / "secret", R"({"files":[]})");
        fs::create_directories(temp.path() / "step");
        fs::create_symlink(temp.path() / "secret", temp.path() / "step" / "manifest.json");
        const auto read = checkpointFiles(temp.path() / "step");
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("not_a_file"));
    }
};

SLIPWAY_TEST(TstCheckpointFiles)
#include "tst_checkpoint_files.moc"
