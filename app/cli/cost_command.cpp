// cost: device-hours, money, energy, carbon and failures of a planned run or of a budget.
#include "app/cli/plan_subject.h"
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/answers/cost_answer.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/plan.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/planner/variants/scaling_curve.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr const char* kGivenMfu = "given MFU";

Json figure(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Words known(const std::optional<double>& value, std::string (*format)(double)) {
    return value && std::isfinite(*value) ? Words(format(*value)) : Words("unknown"_text);
}

Words knownSeconds(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Words(Seconds{*value}) : Words("unknown"_text);
}

/// The basis of a time in words.
Message basisName(const CostBasis& basis) {
    return basis.label == kGivenMfu ? "given MFU"_text : basisText(basis.label, basis.software);
}

std::string money(double amount, const Json& json) {
    return formatMoney(amount, json["currency"].get<std::string>());
}

Message offersText(const Json& offers) {
    if (offers.empty()) return "none is known"_text;
    const auto text = [](const Json& p) {
        return "%1 (%2 %3, %4 an hour)"_text(money(p["money"].get<double>(), p), p["offer"].get<std::string>(),
                                             p["date"].get<std::string>(),
                                             formatSignificant(p["price_per_hour"].get<double>(), 3));
    };
    return offers.size() > 1 ? "%1 to %2"_text(text(offers.front()), text(offers.back())) : text(offers.front());
}

class CostCommand : public Command {
public:
    std::string name() const override { return "cost"; }
    Message summary() const override { return "Device-hours, money, energy, carbon and failures of a run"_text; }
    Examples examples() const override {
        return {
            {"slipway cost config.json --cluster h100.json", "the planned run"_text},
            {"slipway cost --params 7e9 --tokens 2e12 --device \"NVIDIA A100 SXM 80 GB\" --devices 256 --mfu 0.45 --price 1.99"},
            {"slipway cost config.json --price 2.95 --node-mtbf-days 264 --checkpoint-seconds 60 --restart-seconds 600"},
            {"slipway cost config.json --carbon 380 --pue 1.2 --json"},
            {"slipway cost config.json --cluster h100.json --scaling strong --points 6"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("config", m_config, "Config file (JSON); without one, name the training"_text)
            .shownAs("CONFIG");
        arguments.option("--set", m_settings, "Set a field: parallel.tp=2; may be repeated"_text)
            .shownAs("FIELD=VALUE")
            .oneEach();
        arguments.option("--cluster", m_cluster, kClusterHelp(kDefaultOfConfig)).shownAs("FILE|DEVICE");
        declareStack(arguments, m_stack);
        const auto amount = [&](const char* option, std::optional<double>& to, SourceText help) {
            arguments.option(option, to, help).positive().shownAs("N");
        };
        amount("--flops", m_input.flops, "Training compute, in place of --params and --tokens"_text);
        amount("--params", m_input.parameters, "Parameters"_text);
        amount("--tokens", m_input.tokens, "Training tokens"_text);
        arguments
            .option("--device", m_device,
                    "A device of the library, by its name; with a config in place of --cluster"_text)
            .shownAs("NAME");
        arguments.option("--devices", m_input.devices, "Number of devices (without a config)"_text)
            .shownAs("N")
            .between(1, 10000000);
        arguments.option("--mfu", m_input.mfu, "Share of the dense peak that is reached (without a config)"_text)
            .between(0.001, 1.0);
        arguments
            .option("--precision", m_precision,
                    "Precision of the peak: bf16 (the default), fp16, fp8, tf32, fp32, fp64"_text)
            .oneOf({"bf16", "fp16", "fp8", "tf32", "fp32", "fp64"});
        arguments.option("--price", m_input.pricePerHour, "Price of one device for one hour"_text).notNegative();
        amount("--buy-price", m_input.purchasePrice,
               "Price of one device, to show after how many hours buying it pays"_text);
        arguments.option("--currency", m_input.currency, "Currency to show money in, with --rate"_text).shownAs("CODE");
        amount("--rate", m_input.exchangeRate, "Units of --currency for one unit of the price's currency"_text);
        amount("--power", m_input.powerWatts, "Watts of one device; default: the library's"_text);
        arguments.option("--pue", m_input.powerUsageEffectiveness, "Power of the site over power of the devices"_text)
            .between(1.0, 5.0);
        arguments.option("--carbon", m_input.gramsPerKwh, "Grams of CO2 equivalent per kWh"_text).notNegative();
        amount("--node-mtbf-days", m_input.nodeMtbfDays, "Mean days between failures of one node (Llama 3: 264)"_text);
        arguments
            .option("--checkpoint-seconds", m_input.checkpointSeconds,
                    "Seconds that training pauses for a checkpoint"_text)
            .notNegative();
        arguments.option("--restart-seconds", m_input.restartSeconds, "Time from a failure to the first step"_text)
            .notNegative();
        amount("--checkpoint-every", m_input.checkpointEverySeconds,
               "Seconds between checkpoints; default: the best"_text);
        const Argument curve = arguments.option("--scaling", m_scaling, "Speed with more replicas: strong or weak"_text)
                                   .oneOf({"strong", "weak"});
        arguments.option("--points", m_points, "Points of --scaling, each with twice the replicas"_text)
            .between(2, 20)
            .needs(curve);
    }
    Result<int> run(CliContext& context) override {
        if (const std::string unused = optionWithoutEffect(); !unused.empty())
            return fail(
                "usage",
                m_config.empty()
                    ? "This belongs to a config; without one give --device, --devices and --mfu."_text
                    : "The config gives this; --set changes its fields, --cluster or --device the hardware."_text,
                unused);
        if (!m_scaling.empty()) return scaling(context);
        const auto basis = m_config.empty() ? ofBudget() : ofPlan(context);
        if (!basis) return fail(asOption(basis.error()));
        print(context, *basis);
        return kExitDone;
    }

private:
    Result<RunConfig> config() const {
        if (m_config.empty()) return fail("usage", "--scaling needs a config."_text, "--scaling");
        return loadConfig(m_config, m_settings);
    }

    /// A given option that this calculation does not use; empty: none.
    [[nodiscard]] std::string optionWithoutEffect() const {
        const std::pair<const char*, bool> ofBudget[] = {{"--flops", m_input.flops.has_value()},
                                                         {"--params", m_input.parameters.has_value()},
                                                         {"--tokens", m_input.tokens.has_value()},
                                                         {"--devices", m_input.devices.has_value()},
                                                         {"--mfu", m_input.mfu.has_value()},
                                                         {"--precision", m_precision.has_value()},
                                                         {"--device", !m_device.empty() && !m_cluster.empty()}};
        const std::pair<const char*, bool> ofConfig[] = {
            {"--set", !m_settings.empty()}, {"--stack", !m_stack.empty()}, {"--cluster", !m_cluster.empty()}};
        if (m_config.empty()) {
            for (const auto& [option, isGiven] : ofConfig)
                if (isGiven) return option;
            return {};
        }
        for (const auto& [option, isGiven] : ofBudget)
            if (isGiven) return option;
        return {};
    }

    Result<ClusterSpec> hardware(CliContext& context, const RunConfig& config) const {
        const std::int64_t world = config.parallel.worldSize();
        auto cluster =
            m_device.empty() ? clusterOf(context, m_cluster, config, world) : libraryCluster(m_device, world);
        if (!cluster) return cluster;
        auto chosen = chooseStack(m_stack, config, std::move(*cluster));
        if (!chosen) return fail(chosen.error());
        return std::move(chosen->cluster);
    }

    Result<CostBasis> ofPlan(CliContext& context) const {
        const auto c = config();
        if (!c) return fail(c.error());
        const auto cluster = hardware(context, *c);
        if (!cluster) return fail(cluster.error());
        return costOfPlan(m_input, makePlan(*c, *cluster));
    }

    Result<CostBasis> ofBudget() {
        if (m_precision)
            for (const auto& [value, word, help, label] : enumNames(Precision{}))
                if (word == *m_precision) m_input.precision = value;
        if (!m_input.flops && !(m_input.parameters && m_input.tokens))
            return fail("usage", "Name a config, or give --params and --tokens, or --flops."_text, "config");
        if (m_device.empty() || !m_input.devices)
            return fail("usage", "Without a config, name the hardware: --device and --devices."_text, "--device");
        const auto preset = libraryCluster(m_device, 1);
        if (!preset) return fail(preset.error());
        return costOfBudget(m_input, *preset);
    }

    /// A field of the question is an option here, and the plan's position its file.
    [[nodiscard]] Error asOption(Error error) const {
        if (error.where == "config" && !m_config.empty()) error.where = m_config;
        for (const char* field : {"params", "mfu", "precision", "rate", "currency"})
            if (error.where == field) error.where = "--" + error.where;
        return error;
    }

    static void print(CliContext& context, const CostBasis& basis) {
        Json json;
        const AnswerView view = costAnswer(basis, json);
        if (context.json) {
            context.out << dumpJson(json, true);
            return;
        }
        const auto known = [&](const char* key) { return json.contains(key) && !json[key].is_null(); };
        const auto text = [&](const char* key) -> Words {
            for (const AnswerColumn& column : view.figures)
                if (column.key == key && known(key)) return cellText(json[key], column, context.language);
            return "unknown"_text;
        };
        const Message label = basisName(basis);
        FactLines facts = {
            {"Devices"_text, "%1 x %2"_text(text("devices"), text("device"))},
            {"Training"_text, known("mfu") ? "%1 (%2, MFU %3)"_text(text("busy_seconds"), label, text("mfu"))
                                           : "%1 (%2)"_text(text("busy_seconds"), label)},
            {"With failures"_text,
             known("wall_seconds") ? "%1, ETTR %2"_text(text("wall_seconds"), text("ettr")) : Message("unknown"_text)},
            {"Device-hours"_text, text("device_hours")},
            {"Money"_text, known("money")
                               ? Words(money(json["money"].get<double>(), json) + " (" + basis.priceSource + ")")
                               : Words("unknown: no price"_text)},
            {"At listed prices"_text, offersText(json["listed_prices"])},
            {"Energy"_text, known("energy_kwh") ? text("energy_kwh") : Words("unknown: needs --power"_text)},
            {"Carbon"_text, known("carbon_kg")           ? text("carbon_kg")
                            : basis.question.gramsPerKwh ? Words("unknown: needs --power"_text)
                            : basis.question.powerWatts  ? Words("unknown: needs --carbon"_text)
                                                         : Words("unknown: needs --carbon and --power"_text)},
            {"Time between failures"_text, text("mtbf_seconds")},
            {"Failures expected"_text, text("failures")},
            {"Best checkpoint interval"_text, text("best_checkpoint_interval_seconds")}};
        if (known("break_even_hours")) facts.emplace_back("Buying pays after"_text, text("break_even_hours"));
        if (!basis.question.nodeMtbfSeconds)
            facts.emplace_back("", "Failures need --node-mtbf-days; %1 saw %2 days."_text(
                                       std::string(llama3Reliability().name),
                                       formatSignificant(llama3Reliability().nodeMtbfSeconds / 86400, 3)));
        printFacts(context.out, facts);
    }

    Result<int> scaling(CliContext& context) const {
        const auto c = config();
        if (!c) return fail(c.error());
        const auto cluster = hardware(context, *c);
        if (!cluster) return fail(cluster.error());
        const ScalingMode mode = m_scaling == "weak" ? ScalingMode::Weak : ScalingMode::Strong;
        Json rows = Json::array();
        Table table;
        for (const SourceText title : {"Devices"_text, "dp"_text, "Batch"_text, "Step"_text, "Tokens/s"_text,
                                       "Efficiency"_text, "MFU"_text, "Note"_text})
            table.columns.push_back({context.text(title), "", "", title != "Note", ""});
        for (const ScalingPoint& p : scalingCurve(*c, *cluster, mode, m_points)) {
            rows.push_back({{"devices", p.devices},
                            {"dp", p.dp},
                            {"global_batch_size", p.globalBatchSize},
                            {"step_seconds", figure(p.stepSeconds)},
                            {"tokens_per_second", figure(p.tokensPerSecond)},
                            {"efficiency", figure(p.efficiency)},
                            {"mfu", figure(p.mfu)},
                            {"fits", p.fits},
                            {"obstacle", p.obstacle}});
            table.rows.push_back({{formatCount(static_cast<double>(p.devices)), {}, Tone::Plain},
                                  {std::to_string(p.dp), {}, Tone::Plain},
                                  {formatCount(static_cast<double>(p.globalBatchSize)), {}, Tone::Plain},
                                  {context.text(knownSeconds(p.stepSeconds)), {}, Tone::Plain},
                                  {context.text(known(p.tokensPerSecond, formatShort)), {}, Tone::Plain},
                                  {context.text(known(p.efficiency, formatPercent)), {}, Tone::Plain},
                                  {context.text(known(p.mfu, formatPercent)), {}, Tone::Plain},
                                  {p.obstacle, {}, Tone::Plain}});
        }
        if (context.json)
            context.out << dumpJson(Json{{"mode", m_scaling}, {"rows", std::move(rows)}}, true);
        else
            printTable(context.out, table, context.outColour);
        return kExitDone;
    }

    std::string m_config, m_cluster, m_stack, m_device, m_scaling;
    std::optional<std::string> m_precision;
    std::vector<std::string> m_settings;
    CostInput m_input;
    int m_points = 5;
};

}  // namespace

std::unique_ptr<Command> makeCostCommand() {
    return std::make_unique<CostCommand>();
}

}  // namespace slipway
