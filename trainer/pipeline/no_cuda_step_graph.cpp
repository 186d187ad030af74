#include "trainer/pipeline/step_graph.h"

namespace slipway::trainer {

GraphMaker cudaGraphMaker() {
    return {};
}

}  // namespace slipway::trainer
