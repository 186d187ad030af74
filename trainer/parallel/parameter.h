// Parameter: one local weight with its main gradient and its place in the global model.
#pragma once

#include "core/spec/param_shard.h"

#include <ATen/core/Tensor.h>

#include <functional>

namespace slipway::trainer {

struct WeightUnit;

/// Weight gradients are accumulated directly into mainGrad by the blocks' backwardWeight; there is no other copy.
struct Parameter {
    ParamShard shard;  ///< name, global shape, slices, replicated axes
    at::Tensor
        weight;  ///< local tensor in the compute dtype (bf16 runs: a rounded copy of the master, which optim holds)
    at::Tensor mainGrad;  ///< same shape, main-gradient dtype (fp32, fp64 or bf16); a view into optim's flat buffer
    bool decay = true;    ///< weight decay applies (matrices yes; norms, biases no)
    /// The gradient of this tensor is only a part of the sum over the TP group and must be summed there before the DP
    /// reduction: replicated weights (norms, row-parallel biases) under sequence parallelism.
    bool sumOverTp = false;
    /// Number of neighbouring tp ranks with this same slice, each with a part of its gradient (fewer key-value heads
    /// than ranks).
    std::int64_t tpCopies = 1;
    /// A weight of an expert: replicas, and the reduction of its gradient, are along edp instead of dp x cp.
    bool isExpert = false;
    /// Above 0: not trained by a gradient. mainGrad counts the tokens of the step for each expert, and the optimizer
    /// adds balanceRate * sign(balanceTarget - count) to the weight (Wang et al. 2024, arXiv 2408.15664, algorithm
    /// 1).
    double balanceRate = 0, balanceTarget = 0;
    std::int64_t balanceChoices = 0;  ///< total experts chosen by the tokens of one sequence
    /// Sets balanceTarget for a step of this many sequences: an equal number of tokens for every expert.
    void expectSequences(std::int64_t numSequences) {
        balanceTarget = static_cast<double>(balanceChoices * numSequences) / static_cast<double>(shard.globalShape[0]);
    }
    /// Present on two ranks of the pipeline (a tied embedding on the first and the last stage; with DualPipe every
    /// weight): its gradient is summed over the `tied` group.
    bool tiedAcrossStages = false;
    /// Called by the block right after the last micro-batch's contribution was added (overlapped reduction). Set by
    /// optim.
    std::function<void()> onGradReady;
    bool isTable = false;        ///< embedding, positions or head: not a matrix between hidden layers (Muon)
    WeightUnit* unit = nullptr;  ///< unit of gathering under ZeRO-2 and ZeRO-3; set by the model
};

}  // namespace slipway::trainer
