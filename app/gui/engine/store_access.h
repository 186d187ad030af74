// Reading the store from pool threads: each thread keeps its own read-only connection.
//   m_job.start([home](std::stop_token) { return readStore(home, [](RunStore& s) { return s.list({}); }); }, ...);
#pragma once

#include "core/spec/run_dir.h"
#include "core/store/run_store.h"

#include <type_traits>
#include <utility>

namespace slipway::gui {

/// This thread's connection to the home's index; opened when there is none, or it is of another home.
Result<RunStore*> threadStore(const Home& home);
/// For tests, which end a home before they remove it: closes this thread's connection.
void closeThreadStore();

template <class Read>
auto readStore(const Home& home, Read read) -> std::invoke_result_t<Read, RunStore&> {
    auto store = threadStore(home);
    if (!store) return fail(store.error());
    return read(**store);
}

}  // namespace slipway::gui
