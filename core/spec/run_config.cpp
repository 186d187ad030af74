#include "core/spec/run_config.h"

#include "core/base/hash.h"
#include "core/base/json_fields.h"

#include <cmath>
#include <map>

namespace slipway {

RunConfig runConfigFromJson(const Json& json, Issues& issues) {
    RunConfig config = fields::fromJson<RunConfig>(json, issues);
    if (config.schema != kConfigSchema)
        fields::addIssue(issues, "schema_version", "schema",
                         "schema is %1; this version reads schema %2."_text(config.schema, kConfigSchema));
    return config;
}

Result<RunConfig> parseRunConfig(const Json& json, const std::string& where) {
    Issues issues;
    RunConfig config = runConfigFromJson(json, issues);
    if (issues.empty()) return config;
    return fail("bad_config", issues, where);
}

Json toJson(const RunConfig& config) {
    return fields::toJson(config);
}

Json toJson(const ClusterSpec& cluster) {
    return fields::toJson(cluster);
}

namespace {

/// Hardware saved by earlier versions had one efficiency per stack and a profile of 58 figures. Without a calibration those
/// fields are meaningless and dropped; with one the runs must be fitted again.
std::optional<Issue> oldCalibration(Json& cluster, const std::string& prefix) {
    if (!cluster.is_object()) return {};
    const bool calibrated = cluster.value("stack_efficiency", Json(1)) != Json(1) && cluster["stack_efficiency"] != 1.0;
    const bool profile =
        cluster.contains("stack") && cluster["stack"].is_object() && cluster["stack"].contains("layer_host_seconds");
    if (calibrated || profile)
        return issueOf(
            Severity::Error, "old_calibration", fields::dotted(prefix, "stack"),
            "This calibration is of an earlier version; calibrate again with slipway validate DATA.csv --calibrate "
            "DATA.csv --save FILE."_text);
    for (const char* key : {"stack_efficiency", "step_low_ratio", "step_high_ratio"}) cluster.erase(key);
    return {};
}

}  // namespace

ClusterSpec clusterFromJson(const Json& json, Issues& issues, const std::string& prefix) {
    const std::size_t before = issues.size();
    Json known = json;
    if (auto issue = oldCalibration(known, prefix)) {
        issues.push_back(std::move(*issue));
        return {};
    }
    ClusterSpec cluster = fields::fromJson<ClusterSpec>(known, issues, prefix);
    if (issues.size() > before) return cluster;  // unreadable fields would be reported twice
    for (Issue& issue : curveIssues(cluster.commCurves, fields::dotted(prefix, "comm_curves")))
        issues.push_back(std::move(issue));
    return cluster;
}

Json toJson(const ModelSpec& model) {
    return fields::toJson(model);
}

ModelSpec modelFromJson(const Json& json, Issues& issues, const std::string& prefix) {
    return fields::fromJson<ModelSpec>(json, issues, prefix);
}

FieldInfos runConfigFields(const RunConfig& config) {
    return fields::collect(config);
}

FieldInfos clusterFields(const ClusterSpec& cluster) {
    FieldInfos infos = fields::collect(cluster, "cluster");
    // Measured and calibrated values are read and written with the cluster, but are not for people to enter.
    std::erase_if(infos, [](const FieldInfo& info) {
        return info.path.starts_with("cluster.stack") || info.path == "cluster.comm_curves";
    });
    return infos;
}

namespace {

// Text typed by a person -> the JSON value for a field of this kind.
Result<Json> valueFromText(const FieldInfo& info, const std::string& text) {
    switch (info.kind) {
        case FieldKind::Text:
        case FieldKind::Enum: return Json(text);
        case FieldKind::TextList: {
            if (text.starts_with('[')) return parseJson(text, info.path);
            Json list = Json::array();
            std::size_t begin = 0;
            while (begin <= text.size()) {
                const std::size_t comma = std::min(text.find(',', begin), text.size());
                list.push_back(text.substr(begin, comma - begin));
                begin = comma + 1;
            }
            return list;
        }
        case FieldKind::IntegerList:
        case FieldKind::RealList:
        case FieldKind::StructList: {
            const bool bracketed = !text.empty() && text.front() == '[';
            return parseJson(bracketed ? text : "[" + text + "]", info.path);
        }
        default: break;
    }
    auto value = parseJson(text, info.path);
    if (!value || !value->is_primitive()) return Json(text);  // fromJson reports the field and its type
    return value;
}

}  // namespace

Result<void> setField(Json& config, const std::string& path, const std::string& text) {
    const FieldInfos all = runConfigFields();
    std::vector<std::string> paths;
    const FieldInfo* found = nullptr;
    for (const FieldInfo& info : all) {
        paths.push_back(info.path);
        if (info.path == path) found = &info;
    }
    if (found == nullptr) {
        return fail("unknown_field", "Unknown field %1%2"_text(path, didYouMean(nearestKey(path, paths))), path);
    }
    Json* at = &config;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; begin = dot + 1, dot = path.find('.', begin)) {
        Json& next = (*at)[path.substr(begin, dot - begin)];
        if (next.is_null()) next = Json::object();
        if (!next.is_object())
            return fail("type_mismatch", "%1 must be an object { ... }."_text(path.substr(0, dot)), path);
        at = &next;
    }
    const std::string leaf = path.substr(begin);
    if (text.empty() || text == "default") {
        at->erase(leaf);
        return {};
    }
    auto value = valueFromText(*found, text);
    if (!value) return fail(value.error());
    (*at)[leaf] = std::move(*value);
    return {};
}

std::vector<FieldDifference> diffConfigs(const RunConfig& left, const RunConfig& right) {
    const auto leaves = [](const RunConfig& config) {
        std::map<std::string, std::string> values;
        // A missing part of a model has no fields, not the defaults of that part.
        const auto isThere = [&](const std::string& path) {
            return (config.model.moe || !path.starts_with("model.moe.")) &&
                   (config.model.mla || !path.starts_with("model.mla."));
        };
        for (const FieldInfo& info : runConfigFields(config))
            if (info.applies && isThere(info.path) && info.defaultJson != "null") values[info.path] = info.defaultJson;
        return values;
    };
    const auto a = leaves(left);
    const auto b = leaves(right);
    std::vector<FieldDifference> out;
    for (const FieldInfo& info : runConfigFields()) {
        if (info.path == "name" || info.path == "schema") continue;
        const auto x = a.find(info.path);
        const auto y = b.find(info.path);
        const std::string l = x == a.end() ? "" : x->second;
        const std::string r = y == b.end() ? "" : y->second;
        if (l != r) out.push_back({info.path, l, r});
    }
    return out;
}

std::string configHash(const RunConfig& config) {
    RunConfig nameless = config;
    nameless.name.clear();
    nameless.software.clear();  // the subject of a forecast, not of the training
    return hashText(dumpJson(toJson(nameless), false));
}

}  // namespace slipway
