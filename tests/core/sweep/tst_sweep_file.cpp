#include "core/base/json.h"
#include "core/sweep/sweep_file.h"
#include "core/sweep/trial.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace slipway;

namespace {

SweepFile read(const std::string& text, Issues& issues) {
    const auto json = parseJson(text, "sweep.json");
    if (!json) {
        issues.push_back({Severity::Error, json.error().code, "", json.error().text()});
        return {};
    }
    return sweepFileFromJson(*json, issues);
}

/// A good file with one part replaced or added.
std::string with(const std::string& member) {
    Json file = Json::parse(R"({"schema": 1, "name": "layouts", "base": {"model": {"num_layers": 4}}})");
    file.update(Json::parse("{" + member + "}"));
    return file.dump();
}

}  // namespace

class TstSweepFile : public QObject {
    Q_OBJECT

private slots:
    // One mistake, one issue: where it stands, and what it says.
    void namesTheProblem_data() {
        QTest::addColumn<QString>("member");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("message");  // regular expression
        QTest::newRow("unknown key") << R"("axis": [])"
                                     << "/axis"
                                     << "did you mean axes\\?";
        QTest::newRow("newer schema") << R"("schema": 2)"
                                      << "/schema"
                                      << "reads schema 1; the file has 2";
        QTest::newRow("name is no text") << R"("name": 3)"
                                         << "/name"
                                         << "text";
        QTest::newRow("base: unknown key") << R"("base": {"parallel": {"tpp": 2}})"
                                           << "/base/parallel/tpp"
                                           << "did you mean parallel.tp\\?";
        QTest::newRow("base: wrong type") << R"("base": {"train": {"num_steps": 2.5}})"
                                          << "/base/train/num_steps"
                                          << "whole number";
        QTest::newRow("base missing") << R"("base": 1)"
                                      << "/base"
                                      << "missing";
        QTest::newRow("field") << R"("axes": [{"field": "parallel.ttp", "values": [1]}])"
                               << "/axes/0/field"
                               << "did you mean parallel.tp\\?";
        QTest::newRow("section") << R"("axes": [{"field": "parallel", "values": [1]}])"
                                 << "/axes/0/field"
                                 << "is a section.*parallel.dp";
        QTest::newRow("value type") << R"("axes": [{"field": "parallel.tp", "values": [1, "two"]}])"
                                    << "/axes/0/values/1"
                                    << "whole number";
        QTest::newRow("value range") << R"("axes": [{"field": "parallel.tp", "values": [0]}])"
                                     << "/axes/0/values/0"
                                     << "from 1 to 1024";
        QTest::newRow("value choice") << R"("axes": [{"field": "parallel.schedule", "values": ["1f2b"]}])"
                                      << "/axes/0/values/0"
                                      << "did you mean 1f1b\\?";
        QTest::newRow("no values") << R"("axes": [{"field": "parallel.tp", "values": []}])"
                                   << "/axes/0/values"
                                   << "at least one";
        QTest::newRow("two kinds") << R"("axes": [{"field": "parallel.tp", "values": [1], "list": []}])"
                                   << "/axes/0"
                                   << "exactly one";
        QTest::newRow("axis key") << R"("axes": [{"field": "parallel.tp", "value": [1]}])"
                                  << "/axes/0/value"
                                  << "did you mean values\\?";
        QTest::newRow("list field") << R"("axes": [{"list": [{"parallel.tpp": 2}]}])"
                                    << "/axes/0/list/0/parallel.tpp"
                                    << "did you mean parallel.tp\\?";
        QTest::newRow("point value") << R"("points": [{"name": "a"}, {"parallel.pp": "x"}])"
                                     << "/points/1/parallel.pp"
                                     << "whole number";
        QTest::newRow("point name") << R"("points": [{"name": ""}])"
                                    << "/points/0/name"
                                    << "text";
        QTest::newRow("random: low above high")
            << R"("axes": [{"field": "optimizer.lr", "random": {"low": 2, "high": 1, "num": 2}}])"
            << "/axes/0/random"
            << "low is above high";
        QTest::newRow("random: log of zero")
            << R"("axes": [{"field": "optimizer.lr", "random": {"low": 0, "high": 1, "log": true, "num": 2}}])"
            << "/axes/0/random/low"
            << "above 0";
        QTest::newRow("random: no number") << R"("axes": [{"field": "optimizer.lr", "random": {"low": 1, "high": 2}}])"
                                           << "/axes/0/random/num"
                                           << "number of draws";
        QTest::newRow("random: text field") << R"("axes": [{"field": "data.tokens", "random": {"num": 2}}])"
                                            << "/axes/0/random"
                                            << "list the values";
        QTest::newRow("same field twice")
            << R"("axes": [{"field": "parallel.tp", "values": [1]}, {"list": [{"parallel.tp": 2}]}])"
            << "/axes/1"
            << "on two axes";
        QTest::newRow("stop rule") << R"("stop": {"step": 3})"
                                   << "/stop/step"
                                   << "did you mean steps\\?";
        QTest::newRow("cluster") << R"("cluster": {"num_nodes": 0})"
                                 << "/cluster/num_nodes"
                                 << "1 to 100000";
        QTest::newRow("curve without its group")
            << R"("cluster": {"comm_curves": [{"ranks": 8, "bytes_per_second": 1e9}]})"
            << "/cluster/comm_curves/0/ranks_per_node"
            << "at least 1";
        QTest::newRow("corpus") << R"("corpus": {"name": "a", "sources": ["a.txt"], "vocab": 5})"
                                << "/corpus/vocab"
                                << ".";
        QTest::newRow("a million million points")
            << R"("axes": [{"field": "train.seed", "random": {"low": 1, "high": 9, "num": 100000}},
            {"field": "optimizer.lr", "random": {"low": 1, "high": 9, "num": 100000}}, {"field": "parallel.tp", "values": [1,2]}])"
            << "/axes"
            << "expand to 2e\\+10 trials";
    }
    void namesTheProblem() {
        QFETCH(QString, member);
        QFETCH(QString, message);
        Issues issues;
        (void)read(with(member.toStdString()), issues);
        QVERIFY2(issues.size() == 1,
                 issues.empty() ? "no issue"
                                : (issues[0].message + " | " + issues.back().field + issues.back().message).c_str());
        QTEST(QString::fromStdString(issues[0].field), "pointer");
        QVERIFY2(QRegularExpression(message).match(QString::fromStdString(issues[0].message)).hasMatch(),
                 issues[0].message.c_str());
    }

    void listsEveryProblem() {
        Issues issues;
        (void)read(
            R"({"schema": 1, "nam": "x", "base": {"mode": {}, "train": {"seq_len": 0}}, "axes": [{"field": "parallel.tpp", "values": [1]}, {"field": "parallel.pp", "values": ["a", 2]}]})",
            issues);
        std::set<std::string> pointers;
        for (const Issue& issue : issues) pointers.insert(issue.field);
        const std::set<std::string> expected{"/nam",          "/name",           "/base/mode", "/base/train/seq_len",
                                             "/axes/0/field", "/axes/1/values/0"};
        QCOMPARE(pointers, expected);
    }

    void acceptsWhatOnlySomePointsUse() {
        // A schedule without effect at pp 1 is no mistake of the file: the axis brings pp 2.
        Issues issues;
        const SweepFile file = read(
            with(R"("base": {"parallel": {"schedule": "afab"}}, "axes": [{"field": "parallel.pp", "values": [1, 2]}])"),
            issues);
        QVERIFY2(issues.empty(), issues.empty() ? "" : issues[0].message.c_str());
        const auto trials = expandSweep(file);
        QCOMPARE(trials.size(), std::size_t{2});
        QVERIFY(trials[0].skipReason.empty() && trials[1].skipReason.empty());
        QCOMPARE(trials[0].leftOut.size(), std::size_t{1});
        QCOMPARE(trials[0].leftOut[0].field, std::string("parallel.schedule"));
        QVERIFY(trials[1].leftOut.empty());
    }

    void drawsTheSameNumbersEverywhere() {
        const std::string member =
            R"("seed": 7, "axes": [{"field": "optimizer.lr", "random": {"low": 1e-4, "high": 1e-2, "log": true, "num": 4}},
            {"random": {"num": 3, "fields": {"train.micro_batch_size": {"low": 1, "high": 8}, "parallel.schedule": {"values": ["afab", "1f1b"]}}}}])";
        Issues issues;
        const SweepFile a = read(with(member), issues);
        const SweepFile b = read(with(member), issues);
        QVERIFY2(issues.empty(), issues.empty() ? "" : issues[0].message.c_str());
        QCOMPARE(a.axes[0].choices.size(), std::size_t{4});
        for (std::size_t axis = 0; axis < 2; ++axis)
            for (std::size_t i = 0; i < a.axes[axis].choices.size(); ++i)
                QVERIFY(a.axes[axis].choices[i].settings == b.axes[axis].choices[i].settings);
        // Pinned: a change of the generator would change every published sweep.
        QCOMPARE(QString::fromStdString(a.axes[0].choices[0].settings[0].value), QString("0.000108"));
        const std::int64_t size = std::stoll(a.axes[1].choices[0].settings[0].value);
        QVERIFY(size >= 1 && size <= 8);
        const SweepFile other = read(with(QString::fromStdString(member).replace("7", "8").toStdString()), issues);
        QVERIFY(!(other.axes[0].choices[0].settings == a.axes[0].choices[0].settings));
    }

    void integersReachBothEnds() {
        Issues issues;
        const SweepFile file =
            read(with(R"("axes": [{"field": "parallel.tp", "random": {"low": 1, "high": 3, "num": 60}}])"), issues);
        std::set<std::string> seen;
        for (const SettingGroup& choice : file.axes[0].choices) seen.insert(choice.settings[0].value);
        QCOMPARE(seen, (std::set<std::string>{"1", "2", "3"}));
    }
};

SLIPWAY_TEST(TstSweepFile)
#include "tst_sweep_file.moc"
