#include "core/corpus/corpus.h"

#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/base/sha256.h"
#include "core/corpus/document_reader.h"
#include "core/corpus/tokenizer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr int kRecipe = 1;  // increased when the same spec and sources would yield different bytes

/// Takes a share of the documents, spread evenly: each when the amount taken so far leaves room for it. Of a large
/// document (in itself, or relative to the total) the beginning is taken as far as it fits.
class EvenShare {
public:
    EvenShare(std::int64_t wanted, std::int64_t total)
        : m_share(wanted <= 0 || wanted >= total ? 1.0 : static_cast<double>(wanted) / static_cast<double>(total)),
          m_large(std::min<std::int64_t>(1 << 16, wanted / 4)) {}

    /// Number of bytes to take of a document of this size.
    std::size_t take(std::size_t size) {
        m_seen += static_cast<double>(size);
        if (m_share >= 1) return size;
        const double room = m_seen * m_share - m_taken;
        std::size_t taken = 0;
        if (room >= static_cast<double>(size))
            taken = size;
        else if (static_cast<std::int64_t>(size) > m_large && room > 0)
            taken = static_cast<std::size_t>(room);
        m_taken += static_cast<double>(taken);
        return taken;
    }

private:
    double m_share;
    std::int64_t m_large;
    double m_seen = 0;
    double m_taken = 0;
};

/// The beginning of the text up to the last line end (or at least a character's end) within `size` bytes.
std::string_view cutAtLine(std::string_view text, std::size_t size) {
    if (size >= text.size()) return text;
    if (const std::size_t newline = text.rfind('\n', size); newline != std::string_view::npos && newline > size / 2)
        return text.substr(0, newline + 1);
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    return text.substr(0, size);
}

Result<std::string> hashOfFile(const std::string& path) {
    Sha256 hash;
    for (std::uint64_t offset = 0;;) {
        const auto piece = readFileFrom(path, offset, 4U << 20);
        if (!piece) return fail(piece.error());
        if (piece->empty()) return hash.hex();
        hash.add(*piece);
        offset += piece->size();
    }
}

class Builder {
public:
    Builder(const CorpusSpec& spec, const Home& home, const CorpusCallback& callback)
        : m_spec(spec), m_callback(callback), m_folder(home.corpora()) {}

    Result<CorpusResult> build() {
        if (auto good = checkSpec(); !good) return fail(good.error());
        if (auto home = makePrivateFolder(m_folder.parent_path()); !home) return fail(home.error());
        if (auto made = makeFolders(m_folder); !made) return fail(made.error());
        auto identity = identityOfSources();
        if (!identity) return fail(identity.error());
        if (auto found = existing(*identity)) return *found;
        if (auto counted = count(); !counted) return fail(counted.error());
        auto model = trainTokenizer();
        if (!model) return fail(model.error());
        auto tokenizer = Tokenizer::load(*model);
        if (!tokenizer) return fail(tokenizer.error());
        auto tokens = encode(*tokenizer);
        if (!tokens) return fail(tokens.error());
        return write(*model, *tokens, *tokenizer, *identity);
    }

private:
    fs::path file(const char* ending) const { return m_folder / (m_spec.name + ending); }

    Result<void> checkSpec() const {
        Issues issues;
        corpusSpecFromJson(toJson(m_spec), issues, "");
        if (issues.empty()) return {};
        return fail("corpus_bad_spec", issues, issues.front().field);
    }

    Result<void> report(std::string_view phase, double fraction) const {
        if (m_callback && !m_callback({phase, std::clamp(fraction, 0.0, 1.0)}))
            return fail("cancelled", "The corpus was not built; nothing was kept."_text, m_spec.name);
        return {};
    }

    /// The files' sources: same identity, same bytes.
    Result<Json> identityOfSources() const {
        Json out = Json::object();
        out["recipe"] = kRecipe;
        out["vocab_size"] = m_spec.vocabSize;
        out["train_bytes"] = m_spec.trainBytes;
        out["max_bytes"] = m_spec.maxBytes;
        out["sources"] = Json::array();
        for (std::size_t i = 0; i < m_spec.sources.size(); ++i) {
            if (auto goesOn = report("hash", static_cast<double>(i) / static_cast<double>(m_spec.sources.size()));
                !goesOn)
                return fail(goesOn.error());
            const auto hash = hashOfFile(m_spec.sources[i]);
            if (!hash) return fail(hash.error());
            // The name's extensions determine the file's format.
            out["sources"].push_back(
                Json{{"file", fs::path(m_spec.sources[i]).filename().string()}, {"sha256", *hash}});
        }
        return out;
    }

    std::optional<CorpusResult> existing(const Json& identity) const {
        const auto json = readJsonFile(file(".json"));
        if (!json || !json->is_object() || !json->contains("made_from") || (*json)["made_from"] != identity) return {};
        const auto tokens = TokenFile::open(file(".tok"));
        const auto model = readFile(file(".model"));
        if (!tokens || !model || sha256Of(*model) != tokens->header().tokenizerHash) return {};
        return CorpusResult{file(".tok"),
                            file(".model"),
                            tokens->header(),
                            json->value("num_documents", std::int64_t{0}),
                            json->value("num_text_bytes", std::int64_t{0}),
                            true};
    }

    /// Calls `use` with every document of every source; it returns an error to stop.
    Result<void> forEach(std::string_view phase, const std::function<void(std::string_view)>& use) const {
        std::int64_t seen = 0;
        std::int64_t reported = 0;
        Result<void> outcome;
        for (const std::string& source : m_spec.sources) {
            const auto done = readDocuments(source, [&](std::string_view document) {
                use(document);
                seen += static_cast<std::int64_t>(document.size());
                if (seen - reported < (1 << 18)) return true;
                reported = seen;
                outcome =
                    report(phase, m_totalBytes > 0 ? static_cast<double>(seen) / static_cast<double>(m_totalBytes) : 0);
                return outcome.has_value();
            });
            if (!done) return fail(done.error());
            if (!outcome) return outcome;
        }
        return report(phase, 1);
    }

    Result<void> count() {
        std::int64_t bytes = 0;
        auto counted =
            forEach("read", [&](std::string_view document) { bytes += static_cast<std::int64_t>(document.size()); });
        m_totalBytes = bytes;
        if (counted && bytes == 0)
            return fail("corpus_too_small", "The sources contain no text."_text, m_spec.sources.front());
        return counted;
    }

    /// Passes on the encoded documents, after max_bytes.
    Result<void> forEachTaken(std::string_view phase, const std::function<void(std::string_view)>& use) const {
        EvenShare share(m_spec.maxBytes, m_totalBytes);
        return forEach(phase, [&](std::string_view document) {
            const std::string_view part = cutAtLine(document, share.take(document.size()));
            if (!part.empty()) use(part);
        });
    }

    Result<std::string> trainTokenizer() const {
        const std::int64_t taken = m_spec.maxBytes > 0 ? std::min(m_spec.maxBytes, m_totalBytes) : m_totalBytes;
        EvenShare share(m_spec.trainBytes, taken);
        std::string sample;
        sample.reserve(static_cast<std::size_t>(std::min(m_spec.trainBytes, taken)) + 1);
        auto sampled = forEachTaken("sample", [&](std::string_view document) {
            sample += cutAtLine(document, share.take(document.size()));
            if (!sample.ends_with('\n')) sample += '\n';
        });
        if (!sampled) return fail(sampled.error());
        if (auto goesOn = report("tokenizer", 0); !goesOn) return fail(goesOn.error());
        std::size_t at = 0;
        auto model = Tokenizer::train(
            [&](std::string& line) {
                line.clear();
                while (line.empty() && at < sample.size()) {
                    const std::size_t end = std::min({sample.find('\n', at), sample.size(), at + kMaxTrainLine});
                    line = cutAtLine(std::string_view(sample).substr(at, end - at), kMaxTrainLine);
                    at += std::max<std::size_t>(line.size(), 1);
                }
                return !line.empty();
            },
            m_spec.vocabSize);
        if (!model) return model;
        if (auto goesOn = report("tokenizer", 1); !goesOn) return fail(goesOn.error());
        return model;
    }

    Result<std::vector<std::uint32_t>> encode(Tokenizer& tokenizer) {
        std::vector<std::uint32_t> tokens;
        auto encoded = forEachTaken("encode", [&](std::string_view document) {
            tokenizer.encode(document, tokens);
            tokens.push_back(Tokenizer::kSeparator);
            ++m_numDocuments;
            m_numTextBytes += static_cast<std::int64_t>(document.size());
        });
        if (!encoded) return fail(encoded.error());
        return tokens;
    }

    Result<CorpusResult> write(const std::string& model, const std::vector<std::uint32_t>& tokens,
                               const Tokenizer& tokenizer, const Json& identity) const {
        if (auto goesOn = report("write", 0); !goesOn) return fail(goesOn.error());
        std::error_code ignored;
        fs::remove(file(".json"), ignored);  // written last: without it the files do not count
        if (auto written = writeFileAtomically(file(".model"), model); !written) return fail(written.error());
        const auto header = writeTokenFile(file(".tok"), tokens, tokenizer.vocabSize(), sha256Of(model));
        if (!header) return fail(header.error());
        Json json = Json::object();
        json["made_from"] = identity;
        json["spec"] = toJson(m_spec);
        json["num_documents"] = m_numDocuments;
        json["num_text_bytes"] = m_numTextBytes;
        json["num_tokens"] = header->numTokens;
        json["unigram_entropy"] = jsonNumber(header->unigramEntropy);
        if (auto written = writeJsonFile(file(".json"), json); !written) return fail(written.error());
        if (m_callback) m_callback({"write", 1});  // too late to cancel
        return CorpusResult{file(".tok"), file(".model"), *header, m_numDocuments, m_numTextBytes, false};
    }

    static constexpr std::size_t kMaxTrainLine = 2048;

    const CorpusSpec& m_spec;
    const CorpusCallback& m_callback;
    fs::path m_folder;
    std::int64_t m_totalBytes = 0;
    std::int64_t m_numDocuments = 0;
    std::int64_t m_numTextBytes = 0;
};

}  // namespace

Result<CorpusResult> buildCorpus(const CorpusSpec& spec, const Home& home, const CorpusCallback& callback) {
    return Builder(spec, home, callback).build();
}

}  // namespace slipway
