// WeightUnit: weights that are gathered, and whose gradients are reduced, together under ZeRO-2 and ZeRO-3: one block,
// a table, a norm, the positions. The model marks when it uses them; the optimizer owns them and decides what
// is where.
//   unit.need(); next.fetch(); y = block.forward(x); unit.release(false);
// Without a keeper (ZeRO-0 and ZeRO-1) every call is one comparison.
#pragma once

#include "trainer/parallel/parameter.h"

#include <cstddef>
#include <vector>

namespace slipway::trainer {

struct WeightUnit {
    /// Implemented by trainer/optim/unit_shards. `unit` is the index that the keeper gave.
    class Keeper {
    public:
        virtual ~Keeper() = default;
        /// Starts to gather the weights; nothing if they are whole or on their way.
        virtual void fetch(std::size_t unit) = 0;
        /// After it the weights are whole.
        virtual void need(std::size_t unit) = 0;
        /// The pass is done with the weights. @param lastUse no other pass of this micro-batch needs them
        virtual void release(std::size_t unit, bool lastUse) = 0;
        /// Before the first contribution of a micro-batch: mainGrad of every weight is there, zeroed.
        virtual void openGradients(std::size_t unit) = 0;
        /// After the last: the sum over replicas goes to the owner's shard, mainGrad is gone.
        virtual void closeGradients(std::size_t unit) = 0;
    };

    std::vector<Parameter*> parameters;
    Keeper* keeper = nullptr;
    std::size_t index = 0;
    const WeightUnit* experts = nullptr;  ///< those of the block: other ranks shard them, and they are used with it

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
