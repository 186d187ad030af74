// Console logs, line by line: Megatron-LM and GPT-NeoX (bars), nanotron (bars), torchtitan, DeepSpeed, llm-foundry.
#include "core/interop/log_builder.h"
#include "core/interop/readers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace slipway::interop {
namespace {

constexpr std::size_t kMostArguments = 10000;  // Megatron has some 500

/// Without the colours of a terminal (CSI sequences).
std::string withoutColours(std::string_view line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
            i += 2;
            while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
            continue;
        }
        text += line[i];
    }
    return text;
}

std::optional<std::int64_t> wholeOf(std::string_view text, bool suffixes = false) {
    const auto number = logNumber(text, suffixes);
    if (!number || !(*number >= 0) || *number > 1e12) return {};
    return static_cast<std::int64_t>(*number);
}

/// Arguments that Megatron's list contains as their opposite.
void invertArguments(Json& arguments) {
    if (const auto bias = arguments.find("add-bias-linear"); bias != arguments.end()) {
        arguments["disable-bias-linear"] = *bias == "False" ? "True" : "False";
        arguments.erase("add-bias-linear");
    }
    if (const auto layout = arguments.find("moe-layer-freq"); layout != arguments.end() && *layout == "1")
        arguments.erase("moe-layer-freq");
}

class Console : public LineReader {
public:
    Console(const std::string& format, LogBuilder& builder) : m_format(format), m_builder(builder) {}

    bool line(std::string_view raw) override {
        if (raw.size() > kLongestLine) {
            m_builder.malformed("line longer than 1 MiB"_text);
            return false;
        }
        const std::string text = withoutColours(raw);
        if (m_format == "megatron" || m_format == "neox" || m_format == "nanotron") return bars(text) || argument(text);
        if (m_format == "torchtitan") return titan(text);
        if (m_format == "deepspeed") return deepSpeed(text);
        return composer(text);
    }

    void describe(LogRun& run, bool isConfigGiven) const override {
        if (isConfigGiven || !m_arguments.contains("num-layers")) return;
        Json arguments = m_arguments;
        invertArguments(arguments);
        std::optional<std::int64_t> world;
        if (const auto size = arguments.find("world-size"); size != arguments.end())
            world = wholeOf(size->get<std::string>());
        const auto imported = importMegatronOptions(arguments, run.name, RunConfig{}, world);
        if (!imported) return;
        run.config = imported->config;
        run.configKnown = true;
        run.worldSize = world;
        for (const Remark& remark : imported->remarks)
            if (remark.kind == RemarkKind::Approximated) run.remarks.push_back(remark);
    }

private:
    // "... iteration 100/ 5000 | key: value | key: value |"
    bool bars(std::string_view text) {
        const std::size_t at = text.find("iteration");
        if (at == std::string_view::npos || text.find('|') == std::string_view::npos) return false;
        std::string_view head = text.substr(at + 9, text.find('|', at) - at - 9);
        if (head.starts_with(':')) head.remove_prefix(1);
        if (trimmed(head).empty() || !std::isdigit(static_cast<unsigned char>(trimmed(head)[0]))) return false;
        const bool suffixes = m_format == "nanotron";
        const auto step = wholeOf(head.substr(0, head.find('/')), suffixes);
        if (!step) {
            m_builder.malformed("no step number"_text);
            return false;
        }
        bool any = false;
        // GPT-NeoX writes a figure before the step; nanotron writes ranks between bars there.
        std::size_t begin = m_format == "neox" ? 0 : std::min(text.find('|', at), text.size());
        while (begin < text.size()) {
            const std::size_t end = std::min(text.find('|', begin), text.size());
            const std::string_view part = text.substr(begin, end - begin);
            begin = end + 1;
            const std::size_t colon = part.rfind(": ") != std::string_view::npos ? part.rfind(": ") : part.rfind(':');
            if (colon == std::string_view::npos) continue;
            std::string_view key = trimmed(part.substr(0, colon));
            if (const std::size_t stamp = key.rfind("] "); stamp != std::string_view::npos) key = key.substr(stamp + 2);
            if (key.empty()) continue;
            const auto value = logNumber(part.substr(colon + 1), suffixes);
            if (!value) {
                m_builder.malformed("value that is not a number"_text);
                continue;
            }
            m_builder.add(*step, key, *value);
            any = true;
        }
        // A truncated line has a step but not a figure.
        if (!any) m_builder.malformed("step without figures"_text);
        return any;
    }

    // "  num_layers ...................................... 32", from Megatron's list of arguments.
    bool argument(std::string_view text) {
        const std::size_t dots = text.find(" ....");
        if (m_format != "megatron" || dots == std::string_view::npos) return false;
        std::string key(trimmed(text.substr(0, dots)));
        if (const std::size_t rank = key.rfind(": "); rank != std::string::npos) key = key.substr(rank + 2);
        const std::size_t end = text.find_first_not_of('.', dots + 1);
        if (end == std::string_view::npos || key.empty() || key.find(' ') != std::string::npos) return false;
        const std::string value(trimmed(text.substr(end)));
        if (value == "None" || value.empty()) return false;
        std::replace(key.begin(), key.end(), '_', '-');
        if (m_arguments.size() >= kMostArguments) return false;
        m_arguments[key] = value;
        return true;
    }

    // "step: 10  loss: 7.2  grad_norm: 1.2  memory: 40.0GiB(50.0%)  tps: 7,000  tflops: 400.1  mfu: 40.5%"
    bool titan(std::string_view text) {
        const std::size_t at = text.find("step:");
        if (at == std::string_view::npos || text.find("loss:") == std::string_view::npos) return false;
        const auto step = wholeOf(text.substr(at + 5));
        if (!step) {
            m_builder.malformed("no step number"_text);
            return false;
        }
        return pairs(text.substr(at), ':', *step, false);
    }

    /// "key: value" or "key=value" pairs; a key is the word before the mark, with "(s)" and the words of `spaced`.
    bool pairs(std::string_view text, char mark, std::int64_t step, bool spaced) {
        bool any = false;
        for (std::size_t colon = text.find(mark); colon != std::string_view::npos; colon = text.find(mark, colon + 1)) {
            std::size_t begin = colon;
            while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != ',' && text[begin - 1] != '/') --begin;
            std::string_view key = text.substr(begin, colon - begin);
            if (spaced && key == "(s)" && begin >= 10 && text.substr(begin - 10, 10) == "iter time ")
                key = text.substr(begin - 10, colon - begin + 10);
            if (spaced && begin >= 8 && text.substr(begin - 8, 8) == "samples/")
                key = text.substr(begin - 8, colon - begin + 8);
            if (key.empty() || std::isdigit(static_cast<unsigned char>(key[0])) || key == "step" || key == "steps" ||
                key == "global_step")
                continue;
            const auto value = logNumber(text.substr(colon + 1));
            if (!value) {
                if (findAlias(m_format, key) != nullptr) m_builder.malformed("value that is not a number"_text);
                continue;
            }
            if (m_format == "torchtitan" && key == "memory" && percentBehind(text.substr(colon + 1)) > 100) {
                m_builder.malformed("memory_reserved_bytes exceeds the device memory"_text);
                continue;
            }
            m_builder.add(step, key, *value);
            any = true;
        }
        if (!any) m_builder.malformed("step without figures"_text);
        return any;
    }

    /// 50 for "40.0GiB(50.0%)  ..."; 0 if the value is not followed by a share of the device.
    static double percentBehind(std::string_view text) {
        const std::string_view value = trimmed(text).substr(0, trimmed(text).find(' '));
        const std::size_t open = value.find('(');
        if (open == std::string_view::npos || !value.ends_with("%)")) return 0;
        return logNumber(value.substr(open + 1)).value_or(0);
    }

    bool deepSpeed(std::string_view text) {
        if (const std::size_t at = text.find("steps: ");
            at != std::string_view::npos && text.find("samples/sec") != std::string_view::npos) {
            const auto step = wholeOf(text.substr(at + 7));
            if (step) return pairs(text.substr(at), ':', *step, true);
            m_builder.malformed("no step number"_text);
            return false;
        }
        for (const std::string_view word : {"global_step=", "] step="}) {
            const std::size_t at = text.find(word);
            if (at == std::string_view::npos) continue;
            const auto step = wholeOf(text.substr(at + word.size()));
            if (step) return pairs(text.substr(at), '=', *step, false);
            m_builder.malformed("no step number"_text);
        }
        return false;
    }

    // "[batch=20/3200]:" and below it " Train loss/train/total: 8.5"
    bool composer(std::string_view text) {
        if (const std::size_t at = text.find("[batch="); at != std::string_view::npos) {
            m_step = wholeOf(text.substr(at + 7));
            if (!m_step) m_builder.malformed("no step number"_text);
            return m_step.has_value();
        }
        const std::string_view line = trimmed(text);
        if (!m_step || !line.starts_with("Train ")) return false;
        const std::size_t colon = line.rfind(": ");
        const auto value = colon == std::string_view::npos ? std::nullopt : logNumber(line.substr(colon + 2));
        if (!value) {
            m_builder.malformed("value that is not a number"_text);
            return false;
        }
        m_builder.add(*m_step, line.substr(6, colon - 6), *value);
        return true;
    }

    std::string m_format;
    LogBuilder& m_builder;
    Json m_arguments = Json::object();
    std::optional<std::int64_t> m_step;
};

}  // namespace

std::unique_ptr<LineReader> makeConsoleReader(const std::string& format, LogBuilder& builder) {
    return std::make_unique<Console>(format, builder);
}

}  // namespace slipway::interop
