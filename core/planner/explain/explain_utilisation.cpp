// Utilisation and the FLOPs it counts, by each convention.
#include "core/planner/count/flops_terms.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/utilisation.h"

#include <cctype>

namespace slipway {

namespace {

/// "" for the product's own rule, "_a" for rule A.
std::string suffixOf(FlopsRule rule) {
    if (rule == kDefaultFlopsRule) return {};
    return std::string("_") + static_cast<char>(std::tolower(wordOf(rule).front()));
}

Message ruleText(FlopsRule rule) {
    return "rule %1: %2"_text(std::string(wordOf(rule)),
                              enumNames(FlopsRule{}).at(static_cast<std::size_t>(rule)).help);
}

double modelFlops(const Plan& plan, FlopsRule rule) {
    return modelFlopsPerToken(plan.config.model, plan.config.train.seqLen, rule);
}

/// `flops` tokens_per_second / peak_flops, and the same by the other rules.
Explanation utilisationBy(const Plan& plan, FlopsRule rule, const char* name, std::string flops, double perToken,
                          std::optional<double> Utilisation::*hardware) {
    const std::string word = name;
    const double peak = runPeakFlops(plan.config, plan.cluster).value_or(kUnknown);
    Explanation e;
    e.inputs = {{flops, perToken, "FLOP"},
                {"tokens_per_second", plan.step.tokensPerSecond, "tokens/s"},
                {"peak_flops", peak, "FLOP/s"}};
    e.figure = {"", perToken * plan.step.tokensPerSecond / peak, ""};
    e.formula = flops + " * tokens_per_second / peak_flops";
    for (const Utilisation& other : utilisations(plan)) {
        const std::optional<double> value = hardware != nullptr ? other.*hardware : std::optional(other.mfu);
        if (other.rule != rule && value) e.others.push_back({word + suffixOf(other.rule), *value, ""});
    }
    return e;
}

}  // namespace

Explanation explainMfu(const Plan& plan, FlopsRule rule) {
    Explanation e =
        utilisationBy(plan, rule, "mfu", "flops_per_token" + suffixOf(rule), modelFlops(plan, rule), nullptr);
    e.source = {"model FLOPs utilisation: Chowdhery 2022 (PaLM), arXiv 2204.02311, appendix B"_text, ruleText(rule),
                "dense peak of all devices: %1"_text(deviceSource(plan))};
    return e;
}

Explanation explainHfu(const Plan& plan, FlopsRule rule) {
    const double flops = modelFlops(plan, rule);
    const double again = recomputedFlopsPerToken(plan.config, rule, flops).value_or(kUnknown);
    const double replicated = replicatedFlopsPerToken(plan.config);
    Explanation e = utilisationBy(plan, rule, "hfu", "hardware_flops_per_token" + suffixOf(rule),
                                  flops + again + replicated, &Utilisation::hfu);
    e.source = {
        "hardware FLOPs utilisation, including recomputation: Chowdhery 2022 (PaLM), arXiv 2204.02311, appendix B"_text,
        ruleText(rule), "dense peak of all devices: %1"_text(deviceSource(plan))};
    return e;
}

Explanation explainFlopsPerToken(const Plan& plan, FlopsRule rule) {
    Explanation e =
        explanationOf(modelFlopsTerm(plan.config.model, plan.config.train.seqLen, rule),
                      {ruleText(rule), rule == FlopsRule::A ? "Chowdhery 2022, arXiv 2204.02311, appendix B"_text
                                       : rule == FlopsRule::C
                                           ? "Narayanan 2021, arXiv 2104.04473, eq. 3, attention counted causally"_text
                                           : "Narayanan 2021, arXiv 2104.04473, eq. 3"_text});
    e.figure.unit = "FLOP";
    return e;
}

Explanation explainHardwareFlops(const Plan& plan, FlopsRule rule) {
    const double flops = modelFlops(plan, rule);
    const double again = recomputedFlopsPerToken(plan.config, rule, flops).value_or(kUnknown);
    Explanation e;
    const double replicated = replicatedFlopsPerToken(plan.config);
    e.figure = {"", flops + again + replicated, "FLOP"};
    e.inputs = {{"flops_per_token" + suffixOf(rule), flops, "FLOP"},
                {"recomputed_flops_per_token", again, "FLOP"},
                {"replicated_flops_per_token", replicated, "FLOP"}};
    e.formula = sumOf(e.inputs);
    e.source = {
        rule == FlopsRule::D ? "%1; undefined for other recomputation"_text(ruleText(rule))
        : rule == FlopsRule::A
            ? "full recomputation is the whole forward pass once more, so HFU is 4/3 of MFU, as llm-foundry prints it; selective: the "
              "attention core forward"_text
            : "full recomputation runs the layers forward once more, without the output head; selective: the attention core forward "
              "(Korthikanti 2022, arXiv 2205.05198, app. A, prints the attention core's whole cost once more)"_text};
    return e;
}

}  // namespace slipway
