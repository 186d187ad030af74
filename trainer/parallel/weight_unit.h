// WeightUnit: weights gathered together, with gradients reduced together, under ZeRO-2 and ZeRO-3: one block,
// a table, a norm, the positions. The model marks their use; the optimizer owns them and decides their
// placement.
//   unit.need(); next.fetch(); y = block.forward(x); unit.release(false);
// Without a keeper (ZeRO-0 and ZeRO-1) every call is one comparison.
#pragma once

#include "trainer/parallel/parameter.h"

#include <cstddef>
#include <vector>

namespace slipway::trainer {

struct WeightUnit {
    /// Implemented by trainer/optim/unit_shards. `unit` is the index assigned by the keeper.
    class Keeper {
    public:
        virtual ~Keeper() = default;
        /// Starts to gather the weights; a no-op if they are complete or on the way.
        virtual void fetch(std::size_t unit) = 0;
        /// Completes the gathering of the weights.
        virtual void need(std::size_t unit) = 0;
        /// The pass is done with the weights. @param lastUse no other pass of this micro-batch needs them
        virtual void release(std::size_t unit, bool lastUse) = 0;
        /// Before the first contribution of a micro-batch: provides mainGrad of every weight, zeroed.
        virtual void openGradients(std::size_t unit) = 0;
        /// After the last: the sum over replicas goes to the owner's shard, mainGrad is freed.
        virtual void closeGradients(std::size_t unit) = 0;
    };

    std::vector<Parameter*> parameters;
    Keeper* keeper = nullptr;
    std::size_t index = 0;
    const WeightUnit* experts = nullptr;  ///< experts of the block: sharded by different ranks, used together with it

    void fetch() const {
        if (keeper != nullptr) keeper->fetch(index);
        if (experts != nullptr) experts->fetch();
    }
    void need() const {
        if (keeper != nullptr) keeper->need(index);
        if (experts != nullptr) experts->need();
    }
    void release(bool lastUse) const {
        if (keeper != nullptr) keeper->release(index, lastUse);
        if (experts != nullptr) experts->release(lastUse);
    }
    void openGradients() const {
        if (keeper != nullptr) keeper->openGradients(index);
        if (experts != nullptr) experts->openGradients();
    }
    void closeGradients() const {
        if (keeper != nullptr) keeper->closeGradients(index);
        if (experts != nullptr) experts->closeGradients();
    }
};

}  // namespace slipway::trainer
