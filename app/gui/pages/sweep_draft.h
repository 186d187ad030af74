// A sweep file being edited: the text is authoritative, the form reads and changes it. No widgets here.
//   text = withAxes(text, {{"parallel.tp", "1..8 x2"}});   DraftCheck check = checkDraft(text, home, token);
#pragma once

#include "app/gui/widgets/share_bars.h"
#include "core/base/json.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"
#include "core/sweep/sweep_file.h"

#include <QString>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::gui {

/// One axis in the form. Lists and random axes stay unchanged in the text and are shown, not edited.
struct DraftAxis {
    std::string field;  ///< empty: an axis that can only be edited as text
    QString values;     ///< "1, 2, 4", "1..8" or "1..64 x2"
    bool operator==(const DraftAxis&) const = default;
};

/// The form's view of a text.
struct DraftForm {
    QString name, question;
    std::vector<DraftAxis> axes;
    StopRules stop;
    std::optional<SearchRules> search;  ///< empty: every point, in order
};

/// A problem with its line.
struct DraftProblem {
    int line = 1;
    QString text;
};

/// Forecast of the sweep before its start.
struct DraftCheck {
    std::vector<DraftProblem> problems;
    double numPoints = 0;
    bool isPlanned = false;  ///< false: too many points to plan while typing; the counts below are unknown
    int numRun = 0;
    std::vector<CountShare> skipped;  ///< reasons why points cannot run, with counts
    std::optional<double> seconds;    ///< forecast of all that run, in sequence
    bool isBudgetShorter = false;     ///< the budget ends the sweep before that
};

/// A file with this config as its base and one axis.
std::string newDraft(const RunConfig& base);
/// A stored document, indented; its lists over one field become values of that field.
std::string draftOf(const std::string& document);
/// Empty where the text is not JSON with an object.
std::optional<DraftForm> formOf(const std::string& text);
/// The text with this part of the form in it; other parts, including unknown ones, stay. Empty where it is not JSON.
std::optional<std::string> withForm(const std::string& text, const DraftForm& form);
/// The values of an axis as JSON; "bad_values" names the unreadable part.
Result<Json> axisValues(const FieldInfo& field, const QString& values);
/// Plans all points for the file's hardware, or for this computer.
DraftCheck checkDraft(const std::string& text, const Home& home, const std::stop_token& token);

}  // namespace slipway::gui
