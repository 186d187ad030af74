#include "app/gui/values/search_question.h"

#include "core/base/json.h"
#include "core/planner/search/layout_axes.h"
#include "core/planner/search/search_request.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace slipway::gui {
namespace {

constexpr std::size_t kListed = 40;  // distinct ones; the rest is listed under them
constexpr std::int64_t kMostDevices = 1000000;

Result<std::vector<std::int64_t>> devicesOf(const std::string& text) {
    std::vector<std::int64_t> devices;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        std::size_t begin = from;
        while (begin < comma && text[begin] == ' ') ++begin;
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data() + begin, text.data() + comma, value);
        if (error != std::errc{} || end != text.data() + comma || value < 1 || value > kMostDevices)
            return fail("bad_devices",
                        "Numbers of devices must be whole numbers from 1 to 1000000, such as 256,512."_text, "devices");
        devices.push_back(value);
        from = comma + 1;
    }
    return devices;
}

}  // namespace

std::int64_t defaultDevices(const PlanDocument& document) {
    return document.cluster.device.kind == DeviceKind::Cpu ? document.config.parallel.worldSize()
                                                           : document.cluster.numDevices();
}

std::string axisText(const PlanDocument& document, SearchAxis axis) {
    const std::int64_t value = axisValue(document.config, axis);
    return value < 0 ? std::string() : slipway::axisText(axis, value);
}

std::string whyTextOf(const FoundLayout& layout) {
    PlanDocument document;
    document.config = layout.applied(document.config);
    const std::vector<std::int64_t>& layers = layout.parallel.layersPerStage;
    if (!layers.empty())
        document.config.model.numLayers = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
    std::string text;
    for (const auto& axis : enumNames(SearchAxis{})) {
        // Pipeline options have no effect without a pipeline.
        const bool pipeline = axis.value == SearchAxis::Schedule || axis.value == SearchAxis::VirtualStages ||
                              axis.value == SearchAxis::LayerSplit;
        if ((pipeline && layout.parallel.pp == 1) || axisText(document, axis.value).empty()) continue;
        text += (text.empty() ? "" : ",") + std::string(axis.word) + "=" + axisText(document, axis.value);
    }
    return text;
}

Result<LayoutRequest> requestOf(const PlanDocument& document, const SearchQuestion& question) {
    LayoutRequest request{document.config, forecastCluster(document)};
    auto devices = devicesOf(question.devices);
    if (!devices) return fail(devices.error());
    request.devices = devices->empty() ? std::vector{defaultDevices(document)} : std::move(*devices);
    for (const auto& axis : enumNames(SearchAxis{})) {
        const std::string& text = question.axes[static_cast<std::size_t>(axis.value)];
        if (text.empty()) continue;
        const bool compares = text.front() == '<' || text.front() == '>';
        if (auto set = request.limits.set(std::string(axis.word) + (compares ? "" : "=") + text); !set) {
            Error error = set.error();
            error.where = std::string(axis.word);
            return fail(error);
        }
    }
    request.objective = question.objective;
    request.limit = kListed;
    request.onlyRunnable = question.onlyRunnable;
    request.tpAcrossNodes = question.tpAcrossNodes;
    request.distinct = !question.variants;
    growCluster(request);
    if (question.memoryBytes) limitMemory(request, *question.memoryBytes);
    return request;
}

bool asksTheSame(const PlanDocument& a, const PlanDocument& b) {
    const auto plain = [](const PlanDocument& document) {
        RunConfig config = document.config;
        config.name.clear();
        config.parallel = {};
        config.train.microBatchSize = 1;
        config.train.recompute.policy = RecomputePolicy::None;
        return toJson(config);
    };
    return plain(a) == plain(b) && toJson(a.cluster) == toJson(b.cluster) && defaultDevices(a) == defaultDevices(b);
}

}  // namespace slipway::gui
