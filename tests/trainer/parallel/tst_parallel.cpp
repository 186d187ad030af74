#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Sharded layers against the dense layer: each on 1 to 4 in-process ranks, with and without sequence parallelism.
#include "tests/support/slipway_test.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/parallel/column_parallel_linear.h"
#include "trainer/parallel/row_parallel_linear.h"
#include "trainer/parallel/tp_region.h"
#include "trainer/parallel/vocab_parallel.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include <functional>
#include <mutex>

using namespace slipway;
using namespace slipway::trainer;

namespace {

constexpr std::int64_t kLength = 12, kBatch = 2, kWidth = 8;

at::Tensor normal(at::IntArrayRef shape, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kDouble));
}

at::Tensor ids(std::int64_t high, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    return at::randint(high, {kLength, kBatch}, generator, at::TensorOptions().dtype(at::kLong));
}

void giveGrads(const std::vector<Parameter*>& parameters) {
    for (Parameter* p : parameters) p->mainGrad = at::zeros_like(p->weight);
}

// What a layer gave on one rank: tensors that must equal the dense ones, and gradients by name.
struct Outcome {
    std::vector<at::Tensor> tensors;
    std::vector<Parameter> parameters;
};

// Input [S, B, W] as it lies between regions -> outcome; tensors are whole.
using Body = std::function<Outcome(const ShardContext&)>;

std::vector<Outcome> onRanks(std::int64_t tp, bool sequenceParallel, const Body& body) {
    std::vector<Outcome> outcomes(static_cast<std::size_t>(tp));
    ParallelLayout layout;
    layout.tp = tp;
    runInProcess(tp, [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
        const ShardContext context{mesh.tp.get(), sequenceParallel, at::kDouble, at::kCPU, 5, Bug::None};
        outcomes[static_cast<std::size_t>(rank)] = body(context);
    });
    return outcomes;
}

bool near(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && (a - b).norm().item<double>() <= 1e-12 * std::max(1.0, b.norm().item<double>());
}

// Every rank's tensors equal the single rank's, and its gradients are the slices of the single rank's.
void compare(const std::vector<Outcome>& ranks, const Outcome& dense) {
    for (const Outcome& rank : ranks) {
        QCOMPARE(rank.tensors.size(), dense.tensors.size());
        for (std::size_t i = 0; i < dense.tensors.size(); ++i)
            QVERIFY2(near(rank.tensors[i], dense.tensors[i]), qPrintable(QString("tensor %1").arg(i)));
        for (std::size_t i = 0; i < dense.parameters.size(); ++i) {
            at::Tensor weight = dense.parameters[i].weight;
            at::Tensor grad = dense.parameters[i].mainGrad;
            for (const ShardSlice& slice : rank.parameters[i].shard.slices) {
                weight = weight.narrow(slice.dim, slice.offset, slice.length);
                grad = grad.narrow(slice.dim, slice.offset, slice.length);
            }
            QVERIFY2(rank.parameters[i].weight.equal(weight), rank.parameters[i].shard.name.c_str());
            QVERIFY2(near(rank.parameters[i].mainGrad, grad), rank.parameters[i].shard.name.c_str());
        }
    }
}

Outcome withParameters(std::vector<at::Tensor> tensors, const std::vector<Parameter*>& parameters) {
    Outcome outcome{std::move(tensors), {}};
    for (const Parameter* p : parameters) outcome.parameters.push_back(*p);
    return outcome;
}

// A column layer into a row layer, as in every block.
Outcome columnThenRow(const ShardContext& context) {
    ColumnParallelLinear column(context, "column", kWidth, 12, true, 0.3);
    RowParallelLinear row(context, "row", 12, kWidth, true, 0.3);
    std::vector<Parameter*> parameters;
    column.collect(parameters);
    row.collect(parameters);
    for (Parameter* p : parameters)
        if (p->weight.dim() == 1) p->weight.copy_(initialValues(p->shard, 9, {.deviation = 1}));
    giveGrads(parameters);
    const at::Tensor x = sequencePart(normal({kLength, kBatch, kWidth}, 1), context);
    const at::Tensor inner = column.forward(gatherSequence(x, context));
    const at::Tensor y = row.forward(inner);
    const at::Tensor dy = sequencePart(normal({kLength, kBatch, kWidth}, 2), context);
    at::Tensor wholeDy;
    const at::Tensor dInner = row.backwardInput(dy, wholeDy);
    const at::Tensor dx = sumPartials(column.backwardInput(dInner), context);
    row.backwardWeight(wholeDy, inner, true);
    column.backwardWeight(dInner, gatherSequence(x, context), true);
    return withParameters({gatherSequence(y, context), gatherSequence(dx, context)}, parameters);
}

Outcome embeddingAndLoss(const ShardContext& context) {
    VocabParallelEmbedding table(context, "table", 11, kWidth, 1);
    giveGrads({&table.table()});
    const at::Tensor tokens = ids(11, 3);
    at::Tensor targets = ids(11, 4);
    targets.select(0, 5).fill_(-1);
    const at::Tensor hidden = table.forward(tokens);
    CrossEntropySaved saved;
    const at::Tensor loss =
        crossEntropySum(table.logits(gatherSequence(hidden, context)), targets, table.firstId(), context, saved);
    const at::Tensor dLogits = crossEntropySumGrad(0.1, table.firstId(), saved);
    const at::Tensor dHidden = sumPartials(table.logitsBackwardInput(dLogits), context);
    table.logitsBackwardWeight(dLogits, gatherSequence(hidden, context), false);
    table.backwardWeight(dHidden, tokens, true);
    return withParameters({gatherSequence(hidden, context), loss, saved.logSumExp, gatherSequence(dHidden, context)},
                          {&table.table()});
}

}  // namespace

class TstParallel : public QObject {
    Q_OBJECT
private slots:
    void likeTheDenseLayer_data() {
        QTest::addColumn<int>("tp");
        QTest::addColumn<bool>("sequence");
        for (const int tp : {2, 3, 4})
            for (const bool sequence : {false, true})
                QTest::addRow("tp%d%s", tp, sequence ? "_sequence" : "") << tp << sequence;
    }
    void likeTheDenseLayer() {
        QFETCH(int, tp);
        QFETCH(bool, sequence);
        compare(onRanks(tp, sequence, columnThenRow), onRanks(1, false, columnThenRow).front());
        compare(onRanks(tp, sequence, embeddingAndLoss), onRanks(1, false, embeddingAndLoss).front());
    }

    // Megatron's count: what goes over the wire in one column-row pair, S * B * W * 8 bytes each time.
    void communicationIsWhatTheHeadersSay() {
        const double size = kLength * kBatch * kWidth * 8.0;
        for (const bool sequence : {false, true}) {
            std::vector<double> bytes(2);
            ParallelLayout layout;
            layout.tp = 2;
            runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
                const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
                const ShardContext context{mesh.tp.get(), sequence, at::kDouble, at::kCPU, 5, Bug::None};
                ColumnParallelLinear column(context, "column", kWidth, 12, false, 0.3);
                RowParallelLinear row(context, "row", 12, kWidth, false, 0.3);
                const at::Tensor x = sequencePart(normal({kLength, kBatch, kWidth}, 1), context);
                at::Tensor wholeDy;
                const at::Tensor y = row.forward(column.forward(gatherSequence(x, context)));
                static_cast<void>(sumPartials(column.backwardInput(row.backwardInput(y, wholeDy)), context));
                bytes[static_cast<std::size_t>(rank)] = mesh.tp->counters().bytes;
            });
            // Plain: two all-reduces of 2 (n-1)/n. Sequence parallel: two gathers and two scatters of (n-1)/n: the
            // same.
            QCOMPARE(bytes[0], 2 * size);
            QCOMPARE(bytes[1], 2 * size);
        }
    }

    void evenSliceCoversAll() {
        for (const std::int64_t tp : {1, 2, 3, 4, 7}) {
            std::vector<std::int64_t> offsets(static_cast<std::size_t>(tp)), lengths(static_cast<std::size_t>(tp));
            ParallelLayout layout;
            layout.tp = tp;
            runInProcess(tp, [&](std::int64_t rank, InProcessWorld& world) {
                const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
                const ShardSlice slice = evenSlice(0, 19, *mesh.tp);
                offsets[static_cast<std::size_t>(rank)] = slice.offset;
                lengths[static_cast<std::size_t>(rank)] = slice.length;
            });
            std::int64_t next = 0;
            for (std::size_t i = 0; i < offsets.size(); ++i) {
                QCOMPARE(offsets[i], next);
                QCOMPARE(lengths[i],
                         19 / tp + (static_cast<std::int64_t>(i) < 19 % tp ? 1 : 0));  // the first hold more
                next += lengths[i];
            }
            QCOMPARE(next, std::int64_t{19});
        }
    }

    // Values depend on seed, name and place only, and look like a standard normal.
    void initialValuesFollowThePlace() {
        ParamShard whole;
        whole.name = "w";
        whole.globalShape = {400, 250};
        ParamShard part = whole;
        part.slices = {{Axis::Tp, 1, 100, 50}};
        const at::Tensor values = initialValues(whole, 1, {.deviation = 1});
        QVERIFY(initialValues(part, 1, {.deviation = 1}).equal(values.narrow(1, 100, 50).contiguous()));
        QVERIFY(std::abs(values.mean().item<double>()) < 0.01);
        QVERIFY(std::abs(values.std().item<double>() - 1) < 0.01);
        QVERIFY(!initialValues(whole, 2, {.deviation = 1}).equal(values));
        whole.name = "v";
        QVERIFY(!initialValues(whole, 1, {.deviation = 1}).equal(values));
    }
};
SLIPWAY_TEST(TstParallel)
#include "tst_parallel.moc"
