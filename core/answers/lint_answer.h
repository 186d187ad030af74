// Answers of `slipway lint` and the tab Lint: the mistakes of a launch script, a config of another framework, a list of
// facts or a config of ours, and the plan it describes.
//   auto found = lintText(text, "megatron.sh", {});   found->issues[0].code == "eval_never"   found->plan
#pragma once

#include "core/base/json.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct LintAnswer {
    std::string format;             ///< "megatron", "deepspeed", ... ; "slipway"; "facts"
    Issues issues;                  ///< by the rules, each with its field
    std::optional<RunConfig> plan;  ///< none for facts
    std::vector<Message> remarks;   ///< parts of a foreign file that Slipway cannot express
    /// The first line of the text that names the subject of an issue; 0: none found.
    [[nodiscard]] static int lineOf(const std::string& text, const Issue& issue);
};

/// @param name of the file, for messages
/// @param hardware a config of ours is evaluated on it; a foreign file only where it is given, facts never ("usage")
/// Errors: as in importConfig, parseRunConfig and runScriptFromJson.
Result<LintAnswer> lintText(const std::string& text, const std::string& name,
                            const std::optional<ClusterSpec>& hardware);

/// A config of ours, which is evaluated on hardware, as opposed to a list of facts.
bool isRunConfigDocument(const Json& json);

}  // namespace slipway
