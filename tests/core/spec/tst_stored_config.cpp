// Configs as older versions left them: read with what never acted, going on without it.
#include "core/spec/known_differences.h"
#include "core/spec/stored_config.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;

class TstStoredConfig : public QObject {
    Q_OBJECT
private slots:
    void leftOut_data() {
        QTest::addColumn<QStringList>("set");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* name, const QStringList& set, const QStringList& expected) {
            QTest::newRow(name) << set << expected;
        };
        row("nothing", {"optimizer.kind=lion"}, {});
        row("an option of another optimizer", {"optimizer.kind=lion", "optimizer.eps=1e-6"}, {"optimizer.eps"});
        row("two",
            {"optimizer.kind=lion", "optimizer.eps=1e-6", "parallel.dp=2", "parallel.zero_stage=2",
             "parallel.bucket_bytes=1000"},
            {"optimizer.eps", "parallel.bucket_bytes"});
        row("a field that does not apply", {"optimizer.schedule.decay_steps=5"}, {"optimizer.schedule.decay_steps"});
        row("a field whose owner is left out", {"parallel.sequence_parallel=true", "parallel.async_tp=true"},
            {"parallel.sequence_parallel", "parallel.async_tp"});
        row("rewinds without a checkpoint", {"train.spikes.policy=rewind_and_skip"}, {"train.spikes.policy"});
        row("what only warns stays", {"parallel.zero_stage=1"}, {});
    }
    void leftOut() {
        QFETCH(QStringList, set);
        QFETCH(QStringList, expected);
        Json json = toJson(RunConfig{});
        for (const QString& item : set)
            QVERIFY(
                setField(json, item.section('=', 0, 0).toStdString(), item.section('=', 1).toStdString()).has_value());
        const auto stored = readStoredConfig(json, "test");
        QVERIFY2(stored, stored ? "" : stored.error().message.c_str());
        QStringList fields;
        for (const Issue& issue : stored->leftOut) {
            QVERIFY(issue.severity == Severity::Warning && issue.code == "no_effect");
            QVERIFY2(issue.message.starts_with(issue.field + " "), issue.message.c_str());
            QVERIFY2(issue.message.ends_with(" It is left out."), issue.message.c_str());
            fields << QString::fromStdString(issue.field);
        }
        QCOMPARE(fields, expected);
        for (const Issue& issue : validate(stored->acting))
            QVERIFY2(issue.code != "no_effect" || issue.severity == Severity::Warning, issue.message.c_str());
        if (expected.isEmpty()) QCOMPARE(configHash(stored->acting), configHash(stored->config));
        // What goes on is a config that anybody may start.
        const auto again = parseRunConfig(toJson(stored->acting), "test");
        QVERIFY(again);
        QCOMPARE(configHash(*again), configHash(stored->acting));
    }
    // What was kept is what is shown.
    void keepsWhatWasThere() {
        Json json = toJson(RunConfig{});
        QVERIFY(setField(json, "optimizer.kind", "lion").has_value());
        QVERIFY(setField(json, "optimizer.eps", "1e-6").has_value());
        const auto stored = readStoredConfig(json, "test");
        QVERIFY(stored);
        QCOMPARE(stored->config.optimizer.eps, 1e-6);
        QCOMPARE(stored->acting.optimizer.eps, OptimizerSpec{}.eps);
        QVERIFY(stored->acting.optimizer.kind == OptimizerKind::Lion);
    }
    // A field that does not apply is not written, so its value must go itself.
    void fieldsThatDoNotApply() {
        Json json = toJson(RunConfig{});
        QVERIFY(setField(json, "optimizer.schedule.decay_steps", "5").has_value());
        const auto stored = readStoredConfig(json, "test");
        QVERIFY(stored);
        QCOMPARE(stored->config.optimizer.schedule.decaySteps, std::int64_t{5});
        QCOMPARE(stored->acting.optimizer.schedule.decaySteps, LrSchedule{}.decaySteps);
    }
    void allElseIsRefused() {
        Json json = toJson(RunConfig{});
        json["optimizer"]["kind"] = "lion";
        json["optimizer"]["eps"] = 1e-6;
        json["optimizer"]["epsilon"] = 1e-6;
        const auto stored = readStoredConfig(json, "config.json");
        QVERIFY(!stored);
        QCOMPARE(stored.error().code, std::string("bad_config"));
        QVERIFY(stored.error().message.find("optimizer.epsilon") != std::string::npos);
    }
    // A run of another program: only what its source gives is known.
    void partialDocument() {
        RunConfig config;
        config.name = "theirs";
        config.parallel.dp = 4;
        const StoredConfig kept = partialConfig(config, {"parallel.dp", "model"});
        QVERIFY(kept.isPartial() && kept.knows("parallel.dp") && kept.knows("model.hidden_size"));
        QVERIFY(!kept.knows("parallel.tp") && !kept.knows("train.seq_len") && !kept.knows("parallel"));
        const Json document = kept.document();
        QVERIFY(!document.contains("train") && document["parallel"] == (Json{{"dp", 4}}));
        const auto read = readStoredConfig(document, "test");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY(*read->given == *kept.given && configHash(read->config) == configHash(config));
        QVERIFY(read->document() == document);
        // It is no config to start, and a whole one stays whole.
        QVERIFY(!parseRunConfig(document, "test"));
        QVERIFY(!readStoredConfig(toJson(config), "test")->isPartial());
    }
    // Our default of a field that a source does not record says nothing about its run.
    void differencesOfWhatBothKnow() {
        RunConfig theirs, ours;
        theirs.parallel.dp = 4;
        ours.parallel.dp = 8;
        ours.train.seqLen = 4096;
        ours.optimizer.lr = 0.5;
        const StoredConfig whole = *readStoredConfig(toJson(ours), "test");
        const StoredConfig partial = partialConfig(theirs, {"parallel.dp", "train.seed"});
        for (const auto& [left, right] : {std::pair(partial, whole), std::pair(whole, partial)}) {
            const KnownDifferences known = knownDifferences(left, right);
            QCOMPARE(known.fields.size(), std::size_t{1});
            QCOMPARE(known.fields.front().path, std::string("parallel.dp"));
            QVERIFY(known.numUnknown > 50);
        }
        QCOMPARE(knownDifferences(partial, partial).numUnknown, knownDifferences(partial, whole).numUnknown);
        const KnownDifferences both = knownDifferences(whole, *readStoredConfig(toJson(theirs), "test"));
        QCOMPARE(both.fields.size(), std::size_t{3});
        QCOMPARE(both.numUnknown, std::int64_t{0});
    }
};

SLIPWAY_TEST(TstStoredConfig)
#include "tst_stored_config.moc"
