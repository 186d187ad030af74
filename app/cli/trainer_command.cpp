// trainer: makes the installed slipway-trainer start, by placing libtorch where it looks for it.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/json.h"
#include "core/process/process.h"

#include <nlohmann/json.hpp>
#include <signal.h>

namespace slipway {
namespace {

/// Time limit of `slipway-trainer --version` in seconds; loading libtorch from a cold disk takes several.
constexpr double kVersionSeconds = 60;

class TrainerCommand : public Command {
public:
    std::string name() const override { return "trainer"; }
    Message summary() const override { return "Set up the trainer: fetch libtorch or use an existing torch"_text; }
    Examples examples() const override {
        return {{"slipway trainer setup", "fetch libtorch from PyPI, once"_text},
                {"slipway trainer setup --torch ~/venv/lib/python3.11/site-packages/torch"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("action", m_action, "setup"_text).required().oneOf({"setup"}).shownAs("ACTION");
        arguments
            .option("--torch", m_torch, "Folder of a torch package to use; default: python3's, else fetch one"_text)
            .shownAs("FOLDER");
    }
    Result<int> run(CliContext& context) override {
        const std::filesystem::path& trainer = context.programs.trainer;
        if (trainer.empty())
            return fail(
                "program_missing",
                "slipway-trainer was not found in the folder of slipway; install the package slipway-trainer."_text);
        auto version = programOutput({trainer.string(), "--version"}, kVersionSeconds);
        if (!version || !m_torch.empty()) {
            auto code = provideLibtorch(context, version ? "" : version.error().message);
            if (!code || *code != kExitDone) return code;
            version = programOutput({trainer.string(), "--version"}, kVersionSeconds);
            if (!version) return fail(version.error());
        }
        if (context.json)
            context.out << dumpJson(Json{{"trainer", trainer.string()}, {"version", versionIn(*version)}}, true);
        else
            context.out << "The trainer starts: %1, %2"_text(versionIn(*version), trainer.string()) << '\n';
        return kExitDone;
    }

private:
    /// Runs libtorch.sh of the installation and prints its lines. @param reason why the trainer does not start
    Result<int> provideLibtorch(CliContext& context, const std::string& reason) const {
        const auto script = context.programs.trainer.parent_path().parent_path() / "lib" / "slipway" / "libtorch.sh";
        std::error_code ignored;
        if (!std::filesystem::exists(script, ignored))
            return fail(
                "not_installed",
                "Only an installed trainer can be set up; in a build folder, ./run fetches libtorch. %1"_text(reason),
                script.string());
        ProcessSpec spec;
        spec.arguments = {script.string(), "setup"};
        if (!m_torch.empty()) spec.arguments = {script.string(), "use", m_torch};
        spec.captureOutput = true;
        spec.newSession = true;
        auto child = Process::start(spec);
        if (!child) return fail(child.error());
        std::size_t shown = 0, shownErrors = 0;
        const auto forward = [&] {
            context.err << child->output().substr(shown) << child->errorOutput().substr(shownErrors) << std::flush;
            shown = child->output().size();
            shownErrors = child->errorOutput().size();
        };
        while (!child->poll()) {
            forward();
            if (context.interrupts() > 0) {
                child->signalGroup(SIGKILL);
                return kExitInterrupted;
            }
            context.pause();
        }
        forward();
        if (!child->poll()->ok())
            return fail("libtorch_missing", "libtorch was not set up: %1, see above."_text(child->poll()->text()));
        return kExitDone;
    }

    std::string m_action, m_torch;
};

}  // namespace

std::unique_ptr<Command> makeTrainerCommand() {
    return std::make_unique<TrainerCommand>();
}

}  // namespace slipway
