// Questions about the list of runs from any job of the window: one connection for all, as it keeps the columns it has read, and their
// memory is megabytes at 100,000 runs. Not for questions at each keystroke, which have a connection of their own and are cancelled.
//   readLists(home, [](RunStore& store) { return store.list(query); })
#pragma once

#include "app/gui/engine/store_access.h"

namespace slipway::gui {

SharedStore& listStore();

template <class Read>
auto readLists(const Home& home, Read read) -> std::invoke_result_t<Read, RunStore&> {
    return listStore().read(home, std::move(read));
}

}  // namespace slipway::gui
