#include "core/run/readiness.h"
#include "tests/support/slipway_test.h"

#include <QStringList>
#include <limits>

using namespace slipway;

namespace {

RunConfig goodConfig() {
    RunConfig config;
    config.name = "ready";
    config.model.vocabSize = 1000;
    config.data.tokens = "x.tok";
    return config;
}

ReadinessFacts goodFacts() {
    ReadinessFacts facts;
    facts.computer.memoryBytes = 16e9;
    facts.computer.availableMemoryBytes = 8e9;
    facts.freeDiskBytes = 1e11;
    facts.programs = {"/bin/true", "/bin/true"};
    facts.ownVersion = facts.agentVersion = facts.trainerVersion = "0.1.0 (abc)";
    facts.tokenFileExists = true;
    facts.tokenVocabSize = 1000;
    facts.numTokens = 100000;
    return facts;
}

}  // namespace

class TstReadiness : public QObject {
    Q_OBJECT

private slots:
    void isReady() { QVERIFY(!hasErrors(checkReadiness(goodConfig(), goodFacts(), 1e8))); }

    void saysWhyNot_data() {
        using Change = std::function<void(RunConfig&, ReadinessFacts&, double&)>;
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("code");
        QTest::addColumn<bool>("stops");
        const auto row = [](const char* name, Change change, const char* code, bool stops) {
            QTest::newRow(name) << change << QString(code) << stops;
        };
        row(
            "no agent", [](auto&, auto& f, auto&) { f.programs.agent.clear(); }, "program_missing", true);
        row(
            "trainer is no program", [](auto&, auto& f, auto&) { f.programs.trainer = "/etc/passwd"; },
            "program_not_executable", true);
        row(
            "other version", [](auto&, auto& f, auto&) { f.trainerVersion = "0.2.0"; }, "version_mismatch", false);
        row(
            "no data named", [](auto& c, auto&, auto&) { c.data.tokens.clear(); }, "data_missing", true);
        row(
            "no data there", [](auto&, auto& f, auto&) { f.tokenFileExists = false; }, "data_missing", true);
        row(
            "damaged data", [](auto&, auto& f, auto&) { f.tokenFileProblem = "bad"; }, "data_unreadable", true);
        row(
            "vocabulary", [](auto&, auto& f, auto&) { f.tokenVocabSize = 1001; }, "vocab_too_small", true);
        row(
            "short data", [](auto&, auto& f, auto&) { f.numTokens = 10; }, "data_too_short", true);
        row(
            "memory tight", [](auto&, auto&, double& m) { m = 9e9; }, "memory_tight", false);
        row(
            "memory short", [](auto&, auto&, double& m) { m = 17e9; }, "memory_short", true);
        row(
            "memory of all ranks",
            [](auto& c, auto&, double& m) {
                c.parallel.dp = 4;
                m = 4.5e9;
            },
            "memory_short", true);
        row(
            "no gpu", [](auto& c, auto&, auto&) { c.train.device = DeviceKind::Gpu; }, "gpus_missing", true);
        row(
            "documents in a ring",
            [](auto& c, auto& f, auto&) {
                c.train.device = DeviceKind::Gpu;
                c.train.precision = Precision::Bf16;
                c.parallel.cp = f.numGpus = 2;
                c.data.documentEndId = 1;
            },
            "plain_attention", false);
        row(
            "latent attention with the default norm_eps",
            [](auto& c, auto&, auto&) {
                c.model.mla =
                    MlaSpec{.qLoraRank = 0, .kvLoraRank = 32, .qkNopeHeadDim = 32, .qkRopeHeadDim = 16, .vHeadDim = 32};
            },
            "not_exportable", false);
        row(
            "fp8 on a CPU", [](auto& c, auto&, auto&) { c.train.precision = Precision::Fp8; }, "fp8_emulated", false);
        row(
            "disk", [](auto&, auto& f, auto&) { f.freeDiskBytes = 1e6; }, "disk_full", true);
    }
    void saysWhyNot() {
        using Change = std::function<void(RunConfig&, ReadinessFacts&, double&)>;
        QFETCH(Change, change);
        QFETCH(QString, code);
        RunConfig config = goodConfig();
        ReadinessFacts facts = goodFacts();
        double memory = 1e8;
        change(config, facts, memory);
        const Issues issues = checkReadiness(config, facts, memory);
        QStringList codes;
        for (const Issue& issue : issues) codes << QString::fromStdString(issue.code);
        QVERIFY2(codes.contains(code), qPrintable(codes.join(", ")));
        QTEST(hasErrors(issues), "stops");
    }

    void unknownMemoryStopsNothing() {
        QVERIFY(!hasErrors(checkReadiness(goodConfig(), goodFacts(), std::numeric_limits<double>::quiet_NaN())));
    }
};

SLIPWAY_TEST(TstReadiness)
#include "tst_readiness.moc"
