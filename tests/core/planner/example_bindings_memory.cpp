#include "core/planner/cost/checkpoint.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/policy.h"
#include "core/planner/schedule/bubble.h"
#include "core/planner/search/bubble_search.h"
#include "core/planner/time/communication.h"
#include "tests/core/planner/example_bindings.h"

#include <limits>

namespace slipway::test {

namespace {

using J = const Json&;

double number(J in, const char* key) {
    return in.at(key).get<double>();
}
std::int64_t integer(J in, const char* key) {
    return static_cast<std::int64_t>(number(in, key));
}
double orElse(J in, const char* key, double fallback) {
    return in.contains(key) ? number(in, key) : fallback;
}

constexpr double kGiBytes = 1024.0 * 1024 * 1024;

/// The named policy whose parts these are; the row fails when the product has none.
StatePolicy policyOf(double weights, double gradients, double optimizer) {
    for (const StatePolicy& p : statePolicies())
        if (p.weightBytes == weights && p.gradientBytes == gradients && p.optimizerBytes == optimizer) return p;
    return {};
}

const StatePolicy& policyOfTotal(double bytes) {
    for (const StatePolicy& p : statePolicies())
        if (p.totalBytes() == bytes && p.weightBytes == 2) return p;
    return statePolicies().front();
}

Json sevenBillionExample(J in, const std::string& id) {
    const StatePolicy policy =
        in.at("optimizer") == "sgd" ? withMomentumOnly(*findStatePolicy("no_master")) : *findStatePolicy("no_master");
    MemoryBreakdown b;
    const StateBytes state = stateBytes(policy, number(in, "N"), 0, 1);
    b.weightBytes = state.weights;
    b.gradientBytes = state.gradients;
    b.optimizerBytes = state.optimizer;
    b.activationBytes = number(in, "layers") * tenBytesLayerBytes(number(in, "seq"), number(in, "batch"),
                                                                  number(in, "hidden"), orElse(in, "dtype_bytes", 2));
    if (id.ends_with(".parameters_gb")) return b.weightBytes / 1e9;
    if (id.ends_with(".gradients_gb")) return b.gradientBytes / 1e9;
    if (id.ends_with(".optimizer_gb")) return b.optimizerBytes / 1e9;
    if (id.ends_with(".activations_gb")) return b.activationBytes / 1e9;
    return b.totalBytes() / 1e9;
}

Json savingFactors(J in) {
    const double n = in.at("n").is_string() ? std::numeric_limits<double>::infinity() : number(in, "n");
    const StatePolicy p = policyOf(number(in, "param_bytes"), number(in, "grad_bytes"), number(in, "opt_bytes"));
    Json factors = {{"zero1", zeroSavingFactor(p, 1, n)}, {"zero2", zeroSavingFactor(p, 2, n)}};
    const double third = zeroSavingFactor(p, 3, n);
    factors["zero3"] = jsonNumber(third);
    return factors;
}

double korthikanti(J in, double tp, bool sequenceParallel, ActivationForm form) {
    return number(in, "L") *
           korthikantiLayerBytes(number(in, "s"), orElse(in, "b", 1), number(in, "h"), orElse(in, "a", 1), tp,
                                 sequenceParallel, form) /
           kGiBytes;
}

Json candidateJson(const BubbleCandidate& c) {
    return {{"tp", c.tp},          {"pp", c.pp},         {"dp", c.dp},
            {"m", c.microBatches}, {"bubble", c.bubble}, {"layers_per_stage", c.layersPerStage}};
}

Json firstFive(J in) {
    Json rows = Json::array();
    for (const BubbleCandidate& c : bubbleSearch(integer(in, "world"), integer(in, "layers")))
        if (rows.size() < 5) rows.push_back({c.tp, c.pp, c.dp, c.bubble});
    return rows;
}

Json firstFitting(J in) {
    const auto candidates = bubbleSearch(integer(in, "world"), integer(in, "layers"));
    const double state = stateBytes(policyOfTotal(number(in, "bytes_per_param")), number(in, "N"), 0, 1).total();
    const BubbleCandidate* c = firstThatFits(candidates, state, number(in, "gpu_gb") * 1e9);
    return c == nullptr ? Json("none fits") : Json{{"tp", c->tp}, {"pp", c->pp}, {"dp", c->dp}, {"bubble", c->bubble}};
}

/// The guide's order of ranks: tp innermost, then pp, then dp.
ParallelLayout guideLayout(J in) {
    ParallelLayout layout;
    layout.tp = integer(in, "tp");
    layout.pp = integer(in, "pp");
    layout.dp = integer(in, "dp");
    layout.rankOrder = {"tp", "pp", "dp", "cp"};
    return layout;
}

Json tpGroups(J in) {
    const ParallelLayout layout = guideLayout(in);
    Json groups = Json::array();
    for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank)
        if (const auto group = layout.groupOf(Axis::Tp, rank); group.front() == rank) groups.push_back(group);
    return groups;
}

Json zeroPaper(J in, int stage) {
    return stateBytes(policyOf(2, 2, number(in, "k")), number(in, "P"), stage, number(in, "n")).total() / 1e9;
}

}  // namespace

std::vector<ExampleBinding> memoryBindings() {
    const auto f = [](auto function) { return [function](J in, const std::string&) -> Json { return function(in); }; };
    return {
        {"000-3.4d", f([](J in) { return bubbleFraction(ScheduleKind::OneFOneB, number(in, "pp"), number(in, "m")); })},
        {"000-3.4i", f([](J in) {
             return stateBytes(policyOfTotal(number(in, "bytes_per_param")),
                               number(in, "N") / number(in, "tp") / number(in, "pp"), 0, 1)
                        .total() /
                    1e9;
         })},
        {"000-4.2a", f([](J in) { return bubbleSearch(integer(in, "world"), integer(in, "layers")).size(); })},
        {"000-4.2b", f([](J in) {
             return candidateJson(bubbleSearch(integer(in, "world"), integer(in, "layers"))
                                      .at(static_cast<std::size_t>(integer(in, "rank") - 1)));
         })},
        {"000-4.2c", f(firstFitting)},
        {"000-4.2d", f(firstFive)},
        {"000-4.4a", f([](J in) { return gigabitsPerSecond(number(in, "gbit")) / 1e9; })},
        {"000-4.4b", f(tpGroups)},
        {"000-4.4c", f([](J in) {
             return guideLayout(in).rankOf(
                 {integer(in.at("coord"), "tp"), 0, integer(in.at("coord"), "dp"), integer(in.at("coord"), "pp")});
         })},
        {"000-4.4e", f([](J in) {
             return collectiveSeconds(Collective::AllReduce, number(in, "n"), number(in, "bytes"),
                                      {number(in, "bw"), 0});
         })},
        {"000-6.1c", f([](J in) { return checkpointFileBytes(number(in, "N"), number(in, "bytes_per_param")); })},
        {"001-1.2b", sevenBillionExample},
        {"001-1.2c", sevenBillionExample},
        {"001-1.2d", f([](J in) {
             return number(in, "layers") *
                    korthikantiLayerBytes(number(in, "seq"), number(in, "batch"), number(in, "hidden"), 1, 1, false,
                                          ActivationForm::Selective) /
                    1e9;
         })},
        {"001-1.2e", f([](J in) { return sqrtCheckpointFactor(number(in, "L")); })},
        {"001-2.1a", f([](J in) {
             return stateBytes(policyOfTotal(number(in, "bytes_per_param")), number(in, "N"), 3, number(in, "n"))
                            .total() /
                        1e9 +
                    number(in, "act_gb");
         })},
        {"001-3.1b", f(savingFactors)},
        {"001-4.1",
         f([](J in) { return recomputeFactor(number(in, "fwd"), number(in, "bwd"), number(in, "extra_fwd")); })},
        {"001-4.2", f([](J in) { return recomputedLayers(number(in, "ratio"), integer(in, "layers")); })},
        {"001-4.2@0.3", f([](J in) { return recomputedLayersByStride(number(in, "ratio"), integer(in, "layers")); })},
        {"001-4.2@0.6", f([](J in) { return recomputedLayersByStride(number(in, "ratio"), integer(in, "layers")); })},
        {"001-4.2@0.75", f([](J in) { return recomputedLayersByStride(number(in, "ratio"), integer(in, "layers")); })},
        {"002-f", f([](J in) {
             return stateBytes(policyOfTotal(number(in, "bytes_per_param")), number(in, "N"), 0, 1).total() / kGiBytes;
         })},
        {"003-6a",
         f([](J in) { return stateBytes(*findStatePolicy("scaling_book"), number(in, "P"), 0, 1).weights / 1e9; })},
        {"003-6b",
         f([](J in) { return stateBytes(*findStatePolicy("scaling_book"), number(in, "P"), 0, 1).optimizer / 1e9; })},
        {"003-6c", f([](J in) {
             return checkpointBytes(number(in, "tokens"), number(in, "D"), number(in, "L"), number(in, "per_layer"),
                                    number(in, "bytes")) /
                    1e12;
         })},
        {"003-6d", f([](J in) {
             MemoryBreakdown b;
             b.weightBytes = in.at("parts_gb")[0].get<double>();
             b.optimizerBytes = in.at("parts_gb")[1].get<double>();
             b.activationBytes = in.at("parts_gb")[2].get<double>();
             return b.totalBytes() / 1e3;
         })},
        {"004-5b", f([](J in) { return zeroPaper(in, 2); })},
        {"004-5c.baseline", f([](J in) { return zeroPaper(in, 0); })},
        {"004-5c.zero1", f([](J in) { return zeroPaper(in, 1); })},
        {"004-5c.zero2", f([](J in) { return zeroPaper(in, 2); })},
        {"004-5c.zero3", f([](J in) { return zeroPaper(in, 3); })},
        {"UP-1", f([](J in) {
             Json sizes = Json::array();
             for (const Json& bytes : in.at("policies"))
                 sizes.push_back(stateBytes(policyOfTotal(bytes.get<double>()), number(in, "N"), 0, 1).total() / 1e9);
             return sizes;
         })},
        {"UP-2", f([](J in) { return korthikanti(in, 1, false, ActivationForm::Selective); })},
        {"UP-3", f([](J in) { return korthikanti(in, 1, false, ActivationForm::Full); })},
        {"UP-4", f([](J in) { return korthikanti(in, number(in, "t"), false, ActivationForm::Selective); })},
        {"UP-5", f([](J in) { return korthikanti(in, number(in, "t"), true, ActivationForm::Selective); })},
        {"UP-6", f([](J in) {
             return bubbleOverhead(ScheduleKind::InterleavedOneFOneB, number(in, "p"), number(in, "m"),
                                   number(in, "v"));
         })},
        {"UP-10", f([](J in) {
             return stateBytes(policyOfTotal(number(in, "bytes_per_param")), number(in, "weights_mib") / 2, 0, 1)
                 .total();
         })},
    };
}

}  // namespace slipway::test
