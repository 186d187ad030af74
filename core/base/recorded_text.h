// Sentences that were recorded in English (run folders, the index), in the reader's language.
//   recordedText("Rank 3 ran out of memory.", Language::Korean)     a sentence of the catalogue, with its figures and names
#pragma once

#include "core/base/language.h"

#include <string>
#include <string_view>

namespace slipway {

/// The catalogue's text for a sentence, or for several in sequence; text outside the catalogue stays as recorded.
std::string recordedText(std::string_view english, Language language);

}  // namespace slipway
