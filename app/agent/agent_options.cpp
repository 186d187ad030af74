#include "app/agent/agent_options.h"

#include "core/base/ids.h"

#include <charconv>

namespace slipway {

Result<AgentOptions> parseAgentOptions(const std::vector<std::string>& arguments) {
    AgentOptions options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        const bool hasValue = i + 1 < arguments.size();
        if (word == "--version") {
            options.task = AgentOptions::Task::Version;
            return options;
        }
        if (word == "--help" || word == "-h") {
            options.task = AgentOptions::Task::Help;
            return options;
        }
        if (word == "--serve" && hasValue && i == 0 && arguments.size() == 2) {
            options.task = AgentOptions::Task::Serve;
            options.nonce = arguments[1];
            if (isSafeId(options.nonce)) return options;
            return fail("bad_usage", "--serve needs letters and digits.");
        }
        if (word == "--begin-job" && hasValue) {
            options.task = AgentOptions::Task::BeginJob;
            options.jobStart = arguments[++i];
        } else if (word == "--master" && hasValue) {
            const std::string& value = arguments[++i];
            const std::size_t colon = value.rfind(':');
            const std::string port = colon == std::string::npos ? "" : value.substr(colon + 1);
            const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), options.masterPort);
            constexpr std::int64_t kLastPort = 65535;
            if (colon == 0 || code != std::errc{} || end != port.data() + port.size() || options.masterPort < 1 ||
                options.masterPort > kLastPort)
                return fail("bad_usage", "--master needs ADDRESS:PORT.");
            options.masterAddress = value.substr(0, colon);
        } else if (word == "--foreground") {
            options.foreground = true;
        } else if (word == "--run-dir" && hasValue) {
            options.runDir = arguments[++i];
        } else if (word == "--node" && hasValue) {
            options.node = arguments[++i];
        } else if (word == "--run-dir" || word == "--node" || word == "--begin-job" || word == "--master") {
            return fail("bad_usage", word + " needs a value.");
        } else {
            return fail("bad_usage", "Unknown argument " + word + "; see slipway-agent --help.");
        }
    }
    if (options.runDir.empty()) return fail("bad_usage", "--run-dir is missing; see slipway-agent --help.");
    if (options.task == AgentOptions::Task::BeginJob) return options;
    if (options.node.empty()) return fail("bad_usage", "--node is missing; see slipway-agent --help.");
    if (!isSafeId(options.node)) return fail("bad_usage", "\"" + options.node + "\" cannot be the name of a node.");
    return options;
}

std::string agentHelp() {
    return "Usage: slipway-agent --run-dir DIR --node NAME [--foreground] [--master ADDRESS:PORT]\n"
           "       slipway-agent --begin-job ATTEMPT.RESTARTS --run-dir DIR\n"
           "       slipway-agent --serve NONCE\n"
           "       slipway-agent --version\n\n"
           "Starts the ranks that DIR/launch.json names for this node and watches them. It detaches itself: it returns as soon as\n"
           "the ranks run, and they go on when the terminal, the window or the connection that started them ends.\n\n"
           "  --run-dir DIR   the run folder\n"
           "  --node NAME     the node of launch.json that this computer is\n"
           "  --foreground    do not detach (for batch scripts of a scheduler)\n"
           "  --master A:P    where the ranks of all nodes meet, in place of launch.json's\n"
           "  --begin-job A.R takes attempt A for a job that its scheduler has queued again R times, and exits\n"
           "  --serve NONCE   answer a launcher's requests on standard input, as slipway does through ssh\n\n"
           "Exit code: 0 the ranks run (with --foreground: the run completed), 2 bad usage, 3 they could not be started,\n"
           "4 this attempt has been started before; with --foreground else the code in DIR/agent/NAME/exit.json.\n";
}

}  // namespace slipway
