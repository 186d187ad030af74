// Files of text and tokens: documents (plain, JSON lines, dictionaries, compressed), token files, tokenizer models.
#include "core/corpus/document_reader.h"
#include "core/corpus/tokenizer.h"
#include "core/spec/token_file.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace slipway;
using namespace slipway::test;

namespace {

/// A folder in memory for this process; libFuzzer leaves by _exit, so nothing removes it at the end but the next start.
const std::filesystem::path& folder() {
    static const std::filesystem::path path = [] {
        std::filesystem::path made = std::filesystem::temp_directory_path() / "slipway-fuzz-text-files";
        std::filesystem::create_directories(made);
        return made;
    }();
    return path;
}

std::filesystem::path write(const char* name, const std::string& bytes) {
    std::filesystem::path path = folder() / name;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = textOf(data, size);
    const std::string clean = cleanUtf8(bytes);
    require(cleanUtf8(clean) == clean, "cleaned text that is not clean");
    for (const char* name : {"a.txt", "a.jsonl", "a.dict", "a.txt.gz", "a.jsonl.gz", "a.dict.dz"})
        (void)valueOrError(readDocuments(write(name, bytes), [](std::string_view document) {
            require(!document.empty() && document.size() <= kMaxDocumentBytes, "an empty or too long document");
            return true;
        }));
    if (const auto file = TokenFile::open(write("a.tokens", bytes)); valueOrError(file)) {
        const std::int64_t count = std::min<std::int64_t>(file->size(), 4096);
        std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
        if (valueOrError(file->read(file->size() - count, count, ids.data())))
            require(std::all_of(ids.begin(), ids.end(),
                                [&](std::int64_t id) { return id >= 0 && id < file->header().vocabSize; }),
                    "an id outside the vocabulary");
    }
    (void)valueOrError(Tokenizer::load(bytes));
    return 0;
}
