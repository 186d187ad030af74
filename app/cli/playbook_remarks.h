// playbook note and tick: a person's own words beside chapters and experiments, and the points of the pre-flight list that no program sees.
#pragma once

#include "app/cli/command.h"
#include "core/playbook/playbook.h"

namespace slipway {

struct RemarkRequest {
    std::string action;  ///< "note" or "tick"
    std::string id;      ///< a chapter or an experiment, or a point; empty: list what is there
    std::string note;
    bool isOff = false;  ///< tick: take it back
};
/// "usage" for an unknown point.
Result<int> remark(CliContext& context, const Playbook& playbook, const RemarkRequest& request);

}  // namespace slipway
