// slipway why: where a run's MFU went, and why one run is slower than another.
#include "core/base/json.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace slipway;
using namespace slipway::test;

namespace {

/// A run of 20 steps of a second with parts; `traffic` seconds of them for tensor-parallel ranks.
RunId aRun(RunStore& store, const std::string& name, std::int64_t tp, double traffic) {
    NewRun run;
    run.config.name = name;
    run.config.parallel.tp = tp;
    run.config.train.numSteps = 20;
    run.id = RunId(makeId(1763730900000 + tp * 1000, static_cast<std::uint32_t>(tp)));
    run.forecastJson =
        R"({"step_seconds":0.8,"mfu":0.5,"hfu":0.5,"label":"textbook","step":{"compute_seconds":0.6,"tp_exposed_seconds":0.1,"dp_exposed_seconds":0,"bubble_seconds":0,"pp_exposed_seconds":0,"optimizer_seconds":0.1,"fixed_seconds":0}})";
    if (!store.createRun(run, 1763730900000)) return {};
    MetricBatch batch;
    batch.records.push_back(MetricHeader{1, run.id.value, 1, 0, tp, 1763730900000});
    for (int step = 1; step <= 20; ++step)
        batch.records.push_back(MetricStep{step,
                                           step * 1000,
                                           1763730900000 + step * 1100,
                                           {{"step_seconds", 0.7 + traffic},
                                            {"forward_seconds", 0.2 + traffic},
                                            {"backward_seconds", 0.3},
                                            {"optimizer_seconds", 0.1},
                                            {"data_seconds", 0.0},
                                            {"tp_exposed_seconds", traffic},
                                            {"update_exposed_seconds", 0.0},
                                            {"imbalance_seconds", 0.0}}});
    batch.toOffset = 1000;
    RunChange change;
    change.status = RunStatus::Completed;
    RunFigures figures;
    figures.flopsPerToken = 4e8;  // 0.4 s of a step of 1,000 tokens
    figures.peakFlops = 1e12;
    figures.mfuRule = "C";
    change.measured = figures;
    return store.append(run.id, batch) && store.updateRun(run.id, change) ? run.id : RunId();
}

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

}  // namespace

class TstWhyCommand : public QObject {
    Q_OBJECT

    CliBench m_bench;

private slots:
    void initTestCase() {
        auto store = RunStore::open(m_bench.at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        QVERIFY(!aRun(*store, "fast", 2, 0.3).empty());
        QVERIFY(!aRun(*store, "slow", 4, 0.8).empty());
    }

    void oneRun() {
        const auto said = m_bench.run({"why", "fast"});
        QVERIFY2(said.code == 0, said.err.c_str());
        const QString out = text(said.out);
        QVERIFY2(out.contains("its MFU is 40.0 %"), said.out.c_str());
        QVERIFY2(out.contains(QRegularExpression("Tensor-parallel traffic, exposed[ \u00A0]+█+ +-30\\.0")),
                 said.out.c_str());
        QVERIFY(out.contains("medians of 16 steps (5 to 20)"));
        for (const QString& line : out.split('\n')) QVERIFY2(line.size() <= 100, qPrintable(line));
        const auto korean = m_bench.run({"why", "fast", "--lang", "ko"});
        QCOMPARE(korean.code, 0);
        QVERIFY2(text(korean.out).contains(QString::fromUtf8("텐서 병렬 통신(노출)")), korean.out.c_str());
        QVERIFY(!text(korean.out).contains("Measured"));
    }

    void json() {
        const auto said = m_bench.run({"why", "fast", "--json"});
        QCOMPARE(said.code, 0);
        const auto json = parseJson(said.out, "why");
        QVERIFY(json);
        double sum = 0;
        for (const Json& part : json->at("parts"))
            if (!part.at("outside_step").get<bool>() && !part.at("seconds").is_null())
                sum += part.at("seconds").get<double>();
        QVERIFY(std::fabs(sum - json->at("step_seconds").get<double>()) < 1e-9);
        QCOMPARE(json->at("name").get<std::string>(), std::string("fast"));
        QVERIFY(std::fabs(json->at("mfu").get<double>() - 0.4) < 1e-9);
    }

    void twoRuns() {
        const auto said = m_bench.run({"why", "fast", "slow"});
        QVERIFY2(said.code == 0, said.err.c_str());
        const QString out = text(said.out);
        QVERIFY2(out.contains("B takes 1.50 s instead of 1.00 s a step (+50.0 %)."), said.out.c_str());
        QVERIFY2(out.contains(
                     QRegularExpression("Tensor-parallel traffic, exposed +300.ms +800.ms +\\+500.ms +parallel.tp 2")),
                 said.out.c_str());
        const auto json = parseJson(m_bench.run({"why", "fast", "slow", "--json"}).out, "why");
        QVERIFY(json);
        QCOMPARE(json->at("difference").at("parts").at(0).at("part").get<std::string>(),
                 std::string("tensor_parallel"));
        QCOMPARE(json->at("difference").at("parts").at(0).at("fields").at(0).get<std::string>(),
                 std::string("parallel.tp"));
    }

    void refusals() {
        QCOMPARE(m_bench.run({"why"}).code, 2);
        QCOMPARE(m_bench.run({"why", "fast", "slow", "fast"}).code, 2);
        QVERIFY(m_bench.run({"why", "none"}).code != 0);
        auto store = RunStore::open(m_bench.at.home, OpenMode::ReadWrite);
        NewRun planned;
        planned.id = RunId(makeId(1763730999000, 9));
        planned.config.name = "planned";
        QVERIFY(store && store->createRun(planned, 1));
        const auto said = m_bench.run({"why", "planned"});
        QCOMPARE(said.code, 0);
        QVERIFY2(text(said.out).contains("No step was measured."), said.out.c_str());
        QVERIFY2(text(m_bench.run({"why", "fast", "planned"}).err).contains("no measured step"), "two");
    }
};

SLIPWAY_TEST(TstWhyCommand)
#include "tst_why_command.moc"
