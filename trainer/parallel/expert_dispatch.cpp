#include "trainer/parallel/expert_dispatch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <numeric>

namespace slipway::trainer {
namespace {

std::int64_t total(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

}  // namespace

ExpertDispatch::ExpertDispatch(ProcessGroup* group, std::int64_t etp, std::int64_t numExperts)
    : m_group(group), m_numExperts(numExperts), m_etp(etp) {
    if (group != nullptr) {
        m_size = group->size();
        m_rank = group->rank();
    }
    m_perRank = numExperts / (m_size / m_etp);
    m_first = m_rank / m_etp * m_perRank;
    m_etpRank = m_rank % m_etp;
}

DispatchPlan ExpertDispatch::plan(const at::Tensor& chosen) const {
    DispatchPlan plan;
    const at::Tensor flat = chosen.flatten();
    plan.order = at::argsort(flat, /*stable=*/true, -1, /*descending=*/false);
    const at::Tensor mine = at::bincount(flat, {}, m_numExperts);
    at::Tensor all = mine.unsqueeze(0);  // [ranks, E]
    if (m_size > 1) {
        all = at::empty({m_size, m_numExperts}, mine.options());
        m_group->allGather(all, mine.unsqueeze(0))->wait();
    }
    const at::Tensor host = all.cpu();
    const auto* counts = host.const_data_ptr<std::int64_t>();
    const auto count = [&](std::int64_t rank, std::int64_t expert) { return counts[rank * m_numExperts + expert]; };
    for (std::int64_t peer = 0; peer < m_size; ++peer) {
        std::int64_t send = 0, recv = 0;
        for (std::int64_t i = 0; i < m_perRank; ++i) {
            send += count(m_rank, peer / m_etp * m_perRank + i);
            recv += count(peer, m_first + i);
        }
        plan.sendRows.push_back(send);
        plan.recvRows.push_back(recv);
    }
    // Rows arrive by sender and, within a sender, by expert.
    std::vector<std::int64_t> begins;
    std::int64_t at = 0;
    for (std::int64_t peer = 0; peer < m_size; ++peer)
        for (std::int64_t i = 0; i < m_perRank; ++i) {
            begins.push_back(at);
            at += count(peer, m_first + i);
        }
    at::Tensor places = at::empty({at}, at::TensorOptions().dtype(at::kLong));
    auto* place = places.mutable_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < m_perRank; ++i) {
        std::int64_t rows = 0;
        for (std::int64_t peer = 0; peer < m_size; ++peer) {
            const std::int64_t number = count(peer, m_first + i);
            std::iota(place, place + number, begins[static_cast<std::size_t>(peer * m_perRank + i)]);
            place += number;
            rows += number;
        }
        plan.rowsOfExpert.push_back(rows);
    }
    plan.byExpert = places.to(chosen.device());
    return plan;
}

at::Tensor ExpertDispatch::toExperts(const at::Tensor& rows, const DispatchPlan& plan) const {
    if (m_size == 1) return rows;
    at::Tensor in = rows;
    if (m_etp > 1) {
        // Every rank of etp computes a part of the width and needs the same rows.
        std::vector<at::Tensor> copies;
        std::int64_t begin = 0;
        for (std::int64_t peer = 0; peer < m_size; ++peer) {
            const std::int64_t number = plan.sendRows[static_cast<std::size_t>(peer)];
            copies.push_back(rows.narrow(0, begin, number));
            if (peer % m_etp == m_etp - 1) begin += number;
        }
        in = at::cat(copies);
    }
    at::Tensor out = at::empty({total(plan.recvRows), rows.size(1)}, rows.options());
    m_group->allToAllV(out, in.contiguous(), plan.recvRows, plan.sendRows)->wait();
    return out.index_select(0, plan.byExpert);
}

at::Tensor ExpertDispatch::fromExperts(const at::Tensor& rows, const DispatchPlan& plan) const {
    if (m_size == 1) return rows;
    const at::Tensor in = at::empty_like(rows).index_copy_(0, plan.byExpert, rows);
    at::Tensor out = at::empty({total(plan.sendRows), rows.size(1)}, rows.options());
    m_group->allToAllV(out, in, plan.sendRows, plan.recvRows)->wait();
    if (m_etp == 1) return out;
    std::vector<at::Tensor> sums;
    std::int64_t begin = 0;
    for (std::int64_t peer = 0; peer < m_size; ++peer) {
        const at::Tensor part = out.narrow(0, begin, plan.sendRows[static_cast<std::size_t>(peer)]);
        if (peer % m_etp == 0)
            sums.push_back(part.clone());
        else
            sums.back().add_(part);
        begin += part.size(0);
    }
    return at::cat(sums);
}

}  // namespace slipway::trainer
