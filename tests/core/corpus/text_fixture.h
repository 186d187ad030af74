// Text made on the fly: sentences of made-up words with the frequencies of real ones (Zipf), so that pairs repeat.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace slipway::test {

inline std::string someText(std::size_t bytes, unsigned seed = 1) {
    std::mt19937 random(seed);
    static const char* const kSyllables[] = {"ba", "con", "di", "er", "fo",  "gra", "hi",  "in",   "ke", "lo",
                                             "mi", "na",  "or", "pe", "qui", "re",  "sta", "tion", "un", "ve"};
    std::vector<std::string> words;
    for (int i = 0; i < 400; ++i) {
        std::string word;
        for (unsigned k = 1 + random() % 4; k > 0; --k) word += kSyllables[random() % 20];
        words.push_back(word);
    }
    std::string text;
    while (text.size() < bytes) {
        // The product of two draws favours the first words.
        const std::size_t pick = static_cast<std::size_t>(random() % 400) * (random() % 400) / 400;
        text += words[pick];
        const unsigned end = random() % 12;
        text += end == 0 ? ".\n" : end == 1 ? ", " : " ";
    }
    return text;
}

}  // namespace slipway::test
