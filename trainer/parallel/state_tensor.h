// StateTensor: one tensor a checkpoint holds, with its place in the model. The optimizer lists them, checkpoints write
// and fill them.
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
