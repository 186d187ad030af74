// cost: device-hours, money, energy, carbon and failures of a planned run or of a budget.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/cost/cost.h"
#include "core/planner/cost/run_cost.h"
#include "core/planner/cost/scaling_curve.h"
#include "core/planner/count/parameters.h"
#include "core/planner/presets.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

Json figure(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

std::string known(const std::optional<double>& value, std::string (*format)(double)) {
    return value && std::isfinite(*value) ? format(*value) : "unknown";
}

std::string hours(double value) {
    return (value < 1000 ? formatSignificant(value, 3) : formatShort(value)) + " h";
}
std::string kilowattHours(double value) {
    return formatShort(value) + " kWh";
}
std::string kilograms(double value) {
    return formatShort(value) + " kg CO2e";
}

/// What is priced, and how it was told.
struct Basis {
    CostQuestion question;
    std::string device, currency = "USD", priceSource, label;
    std::optional<double> flops, mfu;
};

/// The library's sources end with that of the price, which is not as old as the data sheet.
std::string sourceOfPrice(const DeviceSpec& device) {
    constexpr std::string_view kPrice = "price: ";
    const std::size_t at = device.source.find(kPrice);
    return at == std::string::npos ? device.source + ", " + device.sourceDate
                                   : device.source.substr(at + kPrice.size());
}

/// What others ask for a device, cheapest first: prices differ several times over.
std::vector<ListedPrice> offersOf(const std::string& device) {
    std::vector<ListedPrice> offers;
    for (const ListedPrice& price : listedPrices())
        if (price.device == device) offers.push_back(price);
    std::stable_sort(offers.begin(), offers.end(),
                     [](const ListedPrice& a, const ListedPrice& b) { return a.pricePerHour < b.pricePerHour; });
    return offers;
}

Json offersJson(const std::string& device, double deviceHours) {
    Json list = Json::array();
    for (const ListedPrice& p : offersOf(device))
        list.push_back({{"offer", p.offer},
                        {"price_per_hour", p.pricePerHour},
                        {"money", p.pricePerHour * deviceHours},
                        {"currency", p.currency},
                        {"source", p.source},
                        {"date", p.date}});
    return list;
}

std::string offersText(const std::string& device, double deviceHours) {
    const std::vector<ListedPrice> offers = offersOf(device);
    if (offers.empty()) return "none is known";
    const auto text = [&](const ListedPrice& p) {
        return formatMoney(p.pricePerHour * deviceHours, p.currency) + " (" + p.offer + " " + p.date + ", " +
               formatSignificant(p.pricePerHour, 3) + " an hour)";
    };
    return text(offers.front()) + (offers.size() > 1 ? " to " + text(offers.back()) : "");
}

class CostCommand : public Command {
public:
    std::string name() const override { return "cost"; }
    std::string summary() const override { return "Device-hours, money, energy, carbon and failures of a run"; }
    std::string examples() const override {
        return "  slipway cost config.json --cluster h100.json             the planned run\n"
               "  slipway cost --params 7e9 --tokens 2e12 --device \"NVIDIA A100 SXM 80 GB\" --devices 256 --mfu 0.45 --price 1.99\n"
               "  slipway cost config.json --price 2.95 --node-mtbf-days 264 --checkpoint-seconds 60 --restart-seconds 600\n"
               "  slipway cost config.json --carbon 380 --pue 1.2 --json\n"
               "  slipway cost config.json --cluster h100.json --scaling strong --points 6";
    }
    void declare(Arguments& arguments) override {
        arguments.option("config", m_config, "Config file (JSON); else say what is trained").shownAs("CONFIG");
        arguments.option("--set", m_settings, "Set a field: parallel.tp=2; may be repeated")
            .shownAs("FIELD=VALUE")
            .oneEach();
        arguments.option("--cluster", m_cluster, std::string(kClusterHelp) + kDefaultOfConfig).shownAs("FILE|DEVICE");
        const auto amount = [&](const char* option, std::optional<double>& to, const char* help) {
            arguments.option(option, to, help).positive().shownAs("N");
        };
        amount("--flops", m_flops, "Training compute, in place of --params and --tokens");
        amount("--params", m_parameters, "Parameters");
        amount("--tokens", m_tokens, "Training tokens");
        arguments
            .option("--device", m_device, "A device of the library, by its name; with a config in place of --cluster")
            .shownAs("NAME");
        arguments.option("--devices", m_devices, "Number of devices (without a config)")
            .shownAs("N")
            .between(1, 10000000);
        arguments.option("--mfu", m_mfu, "Share of the dense peak that is reached (without a config)")
            .between(0.001, 1.0);
        arguments
            .option("--precision", m_precision,
                    "Precision of the peak: bf16 (the default), fp16, fp8, tf32, fp32, fp64")
            .oneOf({"bf16", "fp16", "fp8", "tf32", "fp32", "fp64"});
        arguments.option("--price", m_price, "Price of one device for one hour").notNegative();
        amount("--power", m_power, "Watts of one device; default: the library's");
        arguments.option("--pue", m_pue, "Power of the site over power of the devices").between(1.0, 5.0);
        arguments.option("--carbon", m_carbon, "Grams of CO2 equivalent per kWh").notNegative();
        amount("--node-mtbf-days", m_nodeMtbfDays, "Mean days between failures of one node (Llama 3: 264)");
        arguments.option("--checkpoint-seconds", m_checkpoint, "Time training stands still for a checkpoint")
            .notNegative();
        arguments.option("--restart-seconds", m_restart, "Time from a failure to the first step").notNegative();
        amount("--checkpoint-every", m_every, "Seconds between checkpoints; default: the best");
        const Argument curve = arguments.option("--scaling", m_scaling, "Speed with more replicas: strong or weak")
                                   .oneOf({"strong", "weak"});
        arguments.option("--points", m_points, "Points of --scaling, each with twice the replicas")
            .between(2, 20)
            .needs(curve);
    }
    Result<int> run(CliContext& context) override {
        if (const std::string unused = optionWithoutEffect(); !unused.empty())
            return fail("usage",
                        m_config.empty()
                            ? "This belongs to a config; without one say --device, --devices and --mfu."
                            : "The config says this; --set changes its fields, --cluster or --device the hardware.",
                        unused);
        if (!m_scaling.empty()) return scaling(context);
        const auto basis = m_config.empty() ? ofBudget() : ofPlan(context);
        if (!basis) return fail(basis.error());
        print(context, *basis);
        return kExitDone;
    }

private:
    Result<RunConfig> config() const {
        if (m_config.empty()) return fail("usage", "--scaling needs a config.", "--scaling");
        return loadConfig(m_config, m_settings);
    }

    /// An option that was given and that this calculation does not read; empty: none.
    [[nodiscard]] std::string optionWithoutEffect() const {
        const std::pair<const char*, bool> ofBudget[] = {{"--flops", m_flops.has_value()},
                                                         {"--params", m_parameters.has_value()},
                                                         {"--tokens", m_tokens.has_value()},
                                                         {"--devices", m_devices.has_value()},
                                                         {"--mfu", m_mfu.has_value()},
                                                         {"--precision", m_precision.has_value()},
                                                         {"--device", !m_device.empty() && !m_cluster.empty()}};
        const std::pair<const char*, bool> ofConfig[] = {{"--set", !m_settings.empty()},
                                                         {"--cluster", !m_cluster.empty()}};
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
        return m_device.empty() ? clusterOf(context, m_cluster, config, world) : libraryCluster(m_device, world);
    }

    void common(Basis& b, const DeviceSpec& device) const {
        CostQuestion& q = b.question;
        b.device = device.name;
        b.currency = device.currency;
        q.pricePerHour = m_price ? m_price : device.pricePerHour;
        b.priceSource = m_price ? "--price" : device.pricePerHour ? sourceOfPrice(device) : "";
        q.powerWatts = m_power ? m_power : device.powerWatts;
        q.powerUsageEffectiveness = m_pue;
        q.gramsPerKwh = m_carbon;
        if (m_nodeMtbfDays) q.nodeMtbfSeconds = *m_nodeMtbfDays * 86400;
        q.checkpointSeconds = m_checkpoint;
        q.restartSeconds = m_restart;
        q.checkpointEverySeconds = m_every;
    }

    Result<Basis> ofPlan(CliContext& context) const {
        const auto c = config();
        if (!c) return fail(c.error());
        const auto cluster = hardware(context, *c);
        if (!cluster) return fail(cluster.error());
        const Plan plan = makePlan(*c, *cluster);
        if (!std::isfinite(plan.cost.trainingSeconds)) {
            const Issue* first = nullptr;
            for (const Issue& issue : plan.issues)
                if (first == nullptr || issue.severity > first->severity) first = &issue;
            return fail("no_forecast",
                        first != nullptr ? first->message : "The time of a step of this plan is unknown.", m_config);
        }
        Basis b;
        b.question.busySeconds = plan.cost.trainingSeconds;
        b.question.devices = plan.cost.deviceHours * 3600 / plan.cost.trainingSeconds;
        b.question.devicesPerNode =
            cluster->device.kind == DeviceKind::Cpu ? 1 : static_cast<double>(cluster->devicesPerNode);
        b.label = plan.step.label;
        b.mfu = plan.step.mfu;
        common(b, cluster->device);
        if (m_every == std::nullopt && c->checkpoint.everySteps > 0)
            b.question.checkpointEverySeconds = static_cast<double>(c->checkpoint.everySteps) * plan.step.stepSeconds;
        return b;
    }

    Result<Basis> ofBudget() const {
        Basis b;
        if (m_flops)
            b.flops = m_flops;
        else if (m_parameters && m_tokens)
            b.flops = 6 * *m_parameters * *m_tokens;
        else
            return fail("usage", "Name a config, or give --params and --tokens, or --flops.", "config");
        if (!std::isfinite(*b.flops))
            return fail("usage", "--params times --tokens is more FLOP than a number holds (1.8e308).", "--params");
        if (m_device.empty() || !m_devices)
            return fail("usage", "Without a config, name the hardware: --device and --devices.", "--device");
        const auto preset = libraryCluster(m_device, 1);
        if (!preset) return fail(preset.error());
        const DeviceSpec& device = preset->device;
        const std::string precision = m_precision.value_or("bf16");
        const auto devices = static_cast<double>(*m_devices);
        std::optional<double> peak;
        for (const auto& [value, word, help, label] : enumNames(Precision{}))
            if (word == precision) peak = device.peakFlops(value);
        if (!peak)
            return fail("peak_unknown", "The " + precision + " peak of " + device.name + " is unknown, or it has none.",
                        "--precision");
        if (!m_mfu) return fail("usage", "Say which share of the peak is reached; there is no right default.", "--mfu");
        b.mfu = m_mfu;
        b.question.devices = devices;
        b.question.devicesPerNode = static_cast<double>(preset->devicesPerNode);
        b.question.busySeconds = trainingSeconds(*b.flops, *peak, *m_mfu, devices);
        b.label = "given MFU";
        common(b, device);
        return b;
    }

    /// Without a time between failures nobody knows what they take.
    static bool knowsFailures(const Basis& b) { return b.question.nodeMtbfSeconds.has_value(); }

    void print(CliContext& context, const Basis& b) const {
        const CostQuestion& q = b.question;
        const RunCost cost = runCost(q);
        if (context.json) {
            context.out << dumpJson(Json{{"device", b.device},
                                         {"devices", q.devices},
                                         {"label", b.label},
                                         {"flops", figure(b.flops)},
                                         {"mfu", figure(b.mfu)},
                                         {"busy_seconds", figure(cost.busySeconds)},
                                         {"wall_seconds", knowsFailures(b) ? figure(cost.wallSeconds) : Json(nullptr)},
                                         {"device_hours", figure(cost.deviceHours)},
                                         {"price_per_hour", figure(q.pricePerHour)},
                                         {"price_source", b.priceSource.empty() ? Json(nullptr) : Json(b.priceSource)},
                                         {"currency", b.currency},
                                         {"money", figure(cost.money)},
                                         {"listed_prices", offersJson(b.device, cost.deviceHours)},
                                         {"power_watts", figure(q.powerWatts)},
                                         {"energy_kwh", figure(cost.energyKwh)},
                                         {"carbon_kg", figure(cost.carbonKg)},
                                         {"mtbf_seconds", figure(cost.mtbfSeconds)},
                                         {"failures", figure(cost.failures)},
                                         {"best_checkpoint_interval_seconds", figure(cost.bestIntervalSeconds)},
                                         {"checkpoint_interval_seconds", figure(cost.intervalSeconds)},
                                         {"ettr", knowsFailures(b) ? figure(cost.ettr) : Json(nullptr)}},
                                    true);
            return;
        }
        std::vector<std::pair<std::string, std::string>> facts = {
            {"Devices", formatCount(q.devices) + " x " + b.device},
            {"Training",
             formatSeconds(cost.busySeconds) + " (" + b.label + (b.mfu ? ", MFU " + formatPercent(*b.mfu) : "") + ")"},
            {"With failures",
             knowsFailures(b) ? formatSeconds(cost.wallSeconds) + ", ETTR " + formatPercent(cost.ettr) : "unknown"},
            {"Device-hours", hours(cost.deviceHours)},
            {"Money",
             cost.money ? formatMoney(*cost.money, b.currency) + " (" + b.priceSource + ")" : "unknown: no price"},
            {"At listed prices", offersText(b.device, cost.deviceHours)},
            {"Energy", cost.energyKwh ? kilowattHours(*cost.energyKwh) : "unknown: needs --power"},
            {"Carbon", cost.carbonKg   ? kilograms(*cost.carbonKg)
                       : q.gramsPerKwh ? "unknown: needs --power"
                       : q.powerWatts  ? "unknown: needs --carbon"
                                       : "unknown: needs --carbon and --power"},
            {"Time between failures", known(cost.mtbfSeconds, formatSeconds)},
            {"Failures expected", cost.failures ? formatSignificant(*cost.failures, 3) : "unknown"},
            {"Best checkpoint interval", known(cost.bestIntervalSeconds, formatSeconds)}};
        if (!q.nodeMtbfSeconds)
            facts.emplace_back("", "Failures need --node-mtbf-days; " + std::string(llama3Reliability().name) +
                                       " saw " + formatSignificant(llama3Reliability().nodeMtbfSeconds / 86400, 3) +
                                       " days.");
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
        for (const char* title : {"Devices", "dp", "Batch", "Step", "Tokens/s", "Efficiency", "MFU", "Note"})
            table.columns.push_back({title, title, "", std::string(title) != "Note", ""});
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
                                  {known(p.stepSeconds, formatSeconds), {}, Tone::Plain},
                                  {known(p.tokensPerSecond, formatShort), {}, Tone::Plain},
                                  {known(p.efficiency, formatPercent), {}, Tone::Plain},
                                  {known(p.mfu, formatPercent), {}, Tone::Plain},
                                  {p.obstacle, {}, Tone::Plain}});
        }
        if (context.json)
            context.out << dumpJson(Json{{"mode", m_scaling}, {"rows", std::move(rows)}}, true);
        else
            printTable(context.out, table, context.outColour);
        return kExitDone;
    }

    std::string m_config, m_cluster, m_device, m_scaling;
    std::optional<std::string> m_precision;
    std::optional<std::int64_t> m_devices;
    std::vector<std::string> m_settings;
    std::optional<double> m_flops, m_parameters, m_tokens, m_mfu, m_price, m_power, m_carbon, m_nodeMtbfDays, m_every;
    double m_pue = 1, m_checkpoint = 0, m_restart = 0;
    int m_points = 5;
};

}  // namespace

std::unique_ptr<Command> makeCostCommand() {
    return std::make_unique<CostCommand>();
}

}  // namespace slipway
