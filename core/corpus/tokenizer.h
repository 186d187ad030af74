// Tokenizer: byte-pair encoding with byte fallback (sentencepiece). Lossless: decode(encode(text)) == text for every
// valid UTF-8 text (except U+2581, which sentencepiece uses for the blank).
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

class Tokenizer {
public:
    /// Supplies the next piece of training text; false at the end.
    using LineFeed = std::function<bool(std::string&)>;

    /// Ends a document in a token file.
    static constexpr std::uint32_t kSeparator = 1;

    /// Learns a vocabulary and returns the model file's bytes. One thread, no shuffling: the same text gives the same
    /// bytes. "corpus_too_small" when the text has too few pairs or the vocabulary too few entries for its characters.
    static Result<std::string> train(const LineFeed& lines, std::int64_t vocabSize);

    /// "bad_tokenizer" when the bytes are not a model.
    static Result<Tokenizer> load(std::string_view model);

    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    [[nodiscard]] std::int64_t vocabSize() const;
    /// Appends the ids of the text, without separator. Remembers words, so it is not const.
    void encode(std::string_view text, std::vector<std::uint32_t>& out);
    [[nodiscard]] std::string decode(const std::vector<std::uint32_t>& ids) const;

private:
    struct Impl;
    explicit Tokenizer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway
