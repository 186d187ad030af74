// tpu: rooflines and a layout for TPU pods, by the scaling book.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/presets.h"
#include "core/planner/time/tpu_layout.h"

#include <cmath>

namespace slipway {
namespace {

class TpuCommand : public Command {
public:
    std::string name() const override { return "tpu"; }
    std::string summary() const override {
        return "Rooflines and a layout for TPU pods, with the chips it leaves idle";
    }
    std::string examples() const override {
        return "  slipway tpu --chips 8960 --batch 4194304 --ffn 28672             70B on a v5p pod\n"
               "  slipway tpu --chips 8960 --pods 4 --batch 4194304 --ffn 28672 --edition max\n"
               "  slipway tpu --chips 8960 --batch 4194304 --ffn 28672 --fsdp 2048 --tp 4 --json";
    }
    void declare(Arguments& arguments) override {
        arguments.option("--device", m_device, "A TPU of the library; default: Google TPU v5p").shownAs("NAME");
        arguments.option("--chips", m_question.chipsPerPod, "Chips of one pod").required().between(1, kMostChips);
        arguments.option("--pods", m_question.numPods, "Pods, joined by the data-center network").between(1, 1000);
        arguments.option("--batch", m_question.batchTokens, "Tokens per optimizer step").required().positive();
        arguments.option("--ffn", m_question.ffnWidth, "Width of the feed-forward layer").required().positive();
        arguments.option("--axes", m_axes, "ICI axes in use; default: all of the device, 2 on v5e and v6e, 3 on others")
            .between(1, 3);
        arguments.option("--edition", m_edition, "Limit of FSDP with TP: sum (first edition) or max (later ones)")
            .oneOf({"sum", "max"});
        arguments.option("--fsdp", m_question.fsdp, "Ways the data are sharded in a pod; default: chosen")
            .between(1, kMostChips);
        arguments.option("--tp", m_question.tp, "Tensor-parallel ways; default: chosen").between(1, kMostChips);
    }
    Result<int> run(CliContext& context) override {
        const auto device = libraryCluster(m_device, 1, DeviceKind::Tpu);
        if (!device) return fail(device.error());
        if (!device->device.peakBf16Flops)
            return fail("usage", "The bf16 peak of " + device->device.name + " is unknown.", "--device");
        TpuQuestion q = m_question;
        const int deviceAxes = iciAxes(device->device.name);
        q.axes = static_cast<int>(m_axes.value_or(deviceAxes));
        if (q.axes > deviceAxes)
            return fail("usage", device->device.name + " has " + std::to_string(deviceAxes) + " ICI axes.", "--axes");
        q.peakFlops = *device->device.peakBf16Flops;
        // An axis that is not used takes its links with it.
        q.axisBytesPerSecond = device->intraNode.bytesPerSecond / deviceAxes;
        q.dcnBytesPerSecond = device->interNode.bytesPerSecond;
        q.edition = m_edition == "max" ? RooflineEdition::MaxOfBoth : RooflineEdition::SumOfBoth;
        if (q.fsdp.value_or(1) * q.tp.value_or(1) > q.chipsPerPod)
            return fail("usage", "fsdp x tp is more than the chips of a pod.", "--fsdp");
        if (q.axes == 1 && q.tp.value_or(1) > 1 && q.fsdp.value_or(q.chipsPerPod / *q.tp) > 1)
            return fail("usage", "A single axis carries FSDP or TP; leave one of them at 1.", "--axes");
        const TpuLayout l = tpuLayout(q);
        if (context.json) {
            context.out << dumpJson(
                Json{{"device", device->device.name},
                     {"edition", m_edition},
                     {"axes", q.axes},
                     {"pods", q.numPods},
                     {"fsdp", l.fsdp},
                     {"tp", l.tp},
                     {"used_chips", l.usedChips},
                     {"idle_chips", l.idleChips},
                     {"tokens_per_chip", l.tokensPerChip},
                     {"fsdp_token_limit", l.fsdpTokenLimit},
                     {"mixed_token_limit", l.mixedTokenLimit ? Json(*l.mixedTokenLimit) : Json(nullptr)},
                     {"best_fsdp", l.bestFsdp},
                     {"best_tp", l.bestTp},
                     {"tp_limit", l.tpLimit},
                     {"comm_over_compute", l.commRatio},
                     {"peak_ceiling", l.peakCeiling},
                     {"dcn_token_limit", l.dcnTokenLimit},
                     {"dcn_margin", std::isfinite(l.dcnMargin) ? Json(l.dcnMargin) : Json(nullptr)}},
                true);
            return kExitDone;
        }
        const auto three = [](double value) { return formatSignificant(value, 4); };
        printFacts(
            context.out,
            {{"Layout",
              std::to_string(q.numPods) + " x " + std::to_string(l.fsdp) + " FSDP x " + std::to_string(l.tp) + " TP"},
             {"Idle chips", std::to_string(l.idleChips) + " of " + std::to_string(l.usedChips + l.idleChips)},
             {"Tokens per chip", three(l.tokensPerChip)},
             {"FSDP alone", rooflineVerdict(l.tokensPerChip, l.fsdpTokenLimit) + ", limit " + three(l.fsdpTokenLimit) +
                                " tokens per chip"},
             {"FSDP and TP", !l.mixedTokenLimit
                                 ? std::string("not together on a single axis")
                                 : rooflineVerdict(l.tokensPerChip, *l.mixedTokenLimit) + ", limit " +
                                       three(*l.mixedTokenLimit) + " tokens per chip" +
                                       (m_edition == "max" ? " (communications overlap)" : " (communications add up)")},
             {"Ceiling of the peak", formatPercent(l.peakCeiling)},
             {"Best degrees",
              three(l.bestFsdp) + " x " + three(l.bestTp) + ", tp at most " + three(l.tpLimit) + " per axis"},
             {"Between pods", q.numPods > 1 ? three(l.dcnMargin) + " times the tokens the network needs" : "one pod"}});
        return kExitDone;
    }

private:
    static constexpr int kMostChips = 10000000;
    TpuQuestion m_question;
    std::optional<std::int64_t> m_axes;
    std::string m_device = "Google TPU v5p", m_edition = "sum";
};

}  // namespace

std::unique_ptr<Command> makeTpuCommand() {
    return std::make_unique<TpuCommand>();
}

}  // namespace slipway
