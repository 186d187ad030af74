#include "core/spec/token_file.h"

#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "core/base/json.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

namespace slipway {
namespace {

constexpr std::string_view kMagic = "SLPTOK1\n";
constexpr std::size_t kPrefix = kMagic.size() + 4;
constexpr std::size_t kMaxHeader = 1 << 16;

std::size_t dataOffset(std::size_t headerLength) {
    return (kPrefix + headerLength + 63) / 64 * 64;
}

// Entropy of the token frequencies: the loss of a model that knows nothing else.
double unigramEntropy(std::span<const std::uint32_t> tokens, std::int64_t vocabSize) {
    if (tokens.empty()) return 0;
    std::vector<double> counts(static_cast<std::size_t>(vocabSize), 0.0);
    for (const std::uint32_t token : tokens) counts[token] += 1;
    double entropy = 0;
    const auto total = static_cast<double>(tokens.size());
    for (const double count : counts)
        if (count > 0) entropy -= count / total * std::log(count / total);
    return entropy;
}

template <class T>
void append(std::string& out, std::span<const std::uint32_t> tokens) {
    const std::size_t begin = out.size();
    out.resize(begin + tokens.size() * sizeof(T));
    char* at = out.data() + begin;
    for (const std::uint32_t token : tokens) {
        for (std::size_t byte = 0; byte < sizeof(T); ++byte) *at++ = static_cast<char>((token >> (8 * byte)) & 0xFF);
    }
}

}  // namespace

Result<TokenFileHeader> writeTokenFile(const std::filesystem::path& path, std::span<const std::uint32_t> tokens,
                                       std::int64_t vocabSize, const std::string& tokenizerHash) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (static_cast<std::int64_t>(tokens[i]) >= vocabSize)
            return fail("token_out_of_range",
                        "Token %1 is %2; the vocabulary has %3 entries."_text(i, tokens[i], vocabSize), path.string());
    TokenFileHeader header{vocabSize, static_cast<std::int64_t>(tokens.size()), vocabSize > 65536, tokenizerHash,
                           unigramEntropy(tokens, vocabSize)};
    const std::string json = dumpJson(Json{{"dtype", header.wide ? "uint32" : "uint16"},
                                           {"vocab_size", vocabSize},
                                           {"num_tokens", header.numTokens},
                                           {"tokenizer_sha256", tokenizerHash},
                                           {"unigram_entropy", header.unigramEntropy}},
                                      false);
    std::string out(kMagic);
    const auto length = static_cast<std::uint32_t>(json.size());
    for (int byte = 0; byte < 4; ++byte) out += static_cast<char>((length >> (8 * byte)) & 0xFF);
    out += json;
    out.resize(dataOffset(json.size()), '\0');
    if (header.wide) {
        append<std::uint32_t>(out, tokens);
    } else {
        append<std::uint16_t>(out, tokens);
    }
    if (auto written = writeFileAtomically(path, out); !written) return fail(written.error());
    return header;
}

Result<TokenFile> TokenFile::open(const std::filesystem::path& path) {
    const auto bad = [&](const Message& why) {
        return fail("bad_token_file", "Not a Slipway token file (%1). Make it again with `slipway corpus`."_text(why),
                    path.string());
    };
    auto start = readFileFrom(path, 0, kPrefix + kMaxHeader);
    if (!start) return fail(start.error());
    if (start->size() < kPrefix || start->compare(0, kMagic.size(), kMagic) != 0)
        return bad("it does not begin with SLPTOK1"_text);
    std::uint32_t length = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
        length |= static_cast<std::uint32_t>(static_cast<unsigned char>((*start)[kMagic.size() + byte])) << (8 * byte);
    if (length > kMaxHeader || kPrefix + length > start->size()) return bad("truncated header"_text);
    const auto json = parseJson(std::string_view(*start).substr(kPrefix, length), path.string());
    if (!json) return fail(json.error());
    TokenFile file;
    file.m_path = path.string();
    try {
        file.m_header.vocabSize = json->at("vocab_size").get<std::int64_t>();
        file.m_header.numTokens = json->at("num_tokens").get<std::int64_t>();
        const auto dtype = json->at("dtype").get<std::string>();
        if (dtype != "uint16" && dtype != "uint32") return bad("unknown dtype %1"_text(dtype));
        file.m_header.wide = dtype == "uint32";
        file.m_header.tokenizerHash = json->value("tokenizer_sha256", "");
        file.m_header.unigramEntropy = json->value("unigram_entropy", 0.0);
    } catch (const nlohmann::json::exception& error) {
        return bad(Message::name(error.what()));
    }
    struct stat info {};
    const auto opened = std::make_shared<const FileDescriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened->number < 0 || ::fstat(opened->number, &info) != 0)
        return fail("file_unreadable", "The file cannot be opened."_text, path.string());
    const auto size = static_cast<std::size_t>(info.st_size);
    const std::size_t offset = dataOffset(length);
    const std::size_t width = file.m_header.wide ? 4 : 2;
    const bool counts = file.m_header.numTokens >= 0 && size >= offset && (size - offset) % width == 0 &&
                        static_cast<std::int64_t>((size - offset) / width) == file.m_header.numTokens;
    if (!counts || file.m_header.vocabSize < 1) return bad("the length does not match the header"_text);
    file.m_file = opened;
    file.m_dataOffset = offset;
    return file;
}

Result<void> TokenFile::read(std::int64_t offset, std::int64_t count, std::int64_t* out) const {
    if (offset < 0 || count < 0 || offset > m_header.numTokens - count)
        return fail(
            "bad_token_range",
            "Tokens %1 to %2 are outside the file of %3 tokens."_text(offset, offset + count, m_header.numTokens),
            m_path);
    const std::size_t width = m_header.wide ? 4 : 2;
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count) * width);
    for (std::size_t done = 0; done < bytes.size();) {
        const auto place = static_cast<off_t>(m_dataOffset + static_cast<std::size_t>(offset) * width + done);
        const ssize_t got = ::pread(m_file->number, bytes.data() + done, bytes.size() - done, place);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return fail("file_unreadable", "The token file cannot be read: %1."_text(std::string(std::strerror(errno))),
                        m_path);
        if (got == 0)
            return fail(
                "file_unreadable",
                "The token file was truncated during use and ends before token %1; make it again with `slipway corpus`."_text(
                    offset + static_cast<std::int64_t>(done / width)),
                m_path);
        done += static_cast<std::size_t>(got);
    }
    const unsigned char* at = bytes.data();
    for (std::int64_t i = 0; i < count; ++i, at += width) {
        std::uint32_t token = static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8;
        if (m_header.wide) token |= static_cast<std::uint32_t>(at[2]) << 16 | static_cast<std::uint32_t>(at[3]) << 24;
        if (static_cast<std::int64_t>(token) >= m_header.vocabSize)
            return fail("token_out_of_range",
                        "Token %1 is %2; the vocabulary has %3 entries. The file is damaged."_text(offset + i, token,
                                                                                                   m_header.vocabSize),
                        m_path);
        out[i] = token;
    }
    return {};
}

}  // namespace slipway
