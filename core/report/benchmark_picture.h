// The layouts of a published benchmark as dots: memory across, speed up.
//   if (auto picture = benchmarkPicture(cell, Language::English)) new DrawingView(std::move(*picture), parent);
#pragma once

#include "core/playbook/references.h"
#include "core/report/report.h"

namespace slipway {

/// Empty where no layout of the cell ran.
std::optional<PictureFigure> benchmarkPicture(const BenchmarkCell& cell, Language language);

}  // namespace slipway
