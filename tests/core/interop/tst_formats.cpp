// What holds for every format, whatever its keys.
#include "core/interop/formats.h"
#include "tests/support/slipway_test.h"

#include <QRegularExpression>
#include <set>

namespace slipway::interop {

namespace {

RunConfig sample() {
    RunConfig c;
    c.train.precision = Precision::Bf16;
    c.parallel.dp = 2;
    c.parallel.zeroStage = 1;
    return c;
}

std::set<std::string> keysOf(const Remarks& remarks) {
    std::set<std::string> keys;
    for (const Remark& remark : remarks) keys.insert(remark.key);
    return keys;
}

}  // namespace

class TstFormats : public QObject {
    Q_OBJECT
private slots:
    void frameworksTrainOnGpus_data() {
        QTest::addColumn<QString>("format");
        for (const Format& format : formats())
            QTest::newRow(std::string(format.id).c_str()) << QString::fromStdString(std::string(format.id));
    }
    // The document over the base: members at any depth, null for the default, and unknown keys, however many, are named.
    void mergesADocumentIntoItsBase() {
        RunConfig base;
        base.parallel.dp = 4;
        base.parallel.tp = 2;
        base.train.seed = 7;
        const auto merged = importConfig("slipway", R"({"parallel": {"tp": null, "pp": 2}, "name": "x"})", "a", base);
        QVERIFY2(merged, merged ? "" : merged.error().text().c_str());
        QCOMPARE(merged->config.parallel.dp, std::int64_t(4));
        QCOMPARE(merged->config.parallel.tp, std::int64_t(1));
        QCOMPARE(merged->config.parallel.pp, std::int64_t(2));
        QCOMPARE(merged->config.train.seed, RunConfig(base).train.seed);
        QCOMPARE(merged->config.name, std::string("x"));
        std::string many = R"({"model": {"num_layers": 2)";
        for (int i = 0; i < 300000; ++i) many += ", \"k" + std::to_string(i) + "\": 1";
        for (const RunConfig& over : {RunConfig(), base}) {
            const auto read = importConfig("slipway", many + "}}", "a", over);
            QVERIFY(!read);
            QCOMPARE(read.error().code, std::string("bad_config"));
        }
    }

    // What a file of another framework does not say: its programs train on GPUs. Whoever says more, with a base, is
    // heard.
    void frameworksTrainOnGpus() {
        QFETCH(QString, format);
        const std::string id = format.toStdString();
        const std::string text = exportConfig(id, sample())->text;
        const bool ours = id == "slipway" || id == "huggingface";
        QVERIFY(importConfig(id, text, "a")->config.train.device == (ours ? DeviceKind::Cpu : DeviceKind::Gpu));
        RunConfig base;
        base.train.seed = 7;
        QVERIFY(importConfig(id, text, "a", base)->config.train.device == DeviceKind::Cpu);
        // So only a config for CPUs cannot be said.
        RunConfig gpu = sample();
        gpu.train.device = DeviceKind::Gpu;
        QCOMPARE(keysOf(exportConfig(id, sample())->remarks).contains("train.device"), !ours);
        QCOMPARE(keysOf(exportConfig(id, gpu)->remarks).contains("train.device"), id == "huggingface");
    }
    // A tenth of 3e-4 is 3e-5 to the last digit; what was a quotient, 1e-5 of 3e-5, comes back as it was.
    void rateAtTheEnd_data() {
        QTest::addColumn<double>("lr");
        QTest::addColumn<double>("ratio");
        QTest::addColumn<QString>("end");
        for (const char* format : {"megatron", "nanotron", "neox", "olmo-core", "torchrun"}) {
            const std::string name(format);
            QTest::newRow((name + ", a tenth").c_str()) << 3e-4 << 0.1 << "3(\\.0)?e-05";
            QTest::newRow((name + ", a third").c_str()) << 3e-5 << 1e-5 / 3e-5 << "1(\\.0)?e-05";
            QTest::newRow((name + ", seven hundredths").c_str()) << 1.1e-3 << 0.07 << "7\\.7e-05";
        }
    }
    void rateAtTheEnd() {
        QFETCH(double, lr);
        QFETCH(double, ratio);
        QFETCH(QString, end);
        const std::string format = QString::fromUtf8(QTest::currentDataTag()).section(',', 0, 0).toStdString();
        RunConfig c = sample();
        c.train.device = DeviceKind::Gpu;
        c.optimizer.lr = lr;
        c.optimizer.schedule.minLrRatio = ratio;
        if (format == "olmo-core") {  // writes a cosine's end as a fraction
            c.optimizer.schedule.kind = LrScheduleKind::Wsd;
            c.optimizer.schedule.decaySteps = 10;
        }
        const auto exported = exportConfig(format, c);
        QVERIFY2(exported, exported ? "" : exported.error().message.c_str());
        const QString text = QString::fromStdString(exported->text);
        QVERIFY2(text.contains(QRegularExpression("[ =\"]" + end + "\\b")), qPrintable(text));
        QCOMPARE(importConfig(format, exported->text, "a")->config.optimizer.schedule.minLrRatio, ratio);
    }
    // A part of a file that is read is not said to be left out; the rest of that part is.
    void readInPart() {
        const auto read = importConfig("olmo-core", exportConfig("olmo-core", sample())->text, "a");
        QVERIFY(read);
        QVERIFY(!keysOf(read->remarks).contains("model.block"));
        QVERIFY(keysOf(read->remarks).contains("model.block.layer_norm.bias"));
    }
    // DeepSpeed's buckets count for ZeRO-2 there, here they are units of the model: said, and the config is a legal
    // one.
    void whatHasNoEffectHereIsSaid_data() {
        QTest::addColumn<int>("stage");
        QTest::addColumn<bool>("counts");
        QTest::newRow("ZeRO-1") << 1 << true;
        QTest::newRow("ZeRO-2") << 2 << false;
        QTest::newRow("ZeRO-3") << 3 << false;
    }
    void whatHasNoEffectHereIsSaid() {
        QFETCH(int, stage);
        QFETCH(bool, counts);
        RunConfig config = sample();
        config.parallel.bucketBytes = 160000000;
        std::string text = exportConfig("deepspeed", config)->text;
        const std::string of1 = "\"stage\": 1";
        QVERIFY2(text.find(of1) != std::string::npos, text.c_str());
        text.replace(text.find(of1), of1.size(), "\"stage\": " + std::to_string(stage));
        const auto read = importConfig("deepspeed", text, "a", config);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read->config.parallel.zeroStage, std::int64_t{stage});
        QCOMPARE(read->config.parallel.bucketBytes, counts ? std::int64_t{160000000} : ParallelLayout{}.bucketBytes);
        QCOMPARE(keysOf(read->remarks).contains("parallel.bucket_bytes"), !counts);
        QVERIFY(!hasErrors(validate(read->config)));
    }
    // OLMo-core's shares of a run, and what it takes for them where nothing is said.
    void olmoCoreFractions() {
        const auto read = [](const std::string& scheduler) {
            const auto imported =
                importConfig("olmo-core",
                             R"({"model": {}, "train_module": {"scheduler": {"_CLASS_": "olmo_core.optim.WSD", )" +
                                 scheduler + R"(}}, "trainer": {"max_duration": {"value": 2000, "unit": "steps"}}})",
                             "a");
            if (!imported) qFatal("%s", imported.error().text().c_str());
            return imported->config.optimizer.schedule;
        };
        const LrSchedule shares = read(R"("warmup_fraction": 0.02, "decay_fraction": 0.25)");
        QCOMPARE(shares.warmupSteps, 40);
        QCOMPARE(shares.decaySteps, 500);
        QCOMPARE(read(R"("warmup": 10)").decaySteps, 200);
        const LrSchedule steps = read(R"("warmup_steps": 10, "decay": 30, "decay_fraction": null)");
        QCOMPARE(steps.warmupSteps, 10);
        QCOMPARE(steps.decaySteps, 30);
    }
};

SLIPWAY_TEST(TstFormats)

}  // namespace slipway::interop

#include "tst_formats.moc"
