// The measuring command: its document, its refusals, the fit of a link.
#include "core/base/file.h"
#include "core/base/json.h"
#include "trainer/bench/bench_change.h"
#include "trainer/bench/bench_command.h"
#include "trainer/bench/comm_bench.h"
#include "trainer/bench/device_bench.h"
#include "trainer/bench/gemm_bench.h"
#include "trainer/bench/step_bench.h"
#include "trainer/comm/gloo_group.h"
#include "trainer/kernels/first_gpu.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <sstream>
#include <thread>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"
#include "tests/trainer/comm/backends.h"

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
        const LinkSpec link = fitLink(samples, "send");
        QVERIFY(std::fabs(link.latencySeconds / 50e-6 - 1) < 1e-9);
        QVERIFY(std::fabs(link.bytesPerSecond / 2e9 - 1) < 1e-9);
    }
    void linkOfTheAllReduce() {
        CommReport report;
        for (const std::int64_t bytes : {1000, 100000, 4000000})
            report.samples.push_back({"all_reduce", bytes, 3e-3 + static_cast<double>(bytes) / 1e9});
        report.samples.push_back({"send", 1000, 99});
        const LinkSpec link = linkOf(report);
        QVERIFY(std::fabs(link.latencySeconds / 1.5e-3 - 1) < 1e-9);
        QVERIFY(std::fabs(link.bytesPerSecond / 1e9 - 1) < 1e-9);
    }
    void linkOfARing() {
        CommReport report;
        report.ranks = 4;
        for (const std::int64_t bytes : {1000, 100000, 4000000})
            report.samples.push_back({"all_reduce", bytes, 6e-3 + 1.5 * static_cast<double>(bytes) / 1e9});
        const LinkSpec link = linkOf(report);
        QVERIFY(std::fabs(link.latencySeconds / 1e-3 - 1) < 1e-9);
        QVERIFY(std::fabs(link.bytesPerSecond / 1e9 - 1) < 1e-9);
    }
    // As three processes would, started on three nodes.
    void ranksOfSeveralNodes() {
        if (!haveGloo()) QSKIP("this build has no Gloo");
        const auto port = slipway::test::freePort();
        std::vector<Result<CommReport>> reports(3, fail("none", std::string("none")));
        {
            std::vector<std::jthread> ranks;
            for (std::int64_t rank = 0; rank < 3; ++rank)
                ranks.emplace_back([&, rank] {
                    RankEnvironment environment;
                    environment.rank = rank;
                    environment.worldSize = 3;
                    environment.masterPort = port;
                    environment.storeSecret = "secret";
                    reports[static_cast<std::size_t>(rank)] = measureCommAsRank(environment, 1, false, 2);
                });
        }
        for (const auto& report : reports) QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(reports[0]->ranks, std::int64_t(3));
        QCOMPARE(reports[0]->ranksPerNode, std::int64_t(1));
        QVERIFY(reports[1]->samples.empty());
        std::map<std::string, int> operations;
        for (const CommSample& sample : reports[0]->samples) {
            ++operations[sample.operation];
            QVERIFY(sample.seconds > 0 && sample.bytes % 3 == 0);
        }
        QCOMPARE(operations.size(), std::size_t(4));
        QCOMPARE(operations["send"], operations["all_reduce"]);
    }
    void memoryDocument() {
        std::ostringstream out, err;
        QCOMPARE(runBenchCommand({"--memory", "--json"}, out, err), 0);
        const auto json = parseJson(out.str(), "bench");
        QVERIFY(json && json->at("memory").at("bytes_per_second").get<double>() > 1e8);
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
    // On this CPU, with its small shapes: what a GPU measures has the same form.
    void deviceSamples() {
        const DeviceReport report = measureDevice(at::kCPU, 0.01);
        std::map<std::string, int> operations;
        for (const DeviceSample& s : report.samples) {
            ++operations[s.operation];
            QVERIFY(s.seconds > 0 && s.operations > 0 && !s.shape.empty());
            QCOMPARE(s.by, std::string(s.operation == "product" ? "" : "cpu"));
        }
        QVERIFY(operations["product"] >= 3);
        QCOMPARE(operations["attention"], operations["attention_grad"]);
        DeviceReport made;
        made.samples = {{"product", "bf16", "", 8, 2}, {"product", "bf16", "", 8, 1}, {"attention", "bf16", "", 99, 1}};
        QCOMPARE(made.peakFlops().at("bf16"), 8.0);
        std::ostringstream out, err;
        if (firstGpu()) return;
        QCOMPARE(runBenchCommand({"--gpu"}, out, err), 10);
        QVERIFY2(err.str().find("sees no GPU") != std::string::npos, err.str().c_str());
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
        QVERIFY(step.at("peak_bytes").get<double>() > 4 * step.at("parameters").get<double>());
        const double parts = step.at("forward_seconds").get<double>() + step.at("backward_seconds").get<double>() +
                             step.at("optimizer_seconds").get<double>();
        QVERIFY(parts > 0 && parts < 3 * step.at("seconds").get<double>());
        QVERIFY(step.at("cpu_seconds").get<double>() > 0);
        // Random targets: the loss begins at about the logarithm of the vocabulary and falls, as the batch is always
        // the same.
        const double loss = step.at("loss").get<double>();
        QVERIFY2(loss > 0 && loss < std::log(64.0) + 0.5, qPrintable(QString::number(loss)));

        config.parallel.dp = 2;
        config.train.globalBatchSize = 4;
        QVERIFY(writeJsonFile(path, toJson(config)));
        QCOMPARE(runBenchCommand({"--step", path}, out, err), 10);
        QVERIFY(err.str().find("one process") != std::string::npos);
    }
    void changes() {
        const Json before = {
            {"threads", 2},
            {"peak_flops", {{"fp32", 100e9}, {"fp64", 50e9}}},
            {"peak_flops_one_thread", {{"fp32", 60e9}}},
            {"link", {{"latency_seconds", 1e-3}, {"bytes_per_second", 1e9}}},
            {"step", {{"threads", 2}, {"parameters", 10}, {"tokens_per_step", 32}, {"loss", 2.0}, {"seconds", 1.0}}}};
        Json now = before;
        now["peak_flops"]["fp32"] = 94e9;
        now["link"]["latency_seconds"] = 0.5e-3;
        now["step"]["seconds"] = 1.25;
        auto changes = benchChanges(before, now);
        QVERIFY(changes);
        std::map<std::string, BenchChange> found;
        for (const BenchChange& c : *changes) found[c.figure] = c;
        QCOMPARE(found.size(), std::size_t{6});
        QVERIFY(std::fabs(found.at("peak_flops.fp32").change + 0.06) < 1e-12 &&
                found.at("peak_flops.fp32").isRegression());
        QVERIFY(!found.at("peak_flops.fp64").isRegression());
        QVERIFY(std::fabs(found.at("link.latency_seconds").change - 1) < 1e-12);
        QVERIFY(std::fabs(found.at("step.seconds").change + 0.2) < 1e-12 && found.at("step.seconds").isRegression());
        // Another model or another number of threads says nothing about speed.
        now["step"]["parameters"] = 11;
        now["threads"] = 1;
        changes = benchChanges(before, now);
        QVERIFY(changes);
        for (const BenchChange& c : *changes)
            QVERIFY2(!c.figure.starts_with("step") && !c.figure.starts_with("peak_flops."), c.figure.c_str());
        for (const char* key : {"threads", "parameters", "tokens_per_step"}) {
            Json other = before["step"];
            other[key] = 3;
            QCOMPARE(benchChanges(Json{{"step", before["step"]}}, Json{{"step", other}}).error().code,
                     std::string("bench_not_comparable"));
        }
        QCOMPARE(benchChanges(Json(3), Json("x")).error().code, std::string("bench_not_comparable"));
    }
    void recordAndAgainst() {
        slipway::test::TempDir temp;
        const std::string config = (temp.path() / "config.json").string(), file = (temp.path() / "bench.json").string();
        RunConfig tiny;
        tiny.model.vocabSize = 64;
        tiny.train.seqLen = 16;
        tiny.train.globalBatchSize = tiny.train.microBatchSize = 2;
        QVERIFY(writeJsonFile(config, toJson(tiny)));
        std::ostringstream out, err;
        QCOMPARE(runBenchCommand({"--step", config, "--steps", "1", "--record", file}, out, err), 0);
        Json recorded = *readJsonFile(file);
        for (auto& [key, value] : recorded["step"].items())
            if (key == "seconds") value = value.get<double>() / 1000;  // a machine that was a thousand times as fast
        QVERIFY(writeJsonFile(file, recorded));
        QCOMPARE(runBenchCommand({"--step", config, "--steps", "1", "--against", file}, out, err), 0);
        QVERIFY2(out.str().find("slower than recorded") != std::string::npos, out.str().c_str());
        QCOMPARE(runBenchCommand({"--step", config, "--against", (temp.path() / "none").string()}, out, err), 10);
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
        for (const char* steps : {"0", "-1", "5x", "", "99999999999", "1000001"})
            QCOMPARE(runBenchCommand({"--step", "x.json", "--steps", steps}, wrong, wrong), 2);
        std::ostringstream missing;
        QCOMPARE(runBenchCommand({"--step"}, wrong, missing), 2);
        QVERIFY2(missing.str().find("needs a value") != std::string::npos, missing.str().c_str());
        std::ostringstream out, err;
        QCOMPARE(runBenchCommand({}, out, err), 2);
        QCOMPARE(runBenchCommand({"--gem"}, out, err), 2);
        QVERIFY(err.str().find("--gem;") != std::string::npos);
    }
};

SLIPWAY_TEST(TstBench)
#include "tst_bench.moc"
