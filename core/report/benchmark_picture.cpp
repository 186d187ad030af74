#include "core/report/benchmark_picture.h"

#include "core/base/units.h"
#include "core/report/pictures.h"

#include <algorithm>

namespace slipway {

std::optional<PictureFigure> benchmarkPicture(const BenchmarkCell& cell, Language language) {
    double fastest = 0, fullest = 0;
    for (const PublishedRun& run : cell.runs) {
        fastest = std::max(fastest, run.tokensPerSecondPerGpu.value_or(0));
        fullest = std::max(fullest, run.memoryGb);
    }
    if (!(fastest > 0) || !(fullest > 0)) return {};
    constexpr double kLeft = 64, kTop = 20, kHeight = 170, kBottom = kTop + kHeight, kDot = 3.5;
    constexpr double kRight = pictures::kWidth - 16;
    Drawing drawing(pictures::kWidth, kBottom + 40,
                    textOf("%1 on %2 x 8 GPUs: %3 layouts by memory and speed, the fastest in colour; %4 failed."_text(
                               cell.model, cell.nodes, cell.ran, cell.runs.size() - cell.ran),
                           language));
    const auto x = [&](double gigabytes) { return kLeft + (kRight - kLeft) * gigabytes / (fullest * 1.05); };
    const auto y = [&](double speed) { return kBottom - kHeight * speed / (fastest * 1.05); };
    drawing.text(0, 12, textOf("tokens/s per GPU"_text, language), "tick");
    drawing.line(kLeft, kBottom, kRight, kBottom, "axis");
    for (const double speed : roundTicks(0, fastest)) {
        drawing.line(kLeft, y(speed), kRight, y(speed), "grid");
        drawing.text(kLeft - 6, y(speed) + 4, formatShort(speed, language), "tick", "end");
    }
    for (const double gigabytes : roundTicks(0, fullest))
        drawing.text(x(gigabytes), kBottom + 15, formatSignificant(gigabytes, 3), "tick", "middle");
    drawing.text((kLeft + kRight) / 2, kBottom + 34, textOf("memory, GB"_text, language), "tick", "middle");
    const PublishedRun* best = nullptr;
    for (const PublishedRun& run : cell.runs) {
        if (!run.tokensPerSecondPerGpu) continue;
        if (best == nullptr || *run.tokensPerSecondPerGpu > *best->tokensPerSecondPerGpu) best = &run;
        pictures::disc(drawing, {x(run.memoryGb), y(*run.tokensPerSecondPerGpu)}, kDot, "c0");
    }
    pictures::disc(drawing, {x(best->memoryGb), y(*best->tokensPerSecondPerGpu)}, kDot + 2, "c1");
    const std::string speed = formatCount(*best->tokensPerSecondPerGpu);
    return pictures::picture(std::move(drawing), "Layouts by memory and speed"_text,
                             {{textOf("Fastest layout"_text, language), layoutText(best->layout)},
                              {textOf("tokens/s per GPU"_text, language), speed},
                              {textOf("memory, GB"_text, language), formatSignificant(best->memoryGb, 4)},
                              {textOf("Failed"_text, language), std::to_string(cell.runs.size() - cell.ran)}},
                             language);
}

}  // namespace slipway
