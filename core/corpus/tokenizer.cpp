#include "core/corpus/tokenizer.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace slipway {
namespace {

// Scripts without blanks have words as long as lines; longer pieces would cost more than linear time.
constexpr std::size_t kMaxPieceBytes = 2048;

class FeedIterator : public sentencepiece::SentenceIterator {
public:
    explicit FeedIterator(const Tokenizer::LineFeed& feed) : m_feed(feed) { Next(); }
    bool done() const override { return m_done; }
    void Next() override { m_done = !m_feed(m_line); }
    const std::string& value() const override { return m_line; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    const Tokenizer::LineFeed& m_feed;
    std::string m_line;
    bool m_done = false;
};

/// Bytes of the leading blanks and word of the text. Vocabulary entries never have a blank after a letter
/// (sentencepiece learns from such words), so words can be encoded one by one.
std::size_t wordLength(std::string_view text) {
    std::size_t end = std::min(text.find_first_not_of(' '), text.size());
    end = std::min(text.find_first_of(" \n", end), text.size());
    if (end <= kMaxPieceBytes) return end;
    end = kMaxPieceBytes;
    while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return end;
}

/// sentencepiece reports the possible number of entries as "<= N" at the end of its message.
Message tooSmallText(std::int64_t vocabSize, const std::string& message) {
    const std::size_t at = message.rfind("<= ");
    const long most = at == std::string::npos ? 0 : std::strtol(message.c_str() + at + 3, nullptr, 10);
    if (most >= 512)
        return "The text is too short for a vocabulary of %1 entries; choose at most %2, or add text."_text(vocabSize,
                                                                                                            most);
    if (most > 0)
        return "The text is too short for a vocabulary of %1 entries: it has %2, and 512 is the minimum; add text."_text(
            vocabSize, most);
    return "The text is too short for a vocabulary of %1 entries; add text or choose fewer (at least 512, more for many scripts). sentencepiece: %2"_text(
        vocabSize, message);
}

}  // namespace

struct Tokenizer::Impl {
    // Words repeat; their ids are looked up. Beyond this many, the rest are encoded again each time.
    static constexpr std::size_t kMaxRemembered = 1U << 20;
    static constexpr std::size_t kMaxRememberedBytes = 64;

    sentencepiece::SentencePieceProcessor processor;
    std::uint32_t newline = 0;
    std::unordered_map<std::string, std::vector<int>> remembered;
    std::vector<int> scratch;

    const std::vector<int>& idsOf(const std::string& word) {
        if (const auto known = remembered.find(word); known != remembered.end()) return known->second;
        scratch.clear();
        processor.Encode(word, &scratch).IgnoreError();
        if (word.size() > kMaxRememberedBytes || remembered.size() >= kMaxRemembered) return scratch;
        return remembered.emplace(word, scratch).first->second;
    }
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<std::string> Tokenizer::train(const LineFeed& lines, std::int64_t vocabSize) {
    const std::unordered_map<std::string, std::string> options = {
        {"model_type", "bpe"},
        {"vocab_size", std::to_string(vocabSize)},
        {"byte_fallback", "true"},
        {"character_coverage", "0.9995"},
        {"num_threads", "1"},
        {"shuffle_input_sentence", "false"},
        {"input_sentence_size", "0"},
        {"max_sentence_length", std::to_string(4 * kMaxPieceBytes)},
        // No normalization, so that text survives encoding byte for byte.
        {"normalization_rule_name", "identity"},
        {"remove_extra_whitespaces", "false"},
        {"add_dummy_prefix", "false"},
        {"allow_whitespace_only_pieces", "true"},
        {"split_digits", "true"},
        {"user_defined_symbols", "\n"},
        {"unk_id", "0"},
        {"eos_id", std::to_string(kSeparator)},
        {"bos_id", "-1"},
        {"pad_id", "-1"},
        {"minloglevel", "3"},
    };
    FeedIterator feed(lines);
    if (feed.done()) return fail("corpus_too_small", "There is no text to train a tokenizer on."_text);
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(options, &feed, &model);
    if (!status.ok()) return fail("corpus_too_small", tooSmallText(vocabSize, status.ToString()));
    return model;
}

Result<Tokenizer> Tokenizer::load(std::string_view model) {
    auto impl = std::make_unique<Impl>();
    const auto status = impl->processor.LoadFromSerializedProto({model.data(), model.size()});
    if (!status.ok()) return fail("bad_tokenizer", "Not a tokenizer model: %1"_text(std::string(status.message())));
    if (impl->processor.eos_id() != static_cast<int>(kSeparator))
        return fail("bad_tokenizer", "The tokenizer has no document separator at id 1; Slipway did not make it."_text);
    impl->newline = static_cast<std::uint32_t>(impl->processor.PieceToId("\n"));
    return Tokenizer(std::move(impl));
}

std::int64_t Tokenizer::vocabSize() const {
    return m_impl->processor.GetPieceSize();
}

void Tokenizer::encode(std::string_view text, std::vector<std::uint32_t>& out) {
    std::string word;
    while (!text.empty()) {
        if (text.front() == '\n') {
            out.push_back(m_impl->newline);
            text.remove_prefix(1);
            continue;
        }
        const std::size_t length = wordLength(text);
        word.assign(text.substr(0, length));
        const std::vector<int>& ids = m_impl->idsOf(word);
        out.insert(out.end(), ids.begin(), ids.end());
        text.remove_prefix(length);
    }
}

std::string Tokenizer::decode(const std::vector<std::uint32_t>& ids) const {
    std::string text;
    const std::vector<int> wanted(ids.begin(), ids.end());
    m_impl->processor.Decode(wanted, &text).IgnoreError();
    return text;
}

}  // namespace slipway
