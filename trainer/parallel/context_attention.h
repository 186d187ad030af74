// ContextAttention: causal attention over sequences sharded along cp (SequenceCut), exact in three ways.
//   Shards: queries, keys and values along S over cp, on top of their heads over tp.
//   Ring (arXiv 2310.01889): keys and values circulate in one message of their own format, cp - 1 messages. In backward
//   they circulate again, followed one hop later by the sums of their gradients, 2 cp - 1 messages. Each overlaps a
//   block's attention, except the last, which returns the sums to their rank.
//   All-gather (Llama 3): one all-gather of keys and values in forward; in backward the same and a reduce-scatter of
//   their gradients.
//   Ulysses (arXiv 2309.14509): all-to-alls exchange sequence parts for heads, 3 before attention and 1 after it, in
//   reverse in backward. Heads over tp and key-value heads over tp must be multiples of cp.
// Documents packed into one sequence, and a sliding window, are masks over positions of the full sequence.
#pragma once

#include "trainer/kernels/attention.h"
#include "trainer/parallel/sequence_cut.h"
#include "trainer/parallel/shard_context.h"

#include <cstdint>
#include <optional>

namespace slipway::trainer {

class ContextAttention {
public:
    /// @param length S of the full sequence
    ContextAttention(const ShardContext& context, std::int64_t length, std::optional<std::int64_t> window);

    /// q [s, B, h, D], k and v [s, B, k, D] of this rank's positions -> [s, B, h, D]. `saved` holds the tensors of the
    /// backward pass (with Ulysses of this rank's heads). documents: of the full sequences; undefined without packing.
    [[nodiscard]] at::Tensor forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                     const Documents& documents, AttentionSaved& saved) const;
    /// Recomputes the forward pass from the queries, keys and values in `saved`, after its output and statistics were
    /// dropped.
    [[nodiscard]] at::Tensor recompute(const Documents& documents, AttentionSaved& saved) const;
    [[nodiscard]] AttentionGrads backward(const at::Tensor& dOut, const Documents& documents,
                                          const AttentionSaved& saved) const;

private:
    /// One pair of a chunk of queries and a range of keys, both as ranges of the local and the given key tensor.
    struct Block {
        std::int64_t queryBegin = 0, queryLength = 0;
        std::int64_t keyBegin = 0, keyLength = 0;
        std::int64_t queryPosition = 0, keyPosition = 0;  ///< of the first of each in the full sequence
    };
    [[nodiscard]] bool isMasked(const Documents& documents) const { return m_window || documents.defined(); }
    /// Blocks of this rank's queries over the keys of one rank, or over all keys in sequence order.
    [[nodiscard]] std::vector<Block> blocksOfRank(std::int64_t owner) const;
    [[nodiscard]] std::vector<Block> blocksOfAll(bool masked) const;

    void attend(const std::vector<Block>& blocks, const at::Tensor& q, const at::Tensor& kv, const Documents& documents,
                std::vector<BlockResult>& results) const;
    void attendGrad(const std::vector<Block>& blocks, const at::Tensor& dOut, const AttentionSaved& saved,
                    const at::Tensor& kv, const Documents& documents, at::Tensor& dq, at::Tensor& dkv) const;
    /// Attention over the full sequence on this rank.
    [[nodiscard]] at::Tensor localAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                            const Documents& documents, AttentionSaved& saved) const;
    [[nodiscard]] AttentionGrads localAttentionGrad(const at::Tensor& dOut, const Documents& documents,
                                                    const AttentionSaved& saved) const;
    [[nodiscard]] at::Tensor headsForSequence(const at::Tensor& x) const;
    [[nodiscard]] at::Tensor sequenceForHeads(const at::Tensor& x) const;
    /// A message to the next rank of the ring in progress, and the concurrent one from the previous rank.
    struct Passing {
        at::Tensor arrived;
        CommWork sent, arriving;
        [[nodiscard]] at::Tensor wait() const;
    };
    [[nodiscard]] Passing sendToNext(const at::Tensor& x, int tag) const;

    ProcessGroup* m_cp;
    CpKind m_kind;
    Bug m_bug;
    SequenceCut m_cut;
    std::optional<std::int64_t> m_window;
};

}  // namespace slipway::trainer
