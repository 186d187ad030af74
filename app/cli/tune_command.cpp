// tune: finds the fastest layout of a config on this computer by alternating forecasts and measurements.
#include "app/cli/all_cores.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "app/cli/sweep_commands.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/recorded_text.h"
#include "core/base/units.h"
#include "core/planner/stack/chosen_stack.h"
#include "core/planner/stack/shipped_stacks.h"
#include "core/sweep/sweep_result.h"
#include "core/sweep/tune.h"

#include <cmath>
#include <filesystem>

namespace slipway {
namespace {

/// Seconds of "90", "90s", "20min", "1.5h". "usage".
Result<double> durationOf(const std::string& text) {
    std::size_t end = 0;
    double number = 0;
    try {
        number = std::stod(text, &end);
    } catch (const std::exception&) {
        end = 0;
    }
    const std::string unit = text.substr(end);
    const double factor = unit.empty() || unit == "s" ? 1 : unit == "min" ? 60 : unit == "h" ? 3600 : 0;
    if (end == 0 || factor == 0 || !(number > 0) || !std::isfinite(number))
        return fail("usage", "--budget takes a time such as 90s, 20min or 1.5h; got %1."_text(text));
    return number * factor;
}

Cell secondsCell(double seconds) {
    return std::isfinite(seconds) ? Cell{formatSeconds(seconds), seconds, Tone::Plain} : Cell{"-", {}, Tone::Quiet};
}

Json numberOrNull(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

class TuneCommand : public Command {
public:
    std::string name() const override { return "tune"; }
    Message summary() const override { return "Find the fastest layout here by forecasts and short benchmarks"_text; }
    Examples examples() const override {
        return {{"slipway tune config.json --budget 20min", "then: slipway launch config.tuned.json"_text},
                {"slipway tune config.json --fix tp=1 --steps 30", "longer trials, one axis held"_text},
                {"", "Rerun the same command to continue after Ctrl-C."_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("config", m_config, "Config file (JSON)"_text).required().shownAs("CONFIG");
        arguments.option("--set", m_settings, "Set a field: parallel.tp=2; may be repeated"_text)
            .shownAs("FIELD=VALUE");
        arguments.option("--budget", m_budget, "Time for trials, such as 90s, 20min or 1.5h; default: 20min"_text)
            .shownAs("TIME");
        arguments.option("--steps", m_request.steps, "Steps of a trial"_text).between(3, 100000);
        arguments.option("--layouts", m_layouts, "Layouts that may be run: the fastest by forecast"_text)
            .between(2, 1000);
        arguments.option("--fix", m_limits, "Fix or bound an axis: tp=4, tp=2..8, tp<=8; may be repeated"_text)
            .shownAs("AXIS=VALUE");
        arguments.option("--cluster", m_cluster, kClusterHelp(kDefaultHere)).shownAs("HARDWARE");
        arguments.option("--output", m_output, "File for the tuned config; default: CONFIG with .tuned.json"_text)
            .shownAs("FILE");
    }
    Result<int> run(CliContext& context) override {
        const auto budget = durationOf(m_budget);
        if (!budget) return fail(budget.error());
        const auto config = loadConfig(m_config, m_settings);
        if (!config) return fail(config.error());
        auto store = openStore(context);
        if (!store) return fail(store.error());
        if (auto found = requireTrainer(context); !found) return fail(found.error());
        const auto version = programVersion(context.programs.trainer, context.home.path / "versions.json");
        if (!version) return fail(version.error());
        auto hardware = clusterFor(context, m_cluster, config->parallel.worldSize());
        if (!hardware) return fail(hardware.error());
        const auto chosen = chooseStack("", *config, std::move(*hardware));
        if (!chosen) return fail(chosen.error());
        ClusterSpec cluster = chosen->cluster;
        // Trials narrow this computer's stack as they end: the same command must plan the same sweep again, and fits them itself.
        if (chosen->reason == StackReason::BundledTrainer && cluster.stack)
            cluster.stack = bundledTrainerStack(cluster.device);
        m_request.config = *config;
        m_request.cluster = cluster;
        m_request.budgetSeconds = *budget;
        m_request.layouts = static_cast<std::size_t>(m_layouts);
        m_request.run = onAllCores;
        for (const std::string& limit : m_limits)
            if (auto set = m_request.limits.set(limit); !set) return fail(set.error());
        const auto plan = planTune(m_request);
        if (!plan) return fail(plan.error());

        auto runner = SweepRunner::open(*store, context.home, context.programs, plan->file, cluster,
                                        {1, false, *version, {}, {}}, context.now());
        if (!runner) return fail(runner.error());
        const auto driven = driveSweep(context, *runner);
        if (!driven) return driven;
        const auto result = loadSweepResult(*store, runner->id());
        if (!result) return fail(result.error());
        const TuneAnswer answer = answerOf(*result, *runner->decision());
        std::string output;
        if (answer.best) {
            output =
                m_output.empty() ? std::filesystem::path(m_config).replace_extension(".tuned.json").string() : m_output;
            const RunConfig tuned = withLayoutOf(*config, result->trials[*answer.best].config);
            if (auto written = writeFileAtomically(output, dumpJson(toJson(tuned), true)); !written)
                return fail(written.error());
        }
        if (context.json)
            context.out << dumpJson(json(*plan, *result, answer, output), true);
        else
            print(context, *plan, *result, answer, output);
        if (*driven != kExitDone) return *driven;
        return answer.best ? kExitDone : kExitFailed;
    }

private:
    static Json json(const TunePlan& plan, const SweepResult& result, const TuneAnswer& answer,
                     const std::string& output) {
        Json trials = Json::array(), counts = Json::array();
        for (const TuneTrial& t : answer.trials) {
            const TrialResult& trial = result.trials[t.trial];
            trials.push_back({{"name", trial.name},
                              {"status", wordOf(trial.status)},
                              {"reason", trial.reason.empty() ? Json(nullptr) : Json(trial.reason)},
                              {"run_id", trial.run.empty() ? Json(nullptr) : Json(trial.run.value)},
                              {"forecast_seconds", numberOrNull(t.forecastSeconds)},
                              {"fitted_seconds", numberOrNull(t.fittedSeconds)},
                              {"measured_seconds", numberOrNull(t.measuredSeconds)},
                              {"chance", numberOrNull(t.chance)}});
        }
        for (const SearchCount& c : plan.found.counts)
            counts.push_back({{"reason", c.reason}, {"text", textOf(c.text)}, {"layouts", c.layouts}});
        return {{"sweep_id", result.id.value},
                {"status", result.status},
                {"best", answer.best ? Json(result.trials[*answer.best].name) : Json(nullptr)},
                {"output", output.empty() ? Json(nullptr) : Json(output)},
                {"chance", numberOrNull(answer.chance)},
                {"fitted_efficiency", numberOrNull(answer.fittedEfficiency)},
                {"trials", std::move(trials)},
                {"num_layouts", plan.found.numLayouts},
                {"ruled_out", std::move(counts)}};
    }

    static void print(CliContext& context, const TunePlan& plan, const SweepResult& result, const TuneAnswer& answer,
                      const std::string& output) {
        constexpr std::size_t kUntriedShown = 5;
        Table table;
        for (const SourceText title :
             {"Layout"_text, "Measured"_text, "Forecast"_text, "Fitted"_text, "Chance"_text, "Status"_text})
            table.columns.push_back({context.text(title), "", "", title != "Layout" && title != "Status", ""});
        std::size_t untried = 0;
        for (const TuneTrial& t : answer.trials) {
            const TrialResult& trial = result.trials[t.trial];
            if (!std::isfinite(t.measuredSeconds) && std::isfinite(t.chance) && ++untried > kUntriedShown) continue;
            table.rows.push_back({{{printable(trial.name), {}, Tone::Plain},
                                   secondsCell(t.measuredSeconds),
                                   secondsCell(t.forecastSeconds),
                                   secondsCell(t.fittedSeconds),
                                   std::isfinite(t.chance) ? Cell{formatPercent(t.chance), t.chance, Tone::Plain}
                                                           : Cell{"-", {}, Tone::Quiet},
                                   {context.text(statusText(trial.status)), {}, Tone::Plain}}});
        }
        printTable(context.out, table, context.outColour);
        if (untried > kUntriedShown)
            context.out << "  "
                        << "and %1 more that were not tried"_text(untried - kUntriedShown) << '\n';
        for (const TuneTrial& t : answer.trials)
            if (const TrialResult& trial = result.trials[t.trial];
                trial.status == TrialStatus::Failed || trial.status == TrialStatus::Infeasible)
                context.out << "  " << printable(trial.name) << ", " << statusText(trial.status) << ": "
                            << printable(recordedText(trial.reason, context.language)) << '\n';
        context.out << '\n'
                    << "Ruled out before anything ran, of %1 layouts"_text(formatCount(plan.found.numLayouts)) << '\n';
        FactLines facts;
        for (const SearchCount& c : plan.found.counts) facts.emplace_back(formatCount(c.layouts), c.text);
        printFacts(context.out, facts, 2);
        if (!answer.best) {
            context.out << '\n' << "Nothing was measured."_text << '\n';
            return;
        }
        Message text = "Best: %1."_text(result.trials[*answer.best].name);
        if (std::isfinite(answer.chance))
            text = "%1 The chance that an untried layout is 3 % faster is %2."_text(text, formatPercent(answer.chance));
        if (std::isfinite(answer.fittedEfficiency))
            text = "%1 Runs took %2 times their forecasts (median)."_text(
                text, formatSignificant(1 / answer.fittedEfficiency, 3));
        context.out << '\n'
                    << wrapText(printable(context.text(text)), lineWidth(context.out)) << '\n'
                    << "Config: %1"_text(output) << '\n';
    }

    TuneRequest m_request;
    std::string m_config, m_cluster, m_output, m_budget = "20min";
    std::vector<std::string> m_settings, m_limits;
    std::int64_t m_layouts = 64;
};

}  // namespace

std::unique_ptr<Command> makeTuneCommand() {
    return std::make_unique<TuneCommand>();
}

}  // namespace slipway
