// Fewer key-value heads than tensor-parallel ranks: several ranks hold the same head, each with its own queries.
#include "tests/support/slipway_test.h"
#include "tests/trainer/verify/parity_suite.h"

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

namespace {

struct Shape {
    std::int64_t tp, kvHeads, dp = 1, pp = 1, cp = 1;
    std::int64_t zeroStage = 0;
    bool sequenceParallel = false, asyncTp = false, gpt2 = false, qkNorm = false;
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    OptimizerKind optimizer = OptimizerKind::AdamW;
    double adaptiveClip = 0;
};

RunConfig configOf(const Shape& shape) {
    WalkedPoint point;
    point.layout.dp = shape.dp;
    point.layout.tp = shape.tp;
    point.layout.pp = shape.pp;
    point.layout.cp = shape.cp;
    point.layout.zeroStage = shape.zeroStage;
    point.layout.schedule = shape.schedule;
    point.layout.sequenceParallel = shape.sequenceParallel;
    point.numMicroBatches = shape.schedule == ScheduleKind::DualPipe ? 2 * shape.pp : 2;
    ExtraAxes extra;
    extra.value[0] = shape.gpt2 ? 1 : 0;
    extra.value[3] = shape.qkNorm ? 1 : 0;
    extra.value[14] = shape.asyncTp ? 1 : 0;
    RunConfig config = test::configOf(point, extra);
    config.model.numKvHeads = shape.kvHeads;
    if (shape.qkNorm) config.model.qkvBias = true;
    config.optimizer.kind = shape.optimizer;
    config.optimizer.adaptiveClip = shape.adaptiveClip;
    return config;
}

}  // namespace

class TstSharedKeys : public QObject {
    Q_OBJECT
private slots:
    void parity_data() {
        QTest::addColumn<int>("index");
        const auto row = [&](const char* name, const Shape& shape) {
            QTest::newRow(name) << static_cast<int>(m_shapes.size());
            m_shapes.push_back(shape);
        };
        row("tp 2, one head", {.tp = 2, .kvHeads = 1});
        row("tp 4, two heads", {.tp = 4, .kvHeads = 2});
        row("tp 4, one head, sequence parallel", {.tp = 4, .kvHeads = 1, .sequenceParallel = true});
        row("tp 8, four heads, biases, norms per head", {.tp = 8, .kvHeads = 4, .qkNorm = true});
        row("tp 4, overlapped", {.tp = 4, .kvHeads = 2, .sequenceParallel = true, .asyncTp = true});
        row("tp 4, biases, dp 2, ZeRO-1", {.tp = 4, .kvHeads = 2, .dp = 2, .zeroStage = 1, .gpt2 = true});
        row("tp 4, dp 2, ZeRO-2", {.tp = 4, .kvHeads = 2, .dp = 2, .zeroStage = 2});
        row("tp 4, dp 2, ZeRO-3", {.tp = 4, .kvHeads = 1, .dp = 2, .zeroStage = 3, .sequenceParallel = true});
        row("tp 2, cp 2", {.tp = 2, .kvHeads = 1, .cp = 2, .qkNorm = true});
        row("tp 2, both directions", {.tp = 2, .kvHeads = 1, .pp = 2, .schedule = ScheduleKind::DualPipe});
        row("tp 4, whole matrices", {.tp = 4, .kvHeads = 2, .dp = 2, .zeroStage = 1, .optimizer = OptimizerKind::Muon});
        row("tp 4, clipping by rows", {.tp = 4, .kvHeads = 2, .qkNorm = true, .adaptiveClip = 0.01});
    }
    void parity() {
        QFETCH(int, index);
        const RunConfig config = configOf(m_shapes[static_cast<std::size_t>(index)]);
        const auto legal = checkVerifiable(config);
        QVERIFY2(legal, legal ? "" : legal.error().text().c_str());
        const VerifyReport report = m_suite.run(config);
        QVERIFY2(report.passed(), report.passed() ? "" : report.failures.front().c_str());
        QVERIFY(!m_suite.run(config, Bug::KeyGradNotSummed).passed());
    }
    // Heads that neither divide the ranks nor are divided by them cannot be dealt.
    void otherNumbersAreRefused() {
        RunConfig config = configOf({.tp = 4, .kvHeads = 2});
        config.model.numHeads = 12;
        config.model.numKvHeads = 3;
        const auto checked = checkVerifiable(config);
        QVERIFY(!checked && checked.error().message.find("model.num_kv_heads") != std::string::npos);
    }

private:
    std::vector<Shape> m_shapes;
    ParitySuite m_suite;
};
SLIPWAY_TEST(TstSharedKeys)
#include "tst_shared_keys.moc"
