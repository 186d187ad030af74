// Reading the store from pool threads: each thread has its own read-only connection.
//   m_job.start([home](std::stop_token) { return readStore(home, [](RunStore& s) { return s.list({}); }); }, ...);
#pragma once

#include "core/spec/run_dir.h"
#include "core/store/run_store.h"

#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace slipway::gui {

/// This thread's connection to the home's index; opened when there is none, or for a different home.
Result<RunStore*> threadStore(const Home& home);
/// For tests, which close a home before they remove it: closes this thread's connection.
void closeThreadStore();

template <class Read>
auto readStore(const Home& home, Read read) -> std::invoke_result_t<Read, RunStore&> {
    auto store = threadStore(home);
    if (!store) return fail(store.error());
    return read(**store);
}

/// A connection shared by the jobs of one page, on any thread: it caches data read by lists.
class SharedStore {
public:
    template <class Read>
    auto read(const Home& home, Read read) -> std::invoke_result_t<Read, RunStore&> {
        const std::lock_guard lock(m_mutex);
        if (auto opened = open(home); !opened) return fail(opened.error());
        return read(*m_store);
    }

private:
    Result<void> open(const Home& home);

    std::mutex m_mutex;
    std::optional<RunStore> m_store;
};

}  // namespace slipway::gui
