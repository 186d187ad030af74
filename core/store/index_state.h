// The row of index_state: the rebuild the index belongs to, whether it is complete, and the last check of the folders.
// Private to this room.
#pragma once

#include "core/store/database.h"

#include <cstdint>

namespace slipway::store {

struct IndexState {
    std::int64_t epoch = 0;
    bool complete = false;
    std::int64_t runsStamp = 0;    ///< fileStamp of runs/ when all its folders were known
    std::int64_t sweepsStamp = 0;  ///< of sweeps/
};
IndexState readIndexState(Database& db);
void writeIndexState(Database& db, const IndexState& state);

}  // namespace slipway::store
