#include "app/gui/engine/store_access.h"

#include "app/gui/engine/list_store.h"

#include <filesystem>
#include <utility>

namespace slipway::gui {
namespace {

struct Connection {
    std::filesystem::path index;
    std::optional<RunStore> store;
};

Connection& connection() {
    thread_local Connection mine;
    return mine;
}

}  // namespace

Result<RunStore*> threadStore(const Home& home) {
    Connection& mine = connection();
    if (!mine.store || mine.index != home.index()) {
        mine.store.reset();
        auto opened = RunStore::open(home, OpenMode::ReadOnly);
        if (!opened) return fail(opened.error());
        mine.store.emplace(std::move(*opened));
        mine.index = home.index();
    }
    return &*mine.store;
}

Result<void> SharedStore::open(const Home& home) {
    if (m_store && m_store->home().index() == home.index()) return {};
    auto opened = RunStore::open(home, OpenMode::ReadOnly);
    if (!opened) return fail(opened.error());
    m_store = std::move(*opened);
    return {};
}

SharedStore& listStore() {
    static SharedStore shared;
    return shared;
}

void closeThreadStore() {
    connection().store.reset();
}

}  // namespace slipway::gui
