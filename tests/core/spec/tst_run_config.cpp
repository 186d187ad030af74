#include "core/spec/run_config.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace slipway;

namespace {

QStringList codes(const Issues& issues) {
    QStringList out;
    for (const Issue& issue : issues) out << QString::fromStdString(issue.code + " " + issue.field);
    return out;
}

RunConfig parsed(const std::string& text) {
    const auto config = parseRunConfig(*parseJson(text, "test"), "test");
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

}  // namespace

class TstRunConfig : public QObject {
    Q_OBJECT
private slots:
    void architectureExampleIsRead() {
        const RunConfig c = parsed(R"({"schema": 1, "name": "tiny dp2",
 "model": {"family": "llama", "num_layers": 4, "hidden_size": 128, "ffn_hidden_size": 384, "num_heads": 4, "num_kv_heads": 2,
           "vocab_size": 2048, "max_seq_len": 256, "tie_embeddings": true},
 "train": {"seq_len": 256, "global_batch_size": 16, "micro_batch_size": 2, "num_steps": 100, "precision": "fp32", "seed": 1,
           "recompute": {"policy": "none"}},
 "optimizer": {"kind": "adamw", "lr": 3e-3, "weight_decay": 0.1, "clip_norm": 1.0, "schedule": {"kind": "wsd", "warmup_steps": 10, "decay_steps": 20}},
 "parallel": {"dp": 2, "tp": 1, "pp": 1, "zero_stage": 1, "schedule": "1f1b"},
 "data": {"tokens": "corpus.tok"}, "checkpoint": {"every_steps": 50, "keep": 2}, "telemetry": {"spans_every_steps": 10}})");
        QCOMPARE(c.model.kvHeads(), 2);
        QCOMPARE(c.optimizer.schedule.kind, LrScheduleKind::Wsd);
        QCOMPARE(c.numMicroBatches(), 4);
        QVERIFY2(validate(c).empty(), qPrintable(codes(validate(c)).join("; ")));
        QVERIFY(trainerSupports(c).empty());
    }
    void writingAndReadingKeepsEverything() {
        RunConfig c;
        c.name = "x";
        c.parallel.pp = 2;
        c.parallel.layersPerStage = {1, 3};
        c.model.numKvHeads = 2;
        c.model.mla = MlaSpec{};
        c.model.moe = MoeSpec{};
        c.model.moe->expertFfnHiddenSize = 64;
        c.optimizer.lr = 0.1;
        c.data.ignoreTokenId = 3;
        const Json json = toJson(c);
        Issues issues;
        const RunConfig back = runConfigFromJson(json, issues);
        QVERIFY2(issues.empty(), qPrintable(codes(issues).join("; ")));
        QCOMPARE(dumpJson(toJson(back), false), dumpJson(json, false));
        QCOMPARE(configHash(back), configHash(c));
    }
    void problems_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* name, const char* text, QStringList expected) {
            QTest::newRow(name) << QByteArray(text) << expected;
        };
        row("not an object", "[1]", {"type_mismatch "});
        row("unknown key", R"({"parallel":{"tpp":2}})", {"unknown_key parallel.tpp"});
        row("unknown section", R"({"modle":{}})", {"unknown_key modle"});
        row("fraction", R"({"parallel":{"tp":3.7}})", {"type_mismatch parallel.tp"});
        row("boolean", R"({"parallel":{"tp":true}})", {"type_mismatch parallel.tp"});
        row("text", R"({"parallel":{"tp":"2"}})", {"type_mismatch parallel.tp"});
        row("negative", R"({"parallel":{"tp":-1}})", {"out_of_range parallel.tp"});
        row("beyond 2^63", R"({"train":{"seed":18446744073709551615}})", {"type_mismatch train.seed"});
        row("number for bool", R"({"model":{"tie_embeddings":1}})", {"type_mismatch model.tie_embeddings"});
        row("choice", R"({"train":{"precision":"bf17"}})", {"unknown_choice train.precision"});
        row("nan", R"({"optimizer":{"lr":"nan"}})", {"out_of_range optimizer.lr"});
        row("list item", R"({"parallel":{"pp":2,"layers_per_stage":[2,"x"]}})",
            {"type_mismatch parallel.layers_per_stage.1"});
        row("no effect", R"({"parallel":{"tp":1,"sequence_parallel":true}})", {"no_effect parallel.sequence_parallel"});
        row("default without effect is harmless", R"({"parallel":{"tp":1,"sequence_parallel":false}})", {});
        row("wsd only", R"({"optimizer":{"schedule":{"kind":"cosine","decay_steps":5}}})",
            {"no_effect optimizer.schedule.decay_steps"});
        row("newer schema", R"({"schema":2})", {"schema_version schema"});
        row("all at once", R"({"parallel":{"tp":0,"x":1},"train":{"seq_len":"a"}})",
            {"type_mismatch train.seq_len", "out_of_range parallel.tp", "unknown_key parallel.x"});
        row("1e3 is a whole number", R"({"train":{"num_steps":1e3}})", {});
    }
    void problems() {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, expected);
        Issues issues;
        runConfigFromJson(*parseJson(text.toStdString(), "f"), issues);
        QCOMPARE(codes(issues), expected);
        for (const Issue& issue : issues) QVERIFY(issue.message.ends_with(".") || issue.message.ends_with("?"));
    }
    void nearestKeyIsOffered() {
        Issues issues;
        runConfigFromJson(*parseJson(R"({"train":{"micro_batchsize":2}})", "f"), issues);
        QVERIFY(QString::fromStdString(issues.at(0).message).contains("did you mean train.micro_batch_size?"));
    }
    void contradictions_data() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* set, const char* expected) { QTest::newRow(set) << set << expected; };
        row("", "");
        row(("name=" + std::string(200, 'x')).c_str(), "");
        row(("name=" + std::string(201, 'x')).c_str(), "bad_name name");
        row("parallel.tp=3", "not_divisible model.num_heads");
        row("model.num_kv_heads=3", "not_divisible model.num_heads");
        row("parallel.dp=3", "not_divisible train.global_batch_size");
        row("train.seq_len=512", "sequence_too_long train.seq_len");
        row("parallel.pp=8", "too_many_stages parallel.pp");
        row("parallel.pp=2 parallel.layers_per_stage=1,2", "bad_layers_per_stage parallel.layers_per_stage");
        row("parallel.pp=2 parallel.layers_per_stage=1,1,2", "bad_layers_per_stage parallel.layers_per_stage");
        row("parallel.pp=2 parallel.virtual_stages=2", "bad_schedule parallel.virtual_stages");
        row("parallel.ep=2", "no_effect parallel.ep");
        row("train.recompute.policy=full train.recompute.layers=5", "out_of_range train.recompute.layers");
        row("train.recompute.policy=full train.recompute.layers=4", "");
        row("parallel.rank_order=tp,cp,dp,dp", "bad_rank_order parallel.rank_order");
        row("model.hidden_size=130", "not_divisible model.hidden_size");
        row("model.head_dim=3", "odd_head_dim model.head_dim");
        row("optimizer.schedule.warmup_steps=101", "schedule_too_long optimizer.schedule.warmup_steps");
        row("train.grad_dtype=bf16", "bad_grad_dtype train.grad_dtype");
        row("data.ignore_token_id=2048", "token_out_of_range data.ignore_token_id");
        row("parallel.tp=2 parallel.sequence_parallel=true train.seq_len=33", "not_divisible train.seq_len");
        row("data.document_end_id=2048", "token_out_of_range data.document_end_id");
        row("parallel.cp=2 train.seq_len=34", "not_divisible train.seq_len");
        row("checkpoint.start_from=runs/a", "relative_path checkpoint.start_from");
        row("checkpoint.start_from=/runs/a", "");
        row("parallel.cp=2", "");
        row("parallel.cp=8", "");
        row("parallel.cp=8 parallel.cp_kind=ulysses", "not_divisible model.num_heads");
        row("parallel.cp=4 parallel.cp_kind=ulysses model.num_kv_heads=2", "not_divisible model.num_kv_heads");
        // world = tp x cp x pp x dp = etp x ep x pp x edp: both grids must fit.
        const char* moe = "model.moe.num_experts=4 model.moe.expert_ffn_hidden_size=6 ";
        const auto experts = [&](const char* set, const char* expected) {
            QTest::newRow(set) << QString(moe) + set << expected;
        };
        experts("parallel.dp=2 parallel.ep=4 parallel.tp=2", "");
        experts("parallel.dp=2 parallel.ep=4", "not_divisible parallel.ep");
        experts("parallel.dp=2 parallel.tp=2 parallel.cp=2 parallel.ep=2 parallel.etp=2", "");
        experts("parallel.dp=4 parallel.etp=4", "not_divisible model.moe.expert_ffn_hidden_size");
        experts("parallel.dp=4 parallel.tp=2 parallel.ep=8", "not_divisible model.moe.num_experts");
        experts("parallel.tp=4 train.seq_len=30", "not_divisible train.seq_len");
        experts("model.moe.router_score=sigmoid model.moe.routed_scale=2.5", "");
        experts("model.moe.router_score=sigmoid model.moe.z_loss_coefficient=0.1",
                "no_effect model.moe.z_loss_coefficient");
        experts("model.moe.z_loss_coefficient=0.1", "");
        experts("model.moe.num_expert_groups=2", "");
        experts("model.moe.num_expert_groups=3", "not_divisible model.moe.num_experts");
        experts("model.moe.num_expert_groups=2 model.moe.top_k_groups=2", "no_effect model.moe.num_expert_groups");
        experts("model.moe.num_expert_groups=2 model.moe.top_k_groups=3", "out_of_range model.moe.top_k_groups");
        experts("model.moe.num_expert_groups=4", "out_of_range model.moe.top_k_groups");
    }
    void contradictions() {
        QFETCH(QString, set);
        QFETCH(QString, expected);
        Json json = Json::object();
        for (const QString& item : set.split(' ', Qt::SkipEmptyParts)) {
            const auto done = setField(json, item.section('=', 0, 0).toStdString(), item.section('=', 1).toStdString());
            QVERIFY2(done, done ? "" : done.error().message.c_str());
        }
        const auto config = parseRunConfig(json, "test");
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        const QStringList found = codes(validate(*config));
        if (expected.isEmpty()) {
            QCOMPARE(found, QStringList());
        } else {
            QVERIFY2(found.contains(expected), qPrintable(found.join("; ")));
        }
    }
    void trainerSaysWhatItCannotDo() {
        RunConfig c;
        c.parallel.offload = Offload::Optimizer;
        c.train.precision = Precision::Tf32;
        QCOMPARE(codes(trainerSupports(c)),
                 (QStringList{"trainer_unsupported parallel.offload", "trainer_unsupported train.precision"}));
    }
    // What a CPU multiplies in fp32 whatever the switch says.
    void tf32NeedsAGpu() {
        RunConfig c;
        c.train.precision = Precision::Tf32;
        QCOMPARE(codes(trainerSupports(c)), (QStringList{"trainer_unsupported train.precision"}));
        c.train.device = DeviceKind::Gpu;
        QVERIFY(trainerSupports(c).empty());
    }
    // Tokens of a step are counted beside the gradients; from 256 on bf16 does not tell one more.
    void countsNeedDigits() {
        RunConfig c;
        c.model.moe = MoeSpec{};
        c.train.gradDtype = Precision::Bf16;
        QVERIFY(trainerSupports(c).empty());
        c.model.moe->biasUpdateRate = 1e-3;
        QCOMPARE(codes(trainerSupports(c)), (QStringList{"trainer_unsupported train.grad_dtype"}));
        c.train.gradDtype = Precision::Fp32;
        QVERIFY(trainerSupports(c).empty());
    }
    void mainGradientsAreWideOrBf16_data() {
        QTest::addColumn<int>("format");
        QTest::addColumn<bool>("known");
        for (const auto& format : enumNames(Precision{}))
            QTest::newRow(format.word.data()) << static_cast<int>(format.value)
                                              << (format.value == Precision::Fp32 || format.value == Precision::Bf16);
    }
    // Others were taken for fp32.
    void mainGradientsAreWideOrBf16() {
        QFETCH(int, format);
        QFETCH(bool, known);
        RunConfig c;
        c.train.precision = Precision::Bf16;
        c.train.gradDtype = static_cast<Precision>(format);
        QCOMPARE(codes(trainerSupports(c)),
                 known ? QStringList{} : QStringList{"trainer_unsupported train.grad_dtype"});
        QVERIFY(validate(c).empty());
    }
    // A graph holds the passes of a rank that has the whole model to itself.
    void cudaGraphsNeedOneRankAModel() {
        RunConfig c;
        c.train.device = DeviceKind::Gpu;
        c.train.cudaGraphs = true;
        c.parallel.dp = 2;
        c.parallel.zeroStage = 1;
        c.train.globalBatchSize = 3 * c.train.microBatchSize * c.parallel.dp;
        QVERIFY(trainerSupports(c).empty());
        const QStringList refused{"trainer_unsupported train.cuda_graphs"};
        const auto refuses = [&](auto&& change) {
            RunConfig other = c;
            change(other);
            return codes(trainerSupports(other)) == refused;
        };
        QVERIFY(refuses([](RunConfig& o) { o.parallel.pp = 2; }));
        QVERIFY(refuses([](RunConfig& o) { o.parallel.tp = 2; }));
        QVERIFY(refuses([](RunConfig& o) { o.parallel.cp = 2; }));
        QVERIFY(refuses([](RunConfig& o) { o.parallel.zeroStage = 3; }));
        QVERIFY(refuses([](RunConfig& o) { o.parallel.offload = Offload::Optimizer; }));
        QVERIFY(refuses([](RunConfig& o) { o.model.moe = MoeSpec{}; }));
        QVERIFY(refuses([](RunConfig& o) { o.data.documentEndId = 3; }));
        QVERIFY(refuses([](RunConfig& o) { o.train.globalBatchSize = 2 * o.train.microBatchSize * o.parallel.dp; }));
    }
    void trainerCombines_data() {
        QTest::addColumn<QString>("set");
        const QString moe = "model.moe.num_experts=4 model.moe.expert_ffn_hidden_size=6 ";
        for (const char* set :
             {"train.precision=fp16", "train.precision=bf16", "train.precision=fp8", "optimizer.kind=muon",
              "optimizer.adaptive_clip=0.01", "parallel.dp=2 parallel.ep=2 parallel.zero_stage=3 optimizer.kind=muon",
              "parallel.pp=2 parallel.schedule=dualpipe", "train.batch_ramp.initial=4 train.batch_ramp.tokens=100",
              "telemetry.noise_every_steps=2"})
            QTest::newRow((QString("experts ") + set).toUtf8().constData()) << moe + set;
        for (const char* set :
             {"train.precision=fp8", "train.precision=fp8 train.fp8_recipe=rowwise train.fp8_format=e4m3",
              "train.precision=fp8 parallel.tp=2 parallel.sequence_parallel=true parallel.async_tp=true",
              "train.precision=bf16 train.stochastic_rounding=true",
              "train.precision=bf16 train.stochastic_rounding=true train.device=gpu parallel.offload=all"})
            QTest::newRow(set) << set;
    }
    void trainerCombines() {
        QFETCH(QString, set);
        Json json = Json::object();
        for (const QString& item : set.split(' ', Qt::SkipEmptyParts))
            QVERIFY(
                setField(json, item.section('=', 0, 0).toStdString(), item.section('=', 1).toStdString()).has_value());
        const auto config = parseRunConfig(json, "test");
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        QCOMPARE(codes(validate(*config)) + codes(trainerSupports(*config)), QStringList());
    }
    void everyFieldIsDocumented() {
        std::set<std::string> paths;
        FieldInfos all = runConfigFields();
        const FieldInfos cluster = clusterFields();
        all.insert(all.end(), cluster.begin(), cluster.end());
        for (const FieldInfo& info : all) {
            QVERIFY2(paths.insert(info.path).second, info.path.c_str());
            QVERIFY2(info.help.english().ends_with("."), info.path.c_str());
            QVERIFY2(!info.label.empty(), info.path.c_str());
        }
        QVERIFY(paths.contains("optimizer.schedule.warmup_steps"));
        QVERIFY(paths.contains("model.moe.top_k"));
        QVERIFY(paths.contains("cluster.device.peak_bf16_flops"));
    }
    void settingByPath() {
        Json json = Json::object();
        QVERIFY(setField(json, "parallel.tp", "4"));
        QVERIFY(setField(json, "parallel.layers_per_stage", "[1, 2]"));
        QVERIFY(setField(json, "name", "12"));
        QVERIFY(setField(json, "model.num_kv_heads", "2"));
        QVERIFY(setField(json, "model.num_kv_heads", "default"));
        QCOMPARE(dumpJson(json, false),
                 std::string(R"({"parallel":{"tp":4,"layers_per_stage":[1,2]},"name":"12","model":{}})"));
        const auto wrong = setField(json, "parallel.tpp", "4");
        QVERIFY(!wrong);
        QVERIFY(QString::fromStdString(wrong.error().message).contains("did you mean parallel.tp"));
    }
    void listsAreSetAsTextOrJson() {
        for (const char* text : {"pp,tp,cp,dp", R"(["pp", "tp", "cp", "dp"])"}) {
            Json document = toJson(RunConfig{});
            QVERIFY(setField(document, "parallel.rank_order", text));
            QVERIFY2(document["parallel"]["rank_order"] == Json::parse(R"(["pp", "tp", "cp", "dp"])"), text);
        }
    }
    void aPartThatAModelLacksDiffers() {
        RunConfig dense, mixture;
        mixture.model.moe = MoeSpec{};
        QStringList paths;
        for (const auto& d : diffConfigs(mixture, dense))
            paths << QString::fromStdString(d.path + " " + d.left + "|" + d.right);
        QVERIFY2(paths.contains("model.moe.num_experts 8|"), qPrintable(paths.join("\n")));
    }
    void differencesInTableOrder() {
        RunConfig a;
        RunConfig b;
        b.name = "other";
        b.parallel.pp = 2;
        b.optimizer.lr = 1;
        const auto diff = diffConfigs(a, b);
        QStringList lines;
        for (const auto& d : diff) lines << QString::fromStdString(d.path + " " + d.left + " " + d.right);
        // The schedule applies only with a pipeline, so it differs too.
        QCOMPARE(lines, (QStringList{"optimizer.lr 0.0003 1.0", "parallel.pp 1 2", "parallel.schedule  \"1f1b\"",
                                     "parallel.virtual_stages  1", "parallel.layers_per_stage  []"}));
    }
    void hashIgnoresTheNameOnly() {
        RunConfig a;
        RunConfig b;
        b.name = "b";
        QCOMPARE(configHash(a), configHash(b));
        b.train.seed = 2;
        QVERIFY(configHash(a) != configHash(b));
        QCOMPARE(configHash(a).size(), 16U);
    }
};
SLIPWAY_TEST(TstRunConfig)
#include "tst_run_config.moc"
