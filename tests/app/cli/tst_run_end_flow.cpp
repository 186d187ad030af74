// What a failed run tells in every command, and the files that launch --write makes.
#include "core/base/json.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

}  // namespace

class TstRunEndFlow : public QObject {
    Q_OBJECT

private slots:
    void aFailedRunNamesItsCause() {
        CliBench bench;
        const std::string file = bench.file("config.json", toJson(tinyConfig("bad [crash@4:1,ms=20]", 20, 2)).dump());
        const auto launched = bench.run({"launch", file, "--json"});
        QCOMPARE(launched.code, 1);
        const Json run = *parseJson(launched.out, "launch");
        const std::string id = run["run_id"];
        const QString reason = text(run["reason"]);
        QVERIFY2(reason.startsWith("Rank 1 after step ") && reason.contains("signal 6") &&
                     reason.contains("crash asked for"),
                 qPrintable(reason));
        const Json shown = *parseJson(bench.run({"show", id, "--json"}).out, "show");
        QCOMPARE(text(shown["reason"]), reason);
        QCOMPARE(text(shown["end"]["sentence"]), reason);
        QCOMPARE(text(shown["end"]["fault"]), QString("crash"));
        QCOMPARE(text(shown["end"]["kind"]), QString("code"));
        QCOMPARE(shown["end"]["rank"].get<int>(), 1);
        QCOMPARE(text(shown["end"]["decision"]["action"]), QString("stop"));
        const auto plain = bench.run({"show", id});
        QVERIFY2(text(plain.out).contains("No restart: the same config would fail again."), plain.out.c_str());
        QVERIFY(text(bench.run({"logs", id}).err).contains("failed: " + reason));
        // A run that ended well has nothing to tell.
        const std::string good = bench.file("good.json", toJson(tinyConfig("good", 5)).dump());
        const Json well = *parseJson(bench.run({"launch", good, "--json"}).out, "launch");
        const auto end = *parseJson(bench.run({"show", well["run_id"], "--json"}).out, "show");
        QVERIFY(end["end"].is_null() && end["reason"].is_null());
        QVERIFY(!text(bench.run({"logs", well["run_id"]}).err).contains("completed:"));
    }

    void writesJobFiles() {
        CliBench bench;
        const std::string file = bench.file("config.json", toJson(tinyConfig("tiny", 20, 4)).dump());
        const auto printed =
            bench.run({"launch", file, "--write", "slurm", "--devices-per-node", "2", "--queue", "q1"});
        QVERIFY2(printed.code == 0, printed.err.c_str());
        QVERIFY(text(printed.out).startsWith("#!/bin/bash\n#SBATCH --job-name=slipway-"));
        QVERIFY(text(printed.out).contains("#SBATCH --nodes=2\n") &&
                text(printed.out).contains("#SBATCH --partition=q1\n"));
        QVERIFY(text(printed.out).contains("srun --nodes=2 --ntasks=4 --ntasks-per-node=2"));
        const std::string out = (bench.at.temp.path() / "job.yaml").string();
        const Json told =
            *parseJson(bench.run({"launch", file, "--write", "dstack", "-o", out, "--json"}).out, "launch");
        QCOMPARE(text(told["file"]), text(out));
        QCOMPARE(text(told["text"]), text(*readFile(out)));
        QCOMPARE(told["run_ids"].size(), std::size_t{1});
        QVERIFY(!std::filesystem::exists(bench.at.home.runs()));  // nothing was started
        const std::string second = bench.file("second.json", toJson(tinyConfig("second", 20, 4)).dump());
        QVERIFY(text(bench.run({"launch", file, second, "--write", "slurm"}).out).contains("#SBATCH --array=0-1\n"));
        QCOMPARE(bench.run({"launch", file, second}).code, 2);
        QCOMPARE(bench.run({"launch", file, "--write", "pigeon"}).code, 2);
        QCOMPARE(bench.run({"launch", file, "--queue", "q1"}).code, 2);      // only with --write
        QCOMPARE(bench.run({"launch", file, "--write", "jobset"}).code, 2);  // without an image
    }
};

SLIPWAY_TEST(TstRunEndFlow)
#include "tst_run_end_flow.moc"
