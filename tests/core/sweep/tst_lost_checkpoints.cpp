// The node of a trial is lost for good: on another one the trial continues from the newest checkpoint that is whole here.
#include "core/launch/checkpoint_files.h"
#include "core/run/restart.h"
#include "tests/core/sweep/pool_bench.h"

#include <filesystem>
#include <optional>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

/// A trial that saves checkpoints at steps 3, 6 and 9; it stands before step 8 until it is let go on its node.
SweepFile standingTrial(const std::string& script) {
    RunConfig config = tinyConfig("", 10);
    config.checkpoint.everySteps = 3;
    Json file{{"schema", 1},
              {"name", "lost"},
              {"base", toJson(config)},
              {"points", Json::array({{{"name", "x [" + script + "]"}, {"train.seed", 1}}})}};
    Issues issues;
    return sweepFileFromJson(file, issues);
}

/// Of the last step, on the node.
std::string lastWeights(const Pool& pool, const std::string& node, const RunId& run) {
    const RunDir there{pool.nodes.home(node) / ".local/share/slipway-node/runs" / run.value};
    return readFile(there.checkpoint(9) / "rank_00000.safetensors").value_or("");
}

}  // namespace

class TstLostCheckpoints : public QObject {
    Q_OBJECT

private slots:
    void continuesFromWhatIsWholeHere_data() {
        QTest::addColumn<QString>("here");
        QTest::addColumn<int>("resumeStep");
        QTest::newRow("the newest") << "all" << 6;
        QTest::newRow("an older one") << "older" << 3;
        QTest::newRow("none") << "none" << 0;
        QTest::newRow("an older one, and half of the newest") << "half" << 3;
        QTest::newRow("an older one, and the newest damaged") << "damaged" << 3;
    }
    void continuesFromWhatIsWholeHere() {
        QFETCH(QString, here);
        QFETCH(int, resumeStep);
        Pool pool({"a", "b"});
        auto undisturbed = pool.open(standingTrial("ms=1"), {"b"});
        QVERIFY(undisturbed);
        pool.drive({&*undisturbed});
        const auto expected =
            lastWeights(pool, "b", loadSweepResult(*pool.bench.store, undisturbed->id())->trials[0].run);
        QVERIFY(!expected.empty());

        auto runner = pool.open(standingTrial("wait@8"), {"a", "b"});
        QVERIFY(runner);
        const auto run = [&] { return loadSweepResult(*pool.bench.store, runner->id())->trials[0].run; };
        pool.drive({&*runner}, 60, [&] {
            const auto folder = pool.bench.at.home.run(run());
            return folder && newestWholeCheckpoint(*folder) == 6 &&
                   readFile(folder->metrics()).value_or("").find("\"step\":6") != std::string::npos;
        });
        const RunDir folder = *pool.bench.at.home.run(run());
        QCOMPARE(newestWholeCheckpoint(folder), std::optional<std::int64_t>(6));
        const std::string node = pool.running("a").empty() ? "b" : "a", other = node == "a" ? "b" : "a";
        pool.nodes.set(node, "says", "ssh: connect to host a port 22: No route to host\n");
        pool.nodes.cut(node);
        // Several checkpoints in quick succession may be skipped for the newest one; here the older one came as well.
        const RunDir lost{pool.nodes.home(node) / ".local/share/slipway-node/runs" / run().value};
        if (!fs::exists(folder.checkpoint(3)))
            fs::copy(lost.checkpoint(3), folder.checkpoint(3), fs::copy_options::recursive);
        const fs::path newest = folder.checkpoint(6), coming = folder.checkpoints() / "coming_step_00000006";
        if (here == QLatin1String("older")) fs::remove_all(newest);
        if (here == QLatin1String("none")) fs::remove_all(folder.checkpoints());
        if (here == QLatin1String("half")) {
            // A file of the lost attempt with as many bytes as the manifest names, and one that is missing.
            auto manifest = readJsonFile(newest / "manifest.json");
            QVERIFY(manifest);
            (*manifest)["files"].push_back(Json{{"rank", 0}, {"file", "rank_00001.safetensors"}, {"bytes", 7}});
            fs::rename(newest, coming);
            QVERIFY(writeJsonFile(coming / "manifest.json", *manifest));
            QVERIFY(writeFileAtomically(coming / "rank_00000.safetensors",
                                        std::string(fs::file_size(coming / "rank_00000.safetensors"), '7')));
        }
        if (here == QLatin1String("damaged")) fs::resize_file(newest / "rank_00000.safetensors", 10);

        const auto isSaid = [&](const std::string& text) { return pool.problems.find(text) != std::string::npos; };
        pool.drive({&*runner}, 60, [&] { return isSaid("does not answer within 10.0"); });
        pool.later += 601'000;
        pool.drive({&*runner}, 60, [&] { return isSaid("the node could not be reached any more"); });
        const std::string step = std::to_string(resumeStep);
        QVERIFY2(isSaid(resumeStep > 0 ? "Restart from the checkpoint of step " + step : "Restart from the first step"),
                 pool.problems.c_str());
        const RunDir there{pool.nodes.home(other) / ".local/share/slipway-node/runs" / run().value};
        pool.drive({&*runner}, 60, [&] { return fs::exists(there.path / "control"); });
        QVERIFY(!fs::exists(coming));
        QVERIFY(writeFileAtomically(there.path / "control" / "go", ""));
        pool.drive({&*runner});
        QVERIFY2(isAll(pool.bench.statuses(runner->id()), "completed"), pool.problems.c_str());
        const auto attempts = pool.bench.store->attempts(run());
        QVERIFY(attempts && !attempts->empty());
        QCOMPARE(attempts->back().resumeStep, std::int64_t{resumeStep});
        QCOMPARE(pool.bench.store->series(run(), "loss")->size(), std::size_t{10});
        QVERIFY(lastWeights(pool, other, run()) == expected);
    }
};

SLIPWAY_TEST(TstLostCheckpoints)
#include "tst_lost_checkpoints.moc"
