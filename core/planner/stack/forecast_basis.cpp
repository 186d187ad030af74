#include "core/planner/stack/forecast_basis.h"

#include "core/planner/stack/known_software.h"

namespace slipway {

Message basisText(std::string_view label) {
    return label == "measured"       ? "measured"_text
           : label == "fitted"       ? "fitted here"_text
           : label == "calibrated"   ? "calibrated"_text
           : label == "typical"      ? "typical"_text
           : label == "extrapolated" ? "extrapolated"_text
           : label == "textbook"     ? "textbook"_text
                                     : Message::name(label);
}

Message basisText(std::string_view label, std::string_view software) {
    if (software.empty()) return basisText(label);
    const Message title = softwareTitle(software);
    if (label == "typical") return title;
    // Forecasts stored before typical software had its own label.
    if (label == "calibrated") return software == "typical" ? title : "%1, calibrated"_text(title);
    if (label == "fitted") return "%1, fitted here"_text(title);
    return label == "extrapolated" ? "%1, extrapolated"_text(title) : basisText(label);
}

std::string softwareOf(const ClusterSpec& cluster) {
    return cluster.stack ? cluster.stack->name : std::string();
}

bool hasProbability(std::string_view label) {
    return label != "textbook";
}

Message intervalName(std::string_view label) {
    return hasProbability(label) ? "80 % interval"_text : "range"_text;
}

Message basisHelp(std::string_view label) {
    if (label == "measured") return "Measured: runs of this layout."_text;
    if (label == "calibrated")
        return "Calibrated: formulas with parameters fitted to measured runs; the interval is from their residuals."_text;
    if (label == "fitted")
        return "Fitted here: formulas with parameters fitted to runs of this computer too; the interval is from their residuals."_text;
    if (label == "typical")
        return "Typical: the software is not named; formulas with the mean of calibrated stacks, and an interval that counts the spread between them."_text;
    if (label == "extrapolated")
        return "Extrapolated: the stack's calibration has no runs like this one; the interval is wider by how far away they are."_text;
    if (label == "textbook")
        return "Textbook: formulas with the usual efficiencies, without runs of this hardware; the interval is a range, not a probability."_text;
    return {};
}

}  // namespace slipway
