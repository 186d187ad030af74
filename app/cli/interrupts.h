// Ctrl-C and SIGTERM are the process's, not a command's: until a command takes over, the first ends the program within
// a second with kExitInterrupted, the second at once.
#pragma once

namespace slipway {

/// From now on the running command alone decides what an interrupt does, by CliContext::interrupts.
void handleInterrupts();

/// May be called in a signal handler.
bool areInterruptsHandled();

}  // namespace slipway
