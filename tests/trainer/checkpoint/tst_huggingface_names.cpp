// Models that no model type of transformers computes as we do.
#include "core/spec/huggingface_support.h"
#include "tests/trainer/checkpoint/huggingface_folders.h"

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::test;

class TstHuggingfaceNames : public QObject {
    Q_OBJECT
private slots:
    // What the model types of transformers compute in another way is no silent loss.
    void otherEquationsAreRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<std::function<void(ModelSpec&)>>("change");
        QTest::addColumn<QString>("word");
        using Change = std::function<void(ModelSpec&)>;
        QTest::newRow("router bias") << "deepseek_v2" << Change([](ModelSpec& m) { m.moe->biasUpdateRate = 0.1; })
                                     << "sigmoid";
        QTest::newRow("router bias, mixtral")
            << "mixtral" << Change([](ModelSpec& m) { m.moe->biasUpdateRate = 0.1; }) << "sigmoid";
        QTest::newRow("router bias, deepseek_v2 with groups")
            << "deepseek_v2_groups" << Change([](ModelSpec& m) { m.moe->biasUpdateRate = 0.1; }) << "sigmoid";
        QTest::newRow("sigmoid, mixtral")
            << "mixtral" << Change([](ModelSpec& m) { m.moe->routerScore = RouterScore::Sigmoid; }) << "glm4_moe";
        QTest::newRow("scale, mixtral") << "mixtral" << Change([](ModelSpec& m) { m.moe->routedScale = 2; })
                                        << "nor a routed scale";
        QTest::newRow("no shared experts, deepseek_v3")
            << "deepseek_v3" << Change([](ModelSpec& m) { m.moe->numSharedExperts = 0; }) << "shared experts";
        QTest::newRow("no shared experts, glm4_moe")
            << "glm4_moe" << Change([](ModelSpec& m) { m.moe->numSharedExperts = 0; }) << "shared experts";
        QTest::newRow("window, glm4_moe")
            << "glm4_moe" << Change([](ModelSpec& m) { m.slidingWindow = 3; }) << "no sliding window";
        QTest::newRow("normalised weights")
            << "deepseek_v2" << Change([](ModelSpec& m) { m.moe->normalizeTopK = true; }) << "normalize_top_k";
        QTest::newRow("no shared experts")
            << "deepseek_v2" << Change([](ModelSpec& m) { m.moe->numSharedExperts = 0; }) << "shared experts";
        QTest::newRow("eps of latent norms")
            << "deepseek_v2" << Change([](ModelSpec& m) { m.normEps = 1e-5; }) << "1e-6";
        QTest::newRow("qwen without shared")
            << "qwen2_moe" << Change([](ModelSpec& m) { m.moe->numSharedExperts = 0; }) << "shared expert";
    }
    void otherEquationsAreRefused() {
        QFETCH(QString, name);
        QFETCH(std::function<void(ModelSpec&)>, change);
        QFETCH(QString, word);
        ModelSpec model = configOf(kData / name.toStdString()).model;
        QVERIFY(checkHuggingFaceModel(model).has_value());
        change(model);
        const auto checked = checkHuggingFaceModel(model);
        QVERIFY(!checked);
        QVERIFY2(QString::fromStdString(checked.error().message).contains(word), checked.error().message.c_str());
    }
};
SLIPWAY_TEST(TstHuggingfaceNames)
#include "tst_huggingface_names.moc"
