// curves: measured collectives of a cluster, for every command with --cluster.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/presets.h"
#include "core/planner/time/curve_sources.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace slipway {
namespace {

Table curveTable(const CliContext& context, const std::vector<CommCurve>& curves) {
    Table table;
    for (const SourceText title : {"Operation"_text, "Ranks"_text, "A node"_text, "Latency"_text, "Bus bandwidth"_text,
                                   "Date"_text, "Source"_text}) {
        table.columns.push_back(
            {context.text(title), "", "", title != "Operation" && title != "Date" && title != "Source", ""});
    }
    for (const CommCurve& c : curves)
        table.rows.push_back({{std::string(wordOf(c.operation)), {}, Tone::Plain},
                              {std::to_string(c.ranks), static_cast<double>(c.ranks), Tone::Plain},
                              {std::to_string(c.ranksPerNode), static_cast<double>(c.ranksPerNode), Tone::Plain},
                              {formatSeconds(c.latencySeconds), c.latencySeconds, Tone::Plain},
                              {formatBandwidth(c.bytesPerSecond), c.bytesPerSecond, Tone::Plain},
                              {c.sourceDate, {}, Tone::Plain},
                              {c.source, {}, Tone::Plain}});
    return table;
}

class CurvesCommand : public Command {
public:
    std::string name() const override { return "curves"; }
    Message summary() const override {
        return "Measured collectives of a cluster: from nccl-tests, tables, bench records, published ones"_text;
    }
    Examples examples() const override {
        return {
            {"slipway curves", "published tables"_text},
            {"slipway curves h200-all-reduce --json > cluster.json", "then plan --cluster cluster.json"_text},
            {"slipway curves all_reduce.log --cluster \"NVIDIA A100 SXM 80 GB\" --devices 256 --json > cluster.json"},
            {"slipway-trainer bench --comm --record bench.json; slipway curves bench.json"}};
    }
    void declare(Arguments& arguments) override {
        arguments
            .option(
                "source", m_sources,
                "A published table, what nccl-tests printed, a CSV (collective, gpus, nodes, message_mb, gb_per_s_mean), what "
                "slipway-trainer bench --comm --record wrote, or a cluster's JSON; several are put together"_text)
            .shownAs("TABLE|FILE");
        arguments.option("--cluster", m_cluster, kClusterHelp("here, or a published table's device"_text))
            .shownAs("FILE|DEVICE");
        arguments
            .option(
                "--devices", m_devices,
                "Devices of the cluster, where it is of the library; default: as many as the largest group has"_text)
            .positive();
        arguments
            .option("--bandwidth", m_bandwidth,
                    "Meaning of a CSV's GB/s: bus (nccl-tests' busbw, default) or algorithm (algbw)"_text)
            .oneOf({"bus", "algorithm"});
    }
    Result<int> run(CliContext& context) override {
        if (m_sources.empty() && m_cluster.empty() && (m_devices || !m_bandwidth.empty()))
            return fail("usage", "--devices and --bandwidth belong to a table or a file."_text, "source");
        if (m_sources.empty() && m_cluster.empty()) return list(context);
        std::vector<std::string> texts;
        for (const std::string& source : m_sources) {
            const CurvePreset* preset = findCurvePreset(source);
            auto text = preset != nullptr ? Result<std::string>(preset->text) : readFile(source);
            if (!text && text.error().code == "file_missing") return fail("file_missing", unknown(source), source);
            if (!text) return fail(text.error());
            texts.push_back(std::move(*text));
            if (preset != nullptr && m_cluster.empty()) m_cluster = preset->device;
        }
        auto cluster = clusterFor(context, m_cluster, m_devices.value_or(1));
        if (!cluster) return fail(cluster.error());
        std::vector<CommCurve> curves;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const bool algorithm = m_bandwidth == "algorithm" && findCurvePreset(m_sources[i]) == nullptr;
            const auto table =
                readCurves(texts[i], m_sources[i], algorithm ? BandwidthKind::Algorithm : BandwidthKind::Bus, *cluster);
            if (!table) return fail(table.error());
            for (const SourceText note : table->notes) context.note("%1: %2"_text(m_sources[i], note));
            curves.insert(curves.end(), table->curves.begin(), table->curves.end());
        }
        if (!m_sources.empty()) cluster->commCurves = std::move(curves);
        if (const Issues issues = curveIssues(cluster->commCurves, "comm_curves"); !issues.empty())
            return fail("bad_value", issues.front().sentence());
        if (!m_devices && namesLibraryDevice(m_cluster)) {
            std::int64_t most = 1;
            for (const CommCurve& c : cluster->commCurves) most = std::max(most, c.ranks);
            cluster->numNodes = libraryCluster(m_cluster, most)->numNodes;
        }
        if (context.json) {
            context.out << dumpJson(toJson(*cluster), true);
            return kExitDone;
        }
        if (cluster->commCurves.empty())
            context.out << "This cluster has no curves; collectives are forecast from its links."_text << '\n';
        else
            printTable(context.out, curveTable(context, cluster->commCurves), context.outColour);
        return kExitDone;
    }

private:
    static Message unknown(const std::string& typed) {
        std::vector<std::string> ids;
        for (const CurvePreset& preset : curvePresets()) ids.push_back(preset.id);
        const std::string near = nearestKey(typed, ids);
        return near.empty() ? "This is neither a file nor a published table; `slipway curves` lists the tables."_text
                            : "This is neither a file nor a published table; did you mean %1?"_text(near);
    }

    static Result<int> list(CliContext& context) {
        Json all = Json::array();
        Table table;
        for (const SourceText title : {"Table"_text, "Device"_text, "Date"_text, "Source"_text})
            table.columns.push_back({context.text(title), "", "", false, ""});
        for (const CurvePreset& preset : curvePresets()) {
            all.push_back({{"id", preset.id},
                           {"device", preset.device},
                           {"source", preset.source},
                           {"source_date", preset.date}});
            table.rows.push_back({{preset.id, {}, Tone::Plain},
                                  {preset.device, {}, Tone::Plain},
                                  {preset.date, {}, Tone::Plain},
                                  {preset.source, {}, Tone::Plain}});
        }
        if (context.json)
            context.out << dumpJson(all, true);
        else
            printTable(context.out, table, context.outColour);
        return kExitDone;
    }

    std::vector<std::string> m_sources;
    std::string m_cluster, m_bandwidth;
    std::optional<std::int64_t> m_devices;
};

}  // namespace

std::unique_ptr<Command> makeCurvesCommand() {
    return std::make_unique<CurvesCommand>();
}

}  // namespace slipway
