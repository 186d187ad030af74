#include "trainer/loop/executors.h"

#include <stdexcept>
#include <utility>

namespace slipway::trainer {

Executors::Executors(Model& model, const ProcessMesh& mesh, const ParallelLayout& layout, GraphMaker graphs)
    : m_model(model), m_mesh(mesh), m_layout(layout), m_graphs(std::move(graphs)) {}

PipelineExecutor& Executors::of(std::int64_t numMicroBatches) {
    std::unique_ptr<PipelineExecutor>& executor = m_executors[numMicroBatches];
    if (!executor) {
        Result<PipelineSchedule> schedule =
            makeSchedule(m_layout.schedule, m_layout.pp, numMicroBatches, m_layout.virtualStages);
        if (!schedule) throw std::logic_error(schedule.error().message);
        executor = std::make_unique<PipelineExecutor>(m_model, m_mesh, std::move(*schedule), m_graphs);
    }
    return *executor;
}

std::int64_t Executors::allowed(std::int64_t least, std::int64_t most) const {
    for (std::int64_t number = least; number < most; ++number)
        if (makeSchedule(m_layout.schedule, m_layout.pp, number, m_layout.virtualStages)) return number;
    return most;
}

}  // namespace slipway::trainer
