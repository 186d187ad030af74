// A program that slipway runs may print nothing that is read as figures: its run then has none, and the remedy is known.
#pragma once

#include "core/base/message.h"
#include "core/spec/run_dir.h"

#include <optional>

namespace slipway {

/// Name of the event of a program that ended without figures; its detail is missingFiguresText().
constexpr const char* kMissingFiguresEvent = "no_figures";

/// Why a program's run has no figures and how it gets some, in one sentence.
Message missingFiguresText();

/// The same for a run without steps; empty where no program is run, its figures come from the Python module, or its output is not to
/// be read.
std::optional<Message> missingFigures(const RunDir& folder);

}  // namespace slipway
