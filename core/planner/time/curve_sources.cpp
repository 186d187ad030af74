#include "core/planner/time/curve_sources.h"

#include "core/base/csv_table.h"
#include "core/base/json.h"
#include "core/base/real.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/nccl_tests.h"
#include "core/spec/link_fit.h"
#include "core/spec/run_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

namespace slipway {

// Made at build time from resources/ (packaging/cmake/EmbedText.cmake).
std::vector<std::string> embeddedCurveFiles();

namespace {

std::optional<Collective> collectiveNamed(std::string_view word) {
    for (const auto& name : enumNames(Collective{}))
        if (name.word == word) return name.value;
    return {};
}

/// One row of a table.
struct Measured {
    std::size_t line = 0;
    double sentBytes = 0, seconds = 0;
    std::optional<double> latencySeconds;
};

/// By operation, ranks and nodes.
using Groups =
    std::map<std::tuple<Collective, std::int64_t, std::int64_t>, std::pair<CommCurve, std::vector<Measured>>>;

Result<void> readRow(const CsvTable& table, std::size_t row, BandwidthKind kind, const std::string& where,
                     Groups& groups) {
    const auto bad = [&](const Message& message) { return fail("bad_value", message, where); };
    const auto operation = collectiveNamed(table.text(row, "collective"));
    if (!operation) {
        std::string all;
        for (const auto& name : enumNames(Collective{})) all += (all.empty() ? "" : ", ") + std::string(name.word);
        return bad("collective is \"%1\"; it must be one of %2."_text(table.text(row, "collective"), all));
    }
    const auto ranks = table.count(row, "gpus"), nodes = table.count(row, "nodes");
    if (!ranks || *ranks < 2) return bad("gpus must be a whole number of at least 2."_text);
    if (!nodes || *nodes < 1 || *nodes > *ranks) return bad("nodes must be a whole number from 1 to gpus."_text);
    const auto megabytes = table.number(row, "message_mb"), rate = table.number(row, "gb_per_s_mean"),
               latency = table.number(row, "latency_us");
    if (!megabytes || !(*megabytes > 0)) return bad("message_mb must be a number above 0."_text);
    if (!rate || !(*rate > 0)) return bad("gb_per_s_mean must be a number above 0."_text);
    if (!table.text(row, "latency_us").empty() && (!latency || *latency < 0))
        return bad("latency_us must be a number of at least 0."_text);
    auto& [curve, measured] = groups[{*operation, *ranks, *nodes}];
    curve.operation = *operation;
    curve.ranks = *ranks;
    curve.ranksPerNode = *nodes == 1 ? *ranks : (*ranks + *nodes - 1) / *nodes;
    curve.source = table.text(row, "source");
    curve.sourceDate = table.text(row, "date");
    Measured m{table.line(row), ringBytes(*operation, real(*ranks), *megabytes * 1e6), 0, {}};
    const double moved = kind == BandwidthKind::Bus ? m.sentBytes : *megabytes * 1e6;
    m.seconds = moved / (*rate * 1e9);
    if (latency) m.latencySeconds = *latency / 1e6;
    for (const Measured& other : measured)
        if (other.sentBytes == m.sentBytes)
            return bad("Line %1 has the same operation, group and size; keep one."_text(other.line));
    if (m.latencySeconds && !(*m.latencySeconds < m.seconds))
        return bad("latency_us must be below the time of the message."_text);
    measured.push_back(m);
    return {};
}

/// @param oneSize true when the latency is the link's
void fitCurve(const std::vector<Measured>& measured, const ClusterSpec& cluster, CommCurve& curve, bool& oneSize) {
    const Measured& first = measured.front();
    if (measured.size() > 1) {
        std::vector<TimedMessage> messages;
        for (const Measured& m : measured) messages.push_back({m.sentBytes, m.seconds});
        const LinkSpec link = fitLink(messages);
        curve.latencySeconds = link.latencySeconds;
        curve.bytesPerSecond = link.bytesPerSecond;
        return;
    }
    const LinkSpec& link = curve.inOneNode() ? cluster.intraNode : cluster.interNode;
    oneSize = oneSize || !first.latencySeconds;
    curve.latencySeconds = first.latencySeconds.value_or(
        std::min(ringHops(curve.operation, real(curve.ranks)) * link.latencySeconds, first.seconds / 2));
    curve.bytesPerSecond = first.sentBytes / (first.seconds - curve.latencySeconds);
}

Result<CurveTable> fromCsv(const std::string& text, const std::string& name, BandwidthKind kind,
                           const ClusterSpec& cluster) {
    const auto table = CsvTable::parse(text, name);
    if (!table) return fail(table.error());
    for (const char* column : {"collective", "gpus", "nodes", "message_mb", "gb_per_s_mean"})
        if (!table->has(column))
            return fail("unknown_columns", "A table of curves needs the column %1."_text(column), name);
    Groups groups;
    for (std::size_t row = 0; row < table->numRows(); ++row)
        if (const auto read = readRow(*table, row, kind, name + ":" + std::to_string(table->line(row)), groups); !read)
            return fail(read.error());
    CurveTable out;
    bool oneSize = false;
    for (auto& [group, entry] : groups) {
        fitCurve(entry.second, cluster, entry.first, oneSize);
        out.curves.push_back(entry.first);
    }
    out.notes.push_back(kind == BandwidthKind::Bus
                            ? "GB/s are read as bus bandwidth: the bytes that a rank sends per second in a ring."_text
                            : "GB/s are read as algorithm bandwidth, bytes of the whole tensor per second."_text);
    if (oneSize)
        out.notes.push_back(
            "Groups measured at one size have the link's latency per hop, at most half of the measured time."_text);
    return out;
}

/// Bytes of a bench record are the full tensor's.
Result<CurveTable> fromBench(const Json& json, const std::string& name) {
    const auto bad = [&](SourceText message) { return fail("bad_value", message, name); };
    if (!json["comm"].is_array()) return bad("comm must be a list of samples."_text);
    CommCurve curve;
    curve.ranks = 2;  // records without comm_ranks
    if (json.contains("comm_ranks")) {
        if (!json["comm_ranks"].is_number_integer() || json["comm_ranks"].get<std::int64_t>() < 2)
            return bad("comm_ranks must be at least 2."_text);
        curve.ranks = json["comm_ranks"].get<std::int64_t>();
    }
    curve.ranksPerNode = curve.ranks;  // records without comm_ranks_per_node are of one computer
    if (const auto own = json.find("comm_ranks_per_node"); own != json.end()) {
        if (!own->is_number_integer() || own->get<std::int64_t>() < 1)
            return bad("comm_ranks_per_node must be at least 1."_text);
        curve.ranksPerNode = std::min(curve.ranks, own->get<std::int64_t>());
    }
    curve.source = "slipway-trainer bench --comm";
    constexpr std::int64_t kYear9999 = 253402300800000;
    if (const auto at = json.find("comm_unix_ms"); at != json.end() && at->is_number_unsigned() &&
                                                   at->get<std::int64_t>() >= 0 &&
                                                   at->get<std::int64_t>() < kYear9999) {
        using namespace std::chrono;
        const year_month_day day(floor<days>(sys_time<milliseconds>(milliseconds(at->get<std::int64_t>()))));
        char date[32];
        std::snprintf(date, sizeof date, "%04d-%02u-%02u", static_cast<int>(day.year()),
                      static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
        curve.sourceDate = date;
    }
    std::map<Collective, std::vector<TimedMessage>> samples;
    for (const Json& sample : json["comm"]) {
        const auto number = [&](const char* key) {
            const auto value =
                sample.is_object() && sample.contains(key) ? numberFromJson(sample[key], key) : Result<double>(0);
            return value.value_or(0);
        };
        const bool named = sample.is_object() && sample.contains("operation") && sample["operation"].is_string();
        const auto operation = named ? collectiveNamed(sample["operation"].get<std::string>()) : std::nullopt;
        if (!operation || !(number("bytes") > 0) || !(number("seconds") > 0))
            return bad("A sample of comm needs operation, bytes and seconds."_text);
        samples[*operation].push_back({ringBytes(*operation, real(curve.ranks), number("bytes")), number("seconds")});
    }
    CurveTable out;
    for (const auto& [operation, messages] : samples) {
        const LinkSpec link = fitLink(messages);
        curve.operation = operation;
        curve.latencySeconds = link.latencySeconds;
        curve.bytesPerSecond = link.bytesPerSecond;
        out.curves.push_back(curve);
    }
    return out;
}

Result<CurveTable> fromNcclTests(const std::string& text, const std::string& name) {
    const auto tests = readNcclTests(text, name);
    if (!tests) return fail(tests.error());
    CurveTable out;
    for (const NcclTest& test : *tests) {
        const LinkSpec link = fitLink(test.messages);
        out.curves.push_back(test.curve);
        out.curves.back().latencySeconds = link.latencySeconds;
        out.curves.back().bytesPerSecond = link.bytesPerSecond;
        out.curves.back().source = "nccl-tests, " + std::filesystem::path(name).filename().string();
    }
    return out;
}

Result<CurveTable> fromJson(const std::string& text, const std::string& name) {
    const auto json = parseJson(text, name);
    if (!json) return fail(json.error());
    if (json->is_object() && json->contains("comm")) return fromBench(*json, name);
    Json cluster = json->is_array() ? Json{{"comm_curves", *json}} : *json;
    Issues issues;
    CurveTable out{clusterFromJson(cluster, issues, {}).commCurves, {}};
    if (!hasErrors(issues)) return out;
    return fail("bad_config", issues, name);
}

std::vector<CurvePreset> loadPresets() {
    std::vector<CurvePreset> presets;
    for (std::string& text : embeddedCurveFiles()) {
        const auto table = CsvTable::parse(text, "resources");
        if (!table || table->numRows() == 0) std::abort();  // a programming error, caught by tests
        presets.push_back({table->text(0, "set"), table->text(0, "device"), table->text(0, "source"),
                           table->text(0, "date"), std::move(text)});
    }
    return presets;
}

}  // namespace

Result<CurveTable> readCurves(const std::string& text, const std::string& name, BandwidthKind kind,
                              const ClusterSpec& cluster) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool isJson = first != std::string::npos && (text[first] == '{' || text[first] == '[');
    auto table = isJson              ? fromJson(text, name)
                 : isNcclTests(text) ? fromNcclTests(text, name)
                                     : fromCsv(text, name, kind, cluster);
    if (!table) return table;
    if (table->curves.empty()) return fail("bad_value", "The file contains no curves."_text, name);
    // Figures may be impossible for any link: the result must be valid in a cluster's document.
    ClusterSpec holder;
    holder.commCurves = table->curves;
    Issues issues;
    clusterFromJson(toJson(holder), issues);
    if (hasErrors(issues)) return fail("bad_value", issues.front().sentence(), name);
    return table;
}

const std::vector<CurvePreset>& curvePresets() {
    static const std::vector<CurvePreset> presets = loadPresets();
    return presets;
}

const CurvePreset* findCurvePreset(std::string_view id) {
    for (const CurvePreset& preset : curvePresets())
        if (preset.id == id) return &preset;
    return nullptr;
}

}  // namespace slipway
