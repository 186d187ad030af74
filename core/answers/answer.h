// The answer to a question to the planner: a JSON document, and its presentation. The commands print it, the window's
// page shows it; neither computes anything of its own.
//   Json json;   auto view = servingAnswer(question, json);   cellText(json["loss"], view->figures[2], Language::Korean)
#pragma once

#include "core/base/json.h"
#include "core/base/message.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// How numbers are written, with their unit (core/base/units.h).
namespace written {
std::string count(double value, Language language);  ///< "29.4 B"
std::string whole(double value, Language language);  ///< "7,889"
std::string three(double value, Language language);  ///< three significant digits
std::string four(double value, Language language);
std::string five(double value, Language language);
std::string loss(double value, Language language);  ///< nats per token
std::string percent(double value, Language language);
std::string bytes(double value, Language language);
std::string seconds(double value, Language language);
}  // namespace written

/// A figure of a document, or a column of its rows.
struct AnswerColumn {
    std::string key;
    Message title;
    std::string (*format)(double, Language) = nullptr;  ///< null: text
    std::string formula = {};                           ///< how the figure is computed; empty where it was given
    std::string source = {};                            ///< origin of the formula or figure
    SourceText (*nameOf)(std::string_view) = nullptr;   ///< display name of a word, in the window
};

/// Presentation of a document: single figures, and under "rows" a list with these columns.
struct AnswerView {
    std::vector<AnswerColumn> figures;
    std::vector<AnswerColumn> columns;
};

/// The text of a value; "-" for an absent one.
std::string cellText(const Json& value, const AnswerColumn& column, Language language = Language::English);

/// The number, or null where it is not finite.
Json numberOrNull(double value);

}  // namespace slipway
