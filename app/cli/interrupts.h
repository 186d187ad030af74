// Ctrl-C and SIGTERM are handled by the process, not a command: until a command takes over, the first ends the program
// within a second with kExitInterrupted, the second immediately.
#pragma once

namespace slipway {

/// From now on the running command alone handles interrupts, by CliContext::interrupts.
void handleInterrupts();

/// May be called in a signal handler.
bool areInterruptsHandled();

}  // namespace slipway
