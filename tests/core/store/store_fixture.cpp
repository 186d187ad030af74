#include "tests/core/store/store_fixture.h"

#include <nlohmann/json.hpp>

namespace slipway::test {

RunId StoreFixture::add(const NewRun& run, std::int64_t now) {
    const RunDir folder = *home.run(run.id);
    std::filesystem::create_directories(folder.path);
    const auto written = writeJsonFile(folder.config(), toJson(run.config));
    const auto created = store.createRun(run, now);
    if (!written || !created) qFatal("%s", (written ? created : written).error().text().c_str());
    return run.id;
}

}  // namespace slipway::test
