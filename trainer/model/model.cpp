#include "trainer/model/model.h"

#include <ATen/ops/zeros.h>

namespace slipway::trainer {

at::ScalarType computeType(Precision precision) {
    switch (precision) {
        case Precision::Fp64: return at::kDouble;
        case Precision::Bf16: return at::kBFloat16;
        default: return at::kFloat;
    }
}

Model::Model(const RunConfig& config, const ProcessMesh& mesh, at::Device device, Bug bug)
    : m_dtype(computeType(config.train.precision)), m_device(device), m_bug(bug) {
    const ShardContext context{mesh.tp.get(),
                               config.parallel.sequenceParallel,
                               m_dtype,
                               device,
                               static_cast<std::uint64_t>(config.train.seed),
                               bug};
    const std::int64_t chunks = config.parallel.pp > 1 ? config.parallel.virtualStages : 1;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        m_chunks.push_back(std::make_unique<StageModel>(context, config, chunk * config.parallel.pp + mesh.at.pp,
                                                        chunks * config.parallel.pp));
        const auto& parameters = m_chunks.back()->parameters();
        m_parameters.insert(m_parameters.end(), parameters.begin(), parameters.end());
    }
}

void allocateMainGrads(const std::vector<Parameter*>& parameters, at::ScalarType type) {
    for (Parameter* parameter : parameters)
        parameter->mainGrad = at::zeros(parameter->weight.sizes(), parameter->weight.options().dtype(type));
}

}  // namespace slipway::trainer
