#include "tests/support/hostile_runs.h"

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/metric_line.h"
#include "core/spec/run_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace slipway::test {
namespace {

constexpr std::int64_t kStart = 1763730900000;

// Written by hand, so that this does not rest on what it tests.
std::size_t steeringLength(std::string_view text, bool tabs) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    if (byte(0) < 0x20) return byte(0) == '\n' || (tabs && byte(0) == '\t') ? 0 : 1;
    if (byte(0) == 0x7F) return 1;
    if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;                        // C1
    if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;                                          // U+061C
    if (byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F)) return 3;  // U+200E, U+200F
    if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) return 3;    // U+202A to U+202E
    if (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 3;    // U+2066 to U+2069
    return 0;
}

}  // namespace

std::vector<std::string> hostileTexts(const std::string& picture) {
    return {"<h1>Heading</h1><img src=\"" + picture +
                "\" width=\"400\" height=\"300\"><a href=\"https://evil.example/\">link</a>",
            "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m \xC2\x9B"
            "31mC1 \x7f \xE2\x80\xAE"
            "gnp.exe \xE2\x81\xA6"
            "iso\xE2\x81\xA9 "
            "\xE2\x80\x8F\xE2\x80\x8E\xD8\x9C end",
            "first line\r\nsecond\tline\n# heading\n![image](" + picture +
                ") [link](https://evil.example/) https://evil.example/",
            "=HYPERLINK(\"https://evil.example/\",\"x\")",
            "@SUM(1+1)*cmd|' /C calc'!A0",
            "a|b, \"c\"; `d` $(touch owned)",
            std::string("nul \0 in the middle", 19),
            [] {
                std::string longer;
                for (int i = 0; i < 400; ++i) longer += "\xEA\xB0\x80";
                return longer;
            }()};
}

HostileHome makeHostileRuns(const Home& home, const std::string& picture) {
    const std::vector<std::string> texts = hostileTexts(picture);
    std::size_t next = 0;
    const auto text = [&] { return texts[next++ % texts.size()]; };
    std::string all;
    for (const std::string& one : texts) all += one + "\n";
    HostileHome made;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::int64_t start = kStart + static_cast<std::int64_t>(i) * 60000;
        const RunId id(makeId(start, static_cast<std::uint32_t>(i)));
        const RunDir dir{home.runs() / id.value};
        RunConfig config;
        config.name = texts[i];
        config.parallel.dp = i % 2 == 0 ? 1 : 2;
        config.train.numSteps = 30;
        config.data.tokens = texts[(i + 1) % texts.size()];
        const bool failed = i % 2 == 0;
        (void)makeFolders(dir.rankLog(0).parent_path());
        (void)writeJsonFile(dir.config(), toJson(config));
        (void)writeJsonFile(dir.meta(),
                            Json{{"name", texts[i]},
                                 {"tags", {text(), text(), "plain"}},
                                 {"notes", all},
                                 {"status", failed ? "failed" : "completed"},
                                 {"reason", failed ? "Rank 0 ended; the log says: " + text() + texts[1] : ""},
                                 {"attempts", 1},
                                 {"created_unix_ms", start},
                                 {"started_unix_ms", start},
                                 {"ended_unix_ms", start + 60000},
                                 {"measured", {{"step_seconds", 0.2}, {"final_loss", 2.5}}}});
        std::string stream = toLine(MetricHeader{1, id.value, 1, 0, 1, start});
        for (int step = 1; step <= 30; ++step)
            stream +=
                toLine(MetricStep{step, step * 64, start + step * 200, {{"loss", 3.0 - 0.01 * step}, {texts[1], 1.0}}});
        for (const std::string& one : texts) stream += toLine(MetricEvent{30, one, one, start + 7000});
        stream += toLine(MetricEnd{failed ? "failed" : "completed", 30, failed ? 13 : 0, start + 60000});
        (void)writeFileAtomically(dir.metrics(), stream);
        (void)writeFileAtomically(dir.rankLog(0), all + "not UTF-8: \xFF\xC3\n");
        made.runs.push_back(id);
    }
    made.sweep = SweepId(makeId(kStart, 77));
    const auto folder = home.sweeps() / made.sweep.value;
    (void)makeFolders(folder);
    const Json document{
        {"schema", 1},
        {"name", texts[0] + texts[1]},
        {"question", all},
        {"hypothesis", all},
        {"base", {{"train", {{"num_steps", 30}}}}},
        {"points", {{{"name", texts[1]}, {"parallel.dp", 1}}, {{"name", texts[2]}, {"parallel.dp", 2}}}}};
    (void)writeJsonFile(folder / "sweep.json", Json{{"name", texts[0]},
                                                    {"identity", "x"},
                                                    {"status", "failed"},
                                                    {"created_unix_ms", kStart},
                                                    {"notes", all},
                                                    {"document", document}});
    std::string trials;
    for (std::size_t i = 0; i < 2; ++i)
        trials += dumpJson(Json{{"trial", i},
                                {"name", texts[i + 1]},
                                {"status", i == 0 ? "failed" : "completed"},
                                {"reason", i == 0 ? all : ""},
                                {"run_id", made.runs[i].value}},
                           false) +
                  "\n";
    (void)writeFileAtomically(folder / "trials.jsonl", trials);
    return made;
}

std::string steeringIn(const std::string& text, bool tabs) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t length = steeringLength(std::string_view(text).substr(at), tabs);
        if (length == 0) continue;
        std::string hex;
        for (std::size_t i = 0; i < length; ++i) {
            constexpr const char* kDigits = "0123456789abcdef";
            const auto byte = static_cast<unsigned char>(text[at + i]);
            hex += std::string("\\x") + kDigits[byte >> 4U] + kDigits[byte & 15U];
        }
        return hex + " at byte " + std::to_string(at) +
               " behind: " + text.substr(at - std::min<std::size_t>(at, 60), std::min<std::size_t>(at, 60));
    }
    return {};
}

}  // namespace slipway::test
