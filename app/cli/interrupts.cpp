#include "app/cli/interrupts.h"

#include <csignal>

namespace slipway {
namespace {

volatile std::sig_atomic_t g_areHandled = 0;

}  // namespace

void handleInterrupts() {
    g_areHandled = 1;
}

bool areInterruptsHandled() {
    return g_areHandled != 0;
}

}  // namespace slipway
