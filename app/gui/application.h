// The program around the main window: options, settings, language, theme, and pictures of pages without a display.
//   slipway-gui --screenshot runs runs.png --dark --lang ko --home DIR
#pragma once

namespace slipway::gui {

/// Runs the window or takes the picture; the exit code of the program (2: bad usage).
int runApplication(int argc, char** argv);

}  // namespace slipway::gui
