#include "core/base/json.h"
#include "core/sweep/sweep_result.h"
#include "core/sweep/trial.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;

namespace {

SweepFile read(const std::string& members) {
    Issues issues;
    SweepFile file = sweepFileFromJson(Json::parse(R"({"schema": 1, "name": "layouts", )" + members + "}"), issues);
    if (!issues.empty()) qFatal("%s: %s", issues[0].field.c_str(), issues[0].message.c_str());
    return file;
}

QStringList names(const std::vector<Trial>& trials) {
    QStringList out;
    for (const Trial& trial : trials) out << QString::fromStdString(trial.name);
    return out;
}

const char* const kBase = R"("base": {"model": {"num_layers": 4}, "data": {"tokens": "a.tok"}})";

}  // namespace

class TstTrial : public QObject {
    Q_OBJECT

private slots:
    void expands_data() {
        QTest::addColumn<QString>("members");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("no axes: the base") << "" << QStringList{"base"};
        QTest::newRow("grid, last axis fastest")
            << R"("axes": [{"field": "parallel.tp", "values": [1, 2]}, {"field": "parallel.pp", "values": [1, 2]}])"
            << QStringList{"tp 1, pp 1", "tp 1, pp 2", "tp 2, pp 1", "tp 2, pp 2"};
        QTest::newRow("names of a list")
            << R"("axes": [{"list": [{"name": "wide", "parallel.tp": 2}, {"parallel.pp": 2, "parallel.schedule": "afab"}]}, {"field": "train.seed", "values": [1, 2]}])"
            << QStringList{"wide, seed 1", "wide, seed 2", "pp 2, schedule afab, seed 1",
                           "pp 2, schedule afab, seed 2"};
        QTest::newRow("points alone") << R"("points": [{"name": "one"}, {"parallel.dp": 2}])"
                                      << QStringList{"one", "dp 2"};
        QTest::newRow("points beside a grid")
            << R"("axes": [{"field": "parallel.tp", "values": [1, 2]}], "points": [{"name": "extra", "parallel.dp": 2}])"
            << QStringList{"tp 1", "tp 2", "extra"};
        QTest::newRow("same name twice") << R"("points": [{"name": "a"}, {"name": "a", "parallel.dp": 2}])"
                                         << QStringList{"a", "a #2"};
        QTest::newRow("leaf names that are ambiguous")
            << R"("axes": [{"field": "optimizer.kind", "values": ["adamw"]}, {"field": "optimizer.schedule.kind", "values": ["wsd"]}])"
            << QStringList{"optimizer.kind adamw, optimizer.schedule.kind wsd"};
    }
    void expands() {
        QFETCH(QString, members);
        const auto trials =
            expandSweep(read(kBase + std::string(members.isEmpty() ? "" : ", ") + members.toStdString()));
        QTEST(names(trials), "expected");
        for (std::size_t i = 0; i < trials.size(); ++i) QCOMPARE(trials[i].index, i);
    }

    void appliesSettings() {
        const auto trials = expandSweep(read(
            R"("base": {"train": {"seed": 9, "global_batch_size": 8}, "data": {"tokens": "a.tok"}}, "points": [{"train.seed": null, "train.num_steps": 7, "model.num_kv_heads": 2}])"));
        QCOMPARE(trials[0].config.train.seed, std::int64_t{1});  // null: back to the default
        QCOMPARE(trials[0].config.train.numSteps, std::int64_t{7});
        QCOMPARE(trials[0].config.train.globalBatchSize, std::int64_t{8});
        QCOMPARE(*trials[0].config.model.numKvHeads, std::int64_t{2});
    }

    void takesTheTextOfTheSweep() {
        const auto trials = expandSweep(read(
            R"("base": {}, "corpus": {"name": "words", "sources": ["/a.txt"]}, "points": [{}, {"data.tokens": "other.tok"}])"));
        QCOMPARE(QString::fromStdString(trials[0].config.data.tokens), QString("words.tok"));
        QCOMPARE(QString::fromStdString(trials[1].config.data.tokens), QString("other.tok"));
    }

    void skipsWithAReason_data() {
        QTest::addColumn<QString>("point");
        QTest::addColumn<QString>("reason");
        QTest::newRow("feasible") << R"({"parallel.tp": 2})"
                                  << "^$";
        QTest::newRow("not divisible") << R"({"parallel.tp": 3})"
                                       << "not a multiple of";
        QTest::newRow("no effect") << R"({"parallel.schedule": "afab"})"
                                   << "The same training as first";
        QTest::newRow("no effect beside another option") << R"({"optimizer.kind": "lion", "optimizer.eps": 1e-6})"
                                                         << "^$";
        QTest::newRow("buckets that ZeRO-3 has none of")
            << R"({"parallel.dp": 2, "parallel.zero_stage": 3, "parallel.bucket_bytes": 1000000})"
            << "^$";
        // Natural on the way of dp from 1: a warning in the plan, no reason to leave the trial out.
        QTest::newRow("ZeRO on one rank") << R"({"parallel.zero_stage": 1})"
                                          << "^$";
        QTest::newRow("trainer cannot") << R"({"train.device": "tpu"})"
                                        << "trainer.*does not support";
        QTest::newRow("same training") << R"({"name": "again"})"
                                       << "The same training as first";
    }
    void skipsWithAReason() {
        QFETCH(QString, point);
        QFETCH(QString, reason);
        auto trials =
            expandSweep(read(std::string(kBase) + R"(, "points": [{"name": "first"}, )" + point.toStdString() + "]"));
        planTrials(trials, ClusterSpec{});
        QVERIFY2(trials[0].skipReason.empty(), trials[0].skipReason.c_str());
        QVERIFY2(QRegularExpression(reason).match(QString::fromStdString(trials[1].skipReason)).hasMatch(),
                 trials[1].skipReason.c_str());
    }

    // An axis goes on over the values of another that take its effect away: those points are trained without it, and
    // say so.
    void leavesOutWhatHasNoEffect() {
        auto trials = expandSweep(read(
            R"("base": {"parallel": {"dp": 4, "bucket_bytes": 1000000}}, "axes": [
            {"field": "parallel.zero_stage", "values": [0, 1, 2, 3]}, {"field": "parallel.dp_shard", "values": [1, 2]}])"));
        ClusterSpec cluster;
        cluster.devicesPerNode = 4;
        planTrials(trials, cluster);
        // zero_stage 0 has no dp_shard, and with dp_shard 1 every stage is stage 0; no bucket_bytes in 2 and 3.
        const QString same = "The same training as ";
        const std::vector<QString> expected{"", same, same, "", same, "", same, ""};
        for (std::size_t i = 0; i < trials.size(); ++i) {
            const QString reason = QString::fromStdString(trials[i].skipReason);
            QVERIFY2(expected[i].isEmpty() ? reason.isEmpty() : reason.startsWith(expected[i]), qPrintable(reason));
        }
        QVERIFY(trials[3].leftOut.empty());
        QCOMPARE(trials[5].leftOut.size(), std::size_t{1});
        QCOMPARE(trials[5].leftOut[0].field, std::string("parallel.bucket_bytes"));
        QCOMPARE(trials[7].config.parallel.bucketBytes, ParallelLayout{}.bucketBytes);
        QCOMPARE(trials[3].config.parallel.bucketBytes, std::int64_t{1000000});
    }

    void skipsWhatDoesNotFit() {
        auto trials = expandSweep(read(
            R"("base": {"data": {"tokens": "a.tok"}}, "points": [{}, {"model.hidden_size": 65536, "model.ffn_hidden_size": 262144, "model.num_layers": 100, "model.num_heads": 64}])"));
        ClusterSpec small;
        small.device.memoryBytes = 8e9;
        planTrials(trials, small);
        QVERIFY2(trials[0].skipReason.empty(), trials[0].skipReason.c_str());
        QVERIFY2(QString::fromStdString(trials[1].skipReason).contains("per rank and has"),
                 trials[1].skipReason.c_str());
    }

    void identityIsTheTraining() {
        const auto identity = [](const std::string& members, const std::string& version = "1") {
            const SweepFile file = read(members);
            return sweepIdentity(file, expandSweep(file), version);
        };
        const std::string base = kBase + std::string(R"(, "points": [{"parallel.tp": 2}])");
        QCOMPARE(identity(base), identity(base));
        QCOMPARE(identity(base), identity(base + R"(, "question": "Which is fastest?", "hypothesis": "None.")"));
        // Defaults written out are the same sweep.
        QCOMPARE(
            identity(base),
            identity(
                R"("base": {"model": {"num_layers": 4, "hidden_size": 128}, "data": {"tokens": "a.tok"}}, "points": [{"parallel.tp": 2}])"));
        QVERIFY(identity(base) != identity(base, "2"));
        QVERIFY(identity(base) != identity(kBase + std::string(R"(, "points": [{"parallel.tp": 4}])")));
        QVERIFY(identity(base) != identity(base + R"(, "stop": {"steps": 3})"));
    }

    void documentReadsBack() {
        const SweepFile file = read(
            std::string(kBase) +
            R"(, "seed": 3, "axes": [{"field": "optimizer.lr", "random": {"low": 1e-4, "high": 1e-2, "log": true, "num": 3}}, {"field": "parallel.pp", "values": [1, 2]}],
            "points": [{"name": "x", "parallel.dp": 2}], "stop": {"steps": 5})");
        Issues issues;
        const auto json = parseJson(sweepDocument(file, ClusterSpec{}), "document");
        QVERIFY(json);
        const SweepFile again = sweepFileFromJson(*json, issues);
        QVERIFY2(issues.empty(), issues.empty() ? "" : issues[0].message.c_str());
        const auto a = expandSweep(file);
        const auto b = expandSweep(again);
        QCOMPARE(names(a), names(b));
        for (std::size_t i = 0; i < a.size(); ++i) QCOMPARE(configHash(a[i].config), configHash(b[i].config));
    }
};

SLIPWAY_TEST(TstTrial)
#include "tst_trial.moc"
