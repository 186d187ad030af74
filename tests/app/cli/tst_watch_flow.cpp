// `slipway watch`: what another program writes is seen live, once, however often it is watched.
#include "core/base/json.h"
#include "core/interop/tf_events.h"
#include "core/run/watch.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace slipway;
using namespace slipway::test;

namespace {

void append(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

QString curve(CliBench& bench, const std::string& name, const std::string& metric = "loss") {
    auto store = RunStore::open(bench.at.home, OpenMode::ReadOnly);
    const auto run = store->findRun(name);
    const auto series = run ? store->series(run->id, metric) : Result<MetricSeries>(fail(run.error()));
    QString out;
    for (std::size_t i = 0; series && i < series->steps.size(); ++i)
        out += QString("%1:%2 ").arg(series->steps[i]).arg(series->values[i]);
    return out.trimmed();
}

}  // namespace

class TstWatchFlow : public QObject {
    Q_OBJECT

private slots:
    void continuesWhereItWas() {
        CliBench bench;
        const std::string log = bench.file("train.log", "step 1: loss=3\nstep 2: loss=2\nstep 3: lo");
        auto read = bench.run({"watch", log, "--once", "--json"});
        QVERIFY2(read.code == 0, read.err.c_str());
        const Json first = *parseJson(read.out, "watch");
        QCOMPARE(first["steps_read"].get<int>(), 2);
        QCOMPARE(QString::fromStdString(first["status"]), QString("completed"));
        QCOMPARE(curve(bench, "train.log"), QString("1:3 2:2"));
        append(log, "ss=1.5\nstep 4: loss=1\n");
        read = bench.run({"watch", log, "--once", "--json"});
        const Json second = *parseJson(read.out, "watch");
        QVERIFY(second["run_id"] == first["run_id"]);
        QCOMPARE(second["steps_read"].get<int>(), 2);
        QCOMPARE(curve(bench, "train.log"), QString("1:3 2:2 3:1.5 4:1"));
        QCOMPARE((*parseJson(bench.run({"watch", log, "--once", "--json"}).out, "watch"))["steps_read"].get<int>(), 0);
        QCOMPARE(parseJson(bench.run({"runs", "--json"}).out, "runs")->size(), std::size_t{1});
        // The trainer went back to step 2 and writes another log.
        bench.file("train.log", "step 2: loss=9\nstep 3: loss=8\n");
        QCOMPARE(bench.run({"watch", log, "--once"}).code, 0);
        QCOMPARE(curve(bench, "train.log"), QString("1:3 2:9 3:8"));
    }

    void readsTablesAndEventFiles() {
        CliBench bench;
        const auto folder = bench.at.temp.path() / "exp";
        std::filesystem::create_directories(folder / "train");
        append(folder / "metrics.csv", "iter,train_loss,lr\n1,4,0.1\n2,3,0.1\n");
        QCOMPARE(bench
                     .run({"watch", (folder / "metrics.csv").string(), "--once", "--name", "table", "--map",
                           "step=iter,loss=train_loss"})
                     .code,
                 0);
        QCOMPARE(curve(bench, "table"), QString("1:4 2:3"));
        append(folder / "metrics.csv", "3,2.5,0.1\n");
        QCOMPARE(bench.run({"watch", (folder / "metrics.csv").string(), "--once", "--map", "step=iter,loss=train_loss"})
                     .code,
                 0);
        QCOMPARE(curve(bench, "table"), QString("1:4 2:3 3:2.5"));
        append(folder / "metrics.csv", "4,2,0.1\n");
        const std::string missing =
            bench.run({"watch", (folder / "metrics.csv").string(), "--once", "--map", "step=nothing"}).err;
        QVERIFY2(missing.find("The table has no column nothing") != std::string::npos, missing.c_str());
        // Event files go before tables: the same figures are not read twice.
        const std::string one = interop::tfRecord(interop::scalarEvent({10, 1, "train/loss", 5})),
                          two = interop::tfRecord(interop::scalarEvent({11, 2, "train/loss", 4.5}));
        append(folder / "train" / "events.out.tfevents.1.host", one + two.substr(0, 20));
        QCOMPARE(bench.run({"watch", folder.string(), "--once"}).code, 0);
        QCOMPARE(curve(bench, "exp"), QString("1:5"));
        append(folder / "train" / "events.out.tfevents.1.host", two.substr(20));
        QCOMPARE(bench.run({"watch", folder.string(), "--once"}).code, 0);
        QCOMPARE(curve(bench, "exp"), QString("1:5 2:4.5"));
    }

    void readsJsonLinesOfAFolder() {
        CliBench bench;
        const auto folder = bench.at.temp.path() / "json";
        std::filesystem::create_directories(folder);
        append(folder / "history.jsonl", "{\"step\": 1, \"loss\": 3.5}\n{\"loss\": 3, \"step\": 2}\n");
        QCOMPARE(bench.run({"watch", folder.string(), "--once"}).code, 0);
        QCOMPARE(curve(bench, "json"), QString("1:3.5 2:3"));
        // A mapping that comes too late is not passed over in silence.
        const auto late = bench.run({"watch", folder.string(), "--once", "--pattern", "x (?<loss>\\S+)"});
        QVERIFY2(late.err.find("All lines were read before") != std::string::npos, late.err.c_str());
    }

    void endsByInterruptAndByStop() {
        CliBench bench;
        const std::string log = bench.file("live.log", "step 1: loss=3\n");
        int polls = 0;
        bench.interrupts = [&] { return ++polls > 20 ? 1 : 0; };
        const auto ended = bench.run({"watch", log});
        QCOMPARE(ended.code, 130);
        QCOMPARE(curve(bench, "live.log"), QString("1:3"));
        bench.interrupts = [] { return 0; };
        QCOMPARE((*parseJson(bench.run({"show", "live.log", "--json"}).out, "show"))["status"].get<std::string>(),
                 std::string("completed"));
    }

    void oneWatchASource() {
        CliBench bench;
        const std::string log = bench.file("a.log", "step 1: loss=3\n");
        auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
        auto first = Watch::begin(*store, bench.at.home, {log, {}, ""}, unixMillisecondsNow());
        QVERIFY(first.has_value());
        const auto second = Watch::begin(*store, bench.at.home, {log, {}, ""}, unixMillisecondsNow());
        QCOMPARE(second.error().code, std::string("still_running"));
    }

    void refusesWhatItCannotRead() {
        CliBench bench;
        QCOMPARE(bench.run({"watch", (bench.at.temp.path() / "none").string()}).code, 2);
        QCOMPARE(bench.run({"watch", bench.file("x.log", "hello\n"), "--pattern", "loss"}).code, 2);
        const auto nothing = bench.run({"watch", bench.file("y.log", "hello\n"), "--once"});
        QVERIFY2(nothing.err.find("No file here gives figures by step") != std::string::npos, nothing.err.c_str());
    }
};

SLIPWAY_TEST(TstWatchFlow)
#include "tst_watch_flow.moc"
