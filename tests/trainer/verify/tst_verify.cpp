// The parity suite: every layout trains like one process; each injected bug is caught.
#include "tests/support/slipway_test.h"
#include "tests/trainer/verify/expert_cases.h"
#include "tests/trainer/verify/parity_suite.h"

#include <cstdio>
#include <memory>

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

namespace {

QString reasons(const VerifyReport& report) {
    QString text;
    for (std::size_t i = 0; i < std::min<std::size_t>(report.failures.size(), 4); ++i)
        text += QString::fromStdString(report.failures[i]) + "\n";
    return text;
}

// A covering part of the walked product with one combination of the extra axes each.
std::vector<LayoutCase> coveredCases(unsigned round, double* coverage) {
    const std::vector<WalkedPoint> points = sampledProduct();
    CoveringArray array(round);
    std::vector<LayoutCase> cases;
    for (const WalkedPoint& point : points) {
        const ExtraAxes extra = array.next(point);
        cases.push_back({nameOf(point, extra), configOf(point, extra)});
    }
    if (coverage != nullptr)
        *coverage = static_cast<double>(array.covered()) / static_cast<double>(CoveringArray::possible(points));
    return cases;
}

// A layout that has everything at once: dp, tp and pp, several micro-batches, biases, tied copies.
RunConfig everything(Family family, bool sequenceParallel, bool tied, std::int64_t zeroStage = 0) {
    WalkedPoint point;
    point.layout.dp = point.layout.tp = point.layout.pp = 2;
    point.layout.sequenceParallel = sequenceParallel;
    point.layout.zeroStage = zeroStage;
    point.numMicroBatches = 3;
    ExtraAxes extra;
    extra.value = {family == Family::Gpt2 ? 1 : 0, tied ? 1 : 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    return configOf(point, extra);
}

// ZeRO-3 in groups of two, replicated, with tensor parallelism: weights and gradients in shards, several micro-batches.
RunConfig sharded() {
    WalkedPoint point;
    point.layout.dp = 4;
    point.layout.tp = 2;
    point.layout.zeroStage = 3;
    point.layout.dpShard = 2;
    point.layout.sequenceParallel = true;
    point.numMicroBatches = 3;
    ExtraAxes extra;
    extra.value[11] = 1;
    return configOf(point, extra);
}

// Cut sequences of packed documents in a V-shaped pipeline with split backward passes.
RunConfig contextAndV() {
    WalkedPoint point;
    point.layout.cp = point.layout.pp = 2;
    point.layout.schedule = ScheduleKind::ZbV;
    point.layout.virtualStages = 2;
    point.numMicroBatches = 3;
    ExtraAxes extra;
    extra.value = {0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    return configOf(point, extra);
}

// Experts over tp, cp and dp, with what each of the three could get wrong, routed as in DeepSeek-V3.
RunConfig expertsOverAll() {
    WalkedPoint point{{}, 2};
    point.layout.dp = point.layout.tp = point.layout.cp = 2;
    RunConfig c = configOf(point, {});
    c.parallel.ep = 4;
    c.model.moe = MoeSpec{};
    c.model.moe->numExperts = 8;
    c.model.moe->numExpertGroups = 4;
    c.model.moe->topKGroups = 2;
    c.model.moe->expertFfnHiddenSize = 4;
    c.model.moe->auxLossCoefficient = 0.2;
    c.model.moe->biasUpdateRate = 0.01;
    c.model.moe->routerScore = RouterScore::Sigmoid;
    c.model.moe->routedScale = 2.5;
    return c;
}

// The experts of `layout` with a balance loss and a routing bias.
RunConfig expertsOn(const ParallelLayout& layout, std::int64_t numMicroBatches = 2) {
    RunConfig c = configOf({layout, numMicroBatches}, {});
    c.model.moe = MoeSpec{};
    c.model.moe->numExperts = 4;
    c.model.moe->expertFfnHiddenSize = 4;
    c.model.moe->auxLossCoefficient = 0.2;
    c.model.moe->zLossCoefficient = 0.05;
    c.model.moe->biasUpdateRate = 0.01;
    return c;
}

// Every expert on both pipeline ranks, for the two directions.
RunConfig expertsBothWays() {
    ParallelLayout layout;
    layout.pp = layout.dp = layout.ep = 2;
    layout.zeroStage = 1;
    layout.schedule = ScheduleKind::DualPipe;
    return expertsOn(layout, 4);
}

// Updates that need whole matrices and rows of experts: whole experts on tp ranks, which cut everything else.
RunConfig expertsInMatrices() {
    ParallelLayout layout;
    layout.tp = layout.dp = 2;
    layout.ep = 4;
    RunConfig c = expertsOn(layout);
    c.optimizer.kind = OptimizerKind::Muon;
    c.optimizer.adaptiveClip = 0.01;
    return c;
}

// Experts cut over etp, and their buckets over edp, in groups of two or not.
RunConfig expertsInParts(bool grouped) {
    ParallelLayout layout;
    layout.dp = 4;
    layout.tp = layout.ep = 2;
    layout.etp = grouped ? 1 : 2;
    layout.sequenceParallel = grouped;
    layout.zeroStage = grouped ? 3 : 2;
    if (grouped) layout.dpShard = 2;
    return expertsOn(layout);
}

// States and activations in host memory, the edges of tensor parallelism overlapped.
RunConfig offloaded() {
    WalkedPoint point;
    point.layout.dp = point.layout.tp = 2;
    point.layout.zeroStage = 1;
    point.layout.sequenceParallel = true;
    point.numMicroBatches = 2;
    ExtraAxes extra;
    extra.value[12] = extra.value[13] = extra.value[14] = 1;
    return configOf(point, extra);
}

// One key-value head on two ranks.
RunConfig sharedKeys() {
    WalkedPoint point;
    point.layout.tp = 2;
    point.numMicroBatches = 2;
    RunConfig c = configOf(point, {});
    c.model.numKvHeads = 1;
    return c;
}

// Latent attention with its heads over tp.
RunConfig latent() {
    WalkedPoint point;
    point.layout.dp = point.layout.tp = 2;
    point.numMicroBatches = 2;
    RunConfig c = configOf(point, {});
    useLatentAttention(c);
    return c;
}

}  // namespace

// Half of the sample, so that two can run at once.
class ParityHalf : public QObject {
    Q_OBJECT
public:
    explicit ParityHalf(std::size_t half) : m_half(half) {}
    // After Qt Test's own last line, so that the figures end the output.
    ~ParityHalf() override {
        if (m_ran)
            std::printf("%s; 3-way covering of the extra axes %.1f %%\n", m_suite.summary().c_str(), 100 * m_coverage);
    }

private slots:
    void layout_data() {
        QTest::addColumn<int>("index");
        m_cases = coveredCases(0, &m_coverage);
        for (std::size_t i = m_half; i < m_cases.size(); i += 2)
            QTest::newRow(m_cases[i].name.c_str()) << static_cast<int>(i);
    }
    void layout() {
        QFETCH(int, index);
        const RunConfig& config = m_cases[static_cast<std::size_t>(index)].config;
        const auto legal = checkVerifiable(config);
        QVERIFY2(legal, legal ? "" : legal.error().text().c_str());
        m_ran = true;
        const VerifyReport report = m_suite.run(config);
        QVERIFY2(report.passed(), qPrintable(reasons(report)));
    }

private:
    std::size_t m_half;
    std::vector<LayoutCase> m_cases;
    ParitySuite m_suite;
    double m_coverage = 0;
    bool m_ran = false;
};

class TstParity : public ParityHalf {
    Q_OBJECT
public:
    TstParity() : ParityHalf(0) {}
};
SLIPWAY_TEST(TstParity)

class TstParityOtherHalf : public ParityHalf {
    Q_OBJECT
public:
    TstParityOtherHalf() : ParityHalf(1) {}
};
SLIPWAY_TEST(TstParityOtherHalf)

// Every seventh layout with experts, and some with latent attention; ./test --full runs all.
class TstExperts : public QObject {
    Q_OBJECT
public:
    ~TstExperts() override {
        if (m_ran) std::printf("experts: %s\n", m_suite.summary().c_str());
    }

private slots:
    void layout_data() {
        QTest::addColumn<int>("index");
        m_cases = expertCases();
        const std::size_t numExperts = m_cases.size();
        for (LayoutCase& latent : latentCases(24)) m_cases.push_back(std::move(latent));
        for (std::size_t i = 0; i < m_cases.size(); i += i < numExperts ? 7 : 1)
            QTest::newRow(m_cases[i].name.c_str()) << static_cast<int>(i);
    }
    void layout() {
        QFETCH(int, index);
        const RunConfig& config = m_cases[static_cast<std::size_t>(index)].config;
        const auto legal = checkVerifiable(config);
        QVERIFY2(legal, legal ? "" : legal.error().text().c_str());
        m_ran = true;
        const VerifyReport report = m_suite.run(config);
        QVERIFY2(report.passed(), qPrintable(reasons(report)));
    }

private:
    std::vector<LayoutCase> m_cases;
    ParitySuite m_suite;
    bool m_ran = false;
};
SLIPWAY_TEST(TstExperts)

// The other optimizers, and clipping by rows, which need whole matrices and rows of sharded weights.
class TstOptimizerParity : public QObject {
    Q_OBJECT
private slots:
    void layout_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("adaptiveClip");
        QTest::addColumn<int>("layout");
        for (int layout = 0; layout < 7; ++layout) {
            QTest::addRow("lion %d", layout) << static_cast<int>(OptimizerKind::Lion) << 0.0 << layout;
            QTest::addRow("muon %d", layout) << static_cast<int>(OptimizerKind::Muon) << 0.0 << layout;
            QTest::addRow("adamw, adaptive clipping %d", layout)
                << static_cast<int>(OptimizerKind::AdamW) << 0.01 << layout;
        }
    }
    void layout() {
        QFETCH(int, kind);
        QFETCH(double, adaptiveClip);
        QFETCH(int, layout);
        RunConfig config = layout == 0   ? sharded()
                           : layout == 1 ? everything(Family::Llama, true, true, 2)
                           : layout == 2 ? everything(Family::Llama, false, false, 1)
                           : layout == 3 ? expertsInMatrices()
                           : layout == 6 ? expertsBothWays()
                                         : expertsInParts(layout == 5);
        config.optimizer.kind = static_cast<OptimizerKind>(kind);
        config.optimizer.adaptiveClip = adaptiveClip;
        const VerifyReport report = m_suite.run(config);
        QVERIFY2(report.passed(), qPrintable(reasons(report)));
    }

private:
    ParitySuite m_suite;
};
SLIPWAY_TEST(TstOptimizerParity)

// The rungs of a speed ladder: attention as products whose probabilities are kept, rows without fused loops; each
// against one process with all fused kernels.
class TstPlainKernels : public QObject {
    Q_OBJECT
private slots:
    void layout_data() {
        QTest::addColumn<bool>("products");
        QTest::addColumn<bool>("plainRows");
        QTest::addColumn<int>("recompute");
        QTest::addColumn<int>("layout");
        const auto none = static_cast<int>(RecomputePolicy::None), full = static_cast<int>(RecomputePolicy::Full);
        for (int layout = 0; layout < 8; ++layout) {
            QTest::addRow("products %d", layout) << true << false << none << layout;
            QTest::addRow("plain rows %d", layout) << false << true << none << layout;
            QTest::addRow("both, selective %d", layout)
                << true << true << static_cast<int>(RecomputePolicy::Selective) << layout;
            QTest::addRow("both, full %d", layout) << true << true << full << layout;
        }
    }
    void layout() {
        QFETCH(bool, products);
        QFETCH(bool, plainRows);
        QFETCH(int, recompute);
        QFETCH(int, layout);
        RunConfig c = layout == 0   ? everything(Family::Llama, true, true)
                      : layout == 1 ? everything(Family::Gpt2, false, false, 1)
                      : layout == 2 ? sharded()
                      : layout == 3 ? contextAndV()
                      : layout == 4 ? expertsOverAll()
                      : layout == 5 ? latent()
                      : layout == 6 ? sharedKeys()
                                    : offloaded();
        c.train.attentionKernel = products ? AttentionKernel::Products : AttentionKernel::Fused;
        c.train.fusedKernels = !plainRows;
        c.train.recompute.policy = static_cast<RecomputePolicy>(recompute);
        const auto legal = checkVerifiable(c);
        QVERIFY2(legal, legal ? "" : legal.error().text().c_str());
        const VerifyReport report = m_suite.run(c);
        QVERIFY2(report.passed(), qPrintable(reasons(report)));
    }

private:
    ParitySuite m_suite;
};
SLIPWAY_TEST(TstPlainKernels)

class TstInjectedBugs : public QObject {
    Q_OBJECT
public:
    ~TstInjectedBugs() override {
        if (m_tried > 0) std::printf("mutation score: %d of %d injected layout bugs caught\n", m_caught, m_tried);
    }

private slots:
    void bug_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kInjectedBugs.size(); ++i)
            QTest::newRow(std::string(kInjectedBugs[i].word).c_str()) << static_cast<int>(i);
    }
    // The layouts are sound, and each bug turns at least one of them red.
    void bug() {
        QFETCH(int, index);
        const Bug bug = kInjectedBugs[static_cast<std::size_t>(index)].bug;
        ++m_tried;
        bool caught = false;
        for (const RunConfig& config :
             {everything(Family::Gpt2, true, true), everything(Family::Llama, false, true, 1), sharded(), contextAndV(),
              expertsOverAll(), latent(), expertsBothWays(), expertsInMatrices(), offloaded(), sharedKeys()}) {
            if (caught) break;
            const VerifyReport sound = m_suite.run(config);
            QVERIFY2(sound.passed(), qPrintable(reasons(sound)));
            if (!caught) caught = !m_suite.run(config, bug).passed();
        }
        m_caught += caught ? 1 : 0;
        QVERIFY2(caught, "no layout turned red");
    }
    // Where the bug cannot act, the same switch changes nothing: the suite is red because of the bug, not because of
    // the switch.
    void switchAloneIsHarmless() {
        WalkedPoint one;
        const RunConfig config = configOf(one, {});
        for (const Bug bug : {Bug::SequenceNormGradNotSummed, Bug::TiedGradNotSummed, Bug::ColumnGradNotReduced,
                              Bug::GradHookSkipped}) {
            const VerifyReport report = m_suite.run(config, bug);
            QVERIFY2(report.passed(), qPrintable(reasons(report)));
        }
    }

private:
    ParitySuite m_suite;
    int m_tried = 0;
    int m_caught = 0;
};
SLIPWAY_TEST(TstInjectedBugs)

class TstVerify : public QObject {
    Q_OBJECT
private slots:
    // One element of one gradient off by 1e-8 is seen, and so is a part that no rank brings.
    void seesSmallErrorsAndHoles() {
        WalkedPoint one;
        const RunConfig config = configOf(one, {});
        const Reference reference = makeReference(config, {});
        const VerifyReport same = compareWithReference(config, reference, {reference.run});
        QVERIFY2(same.passed(), qPrintable(reasons(same)));
        QCOMPARE(same.largestGradientDifference, 0.0);
        QVERIFY(same.parameters.size() > 10);

        RankRun off = reference.run;
        off.gradients[3].values = off.gradients[3].values.clone();
        off.gradients[3].values.mutable_data_ptr<double>()[0] += 1e-8;
        const VerifyReport changed = compareWithReference(config, reference, {off});
        QCOMPARE(changed.failures.size(), std::size_t{1});

        RankRun hole = reference.run;
        hole.weights.pop_back();
        QVERIFY(!compareWithReference(config, reference, {hole}).passed());
        // A second replica that disagrees is seen although the last one written is right.
        QVERIFY(!compareWithReference(config, reference, {off, reference.run}).passed());
        RankRun otherNorm = reference.run;
        otherNorm.gradNorms.back() = std::nextafter(otherNorm.gradNorms.back(), 1e9);
        const VerifyReport norms = compareWithReference(config, reference, {reference.run, otherNorm});
        QVERIFY(!norms.normsIdentical && !norms.passed());
    }

    void clippingIsActiveInEveryStep() {
        const Reference reference = makeReference(everything(Family::Llama, false, true), {});
        QCOMPARE(reference.run.gradNorms.size(), std::size_t{5});
        for (const double norm : reference.run.gradNorms) QVERIFY(norm > reference.clipNorm);
    }

    void refusesWhatCannotRun() {
        RunConfig config;
        config.train.device = DeviceKind::Tpu;
        const auto report = verifyLayout(config, {});
        QVERIFY(!report);
        QCOMPARE(report.error().code, std::string("bad_config"));
    }
};
SLIPWAY_TEST(TstVerify)
#include "tst_verify.moc"
