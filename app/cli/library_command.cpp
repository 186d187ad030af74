// models and devices: the presets of the library.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/count/parameters.h"
#include "core/planner/default_run.h"
#include "core/planner/presets.h"

#include <algorithm>

namespace slipway {
namespace {

/// Every word stands in the text, ignoring case.
bool matches(std::string text, const std::vector<std::string>& words) {
    const auto lower = [](std::string& s) {
        for (char& c : s)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    };
    lower(text);
    return std::ranges::all_of(words, [&](std::string word) {
        lower(word);
        return text.find(word) != std::string::npos;
    });
}

Cell text(std::string words) {
    return {std::move(words), {}, Tone::Plain};
}

Cell number(std::string words, double value) {
    return {std::move(words), value, Tone::Plain};
}

template <class T>
Json optionalJson(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// A list of presets that match the words, as a table or as JSON.
class LibraryCommand : public Command {
public:
    void declare(Arguments& arguments) override {
        arguments.option("words", m_words, "Only those whose name has these words").shownAs("WORD");
    }
    Result<int> run(CliContext& context) override {
        Table table;
        const Json list = fill(table);
        if (list.empty())
            return fail("usage", "The library has none with these words; `slipway " + name() + "` lists all.", "words");
        if (context.json)
            context.out << dumpJson(list, true);
        else
            printTable(context.out, table, context.outColour);
        return kExitDone;
    }

protected:
    virtual Json fill(Table& table) const = 0;
    [[nodiscard]] bool isAsked(const std::string& name) const { return matches(name, m_words); }
    static void head(Table& table, std::initializer_list<const char*> titles) {
        for (const char* title : titles) table.columns.push_back({title, title, "", !table.columns.empty(), ""});
    }

private:
    std::vector<std::string> m_words;
};

class ModelsCommand : public LibraryCommand {
public:
    std::string name() const override { return "models"; }
    std::string summary() const override { return "List the models of the library, for --model"; }
    std::string examples() const override {
        return "  slipway models\n  slipway models llama3\n  slipway plan --model llama3-8b";
    }

protected:
    Json fill(Table& table) const override {
        head(table, {"Model", "Parameters", "Layers", "Hidden", "Heads", "KV heads", "Vocabulary", "Length"});
        Json list = Json::array();
        for (const ModelPreset& preset : modelPresets()) {
            if (!isAsked(preset.id + " " + preset.title)) continue;
            const ModelSpec& m = preset.model;
            const double parameters = countParameters(m).total;
            const auto count = [](std::int64_t value) {
                return number(std::to_string(value), static_cast<double>(value));
            };
            table.rows.push_back({text(preset.id), number(formatShort(parameters), parameters), count(m.numLayers),
                                  count(m.hiddenSize), count(m.numHeads), count(m.kvHeads()), count(m.vocabSize),
                                  count(ownSeqLen(m))});
            list.push_back({{"id", preset.id},
                            {"title", preset.title},
                            {"parameters", parameters},
                            {"published_parameters", optionalJson(preset.publishedParameters)},
                            {"seq_len", ownSeqLen(m)},
                            {"model", toJson(m)},
                            {"source", preset.source}});
        }
        return list;
    }
};

class DevicesCommand : public LibraryCommand {
public:
    std::string name() const override { return "devices"; }
    std::string summary() const override { return "List the devices of the library, for --cluster"; }
    std::string examples() const override {
        return "  slipway devices\n  slipway devices nvidia\n  slipway plan --model llama3-8b --cluster H100 --devices 64";
    }

protected:
    Json fill(Table& table) const override {
        head(table, {"Device", "Memory", "Bandwidth", "bf16 peak", "Power", "A node", "Link"});
        Json list = Json::array();
        for (const ClusterSpec& preset : devicePresets()) {
            const DeviceSpec& d = preset.device;
            if (!isAsked(d.name)) continue;
            const auto known = [](const std::optional<double>& value, std::string (*format)(double)) {
                return value ? number(format(*value), *value) : Cell{"-", {}, Tone::Quiet};
            };
            table.rows.push_back(
                {text(d.name), number(formatBytes(d.memoryBytes), d.memoryBytes),
                 number(formatBandwidth(d.memoryBytesPerSecond), d.memoryBytesPerSecond),
                 known(d.peakBf16Flops, formatFlops),
                 known(d.powerWatts, [](double v) { return formatFixed(v, 0) + " W"; }),
                 number(std::to_string(preset.devicesPerNode), static_cast<double>(preset.devicesPerNode)),
                 number(formatBandwidth(preset.intraNode.bytesPerSecond), preset.intraNode.bytesPerSecond)});
            list.push_back(toJson(preset));
        }
        return list;
    }
};

}  // namespace

std::unique_ptr<Command> makeModelsCommand() {
    return std::make_unique<ModelsCommand>();
}

std::unique_ptr<Command> makeDevicesCommand() {
    return std::make_unique<DevicesCommand>();
}

}  // namespace slipway
