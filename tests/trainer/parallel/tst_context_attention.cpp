#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Attention over cut sequences against autograd over whole ones: every kind, with packed documents and a sliding
// window.
#include "tests/support/slipway_test.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/parallel/context_attention.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros.h>

#include <optional>
#include <set>

using namespace slipway;
using namespace slipway::trainer;

namespace {

constexpr std::int64_t kLength = 24, kBatch = 2, kHeads = 8, kKvHeads = 4, kWidth = 4;

at::Tensor normal(at::IntArrayRef shape, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kDouble));
}

// Documents that end at other places in each sequence, one of a single position.
at::Tensor packedDocuments() {
    at::Tensor documents = at::zeros({kBatch, kLength}, at::TensorOptions().dtype(at::kLong));
    for (const std::int64_t begin : {5, 11, 12}) documents.select(0, 0).narrow(0, begin, kLength - begin).add_(1);
    documents.select(0, 1).narrow(0, 9, kLength - 9).add_(1);
    return documents;
}

struct Inputs {
    at::Tensor q = normal({kLength, kBatch, kHeads, kWidth}, 1);
    at::Tensor k = normal({kLength, kBatch, kKvHeads, kWidth}, 2);
    at::Tensor v = normal({kLength, kBatch, kKvHeads, kWidth}, 3);
    at::Tensor dOut = normal({kLength, kBatch, kHeads, kWidth}, 4);
};

struct Outputs {
    at::Tensor out, dq, dk, dv;
};

// Written from the definition: query i of document d sees key j of d when j <= i < j + window.
Outputs reference(const Inputs& in, const at::Tensor& documents, std::optional<std::int64_t> window) {
    const auto leaf = [](const at::Tensor& x) { return x.clone().requires_grad_(true); };
    const at::Tensor q = leaf(in.q), k = leaf(in.k), v = leaf(in.v);
    const auto perHead = [](const at::Tensor& x) {
        return x.permute({1, 2, 0, 3}).repeat_interleave(kHeads / x.size(2), 1);
    };
    const at::Tensor i = at::arange(kLength).unsqueeze(1), j = at::arange(kLength).unsqueeze(0);
    at::Tensor visible = j.le(i).view({1, 1, kLength, kLength});
    if (window) visible = visible.logical_and((i - j).lt(*window));
    if (documents.defined())
        visible = visible.logical_and(documents.unsqueeze(2).eq(documents.unsqueeze(1)).unsqueeze(1));
    const at::Tensor out =
        at::scaled_dot_product_attention(perHead(q), perHead(k), perHead(v), visible).permute({2, 0, 1, 3});
    out.backward(in.dOut);
    return {out.detach(), q.grad(), k.grad(), v.grad()};
}

Outputs onRanks(std::int64_t cp, CpKind kind, const Inputs& in, const at::Tensor& documents,
                std::optional<std::int64_t> window, Bug bug = Bug::None) {
    std::vector<Outputs> parts(static_cast<std::size_t>(cp));
    ParallelLayout layout;
    layout.cp = cp;
    SequenceCut order;
    const Documents packed = documents.defined() ? documentsOf(documents) : Documents{};
    runInProcess(
        cp,
        [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
            const SequenceCut cut(kLength, *mesh.cp);
            const ShardContext context{mesh.tp.get(), false, at::kDouble, at::kCPU, 1, bug, mesh.cp.get(), kind};
            const ContextAttention attention(context, kLength, window);
            AttentionSaved saved;
            Outputs mine;
            mine.out = attention.forward(cut.part(in.q, 0), cut.part(in.k, 0), cut.part(in.v, 0), packed, saved);
            const AttentionGrads grads = attention.backward(cut.part(in.dOut, 0), packed, saved);
            mine.dq = grads.q;
            mine.dk = grads.k;
            mine.dv = grads.v;
            parts[static_cast<std::size_t>(rank)] = mine;
            if (rank == 0) order = cut;
        },
        Messages::InOrder);  // as over NCCL
    const auto whole = [&](at::Tensor Outputs::*member) {
        std::vector<at::Tensor> list;
        for (const Outputs& part : parts) list.push_back(part.*member);
        return order.inSequenceOrder(at::cat(list));
    };
    return {whole(&Outputs::out), whole(&Outputs::dq), whole(&Outputs::dk), whole(&Outputs::dv)};
}

double largestDifference(const Outputs& a, const Outputs& b) {
    double largest = 0;
    for (const auto member : {&Outputs::out, &Outputs::dq, &Outputs::dk, &Outputs::dv})
        largest = std::max(largest, (a.*member - b.*member).abs().max().item<double>());
    return largest;
}

}  // namespace

class TstContextAttention : public QObject {
    Q_OBJECT
private slots:
    void likeTheWholeSequence_data() {
        QTest::addColumn<int>("cp");
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("packed");
        QTest::addColumn<int>("window");
        for (const int cp : {1, 2, 3, 4})
            for (const CpKind kind : {CpKind::Ring, CpKind::AllGather, CpKind::Ulysses})
                for (const bool packed : {false, true})
                    for (const int window : {0, 1, 7}) {
                        if (kind == CpKind::Ulysses && kKvHeads % cp != 0) continue;
                        if (cp == 1 && kind != CpKind::Ring) continue;
                        QTest::addRow("cp%d_%s%s_w%d", cp, std::string(wordOf(kind)).c_str(), packed ? "_packed" : "",
                                      window)
                            << cp << static_cast<int>(kind) << packed << window;
                    }
    }
    void likeTheWholeSequence() {
        QFETCH(int, cp);
        QFETCH(int, kind);
        QFETCH(bool, packed);
        QFETCH(int, window);
        const Inputs in;
        const at::Tensor documents = packed ? packedDocuments() : at::Tensor();
        const auto size = window > 0 ? std::optional<std::int64_t>(window) : std::nullopt;
        const double difference = largestDifference(onRanks(cp, static_cast<CpKind>(kind), in, documents, size),
                                                    reference(in, documents, size));
        QVERIFY2(difference < 1e-13, qPrintable(QString::number(difference)));
    }

    // A row that sees no key of a block must not count as e^0: with the operator's own 0 the result is far off.
    void rowsThatSeeNothingMatter() {
        const Inputs in;
        const Outputs right = reference(in, packedDocuments(), std::nullopt);
        QVERIFY(largestDifference(onRanks(2, CpKind::Ring, in, packedDocuments(), std::nullopt, Bug::BlindRowCounts),
                                  right) > 1e-3);
        const BlockMask farBehind{.queryPosition = 10, .window = 2};
        const BlockResult blind =
            attentionBlock(in.q.narrow(0, 0, 3), in.k.narrow(0, 0, 5), in.v.narrow(0, 0, 5), farBehind);
        QCOMPARE(blind.logSumExp.max().item<double>(), -std::numeric_limits<double>::infinity());
        QCOMPARE(blind.out.abs().max().item<double>(), 0.0);
    }

    // Every rank has the same number of visible pairs, and all positions are somewhere.
    void zigzagIsBalanced() {
        ParallelLayout layout;
        layout.cp = 3;
        std::vector<std::int64_t> pairs(3), seen;
        std::mutex mutex;
        runInProcess(3, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
            const SequenceCut cut(kLength, *mesh.cp);
            const at::Tensor positions = cut.positions();
            pairs[static_cast<std::size_t>(rank)] = (positions + 1).sum().item<std::int64_t>();
            const at::Tensor whole = at::arange(kLength);
            const std::lock_guard lock(mutex);
            for (std::int64_t i = 0; i < positions.numel(); ++i) seen.push_back(positions[i].item<std::int64_t>());
            if (!cut.inSequenceOrder(cut.inRankOrder(whole)).equal(whole)) seen.push_back(-1);
        });
        QCOMPARE(pairs[0], pairs[1]);
        QCOMPARE(pairs[1], pairs[2]);
        QCOMPARE(std::set<std::int64_t>(seen.begin(), seen.end()).size(), static_cast<std::size_t>(kLength));
        QCOMPARE(seen.size(), static_cast<std::size_t>(kLength));
    }
};
SLIPWAY_TEST(TstContextAttention)
#include "tst_context_attention.moc"
