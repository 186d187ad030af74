// The computed example on the newest checkpoint: by number, not by text.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/run_dir.h"
#include "trainer/checkpoint/manifest.h"

#include <nlohmann/json.hpp>

#include <algorithm>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/example_rows.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::test;

class TstExamplesResume : public QObject {
    Q_OBJECT
private slots:
    void row_data() {
        QTest::addColumn<QString>("inputs");
        QTest::addColumn<QString>("expected");
        auto rows = exampleRows({"001-5.2b"});
        QCOMPARE(rows.size(), std::size_t{1});
        for (auto& row : rows)
            QTest::newRow(row["id"].c_str())
                << QString::fromStdString(row["inputs_json"]) << QString::fromStdString(row["expected"]);
    }
    void row() {
        QFETCH(QString, inputs);
        QFETCH(QString, expected);
        const auto in = parseJson(inputs.toStdString(), "row");
        QVERIFY(in.has_value());
        const auto stepOf = [](const std::string& name) { return std::stoll(name.substr(name.find('-') + 1)); };
        const TempDir temp;
        const RunDir dir{temp.path()};
        std::vector<std::string> names = in->at("files").get<std::vector<std::string>>();
        for (const std::string& name : names) {
            trainer::Manifest manifest;
            manifest.step = stepOf(name);
            manifest.model = manifest.parallel = "{}";
            std::filesystem::create_directories(dir.checkpoint(manifest.step));
            QVERIFY(
                writeJsonFile(dir.checkpoint(manifest.step) / "manifest.json", trainer::toJson(manifest)).has_value());
        }
        const std::vector<std::int64_t> found = trainer::completeCheckpoints(dir.checkpoints());
        QCOMPARE(found.size(), names.size());
        QCOMPARE(found.front(), stepOf(expected.toStdString()));
        // As text the other one would be the newest.
        QVERIFY(*std::max_element(names.begin(), names.end()) != expected.toStdString());
    }
};

SLIPWAY_TEST(TstExamplesResume)
#include "tst_examples_resume.moc"
