// What the events of runs are called: one table for the window and the command.
//   textOf(eventTitle("update_skipped")) == "Update skipped"     textOf(eventTitle("disk_slow")) == "disk slow"
#pragma once

#include "core/base/message.h"

#include <string_view>

namespace slipway {

/// The title of an event by its name in the stream; of an alert the name of its rule. A name without a title, such as
/// an error code, is returned with spaces for its underscores.
Message eventTitle(std::string_view name);

}  // namespace slipway
