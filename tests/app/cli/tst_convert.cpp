// convert, and plan --model: configs of other frameworks at the command line.
#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

const std::string kSamples = std::string(SLIPWAY_TEST_DATA) + "/interop/";

Json json(const std::string& s) {
    const auto value = parseJson(s, "output");
    if (!value) qFatal("%s in: %s", value.error().text().c_str(), s.c_str());
    return *value;
}

}  // namespace

class TstConvert : public QObject {
    Q_OBJECT

private slots:
    void huggingFace() {
        CliBench bench;
        const auto got = bench.run({"convert", kSamples + "huggingface/olmo2-7b.json", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const Json out = json(got.out);
        QVERIFY(out["from"] == "huggingface");
        QCOMPARE(out["parameters"].get<std::int64_t>() + out["unmodelled_parameters"].get<std::int64_t>(),
                 std::int64_t{7298617344});
        QCOMPARE(out["config"]["model"]["hidden_size"].get<int>(), 4096);
        bool saysWhy = false;
        for (const Json& remark : out["read"]) saysWhy = saysWhy || remark["kind"] == "approximated";
        QVERIFY(saysWhy);

        // The text is a config that plan takes.
        const std::string file = (bench.at.temp.path() / "converted.json").string();
        const auto written = bench.run({"convert", kSamples + "huggingface/llama3-8b.json", "-o", file});
        QVERIFY2(written.code == 0, written.err.c_str());
        QVERIFY(written.out.empty());
        QVERIFY2(written.err.find("no counterpart in Slipway: bos_token_id = 128000") != std::string::npos,
                 written.err.c_str());
        const auto back = bench.run({"convert", file, "--to", "huggingface", "--json"});
        QVERIFY2(back.code == 0, back.err.c_str());
        QVERIFY(json(back.out)["from"] == "slipway");
        QCOMPARE(json(back.out)["not_expressed"].size(), std::size_t{0});
    }

    /// The origin of a config decides what its forecast is of, until --stack does.
    void softwareOfTheOrigin() {
        CliBench bench;
        const std::string arguments = bench.file(
            "arguments.sh",
            "--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --seq-length 4096 "
            "--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --train-iters 100 --bf16 "
            "--swiglu --vocab-size 128256 --tensor-model-parallel-size 2");
        const std::string file = (bench.at.temp.path() / "megatron.json").string();
        const auto written = bench.run({"convert", arguments, "--from", "megatron", "-o", file});
        QVERIFY2(written.code == 0, written.err.c_str());
        const auto plan = [&](std::vector<std::string> more) {
            more.insert(more.begin(), {"plan", file, "--cluster", "NVIDIA H100 SXM 80 GB"});
            return bench.run(more);
        };
        QVERIFY2(plan({}).out.find("Megatron-Core, the software of the config") != std::string::npos,
                 plan({}).err.c_str());
        QVERIFY(json(plan({"--json"}).out)["forecast"]["software"] == "megatron-core");
        QVERIFY(json(plan({"--json", "--stack", "textbook"}).out)["forecast"]["software"].is_null());
        QVERIFY(json(plan({"--json", "--set", "software=nemo"}).out)["forecast"]["software"] == "nemo");
        const auto refused = plan({"--set", "software=megatron"});
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.err.find("did you mean megatron-core?") != std::string::npos);
        // A format is its own software: nothing is lost by the field.
        const Json back = json(bench.run({"convert", file, "--to", "torchtitan", "--json"}).out);
        for (const Json& remark : back["not_expressed"]) QVERIFY(remark["key"] != "software");
    }

    void base() {
        CliBench bench;
        const std::string base = bench.file("base.json", R"({"parallel": {"tp": 4}, "train": {"num_steps": 9}})");
        const auto got = bench.run({"convert", kSamples + "huggingface/llama3-8b.json", "--base", base, "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        QCOMPARE(json(got.out)["config"]["parallel"]["tp"].get<int>(), 4);
        QCOMPARE(json(got.out)["config"]["model"]["num_layers"].get<int>(), 32);
    }

    // What the file leaves to the defaults, and where a script starts its ranks.
    void whatIsNotGiven() {
        CliBench bench;
        const std::string file =
            bench.file("m.sh",
                       "#!/bin/sh\ntorchrun --nnodes 2 --nproc-per-node 4 --master-addr a --master-port 7 p.py "
                       "--num-layers 4 --hidden-size 64 --num-attention-heads 4 --train-iters 9\n");
        const Json got = json(bench.run({"convert", file, "--json"}).out);
        const Json wanted = {"model.vocab_size", "train.seq_len", "train.global_batch_size", "train.micro_batch_size"};
        QVERIFY2(got["not_given"] == wanted, got["not_given"].dump().c_str());
        const Json launch = {{"nodes", 2}, {"devices_per_node", 4}, {"ranks", 8}, {"address", "a"}, {"port", "7"}};
        QVERIFY2(got["launch"] == launch, got["launch"].dump().c_str());
        const auto told = bench.run({"convert", file});
        for (const char* line : {"so from the defaults:\n  model.vocab_size = 2048\n",
                                 "Started on 2 nodes of 4 devices, rendezvous at a:7.\n"})
            QVERIFY2(told.err.find(line) != std::string::npos, told.err.c_str());
        QVERIFY(
            json(bench.run({"convert", kSamples + "huggingface/llama3-8b.json", "--json"}).out)["not_given"].empty());
    }

    void refuses_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("err");
        QTest::newRow("unknown format") << QStringList{"convert", "FILE", "--from", "hugging"}
                                        << "choose one of slipway, huggingface";
        QTest::newRow("was not detected") << QStringList{"convert", "FILE"} << "--from";
        QTest::newRow("missing") << QStringList{"convert", "/nowhere/config.json"} << "/nowhere";
        QTest::newRow("not that format") << QStringList{"convert", "FILE", "--from", "huggingface"}
                                         << "num_hidden_layers is missing";
        QTest::newRow("no model") << QStringList{"plan", "--model", "llama3-8billion"} << "model preset";
    }
    void refuses() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, err);
        CliBench bench;
        std::vector<std::string> list;
        for (const QString& argument : arguments)
            list.push_back(argument == "FILE" ? bench.file("odd.json", R"({"a": 1})") : argument.toStdString());
        const auto got = bench.run(list);
        QCOMPARE(got.code, 2);
        QVERIFY2(got.err.find(err.toStdString()) != std::string::npos, got.err.c_str());
        QVERIFY(got.out.empty());
    }

    void throughAllFormats() {
        CliBench bench;
        const std::string config =
            bench.file("config.json", R"({"name": "x", "model": {"num_kv_heads": 2}, "parallel": {"dp": 2, "tp": 2}})");
        for (const char* format : {"megatron", "deepspeed", "torchtitan", "nanotron", "neox", "olmo", "olmo-core",
                                   "torchrun", "deepspeed-launcher", "sbatch"}) {
            const std::string file = (bench.at.temp.path() / format).string();
            const auto out = bench.run({"convert", config, "--to", format, "-o", file, "--devices-per-node", "2"});
            QVERIFY2(out.code == 0, (format + out.err).c_str());
            const auto back = bench.run({"convert", file, "--from", format, "--json"});
            QVERIFY2(back.code == 0, (format + back.err).c_str());
            QCOMPARE(json(back.out)["config"]["train"]["global_batch_size"].get<int>(), 16);
            // What it looks like is what it is; the launch scripts look alike.
            const auto guessed = bench.run({"convert", file, "--json"});
            QVERIFY2(guessed.code == 0, (format + guessed.err).c_str());
            const std::string from = json(guessed.out)["from"].get<std::string>();
            QVERIFY2(from == format || (from == "torchrun" && std::string(format) == "deepspeed-launcher"),
                     (format + from).c_str());
        }
    }

    void imports() {
        CliBench bench;
        const std::string log = bench.file(
            "titan.log",
            "step: 1  loss: 8.0  tps: 100\nstep: 2  loss: 7.5  tps: 200\nstep:  loss: 7.0\nstep: 3  loss: 7.0  tps: 200\n");
        const std::string config =
            bench.file("config.json", R"({"train": {"seq_len": 100, "global_batch_size": 8}, "parallel": {"dp": 4}})");
        const auto got = bench.run({"import", log, "--config", config, "--name", "titan run", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const Json file = json(got.out)[0];
        QVERIFY(file["format"] == "torchtitan" && file["origin"] == "imported");
        QCOMPARE(file["used"].get<int>(), 3);
        QCOMPARE(file["malformed"]["no step number"].get<int>(), 1);
        const std::string id = file["runs"][0]["run_id"].get<std::string>();

        const auto shown = json(bench.run({"show", id, "--json"}).out);
        QVERIFY(shown["status"] == "completed" && shown["name"] == "titan run");
        QCOMPARE(shown["last_step"].get<int>(), 3);
        QCOMPARE(shown["measured"]["final_loss"].get<double>(), 7.0);
        QCOMPARE(shown["measured"]["step_seconds"].get<double>(), 800.0 / (200 * 4));
        QCOMPARE(shown["measured"]["tokens_per_second"].get<double>(), 800.0);
        QVERIFY(shown["events"][0]["name"] == "imported");
        QCOMPARE(json(bench.run({"runs", "tag:imported", "--json"}).out).size(), std::size_t{1});
        // The folder is the truth: the index can be made again.
        QCOMPARE(bench.run({"reindex"}).code, 0);
        const auto again = json(bench.run({"show", id, "--json"}).out);
        QCOMPARE(again["measured"]["final_loss"].get<double>(), 7.0);
        QVERIFY(again["tags"] == shown["tags"]);

        const auto nothing = bench.run({"import", bench.file("odd.log", "hello\n")});
        QCOMPARE(nothing.code, 2);
        QVERIFY2(nothing.err.find("llm-foundry-csv") != std::string::npos, nothing.err.c_str());
        QCOMPARE(json(bench.run({"runs", "--json"}).out).size(), std::size_t{1});
    }

    // A table that `slipway validate` reads: a run of each row, with its forecast and with those that did not run.
    void importsMeasuredRuns() {
        CliBench bench;
        const std::string table = bench.file(
            "layouts.csv",
            "model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpu,gpus_per_node,nodes,micro_batch,grad_acc,dp,pp,tp,zero_stage,"
            "tokens_per_s_per_gpu,gpu_memory_gb,status\n"
            "1B,16,2048,8192,32,8,131072,4096,H100-80GB-SXM,8,1,2,4,8,1,1,1,20000,40,ok\n"
            "1B,16,2048,8192,32,8,131072,4096,H100-80GB-SXM,8,1,64,4,8,1,1,0,,,oom_or_crash\n"
            "1B,16,2048,8192,32,8,131072,4096,Abacus,8,1,2,4,8,1,1,1,20000,40,ok\n");
        const auto got = bench.run({"import", table, "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const Json file = json(got.out)[0];
        QVERIFY(file["format"] == "measured-runs");
        QCOMPARE(file["malformed"]["unknown device"].get<int>(), 1);
        QCOMPARE(file["runs"].size(), std::size_t{2});
        QCOMPARE(bench.run({"reindex"}).code, 0);  // nothing stands in the index alone
        const auto ran = json(bench.run({"show", file["runs"][0]["run_id"].get<std::string>(), "--json"}).out);
        QVERIFY(ran["name"] == "1B-dp8-z1-mb2" && ran["status"] == "completed");
        QCOMPARE(ran["measured"]["tokens_per_second_per_device"].get<double>(), 20000.0);
        QCOMPARE(ran["measured"]["memory_peak_bytes"].get<double>(), 40 * 1024.0 * 1024 * 1024);
        QVERIFY(ran["measured"]["mfu"].get<double>() > 0 && ran["forecast"]["step_seconds"].get<double>() > 0);
        const auto failed = json(bench.run({"show", file["runs"][1]["run_id"].get<std::string>(), "--json"}).out);
        QVERIFY(failed["status"] == "failed" && failed["measured"]["step_seconds"].is_null());

        std::string text = *readFile(table);
        const auto misspelled =
            bench.run({"import", bench.file("odd.csv", text.replace(text.find("hidden"), 6, "hiden"))});
        QCOMPARE(misspelled.code, 2);
        QVERIFY2(misspelled.err.find("column hidden (is it \"hiden\"?)") != std::string::npos, misspelled.err.c_str());
        text = *readFile(table);
        for (std::size_t at; (at = text.find("H100")) != std::string::npos;) text.replace(at, 4, "Slate");
        const auto unusable = bench.run({"import", bench.file("odd.csv", text)});
        QCOMPARE(unusable.code, 2);
        QVERIFY2(unusable.err.find("3 x unknown device") != std::string::npos, unusable.err.c_str());
    }

    void importsWithoutConfig() {
        // Nothing says how many tokens a step has: what follows from them stays unknown.
        CliBench bench;
        const auto got = bench.run(
            {"import", bench.file("a.log", "step: 1  loss: 8.0  tps: 100\nstep: 2  loss: 7.5  tps: 200\n"), "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        QVERIFY(json(got.out)[0]["runs"][0]["config_known"] == false);
        const auto shown =
            json(bench.run({"show", json(got.out)[0]["runs"][0]["run_id"].get<std::string>(), "--json"}).out);
        QVERIFY(shown["measured"]["tokens_per_second"].is_null());
        QVERIFY(shown["measured"]["step_seconds"].is_null());
    }

    // A field that the source does not give is unknown, not its default: in lists, filters and copies, and after a rebuild.
    void importsInventNoFields() {
        CliBench bench;
        const std::string log = bench.file("a.log", "step: 1  loss: 8.0\nstep: 2  loss: 7.5\n");
        const auto got = bench.run({"import", log, "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const std::string id = json(got.out)[0]["runs"][0]["run_id"].get<std::string>();
        const std::string table = bench.file(
            "bench.csv",
            "name,nodes,dp,tp,pp,batch_accum,mbs,seq_len,num_layers,hidden_size,num_heads,vocab_size,tok/s/gpu\n"
            "small,1,4,2,1,2,2,4096,16,2048,32,32000,20000\n");
        const auto rows = bench.run({"import", table, "--format", "nanotron-csv", "--json"});
        QVERIFY2(rows.code == 0, rows.err.c_str());
        const std::string row = json(rows.out)[0]["runs"][0]["run_id"].get<std::string>();
        const auto found = [&](const char* filter) { return json(bench.run({"runs", filter, "--json"}).out).size(); };
        for (const bool isRebuilt : {false, true}) {
            if (isRebuilt) QCOMPARE(bench.run({"reindex"}).code, 0);
            QCOMPARE(found("tag:imported"), std::size_t{2});
            for (const char* invented : {"dp=1", "world_size=1", "micro_batch_size=1", "num_steps>0", "lr>0",
                                         "optimizer.kind=adamw", "seed>0"})
                QVERIFY2(found(invented) == 0, invented);
            for (const char* given : {"dp=4", "world_size=8", "mbs=2", "num_layers=16", "seq_len=4096"})
                QVERIFY2(found(given) == 1, given);
            const auto shown = json(bench.run({"show", id, "--json"}).out);
            QVERIFY(shown["num_steps"].is_null() && !shown["config"].contains("train"));
            QVERIFY(json(bench.run({"show", row, "--json"}).out)["config"]["parallel"]["dp"] == 4);
        }
        // A copy is a config of our own: complete, and it says that fields were filled in.
        const auto copy = bench.run({"clone", id, "--print"});
        QVERIFY2(copy.code == 0, copy.err.c_str());
        QVERIFY(json(copy.out)["parallel"]["dp"] == 1 && !json(copy.out).contains("partial"));
        QVERIFY2(copy.err.find("another program") != std::string::npos, copy.err.c_str());
    }

    void plansAModel_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("layers");
        QTest::newRow("file") << QString::fromStdString(kSamples + "huggingface/mixtral-8x7b.json") << 32;
        QTest::newRow("preset") << "qwen3-8b" << 36;
    }
    void plansAModel() {
        QFETCH(QString, model);
        CliBench bench;
        const std::string cluster = bench.file(
            "cluster.json",
            R"({"device": {"name": "T", "memory_bytes": 1e15, "peak_bf16_flops": 1e15, "memory_bytes_per_second": 2e12}, "devices_per_node": 8})");
        const auto got = bench.run({"plan", "--model", model.toStdString(), "--set", "parallel.tp=8", "--set",
                                    "train.precision=bf16", "--cluster", cluster, "--json"});
        QVERIFY2(got.code == 0, (got.err + got.out).c_str());
        const Json plan = json(got.out);
        QTEST(plan["config"]["model"]["num_layers"].get<int>(), "layers");
        QCOMPARE(plan["config"]["parallel"]["tp"].get<int>(), 8);
    }
};

SLIPWAY_TEST(TstConvert)

#include "tst_convert.moc"
