// StateTensor: one tensor of a checkpoint, with its place in the model. Listed by the optimizer, written and filled by
// checkpoints.
#pragma once

#include "core/spec/param_shard.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace slipway::trainer {

struct StateTensor {
    std::string name;   ///< Hugging Face name; moments append ".exp_avg" and ".exp_avg_sq"
    ParamShard shard;   ///< with the flat range under ZeRO
    at::Tensor tensor;  ///< local shape, or the flat range; a view: filling it fills the optimizer
};

}  // namespace slipway::trainer
