// Commands that ask the planner and touch no run, in-process: plan, cost, tpu, lint, laws.
#include "core/base/json.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace slipway;
using namespace slipway::test;

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

Json json(const std::string& s) {
    const auto value = parseJson(s, "output");
    if (!value) qFatal("%s in: %s", value.error().text().c_str(), s.c_str());
    return *value;
}

}  // namespace

class TstCliPlanner : public QObject {
    Q_OBJECT

private slots:
    void plans() {
        CliBench bench;
        const std::string config = bench.file("config.json", R"({"data": {"tokens": "tiny.tok"}})");
        const std::string cluster = bench.file(
            "cluster.json",
            R"({"device": {"name": "T", "memory_bytes": 16e9, "peak_fp32_flops": 1e11, "memory_bytes_per_second": 2e10}, "devices_per_node": 2})");
        const auto table = bench.run({"plan", config, "--cluster", cluster, "--set", "parallel.pp=2"});
        QVERIFY2(table.code == 0, table.err.c_str());
        QVERIFY(text(table.out).contains("Step time") && text(table.out).contains("Activations"));
        const auto got = bench.run({"plan", config, "--cluster", cluster, "--set", "parallel.pp=2", "--json"});
        const Json plan = json(got.out);
        QCOMPARE(plan["config"]["parallel"]["pp"].get<int>(), 2);
        QVERIFY(plan["forecast"]["step_seconds"].get<double>() > 0);
        QVERIFY(plan["forecast"]["money"].is_null());
        const auto bad = bench.run({"plan", config, "--cluster", cluster, "--set", "parallel.tp=3"});
        QCOMPARE(bad.code, 1);
        QVERIFY(text(bad.out).contains("not a multiple of"));
        const auto why = bench.run({"plan", config, "--cluster", cluster, "--explain", "mfu"});
        QVERIFY2(why.code == 0, why.err.c_str());
        QVERIFY(text(why.out).contains("flops_per_token * tokens_per_second / peak_flops"));
        const Json mfu = json(bench.run({"plan", config, "--cluster", cluster, "--explain", "mfu", "--json"}).out);
        QCOMPARE(mfu["inputs"].size(), std::size_t(3));
        const double byHand = mfu["inputs"][0]["value"].get<double>() * mfu["inputs"][1]["value"].get<double>() /
                              mfu["inputs"][2]["value"].get<double>();
        QVERIFY(qFuzzyCompare(mfu["value"].get<double>(), byHand));
        const auto typo = bench.run({"plan", config, "--cluster", cluster, "--explain", "mfuu"});
        QVERIFY(typo.code != 0 && text(typo.err).contains("did you mean mfu"));
        // Of any pipeline rank, and what a formula is made of; the plan has the slowest rank's.
        const auto compute = [&](std::vector<std::string> more) {
            more.insert(more.begin(), {"plan", config, "--cluster", cluster, "--set", "parallel.pp=2", "--json"});
            return bench.run(more);
        };
        const auto seconds = [&](std::vector<std::string> rank) {
            rank.insert(rank.begin(), {"--explain", "step.compute_seconds"});
            return json(compute(rank).out)["value"].get<double>();
        };
        const double first = seconds({"--rank", "0"}), last = seconds({"--rank", "1"});
        QVERIFY(first != last);
        QCOMPARE(seconds({}), std::max(first, last));
        QCOMPARE(json(compute({"--explain", "rank_pass_seconds"}).out)["formula"].get<std::string>(),
                 std::string("micro_batches * pass_seconds"));
        const auto none = compute({"--explain", "step.compute_seconds", "--rank", "2"});
        QVERIFY2(none.code != 0 && text(none.err).contains("no pipeline rank 2"), none.err.c_str());
        QCOMPARE(compute({"--rank", "0"}).code, 2);
    }

    // Every estimate says what it rests on, advice says by how much, memory is told over time.
    void plansAreLabelledAndAdvised() {
        CliBench bench;
        const std::string config =
            bench.file("config.json", R"({"model": {"num_layers": 32, "hidden_size": 4096, "ffn_hidden_size": 14336,
            "num_heads": 32, "num_kv_heads": 8, "vocab_size": 128256, "max_seq_len": 4096}, "data": {"tokens": "tiny.tok"},
            "train": {"seq_len": 4096, "global_batch_size": 64, "precision": "bf16", "device": "gpu"}, "parallel": {"dp": 8, "tp": 2}})");
        const std::string cluster = "NVIDIA H100 SXM 80 GB";
        const std::vector<std::string> two = {"--set", "parallel.dp=4", "--cluster", cluster, "--stack", "textbook"};
        std::vector<std::string> arguments = {"plan", config};
        arguments.insert(arguments.end(), two.begin(), two.end());
        const auto said = bench.run(arguments);
        for (const char* line :
             {"Memory, worst rank", "Step time", "Throughput", "MFU (", "Communication", "Training"}) {
            const QString out = text(said.out);
            const qsizetype at = out.indexOf(QLatin1String(line));
            QVERIFY2(at >= 0, line);
            QVERIFY2(out.mid(at, out.indexOf('\n', at) - at).endsWith("(textbook)"), line);
        }
        QVERIFY(text(said.out).contains("most of the second step"));
        // Textbook ends hold no stated share of runs.
        QVERIFY(text(said.out).contains("  range: ") && !text(said.out).contains("80 %"));
        // Of software, an interval of its runs; without --stack it is typical.
        const auto typical = bench.run({"plan", config, "--set", "parallel.dp=4", "--cluster", cluster});
        QVERIFY(text(typical.out).contains("Forecast basis           typical software, because"));
        QVERIFY(text(typical.out).contains("  80 %: ") && !text(typical.out).contains("(textbook)"));
        arguments.push_back("--json");
        const Json plan = json(bench.run(arguments).out);
        QCOMPARE(plan["memory_timeline"].size(), std::size_t(5));
        QCOMPARE(plan["memory_timeline"][4]["total_bytes"].get<double>(),
                 plan["forecast"]["memory_peak_bytes"].get<double>());
        bool gained = false;
        for (const Json& issue : plan["issues"])
            if (!issue["gain"].is_null() && !issue["gain"]["change"].is_null()) {
                gained = true;
                // The settings it names do what it says.
                std::vector<std::string> followed = arguments;
                for (const Json& setting : issue["gain"]["set"])
                    followed.insert(followed.end(), {"--set", setting.get<std::string>()});
                const Json after = json(bench.run(followed).out);
                QVERIFY(qFuzzyCompare(after["forecast"]["memory_peak_bytes"].get<double>(),
                                      issue["gain"]["memory_peak_bytes"].get<double>()));
                QVERIFY(text(said.out).contains(text(issue["gain"]["text"].get<std::string>()).left(12)));
            }
        QVERIFY(gained);
    }

    void plansAreCompared() {
        CliBench bench;
        const std::string one = bench.file("one.json", R"({"data": {"tokens": "tiny.tok"}})");
        const std::string other =
            bench.file("two.json", R"({"data": {"tokens": "tiny.tok"}, "train": {"micro_batch_size": 1}})");
        const std::string cluster = bench.file(
            "cluster.json",
            R"({"device": {"name": "T", "memory_bytes": 16e9, "peak_fp32_flops": 1e11, "memory_bytes_per_second": 2e10}, "devices_per_node": 2})");
        const Json plan = json(bench.run({"plan", other, "--cluster", cluster, "--against", one, "--json"}).out);
        QCOMPARE(plan["against"]["fields"].size(), std::size_t(1));
        QVERIFY(plan["against"]["fields"][0]["field"] == "train.micro_batch_size");
        QCOMPARE(plan["against"]["fields"][0]["after"].get<int>(), 1);
        const auto said = bench.run({"plan", other, "--cluster", cluster, "--against", one});
        QVERIFY2(text(said.out).contains("Against the baseline: 1 field differs") &&
                     text(said.out).contains("train.micro_batch_size"),
                 said.out.c_str());
    }

    void costs() {
        CliBench bench;
        const Json guide =
            json(bench
                     .run({"cost", "--params", "7e9", "--tokens", "2e12", "--device", "NVIDIA A100 SXM 80 GB",
                           "--devices", "256", "--mfu", "0.45", "--price", "1.99", "--json"})
                     .out);
        QVERIFY(qAbs(guide["device_hours"].get<double>() - 166192) < 1 &&
                qAbs(guide["money"].get<double>() - 330722) < 1);
        QVERIFY(guide["carbon_kg"].is_null() && guide["ettr"].is_null() && guide["wall_seconds"].is_null());
        // What the run would cost at each listed offer, cheapest first.
        const Json& offers = guide["listed_prices"];
        QVERIFY(offers.size() >= 4);
        for (std::size_t i = 0; i < offers.size(); ++i) {
            const double price = offers[i]["price_per_hour"].get<double>();
            QVERIFY(qAbs(offers[i]["money"].get<double>() - price * guide["device_hours"].get<double>()) < 1);
            QVERIFY(i == 0 || price >= offers[i - 1]["price_per_hour"].get<double>());
            QVERIFY(!offers[i]["source"].get<std::string>().empty() && !offers[i]["date"].get<std::string>().empty());
        }
        const Json llama = json(bench
                                    .run({"cost", "--flops", "3.8e25", "--device", "NVIDIA H100 SXM 80 GB", "--devices",
                                          "16384", "--mfu", "0.41", "--node-mtbf-days", "264", "--checkpoint-seconds",
                                          "30", "--restart-seconds", "300", "--carbon", "380", "--json"})
                                    .out);
        QVERIFY(qAbs(llama["ettr"].get<double>() - 0.903) < 0.005 && llama["carbon_kg"].get<double>() > 1e6);
        // Nobody lists a price or the power of a TPU v4.
        const Json tpu = json(bench
                                  .run({"cost", "--flops", "1e22", "--device", "Google TPU v4", "--devices", "64",
                                        "--mfu", "0.5", "--json"})
                                  .out);
        QVERIFY(tpu["listed_prices"].empty() && tpu["money"].is_null() && tpu["energy_kwh"].is_null() &&
                tpu["device_hours"].get<double>() > 0);
        QCOMPARE(bench.run({"cost", "--flops", "1e22"}).code, 2);
        QVERIFY(text(bench.run({"cost", "--flops", "1e22", "--device", "A100", "--devices", "8", "--mfu", "0.4"}).err)
                    .contains("NVIDIA A100 SXM 80 GB"));
        const std::string config = bench.file("config.json", R"({"data": {"tokens": "tiny.tok"}})");
        const std::string cluster = bench.file(
            "cluster.json",
            R"({"device": {"name": "T", "memory_bytes": 16e9, "peak_fp32_flops": 1e11, "memory_bytes_per_second": 2e10}, "devices_per_node": 2})");
        QVERIFY(json(bench.run({"cost", config, "--cluster", cluster, "--json"}).out)["busy_seconds"].get<double>() >
                0);
        const Json scaling =
            json(bench.run({"cost", config, "--cluster", cluster, "--scaling", "weak", "--points", "3", "--json"}).out);
        QVERIFY(scaling["rows"].size() == 3 && scaling["rows"][0]["efficiency"].get<double>() == 1);
        const Json book = json(bench
                                   .run({"tpu", "--chips", "8960", "--batch", "4194304", "--ffn", "28672", "--fsdp",
                                         "2048", "--tp", "4", "--json"})
                                   .out);
        QCOMPARE(book["idle_chips"].get<int>(), 768);
        QVERIFY(qAbs(book["mixed_token_limit"].get<double>() - 453.58) < 0.1);
    }
    // One axis of the torus shards the tensors, the others the data: Mx My is 2 of three axes, 1 of two.
    void tpuAxes_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("chips");
        QTest::addColumn<QString>("batch");
        QTest::addColumn<QString>("ffn");
        QTest::addColumn<QString>("axes");
        QTest::addColumn<double>("limit");
        QTest::addColumn<double>("ratio");
        // 4 (1.97e14 / 9e10)^2 / 28672, 4 (9.18e14 / 1.8e11)^2 / 28672, 4 (4.59e14 / 1.8e11)^2 / (Mx My 11008)
        QTest::newRow("v5e") << "Google TPU v5e"
                             << "256"
                             << "1e5"
                             << "28672"
                             << "2" << 668.42 << 1.3081;
        QTest::newRow("v6e") << "Google TPU v6e"
                             << "256"
                             << "1e5"
                             << "28672"
                             << "2" << 3628.6 << 3.0479;
        QTest::newRow("v5p, whole") << "Google TPU v5p"
                                    << "1024"
                                    << "1e6"
                                    << "11008"
                                    << "3" << 1181.4 << 1.0999;
        QTest::newRow("v5p, plane") << "Google TPU v5p"
                                    << "1024"
                                    << "1e6"
                                    << "11008"
                                    << "2" << 2362.8 << 1.5555;
    }
    void tpuAxes() {
        QFETCH(QString, device);
        QFETCH(QString, chips);
        QFETCH(QString, batch);
        QFETCH(QString, ffn);
        QFETCH(QString, axes);
        QFETCH(double, limit);
        QFETCH(double, ratio);
        CliBench bench;
        const Json answer =
            json(bench
                     .run({"tpu", "--device", device.toStdString(), "--chips", chips.toStdString(), "--batch",
                           batch.toStdString(), "--ffn", ffn.toStdString(), "--axes", axes.toStdString(), "--json"})
                     .out);
        const double foundLimit = answer["mixed_token_limit"], foundRatio = answer["comm_over_compute"];
        QVERIFY2(qAbs(foundLimit / limit - 1) < 1e-4 && qAbs(foundRatio / ratio - 1) < 1e-4,
                 qPrintable(QString("%1, %2").arg(foundLimit).arg(foundRatio)));
    }
    // A single axis shards the data or the tensors; no device has more axes than it has.
    void tpuSingleAxis() {
        CliBench bench;
        const std::vector<std::string> question = {"tpu",     "--device", "v5e",   "--chips", "16",
                                                   "--batch", "1e5",      "--ffn", "28672",   "--json"};
        const auto run = [&](std::vector<std::string> more) {
            more.insert(more.begin(), question.begin(), question.end());
            return bench.run(more);
        };
        const Json ring = json(run({"--axes", "1"}).out);
        QVERIFY(ring["mixed_token_limit"].is_null() && ring["fsdp"] == 16 && ring["tp"] == 1);
        QVERIFY(qAbs(ring["comm_over_compute"].get<double>() - 1.97e14 / 9e10 / 6250) < 1e-9);
        const Json tensors = json(run({"--axes", "1", "--tp", "16"}).out);
        QVERIFY(qAbs(tensors["comm_over_compute"].get<double>() - 16 * (1.97e14 / 9e10) / 28672) < 1e-9);
        QCOMPARE(run({"--axes", "1", "--tp", "4"}).code, 2);
        QCOMPARE(run({"--axes", "3"}).code, 2);
    }
    void lints() {
        CliBench bench;
        const auto bad = bench.run(
            {"lint", bench.file("s.json", R"({"num_steps": 477, "save_every": 1000, "mixture": [0.5, 0.47]})"),
             "--json"});
        QCOMPARE(bad.code, 1);
        const Json issues = json(bad.out);
        QVERIFY(issues.size() == 2 && issues[0]["code"] == "interval_never_reached" &&
                issues[1]["evidence"].is_string());
        QCOMPARE(bench.run({"lint", bench.file("g.json", R"({"num_steps": 477, "save_every": 100})")}).out,
                 std::string("No mistake found.\n"));
        const auto unknown = bench.run({"lint", bench.file("u.json", R"({"num_stps": 477})")});
        QVERIFY(unknown.code == 2 && text(unknown.err).contains("did you mean num_steps?"));
        QVERIFY(json(bench.run({"lint", "--rules", "--json"}).out).size() >= 23);
        QVERIFY(text(bench.run({"lint", "--facts"}).out).contains("save_every (steps)"));
    }
    // A file of another framework is judged by what it gives itself.
    void lintsForeignFiles_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QStringList>("codes");
        QTest::newRow("DeepSpeed") << "ds_zero2.json" << QStringList{};
        QTest::newRow("Megatron-LM") << "megatron.sh" << QStringList{};
        QTest::newRow("torchtitan") << "titan.toml" << QStringList{"fewer_tokens_than_parameters"};
        QTest::newRow("OLMo") << "olmo.yaml" << QStringList{};
        QTest::newRow("launch line") << "torchrun.sh" << QStringList{};
        QTest::newRow("never saves") << "never_saves.toml" << QStringList{"interval_never_reached"};
        QTest::newRow("tp over nodes") << "tp_across_nodes.sh"
                                       << QStringList{"few_micro_batches", "tp_across_nodes",
                                                      "fewer_tokens_than_parameters"};
    }
    void lintsForeignFiles() {
        QFETCH(QString, file);
        QFETCH(QStringList, codes);
        CliBench bench;
        const auto got =
            bench.run({"lint", std::string(SLIPWAY_TEST_DATA) + "/interop/sources/" + file.toStdString(), "--json"});
        QVERIFY2(got.code == 0, (got.out + got.err).c_str());
        QStringList found;
        for (const Json& issue : json(got.out)) found << text(issue["code"].get<std::string>());
        QCOMPARE(found, codes);
    }
    void lintsForeignFilesOnHardware() {
        CliBench bench;
        const std::string file = std::string(SLIPWAY_TEST_DATA) + "/interop/sources/megatron.sh";
        const auto got = bench.run(
            {"lint", file, "--cluster",
             bench.file(
                 "small.json",
                 R"({"device": {"name": "T", "kind": "gpu", "memory_bytes": 16e9}, "devices_per_node": 8, "num_nodes": 64})"),
             "--json"});
        QCOMPARE(got.code, 1);
        QVERIFY2(text(got.out).contains("state_does_not_fit"), got.out.c_str());
    }
    void laws() {
        CliBench bench;
        const Json best = json(bench.run({"laws", "--flops", "5.88e23", "--law", "twenty_tokens", "--json"}).out);
        QVERIFY(qAbs(best["parameters"].get<double>() / 70e9 - 1) < 1e-9 && best["loss"].is_null());
        const Json pair = json(bench.run({"laws", "compare", "--flops", "5.76e23", "--json"}).out);
        QCOMPARE(pair["rows"].size(), std::size_t{11});
        for (const Json& row : pair["rows"])
            QVERIFY(qAbs(row["spent_share"].get<double>() - (row["law"] == "printed_pair" ? 1.19551 : 1)) < 3e-4);
        const Json given = json(bench.run({"laws", "--model", "llama3-8b", "--tokens", "15e12", "--json"}).out);
        QVERIFY(qAbs(given["given"]["overtraining"].get<double>() - 93.4) < 0.1);
        // Chinchilla's own figures are rounded: 6 N D is 2 % above its 5.76e23.
        const auto rounded =
            bench.run({"laws", "--flops", "5.76e23", "--params", "70e9", "--tokens", "1.4e12", "--json"});
        QVERIFY(rounded.code == 0 && json(rounded.out)["given_tokens"] == 1.4e12);
        // Kaplan 2020, eq. 1.1 and 1.5, worked by hand; GPT-3's blocks have 173.9 B parameters.
        const Json kaplan = json(bench.run({"laws", "kaplan", "--params", "1e9", "--tokens", "22e9", "--json"}).out);
        QVERIFY(qAbs(kaplan["loss"].get<double>() - 2.37564) < 1e-5);
        QVERIFY(qAbs(kaplan["joint_loss"].get<double>() - 2.36932) < 1e-5);
        const Json blocks = json(bench.run({"laws", "kaplan", "--model", "gpt3-175b", "--json"}).out);
        QVERIFY(qAbs(blocks["parameters"].get<double>() / 173.96e9 - 1) < 1e-3 && !blocks.contains("joint_loss"));
        const Json curve = json(bench.run({"laws", "isoflop", "--flops", "1e21", "--points", "9", "--json"}).out);
        QCOMPARE(curve["rows"].size(), std::size_t{9});
        QVERIFY(curve["rows"][4]["loss_above_best"].get<double>() < 1e-9);
        const Json serve =
            json(bench.run({"laws", "serve", "--flops", "1e23", "--served-tokens", "1e13", "--json"}).out);
        QVERIFY(serve["saved_share"].get<double>() > 0 && serve["rows"][0].contains("break_even_served_tokens"));
        const Json repeat =
            json(bench.run({"laws", "repeat", "--flops", "1e22", "--unique-tokens", "1e10", "--json"}).out);
        QVERIFY(repeat["epochs"].get<double>() > 1 && repeat["loss"] > repeat["unlimited_loss"]);
        QVERIFY(text(bench.run({"laws", "overtrain", "--flops", "1e22"}).out).contains("Tokens per parameter"));
        // 1.7 + 400 / N^0.35 + 1000 / D^0.35 on a grid
        std::string csv = "params,tokens,loss\n";
        for (const double n : {1e8, 3e8, 1e9, 3e9})
            for (const double d : {1e10, 1e11, 1e12})
                csv += std::to_string(n) + "," + std::to_string(d) + "," +
                       std::to_string(1.7 + 400 / std::pow(n, 0.35) + 1000 / std::pow(d, 0.35)) + "\n";
        const auto fit = bench.run({"laws", "fit", bench.file("points.csv", csv), "--bootstrap", "20", "--json"});
        QVERIFY2(fit.code == 0, fit.err.c_str());
        const Json fitted = json(fit.out);
        QCOMPARE(fitted["points"].get<int>(), 12);
        QCOMPARE(fitted["bootstraps"].get<int>(), 20);
        QVERIFY(qAbs(fitted["rows"][3]["huber"].get<double>() - 0.35) < 2e-3);
        // Own runs: six logs of models with one to six layers.
        for (int layers = 1; layers <= 6; ++layers) {
            const std::string config =
                bench.file("c" + std::to_string(layers) + ".json",
                           R"({"model": {"num_layers": )" + std::to_string(layers) +
                               R"(}, "train": {"seq_len": 100, "global_batch_size": 8}, "parallel": {"dp": 4}})");
            std::string lines;
            for (int step = 1; step <= 3 * layers; ++step)
                lines +=
                    "step: " + std::to_string(step) + "  loss: " + std::to_string(8.0 - 0.3 * layers) + "  tps: 100\n";
            const std::string log = bench.file("l" + std::to_string(layers) + ".log", lines);
            const auto imported = bench.run({"import", log, "--config", config, "--json"});
            QVERIFY2(imported.code == 0, imported.err.c_str());
        }
        const auto own = bench.run({"laws", "fit", "--runs", "tag:imported", "--bootstrap", "0", "--json"});
        QVERIFY2(own.code == 0, own.err.c_str());
        QCOMPARE(json(own.out)["points"].get<int>(), 6);
        QVERIFY(text(bench.run({"laws", "fit", "--runs", "tag:none"}).err).contains("six"));
        QVERIFY(text(bench.run({"laws", "fit", "x.csv", "--runs", ""}).err).contains("--runs"));
        const auto bad = bench.run({"laws", "fit", bench.file("few.csv", "params,tokens,loss\n1,2,3\n")});
        QVERIFY(bad.code == 2 && text(bad.err).contains("six"));
    }
};

SLIPWAY_TEST(TstCliPlanner)
#include "tst_cli_planner.moc"
