#include "core/store/index_state.h"

#include "core/store/store_impl.h"

namespace slipway::store {

IndexState readIndexState(Database& db) {
    Query query = db.query("SELECT epoch, complete, runs_stamp, sweeps_stamp FROM index_state");
    if (!query.next()) return {};
    return {query.integer(0), query.integer(1) != 0, query.integer(2), query.integer(3)};
}

void writeIndexState(Database& db, const IndexState& state) {
    db.query("UPDATE index_state SET epoch = ?, complete = ?, runs_stamp = ?, sweeps_stamp = ?")
        .bind(1, state.epoch)
        .bind(2, std::int64_t{state.complete})
        .bind(3, state.runsStamp)
        .bind(4, state.sweepsStamp)
        .run();
}

void noteListChange(Database& db) {
    db.query("UPDATE index_state SET list_version = list_version + 1").run();
}

}  // namespace slipway::store
