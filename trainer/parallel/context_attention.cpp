#include "trainer/parallel/context_attention.h"

#include "trainer/kernels/dtype.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include <vector>

namespace slipway::trainer {
namespace {

constexpr int kKeysTag = 0;
constexpr int kGradsTag = 1;

// Keys and values travel as one tensor [s, B, k, 2 D].
at::Tensor joinKv(const at::Tensor& k, const at::Tensor& v) {
    return at::cat({k, v}, -1);
}
at::Tensor keysOf(const at::Tensor& kv) {
    return kv.narrow(-1, 0, kv.size(-1) / 2);
}
at::Tensor valuesOf(const at::Tensor& kv) {
    return kv.narrow(-1, kv.size(-1) / 2, kv.size(-1) / 2);
}

}  // namespace

ContextAttention::ContextAttention(const ShardContext& context, std::int64_t length, std::optional<std::int64_t> window)
    : m_cp(context.cp), m_kind(context.cpKind), m_bug(context.bug), m_window(window) {
    if (m_cp != nullptr) m_cut = SequenceCut(length, *m_cp);
}

std::vector<ContextAttention::Block> ContextAttention::blocksOfRank(std::int64_t owner) const {
    const std::int64_t n = m_cut.chunkLength();
    const auto mine = m_cut.chunksOf(m_cp->rank());
    const auto theirs = m_cut.chunksOf(owner);
    std::vector<Block> blocks;
    for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t j = 0; j < 2; ++j) {
            const std::int64_t query = mine[static_cast<std::size_t>(i)], key = theirs[static_cast<std::size_t>(j)];
            if (key <= query) blocks.push_back({i * n, n, j * n, n, query * n, key * n});
        }
    return blocks;
}

std::vector<ContextAttention::Block> ContextAttention::blocksOfAll(bool masked) const {
    const std::int64_t n = m_cut.chunkLength();
    const auto mine = m_cut.chunksOf(m_cp->rank());
    std::vector<Block> blocks;
    for (std::int64_t i = 0; i < 2; ++i) {
        const std::int64_t query = mine[static_cast<std::size_t>(i)];
        // Without a mask: all earlier chunks, then this rank's own, which is causal.
        if (masked) blocks.push_back({i * n, n, 0, (query + 1) * n, query * n, 0});
        if (!masked && query > 0) blocks.push_back({i * n, n, 0, query * n, query * n, 0});
        if (!masked) blocks.push_back({i * n, n, query * n, n, query * n, query * n});
    }
    return blocks;
}

void ContextAttention::attend(const std::vector<Block>& blocks, const at::Tensor& q, const at::Tensor& kv,
                              const Documents& documents, std::vector<BlockResult>& results) const {
    for (const Block& b : blocks) {
        BlockResult block = attentionBlock(
            q.narrow(0, b.queryBegin, b.queryLength), keysOf(kv).narrow(0, b.keyBegin, b.keyLength),
            valuesOf(kv).narrow(0, b.keyBegin, b.keyLength), {b.queryPosition, b.keyPosition, m_window, documents});
        if (m_bug == Bug::BlindRowCounts)
            block.logSumExp.masked_fill_(block.logSumExp.eq(-std::numeric_limits<double>::infinity()), 0);
        mergeBlock(results[static_cast<std::size_t>(b.queryBegin / b.queryLength)], block);
    }
}

void ContextAttention::attendGrad(const std::vector<Block>& blocks, const at::Tensor& dOut, const AttentionSaved& saved,
                                  const at::Tensor& kv, const Documents& documents, at::Tensor& dq,
                                  at::Tensor& dkv) const {
    for (const Block& b : blocks) {
        const auto mine = [&](const at::Tensor& x) { return x.narrow(0, b.queryBegin, b.queryLength); };
        const AttentionGrads grads =
            attentionBlockGrad(mine(dOut), mine(saved.q), keysOf(kv).narrow(0, b.keyBegin, b.keyLength),
                               valuesOf(kv).narrow(0, b.keyBegin, b.keyLength), mine(saved.out),
                               saved.logSumExp.narrow(2, b.queryBegin, b.queryLength).contiguous(),
                               {b.queryPosition, b.keyPosition, m_window, documents});
        mine(dq).add_(grads.q);
        keysOf(dkv).narrow(0, b.keyBegin, b.keyLength).add_(grads.k);
        valuesOf(dkv).narrow(0, b.keyBegin, b.keyLength).add_(grads.v);
    }
}

// The whole sequence on this rank.
at::Tensor ContextAttention::localAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                            const Documents& documents, AttentionSaved& saved) const {
    if (!isMasked(documents)) return causalAttention(q, k, v, saved);
    const BlockResult result = attentionBlock(q, k, v, {.window = m_window, .documents = documents});
    saved = {q, k, v, result.out.to(q.scalar_type()), result.logSumExp};
    return saved.out;
}

AttentionGrads ContextAttention::localAttentionGrad(const at::Tensor& dOut, const Documents& documents,
                                                    const AttentionSaved& saved) const {
    if (!isMasked(documents)) return causalAttentionGrad(dOut, saved);
    const AttentionGrads grads = attentionBlockGrad(dOut, saved.q, saved.k, saved.v, saved.out, saved.logSumExp,
                                                    {.window = m_window, .documents = documents});
    const at::ScalarType type = saved.q.scalar_type();
    return {grads.q.to(type), grads.k.to(type), grads.v.to(type)};
}

// [s, B, heads, D] of this rank's positions -> [S, B, heads / cp, D] of this rank's heads, in sequence order.
at::Tensor ContextAttention::headsForSequence(const at::Tensor& x) const {
    const std::int64_t n = m_cp->size();
    const at::Tensor in =
        x.unflatten(2, {n, x.size(2) / n}).permute({2, 0, 1, 3, 4}).contiguous();  // [cp, s, B, h/cp, D]
    at::Tensor out = at::empty_like(in);
    const std::vector<std::int64_t> one(static_cast<std::size_t>(n), 1);
    m_cp->allToAllV(out, in, one, one)->wait();
    return m_cut.inSequenceOrder(out.flatten(0, 1));
}

// The inverse.
at::Tensor ContextAttention::sequenceForHeads(const at::Tensor& x) const {
    const std::int64_t n = m_cp->size();
    const at::Tensor in = m_cut.inRankOrder(x).unflatten(0, {n, x.size(0) / n}).contiguous();
    at::Tensor out = at::empty_like(in);
    const std::vector<std::int64_t> one(static_cast<std::size_t>(n), 1);
    m_cp->allToAllV(out, in, one, one)->wait();
    return out.permute({1, 2, 0, 3, 4}).flatten(2, 3).contiguous();
}

ContextAttention::Passing ContextAttention::sendToNext(const at::Tensor& x, int tag) const {
    const int n = m_cp->size();
    Passing passing{at::empty_like(x), m_cp->send(x, (m_cp->rank() + 1) % n, tag), nullptr};
    passing.arriving = m_cp->recv(passing.arrived, (m_cp->rank() + n - 1) % n, tag);
    return passing;
}

at::Tensor ContextAttention::Passing::wait() const {
    arriving->wait();
    sent->wait();
    return arrived;
}

at::Tensor ContextAttention::forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                     const Documents& documents, AttentionSaved& saved) const {
    if (m_cp == nullptr || m_cp->size() == 1) return localAttention(q, k, v, documents, saved);
    if (m_kind == CpKind::Ulysses)
        return sequenceForHeads(
            localAttention(headsForSequence(q), headsForSequence(k), headsForSequence(v), documents, saved));
    std::vector<BlockResult> halves(2);
    at::Tensor kv = joinKv(k, v);
    if (m_kind == CpKind::AllGather) {
        at::Tensor all = at::empty({kv.size(0) * m_cp->size(), kv.size(1), kv.size(2), kv.size(3)}, kv.options());
        m_cp->allGather(all, kv)->wait();
        attend(blocksOfAll(isMasked(documents)), q, m_cut.inSequenceOrder(all), documents, halves);
    } else {
        const int n = m_cp->size();
        for (int step = 0; step < n; ++step) {
            std::optional<Passing> keys;
            if (step + 1 < n) keys = sendToNext(kv, kKeysTag);
            attend(blocksOfRank((m_cp->rank() + n - step) % n), q, kv, documents, halves);
            if (keys) kv = keys->wait();
        }
    }
    const at::Tensor out = at::cat({halves[0].out, halves[1].out}).to(q.scalar_type());
    saved = {q, k, v, out, at::cat({halves[0].logSumExp, halves[1].logSumExp}, 2)};
    return out;
}

at::Tensor ContextAttention::recompute(const Documents& documents, AttentionSaved& saved) const {
    const AttentionSaved inputs = saved;
    if (m_cp != nullptr && m_cp->size() > 1 && m_kind == CpKind::Ulysses)  // its heads are already here
        return sequenceForHeads(localAttention(inputs.q, inputs.k, inputs.v, documents, saved));
    return forward(inputs.q, inputs.k, inputs.v, documents, saved);
}

AttentionGrads ContextAttention::backward(const at::Tensor& dOut, const Documents& documents,
                                          const AttentionSaved& saved) const {
    if (m_cp == nullptr || m_cp->size() == 1) return localAttentionGrad(dOut, documents, saved);
    if (m_kind == CpKind::Ulysses) {
        const AttentionGrads grads = localAttentionGrad(headsForSequence(dOut), documents, saved);
        return {sequenceForHeads(grads.q), sequenceForHeads(grads.k), sequenceForHeads(grads.v)};
    }
    const int n = m_cp->size();
    const at::TensorOptions sumOptions = saved.q.options().dtype(sumType(saved.q));
    at::Tensor dq = at::zeros(saved.q.sizes(), sumOptions);
    at::Tensor kv = joinKv(saved.k, saved.v);
    at::Tensor dkv = at::zeros(kv.sizes(), sumOptions);
    if (m_kind == CpKind::AllGather) {
        at::Tensor all = at::empty({kv.size(0) * n, kv.size(1), kv.size(2), kv.size(3)}, kv.options());
        m_cp->allGather(all, kv)->wait();
        at::Tensor dAll = at::zeros(all.sizes(), sumOptions);
        attendGrad(blocksOfAll(isMasked(documents)), dOut, saved, m_cut.inSequenceOrder(all), documents, dq, dAll);
        m_cp->reduceScatter(dkv, m_cut.inRankOrder(dAll).contiguous())->wait();
    } else {
        std::optional<Passing> sums;  // for the current block, from the ranks that had its keys before
        for (int step = 0; step < n; ++step) {
            std::optional<Passing> keys;
            if (step + 1 < n) keys = sendToNext(kv, kKeysTag);
            if (step > 0) dkv = at::zeros(kv.sizes(), sumOptions);
            attendGrad(blocksOfRank((m_cp->rank() + n - step) % n), dOut, saved, kv, documents, dq, dkv);
            if (sums) {
                const at::Tensor before = sums->wait();
                if (m_bug != Bug::RingSumsNotAdded) dkv.add_(before);
            }
            sums = sendToNext(dkv, kGradsTag);  // one hop behind their keys, and home after the last step
            if (keys) kv = keys->wait();
        }
        const at::Tensor home = sums->wait();
        if (m_bug != Bug::RingGradNotSentHome) dkv = home;
    }
    const at::ScalarType type = saved.q.scalar_type();
    return {dq.to(type), keysOf(dkv).to(type), valuesOf(dkv).to(type)};
}

}  // namespace slipway::trainer
