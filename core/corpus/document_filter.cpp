#include "core/corpus/document_filter.h"

namespace slipway {

FilteredDocument filterDocument(std::string_view text, const DocumentLimits& limits) {
    FilteredDocument found;
    std::int64_t wordBytes = 0, letters = 0;
    bool isInside = false;
    for (const char c : text) {
        const bool isBlank = c == ' ' || (c >= '\t' && c <= '\r');
        found.words += !isBlank && !isInside ? 1 : 0;
        isInside = !isBlank;
        wordBytes += isBlank ? 0 : 1;
        letters += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 1 : 0;
    }
    if (found.words > 0) {
        found.meanWordBytes = static_cast<double>(wordBytes) / static_cast<double>(found.words);
        found.alphaShare = static_cast<double>(letters) / static_cast<double>(text.size());
    }
    if (found.words < limits.leastWords || found.words > limits.mostWords)
        found.reason = "length";
    else if (found.meanWordBytes < limits.leastMeanWordBytes)
        found.reason = "mean length";
    else if (found.alphaShare < limits.leastAlphaShare)
        found.reason = "letters";
    return found;
}

}  // namespace slipway
