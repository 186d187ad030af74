// The picture of a chapter's idea, drawn from a plan: shards, ring, matrices, schedule, treemap, roofline, loss gallery, ... The window,
// HTML, PDF and Markdown show the same drawing.
//   if (auto picture = chapterPicture("data_parallel", plan, Language::English)) toSvg(picture->drawing);
#pragma once

#include "core/planner/plan.h"
#include "core/report/report.h"

namespace slipway {

/// @param chapter id of a shipped chapter. Empty for others, and where the plan lacks the drawn data: a plan with
/// errors has no memory and no times.
std::optional<PictureFigure> chapterPicture(const std::string& chapter, const Plan& plan, Language language);

}  // namespace slipway
