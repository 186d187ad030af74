// models and devices: the presets of the library.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/count/parameters.h"
#include "core/planner/default_run.h"
#include "core/planner/user_hardware.h"

#include <algorithm>

namespace slipway {
namespace {

/// Whether every word occurs in the text, ignoring case.
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
        arguments.option("words", m_words, "Only names with these words"_text).shownAs("WORD");
    }
    Result<int> run(CliContext& context) override {
        Table table;
        const Json list = fill(context, table);
        if (list.empty())
            return fail("usage", "The library has no entry with these words; `slipway %1` lists all."_text(name()),
                        "words");
        if (context.json)
            context.out << dumpJson(list, true);
        else
            printTable(context.out, table, context.outColour);
        return kExitDone;
    }

protected:
    virtual Json fill(const CliContext& context, Table& table) const = 0;
    [[nodiscard]] const std::vector<std::string>& wordsAsked() const { return m_words; }
    [[nodiscard]] bool isAsked(const std::string& name) const { return matches(name, m_words); }
    static void head(const CliContext& context, Table& table, std::initializer_list<SourceText> titles) {
        for (const SourceText title : titles)
            table.columns.push_back({context.text(title), "", "", !table.columns.empty(), ""});
    }

private:
    std::vector<std::string> m_words;
};

class ModelsCommand : public LibraryCommand {
public:
    std::string name() const override { return "models"; }
    Message summary() const override { return "List the models of the library, for --model"_text; }
    Examples examples() const override {
        return {{"slipway models"}, {"slipway models llama3"}, {"slipway plan --model llama3-8b"}};
    }

protected:
    Json fill(const CliContext& context, Table& table) const override {
        head(context, table,
             {"Model"_text, "Parameters"_text, "Layers"_text, "Hidden size"_text, "Heads"_text, "KV heads"_text,
              "Vocabulary"_text, "Length"_text});
        Json list = Json::array();
        for (const ModelPreset& preset : modelPresets()) {
            if (!isAsked(preset.id + " " + preset.title)) continue;
            const ModelSpec& m = preset.model;
            const double parameters = countParameters(m).total;
            const auto count = [](std::int64_t value) {
                return number(std::to_string(value), static_cast<double>(value));
            };
            table.rows.push_back({text(preset.id), number(formatShort(parameters, context.language), parameters),
                                  count(m.numLayers), count(m.hiddenSize), count(m.numHeads), count(m.kvHeads()),
                                  count(m.vocabSize), count(ownSeqLen(m))});
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
    Message summary() const override { return "List the devices of the library and your own, for --cluster"_text; }
    Examples examples() const override {
        return {{"slipway devices"},
                {"slipway devices nvidia"},
                {"slipway plan --model llama3-8b --cluster H100 --devices 64"},
                {"slipway devices --prices", "offers per hour, with source"_text},
                {"slipway devices --add own.json", "devices and prices of your own, kept in the home"_text},
                {"slipway devices H100 SXM --set device.price_per_hour=2.1"},
                {"slipway devices H100 SXM --remove", "your figures of it; the library's are back"_text}};
    }
    void declare(Arguments& arguments) override {
        LibraryCommand::declare(arguments);
        arguments
            .option("--add", m_file,
                    "Add the devices and prices of a file, or take the place of those of the same name: {\"devices\": "
                    "[...], \"prices\": [...]}, as in the home's devices.json"_text)
            .shownAs("FILE");
        arguments
            .option("--set", m_settings,
                    "Set a figure of one device, such as device.price_per_hour=2.1; may be repeated"_text)
            .shownAs("FIELD=VALUE")
            .oneEach();
        arguments.flag("--remove", m_remove, "Remove your figures of one device"_text);
        arguments.flag("--prices", m_prices, "List prices instead of devices"_text);
    }
    Result<int> run(CliContext& context) override {
        const bool changes = !m_file.empty() || !m_settings.empty() || m_remove;
        if (!changes) return m_prices ? listPrices(context) : LibraryCommand::run(context);
        const std::filesystem::path file = context.home.path / kUserHardwareFile;
        auto own = readUserHardware(file);
        if (!own) return fail(own.error());
        if (!m_file.empty()) {
            if (const auto added = add(*own); !added) return fail(added.error());
        } else {
            const auto device = oneDevice();
            if (!device) return fail(device.error());
            if (m_remove) {
                if (!dropDevice(*own, *device))
                    return fail("usage", "You have no figures of %1; the library's stay."_text(*device), "--remove");
            } else if (const auto set = change(*own, *device); !set) {
                return fail(set.error());
            }
        }
        if (const auto written = writeUserHardware(file, *own); !written) return fail(written.error());
        useUserHardware(*own);
        if (context.json) {
            context.out << dumpJson(
                Json{{"file", file.string()}, {"devices", own->devices.size()}, {"prices", own->prices.size()}}, true);
            return kExitDone;
        }
        context.out << "%1: %2 devices, %3 prices of your own."_text(file.string(), own->devices.size(),
                                                                     own->prices.size())
                    << '\n';
        return kExitDone;
    }

protected:
    Json fill(const CliContext& context, Table& table) const override {
        head(context, table,
             {"Device"_text, "Memory"_text, "Bandwidth"_text, "bf16 peak"_text, "Power"_text, "Per node"_text,
              "Link"_text, "Figures"_text});
        Json list = Json::array();
        for (const ClusterSpec& preset : devicePresets()) {
            const DeviceSpec& d = preset.device;
            if (!isAsked(d.name)) continue;
            const auto known = [](const std::optional<double>& value, std::string (*format)(double)) {
                return value ? number(format(*value), *value) : Cell{"-", {}, Tone::Quiet};
            };
            const bool isShipped = shippedDevice(d.name) != nullptr;
            table.rows.push_back(
                {text(d.name), number(formatBytes(d.memoryBytes), d.memoryBytes),
                 number(formatBandwidth(d.memoryBytesPerSecond), d.memoryBytesPerSecond),
                 known(d.peakBf16Flops, formatFlops),
                 known(d.powerWatts, [](double v) { return formatFixed(v, 0) + " W"; }),
                 number(std::to_string(preset.devicesPerNode), static_cast<double>(preset.devicesPerNode)),
                 number(formatBandwidth(preset.intraNode.bytesPerSecond), preset.intraNode.bytesPerSecond),
                 text(context.text(!isShipped                    ? "yours"_text
                                   : usersFields(preset).empty() ? "library"_text
                                                                 : "changed by you"_text))});
            list.push_back(toJson(preset));
        }
        return list;
    }

private:
    /// The full name of the only device that matches the words.
    [[nodiscard]] Result<std::string> oneDevice() const {
        std::string words;
        for (const std::string& word : wordsAsked()) words += (words.empty() ? "" : " ") + word;
        const std::vector<const ClusterSpec*> meant = devicePresetsLike(words);
        if (meant.size() == 1) return meant.front()->device.name;
        return fail("usage",
                    meant.empty() ? "Name the device; `slipway devices` lists them."_text
                                  : "%1 may be several devices; name one in full."_text(words),
                    "words");
    }

    Result<void> add(UserHardware& own) const {
        const auto text = readFile(m_file);
        if (!text) return fail(text.error());
        const auto more = parseUserHardware(*text, m_file);
        if (!more) return fail(more.error());
        for (const ClusterSpec& device : more->devices) putDevice(own, device);
        for (const ListedPrice& price : more->prices) {
            std::erase_if(own.prices, [&](const ListedPrice& other) {
                return other.device == price.device && other.offer == price.offer;
            });
            own.prices.push_back(price);
        }
        return {};
    }

    Result<void> change(UserHardware& own, const std::string& device) const {
        for (const std::string& setting : m_settings) {
            const std::size_t equals = setting.find('=');
            if (equals == std::string::npos || equals == 0)
                return fail("usage", "--set takes FIELD=VALUE, for example --set device.price_per_hour=2.1."_text,
                            "--set");
            const auto changed = changedDevice(device, setting.substr(0, equals), setting.substr(equals + 1));
            if (!changed) return fail(changed.error());
            putDevice(own, *changed);
            useUserHardware(own);  // base of the next change
        }
        return {};
    }

    Result<int> listPrices(CliContext& context) const {
        Table table;
        head(context, table,
             {"Device"_text, "Offer"_text, "Price per hour"_text, "Currency"_text, "Date"_text, "Source"_text});
        Json list = Json::array();
        for (const ListedPrice& p : listedPrices()) {
            if (!isAsked(p.device + " " + p.offer)) continue;
            table.rows.push_back({text(p.device), text(p.offer),
                                  number(formatSignificant(p.pricePerHour, 4), p.pricePerHour), text(p.currency),
                                  text(p.date), text(p.source)});
            list.push_back({{"device", p.device},
                            {"offer", p.offer},
                            {"price_per_hour", p.pricePerHour},
                            {"currency", p.currency},
                            {"source", p.source},
                            {"date", p.date}});
        }
        if (context.json)
            context.out << dumpJson(list, true);
        else
            printTable(context.out, table, context.outColour);
        return kExitDone;
    }

    std::string m_file;
    std::vector<std::string> m_settings;
    bool m_remove = false, m_prices = false;
};

}  // namespace

std::unique_ptr<Command> makeModelsCommand() {
    return std::make_unique<ModelsCommand>();
}

std::unique_ptr<Command> makeDevicesCommand() {
    return std::make_unique<DevicesCommand>();
}

}  // namespace slipway
