// Program, hardware and config behind the figures of a report.
#include "core/base/message.h"
#include "core/base/version.h"
#include "core/report/build_report.h"

#include <algorithm>
#include <set>

namespace slipway {
namespace {

std::string programOf(const RunOrigin& origin) {
    return origin.version + (origin.version.empty() || origin.commit.empty() ? "" : " (" + origin.commit + ")");
}

std::string hardwareText(const ClusterSpec& cluster, Language language) {
    const std::int64_t count = cluster.numDevices();
    const std::string& name = cluster.device.name;
    if (cluster.device.kind == DeviceKind::Cpu)
        return textOf(plural(count, "%1, %2 core"_text, "%1, %2 cores"_text)(name, count), language);
    return count == 1 ? name : name + " × " + std::to_string(count);
}

/// A column of the table; where all runs agree it is a fact instead.
struct Entry {
    SourceText title;
    const char* key;
    std::string (*text)(const RunOrigin&);
};

}  // namespace

Section provenanceSection(const SweepResult& result, const ReportData& data, Language language) {
    const auto say = [&](const Message& message) { return textOf(message, language); };
    const Entry entries[] = {
        {"Program"_text, "program", programOf},
        {"libtorch"_text, "libtorch", [](const RunOrigin& o) { return o.libtorch; }},
        {"Host"_text, "host", [](const RunOrigin& o) { return o.host; }},
        {"Processor"_text, "device", [](const RunOrigin& o) { return o.device; }},
        {"Load of the computer"_text, "load", [](const RunOrigin& o) { return o.load; }},
    };
    Section section{say("Provenance"_text), {}};
    Facts facts;
    facts.entries.emplace_back(say("Report by"_text), "Slipway " + data.origin);
    if (!result.cluster.device.name.empty())
        facts.entries.emplace_back(say("Hardware"_text), hardwareText(result.cluster, language));
    std::vector<const Entry*> columns;
    for (const Entry& entry : entries) {
        std::set<std::string> values;
        for (const auto& [id, origin] : data.origins) values.insert(entry.text(origin));
        if (values.size() == 1 && !values.begin()->empty())
            facts.entries.emplace_back(say(entry.title), *values.begin());
        if (values.size() > 1) columns.push_back(&entry);
    }
    Table table;
    table.columns = {{say(result.id.empty() ? "Run"_text : "Trial"_text), "name", "", false, ""},
                     {say("Run id"_text), "run_id", "", false, ""},
                     {say("Config hash"_text), "config_hash", "", false, ""}};
    for (const Entry* entry : columns) table.columns.push_back({say(entry->title), entry->key, "", false, ""});
    for (const TrialResult& trial : result.trials) {
        if (trial.run.empty()) continue;
        const auto at = data.origins.find(trial.run.value);
        const RunOrigin origin = at == data.origins.end() ? RunOrigin() : at->second;
        const auto cell = [](const std::string& text) { return Cell{text.empty() ? "–" : text, {}, Tone::Plain}; };
        std::vector<Cell> row{cell(trial.name), cell(trial.run.value), cell(origin.configHash)};
        for (const Entry* entry : columns) row.push_back(cell(entry->text(origin)));
        table.rows.push_back(std::move(row));
    }
    section.blocks.emplace_back(std::move(facts));
    if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
    return section;
}

}  // namespace slipway
