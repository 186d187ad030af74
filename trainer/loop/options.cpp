#include "trainer/loop/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace slipway::trainer {

std::string wordOf(Backend backend) {
    switch (backend) {
        case Backend::ByDevice: return "by_device";
        case Backend::Gloo: return "gloo";
        case Backend::Nccl: return "nccl";
        case Backend::InProcess: return "in_process";
    }
    return {};
}

Backend backendFor(Backend asked, DeviceKind device) {
    if (asked != Backend::ByDevice) return asked;
    return device == DeviceKind::Gpu ? Backend::Nccl : Backend::Gloo;
}

Result<TrainOptions> parseTrainOptions(const std::vector<std::string>& arguments) {
    TrainOptions options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string name = arguments[i];
        std::string value;
        if (name == "--stop-on-nonfinite") {
            options.stopOnNonFinite = true;
            continue;
        }
        if (const std::size_t equals = name.find('='); equals != std::string::npos) {
            value = name.substr(equals + 1);
            name.resize(equals);
        } else if (i + 1 < arguments.size()) {
            value = arguments[++i];
        }
        static constexpr std::array kKnown = {"--config",       "--run-dir",      "--home",   "--resume",
                                              "--hang-seconds", "--join-seconds", "--backend"};
        if (std::ranges::find(kKnown, name) == kKnown.end())
            return fail("usage", "Unknown option " + name + "; slipway-trainer --help lists them.");
        if (value.empty()) return fail("usage", "The option " + name + " needs a value.");
        if (name == "--config")
            options.config = value;
        else if (name == "--run-dir")
            options.runDir = value;
        else if (name == "--home")
            options.home = value;
        else if (name == "--resume")
            options.resume = value;
        else if (name == "--hang-seconds") {
            char* end = nullptr;
            options.hangSeconds = std::strtod(value.c_str(), &end);
            if (*end != '\0' || !(options.hangSeconds > 0))
                return fail("usage", "--hang-seconds is \"" + value + "\"; it must be a number above 0.");
        } else if (name == "--join-seconds") {
            std::int64_t seconds = 0;
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
            options.joinSeconds = seconds;
            if (error != std::errc() || end != value.data() + value.size() || seconds < 1)
                return fail("usage", "--join-seconds is \"" + value + "\"; it must be a whole number above 0.");
        } else {
            if (value == "gloo")
                options.backend = Backend::Gloo;
            else if (value == "nccl")
                options.backend = Backend::Nccl;
            else if (value == "in_process")
                options.backend = Backend::InProcess;
            else
                return fail("usage", "--backend is \"" + value + "\"; it must be gloo, nccl or in_process.");
        }
    }
    if (options.config.empty()) return fail("usage", "--config FILE is missing.");
    if (options.runDir.empty()) return fail("usage", "--run-dir FOLDER is missing.");
    return options;
}

std::string trainerHelp() {
    return "usage: slipway-trainer --config FILE --run-dir FOLDER [options]   train; one process per rank\n"
           "       slipway-trainer verify CONFIG [--json] [--gpu]             compare a layout with one process\n"
           "       slipway-trainer export RUN|CHECKPOINT FOLDER [--json]      weights as Hugging Face reads them\n"
           "       slipway-trainer bench --gemm|--comm|--gpu|--step CONFIG    measure this machine; --record FILE keeps it,\n"
           "                                                                  --against FILE shows what became slower\n"
           "       slipway-trainer verify|export --help | --version\n"
           "\n"
           "  --backend gloo|nccl|in_process   collectives; default: nccl on GPUs, else gloo; in_process runs all ranks as\n"
           "                                   threads of this process\n"
           "  --resume latest|FOLDER           go on from the newest good checkpoint of the run, or from this one,\n"
           "                                   whatever layout wrote it\n"
           "  --home FOLDER                    where corpora/ lies\n"
           "  --stop-on-nonfinite              end with exit code 13 when loss or gradient norm is not finite\n"
           "  --hang-seconds N                 least stall that counts as a hang (60)\n"
           "  --join-seconds N                 wait so long at the start for the next rank (30; more for ranks started by hand);\n"
           "                                   the missing ranks are named halfway, or after 20 s\n"
           "\n"
           "The rank comes from RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as torchrun sets them.\n"
           "Exit codes: 0 completed, 10 bad config, 11 out of memory, 12 communication failure, 13 non-finite loss,\n"
           "14 asked to stop, 15 disk full.\n";
}

}  // namespace slipway::trainer
