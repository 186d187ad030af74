// Files as guides and lessons print them: configs, launch lines and logs. The project's own have the same options; where the
// folder of the originals lies beside the project they are read as well.
#include "core/base/file.h"
#include "core/interop/log_reader.h"
#include "core/interop/stated_fields.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

namespace slipway::interop {
namespace {

/// The original of a file of ours, if it is there.
QString original(const QString& own) {
    static const std::map<std::string, std::string> names = {
        {"megatron.sh", "megatron.sh"},   {"ds_zero2.json", "ds000_10.json"}, {"ds_zero3_fp16.json", "ds001.json"},
        {"ds_zero1.json", "megds.json"},  {"olmo.yaml", "olmo.yaml"},         {"titan.toml", "titan.toml"},
        {"deepspeed.sh", "launch_ds.sh"}, {"torchrun.sh", "torchrun001.sh"}};
    const auto found = names.find(own.toStdString());
    if (found == names.end()) return {};
    return QString(SLIPWAY_TEST_DATA) + "/../../../shared/requirements/sources/" +
           QString::fromStdString(found->second);
}

Imported readFileAt(const QString& path) {
    const std::string text = readFile(path.toStdString()).value();
    const std::string format = guessFormat(text);
    auto imported = importConfig(format, text, path.toStdString());
    if (!imported) qFatal("%s", imported.error().text().c_str());
    return *imported;
}

/// The message of the remark about a key; empty when there is none.
std::string remarkOn(const Imported& imported, const std::string& key) {
    for (const Remark& remark : imported.remarks)
        if (remark.key == key) return textOf(remark.message);
    return {};
}

Log readOwnLog(const char* name, const std::optional<RunConfig>& config = {}) {
    const std::string text = readFile(std::string(SLIPWAY_TEST_DATA) + "/interop/sources/" + name).value();
    auto log = readLog(text, name, {}, config);
    if (!log) qFatal("%s", log.error().text().c_str());
    return *log;
}

double valueOf(const MetricStep& step, const std::string& metric) {
    for (const auto& [name, value] : step.values)
        if (name == metric) return value;
    return std::numeric_limits<double>::infinity();
}

}  // namespace

class TstSourceFiles : public QObject {
    Q_OBJECT

    /// Rows for a file of ours and its original.
    static void rows(const char* own) {
        QTest::addColumn<QString>("path");
        QTest::newRow("ours") << QString(SLIPWAY_TEST_DATA) + "/interop/sources/" + own;
        const QString other = original(own);
        if (std::filesystem::exists(other.toStdString())) QTest::newRow("original") << other;
    }

private slots:
    void megatron_data() { rows("megatron.sh"); }
    void megatron() {
        QFETCH(QString, path);
        const Imported read = readFileAt(path);
        const ParallelLayout& p = read.config.parallel;
        QCOMPARE(p.dp, 4);
        QCOMPARE(p.tp, 8);
        QCOMPARE(p.pp, 16);
        QCOMPARE(read.worldSize.value_or(0), 512);
        QCOMPARE(read.launch.value().nodes, 64);
        QCOMPARE(read.config.optimizer.schedule.warmupSteps, 300);
        QCOMPARE(read.config.model.vocabSize, 50257);
        QVERIFY(remarkOn(read, "vocab-file").find("--vocab-size is not given") != std::string::npos);
        QVERIFY(remarkOn(read, "lr-warmup-fraction").empty());
    }

    void warmupFraction() {
        const auto steps = [](const char* options) {
            return importConfig("megatron", std::string("--num-layers 2 ") + options, "a");
        };
        QCOMPARE(steps("--train-iters 1000 --lr-warmup-fraction 0.01")->config.optimizer.schedule.warmupSteps, 10);
        // Of lr-decay-iters where they are given; a linear fall begins behind it.
        QCOMPARE(steps("--train-iters 1000 --lr-decay-iters 500 --lr-warmup-fraction 0.01")
                     ->config.optimizer.schedule.warmupSteps,
                 5);
        QCOMPARE(steps("--train-iters 1000 --lr-warmup-fraction 0.01")->config.optimizer.schedule.decaySteps, 990);
        QVERIFY(!steps("--train-iters 1000 --lr-warmup-fraction 2"));
    }

    void deepSpeedZero2_data() { rows("ds_zero2.json"); }
    void deepSpeedZero2() {
        QFETCH(QString, path);
        // Buckets are of data-parallel ranks, whose number the file does not give.
        RunConfig base;
        base.parallel.dp = 2;
        const std::string text = readFile(path.toStdString()).value();
        const auto read = importConfig("deepspeed", text, "a", base);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->config.parallel.zeroStage, 2);
        // 2e8 elements of bf16; with ZeRO 2 a bucket is a block of the model, which is said.
        QVERIFY(remarkOn(*read, "parallel.bucket_bytes").find("no effect") != std::string::npos);
        for (const Remark& remark : read->remarks)
            if (remark.key == "parallel.bucket_bytes") QCOMPARE(remark.value, std::string("400000000"));
        QCOMPARE(read->config.train.precision, Precision::Bf16);
        QCOMPARE(read->config.train.microBatchSize, 4);
        QCOMPARE(read->config.numMicroBatches(), 8);
        const auto stated = statedFields("deepspeed", text, "a");
        QVERIFY(stated->contains("train.micro_batch_size") && !stated->contains("model.vocab_size") &&
                !stated->contains("train.num_steps"));
    }

    void deepSpeedLossScale_data() { rows("ds_zero3_fp16.json"); }
    void deepSpeedLossScale() {
        QFETCH(QString, path);
        const Imported read = readFileAt(path);
        QCOMPARE(read.config.parallel.zeroStage, 3);
        QCOMPARE(read.config.parallel.dp, 8);
        QVERIFY(offloadsOptimizer(read.config.parallel.offload));
        QCOMPARE(read.config.train.precision, Precision::Fp16);
        QCOMPARE(read.config.train.lossScale, 65536.0);
        QCOMPARE(read.config.train.lossScaleInterval, 1000);
        QCOMPARE(read.config.train.numSteps, 100000);
        QVERIFY(remarkOn(read, "fp16.hysteresis").find("first one halves it") != std::string::npos);
        QVERIFY(!remarkOn(read, "fp16.min_loss_scale").empty());
        QVERIFY(remarkOn(read, "fp16.initial_scale_power").empty() && remarkOn(read, "fp16.loss_scale_window").empty());
    }

    void lossScaleThereAndBack() {
        RunConfig config;
        config.train.precision = Precision::Fp16;
        config.train.lossScale = 4096;
        config.train.lossScaleInterval = 500;
        const auto text = exportConfig("deepspeed", config);
        QVERIFY(text);
        for (const Remark& remark : text->remarks)
            QVERIFY2(!QByteArray(remark.key.c_str()).startsWith("train.loss_scale"), textOf(remark.message).c_str());
        const auto back = importConfig("deepspeed", text->text, "a");
        QCOMPARE(back->config.train.lossScale, 4096.0);
        QCOMPARE(back->config.train.lossScaleInterval, 500);
        // A fixed scale is said, and a power that no scale has is refused.
        const auto fixed = importConfig("deepspeed", R"({"fp16": {"enabled": true, "loss_scale": 128}})", "a");
        QCOMPARE(fixed->config.train.lossScale, 128.0);
        QVERIFY(!remarkOn(*fixed, "fp16.loss_scale").empty());
        QVERIFY(!importConfig("deepspeed", R"({"fp16": {"enabled": true, "initial_scale_power": 99}})", "a"));
    }

    void deepSpeedZero1_data() { rows("ds_zero1.json"); }
    void deepSpeedZero1() {
        QFETCH(QString, path);
        const RunConfig config = readFileAt(path).config;
        QCOMPARE(config.parallel.zeroStage, 1);
        QCOMPARE(config.train.globalBatchSize, 2048);
        QCOMPARE(config.train.microBatchSize, 1);
        QCOMPARE(config.numMicroBatches(), 256);
    }

    void olmo_data() { rows("olmo.yaml"); }
    void olmo() {
        QFETCH(QString, path);
        const Imported read = readFileAt(path);
        QCOMPARE(read.config.model.ffnHiddenSize, 11008);
        QVERIFY(remarkOn(read, "model.mlp_ratio").find("10922.67 is rounded up to 11008") != std::string::npos);
        QCOMPARE(read.config.train.numSteps, 300000);
        QCOMPARE(read.config.train.precision, Precision::Bf16);
        QCOMPARE(read.config.parallel.zeroStage, 3);
    }

    void durations_data() {
        QTest::addColumn<QString>("duration");
        QTest::addColumn<int>("steps");  // 100 is the base's
        QTest::newRow("steps") << "500" << 500;
        QTest::newRow("batches") << "500ba" << 500;
        QTest::newRow("tokens") << "2e12T" << 100;
        QTest::newRow("epochs") << "1ep" << 100;
    }
    void durations() {
        QFETCH(QString, duration);
        const auto read = importConfig(
            "olmo",
            "model: {d_model: 64, mlp_ratio: 4}\noptimizer: {name: adamw}\nmax_duration: " + duration.toStdString(),
            "a");
        QVERIFY(read);
        QTEST(static_cast<int>(read->config.train.numSteps), "steps");
        QCOMPARE(read->config.model.ffnHiddenSize, 128);  // a whole ratio counts both halves
        QCOMPARE(remarkOn(*read, "max_duration").empty(), read->config.train.numSteps == 500);
    }

    void torchtitan_data() { rows("titan.toml"); }
    void torchtitan() {
        QFETCH(QString, path);
        const Imported read = readFileAt(path);
        QCOMPARE(read.config.model.numLayers, 32);
        QCOMPARE(read.config.train.seqLen, 8192);
        QCOMPARE(read.config.train.microBatchSize, 8);
        QCOMPARE(read.config.parallel.zeroStage, 3);
        QCOMPARE(read.config.checkpoint.everySteps, 500);
        // What is said of a key names it where it is.
        QVERIFY(!remarkOn(read, "training.data_parallel_shard_degree").empty());
        QVERIFY(remarkOn(read, "training.tensor_parallel_degree").empty());
    }

    void olderTorchtitan() {
        const auto read = importConfig("torchtitan",
                                       "[training]\ntensor_parallel_degree = 4\ndata_parallel_degree = 8\n"
                                       "[experimental]\npipeline_parallel_degree = 2\ncontext_parallel_degree = 2\n",
                                       "a");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const ParallelLayout& p = read->config.parallel;
        QVERIFY(p.tp == 4 && p.dp == 8 && p.pp == 2 && p.cp == 2);
    }

    void launchLines_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("address");
        for (const char* own : {"deepspeed.sh", "torchrun.sh"}) {
            const QString address = QByteArray(own) == "deepspeed.sh" ? "node0" : "master";
            QTest::newRow(own) << QString(SLIPWAY_TEST_DATA) + "/interop/sources/" + own << address;
            if (std::filesystem::exists(original(own).toStdString()))
                QTest::newRow((QByteArray(own) + ", original").constData()) << original(own) << address;
        }
    }
    void launchLines() {
        QFETCH(QString, path);
        QFETCH(QString, address);
        const Imported read = readFileAt(path);
        QCOMPARE(read.worldSize.value_or(0), 32);
        QCOMPARE(read.config.parallel.dp, 32);
        QVERIFY(read.launch.has_value());
        QCOMPARE(read.launch->nodes, 4);
        QCOMPARE(read.launch->devicesPerNode.value_or(0), 8);
        QCOMPARE(QString::fromStdString(read.launch->address), address);
        QCOMPARE(read.launch->port, std::string("29500"));
        bool saysNoModel = false;
        for (const Remark& remark : read.remarks)
            saysNoModel = saysNoModel ||
                          textOf(remark.message).find("model, batch and length are the base's") != std::string::npos;
        QVERIFY(saysNoModel);
        QVERIFY(validate(read.config).empty());
    }

    void tokensAndNoSteps() {
        const Log log = readOwnLog("tokens.txt");
        QCOMPARE(log.format, std::string("prints"));
        const LogRun& run = log.runs.at(0);
        QCOMPARE(run.steps.size(), std::size_t{3});
        QCOMPARE(run.steps[1].tokens, 40000000);
        QCOMPARE(valueOf(run.steps[1], "loss"), 8.4);
        QCOMPARE(valueOf(run.steps[2], "lr"), 2.9e-4);
        QCOMPARE(valueOf(run.steps[0], "perplexity"), 8955.3);
        QCOMPARE(run.steps[2].step, 3);
        QCOMPARE(run.remarks.size(), std::size_t{1});
        // With the tokens of a step the tokens give its number.
        RunConfig config;
        config.train.seqLen = 1000;
        config.train.globalBatchSize = 1000;
        const Log counted = readOwnLog("tokens.txt", config);
        QCOMPARE(counted.runs[0].steps[2].step, 60);
        QVERIFY(counted.runs[0].remarks.empty());
    }

    void stepsAndSpikes() {
        const Log log = readOwnLog("steps.txt");
        QCOMPARE(log.lines, 5);
        QCOMPARE(log.used, 4);
        const std::vector<MetricStep>& steps = log.runs.at(0).steps;
        QCOMPARE(steps.size(), std::size_t{3});
        QCOMPARE(valueOf(steps[1], "loss"), 8.4);
        QCOMPARE(valueOf(steps[1], "spike_loss"), 12.5);
        QCOMPARE(valueOf(steps[1], "spike_mean_loss"), 8.4);
        QCOMPARE(valueOf(steps[2], "loss"), 7.7);

        const Log equal = readOwnLog("steps_equal.txt");
        QCOMPARE(valueOf(equal.runs.at(0).steps.at(1), "lr"), 3e-6);
        QVERIFY(std::isnan(valueOf(equal.runs[0].steps.at(2), "loss")));
        QCOMPARE(valueOf(readOwnLog("spike.txt").runs.at(0).steps.at(0), "loss"), 12.5);
    }

    void tables() {
        const Log chart = readOwnLog("wandb.csv");
        QCOMPARE(chart.format, std::string("csv"));
        QCOMPARE(chart.runs.size(), std::size_t{2});
        QCOMPARE(chart.runs[0].name, std::string("base"));
        QCOMPARE(chart.runs[1].name, std::string("wide"));
        QCOMPARE(chart.runs[1].steps.size(), std::size_t{2});
        QCOMPARE(chart.runs[1].steps[1].step, 4);
        QCOMPARE(valueOf(chart.runs[1].steps[1], "loss"), 7.5);
        QCOMPARE(chart.runs[0].steps[0].values.size(), std::size_t{1});  // without the chart's band

        const Log table = readOwnLog("table.csv");
        QCOMPARE(table.runs.at(0).name, std::string("table.csv"));
        QCOMPARE(table.runs[0].steps.size(), std::size_t{2});
        QCOMPARE(valueOf(table.runs[0].steps[1], "loss"), 8.3);  // the last of a step that stands twice
        QCOMPARE(valueOf(table.runs[0].steps[1], "eval_loss"), 8.6);
        QCOMPARE(table.malformed.at("no step number").count, 1);
    }

    // Columns that nobody knows, under the names that the person gives.
    void renamedTables_data() {
        QTest::addColumn<QString>("table");
        QTest::addColumn<QStringList>("columns");
        QTest::addColumn<QString>("steps");  // of the first run, or the code of the error
        QTest::addColumn<QString>("uses");
        using Names = QStringList;
        const QString foreign = "Zug,Verlust,Krach\n1,4.5,9\n2,4.25,8\n";
        QTest::newRow("as it is") << foreign << Names{} << "bad_log"
                                  << "zug verlust krach";
        QTest::newRow("named") << foreign << Names{"step=Zug", "loss=Verlust"}
                               << "1: krach=9 loss=4.5, 2: krach=8 loss=4.25"
                               << "step loss krach";
        QTest::newRow("left out") << foreign << Names{"step=Zug", "loss=Verlust", "=Krach"}
                                  << "1: loss=4.5, 2: loss=4.25"
                                  << "step loss -";
        QTest::newRow("exchanged") << foreign << Names{"step=Zug", "Krach=Verlust", "Verlust=Krach"}
                                   << "1: krach=4.5 verlust=9, 2: krach=4.25 verlust=8"
                                   << "step krach verlust";
        QTest::newRow("semicolons") << "Zug;Verlust\n1;4.5\n"
                                    << Names{"step=Zug", "loss=Verlust"} << "1: loss=4.5"
                                    << "step loss";
        QTest::newRow("another column of steps") << "step,Zug,loss\n1,10,4.5\n"
                                                 << Names{"step=Zug"} << "10: loss=4.5"
                                                 << "- step loss";
        QTest::newRow("of two runs") << "Step,a - Verlust,b - Verlust,b - Krach\n1,4,5,6\n"
                                     << Names{"loss=Verlust", "=Krach"} << "1: loss=4"
                                     << "step loss -";
        QTest::newRow("twice") << foreign << Names{"loss=Zug", "loss=Verlust"} << "usage"
                               << "usage";
        QTest::newRow("unknown") << foreign << Names{"step=zug"} << "unknown_column"
                                 << "unknown_column";
        QTest::newRow("no table") << "hello, world\nand, more\n"
                                  << Names{} << "bad_log"
                                  << "csv_syntax";
    }
    void renamedTables() {
        QFETCH(QString, table);
        QFETCH(QStringList, columns);
        QFETCH(QString, steps);
        QFETCH(QString, uses);
        std::vector<std::string> given;
        for (const QString& column : columns) given.push_back(column.toStdString());
        std::string found;
        const auto renamed = renamedColumns(table.toStdString(), given);
        const auto log = renamed ? readLog(*renamed, "t.csv", "csv") : Result<Log>(fail(renamed.error()));
        if (log)
            for (const MetricStep& step : log->runs.at(0).steps) {
                found += (found.empty() ? "" : ", ") + std::to_string(step.step) + ":";
                for (const auto& [name, value] : step.values) {
                    std::ostringstream text;
                    text << " " << name << "=" << value;
                    found += text.str();
                }
            }
        QCOMPARE(QString::fromStdString(log ? found : log.error().code), steps);
        const auto columnsAs = columnUses(table.toStdString(), given);
        std::string names;
        if (columnsAs)
            for (const NameUse& use : *columnsAs)
                names += (names.empty() ? "" : " ") + (use.metric.empty() ? "-" : use.metric);
        QCOMPARE(QString::fromStdString(columnsAs ? names : columnsAs.error().code), uses);
    }

    // Every original becomes a config or a run.
    void originals() {
        const std::string folder = std::string(SLIPWAY_TEST_DATA) + "/../../../shared/requirements/sources";
        if (!std::filesystem::exists(folder)) QSKIP("the folder of the originals is not here");
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string(), text = readFile(entry.path()).value();
            if (name == "README.md") continue;
            if (name.ends_with(".txt") || name.ends_with(".csv")) {
                const auto log = readLog(text, name);
                QVERIFY2(log && log->runs.size() == 1 && valueOf(log->runs[0].steps.at(0), "loss") > 1, name.c_str());
            } else {
                const auto imported = importConfig(guessFormat(text), text, name);
                QVERIFY2(imported, (name + (imported ? "" : imported.error().message)).c_str());
            }
        }
    }

    void whatIsNoLog() {
        for (const char* text : {"hello\n", "Loss: 3\n", "a,b\n1,2\n", "the first step: take a seat\n"})
            QCOMPARE(guessLogFormat(text), std::string());
        QVERIFY(!readLog("hello\n", "a", "prints"));
        QVERIFY(!readLog("a,b\n1,2\n", "a", "csv"));
    }
};

SLIPWAY_TEST(TstSourceFiles)

}  // namespace slipway::interop

#include "tst_source_files.moc"
