// Values of figure models as people read them, in their language: words and names of members by their labels in words.json.
//   valueText({{"mean", 2.95}, {"stagnant", false}}, playbook, Language::Korean, figure) == "평균 2.95, 정체 판정 아니요"
#pragma once

#include "core/base/json.h"
#include "core/playbook/playbook.h"

#include <functional>

namespace slipway {

/// The label of a word ("zero_paper"), of a pattern ("communication-bound (%1x short)"), or of each part between "; "; itself without one.
std::string wordText(const std::string& word, const Playbook& playbook, Language language);

/// @param figure writes a number
std::string valueText(const Json& value, const Playbook& playbook, Language language,
                      const std::function<std::string(double)>& figure);

}  // namespace slipway
