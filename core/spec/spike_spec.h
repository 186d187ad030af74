// SpikeSpec: the definition of a spike of the loss or the gradient, and the reaction to it.
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>

namespace slipway {

enum class SpikeRule { Off, Mean3x, Mean5x, RobustZ };
constexpr auto enumNames(SpikeRule) {
    return std::array{
        EnumName<SpikeRule>{SpikeRule::Off, "off", "non-finite values only"_text},
        EnumName<SpikeRule>{SpikeRule::Mean3x, "mean_3x", "above 3 times the mean of the last 100, after 10"_text},
        EnumName<SpikeRule>{SpikeRule::Mean5x, "mean_5x", "above 5 times the mean of the last 100, after 100"_text},
        EnumName<SpikeRule>{SpikeRule::RobustZ, "robust_z", "z-score by median and MAD of the last 128"_text}};
}
enum class SpikePolicy { Alert, Skip, RewindAndSkip, Stop };
constexpr auto enumNames(SpikePolicy) {
    return std::array{EnumName<SpikePolicy>{SpikePolicy::Alert, "alert", "write an event and continue"_text},
                      EnumName<SpikePolicy>{SpikePolicy::Skip, "skip", "drop the update of this batch"_text},
                      EnumName<SpikePolicy>{SpikePolicy::RewindAndSkip, "rewind_and_skip",
                                            "restore the last checkpoint's weights and skip the batches since"_text},
                      EnumName<SpikePolicy>{SpikePolicy::Stop, "stop", "end the run"_text}};
}

struct SpikeSpec {
    SpikeRule rule = SpikeRule::RobustZ;
    SpikePolicy policy = SpikePolicy::Alert;
    double zLimit = 6.0;
    double gradNormLimit = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("rule").label("Spike rule"_text).help("Criterion for a loss spike."_text).advanced(), s.rule);
        v(field("policy")
              .label("Spike policy"_text)
              .help("Response to a spike or to a non-finite loss or gradient."_text)
              .advanced(),
          s.policy);
        v(field("z_limit")
              .label("Spike z limit"_text)
              .help("Robust z-score limit of the loss."_text)
              .range(0, 1000000)
              .when(s.rule == SpikeRule::RobustZ, "rule is robust_z"_text)
              .advanced(),
          s.zLimit);
        v(field("grad_norm_limit")
              .label("Gradient norm limit"_text)
              .help("Limit of the gradient norm; 0 disables it."_text)
              .range(0, 1e12)
              .advanced(),
          s.gradNormLimit);
    }
};

}  // namespace slipway
