#include "app/cli/nodes_bench.h"

#include "app/cli/interrupts.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/run/measured_nodes.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

constexpr double kWaitSeconds = 0.1;

Message figuresOf(const MeasuredNode& node) {
    std::vector<Message> figures;
    if (node.numGpus > 0)
        figures.push_back("%1 x %2"_text(node.numGpus, node.device));
    else
        figures.push_back(Message::name(node.device));
    if (node.peakFp32Flops) figures.push_back("fp32 %1"_text(formatFlops(*node.peakFp32Flops)));
    if (node.peakBf16Flops) figures.push_back("bf16 %1"_text(formatFlops(*node.peakBf16Flops)));
    if (node.memoryBytesPerSecond > 0) figures.push_back("memory %1"_text(formatBandwidth(node.memoryBytesPerSecond)));
    return listOf(figures);
}

Message linkText(const LinkSpec& link, Language language) {
    return "%1, latency %2"_text(formatBandwidth(link.bytesPerSecond), formatSeconds(link.latencySeconds, language));
}

Json documentOf(const MeasuredNodes& measured) {
    Json nodes = Json::array();
    for (const MeasuredNode& node : measured.nodes)
        nodes.push_back(Json{{"node", node.name},
                             {"device", node.device},
                             {"num_gpus", node.numGpus},
                             {"trainer_version", node.trainerVersion},
                             {"peak_fp32_flops", node.peakFp32Flops ? Json(*node.peakFp32Flops) : Json(nullptr)},
                             {"peak_bf16_flops", node.peakBf16Flops ? Json(*node.peakBf16Flops) : Json(nullptr)},
                             {"memory_bytes_per_second", node.memoryBytesPerSecond}});
    return Json{{"measured_unix_ms", measured.unixMilliseconds},
                {"nodes", std::move(nodes)},
                {"cluster", toJson(measured.cluster)}};
}

}  // namespace

Result<int> benchNodes(CliContext& context, const std::vector<NodeRecord>& nodes, const SshOptions& options) {
    handleInterrupts();
    MeasuredNodes measured;
    {
        NodesBench bench(nodes, options);
        std::string told;
        while (!bench.done()) {
            bench.poll(monotonicSecondsNow());
            if (context.interrupts() > 0) {
                endProgressLine(context);
                return kExitInterrupted;
            }
            progressLine(context, bench.progress());
            if (const std::string text = context.text(bench.progress()); !context.errIsTerminal && text != told)
                if (!(told = text).empty()) context.err << printable(text) << '\n';
            if (!bench.done()) waitForLinks(bench.links(), kWaitSeconds);
        }
        endProgressLine(context);
        if (bench.error()) return fail(*bench.error());
        auto cluster = clusterOfBench(bench.nodes(), bench.between(), context.now());
        if (!cluster) return fail(cluster.error());
        measured = std::move(*cluster);
    }
    std::vector<Message> slower;
    if (const auto before = findMeasuredNodes(context.home, measured.names()))
        slower = slowerThanBefore(*before, measured);
    for (const Message& text : slower) context.note(text);
    if (const auto written = writeMeasuredNodes(context.home, measured); !written) return fail(written.error());
    if (context.json) {
        context.out << dumpJson(documentOf(measured), true);
        return kExitDone;
    }
    FactLines lines;
    for (const MeasuredNode& node : measured.nodes) lines.emplace_back(node.name, figuresOf(node));
    lines.emplace_back("inside a node"_text, linkText(measured.cluster.intraNode, context.language));
    if (nodes.size() > 1)
        lines.emplace_back("between nodes"_text, linkText(measured.cluster.interNode, context.language));
    printFacts(context.out, lines);
    std::string names;
    for (const MeasuredNode& node : measured.nodes) names += (names.empty() ? "" : ",") + node.name;
    context.out << printable(context.text("Plans use it with --cluster %1."_text(std::string(kNodesPrefix) + names)))
                << '\n';
    return kExitDone;
}

}  // namespace slipway
