// SpikeSpec: what counts as a spike of the loss or of the gradient, and what is done about it.
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>

namespace slipway {

enum class SpikeRule { Off, Mean3x, Mean5x, RobustZ };
constexpr auto enumNames(SpikeRule) {
    return std::array{
        EnumName<SpikeRule>{SpikeRule::Off, "off", "only values that are not finite"},
        EnumName<SpikeRule>{SpikeRule::Mean3x, "mean_3x", "above 3 times the mean of the last 100, after 10"},
        EnumName<SpikeRule>{SpikeRule::Mean5x, "mean_5x", "above 5 times the mean of the last 100, after 100"},
        EnumName<SpikeRule>{SpikeRule::RobustZ, "robust_z", "z-score by median and MAD of the last 128"}};
}
enum class SpikePolicy { Alert, Skip, RewindAndSkip, Stop };
constexpr auto enumNames(SpikePolicy) {
    return std::array{EnumName<SpikePolicy>{SpikePolicy::Alert, "alert", "write an event and go on"},
                      EnumName<SpikePolicy>{SpikePolicy::Skip, "skip", "drop the update of this batch"},
                      EnumName<SpikePolicy>{SpikePolicy::RewindAndSkip, "rewind_and_skip",
                                            "back to the last checkpoint's weights, the batches since left out"},
                      EnumName<SpikePolicy>{SpikePolicy::Stop, "stop", "end the run"}};
}

struct SpikeSpec {
    SpikeRule rule = SpikeRule::RobustZ;
    SpikePolicy policy = SpikePolicy::Alert;
    double zLimit = 6.0;
    double gradNormLimit = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("rule").help("When a loss counts as a spike.").advanced(), s.rule);
        v(field("policy").help("What happens at a spike, or at a loss or gradient that is not finite.").advanced(),
          s.policy);
        v(field("z_limit")
              .help("Robust z-score above which a loss is a spike.")
              .range(0, 1000000)
              .when(s.rule == SpikeRule::RobustZ, "rule is robust_z")
              .advanced(),
          s.zLimit);
        v(field("grad_norm_limit")
              .help("Gradient norm above which a step is a spike; 0 switches it off.")
              .range(0, 1e12)
              .advanced(),
          s.gradNormLimit);
    }
};

}  // namespace slipway
