#include "core/run/event_titles.h"

#include "core/run/alert_watch.h"
#include "core/run/missing_figures.h"

#include <algorithm>
#include <array>
#include <string>

namespace slipway {
namespace {

struct Title {
    std::string_view name;
    SourceText text;
};

constexpr auto kTitles = std::to_array<Title>({
    {AlertWatch::kHookEvent, "Alert hook"_text},
    {"checkpoint", "Checkpoint written"_text},
    {"checkpoint_damaged", "Checkpoint damaged"_text},
    {"checkpoint_unverified", "Checkpoint unverified"_text},
    {"comm_failure", "Communication failed"_text},
    {"crashed", "Crashed"_text},
    {"disk_full", "Disk full"_text},
    {"fewer_ranks", "Fewer ranks"_text},
    {"fp8_emulated", "fp8 is emulated"_text},
    {"gradient_spike", "Gradient spike"_text},
    {"graph_mismatch", "Graphs differ"_text},
    {"kernel_refused", "Kernel refused"_text},
    {"loss_curve", "Loss curve"_text},
    {"loss_scale_lowered", "Loss scale lowered"_text},
    {"loss_spike", "Loss spike"_text},
    {"lost_ranks_stopped", "Lost ranks stopped"_text},
    {kMissingFiguresEvent, "No figures"_text},
    {"no_restart", "Not restarted"_text},
    {"nonfinite_gradient", "Gradient not finite"_text},
    {"nonfinite_loss", "Loss not finite"_text},
    {"nothing_to_do", "Nothing to do"_text},
    {"out_of_memory", "Out of memory"_text},
    {"restart", "Restarted"_text},
    {"rewind_impossible", "Rewind impossible"_text},
    {"rewound", "Rewound"_text},
    {"slow_node", "Slow node"_text},
    {"started_from", "Started from"_text},
    {"update_skipped", "Update skipped"_text},
    {"weights_left_out", "Weights not loaded"_text},
});

}  // namespace

Message eventTitle(std::string_view name) {
    const auto title = std::ranges::find(kTitles, name, &Title::name);
    if (title != kTitles.end()) return title->text;
    if (name.starts_with(AlertWatch::kEventPrefix))
        if (const AlertRuleInfo* rule = findAlertRule(name.substr(AlertWatch::kEventPrefix.size()))) return rule->name;
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return Message::name(words);
}

}  // namespace slipway
