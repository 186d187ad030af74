#include "core/metrics/mfu_rule.h"

namespace slipway {

Message mfuRuleName(std::string_view rule) {
    if (rule == "A") return "full attention"_text;
    if (rule == "B") return "full attention, no embedding"_text;
    if (rule == "C") return "causal"_text;
    if (rule == "D") return "recomputation counted"_text;
    return Message::name(rule);
}

}  // namespace slipway
