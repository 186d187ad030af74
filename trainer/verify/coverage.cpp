#include "trainer/verify/coverage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace slipway::trainer {
namespace {

using Values = std::map<std::string, std::string>;  ///< by path, as JSON text without quotes

Values valuesOf(const RunConfig& config, bool onlyThoseThatApply) {
    Values values;
    for (const FieldInfo& info : runConfigFields(config)) {
        if (onlyThoseThatApply && !info.applies) continue;
        std::string text = info.defaultJson;
        std::erase(text, '"');
        values[info.path] = std::move(text);
    }
    return values;
}

bool isDegree(const std::string& key) {
    static constexpr std::array kDegrees{"dp", "tp", "pp", "cp", "ep", "etp"};
    return std::ranges::find(kDegrees, key) != kDegrees.end();
}

}  // namespace

std::string layoutText(const RunConfig& config) {
    const ParallelLayout& p = config.parallel;
    std::string text = "dp " + std::to_string(p.dp) + ", tp " + std::to_string(p.tp) + ", pp " + std::to_string(p.pp) +
                       ", cp " + std::to_string(p.cp);
    if (config.model.moe) text += ", ep " + std::to_string(p.ep) + ", etp " + std::to_string(p.etp);
    if (p.pp > 1) text += ", schedule " + std::string(wordOf(p.schedule));
    if (p.cp > 1) text += ", cp_kind " + std::string(wordOf(p.cpKind));
    const Values defaults = valuesOf({}, false);
    for (const auto& [path, value] : valuesOf(config, true)) {
        const bool ofLayout = path.starts_with("parallel.");
        if (!ofLayout && !path.starts_with("train.recompute.")) continue;
        const std::string key = ofLayout ? path.substr(std::string("parallel.").size()) : path;
        if (isDegree(key) || key == "schedule" || key == "cp_kind" || defaults.at(path) == value) continue;
        text += ", " + key + (value == "true" ? "" : " " + value);
    }
    return text;
}

std::vector<std::string> notCovered(const RunConfig& config, VerifiedFormats formats, bool onGpu) {
    const Values values = valuesOf(config, true), defaults = valuesOf({}, false);
    std::vector<std::string> list;
    // An option with a non-default value.
    const auto option = [&](const std::string& path, const std::string& why = {}) {
        const auto value = values.find(path);
        if (value == values.end()) return;
        if (defaults.at(path) == value->second) return;
        list.push_back(path + " = " + value->second + why);
    };
    const TrainSpec& t = config.train;
    if (formats == VerifiedFormats::Fp64) {
        if (t.precision != Precision::Fp64) list.push_back("train.precision = " + std::string(wordOf(t.precision)));
        for (const char* path :
             {"train.grad_dtype", "train.stochastic_rounding", "parallel.reduce_dtype", "optimizer.moment_dtype"})
            option(path);
    } else if (t.precision == Precision::Tf32 && !onGpu) {
        list.emplace_back("train.precision = tf32 (a CPU multiplies in fp32)");
    }
    if (t.precision == Precision::Fp16) list.emplace_back("changes of the loss scale");
    if (config.model.moe && config.model.moe->biasUpdateRate > 0 && formats == VerifiedFormats::AsRun)
        list.emplace_back("weights of model.moe.bias_update_rate (signs of counts)");
    option("train.batch_ramp.initial");
    option("train.spikes.policy");
    option("train.cuda_graphs");
    if (!onGpu) option("parallel.offload", " (its copies stayed in host memory)");
    if (!onGpu) option("train.device", " (kernels of the CPU computed; --gpu takes a GPU's)");
    return list;
}

double coarsestUnit(const RunConfig& config) {
    const TrainSpec& t = config.train;
    const bool sums = config.parallel.dp * config.parallel.cp > 1;
    const bool bf16 = t.precision == Precision::Bf16 || t.gradDtype == Precision::Bf16 ||
                      (sums && config.parallel.reduceDtype == ReduceDtype::Bf16) ||
                      config.optimizer.momentDtype == MomentDtype::Bf16;
    // Bits after the leading one: e4m3 has 3, bf16 7, fp16 and tf32 10, fp32 23, fp64 52.
    const int digits = t.precision == Precision::Fp8                                      ? 3
                       : bf16                                                             ? 7
                       : t.precision == Precision::Fp16 || t.precision == Precision::Tf32 ? 10
                       : t.precision == Precision::Fp32                                   ? 23
                                                                                          : 52;
    return std::ldexp(1.0, -digits);
}

}  // namespace slipway::trainer
