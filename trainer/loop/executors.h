// One pipeline executor per number of micro-batches: a batch ramp, an evaluation and a noise measurement take fewer
// than a full batch.
#pragma once

#include "trainer/pipeline/executor.h"

#include <cstdint>
#include <map>
#include <memory>

namespace slipway::trainer {

class Executors {
public:
    /// Model and mesh must outlive it. @param graphs as in PipelineExecutor
    Executors(Model& model, const ProcessMesh& mesh, const ParallelLayout& layout, GraphMaker graphs = {});

    /// The schedule must allow this number (ensured by validate() for batches, by allowed() for the rest).
    [[nodiscard]] PipelineExecutor& of(std::int64_t numMicroBatches);
    /// The smallest number from `least` allowed by the schedule; `most`, which must be allowed, if there is none
    /// below.
    [[nodiscard]] std::int64_t allowed(std::int64_t least, std::int64_t most) const;

private:
    Model& m_model;
    const ProcessMesh& m_mesh;
    const ParallelLayout& m_layout;
    GraphMaker m_graphs;
    std::map<std::int64_t, std::unique_ptr<PipelineExecutor>> m_executors;
};

}  // namespace slipway::trainer
