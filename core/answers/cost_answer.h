// Answers of `slipway cost` and the tab Cost: device-hours, money, energy, carbon and failures of a planned run or of a
// budget, the vendors' prices of the device, and when buying it pays.
//   auto basis = costOfBudget(input, *findDevicePreset("NVIDIA H100 SXM 80 GB"));   costAnswer(*basis, json)
#pragma once

#include "core/answers/answer.h"
#include "core/base/field_table.h"
#include "core/planner/cost/run_cost.h"
#include "core/planner/plan.h"
#include "core/spec/train_spec.h"

#include <optional>
#include <string>

namespace slipway {

/// The typed input. A plan supplies the first fields, the budget's, itself.
struct CostInput {
    std::optional<double> flops, parameters, tokens, mfu;
    std::optional<std::int64_t> devices;
    Precision precision = Precision::Bf16;
    std::optional<double> pricePerHour, purchasePrice;
    std::optional<std::string> currency;
    std::optional<double> exchangeRate;
    std::optional<double> powerWatts, gramsPerKwh, nodeMtbfDays, checkpointEverySeconds;
    double powerUsageEffectiveness = 1, checkpointSeconds = 0, restartSeconds = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("flops")
              .label("Compute"_text)
              .unit("FLOP"_text)
              .help("Training compute, in place of parameters and tokens."_text)
              .atLeast(1),
          s.flops);
        v(field("params").label("Parameters"_text).help("Parameters of the model."_text).atLeast(1), s.parameters);
        v(field("tokens").label("Tokens"_text).unit("tokens"_text).help("Training tokens."_text).atLeast(1), s.tokens);
        v(field("devices").label("Devices"_text).unit("devices"_text).help("Devices that train."_text).range(1, 1e7),
          s.devices);
        v(field("mfu").label("MFU"_text).help("Share of the dense peak that is reached."_text).range(0.001, 1), s.mfu);
        v(field("precision").label("Precision"_text).help("Precision of the peak."_text), s.precision);
        v(field("price")
              .label("Price"_text)
              .unit("per device-hour"_text)
              .help("Price of one device for one hour."_text)
              .atLeast(0),
          s.pricePerHour);
        v(field("buy_price")
              .label("Purchase price"_text)
              .unit("per device"_text)
              .help("Price of one device with its share of the node; power and hosting are not in it."_text)
              .atLeast(0),
          s.purchasePrice);
        v(field("currency").label("Currency"_text).help("Currency to show money in; needs an exchange rate."_text),
          s.currency);
        v(field("rate")
              .label("Exchange rate"_text)
              .help("Units of the currency for one unit of the price's."_text)
              .atLeast(1e-9),
          s.exchangeRate);
        v(field("power").label("Power"_text).unit("W"_text).help("Watts of one device."_text).atLeast(0), s.powerWatts);
        v(field("pue").label("PUE"_text).help("Power of the site over power of the devices."_text).range(1, 5),
          s.powerUsageEffectiveness);
        v(field("carbon")
              .label("Carbon intensity"_text)
              .unit("g/kWh"_text)
              .help("Grams of CO2 equivalent per kWh."_text)
              .atLeast(0),
          s.gramsPerKwh);
        v(field("node_mtbf_days")
              .label("Node MTBF"_text)
              .unit("days"_text)
              .help("Mean days between failures of one node (Llama 3: 264)."_text)
              .atLeast(1e-6),
          s.nodeMtbfDays);
        v(field("checkpoint_seconds")
              .label("Checkpoint stall"_text)
              .unit("s"_text)
              .help("Time that training pauses for a checkpoint."_text)
              .atLeast(0),
          s.checkpointSeconds);
        v(field("restart_seconds")
              .label("Restart"_text)
              .unit("s"_text)
              .help("Time from a failure to the first step."_text)
              .atLeast(0),
          s.restartSeconds);
        v(field("checkpoint_every")
              .label("Checkpoint every"_text)
              .unit("s"_text)
              .help("Seconds between checkpoints; default: the best."_text)
              .atLeast(1e-6),
          s.checkpointEverySeconds);
    }
};

/// Fields of a form. @param ofPlan without the fields that a plan supplies
FieldInfos costFields(const CostInput& input, bool ofPlan);
Result<CostInput> withCostField(const CostInput& input, const std::string& path, const std::string& text);

/// The priced quantities and their source.
struct CostBasis {
    CostQuestion question;
    std::string device, currency = "USD", priceSource, label;
    std::string software;  ///< of the plan's forecast; empty: textbook, or a given MFU
    std::optional<double> flops, mfu, purchasePrice, exchangeRate;
    std::string listedCurrency = "USD";  ///< of the prices before the exchange rate
};

/// "usage" where compute, devices or MFU are missing, "peak_unknown"; the place is the field.
Result<CostBasis> costOfBudget(const CostInput& input, const ClusterSpec& hardware);
/// "no_forecast" where the plan has no step time.
Result<CostBasis> costOfPlan(const CostInput& input, const Plan& plan);

/// Money, energy and failures; the offers under "listed_prices".
AnswerView costAnswer(const CostBasis& basis, Json& json);
/// Columns of json["listed_prices"].
std::vector<AnswerColumn> offerColumns();
/// Under "rows" the cost of renting and of buying one device by hours, up to twice the break-even. "usage" without both prices.
Result<AnswerView> buyOrRentAnswer(const CostBasis& basis, Json& json);

}  // namespace slipway
