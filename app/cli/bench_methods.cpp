#include "app/cli/bench_methods.h"

#include "app/cli/all_cores.h"
#include "app/cli/print.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/units.h"

#include <nlohmann/json.hpp>

namespace slipway {

Result<int> benchSearchMethods(CliContext& context, const std::string& data, ReplayRequest request) {
    const auto text = readFile(data);
    if (!text) return fail(text.error());
    const auto table = readMeasuredRuns(*text, data);
    if (!table) return fail(table.error());
    request.run = onAllCores;
    const Replay replay = replayMethods(table->runs, request);
    if (replay.cells == 0)
        return fail("too_few_points",
                    "No model and cluster of the table has %1 measured layouts."_text(request.leastLayouts), data);
    if (context.json) {
        Json methods = Json::object();
        for (const ReplayCurve& curve : replay.curves)
            methods[std::string(wordOf(curve.method))] = {{"regret", curve.regret},
                                                          {"trials_within_3_percent", curve.trialsWithin3Percent},
                                                          {"trials_at_end", curve.chosenTrials},
                                                          {"regret_at_end", curve.regretAtEnd}};
        context.out << dumpJson(Json{{"cells", replay.cells},
                                     {"layouts", replay.layouts},
                                     {"failed", replay.failed},
                                     {"seeds", request.seeds},
                                     {"methods", std::move(methods)}},
                                true);
        return kExitDone;
    }
    Table shown;
    shown.columns.push_back({context.text("Method"_text), "Method", "", false, ""});
    std::vector<std::int64_t> marks;
    for (const std::int64_t trials : {1, 3, 5, 10, 20, 40, 80})
        if (trials <= request.trials) marks.push_back(trials);
    for (const std::int64_t trials : marks) {
        shown.columns.push_back({context.text("After %1"_text(trials)), "", "", true, ""});
    }
    for (const SourceText title : {"Trials to 3 %"_text, "Ends after"_text, "Regret there"_text})
        shown.columns.push_back({context.text(title), "", "", true, ""});
    for (const ReplayCurve& curve : replay.curves) {
        std::vector<Cell> row{{std::string(wordOf(curve.method)), {}, Tone::Plain}};
        for (const std::int64_t trials : marks) {
            const double regret = curve.regret[static_cast<std::size_t>(trials - 1)];
            row.push_back({formatPercent(regret), regret, Tone::Plain});
        }
        row.push_back({formatFixed(curve.trialsWithin3Percent, 1), curve.trialsWithin3Percent, Tone::Plain});
        row.push_back({formatFixed(curve.chosenTrials, 1), curve.chosenTrials, Tone::Plain});
        row.push_back({formatPercent(curve.regretAtEnd), curve.regretAtEnd, Tone::Plain});
        shown.rows.push_back({std::move(row)});
    }
    context.out
        << "Regret of the best layout found, mean of %1 models on clusters (%2 layouts, %3 of them did not run) and %4 seeds"_text(
               replay.cells, replay.layouts, replay.failed, request.seeds)
        << '\n';
    printTable(context.out, shown, context.outColour);
    return kExitDone;
}

}  // namespace slipway
