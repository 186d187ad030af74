// The style sheet of HTML reports: tokens of look.md 3, light and dark.
#pragma once

namespace slipway {

extern const char* const kReportStyle;

}  // namespace slipway
