// How Megatron's and Hugging Face's options of the experts are meant: defaults, options that hold only with others,
// what is not written.
#include "core/interop/formats.h"
#include "core/spec/huggingface_document.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

namespace slipway::interop {

class TstExpertRouting : public QObject {
    Q_OBJECT
private slots:
    void readsMegatron_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("expected");  // chosen, normalised, bias rate, groups, chosen groups, shared, dense
        QTest::addColumn<QString>("approximated");
        const auto row = [](const char* options, const char* expected, const char* approximated = "") {
            QTest::newRow(options) << options << expected << approximated;
        };
        row("", "2 1 0 1 1 0 0");
        row("--moe-router-topk 1 --moe-router-pre-softmax", "1 0 0 1 1 0 0");
        // Sigmoids are always divided by the sum of the chosen.
        row("--moe-router-score-function sigmoid --moe-router-pre-softmax", "2 1 0 1 1 0 0");
        row("--moe-router-score-function sigmoid --moe-router-bias-update-rate 0.002", "2 1 0 1 1 0 0");
        row("--moe-router-score-function sigmoid --moe-router-enable-expert-bias", "2 1 0.001 1 1 0 0");
        row("--moe-router-score-function sigmoid --moe-router-enable-expert-bias --moe-router-bias-update-rate 0.002",
            "2 1 0.002 1 1 0 0");
        row("--moe-router-num-groups 4 --moe-router-group-topk 4", "2 1 0 1 1 0 0");
        row("--moe-router-num-groups 4 --moe-router-group-topk 2", "2 1 0 4 2 0 0");
        row("--moe-router-score-function sigmoid --moe-router-topk 4 --moe-router-num-groups 4 --moe-router-group-topk "
            "2",
            "4 1 0 4 2 0 0");
        row("--moe-router-topk 4 --moe-router-num-groups 4 --moe-router-group-topk 2", "4 1 0 4 2 0 0",
            "moe-router-group-topk");
        row("--moe-shared-expert-intermediate-size 64", "2 1 0 1 1 2 0");
        row("--moe-shared-expert-intermediate-size 80", "2 1 0 1 1 0 0", "moe-shared-expert-intermediate-size");
        row("--moe-layer-freq ([0]*1+[1]*2)", "2 1 0 1 1 0 1");
        row("--moe-layer-freq ([0]*1+[1]*5)", "2 1 0 1 1 0 0", "moe-layer-freq");
    }
    void readsMegatron() {
        QFETCH(QString, options);
        QFETCH(QString, expected);
        QFETCH(QString, approximated);
        options.replace("--moe-layer-freq (", "--moe-layer-freq '(");
        if (options.endsWith(')')) options += '\'';
        const std::string text =
            "--num-layers 3 --hidden-size 64 --num-attention-heads 4 --ffn-hidden-size 128 --seq-length 32 "
            "--max-position-embeddings 32 --micro-batch-size 1 --global-batch-size 1 --num-experts 8 "
            "--moe-ffn-hidden-size 32 " +
            options.toStdString();
        const auto imported = importConfig("megatron", text, "test");
        QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
        const MoeSpec& moe = *imported->config.model.moe;
        QCOMPARE(QString("%1 %2 %3 %4 %5 %6 %7")
                     .arg(moe.topK)
                     .arg(moe.normalizeTopK ? 1 : 0)
                     .arg(moe.biasUpdateRate)
                     .arg(moe.numExpertGroups)
                     .arg(moe.numExpertGroups > 1 ? moe.topKGroups : 1)
                     .arg(moe.numSharedExperts)
                     .arg(moe.numDenseLayers),
                 expected);
        QString found;
        for (const Remark& remark : imported->remarks)
            if (remark.kind == RemarkKind::Approximated && remark.key.starts_with("moe-"))
                found += QString::fromStdString(remark.key);
        QCOMPARE(found, approximated);
    }

    // Megatron takes a bias with sigmoids only, and a softmax before or after the choice without them only.
    void writesMegatron() {
        RunConfig config;
        config.model.moe = MoeSpec{};
        MoeSpec& moe = *config.model.moe;
        const auto writes = [&](const char* option) {
            const auto exported = exportConfig("megatron", config);
            if (!exported) qFatal("%s", exported.error().text().c_str());
            return exported->text.find(option) != std::string::npos;
        };
        moe.expertFfnHiddenSize = 64;
        moe.biasUpdateRate = 0.01;
        moe.normalizeTopK = false;
        QVERIFY(!writes("--moe-router-enable-expert-bias") && writes("--moe-router-pre-softmax"));
        moe.routerScore = RouterScore::Sigmoid;
        QVERIFY(writes("--moe-router-enable-expert-bias") && !writes("--moe-router-pre-softmax"));
        moe.biasUpdateRate = 0;
        QVERIFY(!writes("--moe-router-enable-expert-bias"));
    }

    void writesHuggingFace() {
        ModelSpec model;
        model.moe = MoeSpec{};
        model.moe->numDenseLayers = 2;
        model.moe->expertFfnHiddenSize = 48;
        model.qkNorm = true;
        const Json qwen3 = huggingFaceDocument(model);
        QCOMPARE(qwen3.at("model_type").get<std::string>(), std::string("qwen3_moe"));
        QVERIFY(qwen3.at("mlp_only_layers") == Json::array({0, 1}));
        model.qkNorm = false;
        model.qkvBias = true;
        model.moe->numSharedExperts = 3;
        const Json qwen2 = huggingFaceDocument(model);
        QCOMPARE(qwen2.at("model_type").get<std::string>(), std::string("qwen2_moe"));
        QCOMPARE(qwen2.at("shared_expert_intermediate_size").get<int>(), 3 * 48);
    }
};

SLIPWAY_TEST(TstExpertRouting)

}  // namespace slipway::interop

#include "tst_expert_routing.moc"
