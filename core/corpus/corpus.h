// From text files to a token file: read documents, train a BPE with byte fallback on them, encode.
//   CorpusSpec spec{.name = "quickstart", .sources = {"/usr/share/dictd/wn.dict.dz"}, .vocabSize = 2048};
//   auto corpus = buildCorpus(spec, home);   config.data.tokens = corpus->tokenFile.filename();
// Files: corpora/<name>.tok, <name>.model (sentencepiece), <name>.json (its sources).
#pragma once

#include "core/base/field_table.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/spec/run_dir.h"
#include "core/spec/token_file.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace slipway {

struct CorpusSpec {
    std::string name;                   ///< safe as a file name
    std::vector<std::string> sources;   ///< files of the kinds in document_reader.h
    std::int64_t vocabSize = 2048;      ///< at least 512: 256 byte tokens and room for pairs
    std::int64_t trainBytes = 1 << 20;  ///< text the tokenizer learns from, spread evenly over the documents
    std::int64_t maxBytes = 0;          ///< text to encode, spread evenly over the documents; 0: all of it

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("name").help("Name of the token file, without ending."_text), s.name);
        v(field("sources").help("Text files: .txt, .jsonl, .dict, each also as .gz or .dz."_text), s.sources);
        v(field("vocab_size").help("Entries of the vocabulary."_text).range(512, 1000000), s.vocabSize);
        v(field("train_bytes")
              .unit("bytes"_text)
              .help("Text to train the tokenizer on."_text)
              .range(1024, 1e9)
              .advanced(),
          s.trainBytes);
        v(field("max_bytes").unit("bytes"_text).help("Text to encode; 0 is all of it."_text).atLeast(0), s.maxBytes);
    }
};

/// A name for the token file of a text: the file's own without endings, with dashes for characters invalid in a name
/// ("my notes.txt" -> "my-notes"); empty when nothing remains.
std::string corpusNameOf(const std::filesystem::path& text);

/// Unknown keys, wrong types, an unsafe name and missing sources become issues.
CorpusSpec corpusSpecFromJson(const Json& json, Issues& issues, const std::string& prefix = "corpus");
Json toJson(const CorpusSpec& spec);

struct CorpusResult {
    std::filesystem::path tokenFile;
    std::filesystem::path tokenizerFile;
    TokenFileHeader header;
    std::int64_t numDocuments = 0;
    std::int64_t numTextBytes = 0;
    bool reused = false;  ///< the files existed, made from the same sources in the same way
};

/// Progress of a build: a phase ("hash", "read", "sample", "tokenizer", "encode", "write") and its completed fraction (0 to 1).
struct CorpusProgress {
    std::string_view phase;
    double fraction = 0;
};
/// Returns false to cancel; only the training of the tokenizer (some seconds) cannot be interrupted.
using CorpusCallback = std::function<bool(const CorpusProgress&)>;

/// Builds, or reuses, the corpus under home.corpora(). The same sources and spec give the same bytes. Errors:
/// "corpus_bad_spec", "file_missing", "file_unreadable", "corpus_bad_text" (broken compression or JSON, with file and
/// line), "corpus_too_small" (too little text for the vocabulary), "cancelled", "disk_full".
Result<CorpusResult> buildCorpus(const CorpusSpec& spec, const Home& home, const CorpusCallback& callback = {});

}  // namespace slipway
