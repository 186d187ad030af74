// What `slipway plan` says of a node's memory, of CUDA graphs and of measured collectives (`slipway curves`).
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/planner/count/flops.h"
#include "core/planner/presets.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

using namespace slipway;
using namespace slipway::test;

class TstPlanCommand : public QObject {
    Q_OBJECT

    static QString text(const std::string& s) { return QString::fromStdString(s); }
    static Json json(const std::string& s) {
        const auto parsed = parseJson(s, "output");
        if (!parsed) qFatal("%s", s.c_str());
        return *parsed;
    }

private slots:
    // Llama 3 405B has 126 layers so that the first of 128 stages holds the embedding alone and the last one the head alone
    // (arXiv 2407.21783, sec. 3.3.2): 430 and 400 TFLOP/s per GPU by 6 N and the whole attention (table 4).
    void metasLayoutsOf405B() {
        CliBench bench;
        std::string layers = "0";
        for (int i = 0; i < 126; ++i) layers += ",1";
        layers += ",0";
        for (const auto& [dp, tflops] : {std::pair{64, 430.0}, {128, 400.0}}) {
            std::vector<std::string> words = {"plan",          "--model",   "llama3.1-405b",          "--cluster",
                                              "H100",          "--devices", std::to_string(128 * dp), "--stack",
                                              "megatron-core", "--json"};
            for (const std::string& set :
                 {"parallel.dp=" + std::to_string(dp), std::string("parallel.tp=8"), std::string("parallel.pp=16"),
                  std::string("parallel.virtual_stages=8"), std::string("parallel.schedule=interleaved_1f1b"),
                  std::string("parallel.sequence_parallel=true"), std::string("parallel.zero_stage=2"),
                  std::string("train.seq_len=8192"), std::string("train.global_batch_size=2048"),
                  std::string("train.micro_batch_size=1"), std::string("train.recompute.policy=selective"),
                  std::string("train.recompute.attention=false"), std::string("train.recompute.norm=false")})
                words.insert(words.end(), {"--set", set});
            const auto refused = bench.run(words);
            QVERIFY(text(refused.out + refused.err).contains("give parallel.layers_per_stage"));
            words.insert(words.end(), {"--set", "parallel.layers_per_stage=[" + layers + "]"});
            const auto planned = bench.run(words);
            QVERIFY2(planned.code == 0, (planned.out + planned.err).c_str());
            const Json forecast = json(planned.out)["forecast"];
            const double flops = modelFlopsPerToken(findModelPreset("llama3.1-405b")->model, 8192) * 2048 * 8192;
            const double measured = flops / (128 * dp * tflops * 1e12);
            QVERIFY2(forecast["step"]["step_seconds_low"].get<double>() < measured &&
                         forecast["step"]["step_seconds_high"].get<double>() > measured,
                     qPrintable(QString("%1: %2").arg(measured).arg(text(forecast["step"].dump()))));
            QVERIFY(forecast["memory_peak_bytes"].get<double>() < 80 * kGiB);
        }
    }

    // A node whose memory does not hold the copies that checkpoints are written from, beside the tensors.
    void hostMemoryIsJudged() {
        CliBench bench;
        const std::string config =
            bench.file("config.json",
                       R"({"data": {"tokens": "tiny.tok"}, "checkpoint": {"every_steps": 10}, "parallel": {"dp": 2}})");
        const auto plan = [&](double bytes, bool asJson) {
            const std::string cluster = bench.file(
                "cluster.json",
                R"({"device": {"name": "T", "peak_fp32_flops": 1e11, "memory_bytes_per_second": 2e10, "memory_bytes": )" +
                    std::to_string(bytes) + R"(}, "devices_per_node": 2})");
            return asJson ? bench.run({"plan", config, "--cluster", cluster, "--json"})
                          : bench.run({"plan", config, "--cluster", cluster});
        };
        QVERIFY(text(plan(0, false).out).contains("of an unknown memory"));
        const Json host = json(plan(0, true).out)["host_memory"];
        QVERIFY(host["node_capacity_bytes"].is_null());
        QCOMPARE(host["node_bytes"].get<double>(), 2 * host["total_bytes"].get<double>());
        const double tensors = host["node_tensor_bytes"].get<double>();
        QVERIFY(tensors > 0);
        const double small = std::round(tensors + host["node_bytes"].get<double>() / 2);
        const auto refused = plan(small, false);
        QCOMPARE(refused.code, 1);
        QVERIFY2(text(refused.out).contains("checkpoint copy") && text(refused.out).contains("too much"),
                 refused.out.c_str());
        const Json document = json(plan(small, true).out);
        QCOMPARE(document["host_memory"]["node_capacity_bytes"].get<double>(), small);
        QVERIFY(std::any_of(document["issues"].begin(), document["issues"].end(),
                            [](const Json& i) { return i["code"] == "host_does_not_fit"; }));
        QCOMPARE(plan(1e12, false).code, 0);
        // Every figure of it has its formula.
        const Json all = json(bench
                                  .run({"plan", config, "--cluster", (bench.at.temp.path() / "cluster.json").string(),
                                        "--explain", "all", "--json"})
                                  .out);
        const Json told = json(plan(1e12, true).out)["host_memory"];
        for (const auto& [name, value] : told.items()) {
            if (!value.is_number() || name == "stage") continue;
            const auto one =
                std::find_if(all.begin(), all.end(), [&](const Json& e) { return e["name"] == "host_memory." + name; });
            QVERIFY2(one != all.end(), name.c_str());
            QCOMPARE((*one)["value"].get<double>(), value.get<double>());
        }
    }

    // What nothing reads with the other settings: an error wherever a config is judged; a warning where it waits for
    // ranks.
    void optionsWithoutEffect_data() {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("field");
        QTest::addColumn<int>("code");
        QTest::newRow("eps of Lion")
            << QByteArray(R"({"train": {"precision": "bf16"}, "optimizer": {"kind": "lion", "eps": 1e-6}})")
            << "optimizer.eps" << 1;
        QTest::newRow("buckets of ZeRO-3")
            << QByteArray(R"({"parallel": {"dp": 2, "zero_stage": 3, "bucket_bytes": 1000000}})")
            << "parallel.bucket_bytes" << 0;
        QTest::newRow("ZeRO on one rank")
            << QByteArray(R"({"parallel": {"zero_stage": 1}})") << "parallel.zero_stage" << 0;
    }
    void optionsWithoutEffect() {
        QFETCH(QByteArray, config);
        QFETCH(QString, field);
        QFETCH(int, code);
        CliBench bench;
        const std::string file = bench.file("config.json", config.toStdString());
        const std::string cluster = bench.file(
            "cluster.json",
            R"({"device": {"name": "T", "memory_bytes": 16e9, "peak_fp32_flops": 1e11, "memory_bytes_per_second": 2e10}, "devices_per_node": 2})");
        for (const char* command : {"plan", "lint"}) {
            const auto got = bench.run({command, file, "--cluster", cluster, "--json"});
            QCOMPARE(got.code, code);
            const Json answer = json(got.out);
            const Json issues = answer.is_object() ? answer["issues"] : answer;
            QVERIFY2(std::any_of(
                         issues.begin(), issues.end(),
                         [&](const Json& i) { return i["code"] == "no_effect" && i["field"] == field.toStdString(); }),
                     got.out.c_str());
        }
    }

    // The system whose node it is, with its source; MFU as each convention counts.
    void conventions() {
        CliBench bench;
        const Json plan = json(
            bench
                .run({"plan", "--model", "llama3-8b", "--cluster", "NVIDIA H100 SXM 80 GB", "--set", "train.device=gpu",
                      "--set", "train.precision=bf16", "--set", "train.recompute.policy=full", "--json"})
                .out);
        QCOMPARE(text(plan["host_memory"]["node_system"].get<std::string>()), QString("DGX H100"));
        QVERIFY(text(plan["host_memory"]["node_source"].get<std::string>()).startsWith("https://"));
        const Json& list = plan["utilisation"];
        QCOMPARE(list.size(), std::size_t{4});
        const double rate = plan["forecast"]["tokens_per_second_per_device"].get<double>(),
                     own = plan["forecast"]["mfu"].get<double>();
        const ModelSpec model = findModelPreset("llama3-8b")->model;
        for (const auto& rule : enumNames(FlopsRule{})) {
            const Json& entry = list[static_cast<std::size_t>(rule.value)];
            QCOMPARE(text(entry["rule"].get<std::string>()),
                     QString::fromUtf8(rule.word.data(), static_cast<qsizetype>(rule.word.size())));
            const double flops = modelFlopsPerToken(model, model.maxSeqLen, rule.value);
            QCOMPARE(entry["flops_per_token"].get<double>(), flops);
            QVERIFY(qAbs(entry["mfu"].get<double>() / (rate * flops / 989.4e12) - 1) < 1e-9);
        }
        QCOMPARE(list[2]["mfu"].get<double>(), own);
        QVERIFY(list[3]["mfu"].get<double>() > 1.2 * own && plan["forecast"]["hfu"].get<double>() > 1.2 * own);
    }

    // train.cuda_graphs shows its effect, or that it has none. It hides launches of operations, which textbook figures count; a stack
    // has its host's time per layer.
    void graphsShowTheirEffect() {
        CliBench bench;
        const std::string config = bench.file(
            "config.json",
            R"({"data": {"tokens": "tiny.tok"}, "train": {"device": "gpu", "precision": "bf16", "cuda_graphs": true, "global_batch_size": 16, "micro_batch_size": 2}})");
        const std::string cluster = bench.file(
            "cluster.json",
            R"({"device": {"name": "T", "kind": "gpu", "memory_bytes": 16e9, "peak_bf16_flops": 1e14, "memory_bytes_per_second": 1e12}, "devices_per_node": 2})");
        const Json graphs =
            json(bench.run({"plan", config, "--cluster", cluster, "--stack", "textbook", "--json"}).out)["cuda_graphs"];
        QCOMPARE(graphs["repeated_micro_batches"].get<double>(), 6.0);
        QVERIFY(graphs["saved_seconds"].get<double>() > 0 && graphs["memory_bytes"].get<double>() > 0);
        const std::string shown = bench.run({"plan", config, "--cluster", cluster}).out;
        QVERIFY2(text(shown).contains("6 of 8 micro-batches are one launch each"), shown.c_str());
        const auto none = bench.run({"plan", config, "--cluster", cluster, "--set", "parallel.pp=2"});
        QVERIFY2(text(none.out).contains("no graph is captured for this layout"), none.out.c_str());
        QVERIFY(json(bench.run({"plan", config, "--cluster", cluster, "--set", "train.cuda_graphs=false", "--json"})
                         .out)["cuda_graphs"]
                    .is_null());
    }

    // Measured collectives become part of a cluster, which plan and search take; a figure names its curve.
    void curves() {
        CliBench bench;
        const Json list = json(bench.run({"curves", "--json"}).out);
        QVERIFY(std::any_of(list.begin(), list.end(), [](const Json& p) {
            return p["id"] == "h100-all-reduce-2-nodes" && p["source_date"] == "2026-05-22";
        }));
        // What eight cards of a node and 64 of eight nodes were measured to reach.
        const std::string measured = bench.file(
            "measured.csv",
            "collective,message_mb,nodes,gpus,gb_per_s_mean,source,date\n"
            "all_reduce,256,1,8,430,NVLink test,2026-01-31\nall_reduce,256,8,64,95,,\nall_gather,256,8,64,80,,\n");
        const auto got = bench.run({"curves", measured, "--cluster", "NVIDIA H100 SXM 80 GB", "--json"});
        QCOMPARE(got.code, 0);
        QVERIFY2(text(got.err).contains("bus bandwidth") && text(got.err).contains("latency per hop"), got.err.c_str());
        const Json cluster = json(got.out);
        QCOMPARE(cluster["comm_curves"].size(), std::size_t{3});
        QCOMPARE(cluster["num_nodes"].get<int>(), 8);
        const Json published = json(bench.run({"curves", "h100-all-reduce-2-nodes", "--json"}).out);
        QCOMPARE(published["num_nodes"].get<int>(), 2);
        QVERIFY(text(bench.run({"curves", "h200-all-reduce"}).out).contains("all_reduce"));
        const std::string file = bench.file("curves.json", got.out);
        const std::vector<std::string> plan = {"plan",
                                               "--model",
                                               "llama3-8b",
                                               "--set",
                                               "train.device=gpu",
                                               "--set",
                                               "train.precision=bf16",
                                               "--set",
                                               "parallel.tp=8",
                                               "--set",
                                               "parallel.dp=8",
                                               "--set",
                                               "train.global_batch_size=16"};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), plan.begin(), plan.end());
            return bench.run(more);
        };
        const auto why = with({"--cluster", file, "--explain", "step.tp_exposed_seconds"});
        QVERIFY2(text(why.out).simplified().contains(
                     "all_reduce by the curve of 8 ranks in one node (NVLink test, 2026-01-31"),
                 why.out.c_str());
        QVERIFY2(text(with({"--cluster", file, "--set", "parallel.zero_stage=1"}).out)
                     .simplified()
                     .contains("reduce_scatter of 8 ranks over 8 nodes"),
                 "the link stands in unsaid");
        const auto seconds = [&](const std::string& hardware) {
            return json(with({"--cluster", hardware, "--json"}).out)["forecast"]["step_seconds"].get<double>();
        };
        QVERIFY(seconds(file) != seconds("NVIDIA H100 SXM 80 GB"));
        // A table of one's own, in the other convention, and a bench record.
        const std::string table =
            bench.file("own.csv", "collective,message_mb,nodes,gpus,gb_per_s_mean\nall_reduce,64,2,16,100\n");
        const std::vector<std::string> own = {"curves",    table, "--cluster", "NVIDIA A100 SXM 80 GB",
                                              "--devices", "32",  "--json"};
        const Json bus = json(bench.run(own).out);
        QCOMPARE(bus["num_nodes"].get<int>(), 4);
        std::vector<std::string> other = own;
        other.insert(other.end(), {"--bandwidth", "algorithm"});
        QVERIFY(json(bench.run(other).out)["comm_curves"][0]["bytes_per_second"].get<double>() >
                bus["comm_curves"][0]["bytes_per_second"].get<double>());
        const std::string record = bench.file(
            "bench.json",
            R"({"comm": [{"operation": "send", "bytes": 1000, "seconds": 2e-5}, {"operation": "send", "bytes": 1e6, "seconds": 1e-3}], "comm_ranks": 2})");
        const Json both =
            json(bench.run({"curves", table, record, "--cluster", "NVIDIA A100 SXM 80 GB", "--json"}).out);
        QCOMPARE(both["comm_curves"].size(), std::size_t{2});
        QCOMPARE(text(both["comm_curves"][1]["operation"].get<std::string>()), QString("send"));
        QVERIFY(text(bench.run({"curves", "--cluster", "NVIDIA A100 SXM 80 GB"}).out).contains("no curves"));
        // What is wrong is said.
        const auto twice = bench.run({"curves", "h200-all-reduce", "h200-all-reduce"});
        QCOMPARE(twice.code, 2);
        QVERIFY2(text(twice.err).contains("operation and group"), twice.err.c_str());
        const auto typo = bench.run({"curves", "h200-all-reduc"});
        QCOMPARE(typo.code, 2);
        QVERIFY2(text(typo.err).contains("did you mean h200-all-reduce?"), typo.err.c_str());
        const std::string bad =
            bench.file("bad.csv", "collective,message_mb,nodes,gpus,gb_per_s_mean\nall_reduce,64,2,16,0\n");
        const auto refused = bench.run({"curves", bad, "--cluster", "NVIDIA A100 SXM 80 GB"});
        QCOMPARE(refused.code, 2);
        QVERIFY2(text(refused.err).contains("bad.csv:2"), refused.err.c_str());
    }
};

SLIPWAY_TEST(TstPlanCommand)

#include "tst_plan_command.moc"
