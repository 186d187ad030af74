#include "core/planner/count/batch.h"
#include "core/planner/count/flops.h"
#include "core/planner/count/matrix_split.h"
#include "core/planner/count/parameters.h"
#include "core/planner/laws/batch_ramp.h"
#include "core/planner/laws/scaling_laws.h"
#include "core/planner/laws/source_variants.h"
#include "core/spec/lr_schedule.h"
#include "tests/core/planner/example_bindings.h"

namespace slipway::test {

namespace {

double number(const Json& in, const char* key) {
    return in.at(key).get<double>();
}
std::int64_t integer(const Json& in, const char* key) {
    return static_cast<std::int64_t>(number(in, key));
}
double orElse(const Json& in, const char* key, double fallback) {
    return in.contains(key) ? number(in, key) : fallback;
}

Json allocation(const Json& in, OptimumRule rule) {
    const Allocation a = computeOptimal(number(in, "C"), rule);
    return {{"N", a.parameters},
            {"D", a.tokens},
            {"D_over_N", a.tokensPerParameter()},
            {"6ND_over_C", a.spentShare(number(in, "C"))}};
}

double cosineRate(const Json& in) {
    LrSchedule s;
    s.warmupSteps = integer(in, "warmup");
    s.minLrRatio = number(in, "min_lr") / number(in, "max_lr");
    return learningRate(s, number(in, "max_lr"), orElse(in, "step", orElse(in, "tokens", 0)), number(in, "total"));
}

double wsdRate(const Json& in, DecayShape shape) {
    LrSchedule s;
    s.kind = LrScheduleKind::Wsd;
    s.warmupSteps = integer(in, "warmup");
    s.decaySteps = integer(in, "decay");
    s.decayShape = shape;
    s.minLrRatio = in.contains("min_ratio") ? number(in, "min_ratio") : number(in, "min_lr") / number(in, "max_lr");
    return learningRate(s, number(in, "max_lr"), number(in, "step"),
                        number(in, "warmup") + number(in, "stable") + number(in, "decay"));
}

double linearDecayRate(const Json& in) {
    LrSchedule s;
    s.kind = LrScheduleKind::Wsd;
    s.warmupSteps = integer(in, "warmup");
    s.decaySteps = integer(in, "total") - integer(in, "warmup");
    s.minLrRatio = 0;
    return learningRate(s, number(in, "max_lr"), number(in, "step"), number(in, "total"));
}

Json decoderPart(const Json& in, const std::string& id) {
    const DecoderParts p = decoderParts(number(in, "L"), number(in, "D"), number(in, "F"), number(in, "N"),
                                        number(in, "K"), number(in, "H"), number(in, "V"));
    if (id.ends_with(".ffw")) return p.ffn;
    if (id.ends_with(".vocab")) return p.vocab;
    if (id.ends_with(".attn")) return p.attention;
    return p.total();
}

Json shapes(const Json& in) {
    ModelSpec m;
    m.hiddenSize = integer(in, "h");
    m.numHeads = integer(in, "heads");
    m.ffnHiddenSize = integer(in, "f");
    const TpShapes s = tpShapes(m, integer(in, "t"));
    return {{"heads_per_gpu", s.headsPerRank}, {"qkv_each", s.query}, {"ffn1", s.ffnIn}, {"ffn2", s.ffnOut}};
}

SmallMatrix matrix(const Json& in, const char* key) {
    return in.at(key).get<SmallMatrix>();
}

/// Side by side: columns of both ranks in their order.
SmallMatrix joined(const std::vector<SmallMatrix>& parts) {
    SmallMatrix whole(parts.front().size());
    for (const SmallMatrix& part : parts)
        for (std::size_t i = 0; i < part.size(); ++i) whole[i].insert(whole[i].end(), part[i].begin(), part[i].end());
    return whole;
}

Json columnParallel(const Json& in) {
    const std::vector<SmallMatrix> parts = columnSplit(matrix(in, "A"), matrix(in, "B"), 2);
    const auto column = [](const SmallMatrix& part) { return Json{part[0][0], part[1][0]}; };
    return {{"gpu0", column(parts[0])}, {"gpu1", column(parts[1])}, {"AB", joined(parts)}};
}

Json rowParallel(const Json& in) {
    const std::vector<SmallMatrix> parts = rowSplit(matrix(in, "A"), matrix(in, "B"), 2);
    return {{"gpu0", parts[0]}, {"gpu1", parts[1]}, {"AB", sumOf(parts)}};
}

const BatchRamp kGuideRamp{32e3, 4e6, 1.2e9};

}  // namespace

std::vector<ExampleBinding> lawBindings() {
    using J = const Json&;
    const auto f = [](auto function) { return [function](J in, const std::string&) -> Json { return function(in); }; };
    const auto flops = f([](J in) {
        return trainingFlops(number(in, "N"), number(in, "D"),
                             !in.contains("include_backward") || in.at("include_backward").get<bool>());
    });
    const auto gpt = f([](J in) {
        return gptParameters(number(in, "L"), number(in, "h"), number(in, "V"), number(in, "s"),
                             in.at("final_norm").get<bool>());
    });
    return {
        {"000-1.1a", f([](J in) { return kaplanLoss(number(in, "N"), number(in, "Nc"), number(in, "alphaN")); })},
        {"000-1.1b", flops},
        {"000-1.2a", flops},
        {"000-1.2b", flops},
        {"000-1.2c", f([](J in) { return allocation(in, OptimumRule::PrintedPair); })},
        {"000-1.2d", f([](J in) { return allocation(in, OptimumRule::TwentyTokens); })},
        {"000-1.2e", f([](J in) { return allocation(in, OptimumRule::PrintedPair).at("6ND_over_C"); })},
        {"000-1.2f", f([](J in) { return minimumTokens(number(in, "N")); })},
        {"000-1.2g", f([](J in) { return minimumTokens(number(in, "N")); })},
        {"000-1.3a", flops},
        {"000-1.3b", flops},
        {"000-1.4a", f([](J in) { return overtrainingFactor(number(in, "N"), number(in, "D")); })},
        {"000-3.2a", f([](J in) { return shapes(in); })},
        {"000-3.4a", f([](J in) {
             return dataParallelDegree(integer(in, "gpus_per_node") * integer(in, "nodes"), integer(in, "tp"),
                                       integer(in, "pp"));
         })},
        {"000-3.4c",
         f([](J in) { return accumulationSteps(integer(in, "gbs"), integer(in, "mbs"), integer(in, "dp")); })},
        {"000-3.4e", f([](J in) { return tokensOf(number(in, "gbs"), number(in, "seq")); })},
        {"000-3.4f", f([](J in) { return tokensOf(number(in, "gbs") * number(in, "iters"), number(in, "seq")); })},
        {"000-3.4g", f([](J in) { return warmupSteps(number(in, "iters"), number(in, "fraction")); })},
        {"000-3.4h", gpt},
        {"000-3.4j", f([](J in) {
             return megatronStepFlops(number(in, "B"), number(in, "s"), number(in, "L"), number(in, "h"),
                                      number(in, "V"));
         })},
        {"000-4.3a", f([](J in) {
             return accumulationSteps(integer(in, "train_batch"), integer(in, "micro"), integer(in, "dp"));
         })},
        {"000-5.3a", f(cosineRate)},
        {"000-5.3b", f([](J in) {
             return source_variants::cosineWithoutClamp(number(in, "warmup"), number(in, "total"), number(in, "max_lr"),
                                                        number(in, "min_lr"), number(in, "step"));
         })},
        {"000-5.3c", f([](J in) { return wsdRate(in, DecayShape::Linear); })},
        {"000-5.4a", f([](J in) { return kGuideRamp.batchTokens(number(in, "tokens")); })},
        {"000-5.4b", f([](J in) {
             return BatchRamp{number(in, "initial"), number(in, "final"), number(in, "ramp")}.rampSteps();
         })},
        {"000-8.2b", f([](J in) { return tokensOf(number(in, "batches") * number(in, "batch"), number(in, "seq")); })},
        {"000-8.3b", f([](J in) { return tokensOf(number(in, "steps") * number(in, "batch"), number(in, "seq")); })},
        {"000-10b", f([](J in) { return tokensOf(number(in, "gbs"), number(in, "seq")); })},
        {"000-10c", f([](J in) { return stepsForTokens(number(in, "tokens"), number(in, "tokens_per_step")); })},
        {"000-10d",
         f([](J in) { return accumulationSteps(integer(in, "gbs"), integer(in, "micro"), integer(in, "world")); })},
        {"000-10e", f([](J in) { return stepsAsReal(number(in, "warmup_tokens"), number(in, "tokens_per_step")); })},
        {"000-10f", f(cosineRate)},
        {"000-10g", f([](J in) {
             return stepsForTokens(number(in, "tokens"),
                                   tokensOf(number(in, "micro") * number(in, "world"), number(in, "seq")));
         })},
        {"001-3.2a",
         f([](J in) { return integer(in, "train_batch") / globalBatch(integer(in, "micro"), integer(in, "gas"), 1); })},
        {"001-3.2c", f(linearDecayRate)},
        {"001-6.1", f([](J in) {
             LrSchedule s;
             s.warmupSteps = integer(in, "warmup");
             s.minLrRatio = number(in, "min_ratio");
             return learningRate(s, 1, number(in, "step"), number(in, "total"));
         })},
        {"001-6.2a", f([](J in) { return wsdRate(in, DecayShape::Cosine); })},
        {"001-6.2b", f([](J in) {
             const double begin = number(in, "warmup") + number(in, "stable"), high = number(in, "max_lr");
             return source_variants::cosineWithoutClamp(begin, begin + number(in, "decay"), high,
                                                        high * number(in, "min_ratio"), number(in, "step"));
         })},
        {"001-7b", f([](J in) { return globalBatch(integer(in, "batch"), integer(in, "gas"), integer(in, "world")); })},
        {"001-7c", f([](J in) { return tokensOf(number(in, "batch") * number(in, "steps"), number(in, "seq")); })},
        {"001-7d", gpt},
        {"000-10h", f([](J in) { return source_variants::samplesPerChunk(integer(in, "seq"), integer(in, "world")); })},
        {"000-10j", f([](J in) { return source_variants::savesAtStepZero(integer(in, "gas")); })},
        {"002-j", f(columnParallel)},
        {"002-k", f(rowParallel)},
        {"002-l", f([](J in) { return product({in.at("x").get<std::vector<double>>()}, matrix(in, "W")).front(); })},
        {"002-h",
         f([](J in) { return trainingFlops(number(in, "N"), number(in, "N") * number(in, "tokens_per_param")); })},
        {"003-2.", decoderPart},
        {"003-3", f([](J in) { return trainingFlops(number(in, "P"), 1); })},
        {"003-4", f([](J in) { return number(in, "flops_per_token") * number(in, "tokens"); })},
        {"003-P2a.", decoderPart},
        {"003-P2a.flops", f([](J in) { return trainingFlops(number(in, "P"), 1); })},
        {"003-P2a.step", f([](J in) { return trainingFlops(number(in, "P"), number(in, "batch")); })},
        {"003-P2a.total15", f([](J in) { return trainingFlops(number(in, "P"), number(in, "tokens")); })},
        {"003-P0.8B", decoderPart},
        {"UP-7", f([](J in) {
             Json steps = Json::array();
             for (const Json& dp : in.at("dp"))
                 steps.push_back(accumulationSteps(integer(in, "gbs"), integer(in, "mbs"), dp.get<std::int64_t>()));
             return steps;
         })},
        {"UP-8",
         f([](J in) { return palmFlopsPerToken(number(in, "N"), number(in, "L"), number(in, "h"), number(in, "s")); })},
    };
}

}  // namespace slipway::test
