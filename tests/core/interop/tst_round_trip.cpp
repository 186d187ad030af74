// Export and import: every field a format can say comes back, every other one is listed.
#include "core/base/file.h"
#include "core/interop/formats.h"
#include "core/interop/text_formats.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <random>
#include <set>

namespace slipway::interop {

namespace {

/// A config in the shape of a real run, from which single fields are changed.
RunConfig typical() {
    RunConfig c;
    c.model.numLayers = 32;
    c.model.hiddenSize = 4096;
    c.model.ffnHiddenSize = 14336;
    c.model.numHeads = 32;
    c.model.numKvHeads = 8;
    c.model.vocabSize = 128256;
    c.model.maxSeqLen = 131072;
    c.model.ropeTheta = 500000;
    c.train.seqLen = 8192;
    c.train.globalBatchSize = 1024;
    c.train.microBatchSize = 2;
    c.train.numSteps = 50000;
    c.train.precision = Precision::Bf16;
    c.optimizer.schedule.warmupSteps = 2000;
    c.parallel.dp = 16;
    c.parallel.tp = 4;
    c.parallel.pp = 2;
    c.parallel.zeroStage = 1;
    c.parallel.sequenceParallel = true;
    c.checkpoint.everySteps = 500;
    return c;
}

/// Settings each of which the format must carry, on top of typical(). "a=1;b=2" sets both.
const std::map<std::string, std::vector<std::string>>& expressible() {
    static const std::vector<std::string> model = {
        "model.num_layers=24",  "model.hidden_size=2048", "model.ffn_hidden_size=5632", "model.num_heads=16",
        "model.num_kv_heads=4", "model.vocab_size=50304", "model.norm_eps=1e-6",        "model.tie_embeddings=true"};
    static const std::vector<std::string> optimizer = {"optimizer.lr=0.00012",        "optimizer.beta1=0.8",
                                                       "optimizer.beta2=0.99",        "optimizer.eps=1e-7",
                                                       "optimizer.weight_decay=0.05", "optimizer.clip_norm=0.5"};
    static const auto join = [](std::vector<std::vector<std::string>> lists) {
        std::vector<std::string> all;
        for (auto& list : lists) all.insert(all.end(), list.begin(), list.end());
        return all;
    };
    static const std::vector<std::string> schedule = {"optimizer.schedule.kind=constant",
                                                      "optimizer.schedule.min_lr_ratio=0.03",
                                                      "optimizer.schedule.warmup_steps=500"};
    static const std::string wsd = "optimizer.schedule.kind=wsd;optimizer.schedule.decay_steps=5000;";
    static const std::vector<std::string> wsdShapes = {
        wsd + "optimizer.schedule.decay_shape=linear", wsd + "optimizer.schedule.decay_shape=cosine",
        wsd + "optimizer.schedule.decay_shape=one_minus_sqrt", wsd + "optimizer.schedule.min_lr_ratio=0"};
    static const std::string linear = "optimizer.schedule.kind=wsd;optimizer.schedule.decay_steps=48000";
    static const std::string experts =
        "model.moe.num_experts=64;model.moe.top_k=6;model.moe.expert_ffn_hidden_size=1408;";
    static const std::vector<std::string> megatron = join(
        {model,
         optimizer,
         schedule,
         wsdShapes,
         {linear,
          "model.rope_theta=10000",
          "model.rotary_dim=64",
          "model.rope_scaling.factor=32",
          "model.max_seq_len=16384",
          "model.qk_norm=true",
          "model.qkv_bias=true",
          "model.bias=true",
          "model.head_dim=256",
          "model.sliding_window=4096",
          "model.activation=gelu",
          "model.norm=layernorm",
          "model.position=learned",
          "train.seq_len=4096",
          "train.micro_batch_size=4",
          "train.global_batch_size=2048",
          "train.num_steps=60000",
          "train.precision=fp16",
          "train.precision=fp32",
          "train.precision=fp8",
          "train.seed=7",
          "train.recompute.policy=full",
          "train.recompute.policy=selective",
          "train.grad_dtype=bf16;parallel.reduce_dtype=bf16",
          "train.grad_dtype=bf16;parallel.reduce_dtype=bf16;parallel.dp=1;parallel.cp=2",
          "parallel.dp=1;parallel.cp=2;parallel.bucket_bytes=160000000;parallel.overlap_grad_reduce=false",
          "parallel.tp=8",
          "parallel.pp=4",
          "parallel.cp=2",
          "parallel.cp=2;parallel.cp_kind=ulysses",
          "parallel.cp=2;parallel.cp_kind=all_gather",
          "parallel.virtual_stages=4;parallel.schedule=interleaved_1f1b",
          "parallel.zero_stage=0",
          "parallel.zero_stage=2",
          "parallel.zero_stage=3",
          "parallel.sequence_parallel=false",
          "parallel.overlap_grad_reduce=false",
          "parallel.bucket_bytes=160000000",
          "parallel.offload=optimizer",
          "parallel.offload=activations",
          "parallel.offload=all",
          "parallel.async_tp=true",
          "parallel.dp_shard=4",
          "checkpoint.every_steps=0",
          "checkpoint.every_steps=1000",
          "model.moe.num_experts=64;model.moe.top_k=6;model.moe.expert_ffn_hidden_size=1408;model.moe.num_shared_experts=2;model.moe.num_dense_layers=1;parallel.ep=8;parallel.etp=2",
          experts +
              "model.moe.router_score=sigmoid;model.moe.routed_scale=2.5;model.moe.num_expert_groups=8;model.moe.top_k_groups=3;model.moe.bias_update_rate=0.002",
          experts + "model.moe.router_score=sigmoid",
          experts +
              "model.moe.normalize_top_k=false;model.moe.num_expert_groups=8;model.moe.top_k_groups=6;model.moe.routed_scale=16",
          experts + "model.moe.z_loss_coefficient=0.001",
          "model.mla.q_lora_rank=1536;model.mla.kv_lora_rank=256;model.num_kv_heads=default",
          "model.mla.q_lora_rank=0;model.num_kv_heads=default"}});
    static const std::map<std::string, std::vector<std::string>> all = {
        {"huggingface",
         join(
             {model,
              {"model.rope_theta=10000", "model.max_seq_len=16384", "model.qk_norm=true", "model.qkv_bias=true",
               "model.bias=true", "model.head_dim=256", "model.sliding_window=4096",
               "model.rope_scaling.kind=linear;model.rope_scaling.factor=2", "model.rope_scaling.factor=32",
               "model.rope_scaling.kind=yarn;model.rope_scaling.factor=4;model.rope_scaling.beta_fast=16;model.rope_scaling.mscale=0.7;model.rope_scaling.mscale_all_dim=0.8"}})},
        {"torchrun", megatron},
        {"deepspeed-launcher", megatron},
        {"sbatch", megatron},
        {"deepspeed", join({optimizer,
                            {"optimizer.schedule.min_lr_ratio=0.03",
                             "optimizer.schedule.warmup_steps=500",
                             "optimizer.schedule.kind=constant",
                             linear + ";optimizer.schedule.min_lr_ratio=0",
                             "train.micro_batch_size=4",
                             "train.global_batch_size=2048",
                             "train.num_steps=60000",
                             "train.precision=fp16",
                             "train.precision=fp32",
                             "train.grad_dtype=bf16",
                             "parallel.dp=32",
                             "parallel.tp=8",
                             "parallel.cp=2;parallel.cp_kind=ulysses",
                             "parallel.zero_stage=0",
                             "parallel.zero_stage=2",
                             "parallel.zero_stage=3",
                             "parallel.zero_stage=3;parallel.dp_shard=8",
                             "parallel.overlap_grad_reduce=false",
                             "parallel.reduce_dtype=bf16",
                             "parallel.bucket_bytes=160000000",
                             "parallel.offload=optimizer"}})},
        {"torchtitan",
         join({optimizer,
               schedule,
               wsdShapes,
               {linear,
                "model.num_layers=80;model.hidden_size=8192;model.ffn_hidden_size=28672;model.num_heads=64",
                "train.seq_len=4096",
                "train.micro_batch_size=4",
                "train.global_batch_size=2048",
                "train.num_steps=60000",
                "train.precision=fp32",
                "train.seed=7",
                "train.recompute.policy=full",
                "train.recompute.policy=selective",
                "parallel.dp=32",
                "parallel.tp=8",
                "parallel.pp=4",
                "parallel.pp=1",
                "parallel.cp=2",
                "parallel.cp=2;parallel.cp_kind=all_gather",
                "parallel.zero_stage=0",
                "parallel.zero_stage=3",
                "parallel.zero_stage=3;parallel.dp_shard=4",
                "parallel.zero_stage=3;parallel.reshard_after_forward=false",
                "parallel.reduce_dtype=bf16",
                "parallel.reduce_dtype=bf16;parallel.dp=1;parallel.cp=2",
                "parallel.schedule=afab",
                "parallel.virtual_stages=4;parallel.schedule=interleaved_1f1b",
                "parallel.virtual_stages=2;parallel.schedule=zb_v",
                "parallel.offload=optimizer",
                "parallel.async_tp=true",
                "checkpoint.every_steps=1000",
                "checkpoint.every_steps=0",
                "checkpoint.keep=5"}})},
        {"nanotron",
         join({model,
               optimizer,
               schedule,
               wsdShapes,
               {linear,
                "model.rope_theta=10000",
                "model.max_seq_len=16384",
                "model.qkv_bias=true",
                "model.sliding_window=1024",
                "model.moe.num_experts=16;model.moe.expert_ffn_hidden_size=14336;model.moe.top_k=4",
                "model.moe.num_experts=8;model.moe.expert_ffn_hidden_size=14336;model.moe.num_dense_layers=2;"
                "model.moe.num_shared_experts=1;parallel.ep=4",
                "train.seq_len=4096",
                "train.micro_batch_size=4",
                "train.global_batch_size=2048",
                "train.num_steps=60000",
                "train.precision=fp32",
                "train.precision=fp16",
                "train.grad_dtype=bf16",
                "train.seed=7",
                "train.recompute.policy=full",
                "parallel.dp=32",
                "parallel.tp=8",
                "parallel.pp=4",
                "parallel.cp=2",
                "parallel.zero_stage=0",
                "parallel.schedule=afab",
                "parallel.sequence_parallel=false",
                "parallel.bucket_bytes=104857600",
                "checkpoint.every_steps=1000"}})},
        {"neox", join({optimizer,
                       schedule,
                       {linear,
                        "model.num_layers=24",
                        "model.hidden_size=2048",
                        "model.ffn_hidden_size=5632",
                        "model.num_heads=16",
                        "model.num_kv_heads=4",
                        "model.norm_eps=1e-6",
                        "model.tie_embeddings=true",
                        "model.rope_theta=10000",
                        "model.rotary_dim=32",
                        "model.max_seq_len=16384",
                        "model.qk_norm=true",
                        "model.bias=true",
                        "model.activation=gelu",
                        "model.norm=layernorm",
                        "model.position=learned",
                        "model.sliding_window=4096",
                        "train.seq_len=4096",
                        "train.micro_batch_size=4",
                        "train.global_batch_size=2048",
                        "train.num_steps=60000",
                        "train.precision=fp32",
                        "train.precision=fp16",
                        "train.grad_dtype=bf16",
                        "train.seed=7",
                        "train.recompute.policy=full",
                        "parallel.dp=32",
                        "parallel.tp=8",
                        "parallel.pp=4",
                        "parallel.cp=2",
                        "parallel.zero_stage=0",
                        "parallel.zero_stage=2",
                        "parallel.sequence_parallel=false",
                        "parallel.overlap_grad_reduce=false",
                        "parallel.bucket_bytes=160000000",
                        "parallel.reduce_dtype=bf16",
                        "parallel.offload=optimizer",
                        "checkpoint.every_steps=1000",
                        "checkpoint.keep=5"}})},
        {"olmo", join({model,
                       optimizer,
                       schedule,
                       {linear,
                        "model.rope_theta=10000",
                        "model.qk_norm=true",
                        "model.bias=true",
                        "model.activation=gelu",
                        "model.norm=layernorm",
                        "model.position=learned",
                        "train.seq_len=4096;model.max_seq_len=4096",
                        "train.micro_batch_size=4",
                        "train.global_batch_size=2048",
                        "train.num_steps=60000",
                        "train.precision=fp32",
                        "train.precision=fp16",
                        "train.seed=7",
                        "train.recompute.policy=full",
                        "train.recompute.policy=selective",
                        "parallel.zero_stage=0",
                        "parallel.zero_stage=2",
                        "parallel.zero_stage=3",
                        "checkpoint.every_steps=1000",
                        "checkpoint.keep=5"}})},
        {"olmo-core", join({model,
                            optimizer,
                            schedule,
                            {linear,
                             wsd + "optimizer.schedule.min_lr_ratio=0",
                             wsd + "optimizer.schedule.min_lr_ratio=0.1",
                             "model.rope_theta=10000",
                             "model.head_dim=256",
                             "model.qk_norm=true",
                             "model.bias=true",
                             "model.qkv_bias=true",
                             "model.norm=layernorm",
                             "train.seq_len=4096",
                             "train.micro_batch_size=4",
                             "train.global_batch_size=2048",
                             "train.num_steps=60000",
                             "train.precision=fp32",
                             "train.precision=fp16",
                             "train.precision=fp8",
                             "train.seed=7",
                             "train.recompute.policy=full",
                             "train.recompute.policy=selective",
                             "parallel.dp=32",
                             "parallel.tp=8",
                             "parallel.pp=4",
                             "parallel.cp=2",
                             "parallel.cp=2;parallel.cp_kind=ulysses",
                             "parallel.zero_stage=0",
                             "parallel.zero_stage=3",
                             "parallel.zero_stage=3;parallel.dp_shard=4",
                             "parallel.reduce_dtype=bf16",
                             "parallel.reduce_dtype=bf16;parallel.dp=1;parallel.cp=2",
                             "parallel.schedule=afab",
                             "parallel.virtual_stages=2;parallel.schedule=interleaved_1f1b",
                             "checkpoint.every_steps=1000"}})},
    };
    return all;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::string part;
    for (const char c : text + ";") {
        if (c != ';') {
            part += c;
            continue;
        }
        if (!part.empty()) parts.push_back(part);
        part.clear();
    }
    return parts;
}

/// The config with "a=1;b=2" set; empty when the result is no valid config.
std::optional<RunConfig> with(const RunConfig& base, const std::string& settings) {
    Json document = slipway::toJson(base);
    for (const std::string& setting : split(settings)) {
        const std::size_t equals = setting.find('=');
        if (!setField(document, setting.substr(0, equals), setting.substr(equals + 1))) return {};
    }
    Issues issues;
    RunConfig config = runConfigFromJson(document, issues);
    for (const Issue& issue : issues)
        if (issue.code != "no_effect") return {};
    return canonical(config);
}

std::set<std::string> pathsOf(const Remarks& remarks) {
    std::set<std::string> paths;
    for (const Remark& remark : remarks) paths.insert(remark.key);
    return paths;
}

}  // namespace

class TstRoundTrip : public QObject {
    Q_OBJECT
private slots:
    void expressed_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("settings");
        for (const auto& [format, list] : expressible())
            for (const std::string& settings : list)
                QTest::newRow((format + " " + settings).c_str())
                    << QString::fromStdString(format) << QString::fromStdString(settings);
    }
    void expressed() {
        QFETCH(QString, format);
        QFETCH(QString, settings);
        const auto config = with(typical(), settings.toStdString());
        QVERIFY2(config.has_value(), "the setting is no config");
        const auto exported = exportConfig(format.toStdString(), *config);
        QVERIFY2(exported, exported ? "" : exported.error().text().c_str());
        const auto lost = pathsOf(exported->remarks);
        const auto back = importConfig(format.toStdString(), exported->text, "back");
        QVERIFY2(back, back ? "" : back.error().text().c_str());
        const Json restored = slipway::toJson(back->config), original = slipway::toJson(*config);
        for (const std::string& setting : split(settings.toStdString())) {
            const std::string path = setting.substr(0, setting.find('='));
            QVERIFY2(!lost.contains(path), (path + " was lost in\n" + exported->text).c_str());
            Json::json_pointer at("/" + QString::fromStdString(path).replace('.', '/').toStdString());
            if (original.contains(at))
                QVERIFY2(restored.contains(at) && restored[at] == original[at], exported->text.c_str());
        }
        // Reading our own text meets no key we do not know.
        for (const Remark& remark : back->remarks)
            QVERIFY2(remark.kind != RemarkKind::Unknown, (remark.key + " " + exported->text).c_str());
    }
    void randomConfigs_data() {
        QTest::addColumn<QString>("format");
        for (const Format& format : formats())
            QTest::newRow(std::string(format.id).c_str())
                << QString::fromUtf8(format.id.data(), static_cast<qsizetype>(format.id.size()));
    }
    void randomConfigs() {
        // Whatever is set, the fields that differ after the way out and back are exactly those that were listed, and a
        // second way loses nothing more.
        QFETCH(QString, format);
        std::vector<std::string> pool;
        for (const auto& [name, list] : expressible()) pool.insert(pool.end(), list.begin(), list.end());
        for (const char* more : {"parallel.layers_per_stage=10,22", "parallel.rank_order=dp,tp,cp,pp",
                                 "train.precision=tf32", "train.precision=fp64", "data.tokens=a.tok",
                                 "train.device=gpu", "telemetry.spans_every_steps=3", "parallel.schedule=zb_h1"})
            pool.emplace_back(more);
        std::mt19937 random(20261121);
        int checked = 0;
        for (int trial = 0; trial < 120; ++trial) {
            std::string settings;
            for (int i = static_cast<int>(random() % 8); i >= 0; --i) settings += pool[random() % pool.size()] + ";";
            const auto config = with(trial % 4 == 0 ? RunConfig{} : typical(), settings);
            if (!config || hasErrors(validate(*config))) continue;
            const auto exported = exportConfig(format.toStdString(), *config);
            QVERIFY2(exported, exported ? "" : (settings + "\n" + exported.error().text()).c_str());
            const auto back = importConfig(format.toStdString(), exported->text, "back");
            QVERIFY(back);
            std::set<std::string> differs;
            for (const FieldDifference& difference : diffConfigs(*config, back->config))
                if (difference.path != "software") differs.insert(difference.path);  // each format is its own
            QVERIFY2(differs == pathsOf(exported->remarks), settings.c_str());
            const auto again = exportConfig(format.toStdString(), back->config);
            QVERIFY(again);
            QVERIFY2(
                again->remarks.empty(),
                (settings + "\n" +
                 (again->remarks.empty() ? "" : again->remarks.front().key + textOf(again->remarks.front().message)) +
                 "\n" + again->text)
                    .c_str());
            ++checked;
        }
        QVERIFY2(checked > 30, std::to_string(checked).c_str());
    }
    void olderTorchtitanSeed() {
        // Until version 0.2 the seed stood among the fields of training.
        const auto read = importConfig("torchtitan", "[training]\nseed = 7\n", "old.toml");
        QVERIFY(read);
        QCOMPARE(read->config.train.seed, 7);
    }
    void nanotronHasWhatItsParserAsksFor() {
        // Fields without a default in nanotron's src/nanotron/config/config.py.
        RunConfig config = typical();
        for (const std::int64_t everySteps : {0, 500}) {
            config.checkpoint.everySteps = everySteps;
            const auto document = parseYaml(exportConfig("nanotron", config)->text, "a");
            QVERIFY(document);
            for (const char* path : {"/general/project", "/model/init_method/std",
                                     "/optimizer/optimizer_factory/torch_adam_is_fused", "/optimizer/zero_stage"})
                QVERIFY2(document->contains(Json::json_pointer(path)), path);
            for (const char* path : {"/checkpoints/checkpoints_path", "/checkpoints/checkpoint_interval"})
                QCOMPARE(document->contains(Json::json_pointer(path)), everySteps > 0);
        }
    }
    void plainMegatronArguments() {
        // Arguments alone do not say how many ranks there are: dp is listed, everything else survives.
        const auto exported = exportConfig("megatron", typical());
        QVERIFY(exported);
        QVERIFY(pathsOf(exported->remarks).contains("parallel.dp"));
        QVERIFY(!pathsOf(exported->remarks).contains("model.num_layers"));
    }
    void launchShape() {
        const auto script = exportConfig("sbatch", typical(), {.devicesPerNode = 8});
        QVERIFY(script);
        QVERIFY(script->text.find("#SBATCH --nodes=16\n") != std::string::npos);
        QVERIFY(script->text.find("--nproc-per-node 8 ") != std::string::npos);
        QCOMPARE(*importConfig("sbatch", script->text, "s")->worldSize, std::int64_t{128});
        RunConfig odd = typical();
        odd.parallel.dp = 3;
        odd.train.globalBatchSize = 600;
        odd.parallel.tp = odd.parallel.pp = 1;
        QVERIFY(exportConfig("sbatch", odd));  // one node of three
        odd.parallel.dp = 9;
        odd.train.globalBatchSize = 900;
        const auto refused = exportConfig("torchrun", odd, {.devicesPerNode = 8});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("usage"));
    }
    void quoting() {
        RunConfig config = typical();
        config.name = "it's a \"test\" $HOME";
        for (const char* format : {"nanotron", "olmo", "olmo-core"}) {
            const auto exported = exportConfig(format, config);
            QVERIFY(exported);
            QCOMPARE(importConfig(format, exported->text, "x")->config.name, config.name);
        }
    }
};

SLIPWAY_TEST(TstRoundTrip)

}  // namespace slipway::interop

#include "tst_round_trip.moc"
