#include "core/answers/cost_answer.h"

#include "core/answers/question_fields.h"
#include "core/base/units.h"
#include "core/planner/cost/cost.h"
#include "core/planner/presets.h"
#include "core/planner/stack/forecast_basis.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr const char* kFailures = "Young 1974; Kokolis 2024, arXiv 2410.21680, section 4";
constexpr int kRentPoints = 40;

Json figure(const std::optional<double>& value) {
    return value ? numberOrNull(*value) : Json(nullptr);
}

/// The library's sources end with the price's, which is newer than the data sheet.
std::string sourceOfPrice(const DeviceSpec& device) {
    constexpr std::string_view kPrice = "price: ";
    const std::size_t at = device.source.find(kPrice);
    return at == std::string::npos ? device.source + ", " + device.sourceDate
                                   : device.source.substr(at + kPrice.size());
}

/// Other vendors' prices of a device, cheapest first: they differ severalfold.
Json offersJson(const CostBasis& b, double deviceHours) {
    std::vector<ListedPrice> offers;
    for (const ListedPrice& price : listedPrices())
        if (price.device == b.device) offers.push_back(price);
    std::stable_sort(offers.begin(), offers.end(),
                     [](const ListedPrice& a, const ListedPrice& c) { return a.pricePerHour < c.pricePerHour; });
    Json list = Json::array();
    for (const ListedPrice& p : offers) {
        const bool isExchanged = b.exchangeRate && p.currency == b.listedCurrency;
        const double price = p.pricePerHour * (isExchanged ? *b.exchangeRate : 1);
        list.push_back({{"offer", p.offer},
                        {"price_per_hour", price},
                        {"money", price * deviceHours},
                        {"currency", isExchanged ? b.currency : p.currency},
                        {"source", p.source},
                        {"date", p.date}});
        if (b.purchasePrice) list.back()["break_even_hours"] = numberOrNull(breakEvenHours(*b.purchasePrice, price));
    }
    return list;
}

Result<void> common(CostBasis& b, const CostInput& input, const DeviceSpec& device) {
    CostQuestion& q = b.question;
    b.device = device.name;
    b.currency = b.listedCurrency = device.currency;
    q.pricePerHour = input.pricePerHour ? input.pricePerHour : device.pricePerHour;
    b.priceSource = input.pricePerHour ? "--price" : device.pricePerHour ? sourceOfPrice(device) : "";
    b.purchasePrice = input.purchasePrice;
    if (input.currency && *input.currency != device.currency && !input.exchangeRate)
        return fail("usage", "Money in %1 needs the exchange rate from %2."_text(*input.currency, device.currency),
                    "rate");
    if (input.exchangeRate) {
        if (!input.currency) return fail("usage", "An exchange rate needs the currency it leads to."_text, "currency");
        b.exchangeRate = input.exchangeRate;
        b.currency = *input.currency;
        if (q.pricePerHour && !input.pricePerHour) *q.pricePerHour *= *input.exchangeRate;
    }
    q.powerWatts = input.powerWatts ? input.powerWatts : device.powerWatts;
    q.powerUsageEffectiveness = input.powerUsageEffectiveness;
    q.gramsPerKwh = input.gramsPerKwh;
    if (input.nodeMtbfDays) q.nodeMtbfSeconds = *input.nodeMtbfDays * 86400;
    q.checkpointSeconds = input.checkpointSeconds;
    q.restartSeconds = input.restartSeconds;
    q.checkpointEverySeconds = input.checkpointEverySeconds;
    return {};
}

std::string hoursText(double value, Language language) {
    return (value < 1000 ? formatSignificant(value, 3) : formatShort(value, language)) + "\u202fh";
}
std::string kilowattHours(double value, Language language) {
    return formatShort(value, language) + "\u202fkWh";
}
std::string kilograms(double value, Language language) {
    return formatShort(value, language) + "\u202fkg CO2e";
}
std::string wattsText(double value, Language) {
    return formatFixed(value, 0) + "\u202fW";
}

}  // namespace

FieldInfos costFields(const CostInput& input, bool ofPlan) {
    FieldInfos fields = fields::collect(input);
    for (FieldInfo& info : fields)
        for (const char* budget : {"flops", "params", "tokens", "devices", "mfu", "precision"})
            if (ofPlan && info.path == budget) info.applies = false;
    return fields;
}

Result<CostInput> withCostField(const CostInput& input, const std::string& path, const std::string& text) {
    return withText(input, path, text);
}

Result<CostBasis> costOfPlan(const CostInput& input, const Plan& plan) {
    if (!std::isfinite(plan.cost.trainingSeconds)) {
        const Issue* first = nullptr;
        for (const Issue& issue : plan.issues)
            if (first == nullptr || issue.severity > first->severity) first = &issue;
        return fail("no_forecast",
                    first != nullptr ? first->sentence() : "The time of a step of this plan is unknown."_text,
                    "config");
    }
    CostBasis b;
    b.question.busySeconds = plan.cost.trainingSeconds;
    b.question.devices = billedDevices(plan.config, plan.cluster);
    b.question.devicesPerNode =
        plan.cluster.device.kind == DeviceKind::Cpu ? 1 : static_cast<double>(plan.cluster.devicesPerNode);
    b.label = plan.step.label;
    b.software = softwareOf(plan.cluster);
    b.mfu = plan.step.mfu;
    if (const auto done = common(b, input, plan.cluster.device); !done) return fail(done.error());
    if (!input.checkpointEverySeconds && plan.config.checkpoint.everySteps > 0)
        b.question.checkpointEverySeconds =
            static_cast<double>(plan.config.checkpoint.everySteps) * plan.step.stepSeconds;
    return b;
}

Result<CostBasis> costOfBudget(const CostInput& input, const ClusterSpec& hardware) {
    CostBasis b;
    if (input.flops)
        b.flops = input.flops;
    else if (input.parameters && input.tokens)
        b.flops = 6 * *input.parameters * *input.tokens;
    else
        return fail("usage", "Give the compute, or parameters and tokens."_text, "params");
    if (!std::isfinite(*b.flops))
        return fail("usage", "Parameters times tokens is more FLOP than a number holds (1.8e308)."_text, "params");
    if (!input.devices) return fail("usage", "Give the number of devices."_text, "devices");
    const DeviceSpec& device = hardware.device;
    const auto devices = static_cast<double>(*input.devices);
    const std::optional<double> peak = device.peakFlops(input.precision);
    if (!peak)
        return fail("peak_unknown",
                    "The %1 peak of %2 is unknown, or it has none."_text(wordOf(input.precision), device.name),
                    "precision");
    if (!input.mfu)
        return fail("usage", "Give the fraction of the peak that is reached; it has no default."_text, "mfu");
    b.mfu = input.mfu;
    b.question.devices = devices;
    b.question.devicesPerNode = static_cast<double>(hardware.devicesPerNode);
    b.question.busySeconds = trainingSeconds(*b.flops, *peak, *input.mfu, devices);
    b.label = "given MFU";
    if (const auto done = common(b, input, device); !done) return fail(done.error());
    return b;
}

AnswerView costAnswer(const CostBasis& b, Json& json) {
    const CostQuestion& q = b.question;
    const RunCost cost = runCost(q);
    // Without a time between failures their cost is unknown.
    const bool knowsFailures = q.nodeMtbfSeconds.has_value();
    json = {{"device", b.device},
            {"devices", q.devices},
            {"label", b.label},
            {"software", b.software.empty() ? Json(nullptr) : Json(b.software)},
            {"flops", figure(b.flops)},
            {"mfu", figure(b.mfu)},
            {"busy_seconds", figure(cost.busySeconds)},
            {"wall_seconds", knowsFailures ? figure(cost.wallSeconds) : Json(nullptr)},
            {"device_hours", figure(cost.deviceHours)},
            {"price_per_hour", figure(q.pricePerHour)},
            {"price_source", b.priceSource.empty() ? Json(nullptr) : Json(b.priceSource)},
            {"currency", b.currency},
            {"money", figure(cost.money)},
            {"listed_prices", offersJson(b, cost.deviceHours)},
            {"power_watts", figure(q.powerWatts)},
            {"energy_kwh", figure(cost.energyKwh)},
            {"carbon_kg", figure(cost.carbonKg)},
            {"mtbf_seconds", figure(cost.mtbfSeconds)},
            {"failures", figure(cost.failures)},
            {"best_checkpoint_interval_seconds", figure(cost.bestIntervalSeconds)},
            {"checkpoint_interval_seconds", figure(cost.intervalSeconds)},
            {"ettr", knowsFailures ? figure(cost.ettr) : Json(nullptr)}};
    if (b.purchasePrice) {
        json["buy_price"] = *b.purchasePrice;
        json["break_even_hours"] =
            q.pricePerHour ? numberOrNull(breakEvenHours(*b.purchasePrice, *q.pricePerHour)) : Json(nullptr);
    }
    using namespace written;
    const std::string busy = b.flops ? "C / (peak MFU devices)" : "steps x step time";
    AnswerView view;
    view.figures = {{"device", "Device"_text},
                    {"devices", "Devices"_text, whole},
                    {"mfu", "MFU"_text, percent, {}, b.label},
                    {"flops", "Compute (FLOP)"_text, three, "6 N D"},
                    {"busy_seconds", "Training"_text, seconds, busy, b.label},
                    {"wall_seconds", "With failures"_text, seconds, "training / ETTR", kFailures},
                    {"ettr", "ETTR"_text, percent, "I / (I + s) (1 - (I / 2 + r) / MTBF)", kFailures},
                    {"device_hours", "Device-hours"_text, hoursText, "devices x time / 3600"},
                    {"price_per_hour", "Price per device-hour"_text, three, {}, b.priceSource},
                    {"money", "Money"_text, three, "device-hours x price", b.priceSource},
                    {"currency", "Currency"_text},
                    {"power_watts", "Power of a device"_text, wattsText},
                    {"energy_kwh", "Energy"_text, kilowattHours, "device-hours x W x PUE / 1000"},
                    {"carbon_kg", "Carbon"_text, kilograms, "energy x g/kWh / 1000"},
                    {"mtbf_seconds", "Time between failures"_text, seconds, "node MTBF / nodes", kFailures},
                    {"failures", "Failures expected"_text, three, "time / MTBF", kFailures},
                    {"checkpoint_interval_seconds", "Checkpoint interval"_text, seconds},
                    {"best_checkpoint_interval_seconds", "Best checkpoint interval"_text, seconds, "(2 s MTBF)^(1/2)",
                     "Young 1974; Daly 2006"},
                    {"buy_price", "Purchase price"_text, three},
                    {"break_even_hours", "Buying pays after"_text, hoursText, "purchase price / price per hour"}};
    view.columns = offerColumns();
    return view;
}

std::vector<AnswerColumn> offerColumns() {
    using namespace written;
    return {{"offer", "Offer"_text},
            {"price_per_hour", "Price per device-hour"_text, three},
            {"money", "This run"_text, count, "device-hours x price"},
            {"currency", "Currency"_text},
            {"break_even_hours", "Buying pays after"_text, hoursText, "purchase price / price per hour"},
            {"date", "Date"_text},
            {"source", "Source"_text}};
}

Result<AnswerView> buyOrRentAnswer(const CostBasis& b, Json& json) {
    if (!b.purchasePrice)
        return fail("usage", "Give a purchase price to compare buying with renting."_text, "buy_price");
    if (!b.question.pricePerHour || !(*b.question.pricePerHour > 0))
        return fail("usage", "Give a price per hour to compare buying with renting."_text, "price");
    const double rent = *b.question.pricePerHour, equal = breakEvenHours(*b.purchasePrice, rent);
    json = {{"break_even_hours", equal}, {"buy", *b.purchasePrice}, {"currency", b.currency}, {"rows", Json::array()}};
    for (int i = 0; i <= kRentPoints; ++i) {
        const double at = 2 * equal * i / kRentPoints;
        json["rows"].push_back({{"hours", at}, {"rent", at * rent}, {"buy", *b.purchasePrice}});
    }
    return AnswerView{{{"break_even_hours", "Buying pays after"_text, hoursText, "purchase price / price per hour"}},
                      {{"hours", "Hours"_text, hoursText},
                       {"rent", "Renting"_text, written::count, "hours x price"},
                       {"buy", "Buying"_text, written::count}}};
}

}  // namespace slipway
