// A store in a temporary home, and runs for it.
#pragma once

#include "core/base/json.h"
#include "core/store/ingest.h"
#include "core/store/run_store.h"
#include "tests/support/temp_dir.h"

#include <QString>
#include <filesystem>
#include <fstream>
#include <string>

namespace slipway::test {

inline RunConfig aConfig(const std::string& name, std::int64_t dp = 2, std::int64_t tp = 1) {
    RunConfig config;
    config.name = name;
    config.parallel.dp = dp;
    config.parallel.tp = tp;
    config.train.globalBatchSize = 16;
    config.data.tokens = "quickstart.tok";
    return config;
}

struct StoreFixture {
    TempDir dir;
    Home home{dir.path() / "home"};
    RunStore store = open();

    RunStore open(OpenMode mode = OpenMode::ReadWrite) {
        auto opened = RunStore::open(home, mode);
        if (!opened) qFatal("%s", opened.error().text().c_str());
        return std::move(*opened);
    }

    /// Creates a run with its config.json, as a run session does.
    RunId add(const std::string& id, const RunConfig& config, const std::string& forecastJson = {},
              std::int64_t now = 1000) {
        NewRun run;
        run.id = RunId(id);
        run.config = config;
        run.forecastJson = forecastJson;
        return add(run, now);
    }

    RunId add(const NewRun& run, std::int64_t now);

    void appendToStream(const RunId& id, const std::string& text) {
        std::ofstream(home.run(id)->metrics(), std::ios::app | std::ios::binary) << text;
    }

    void ingest(const RunId& id) {
        MetricReader reader;
        const auto result = ingestStream(store, reader, id);
        if (!result) qFatal("%s", result.error().text().c_str());
    }
};

inline std::string stepLine(std::int64_t step, double loss) {
    return toLine(MetricStep{step, step * 1000, 1000000 + step * 10, {{"loss", loss}, {"step_seconds", 0.5}}});
}

inline std::string evalLine(std::int64_t step, double loss, double heldOut) {
    return toLine(MetricStep{step, step * 1000, 1000000 + step * 10, {{"loss", loss}, {"eval_loss", heldOut}}});
}

}  // namespace slipway::test
