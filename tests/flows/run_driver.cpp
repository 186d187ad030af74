// Follows one run to its completion and resumes it whenever it fails: the program that the kill test kills.
//   run_driver HOME RUN_ID BIN_FOLDER
// Exit code 0: completed. 3: something that no kill explains.
#include "core/base/clock.h"
#include "core/run/run_session.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

using namespace slipway;

namespace {

int giveUp(const Error& error) {
    std::fprintf(stderr, "run_driver: %s: %s\n", error.code.c_str(), error.text().c_str());
    return 3;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const Home home{argv[1]};
    const RunId id(argv[2]);
    const std::filesystem::path bin = argv[3];
    const Programs programs{bin / "slipway-agent", bin / "fake" / "slipway-trainer"};
    auto store = RunStore::open(home, OpenMode::ReadWrite);
    if (!store) return giveUp(store.error());
    auto session = RunSession::attach(*store, home, id, unixMillisecondsNow(), programs);
    if (!session) return giveUp(session.error());
    if (session->status() == RunStatus::Planned) {
        if (const auto launched = session->launch(unixMillisecondsNow()); !launched) return giveUp(launched.error());
    }
    for (;;) {
        (void)session->poll(unixMillisecondsNow());
        if (session->done()) {
            if (session->status() == RunStatus::Completed) return 0;
            const auto resumed = session->resume(unixMillisecondsNow());
            const std::string code = resumed ? "" : resumed.error().code;
            if (!resumed && code != "still_running" && code != "nodes_unheard") return giveUp(resumed.error());
        }
        ::usleep(10000);
    }
}
