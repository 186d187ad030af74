#include "core/run/tensorboard_export.h"

#include "core/base/file.h"
#include "core/interop/tf_events.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace slipway {
namespace {

constexpr const char* kTime = "time_unix_ms";

/// The steps of all series, ascending.
std::vector<std::int64_t> stepsOf(const std::vector<MetricSeries>& series) {
    std::vector<std::int64_t> steps;
    for (const MetricSeries& one : series) steps.insert(steps.end(), one.steps.begin(), one.steps.end());
    std::ranges::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

}  // namespace

Result<TensorBoardFile> writeTensorBoard(RunStore& store, const RunId& id, const std::filesystem::path& folder) {
    const auto all = store.allSeries(id);
    if (!all) return fail(all.error());
    std::vector<MetricSeries> series;
    MetricSeries time;
    for (const MetricSeries& one : *all) (one.name == kTime ? time : series.emplace_back()) = one;
    const std::vector<std::int64_t> steps = stepsOf(series);
    if (steps.empty()) return fail("no_points", "The run has no recorded metrics."_text, id.value);
    std::vector<double> seconds = valuesAt(time, steps);
    for (double& one : seconds) one = std::isfinite(one) ? one / 1000 : 0;  // 0: TensorBoard shows no time
    TensorBoardFile file;
    file.path = folder / id.value /
                ("events.out.tfevents." + std::to_string(static_cast<std::int64_t>(seconds.front())) + ".slipway");
    std::string text = interop::tfRecord(interop::versionEvent(seconds.front()));
    std::vector<std::size_t> at(series.size());
    for (std::size_t s = 0; s < steps.size(); ++s)
        for (std::size_t i = 0; i < series.size(); ++i) {
            if (at[i] >= series[i].size() || series[i].steps[at[i]] != steps[s]) continue;
            text += interop::tfRecord(
                interop::scalarEvent({seconds[s], steps[s], series[i].name, series[i].values[at[i]++]}));
            ++file.numScalars;
        }
    if (auto made = makeFolders(file.path.parent_path()); !made) return fail(made.error());
    if (auto written = writeFileAtomically(file.path, text); !written) return fail(written.error());
    return file;
}

}  // namespace slipway
