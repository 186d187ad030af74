// The drawings behind chapter_picture.h, and shared parts. Widths are those of a figure on a page.
#pragma once

#include "core/report/chapter_picture.h"
#include "core/report/drawing.h"

namespace slipway::pictures {

constexpr double kWidth = 560;
constexpr double kLine = 18;  ///< from one line of text to the next

/// A picture with its sentence, which is also its caption, and its figures.
PictureFigure picture(Drawing drawing, Message title, std::vector<std::pair<std::string, std::string>> numbers,
                      Language language);
/// An arrow from one point to another with its head at the end.
void arrow(Drawing& drawing, Drawing::Point from, Drawing::Point to, const std::string& look, const std::string& head);
/// A closed circle.
void disc(Drawing& drawing, Drawing::Point middle, double radius, const std::string& look);
/// A frame with up to two lines of text in its middle.
void box(Drawing& drawing, const Drawing::Rect& frame, const std::string& first, const std::string& second = {});
/// Look of a text on a filled series colour "c0" to "c7".
std::string onColour(int colour);

// Memory.
std::optional<PictureFigure> memoryTreemap(const Plan& plan, Language language);
std::optional<PictureFigure> memoryMoments(const Plan& plan, Language language);
std::optional<PictureFigure> stateShards(const Plan& plan, Language language);
std::optional<PictureFigure> parameterParts(const Plan& plan, Language language);

// Layouts.
std::optional<PictureFigure> rankGroups(const Plan& plan, Language language);
std::optional<PictureFigure> ring(const Plan& plan, Language language);
std::optional<PictureFigure> splitMatrices(const Plan& plan, Language language);
std::optional<PictureFigure> pipelineSchedule(const Plan& plan, Language language);
std::optional<PictureFigure> whenToUseWhat(const Plan& plan, Language language);
std::optional<PictureFigure> deviceMesh(const Plan& plan, Language language);

// Training.
std::optional<PictureFigure> cheaperWays(const Plan& plan, Language language);
std::optional<PictureFigure> isoFlopValley(const Plan& plan, Language language);
std::optional<PictureFigure> tokensForModel(const Plan& plan, Language language);
std::optional<PictureFigure> roofline(const Plan& plan, Language language);
std::optional<PictureFigure> rateSchedule(const Plan& plan, Language language);
std::optional<PictureFigure> lossGallery(const Plan& plan, Language language);
std::optional<PictureFigure> checkpointInterval(const Plan& plan, Language language);
std::optional<PictureFigure> methodLoop(const Plan& plan, Language language);

}  // namespace slipway::pictures
