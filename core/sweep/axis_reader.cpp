#include "core/sweep/axis_reader.h"

#include "core/base/hash.h"
#include "core/base/json_fields.h"
#include "core/spec/run_config.h"

#include <cmath>
#include <cstdio>

namespace slipway {
namespace {

void add(AxisContext& context, const char* code, const std::string& pointer, const Message& message) {
    context.issues.push_back(issueOf(Severity::Error, code, pointer, message));
}

std::vector<std::string> fieldPaths(const AxisContext& context) {
    std::vector<std::string> paths;
    for (const FieldInfo& info : context.fields) paths.push_back(info.path);
    return paths;
}

const FieldInfo* findField(const std::string& path, const std::string& pointer, AxisContext& context) {
    for (const FieldInfo& info : context.fields)
        if (info.path == path) return &info;
    const std::string section = path + ".";
    for (const FieldInfo& info : context.fields)
        if (info.path.starts_with(section)) {
            add(context, "unknown_field", pointer,
                "%1 is a section; name one of its fields, for example %2."_text(path, info.path));
            return nullptr;
        }
    const std::string near =
        context.issues.size() < kListedProblems ? nearestKey(path, fieldPaths(context)) : std::string();
    add(context, "unknown_field", pointer,
        near.empty() ? "Unknown field %1; `slipway fields` lists all."_text(path)
                     : "Unknown field %1%2"_text(path, didYouMean(near)));
    return nullptr;
}

/// A document with only this field.
Json nested(const std::string& path, const Json& value) {
    Json out = value;
    std::size_t end = path.size();
    while (end != std::string::npos) {
        const std::size_t dot = path.rfind('.', end == 0 ? 0 : end - 1);
        const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
        Json outer = Json::object();
        outer[path.substr(begin, end - begin)] = std::move(out);
        out = std::move(outer);
        end = dot;
    }
    return out;
}

/// Checks type and range of one value by reading a config with only this field; dependencies on other fields
/// ("no_effect") are checked at the expanded point.
void checkValue(const FieldInfo& info, const Json& value, const std::string& pointer, AxisContext& context) {
    if (value.is_null()) return;
    Issues found;
    (void)runConfigFromJson(nested(info.path, value), found);
    for (const Issue& issue : found)
        if (issue.severity == Severity::Error && issue.code != "no_effect" && issue.field.starts_with(info.path))
            add(context, issue.code.c_str(), pointer, issue.sentence());
}

void checkKeys(const Json& json, const std::string& pointer, const std::vector<std::string>& known,
               AxisContext& context) {
    for (const auto& item : json.items()) {
        if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
        const std::string near = context.issues.size() < kListedProblems ? nearestKey(item.key(), known) : "";
        add(context, "unknown_key", pointer + pointerToken(item.key()),
            "Unknown key %1%2"_text(item.key(), didYouMean(near)));
    }
}

/// Standard library distributions differ between vendors, these do not.
class RandomStream {
public:
    explicit RandomStream(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next() {
        const std::uint64_t bits = splitMix64(m_state);
        m_state += kSplitMix64Step;
        return bits;
    }
    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
    std::uint64_t m_state;
};

/// Distribution of one field.
struct Draw {
    std::string path;
    bool isInteger = false;
    double low = 0, high = 0;
    bool isLog = false;
    std::vector<Json> values;
};

Json drawOne(const Draw& draw, RandomStream& random) {
    const double u = random.uniform();
    if (!draw.values.empty()) return draw.values[static_cast<std::size_t>(u * static_cast<double>(draw.values.size()))];
    const double top = draw.isInteger && !draw.isLog ? draw.high + 1 : draw.high;
    double value = draw.isLog ? std::exp(std::log(draw.low) + u * (std::log(top) - std::log(draw.low)))
                              : draw.low + u * (top - draw.low);
    if (draw.isInteger)
        return static_cast<std::int64_t>(
            std::clamp(draw.isLog ? std::round(value) : std::floor(value), draw.low, draw.high));
    // Four digits: readable, and independent of the last bits of exp(), which differ between libraries.
    char text[40];
    std::snprintf(text, sizeof text, "%.4g", value);
    return std::stod(text);
}

std::optional<Draw> readDraw(const FieldInfo& info, const Json& json, const std::string& pointer,
                             const std::vector<std::string>& moreKeys, AxisContext& context) {
    const std::size_t before = context.issues.size();
    Draw draw;
    draw.path = info.path;
    draw.isInteger = info.kind == FieldKind::Integer;
    if (!json.is_object()) {
        add(context, "type_mismatch", pointer, "Must be an object with low and high, or with values."_text);
        return {};
    }
    std::vector<std::string> known = {"low", "high", "log", "values"};
    known.insert(known.end(), moreKeys.begin(), moreKeys.end());
    checkKeys(json, pointer, known, context);
    if (json.contains("values")) {
        const Json& values = json["values"];
        if (!values.is_array() || values.empty())
            add(context, "type_mismatch", pointer + "/values", "Must be a list with at least one value."_text);
        else
            for (std::size_t i = 0; i < values.size(); ++i) {
                checkValue(info, values[i], pointer + "/values/" + std::to_string(i), context);
                draw.values.push_back(values[i]);
            }
    } else if (info.kind == FieldKind::Bool) {
        draw.values = {Json(false), Json(true)};
    } else if (info.kind == FieldKind::Enum) {
        for (const std::string& word : info.choices) draw.values.emplace_back(word);
    } else if (info.kind != FieldKind::Integer && info.kind != FieldKind::Real) {
        add(context, "type_mismatch", pointer, "%1 is not a number; list the values to draw from."_text(info.path));
    } else {
        for (const char* key : {"low", "high"}) {
            const auto number = json.contains(key)
                                    ? numberFromJson(json[key], pointer + "/" + key)
                                    : Result<double>(fail("missing", "The key %1 is missing."_text(key)));
            if (!number)
                add(context, "type_mismatch", pointer + "/" + key, number.error().sentence());
            else {
                checkValue(info, json[key], pointer + "/" + key, context);
                (key[0] == 'l' ? draw.low : draw.high) = *number;
            }
        }
        if (json.contains("log")) {
            if (!json["log"].is_boolean())
                add(context, "type_mismatch", pointer + "/log", "Must be true or false."_text);
            else
                draw.isLog = json["log"].get<bool>();
        }
        if (context.issues.size() == before && draw.low > draw.high)
            add(context, "out_of_range", pointer, "low is above high."_text);
        if (context.issues.size() == before && draw.isLog && draw.low <= 0)
            add(context, "out_of_range", pointer + "/low", "Must be above 0 when log is true."_text);
    }
    if (context.issues.size() != before) return {};
    return draw;
}

std::int64_t readCount(const Json& json, const std::string& pointer, AxisContext& context) {
    if (!json.contains("num") || !json["num"].is_number_integer() || json["num"].get<double>() < 1 ||
        json["num"].get<double>() > kMostTrials) {
        add(context, "out_of_range", pointer + "/num",
            "Must be the number of draws, a whole number from 1 to 100000."_text);
        return 0;
    }
    return json["num"].get<std::int64_t>();
}

SweepAxis readRandom(const Json& json, const std::string& pointer, std::size_t index, AxisContext& context) {
    SweepAxis axis;
    const Json& random = json["random"];
    std::vector<Draw> draws;
    std::int64_t count = 0;
    std::uint64_t seed = context.seed;
    if (json.contains("seed")) {
        if (json["seed"].is_number_unsigned())
            seed = json["seed"].get<std::uint64_t>();
        else
            add(context, "type_mismatch", pointer + "/seed", "Must be a whole number, 0 or above."_text);
    }
    const std::string at = pointer + "/random";
    if (!random.is_object()) {
        add(context, "type_mismatch", at,
            "Must be an object such as {\"low\": 1e-4, \"high\": 1e-2, \"log\": true, \"num\": 8}."_text);
        return axis;
    }
    count = readCount(random, at, context);
    if (json.contains("field")) {
        if (!json["field"].is_string())
            add(context, "type_mismatch", pointer + "/field", "Must be text in quotes."_text);
        else if (const FieldInfo* info = findField(json["field"].get<std::string>(), pointer + "/field", context))
            if (auto draw = readDraw(*info, random, at, {"num"}, context)) draws.push_back(std::move(*draw));
    } else {
        checkKeys(random, at, {"num", "fields"}, context);
        if (!random.contains("fields") || !random["fields"].is_object() || random["fields"].empty())
            add(context, "missing", at + "/fields",
                "Name the fields to draw: {\"optimizer.lr\": {\"low\": 1e-4, \"high\": 1e-2}}. For one field, \"field\" beside \"random\" works too."_text);
        else
            for (const auto& item : random["fields"].items()) {
                const std::string itemAt = at + "/fields" + pointerToken(item.key());
                if (const FieldInfo* info = findField(item.key(), itemAt, context))
                    if (auto draw = readDraw(*info, item.value(), itemAt, {}, context))
                        draws.push_back(std::move(*draw));
            }
    }
    if (draws.empty()) return axis;
    RandomStream stream(seed + kSplitMix64Step * (index + 1));
    for (std::int64_t i = 0; i < count; ++i) {
        SettingGroup group;
        for (const Draw& draw : draws) group.settings.push_back({draw.path, dumpJson(drawOne(draw, stream), false)});
        axis.choices.push_back(std::move(group));
    }
    return axis;
}

/// The same training with the base's seed, the next seed, ...
SweepAxis readRepeats(const Json& json, const std::string& pointer, AxisContext& context) {
    SweepAxis axis;
    const Json& count = json["repeats"];
    if (json.contains("field"))
        add(context, "no_effect", pointer + "/field",
            "field has no effect together with repeats, which vary train.seed."_text);
    if (!count.is_number_integer() || count.get<double>() < 1 || count.get<double>() > 1000) {
        add(context, "out_of_range", pointer + "/repeats", "Must be a whole number from 1 to 1000."_text);
        return axis;
    }
    for (std::int64_t i = 0; i < count.get<std::int64_t>(); ++i)
        axis.choices.push_back({"", {{"train.seed", std::to_string(context.baseSeed + i)}}});
    return axis;
}

}  // namespace

SettingGroup readSettingGroup(const Json& json, const std::string& pointer, AxisContext& context) {
    SettingGroup group;
    if (!json.is_object()) {
        add(context, "type_mismatch", pointer,
            "Must be an object such as {\"name\": \"TP 2\", \"parallel.tp\": 2}."_text);
        return group;
    }
    for (const auto& item : json.items()) {
        const std::string at = pointer + pointerToken(item.key());
        if (item.key() == "name") {
            if (!item.value().is_string() || item.value().get_ref<const std::string&>().empty())
                add(context, "type_mismatch", at, "Must be text in quotes."_text);
            else
                group.name = item.value().get<std::string>();
        } else if (const FieldInfo* info = findField(item.key(), at, context)) {
            checkValue(*info, item.value(), at, context);
            group.settings.push_back({item.key(), dumpJson(item.value(), false)});
        }
    }
    return group;
}

SweepAxis readAxis(const Json& json, const std::string& pointer, std::size_t index, AxisContext& context) {
    SweepAxis axis;
    if (!json.is_object()) {
        add(context, "type_mismatch", pointer,
            "Must be an object such as {\"field\": \"parallel.tp\", \"values\": [1, 2]}."_text);
        return axis;
    }
    const std::size_t before = context.issues.size();
    checkKeys(json, pointer, {"field", "values", "list", "random", "seed", "repeats"}, context);
    const int kinds = static_cast<int>(json.contains("values")) + static_cast<int>(json.contains("list")) +
                      static_cast<int>(json.contains("random")) + static_cast<int>(json.contains("repeats"));
    if (kinds != 1) {
        if (context.issues.size() != before) return axis;  // the misspelt key is the cause
        add(context, "missing", pointer, "An axis has exactly one of values, list, random and repeats."_text);
        return axis;
    }
    if (json.contains("seed") && !json.contains("random"))
        add(context, "no_effect", pointer + "/seed", "seed has no effect without random."_text);
    if (json.contains("random")) return readRandom(json, pointer, index, context);
    if (json.contains("repeats")) return readRepeats(json, pointer, context);
    const char* key = json.contains("values") ? "values" : "list";
    const Json& items = json[key];
    const std::string at = pointer + "/" + key;
    if (!items.is_array() || items.empty()) {
        add(context, "type_mismatch", at, "Must be a list with at least one entry."_text);
        return axis;
    }
    if (json.contains("list")) {
        if (json.contains("field"))
            add(context, "no_effect", pointer + "/field",
                "field has no effect together with list; each entry names its fields."_text);
        for (std::size_t i = 0; i < items.size(); ++i)
            axis.choices.push_back(readSettingGroup(items[i], at + "/" + std::to_string(i), context));
        return axis;
    }
    if (!json.contains("field") || !json["field"].is_string()) {
        add(context, "missing", pointer + "/field",
            "Name the field that takes these values, for example \"parallel.tp\"."_text);
        return axis;
    }
    const std::string path = json["field"].get<std::string>();
    if (const FieldInfo* info = findField(path, pointer + "/field", context))
        for (std::size_t i = 0; i < items.size(); ++i) {
            checkValue(*info, items[i], at + "/" + std::to_string(i), context);
            axis.choices.push_back({"", {{path, dumpJson(items[i], false)}}});
        }
    return axis;
}

}  // namespace slipway
