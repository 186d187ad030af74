// The page of the benchmark: untrusted bytes, read strictly.
#include "core/playbook/references.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace slipway {
namespace {

/// The JSON value that begins at `begin`, up to its closing bracket; empty where there is none.
std::string_view bracketed(std::string_view text, std::size_t begin) {
    int depth = 0;
    bool isInText = false;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char c = text[i];
        if (isInText) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                isInText = false;
        } else if (c == '"')
            isInText = true;
        else if (c == '[' || c == '{')
            ++depth;
        else if ((c == ']' || c == '}') && --depth == 0)
            return text.substr(begin, i - begin + 1);
    }
    return {};
}

/// "Micro batch size" -> "microbatchsize".
std::string keyOf(std::string_view text) {
    std::string key;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return key;
}

/// The first number of a text: "40,150 tok/s" -> 40150.
std::optional<double> numberIn(std::string_view text) {
    std::string digits;
    for (const char c : text) {
        const bool isPart = (c >= '0' && c <= '9') || c == '.';
        if (isPart)
            digits += c;
        else if (!digits.empty() && c != ',')
            break;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end != digits.data() ? std::optional(value) : std::nullopt;
}

using Lines = std::map<std::string, std::string>;

/// "DP: 8<br>TP: 1" -> {"dp": "8", "tp": "1"}; tags are skipped.
Lines linesOfHover(const std::string& hover) {
    Lines lines;
    std::string line;
    const auto take = [&] {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos) lines[keyOf(line.substr(0, colon))] = line.substr(colon + 1);
        line.clear();
    };
    for (std::size_t i = 0; i < hover.size(); ++i) {
        if (hover[i] != '<') {
            line += hover[i];
            continue;
        }
        const std::size_t end = hover.find('>', i);
        if (end == std::string::npos) break;
        if (keyOf(hover.substr(i, end - i)).starts_with("br")) take();
        i = end;
    }
    take();
    return lines;
}

std::optional<double> valueOf(const Lines& lines, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (const auto found = lines.find(name); found != lines.end()) return numberIn(found->second);
    return {};
}

std::string modelOf(const Lines& lines) {
    const auto found = lines.find("model");
    std::string text = found == lines.end() ? "" : found->second;
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

/// Empty where the hover text does not describe a layout.
std::optional<PublishedRun> runOf(const std::string& hover) {
    const Lines lines = linesOfHover(hover);
    const auto dp = valueOf(lines, {"dp"}), tp = valueOf(lines, {"tp"}), pp = valueOf(lines, {"pp"});
    const auto nodes = valueOf(lines, {"nodes", "numnodes"});
    const auto micro = valueOf(lines, {"microbatch", "microbatchsize", "mbs"});
    const auto accumulation = valueOf(lines, {"gradacc", "gradaccum", "gradientaccumulation", "batchaccumulation"});
    PublishedRun run;
    run.model = modelOf(lines);
    if (run.model.empty() || !dp || !tp || !pp || !nodes || !micro || !accumulation) return {};
    const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
    run.nodes = whole(*nodes);
    run.layout = {whole(*dp),           whole(*tp),    whole(*pp),
                  whole(*accumulation), whole(*micro), whole(valueOf(lines, {"zero", "zerostage"}).value_or(0))};
    const auto speed = valueOf(lines, {"tokenssgpu", "tokenspersecondpergpu", "toksgpu"});
    if (speed && *speed > 0) run.tokensPerSecondPerGpu = speed;
    run.printedMfu = run.tokensPerSecondPerGpu ? valueOf(lines, {"mfu"}).value_or(0) : 0;
    run.memoryGb = valueOf(lines, {"memory", "memorygb", "gpumemory"}).value_or(0);
    return run;
}

}  // namespace

Result<std::vector<PublishedRun>> readBenchmarkPage(const std::string& html) {
    const std::size_t call = html.find("Plotly.newPlot(");
    const std::size_t list = call == std::string::npos ? call : html.find('[', call);
    const std::string_view traces = list == std::string::npos ? std::string_view() : bracketed(html, list);
    if (traces.empty()) return fail("bad_page", "The page has no plot: a call of Plotly.newPlot with traces."_text);
    const auto json = parseJson(std::string(traces), "page");
    if (!json) return fail(json.error());
    std::vector<PublishedRun> runs;
    for (const Json& trace : *json) {
        if (!trace.is_object()) continue;
        for (const char* key : {"text", "hovertext"}) {
            if (!trace.contains(key) || !trace[key].is_array()) continue;
            for (const Json& hover : trace[key])
                if (auto run = hover.is_string() ? runOf(hover.get<std::string>()) : std::nullopt)
                    runs.push_back(std::move(*run));
            break;
        }
    }
    if (runs.empty())
        return fail(
            "bad_page",
            "No point of the page's plot is a layout: hover texts need model, nodes, DP, TP, PP, micro-batch and "
            "accumulation."_text);
    return runs;
}

}  // namespace slipway
