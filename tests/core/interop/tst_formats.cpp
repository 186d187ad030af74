// What holds for every format, whatever its keys.
#include "core/interop/formats.h"
#include "tests/support/slipway_test.h"

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
    // What a file of another framework does not say: its programs train on GPUs. Whoever says more, with a base, is heard.
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
    // A part of a file that is read is not said to be left out; the rest of that part is.
    void readInPart() {
        const auto read = importConfig("olmo-core", exportConfig("olmo-core", sample())->text, "a");
        QVERIFY(read);
        QVERIFY(!keysOf(read->remarks).contains("model.block"));
        QVERIFY(keysOf(read->remarks).contains("model.block.layer_norm.bias"));
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
