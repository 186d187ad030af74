// Parts of an exported model besides its weights: the tokenizer of its tokens, and the ids that begin and end a
// text.
#pragma once

#include "core/base/result.h"
#include "trainer/checkpoint/manifest.h"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::trainer {

struct ExportTokenizer {
    std::vector<std::filesystem::path>
        files;                      ///< to copy under their own names; a sentencepiece model as tokenizer.model
    bool isSentencepiece = false;   ///< of `slipway corpus`: the only file is NAME.model next to NAME.tok
    std::string specialIds = "{}";  ///< JSON: bos_token_id, eos_token_id, pad_token_id, each an id, ids or null
    std::string note;               ///< reason for missing files; else empty
};

/// For the run that wrote a checkpoint: the tokenizer files in the folder of the Hugging Face weights it started from,
/// else the model next to its token file, if that file is the training data. Never fails: `note` describes missing
/// parts.
ExportTokenizer findTokenizer(const std::filesystem::path& checkpoint, const Manifest& manifest);

/// Copies the files into `folder`, with a tokenizer_config.json for a sentencepiece model, and writes
/// generation_config.json. Returns the names written. "file_unwritable", "disk_full".
Result<std::vector<std::string>> writeTokenizer(const ExportTokenizer& tokenizer, const std::filesystem::path& folder);

}  // namespace slipway::trainer
