#include "core/run/stream_mark.h"

#include "core/base/own_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <system_error>

namespace slipway {

Result<Json> newestMark(const std::filesystem::path& stream, const std::string& key) {
    constexpr std::uint64_t kPiece = 1U << 20;
    const std::string word = "\"" + key + "\":";
    std::error_code code;
    std::uint64_t end = std::filesystem::file_size(stream, code);
    std::string rest;  // of the line that begins in the previous piece
    while (!code && end > 0) {
        const std::uint64_t begin = end - std::min(end, kPiece);
        auto piece = readOwnFile(stream, begin, static_cast<std::size_t>(end - begin));
        if (!piece) return fail(piece.error());
        *piece += rest;
        for (std::size_t at = piece->rfind(word); at != std::string::npos;) {
            const std::size_t before = at == 0 ? std::string::npos : piece->rfind('\n', at);
            const std::size_t open = before == std::string::npos ? 0 : before + 1;
            const std::size_t close = piece->find('\n', at);
            // A line that begins in the previous piece is checked there.
            if (close != std::string::npos && (open > 0 || begin == 0))
                if (const auto line = parseJson(std::string_view(*piece).substr(open, close - open), stream.string());
                    line && line->is_object() && line->contains(key))
                    return line->at(key);
            if (at == 0) break;
            at = piece->rfind(word, at - 1);
        }
        rest = piece->substr(0, std::min<std::size_t>(piece->find('\n') + 1, kPiece));
        end = begin;
    }
    return Json(nullptr);
}

std::string withMark(std::string lines, const std::string& key, const Json& value) {
    lines.insert(lines.rfind('}'), "," + Json(key).dump() + ":" + value.dump());
    return lines;
}

}  // namespace slipway
