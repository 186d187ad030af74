// Training in narrow formats: the loss in fp8 follows bf16, whatever the recipe, the format, the cut over
// tensor-parallel ranks or the experts; so does that of bf16 weights without a master copy and of bf16 main gradients.
#include "core/spec/pipeline_schedule.h"
#include "core/spec/run_config.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/optim/optimizer.h"
#include "trainer/pipeline/executor.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/randint.h>
#include <nlohmann/json.hpp>

#include <cmath>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;

namespace {

constexpr int kSteps = 25;

RunConfig tiny(bool experts) {
    RunConfig c;
    c.model.numLayers = 2;
    c.model.hiddenSize = 32;
    c.model.numHeads = 4;
    c.model.ffnHiddenSize = 48;
    c.model.vocabSize = 32;
    c.model.maxSeqLen = 16;
    c.train.seqLen = 16;
    c.train.globalBatchSize = 4;
    c.train.microBatchSize = 2;
    c.train.precision = Precision::Bf16;
    c.optimizer.lr = 5e-3;
    if (!experts) return c;
    c.model.moe = MoeSpec{};
    c.model.moe->numExperts = 4;
    c.model.moe->expertFfnHiddenSize = 24;
    return c;
}

// Losses of some steps on the same four sequences, each token the next one's neighbour by a rule.
std::vector<double> losses(const RunConfig& config, Bug bug = Bug::None) {
    std::vector<double> found;
    runInProcess(config.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
        Model model(config, mesh, at::kCPU, bug);
        Optimizer optimizer(config, mesh, model.parameters(), bug);
        PipelineExecutor executor(model, mesh,
                                  *makeSchedule(config.parallel.schedule, config.parallel.pp, config.numMicroBatches(),
                                                config.parallel.virtualStages));
        at::Generator generator = at::detail::createCPUGenerator(4);
        const at::Tensor tokens = at::randint(config.model.vocabSize, {4, config.train.seqLen}, generator,
                                              at::TensorOptions().dtype(at::kLong));
        const at::Tensor targets = (tokens * 5 + 3).remainder(config.model.vocabSize);
        std::vector<MicroBatch> batch;
        for (std::int64_t m = 0; m < config.numMicroBatches(); ++m) {
            const std::int64_t first = (m * config.parallel.dp + mesh.at.dp) * config.train.microBatchSize;
            batch.push_back({tokens.narrow(0, first, config.train.microBatchSize),
                             targets.narrow(0, first, config.train.microBatchSize)});
        }
        for (int step = 0; step < kSteps; ++step) {
            optimizer.gradients().zero();
            const double loss = executor.step(batch).loss;
            optimizer.update(config.optimizer.lr);
            if (rank == 0) found.push_back(loss);
        }
    });
    return found;
}

// The largest distance of two curves, as a share of what the first one fell.
double distance(const std::vector<double>& curve, const std::vector<double>& other) {
    double most = 0;
    for (std::size_t i = 0; i < curve.size(); ++i) most = std::max(most, std::fabs(curve[i] - other[i]));
    return most / (curve.front() - curve.back());
}

}  // namespace

class TstFp8Training : public QObject {
    Q_OBJECT
private slots:
    void followsBf16_data() {
        QTest::addColumn<int>("recipe");
        QTest::addColumn<int>("format");
        QTest::addColumn<bool>("experts");
        for (const Fp8Recipe recipe : {Fp8Recipe::Tensorwise, Fp8Recipe::Rowwise})
            for (const Fp8Format format : {Fp8Format::Hybrid, Fp8Format::E4m3})
                for (const bool experts : {false, true})
                    QTest::addRow("%s, %s%s", wordOf(recipe).data(), wordOf(format).data(), experts ? ", experts" : "")
                        << static_cast<int>(recipe) << static_cast<int>(format) << experts;
    }
    // The band: a twentieth of what the loss falls, in every step. The two are not the same, or fp8 would not be in
    // use.
    void followsBf16() {
        QFETCH(int, recipe);
        QFETCH(int, format);
        QFETCH(bool, experts);
        RunConfig config = tiny(experts);
        const std::vector<double> wide = losses(config);
        config.train.precision = Precision::Fp8;
        config.train.fp8Recipe = static_cast<Fp8Recipe>(recipe);
        config.train.fp8Format = static_cast<Fp8Format>(format);
        const std::vector<double> narrow = losses(config);
        QVERIFY2(narrow.back() < 0.6 * narrow.front(), qPrintable(QString::number(narrow.back())));
        const double apart = distance(wide, narrow);
        QVERIFY2(apart > 1e-5 && apart < 0.05, qPrintable(QString::number(apart)));
    }

    // Two tensor-parallel ranks have the scales of one process; what is left is the rounding of their sums to bf16.
    void tensorParallel_data() {
        QTest::addColumn<bool>("experts");
        QTest::addColumn<bool>("sequence");
        QTest::addColumn<bool>("overlapped");
        QTest::newRow("dense") << false << false << false;
        QTest::newRow("dense, sequence parallel") << false << true << false;
        QTest::newRow("dense, overlapped") << false << true << true;
        QTest::newRow("experts") << true << false << false;
    }
    void tensorParallel() {
        QFETCH(bool, experts);
        QFETCH(bool, sequence);
        QFETCH(bool, overlapped);
        RunConfig config = tiny(experts);
        config.train.precision = Precision::Fp8;
        const std::vector<double> one = losses(config);
        config.parallel.tp = 2;
        config.parallel.sequenceParallel = sequence;
        if (experts) config.parallel.etp = 2;
        const std::vector<double> cut = losses(config);
        const double apart = distance(one, cut);
        QVERIFY2(apart < 0.03, qPrintable(QString::number(apart)));
        if (!overlapped) return;
        // The same scales as without overlap: the first loss is the same, the others follow but for the order of sums.
        config.parallel.asyncTp = true;
        QVERIFY(trainerSupports(config).empty());
        const std::vector<double> pieces = losses(config);
        QVERIFY2(std::fabs(pieces[0] / cut[0] - 1) < 1e-6, qPrintable(QString::number(pieces[0] / cut[0] - 1)));
        QVERIFY2(distance(cut, pieces) < 0.01, qPrintable(QString::number(distance(cut, pieces))));
    }

    // Main gradients in 16 bit, summed and reduced in them.
    void bf16GradientsFollow_data() {
        QTest::addColumn<QString>("settings");
        for (const char* settings :
             {"", "parallel.dp=2", "parallel.dp=2 parallel.zero_stage=1", "parallel.dp=2 parallel.zero_stage=2",
              "parallel.dp=2 parallel.zero_stage=3", "parallel.tp=2 parallel.sequence_parallel=true",
              "parallel.pp=2 model.tie_embeddings=true", "train.precision=fp8", "optimizer.adaptive_clip=0.1",
              "model.moe.num_experts=4 model.moe.expert_ffn_hidden_size=24 parallel.dp=2 parallel.ep=2"})
            QTest::newRow(settings) << QString(settings);
    }
    void bf16GradientsFollow() {
        QFETCH(QString, settings);
        Json document = slipway::toJson(tiny(false));
        for (const QString& setting : settings.split(' ', Qt::SkipEmptyParts))
            QVERIFY(
                setField(document, setting.section('=', 0, 0).toStdString(), setting.section('=', 1).toStdString()));
        RunConfig config = parseRunConfig(document, "tiny").value();
        const std::vector<double> wide = losses(config);
        config.train.gradDtype = Precision::Bf16;
        QVERIFY(trainerSupports(config).empty());
        const double apart = distance(wide, losses(config));
        QVERIFY2(apart > 1e-5 && apart < 0.05, qPrintable(QString::number(apart)));
    }

    // Weights without a master copy learn as well.
    void roundedWeightsFollow() {
        RunConfig config = tiny(false);
        const std::vector<double> wide = losses(config);
        config.train.stochasticRounding = true;
        const double apart = distance(wide, losses(config));
        QVERIFY2(apart > 1e-5 && apart < 0.05, qPrintable(QString::number(apart)));
    }
};
SLIPWAY_TEST(TstFp8Training)
#include "tst_fp8_training.moc"
