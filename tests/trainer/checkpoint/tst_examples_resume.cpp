// The computed examples on when a checkpoint is written, how many stay, and which is the newest: by number, not by
// text.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/run_dir.h"
#include "trainer/checkpoint/checkpoint.h"
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
    /// A checkpoint without files, which is whole.
    static void complete(const RunDir& dir, std::int64_t step) {
        trainer::Manifest manifest;
        manifest.step = step;
        manifest.model = manifest.parallel = "{}";
        std::filesystem::create_directories(dir.checkpoint(step));
        QVERIFY(writeJsonFile(dir.checkpoint(step) / "manifest.json", trainer::toJson(manifest)).has_value());
    }
private slots:
    // 001-5.2: every row of the section is bound here.
    void everyRowIsBound() { QCOMPARE(exampleRows({"001-5.2"}).size(), std::size_t{2}); }

    // "Save every 1,000 steps or 1.0 hour, keep 5". A run of Slipway counts steps, never hours: two runs of one config
    // then have the same checkpoints. Its step 0 is before the first step, where the source saves and there is nothing
    // to lose.
    void every1000StepsKeep5() {
        auto rows = exampleRows({"001-5.2a"});
        QCOMPARE(rows.size(), std::size_t{1});
        const auto in = parseJson(rows[0]["inputs_json"], "row");
        QVERIFY(in.has_value());
        CheckpointSpec spec;
        spec.everySteps = 1000;
        spec.keep = 5;
        const std::int64_t numSteps = 10500;
        QCOMPARE(trainer::isCheckpointDue(spec, in->at("step").get<std::int64_t>(), numSteps, false),
                 rows[0]["expected"] == "true");
        const TempDir temp;
        const RunDir dir{temp.path()};
        std::vector<std::int64_t> saved;
        for (std::int64_t step = 1; step <= numSteps; ++step)
            if (trainer::isCheckpointDue(spec, step, numSteps, false)) saved.push_back(step);
        QCOMPARE(saved.size(), std::size_t{11});  // ten thousands and the last step
        QCOMPARE(saved.front(), std::int64_t{1000});
        QCOMPARE(saved.back(), numSteps);
        for (const std::int64_t step : saved) complete(dir, step);
        trainer::pruneCheckpoints(dir.checkpoints(), spec.keep);
        QVERIFY((trainer::completeCheckpoints(dir.checkpoints()) ==
                 std::vector<std::int64_t>{10500, 10000, 9000, 8000, 7000}));
        // Asked to stop: at once, but not twice at the last step; without a period only then.
        QVERIFY(trainer::isCheckpointDue(spec, 1234, numSteps, true));
        spec.everySteps = 0;
        QVERIFY(trainer::isCheckpointDue(spec, 1234, numSteps, true));
        QVERIFY(!trainer::isCheckpointDue(spec, numSteps, numSteps, false));
        QVERIFY(!trainer::isCheckpointDue(spec, numSteps, numSteps, true));
    }

    void newestByNumber() {
        auto rows = exampleRows({"001-5.2b"});
        QCOMPARE(rows.size(), std::size_t{1});
        const auto in = parseJson(rows[0]["inputs_json"], "row");
        const std::string expected = rows[0]["expected"];
        QVERIFY(in.has_value());
        const auto stepOf = [](const std::string& name) { return std::stoll(name.substr(name.find('-') + 1)); };
        const TempDir temp;
        const RunDir dir{temp.path()};
        std::vector<std::string> names = in->at("files").get<std::vector<std::string>>();
        for (const std::string& name : names) complete(dir, stepOf(name));
        const std::vector<std::int64_t> found = trainer::completeCheckpoints(dir.checkpoints());
        QCOMPARE(found.size(), names.size());
        QCOMPARE(found.front(), stepOf(expected));
        // As text the other one would be the newest.
        QVERIFY(*std::max_element(names.begin(), names.end()) != expected);
    }
};

SLIPWAY_TEST(TstExamplesResume)
#include "tst_examples_resume.moc"
