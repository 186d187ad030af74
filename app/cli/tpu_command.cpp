// tpu: rooflines and a layout for TPU pods, by the scaling book.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/answers/tpu_answer.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"

namespace slipway {
namespace {

class TpuCommand : public Command {
public:
    std::string name() const override { return "tpu"; }
    Message summary() const override {
        return "Rooflines and a layout for TPU pods, with the chips it leaves idle"_text;
    }
    Examples examples() const override {
        return {{"slipway tpu --chips 8960 --batch 4194304 --ffn 28672", "70B on a v5p pod"_text},
                {"slipway tpu --chips 8960 --pods 4 --batch 4194304 --ffn 28672 --edition max"},
                {"slipway tpu --chips 8960 --batch 4194304 --ffn 28672 --fsdp 2048 --tp 4 --json"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("--device", m_device, "A TPU of the library; default: Google TPU v5p"_text).shownAs("NAME");
        arguments.option("--chips", m_input.chips, "Chips of one pod"_text).required().between(1, kMost);
        arguments.option("--pods", m_input.pods, "Pods, joined by the data-center network"_text).between(1, 1000);
        arguments.option("--batch", m_input.batchTokens, "Tokens per optimizer step"_text).required().positive();
        arguments.option("--ffn", m_input.ffnWidth, "Width of the feed-forward layer"_text).required().positive();
        arguments
            .option("--axes", m_input.axes,
                    "ICI axes in use; default: all of the device, 2 on v5e and v6e, 3 on others"_text)
            .between(1, 3);
        arguments.option("--edition", m_edition, "Limit of FSDP with TP: sum (first edition) or max (later ones)"_text)
            .oneOf({"sum", "max"});
        arguments.option("--fsdp", m_input.fsdp, "Ways the data are sharded in a pod; default: chosen"_text)
            .between(1, kMost);
        arguments.option("--tp", m_input.tp, "Tensor-parallel ways; default: chosen"_text).between(1, kMost);
        arguments.option("--params", m_input.parameters, "Parameters of a model that the chips are to hold"_text)
            .positive();
        arguments
            .option("--bytes-per-parameter", m_input.bytesPerParameter,
                    "Weights, gradients and optimizer states; default: 16"_text)
            .between(0.1, 64.0);
    }
    Result<int> run(CliContext& context) override {
        const auto device = libraryCluster(m_device, 1, DeviceKind::Tpu);
        if (!device) return fail(device.error());
        m_input.edition = m_edition == "max" ? RooflineEdition::MaxOfBoth : RooflineEdition::SumOfBoth;
        Json json;
        if (const auto view = tpuAnswer(m_input, *device, json); !view) {
            Error error = view.error();
            error.where = "--" + error.where;
            return fail(error);
        }
        if (context.json) {
            context.out << dumpJson(json, true);
            return kExitDone;
        }
        const auto number = [&](const char* key) { return json[key].get<double>(); };
        const auto four = [&](const char* key) { return formatSignificant(number(key), 4); };
        const auto whole = [&](const char* key) { return json[key].get<std::int64_t>(); };
        const double tokens = number("tokens_per_chip");
        const bool isMixed = !json["mixed_token_limit"].is_null();
        FactLines facts = {
            {"Layout"_text, std::to_string(whole("pods")) + " x " + std::to_string(whole("fsdp")) + " FSDP x " +
                                std::to_string(whole("tp")) + " TP"},
            {"Idle chips"_text, "%1 of %2"_text(whole("idle_chips"), whole("used_chips") + whole("idle_chips"))},
            {"Tokens per chip"_text, four("tokens_per_chip")},
            {"FSDP alone"_text, "%1, limit %2 tokens per chip"_text(rooflineVerdict(tokens, number("fsdp_token_limit")),
                                                                    four("fsdp_token_limit"))},
            {"FSDP and TP"_text,
             !isMixed ? Message("not together on a single axis"_text)
                      : (m_edition == "max" ? "%1, limit %2 tokens per chip (communications overlap)"_text
                                            : "%1, limit %2 tokens per chip (communications add up)"_text)(
                            rooflineVerdict(tokens, number("mixed_token_limit")), four("mixed_token_limit"))},
            {"Ceiling of the peak"_text, formatPercent(number("peak_ceiling"))},
            {"Best degrees"_text,
             "%1 x %2, tp at most %3 per axis"_text(four("best_fsdp"), four("best_tp"), four("tp_limit"))},
            {"Between pods"_text, m_input.pods > 1 ? "%1 times the tokens the network needs"_text(four("dcn_margin"))
                                                   : Message("one pod"_text)}};
        if (json.contains("chips_to_hold"))
            facts.emplace_back("Model and its states"_text,
                               "%1, on %2 chips or more"_text(formatBytes(number("state_bytes")),
                                                              formatCount(number("chips_to_hold"))));
        printFacts(context.out, facts);
        return kExitDone;
    }

private:
    static constexpr std::int64_t kMost = 10000000;
    TpuInput m_input;
    std::string m_device = "Google TPU v5p", m_edition = "sum";
};

}  // namespace

std::unique_ptr<Command> makeTpuCommand() {
    return std::make_unique<TpuCommand>();
}

}  // namespace slipway
