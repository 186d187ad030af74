// Whether a document is worth training on, by counts alone: the filter of the guide (000), section 2.2, without its
// symbol limit, which is declared there but never used.
//   filterDocument(text).isKept
#pragma once

#include <cstdint>
#include <string_view>

namespace slipway {

struct DocumentLimits {
    std::int64_t leastWords = 50, mostWords = 100000;  ///< both limits inclusive
    double leastMeanWordBytes = 3;
    double leastAlphaShare = 0.7;  ///< ASCII letters over all bytes, blanks included
};

struct FilteredDocument {
    std::int64_t words = 0;
    double meanWordBytes = 0, alphaShare = 0;
    std::string_view reason;  ///< "length", "mean length", "letters"; empty: kept
    [[nodiscard]] bool isKept() const { return reason.empty(); }
};

FilteredDocument filterDocument(std::string_view text, const DocumentLimits& limits = {});

}  // namespace slipway
