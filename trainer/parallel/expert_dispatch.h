// ExpertDispatch: sends each token to the ranks of its experts and brings the results back. Dropless: no capacity, no
// padding.
//   Shards: experts over ep (whole experts), their inner width over etp; tokens stay where they are.
//   Forward: one all-gather of E counts per rank, one all-to-all there and one back; every rank of etp gets the same
//   tokens and gives a part of a sum, which the token's own rank adds up. Backward: the same two all-to-alls, swapped.
#pragma once

#include "trainer/comm/process_group.h"

#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// Routing of the rows of one micro-batch. R = T K rows leave, N arrive.
struct DispatchPlan {
    at::Tensor order;                              // [R] int64: rows by expert -> place in [T K]
    at::Tensor byExpert;                           // [N] int64: rows sorted by local expert -> in order of arrival
    std::vector<std::int64_t> sendRows, recvRows;  ///< per rank of the group
    std::vector<std::int64_t> rowsOfExpert;        ///< per expert of this rank

    template <class F>
    void each(F&& f) {
        f(order), f(byExpert);
    }
};

class ExpertDispatch {
public:
    /// @param group etp x ep ranks, etp fastest; null when all experts are local
    ExpertDispatch(ProcessGroup* group, std::int64_t etp, std::int64_t numExperts);

    [[nodiscard]] std::int64_t firstExpert() const { return m_first; }
    [[nodiscard]] std::int64_t numLocalExperts() const { return m_perRank; }
    /// Position and number of ranks along etp.
    [[nodiscard]] std::int64_t etpRank() const { return m_etpRank; }
    [[nodiscard]] std::int64_t etpSize() const { return m_etp; }

    /// chosen [T, K] int64. A collective over the group; the host waits for the counts.
    [[nodiscard]] DispatchPlan plan(const at::Tensor& chosen) const;
    /// rows [R, H] by expert -> [N, H] sorted by this rank's experts.
    [[nodiscard]] at::Tensor toExperts(const at::Tensor& rows, const DispatchPlan& plan) const;
    /// The way back: [N, H] -> [R, H] by expert, summed over etp.
    [[nodiscard]] at::Tensor fromExperts(const at::Tensor& rows, const DispatchPlan& plan) const;

private:
    ProcessGroup* m_group;
    std::int64_t m_numExperts, m_etp, m_size = 1, m_rank = 0;
    std::int64_t m_perRank = 0, m_first = 0, m_etpRank = 0;
};

}  // namespace slipway::trainer
