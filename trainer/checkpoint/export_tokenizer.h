// What an exported model needs beside its weights: the tokenizer that its tokens were made with, and the ids that begin
// and end a text.
#pragma once

#include "core/base/result.h"
#include "trainer/checkpoint/manifest.h"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::trainer {

struct ExportTokenizer {
    std::vector<std::filesystem::path>
        files;                      ///< to copy under their own names; of a sentencepiece model as tokenizer.model
    bool isSentencepiece = false;   ///< of `slipway corpus`: the one file is NAME.model beside NAME.tok
    std::string specialIds = "{}";  ///< JSON: bos_token_id, eos_token_id, pad_token_id, each an id, ids or null
    std::string note;               ///< why there are no files; empty where there are
};

/// Of the run that wrote a checkpoint: the tokenizer files in the folder of Hugging Face weights that it started from,
/// else the model beside its token file, when the file is the one that was trained on. Never fails: what is missing is
/// in `note`.
ExportTokenizer findTokenizer(const std::filesystem::path& checkpoint, const Manifest& manifest);

/// Copies the files into `folder`, with a tokenizer_config.json for a sentencepiece model, and writes
/// generation_config.json. Returns the names written. "file_unwritable", "disk_full".
Result<std::vector<std::string>> writeTokenizer(const ExportTokenizer& tokenizer, const std::filesystem::path& folder);

}  // namespace slipway::trainer
