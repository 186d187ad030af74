#include "core/report/chapter_picture.h"

#include "core/report/pictures.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace slipway {
namespace pictures {

PictureFigure picture(Drawing drawing, Message title, std::vector<std::pair<std::string, std::string>> numbers,
                      Language language) {
    PictureFigure out;
    out.title = textOf(title, language);
    out.caption = drawing.label();
    out.drawing = std::move(drawing);
    out.numbers.columns = {{textOf("Part"_text, language), "part", "", false, ""},
                           {textOf("Value"_text, language), "value", "", true, ""}};
    for (auto& [part, value] : numbers)
        out.numbers.rows.push_back({{std::move(part), {}, Tone::Plain}, {std::move(value), {}, Tone::Plain}});
    return out;
}

void arrow(Drawing& drawing, Drawing::Point from, Drawing::Point to, const std::string& look, const std::string& head) {
    constexpr double kHead = 7, kHalf = 3.5;
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (length <= kHead) return;
    const double ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
    const Drawing::Point neck{to.x - ux * kHead, to.y - uy * kHead};
    drawing.line(from.x, from.y, neck.x, neck.y, look);
    drawing.path({{to, {neck.x - uy * kHalf, neck.y + ux * kHalf}, {neck.x + uy * kHalf, neck.y - ux * kHalf}}}, true,
                 head);
}

void disc(Drawing& drawing, Drawing::Point middle, double radius, const std::string& look) {
    constexpr int kCorners = 32;
    std::vector<Drawing::Point> edge;
    for (int i = 0; i < kCorners; ++i) {
        const double angle = 2 * std::numbers::pi * i / kCorners;
        edge.push_back({middle.x + radius * std::cos(angle), middle.y + radius * std::sin(angle)});
    }
    drawing.path({edge}, true, look);
}

void box(Drawing& drawing, const Drawing::Rect& frame, const std::string& first, const std::string& second) {
    drawing.rect(frame.x, frame.y, frame.width, frame.height, frame.look);
    drawing.rect(frame.x, frame.y, frame.width, frame.height, "edge");
    const double middle = frame.x + frame.width / 2, room = frame.width - 8;
    const double base = frame.y + frame.height / 2 + (second.empty() ? 4 : -4);
    drawing.text(middle, base, fitted(first, room), "text", "middle");
    if (!second.empty()) drawing.text(middle, base + kLine - 2, fitted(second, room), "tick", "middle");
}

std::string onColour(int colour) {
    return colour == 1 || colour == 4 ? "ink" : "on";
}

}  // namespace pictures

std::optional<PictureFigure> chapterPicture(const std::string& chapter, const Plan& plan, Language language) {
    using Draw = std::optional<PictureFigure> (*)(const Plan&, Language);
    static constexpr std::pair<const char*, Draw> kPictures[] = {{"should_you_train", pictures::cheaperWays},
                                                                 {"how_big", pictures::parameterParts},
                                                                 {"scaling_laws", pictures::isoFlopValley},
                                                                 {"data", pictures::tokensForModel},
                                                                 {"one_device_memory", pictures::memoryTreemap},
                                                                 {"recomputation", pictures::memoryMoments},
                                                                 {"links_collectives", pictures::rankGroups},
                                                                 {"data_parallel", pictures::stateShards},
                                                                 {"tensor_parallel", pictures::splitMatrices},
                                                                 {"pipelines", pictures::pipelineSchedule},
                                                                 {"context_experts", pictures::ring},
                                                                 {"finding_layout", pictures::whenToUseWhat},
                                                                 {"kernels_precision", pictures::roofline},
                                                                 {"optimisation", pictures::rateSchedule},
                                                                 {"stability", pictures::lossGallery},
                                                                 {"checkpoints", pictures::checkpointInterval},
                                                                 {"method", pictures::methodLoop},
                                                                 {"exercises", pictures::deviceMesh}};
    const auto* found = std::find_if(std::begin(kPictures), std::end(kPictures),
                                     [&](const auto& entry) { return chapter == entry.first; });
    return found == std::end(kPictures) || plan.memory.empty() ? std::nullopt : found->second(plan, language);
}

}  // namespace slipway
