#include "core/planner/cost/cost.h"
#include "core/planner/count/batch.h"
#include "core/planner/count/flops.h"
#include "core/planner/laws/source_variants.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/policy.h"
#include "core/planner/presets.h"
#include "core/planner/time/tpu_roofline.h"
#include "tests/core/planner/example_bindings.h"

#include <cmath>

namespace slipway::test {

namespace {

using J = const Json&;

double number(J in, const char* key) {
    return in.at(key).get<double>();
}

constexpr double kHour = 3600, kDay = 86400, kYear = 365 * kDay;
constexpr double kPod = 8960;  // chips of a v5p pod
constexpr double kV5pPeak = 4.59e14;
constexpr double kV5pIntensity = 2550;
constexpr double kDcnBytesPerSecond = 6.25e9;

double seconds(J in) {
    return trainingSeconds(number(in, "flops"), number(in, "peak"), in.value("mfu", 1.0),
                           in.value("chips", in.value("gpus", 1.0)));
}

std::string printed(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string withSeparators(double value) {
    std::string text = printed("%.0f", value);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

/// The guide's cost table as it prints it: MFU 0.45, 312 and 989 TFLOP/s.
Json guideCost(J in) {
    constexpr double kMfu = 0.45;
    const std::string gpu = in.at("gpu").get<std::string>();
    // As the guide writes them.
    static const std::map<std::string, std::string> names{{"A100-80GB", "NVIDIA A100 SXM 80 GB"},
                                                          {"H100-80GB", "NVIDIA H100 SXM 80 GB"},
                                                          {"V100-32GB", "NVIDIA V100 SXM2 32 GB"}};
    const std::optional<double> price = listedPrice(names.at(gpu), in.at("cloud").get<std::string>());
    if (!price) return "unknown price";
    const double peak = gpu == "H100-80GB" ? 989e12 : *findDevicePreset(names.at(gpu))->device.peakBf16Flops;
    const double flops = trainingFlops(number(in, "N"), number(in, "D"));
    const double wall = trainingSeconds(flops, peak, kMfu, number(in, "gpus"));
    const double hours = deviceHours(flops, peak, kMfu);
    return {{"total_flops", printed("%.2e", flops)},
            {"training_hours", printed("%.1f", wall / kHour)},
            {"training_days", printed("%.1f", wall / kDay)},
            {"gpu_hours", printed("%.0f", hours)},
            {"estimated_cost_usd", withSeparators(*money(hours, price))},
            {"mfu", kMfu}};
}

Json utilisation(J in) {
    const double peak = number(in, "peak_tflops") * 1e12;
    return *mfu(trainingFlops(number(in, "N"), 1), number(in, "tokens") / number(in, "seconds"), peak, 1);
}

double perChip(J in) {
    return stateBytes({"", 1, 0, 0, ""}, number(in, "bytes"), 3, number(in, "chips")).total() / 1e9;
}

double mixedLimit(J in, RooflineEdition edition) {
    return mixedTokenLimit(kV5pIntensity, 2, number(in, "F"), edition);
}

Json eightPods(J in) {
    const double perChipTokens = number(in, "batch") / number(in, "chips");
    const double perPod = number(in, "batch") / (number(in, "chips") / kPod);
    const double seed = mixedLimit(in, RooflineEdition::SumOfBoth), later = mixedLimit(in, RooflineEdition::MaxOfBoth);
    const double x = bestFsdpDegree(perPod, kPod, number(in, "F"), 2);
    return {{"tokens_per_chip", perChipTokens},
            {"limit_seed", seed},
            {"limit_later", later},
            {"ratio_seed", mixedCommRatio(perChipTokens, seed)},
            {"ratio_later", mixedCommRatio(perChipTokens, later)},
            {"X", x},
            {"Y", kPod / x},
            {"dcn_margin", perPod / dcnTokenLimit(kV5pPeak, kDcnBytesPerSecond)}};
}

Json podMemory(J in) {
    const StateBytes state = stateBytes(*findStatePolicy("scaling_book"), number(in, "P"), 0, 1);
    const double kept = checkpointBytes(number(in, "tokens"), number(in, "D"), number(in, "L"), 4, 2);
    const double total = state.weights + state.optimizer + kept;
    return {{"params_gb", state.weights / 1e9},
            {"opt_gb", state.optimizer / 1e9},
            {"ckpt_tb", kept / 1e12},
            {"total_tb", total / 1e12},
            {"chips_96gb", devicesToHold(total, 96e9)}};
}

}  // namespace

std::vector<ExampleBinding> costBindings() {
    const auto f = [](auto function) { return [function](J in, const std::string&) -> Json { return function(in); }; };
    const auto ratio = f([](J in) { return mixedCommRatio(number(in, "tokens_per_chip"), number(in, "limit")); });
    return {
        {"000-1.3c", f([](J in) { return deviceHours(number(in, "flops"), number(in, "peak"), number(in, "mfu")); })},
        {"000-1.3d", f([](J in) { return seconds(in) / kHour; })},
        {"000-9.1", f(guideCost)},
        {"000-9.2", f(utilisation)},
        {"000-9.2b", f([](J in) {
             return source_variants::mfuOfOneDevice(number(in, "N"), number(in, "tokens"), number(in, "seconds"),
                                                    number(in, "peak_tflops") * 1e12);
         })},
        {"002-g", f([](J in) { return devicesToHold(number(in, "gib"), number(in, "gpu_gib")); })},
        {"002-i", f([](J in) { return seconds(in) / kDay; })},
        {"002-p", f([](J in) { return breakEvenHours(number(in, "price"), number(in, "rent_per_hour")); })},
        {"003-3b", f([](J in) { return seconds(in) * 1e3; })},
        {"003-4b", f([](J in) { return seconds(in) / kYear; })},
        {"003-5", f([](J in) {
             return torusChips({number(in, "x"), number(in, "y"), number(in, "z")});
         })},
        {"003-5b", f([](J in) { return seconds(in) / kDay; })},
        {"003-6e", f([](J in) { return devicesToHold(number(in, "bytes"), number(in, "hbm")); })},
        {"003-6f",
         f([](J in) { return trainingSeconds(number(in, "days") * number(in, "chips"), 1, 1, number(in, "few")); })},
        {"003-6g", f([](J in) { return number(in, "days") * kDay / kYear; })},
        {"003-7", f(perChip)},
        {"003-8a", f([](J in) { return number(in, "batch_tokens") / tokensOf(1, number(in, "seq")); })},
        {"003-8b", f([](J in) { return number(in, "batch_tokens") / number(in, "chips"); })},
        {"003-8c", f([](J in) { return fsdpTokenLimit(number(in, "C"), number(in, "W"), number(in, "axes")); })},
        {"003-8d", f([](J in) {
             return mixedTokenLimit(number(in, "alpha"), number(in, "MxMy"), number(in, "F"),
                                    RooflineEdition::SumOfBoth);
         })},
        {"003-8e", f([](J in) {
             return mixedTokenLimit(number(in, "alpha"), number(in, "MxMy"), number(in, "F"),
                                    RooflineEdition::MaxOfBoth);
         })},
        {"003-8f", f([](J in) { return bestFsdpDegree(number(in, "B"), number(in, "N"), number(in, "F"), 2); })},
        {"003-8g", f([](J in) {
             return torusChips({number(in, "fsdp"), number(in, "tp")});
         })},
        {"003-8h", f([](J in) { return tensorParallelLimit(number(in, "F"), number(in, "alpha")); })},
        {"003-P1a", f([](J in) { return number(in, "batch_tokens") / number(in, "chips"); })},
        {"003-P1b", f([](J in) {
             const double limit = dcnTokenLimit(number(in, "peak"), number(in, "dcn_bytes_per_chip"));
             return Json{{"limit", limit}, {"margin", number(in, "batch_per_pod") / limit}};
         })},
        {"003-P1c",
         f([](J in) { return textOf(rooflineVerdict(number(in, "tokens_per_chip"), number(in, "limit"))); })},
        {"003-P1d", ratio},
        {"003-P1e", ratio},
        {"003-P1f", f([](J in) {
             const double x = bestFsdpDegree(number(in, "batch_per_pod"), number(in, "chips"), number(in, "F"), 2);
             return Json{{"X", x}, {"Y", number(in, "chips") / x}};
         })},
        {"003-P1g", f([](J in) { return seconds(in) / kDay; })},
        {"003-P2b.days", f([](J in) { return seconds(in) / kDay; })},
        {"003-P2b@", f(eightPods)},
        {"003-P2b.mem", f(podMemory)},
        {"UP-9",
         f([](J in) { return *mfu(number(in, "flops_per_token"), number(in, "tok_s_gpu"), number(in, "peak"), 1); })},
    };
}

const std::vector<ForeignRows>& foreignRows() {
    static const std::vector<ForeignRows> rows = {
        {"000-2.", "corpus"},     {"002-b", "corpus"},      {"000-5.1f", "clipping"},   {"000-5.1", "spikes"},
        {"000-5.2a", "clipping"}, {"000-5.2b", "clipping"}, {"000-5.2", "noise scale"}, {"001-5.1", "spikes"},
        {"001-5.2", "resume"},    {"000-6.1a", "resume"},   {"000-7.", "loss curves"},
    };
    return rows;
}

}  // namespace slipway::test
