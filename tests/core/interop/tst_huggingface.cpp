// config.json of Hugging Face: shapes in, shapes out, parameter counts against the published ones.
#include "core/base/file.h"
#include "core/interop/formats.h"
#include "core/interop/huggingface.h"
#include "core/planner/count/parameters.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

namespace slipway::interop {

namespace {

Imported read(const std::string& text) {
    const auto imported = importConfig("huggingface", text, "test");
    if (!imported) qFatal("%s", imported.error().text().c_str());
    return *imported;
}

std::string sample(const QString& name) {
    const auto text = readFile(std::string(SLIPWAY_TEST_DATA) + "/interop/huggingface/" + name.toStdString() + ".json");
    if (!text) qFatal("%s", text.error().text().c_str());
    return *text;
}

const Remark* remarkOf(const Remarks& remarks, const std::string& key) {
    for (const Remark& remark : remarks)
        if (remark.key == key) return &remark;
    return nullptr;
}

}  // namespace

class TstHuggingFace : public QObject {
    Q_OBJECT
private slots:
    void publishedParameters_data() {
        QTest::addColumn<qint64>("published");
        // Rows named like a preset take its published figure; the others name their source.
        for (const char* preset :
             {"gpt2-124m", "llama3-8b", "mistral-7b", "mixtral-8x7b", "qwen2.5-7b", "qwen3-8b", "qwen3-30b-a3b",
              "deepseek-v2-lite", "phi3-mini", "gemma-2b", "pythia-1.4b", "opt-1.3b", "mpt-7b", "starcoder2-3b"})
            QTest::newRow(preset) << static_cast<qint64>(*findModelPreset(preset)->publishedParameters);
        // Tensor sizes in the weight index (model.safetensors.index.json) of the named checkpoint.
        QTest::newRow("deepseek-v3") << qint64{671026404352 + 58 * 256};  // with its routing biases
        QTest::newRow("qwen1.5-moe-a2.7b") << qint64{14315784192};
        QTest::newRow("olmo-1b") << qint64{1176764416};
        QTest::newRow("olmo2-7b") << qint64{7298617344};
        QTest::newRow("olmoe-1b-7b") << qint64{6919161856};
        QTest::newRow("falcon-7b") << qint64{6921720704};
        QTest::newRow("phi-2") << qint64{2779683840};
        QTest::newRow("gemma2-2b") << qint64{2614341888};
        QTest::newRow("command-r") << qint64{34980831232};
        QTest::newRow("glm-4-9b-0414") << qint64{9400279040};
        QTest::newRow("glm-4-9b") << qint64{9399951360};
        QTest::newRow("bloom-560m") << qint64{559214592};
        QTest::newRow("gemma3-1b") << qint64{999885952};
        // Sizes in the checkpoint's bf16 form, experts unpacked; for Llama 4 the language model.
        QTest::newRow("gpt-oss-20b") << qint64{20914757184};
        QTest::newRow("llama4-scout") << qint64{107769861120};
    }
    void publishedParameters() {
        QFETCH(qint64, published);
        const Imported imported = read(sample(QTest::currentDataTag()));
        const auto counted = static_cast<qint64>(countParameters(imported.config.model).total);
        QCOMPARE(counted + static_cast<qint64>(imported.unmodelledParameters), published);
        // What is not modelled is said, and every sample's keys are known.
        bool approximated = imported.unmodelledParameters == 0;
        for (const Remark& remark : imported.remarks) {
            QVERIFY2(remark.kind != RemarkKind::Unknown, remark.key.c_str());
            approximated = approximated || remark.kind == RemarkKind::Approximated;
        }
        QVERIFY(approximated);
        QVERIFY(!hasErrors(validate(imported.config)));
    }
    void presets_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(modelPresets().size()); ++i)
            QTest::newRow(modelPresets()[static_cast<std::size_t>(i)].id.c_str()) << i;
    }
    void presets() {
        QFETCH(int, index);
        RunConfig config;
        config.model = modelPresets()[static_cast<std::size_t>(index)].model;
        const auto exported = exportConfig("huggingface", config);
        QVERIFY2(exported, exported ? "" : exported.error().message.c_str());
        for (const Remark& remark : exported->remarks) {
            // The only fields of the library's models that some target's type cannot hold.
            QVERIFY2(remark.key == "model.norm_eps", (remark.key + " " + textOf(remark.message)).c_str());
        }
        const Imported back = read(exported->text);
        QCOMPARE(countParameters(back.config.model).total, countParameters(config.model).total);
        QCOMPARE(countParameters(back.config.model).active, countParameters(config.model).active);
        QCOMPARE(back.unmodelledParameters, std::int64_t{0});
        for (const Remark& remark : back.remarks)
            QVERIFY2(remark.kind == RemarkKind::NoCounterpart, remark.key.c_str());
    }
    void shapes() {
        const ModelSpec v3 = read(sample("deepseek-v3")).config.model;
        QVERIFY(v3.mla && v3.moe);
        QCOMPARE(v3.mla->qLoraRank, std::int64_t{1536});
        QCOMPARE(v3.mla->vHeadDim, std::int64_t{128});
        QCOMPARE(v3.moe->numSharedExperts, std::int64_t{1});
        QCOMPARE(v3.moe->numDenseLayers, std::int64_t{3});
        QVERIFY(!v3.numKvHeads);
        QVERIFY(v3.moe->routerScore == RouterScore::Sigmoid && v3.moe->normalizeTopK);
        QCOMPARE(v3.moe->numExpertGroups, std::int64_t{8});
        QCOMPARE(v3.moe->topKGroups, std::int64_t{4});
        QCOMPARE(v3.moe->biasUpdateRate, 0.001);
        const ModelSpec lite = read(sample("deepseek-v2-lite")).config.model;
        QVERIFY(lite.moe->routerScore == RouterScore::Softmax && !lite.moe->normalizeTopK);
        QCOMPARE(lite.moe->numExpertGroups, std::int64_t{1});
        const ModelSpec qwen = read(sample("qwen2.5-7b")).config.model;
        QVERIFY(qwen.hasQkvBias() && !qwen.hasBias() && !qwen.slidingWindow);
        QCOMPARE(qwen.ropeTheta, 1e6);
        const ModelSpec falcon = read(sample("falcon-7b")).config.model;
        QCOMPARE(falcon.kvHeads(), std::int64_t{1});
        QCOMPARE(*read(sample("mistral-7b")).config.model.slidingWindow, std::int64_t{4096});
        QVERIFY(!read(sample("gemma2-2b")).config.model.slidingWindow);
        QVERIFY(read(sample("gpt2-124m")).config.model.tieEmbeddings);  // the type's default: the file does not say it
        QVERIFY(!read(sample("olmo2-7b")).config.model.tieEmbeddings);
        QCOMPARE(read(sample("qwen1.5-moe-a2.7b")).config.model.moe->numSharedExperts, std::int64_t{4});
    }
    void routing_data() {
        QTest::addColumn<QByteArray>("changes");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* changes, const char* expected) {
            QTest::newRow(changes) << QByteArray(changes) << expected;
        };
        // Score, scale, groups, chosen groups, bias, normalised.
        row(R"({"model_type":"deepseek_v3"})", "sigmoid 2.5 8 4 0.001 1");
        row(R"({"model_type":"deepseek_v3","topk_method":"greedy","n_group":4,"topk_group":1})", "sigmoid 2.5 4 1 0 1");
        row(R"({"model_type":"deepseek_v3","n_group":4,"topk_group":4})", "sigmoid 2.5 1 1 0.001 1");
        row(R"({"model_type":"kimi_k2","n_group":1,"topk_group":1,"routed_scaling_factor":2.827})",
            "sigmoid 2.827 1 1 0.001 1");
        row(R"({"model_type":"glm4_moe"})", "sigmoid 1 1 1 0.001 1");
        row(R"({"model_type":"glm4_moe","routed_scaling_factor":2.5,"norm_topk_prob":false})",
            "sigmoid 2.5 1 1 0.001 0");
        row(R"({"model_type":"deepseek_v2","topk_method":"group_limited_greedy","n_group":8,"topk_group":3,"routed_scaling_factor":16.0})",
            "softmax 16 8 3 0 0");
        row(R"({"model_type":"deepseek_v2","topk_method":"greedy","n_group":8,"topk_group":3})", "softmax 1 1 1 0 0");
        row(R"({"model_type":"deepseek_v2","n_group":null,"topk_group":null})", "softmax 1 1 1 0 0");
        row(R"({"model_type":"deepseek_v2","scoring_func":"tanh"})", "softmax 1 1 1 0 0");
        row(R"({"model_type":"mixtral"})", "softmax 1 1 1 0 1");
        row(R"({"model_type":"qwen3_moe"})", "softmax 1 1 1 0 0");
    }
    // What the file says, and what its type implies without it; what is written says the same.
    void routing() {
        QFETCH(QByteArray, changes);
        QFETCH(QString, expected);
        Json document = {{"num_hidden_layers", 2},  {"hidden_size", 64},           {"num_attention_heads", 4},
                         {"vocab_size", 100},       {"n_routed_experts", 16},      {"num_experts_per_tok", 4},
                         {"intermediate_size", 96}, {"moe_intermediate_size", 32}, {"n_shared_experts", 1}};
        document.update(Json::parse(changes.toStdString()));
        if (document["model_type"] == "qwen3_moe" || document["model_type"] == "mixtral")
            document.erase("n_shared_experts");
        else if (document["model_type"] != "glm4_moe")
            document["kv_lora_rank"] = 8;
        const auto textOf = [](const MoeSpec& moe) {
            return QString("%1 %2 %3 %4 %5 %6")
                .arg(QString::fromUtf8(wordOf(moe.routerScore).data()))
                .arg(moe.routedScale)
                .arg(moe.numExpertGroups)
                .arg(moe.topKGroups)
                .arg(moe.biasUpdateRate)
                .arg(moe.normalizeTopK);
        };
        const Imported imported = read(dumpJson(document, false));
        QCOMPARE(textOf(*imported.config.model.moe), expected);
        QCOMPARE(remarkOf(imported.remarks, "scoring_func") != nullptr, changes.contains("tanh"));
        const Json written = huggingFaceDocument(imported.config.model);
        const Imported back = read(dumpJson(written, false));
        QCOMPARE(textOf(*back.config.model.moe), expected);
        QCOMPARE(countParameters(back.config.model).total, countParameters(imported.config.model).total);
    }
    void unknownKeysAreListed() {
        Json document = Json::parse(sample("llama3-8b"));
        document["warp_drive"] = {{"factor", 9}};
        const Imported imported = read(dumpJson(document, false));
        const Remark* remark = remarkOf(imported.remarks, "warp_drive.factor");
        QVERIFY(remark != nullptr);
        QCOMPARE(remark->kind, RemarkKind::Unknown);
        QCOMPARE(remark->value, std::string("9"));
        remark = remarkOf(imported.remarks, "bos_token_id");
        QVERIFY(remark != nullptr);
        QCOMPARE(remark->kind, RemarkKind::NoCounterpart);
        QVERIFY(remarkOf(imported.remarks, "hidden_size") == nullptr);
    }
    void everyKeyIsUsedOrListed_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"llama3-8b", "gpt2-124m", "deepseek-v3", "falcon-7b", "mpt-7b", "gemma2-2b"})
            QTest::newRow(name) << QString(name);
    }
    void everyKeyIsUsedOrListed() {
        // A key that neither changes the model nor is listed was dropped silently.
        QFETCH(QString, name);
        const Json document = Json::parse(sample(name));
        const Imported whole = read(dumpJson(document, false));
        for (const auto& item : document.items()) {
            bool listed = false;
            for (const Remark& remark : whole.remarks) listed = listed || remark.key.starts_with(item.key());
            if (listed) continue;
            // Not listed, so it must be readable: a value of an impossible type is an error.
            Json broken = document;
            broken[item.key()] = Json::array({Json::array()});
            const auto imported = importConfig("huggingface", dumpJson(broken, false), "test");
            const bool changes = !imported || !(imported->remarks.size() == whole.remarks.size()) ||
                                 !diffConfigs(imported->config, whole.config).empty();
            QVERIFY2(changes || item.key() == "n_ctx" || item.key() == "mlp_only_layers", item.key().c_str());
        }
    }
    void otherTypes() {
        const Imported imported = read(R"({"model_type": "my_llama", "num_hidden_layers": 2, "hidden_size": 64,
            "intermediate_size": 128, "num_attention_heads": 4, "vocab_size": 100, "max_position_embeddings": 32})");
        const Remark* remark = remarkOf(imported.remarks, "model_type");
        QVERIFY(remark != nullptr);
        QCOMPARE(remark->kind, RemarkKind::Approximated);
        QCOMPARE(imported.config.model.numLayers, std::int64_t{2});

        Json wrapped;
        wrapped["model_type"] = "llava";
        wrapped["text_config"] = Json::parse(sample("llama3-8b"));
        wrapped["vision_config"] = {{"hidden_size", 1024}};
        const Imported inner = read(dumpJson(wrapped, false));
        QCOMPARE(inner.config.model.hiddenSize, std::int64_t{4096});
        QVERIFY(remarkOf(inner.remarks, "vision_config") != nullptr);
    }
    void sizesThatATypeLeavesToItsClass() {
        const Imported gemma = read(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text",
            "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}})");
        QCOMPARE(gemma.config.model.numHeads, std::int64_t{8});
        QCOMPARE(gemma.config.model.kvHeads(), std::int64_t{4});
        QCOMPARE(gemma.config.model.vocabSize, std::int64_t{262208});
        QVERIFY(remarkOf(gemma.remarks, "num_attention_heads") != nullptr);
    }
    void errors_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const QString rest =
            R"(, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100, "model_type": "llama"})";
        QTest::newRow("no object") << "[1]"
                                   << "object";
        QTest::newRow("syntax") << "{"
                                << "";
        QTest::newRow("missing") << R"({"num_attention_heads": 4, "model_type": "llama"})"
                                 << "hidden_size is missing";
        QTest::newRow("type") << R"({"num_hidden_layers": [2])" + rest << "num_hidden_layers must be a whole number";
        QTest::newRow("fraction") << R"({"num_hidden_layers": 2.5)" + rest
                                  << "num_hidden_layers must be a whole number";
        QTest::newRow("negative") << R"({"num_hidden_layers": -2)" + rest << "-2";
        QTest::newRow("huge") << R"({"num_hidden_layers": 9007199254740000)" + rest << "9007199254740000";
        QTest::newRow("encoder")
            << R"({"num_hidden_layers": 2, "model_type": "bert", "hidden_size": 64, "vocab_size": 9})"
            << "read text in both directions";
        QTest::newRow("encoder and decoder") << R"({"model_type": "t5", "num_layers": 6})"
                                             << "have an encoder and a decoder";
        QTest::newRow("encoder and decoder of an unknown type")
            << R"({"model_type": "nobodys", "is_encoder_decoder": true, "num_layers": 6})"
            << "have an encoder and a decoder";
        QTest::newRow("state space") << R"({"model_type": "mamba", "num_hidden_layers": 24, "hidden_size": 768})"
                                     << "state-space";
        QTest::newRow("bool") << R"({"num_hidden_layers": true)" + rest << "num_hidden_layers must be a whole number";
    }
    void errors() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto imported = importConfig("huggingface", text.toStdString(), "x.json");
        QVERIFY(!imported);
        QVERIFY2(imported.error().message.find(message.toStdString()) != std::string::npos,
                 imported.error().message.c_str());
        QCOMPARE(imported.error().where.rfind("x.json", 0), std::size_t{0});
    }
    void expertsAreNotDropped() {
        // As many experts as an untouched part has are lost too, where a format has none.
        RunConfig config;
        config.model.moe = MoeSpec{};
        config.model.moe->expertFfnHiddenSize = 64;
        const auto exported = exportConfig("neox", config);
        QVERIFY(exported);
        for (const char* field : {"model.moe.num_experts", "model.moe.top_k", "model.moe.expert_ffn_hidden_size"})
            QVERIFY2(remarkOf(exported->remarks, field) != nullptr, field);
    }
    void trainingIsNotDropped() {
        // A model file holds no layout: what the run says beyond its model is listed.
        RunConfig config;
        config.parallel.tp = 2;
        config.train.numSteps = 77;
        const auto exported = exportConfig("huggingface", config);
        QVERIFY(exported);
        const Remark* remark = remarkOf(exported->remarks, "parallel.tp");
        QVERIFY(remark != nullptr);
        QCOMPARE(remark->kind, RemarkKind::NotExpressed);
        QCOMPARE(remark->value, std::string("2"));
        QVERIFY(remarkOf(exported->remarks, "train.num_steps") != nullptr);
        QVERIFY(remarkOf(exported->remarks, "model.num_layers") == nullptr);
    }
    void guesses() {
        QCOMPARE(guessFormat(sample("llama3-8b")), std::string("huggingface"));
        QCOMPARE(guessFormat(dumpJson(toJson(RunConfig{}), true)), std::string("slipway"));
        QVERIFY(guessFormat("{}").empty());
        for (const char* script : {"torchrun", "deepspeed-launcher", "sbatch"})
            QCOMPARE(guessFormat(exportConfig(script, RunConfig{})->text), std::string(script));
        QVERIFY(!findFormat("hugingface"));
    }
};

SLIPWAY_TEST(TstHuggingFace)

}  // namespace slipway::interop

#include "tst_huggingface.moc"
