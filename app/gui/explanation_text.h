// What core says of a plan in the language of the window: formulas and sources of its figures, and its advice. Core's English
// is the key; a test fails if a plan can say something that has no entry here.
#pragma once

#include "core/planner/advice/advice.h"
#include "core/planner/explain/explain.h"

#include <QString>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::gui {

/// A figure, an input of a formula or a field: "rank_layers"; in Korean in words.
QString quantityText(std::string_view name);
/// The value with its unit; "–" where it is not known.
QString numberText(const ExplainedNumber& number);
/// A formula in the names of quantityText(), or the sentence that tells it.
QString formulaText(const std::string& formula);
/// A sentence with its parts, names untouched; its words stand in this context of the catalogue.
QString sentenceText(const Sentence& sentence, const char* context = "Explanation");
/// All sentences of a source, one after the other.
QString sourceText(const std::vector<Sentence>& source);

/// issueText(), with the figures of the plan's advice where it is of these.
QString adviceText(const Issue& issue, const Advices& advices);

}  // namespace slipway::gui
