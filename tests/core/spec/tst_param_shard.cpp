#include "core/spec/param_shard.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;

class TstParamShard : public QObject {
    Q_OBJECT
private slots:
    void shapesAndRoundTrip() {
        ParamShard s;
        s.name = "model.layers.0.mlp.up_proj.weight";
        s.globalShape = {384, 128};
        s.dtype = "F32";
        s.slices = {{Axis::Tp, 0, 192, 192}};
        s.flatOffset = 10;
        s.flatLength = 20;
        s.replicatedAxes = {Axis::Dp};
        QCOMPARE(s.localShape(), (std::vector<std::int64_t>{192, 128}));
        QCOMPARE(s.localElements(), 192 * 128);
        QCOMPARE(s.globalElements(), 384 * 128);
        const auto back = paramShardFromJson(toJson(s), "m");
        QVERIFY(back);
        QCOMPARE(dumpJson(toJson(*back), false), dumpJson(toJson(s), false));
        QCOMPARE(*back->flatLength, 20);
    }
    void badShardsAreRefused() {
        const auto refused = [](const char* text) {
            return paramShardFromJson(*parseJson(text, "f"), "f").error().code == "bad_param_shard";
        };
        QVERIFY(refused("{}"));
        QVERIFY(refused("[]"));
        QVERIFY(refused(R"({"name":"a","global_shape":[-1],"dtype":"F32","slices":[],"replicated_axes":[]})"));
        QVERIFY(refused(
            R"({"name":"a","global_shape":[4],"dtype":"F32","slices":[{"axis":"tp","dim":1,"offset":0,"length":2}],"replicated_axes":[]})"));
        QVERIFY(refused(R"({"name":"a","global_shape":[4],"dtype":"F32","slices":[],"replicated_axes":["zz"]})"));
    }
};
SLIPWAY_TEST(TstParamShard)
#include "tst_param_shard.moc"
