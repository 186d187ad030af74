// A default run for a model alone, as it would be trained on a device.
#pragma once

#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

namespace slipway {

/// On GPUs and TPUs: bf16 (fp16 on a GPU without it), the model's own sequence length, batches of about 4 Mi tokens (as Llama 2 and 3
/// and OLMo 2 were trained with) and 20 tokens per parameter (Hoffmann 2022, arXiv 2203.15556, table 3). On a CPU the defaults with the
/// model's own sequence length.
RunConfig defaultRun(const ModelSpec& model, const DeviceSpec& device);

/// The model's training length before its positions were extended.
std::int64_t ownSeqLen(const ModelSpec& model);

}  // namespace slipway
