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
#include <ATen/record_function.h>

#include <memory>
#include <optional>
#include <set>
#include <string_view>

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

/// Counts the calls of attention's operators in each thread while one lives.
class AttentionCalls {
public:
    AttentionCalls() {
        m_handle = at::addGlobalCallback(at::RecordFunctionCallback(count).scopes({at::RecordScope::FUNCTION}));
    }
    ~AttentionCalls() { at::removeCallback(m_handle); }
    AttentionCalls(const AttentionCalls&) = delete;
    AttentionCalls& operator=(const AttentionCalls&) = delete;
    static int number() { return t_number; }

private:
    static std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
        if (std::string_view(function.name()).starts_with("aten::_scaled_dot_product_flash_attention_for_cpu"))
            ++t_number;
        return nullptr;
    }
    static inline thread_local int t_number = 0;
    at::CallbackHandle m_handle = 0;
};

/// A ring that notes how many of these calls lie between the begin of each receive and the wait for it.
class WatchedRing final : public ProcessGroup {
public:
    explicit WatchedRing(ProcessGroup& group) : m_group(group) {}
    std::vector<int> callsBeside;  ///< of each receive, in the order of the waits

    [[nodiscard]] int rank() const override { return m_group.rank(); }
    [[nodiscard]] int size() const override { return m_group.size(); }
    [[nodiscard]] const std::string& name() const override { return m_group.name(); }
    CommWork allReduce(at::Tensor& t, ReduceOp op) override { return m_group.allReduce(t, op); }
    CommWork allGather(at::Tensor& out, const at::Tensor& in) override { return m_group.allGather(out, in); }
    CommWork reduceScatter(at::Tensor& out, const at::Tensor& in) override { return m_group.reduceScatter(out, in); }
    CommWork allToAllV(at::Tensor& out, const at::Tensor& in, const std::vector<std::int64_t>& outSplits,
                       const std::vector<std::int64_t>& inSplits) override {
        return m_group.allToAllV(out, in, outSplits, inSplits);
    }
    CommWork broadcast(at::Tensor& t, int root) override { return m_group.broadcast(t, root); }
    CommWork send(const at::Tensor& t, int to, int tag) override { return m_group.send(t, to, tag); }
    CommWork recv(at::Tensor& t, int from, int tag) override {
        return std::make_unique<Receive>(*this, m_group.recv(t, from, tag));
    }
    void barrier() override { m_group.barrier(); }
    [[nodiscard]] CommCounters counters() const override { return m_group.counters(); }

private:
    struct Receive final : CommHandle {
        Receive(WatchedRing& given, CommWork inner) : ring(given), work(std::move(inner)) {}
        void wait() override {
            ring.callsBeside.push_back(AttentionCalls::number() - begun);
            work->wait();
        }
        WatchedRing& ring;
        CommWork work;
        int begun = AttentionCalls::number();
    };
    ProcessGroup& m_group;
};

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

    // The messages of the ring are on their way while a block's attention is computed, but the last, which brings the
    // sums home.
    void ringMessagesAreHidden() {
        const AttentionCalls calls;
        const Inputs in;
        ParallelLayout layout;
        layout.cp = 4;
        std::mutex mutex;
        std::vector<std::vector<int>> forward(4), backward(4);  // per rank: attention calls beside each message
        runInProcess(
            4,
            [&](std::int64_t rank, InProcessWorld& world) {
                const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
                WatchedRing ring(*mesh.cp);
                const SequenceCut cut(kLength, ring);
                const ShardContext context{mesh.tp.get(), false, at::kDouble, at::kCPU, 1,
                                           Bug::None,     &ring, CpKind::Ring};
                const ContextAttention attention(context, kLength, std::nullopt);
                AttentionSaved saved;
                (void)attention.forward(cut.part(in.q, 0), cut.part(in.k, 0), cut.part(in.v, 0), {}, saved);
                const std::vector<int> first = ring.callsBeside;
                ring.callsBeside.clear();
                (void)attention.backward(cut.part(in.dOut, 0), {}, saved);
                const std::lock_guard lock(mutex);
                forward[static_cast<std::size_t>(rank)] = first;
                backward[static_cast<std::size_t>(rank)] = ring.callsBeside;
            },
            Messages::InOrder);
        for (std::size_t rank = 0; rank < 4; ++rank) {
            QCOMPARE(forward[rank].size(), std::size_t{3});
            for (const int beside : forward[rank]) QVERIFY(beside > 0);
            QCOMPARE(backward[rank].size(), std::size_t{7});
            QCOMPARE(backward[rank].back(), 0);
            for (std::size_t i = 0; i + 1 < 7; ++i) QVERIFY(backward[rank][i] > 0);
        }
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
