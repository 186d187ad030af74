// The measuring command: its document, its refusals, the fit of a link.
#include "core/base/file.h"
#include "core/base/json.h"
#include "trainer/bench/bench_command.h"
#include "trainer/bench/comm_bench.h"
#include "trainer/bench/gemm_bench.h"
#include "trainer/bench/step_bench.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::trainer;

class TstBench : public QObject {
    Q_OBJECT
private slots:
    void peakIsTheBestOfTheThreads() {
        GemmReport report;
        report.threads = 2;
        report.samples = {{"fp32", 1, 512, 1.0}, {"fp32", 2, 512, 0.5}, {"fp32", 2, 1024, 2.0}, {"fp64", 2, 512, 1.0}};
        QCOMPARE(report.peakFlops(2).at("fp32"), 2.0 * 1024 * 1024 * 1024 / 2.0);
        QCOMPARE(report.peakFlops(1).size(), static_cast<std::size_t>(1));
    }
    void fit() {
        std::vector<CommSample> samples;
        for (const std::int64_t bytes : {1000, 100000, 4000000})
            samples.push_back({"send", bytes, 50e-6 + static_cast<double>(bytes) / 2e9});
        samples.push_back({"all_reduce", 1000, 99});
        const LinkFit link = fitLink(samples, "send");
        QVERIFY(std::fabs(link.latencySeconds / 50e-6 - 1) < 1e-9);
        QVERIFY(std::fabs(link.bytesPerSecond / 2e9 - 1) < 1e-9);
    }
    void linkOfTheAllReduce() {
        CommReport report;
        for (const std::int64_t bytes : {1000, 100000, 4000000})
            report.samples.push_back({"all_reduce", bytes, 3e-3 + static_cast<double>(bytes) / 1e9});
        report.samples.push_back({"send", 1000, 99});
        const LinkFit link = linkOf(report);
        QVERIFY(std::fabs(link.latencySeconds / 1.5e-3 - 1) < 1e-9);
        QVERIFY(std::fabs(link.bytesPerSecond / 1e9 - 1) < 1e-9);
    }
    void gemmDocument() {
        std::ostringstream out, err;
        QCOMPARE(runBenchCommand({"--gemm", "--json"}, out, err), 0);
        const auto json = parseJson(out.str(), "bench");
        QVERIFY(json.has_value());
        QVERIFY(json->at("threads").get<int>() >= 1);
        for (const char* precision : {"fp32", "fp64", "bf16"})
            QVERIFY(json->at("peak_flops").at(precision).get<double>() > 1e6);
    }
    void stepDocument() {
        slipway::test::TempDir temp;
        const std::string path = (temp.path() / "config.json").string();
        RunConfig config;
        config.model.vocabSize = 64;
        config.train.seqLen = 16;
        config.train.globalBatchSize = config.train.microBatchSize = 2;
        QVERIFY(writeJsonFile(path, toJson(config)));
        std::ostringstream out, err;
        QCOMPARE(runBenchCommand({"--step", path, "--steps", "3", "--json"}, out, err), 0);
        const auto json = parseJson(out.str(), "bench");
        QVERIFY(json.has_value());
        const Json& step = json->at("step");
        QCOMPARE(step.at("steps").get<int>(), 3);
        QCOMPARE(step.at("tokens_per_step").get<int>(), 32);
        const double parts = step.at("forward_seconds").get<double>() + step.at("backward_seconds").get<double>() +
                             step.at("optimizer_seconds").get<double>();
        QVERIFY(parts > 0 && parts < 3 * step.at("seconds").get<double>());
        QVERIFY(step.at("cpu_seconds").get<double>() > 0);
        // Random targets: the loss begins at about the logarithm of the vocabulary and falls, as the batch is always the same.
        const double loss = step.at("loss").get<double>();
        QVERIFY2(loss > 0 && loss < std::log(64.0) + 0.5, qPrintable(QString::number(loss)));

        config.parallel.dp = 2;
        config.train.globalBatchSize = 4;
        QVERIFY(writeJsonFile(path, toJson(config)));
        QCOMPARE(runBenchCommand({"--step", path}, out, err), 10);
        QVERIFY(err.str().find("one process") != std::string::npos);
    }
    void medians() {
        StepReport report;
        report.samples = {{.seconds = 3}, {.seconds = 1}, {.seconds = 10}};
        QCOMPARE(report.median(&StepSample::seconds), 3.0);
        report.samples.push_back({.seconds = 5});
        QCOMPARE(report.median(&StepSample::seconds), 4.0);
    }
    void usage() {
        std::ostringstream wrong;
        QCOMPARE(runBenchCommand({"--step", "x.json", "--steps", "0"}, wrong, wrong), 2);
        std::ostringstream out, err;
        QCOMPARE(runBenchCommand({}, out, err), 2);
        QCOMPARE(runBenchCommand({"--gem"}, out, err), 2);
        QVERIFY(err.str().find("--gem;") != std::string::npos);
    }
};

SLIPWAY_TEST(TstBench)
#include "tst_bench.moc"
