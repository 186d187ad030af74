// The optimizer's kernels (update_program.h) on threads of the CPU, held against the plain operators of the optimizer:
// every format, every sharding, random rounding, and what a step that must not happen leaves alone.
#include "tests/trainer/kernels/host_rows.h"
#include "tests/trainer/optim/optimizer_runs.h"
#include "trainer/telemetry/tensor_memory.h"

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>
#include <ATen/record_function.h>

#include <cmath>
#include <limits>
#include <map>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

/// While it lives the kernels run, on this CPU.
struct KernelsOn {
    KernelsOn() { hostRows().rows.onHost = true; }
    ~KernelsOn() { hostRows().rows.onHost = false; }
    KernelsOn(const KernelsOn&) = delete;
    KernelsOn& operator=(const KernelsOn&) = delete;
};

struct Case {
    Precision precision;
    MomentDtype moments;
    bool rounds;
    Precision gradients = Precision::Fp32;
};

RunConfig configOf(const Case& c, std::int64_t dp, std::int64_t zero) {
    RunConfig config = configFor(dp, zero);
    config.train.precision = c.precision;
    config.train.stochasticRounding = c.rounds;
    config.optimizer.momentDtype = c.moments;
    config.train.gradDtype = c.gradients;
    return config;
}

struct States {
    std::map<std::string, at::Tensor> state;  // by name
    std::vector<at::Tensor> weights;
    std::vector<UpdateReport> reports;
};

// Steps of one rank without sharding; a gradient of `poisoned` is not a number in the last of them.
States steps(const RunConfig& config, int count, double lossScale, bool poisoned = false, const at::Tensor& loss = {}) {
    const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
    Weights weights(weightType(config));
    Optimizer optimizer(config, mesh, weights.pointers);
    States states;
    for (int step = 0; step < count; ++step) {
        optimizer.gradients().zero();
        weights.addGradients(step, 0, lossScale);
        if (poisoned && step == count - 1) weights.all[2].mainGrad[3] = std::numeric_limits<double>::quiet_NaN();
        states.reports.push_back(optimizer.update(0.01, {}, lossScale, loss));
    }
    for (const StateTensor& entry : optimizer.state()) states.state[entry.name] = entry.tensor.clone();
    states.weights = weights.values();
    return states;
}

double relative(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor x = a.to(at::kDouble), y = b.to(at::kDouble);
    return (x - y).abs().max().item<double>() / std::max(y.abs().max().item<double>(), 1e-30);
}

}  // namespace

class TstDeviceUpdate : public QObject {
    Q_OBJECT

    static void cases() {
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("moments");
        QTest::addColumn<bool>("rounds");
        QTest::addColumn<int>("gradients");
        const auto row = [](const char* name, Precision precision, MomentDtype moments, bool rounds,
                            Precision gradients = Precision::Fp32) {
            QTest::newRow(name) << static_cast<int>(precision) << static_cast<int>(moments) << rounds
                                << static_cast<int>(gradients);
        };
        row("fp64", Precision::Fp64, MomentDtype::Fp32, false);
        row("fp32", Precision::Fp32, MomentDtype::Fp32, false);
        row("fp32, bf16 moments", Precision::Fp32, MomentDtype::Bf16, false);
        row("bf16", Precision::Bf16, MomentDtype::Fp32, false);
        row("bf16, bf16 moments", Precision::Bf16, MomentDtype::Bf16, false);
        row("bf16 rounded", Precision::Bf16, MomentDtype::Fp32, true);
        row("bf16 rounded, bf16 moments", Precision::Bf16, MomentDtype::Bf16, true);
        row("bf16, bf16 gradients", Precision::Bf16, MomentDtype::Fp32, false, Precision::Bf16);
        row("bf16 rounded, bf16 gradients", Precision::Bf16, MomentDtype::Bf16, true, Precision::Bf16);
        row("fp16", Precision::Fp16, MomentDtype::Fp32, false);
        row("fp16, bf16 gradients", Precision::Fp16, MomentDtype::Fp32, false, Precision::Bf16);
    }

private slots:
    void likePlainOperators_data() { cases(); }
    // Every state to a few last digits of its format, the norm as well.
    void likePlainOperators() {
        QFETCH(int, precision);
        QFETCH(int, moments);
        QFETCH(bool, rounds);
        QFETCH(int, gradients);
        RunConfig config = configOf({static_cast<Precision>(precision), static_cast<MomentDtype>(moments), rounds,
                                     static_cast<Precision>(gradients)},
                                    1, 0);
        if (config.optimizer.momentDtype == MomentDtype::Bf16) config.optimizer.beta2 = 0.95;
        for (const double clip : {0.0, 0.5}) {
            config.optimizer.clipNorm = clip;
            const double lossScale = config.train.precision == Precision::Fp16 ? 1024 : 1;
            const States plain = steps(config, 3, lossScale);
            const int before = hostRows().updates;
            const KernelsOn on;
            const States kernels = steps(config, 3, lossScale);
            QCOMPARE(hostRows().updates - before, 3);
            QCOMPARE(kernels.state.size(), plain.state.size());
            double worst = 0, worstNarrow = 0;
            std::int64_t differing = 0;
            for (const auto& [name, tensor] : plain.state) {
                const double off = relative(kernels.state.at(name), tensor);
                if (tensor.scalar_type() == at::kBFloat16) {
                    differing += tensor.ne(kernels.state.at(name)).sum().item<std::int64_t>();
                }
                (tensor.scalar_type() == at::kBFloat16 ? worstNarrow : worst) =
                    std::max(tensor.scalar_type() == at::kBFloat16 ? worstNarrow : worst, off);
            }
            const bool wide = config.train.precision == Precision::Fp64;
            QVERIFY2(worst < (wide ? 1e-15 : 5e-7), qPrintable(QString::number(worst)));
            // Behind libtorch's last full vector (bitsOfLibtorch) an fp32 number may end in another digit, and then
            // decide where one that lies between two of bf16 is rounded to: once in some ten thousand, and by one
            // digit.
            QVERIFY2(worstNarrow <= 1.0 / 128, qPrintable(QString::number(worstNarrow)));
            QVERIFY2(differing <= 1, qPrintable(QString::number(differing)));
            for (std::size_t i = 0; i < plain.reports.size(); ++i) {
                const double norm = plain.reports[i].gradNorm;
                QVERIFY(std::fabs(kernels.reports[i].gradNorm - norm) < 1e-12 * norm);
                QVERIFY(std::fabs(kernels.reports[i].clipCoefficient - plain.reports[i].clipCoefficient) < 1e-12);
            }
            // What the model computes with is the rounded master.
            for (std::size_t i = 0; i < plain.weights.size(); ++i) {
                const auto master = kernels.state.find("p" + std::to_string(i));
                QVERIFY(master != kernels.state.end());
                QVERIFY(kernels.weights[i].equal(master->second.to(kernels.weights[i].scalar_type())));
            }
        }
    }

    void bitsOfLibtorch_data() {
        QTest::addColumn<int>("precision");
        QTest::addColumn<double>("beta1");
        QTest::addRow("fp32") << static_cast<int>(Precision::Fp32) << 0.9;
        QTest::addRow("fp32, beta1 0.3") << static_cast<int>(Precision::Fp32) << 0.3;
        QTest::addRow("bf16") << static_cast<int>(Precision::Bf16) << 0.9;
    }
    // Where libtorch's vectors are full its fused AdamW has the same products inside sums, so weights, masters and
    // moments are the same bits. Behind the last full vector it computes in fp64: what likePlainOperators allows.
    void bitsOfLibtorch() {
        QFETCH(int, precision);
        QFETCH(double, beta1);
        if (!__builtin_cpu_supports("fma")) QSKIP("libtorch rounds every product on this processor");
        RunConfig config = configOf({static_cast<Precision>(precision), MomentDtype::Fp32, false}, 1, 0);
        config.optimizer.beta1 = beta1;
        config.optimizer.clipNorm = 0;
        const int threads = at::get_num_threads();
        at::set_num_threads(1);  // a part of each thread has an end of its own
        const auto run = [&] {
            const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
            WeightUnit unit;
            std::vector<Parameter> parameters(2);
            for (std::size_t i = 0; i < 2; ++i) {
                Parameter& p = parameters[i];
                p.shard.name = "p" + std::to_string(i);
                p.shard.globalShape = {4096};
                p.weight = pattern(4096, static_cast<double>(i), weightType(config));
                p.decay = i == 0;
                p.unit = &unit;
                unit.parameters.push_back(&p);
            }
            Optimizer optimizer(config, mesh, {&parameters[0], &parameters[1]});
            for (int step = 0; step < 3; ++step) {
                optimizer.gradients().zero();
                for (Parameter& p : parameters) p.mainGrad.add_(pattern(4096, 7 + step, at::kDouble), 0.01);
                optimizer.update(0.01);
            }
            std::map<std::string, at::Tensor> state;
            for (const StateTensor& entry : optimizer.state()) state[entry.name] = entry.tensor.clone();
            for (const Parameter& p : parameters) state[p.shard.name + " as multiplied"] = p.weight.clone();
            return state;
        };
        const auto plain = run();
        const KernelsOn on;
        const auto kernels = run();
        at::set_num_threads(threads);
        QCOMPARE(plain.size(), std::size_t{8});
        for (const auto& [name, tensor] : plain) QVERIFY2(tensor.equal(kernels.at(name)), name.c_str());
    }

    void sameInEveryLayout_data() {
        QTest::addColumn<int>("zero");
        for (const int zero : {0, 1, 2, 3}) QTest::addRow("ZeRO-%d", zero) << zero;
    }
    // Cut however, the kernels give the bits of the uncut run: nothing in an element's update depends on its
    // neighbours.
    void sameInEveryLayout() {
        QFETCH(int, zero);
        const KernelsOn on;
        for (const Case c : {Case{Precision::Fp64, MomentDtype::Fp32, false},
                             {Precision::Bf16, MomentDtype::Fp32, true},
                             {Precision::Bf16, MomentDtype::Fp32, false}}) {
            RunConfig whole = configOf(c, 2, 0), cut = configOf(c, 2, zero);
            whole.optimizer.clipNorm = cut.optimizer.clipNorm =
                0;  // a norm's last digits depend on the order of its sum
            const Outcome a = trainReplicas(whole), b = trainReplicas(cut, 1);
            QCOMPARE(a.weights.size(), std::size_t{5});
            for (std::size_t i = 0; i < 5; ++i) QVERIFY(at::equal(a.weights[i], b.weights[i]));
        }
        // With clipping, against the plain operators.
        const Outcome clipped = trainReplicas(configFor(2, zero), 1);
        hostRows().rows.onHost = false;
        const Outcome plain = trainReplicas(configFor(2, zero), 1);
        QCOMPARE(clipped.norms.size(), std::size_t{3});
        QVERIFY(largestDifference(clipped, plain) < 1e-15);
    }

    // Weights, gradients and two moments of two bytes each, and nothing beside them, not during an update either: so 7
    // billion parameters fit on 80 GB.
    void holdsNothingWide() {
        installTensorMemory();
        const KernelsOn on;
        constexpr std::int64_t kElements = 1 << 20;
        const RunConfig config = configOf({Precision::Bf16, MomentDtype::Bf16, true, Precision::Bf16}, 1, 0);
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        const TensorMemory& memory = TensorMemory::current();
        const std::int64_t before = memory.bytes();
        WeightUnit unit;
        Parameter p;
        p.shard.name = "p";
        p.shard.globalShape = {kElements};
        p.weight = at::full({kElements}, 0.5, at::kBFloat16);
        p.unit = &unit;
        unit.parameters.push_back(&p);
        Optimizer optimizer(config, mesh, {&p});
        TensorMemory::current().resetPeak();
        p.mainGrad.fill_(1);
        optimizer.update(0.01);
        const auto perParameter = static_cast<double>(memory.peakBytes() - before) / static_cast<double>(kElements);
        QVERIFY2(perParameter < 8.01, qPrintable(QString::number(perParameter)));
        QVERIFY(p.weight.ne(0.5).all().item<bool>());
    }

    void leftOut_data() {
        QTest::addColumn<bool>("badLoss");
        QTest::newRow("gradient") << false;
        QTest::newRow("loss") << true;
    }
    // A norm or a loss that is not finite: the step was queued, and changes nothing.
    void leftOut() {
        QFETCH(bool, badLoss);
        const KernelsOn on;
        const RunConfig config = configOf({Precision::Bf16, MomentDtype::Fp32, false}, 1, 0);
        const at::Tensor loss = at::full({1}, 3.5, at::kDouble);
        const States before = steps(config, 2, 1, false, loss);
        QVERIFY(!before.reports.back().skipped);
        const States after = badLoss ? steps(config, 1, 1, false, at::full({1}, std::nan(""), at::kDouble))
                                     : steps(config, 3, 1, true, loss);
        const States expected = badLoss ? steps(config, 0, 1) : before;
        QVERIFY(after.reports.back().skipped);
        QCOMPARE(std::isfinite(after.reports.back().gradNorm), badLoss);
        for (const auto& [name, tensor] : expected.state) QVERIFY(at::equal(tensor, after.state.at(name)));
        for (std::size_t i = 0; i < 5; ++i) QVERIFY(at::equal(expected.weights[i], after.weights[i]));
    }

    // The judge that must be asked first is asked before anything changes.
    void asksFirst() {
        const KernelsOn on;
        const RunConfig config = configFor(1, 0);
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Weights weights(at::kDouble);
        Optimizer optimizer(config, mesh, weights.pointers);
        QVERIFY(optimizer.decidesOnDevice());
        optimizer.gradients().zero();
        weights.addGradients(0, 0);
        const std::vector<at::Tensor> before = weights.values();
        double asked = 0;
        const UpdateReport report = optimizer.update(0.01, [&](double norm) {
            asked = norm;
            return false;
        });
        QVERIFY(report.skipped);
        QVERIFY(asked > 0);
        QCOMPARE(optimizer.gradNorm(), asked);
        for (std::size_t i = 0; i < 5; ++i) QVERIFY(at::equal(before[i], weights.values()[i]));
        QCOMPARE(optimizer.numUpdates(), std::int64_t{0});
    }

    // Blocks of a parameter longer than a chunk, and many parameters shorter than one.
    void manyChunks() {
        const std::int64_t length = 3 * kUpdateChunk + 17;
        RunConfig config = configFor(1, 0);
        config.parallel.bucketBytes = 1 << 20;
        const auto run = [&] {
            const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
            std::vector<Parameter> parameters(4);
            std::vector<Parameter*> pointers;
            WeightUnit unit;
            for (std::size_t i = 0; i < parameters.size(); ++i) {
                Parameter& p = parameters[i];
                const std::int64_t count = i == 2 ? length : 5;
                p.shard.name = "p" + std::to_string(i);
                p.shard.globalShape = {count};
                p.weight = pattern(count, static_cast<double>(i), at::kDouble);
                p.unit = &unit;
                unit.parameters.push_back(&p);
                pointers.push_back(&p);
            }
            Optimizer optimizer(config, mesh, pointers);
            optimizer.gradients().zero();
            for (Parameter* p : pointers) p->mainGrad.add_(pattern(p->weight.numel(), 7, at::kDouble));
            const double norm = optimizer.update(0.01).gradNorm;
            std::vector<at::Tensor> values;
            for (Parameter* p : pointers) values.push_back(p->weight.clone());
            return std::pair(norm, values);
        };
        const auto plain = run();
        const KernelsOn on;
        const auto kernels = run();
        QVERIFY(std::fabs(kernels.first / plain.first - 1) < 1e-13);
        for (std::size_t i = 0; i < 4; ++i) QVERIFY(relative(kernels.second[i], plain.second[i]) < 1e-15);
    }

    // Nothing is read back by an operator while the step is queued: the report is one copy at its end.
    void readsNothingBack() {
        const KernelsOn on;
        const RunConfig config = configOf({Precision::Bf16, MomentDtype::Fp32, false}, 1, 0);
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Weights weights(at::kBFloat16);
        Optimizer optimizer(config, mesh, weights.pointers);
        weights.addGradients(0, 0);
        static std::vector<std::string> seen;
        seen.clear();
        at::enableRecordFunction(true);
        const auto handle = at::addThreadLocalCallback(
            at::RecordFunctionCallback([](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
                seen.emplace_back(function.name());
                return nullptr;
            }));
        static_cast<void>(optimizer.update(0.01));
        at::removeCallback(handle);
        for (const std::string& name : seen)
            QVERIFY2(name != "aten::_local_scalar_dense" && name != "aten::item" && name != "aten::nonzero",
                     name.c_str());
    }
};

SLIPWAY_TEST(TstDeviceUpdate)
#include "tst_device_update.moc"
