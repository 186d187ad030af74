// verify: slipway-trainer verify, found and called.
#include "app/cli/commands.h"
#include "app/cli/run_tools.h"
#include "core/process/process.h"
#include "core/spec/run_dir.h"

#include <csignal>

namespace slipway {
namespace {

class VerifyCommand : public Command {
public:
    std::string name() const override { return "verify"; }
    Message summary() const override { return "Prove that a layout computes what one process computes"_text; }
    Examples examples() const override {
        return {{"slipway verify config.json"},
                {"slipway verify config.json --steps 2 --json"},
                {"slipway verify config.json -- --gpu", "behind --: any option of slipway-trainer verify"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("config", m_config, "Config file (JSON)"_text).required().shownAs("CONFIG");
        arguments.option("--steps", m_steps, "Clipped AdamW steps that are compared"_text).between(1, 999999);
        arguments.flag("--gpu", m_gpu, "The layout's ranks are threads on the first GPU and run its kernels"_text);
        arguments.option("options", m_more, "Further options of slipway-trainer verify, behind --"_text)
            .shownAs("OPTION");
    }
    Result<int> run(CliContext& context) override {
        if (auto found = requireTrainer(context); !found) return fail(found.error());
        ProcessSpec spec;
        spec.arguments = {context.programs.trainer.string(), "verify", m_config};
        if (m_steps) spec.arguments.insert(spec.arguments.end(), {"--steps", std::to_string(*m_steps)});
        if (m_gpu) spec.arguments.emplace_back("--gpu");
        spec.arguments.insert(spec.arguments.end(), m_more.begin(), m_more.end());
        if (context.json) spec.arguments.emplace_back("--json");
        spec.captureOutput = true;
        spec.parentDeathSignal = SIGTERM;
        auto child = Process::start(spec);
        if (!child) return fail(child.error());
        std::size_t shown = 0, told = 0;
        while (true) {
            const bool ended = child->poll().has_value();
            context.out << child->output().substr(shown) << std::flush;
            context.err << child->errorOutput().substr(told) << std::flush;
            shown = child->output().size();
            told = child->errorOutput().size();
            if (ended) break;
            if (context.interrupts() > 0) child->signal(SIGTERM);
            context.pause();
        }
        if (context.interrupts() > 0) return kExitInterrupted;
        const ExitState& end = *child->poll();
        if (end.signal != 0) return fail("program_failed", "slipway-trainer ended with %1."_text(end.text()));
        return end.code == 0                                          ? kExitDone
               : end.code == static_cast<int>(TrainerExit::BadConfig) ? kExitUsage
                                                                      : kExitFailed;
    }

private:
    std::string m_config;
    std::optional<std::int64_t> m_steps;
    bool m_gpu = false;
    std::vector<std::string> m_more;
};

}  // namespace

std::unique_ptr<Command> makeVerifyCommand() {
    return std::make_unique<VerifyCommand>();
}

}  // namespace slipway
