#include "core/planner/sentence.h"

namespace slipway {

std::string textOf(const Sentence& sentence) {
    if (sentence.isName) return sentence.text;
    std::string out;
    for (std::size_t i = 0; i < sentence.text.size(); ++i) {
        const char next = i + 1 < sentence.text.size() ? sentence.text[i + 1] : '\0';
        const auto part = static_cast<std::size_t>(next - '1');
        if (sentence.text[i] == '%' && next >= '1' && part < sentence.parts.size()) {
            out += textOf(sentence.parts[part]);
            ++i;
        } else
            out += sentence.text[i];
    }
    return out;
}

std::string textOf(const std::vector<Sentence>& sentences) {
    std::string out;
    for (const Sentence& one : sentences) out += (out.empty() ? "" : "; ") + textOf(one);
    return out;
}

}  // namespace slipway
