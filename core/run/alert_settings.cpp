#include "core/run/alert_settings.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/base/units.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

Error wrong(const Message& text, const std::string& where) {
    return errorOf("bad_alerts", text, where);
}

Result<void> checkThreshold(const AlertRuleInfo& info, double threshold, const std::string& where) {
    if (info.unit.empty() || (threshold >= info.least && threshold <= info.most)) return {};
    return fail(
        "bad_alerts",
        "The threshold of %1 must be from %2 to %3 %4."_text(std::string(info.word), formatSignificant(info.least, 3),
                                                             formatSignificant(info.most, 4), std::string(info.unit)),
        where);
}

Result<void> readRule(const std::string& word, const Json& json, AlertSettings& settings, const std::string& where) {
    const AlertRuleInfo* info = findAlertRule(word);
    if (info == nullptr) return fail(wrong("Unknown alert."_text, where));
    if (!json.is_object()) return fail(wrong("Must be an object with the members on and threshold."_text, where));
    AlertChoice& choice = settings.choices[static_cast<std::size_t>(info->rule)];
    for (const auto& [key, value] : json.items()) {
        const std::string at = where + pointerToken(key);
        if (key == "on" && value.is_boolean()) {
            choice.isOn = value.get<bool>();
        } else if (key == "threshold" && value.is_number() && !info->unit.empty()) {
            choice.threshold = value.get<double>();
            if (auto good = checkThreshold(*info, choice.threshold, at); !good) return good;
        } else {
            return fail(
                wrong("An alert has on, true or false, and threshold, a number where the rule has one."_text, at));
        }
    }
    return {};
}

}  // namespace

std::filesystem::path alertSettingsFile(const Home& home) {
    return home.path / "alerts.json";
}

Result<AlertSettings> readAlertSettings(const Home& home) {
    const auto path = alertSettingsFile(home);
    const auto json = readOwnJson(path);
    AlertSettings settings;
    if (!json && json.error().code == "file_missing") return settings;
    if (!json) return fail(json.error());
    const std::string file = path.string();
    if (!json->is_object()) return fail(wrong("An object with hook and rules is expected."_text, file));
    for (const auto& [key, value] : json->items()) {
        const std::string at = file + ":" + pointerToken(key);
        if (key == "hook" && value.is_array()) {
            for (const Json& word : value) {
                if (!word.is_string()) return fail(wrong("A hook is a list of texts."_text, at));
                settings.hook.push_back(word.get<std::string>());
            }
        } else if (key == "rules" && value.is_object()) {
            for (const auto& [word, rule] : value.items())
                if (auto read = readRule(word, rule, settings, at + pointerToken(word)); !read)
                    return fail(read.error());
        } else {
            return fail(wrong("Must have the members hook (a list) and rules (an object)."_text, at));
        }
    }
    return settings;
}

Result<void> writeAlertSettings(const Home& home, const AlertSettings& settings) {
    Json rules = Json::object();
    for (const AlertRuleInfo& info : alertRules()) {
        const AlertChoice& choice = settings.choices[static_cast<std::size_t>(info.rule)];
        if (auto good = checkThreshold(info, choice.threshold, "threshold"); !good) return good;
        Json rule{{"on", choice.isOn}};
        if (!info.unit.empty()) rule["threshold"] = choice.threshold;
        rules[std::string(info.word)] = std::move(rule);
    }
    if (auto made = makeFolders(home.path); !made) return made;
    return writeJsonFile(alertSettingsFile(home), Json{{"hook", settings.hook}, {"rules", std::move(rules)}});
}

}  // namespace slipway
