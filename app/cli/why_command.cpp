// why: where the time of a run's step went, or why one run is slower than another.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/report/step_report.h"
#include "core/run/run_account.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr int kBarColumns = 13;

/// The bar in characters; a nonzero bar has at least one. No-break spaces, so that no table breaks it.
std::string textBar(const std::optional<WaterfallBar>& bar) {
    if (!bar) return {};
    const auto column = [](double percent) {
        return std::clamp(static_cast<int>(std::lround(percent * kBarColumns / 100)), 0, kBarColumns);
    };
    const int from = column(std::min(bar->from, bar->to)), to = column(std::max(bar->from, bar->to));
    std::string text;
    for (int i = 0; i < from; ++i) text += "\u00A0";
    for (int i = from; i < std::max(from + 1, to); ++i) text += bar->percent() == 0 ? "▏" : "█";
    return text;
}

class WhyCommand : public Command {
public:
    std::string name() const override { return "why"; }
    Message summary() const override { return "Where a run's MFU went, or why one run is slower than another"_text; }
    Examples examples() const override {
        return {{"slipway why tp2", "from the device's peak to what was reached, beside the forecast"_text},
                {"slipway why dp2 tp2", "why the second takes longer than the first, with the likely cause"_text},
                {"slipway why tp2 --json"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("runs", m_runs, "One run, or two to compare: id, its beginning, or name"_text)
            .required()
            .takes(1, 2)
            .shownAs("RUN");
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        std::vector<RunRecord> records;
        std::vector<AccountedRun> accounts;
        for (const std::string& name : m_runs) {
            auto record = store->findRun(name);
            if (!record) return fail(record.error());
            auto account = readAccount(*store, record->id);
            if (!account) return fail(account.error());
            records.push_back(std::move(*record));
            accounts.push_back(std::move(*account));
        }
        if (records.size() == 1) return showOne(context, records.front(), accounts.front().account);
        const auto difference = differenceOf(accounts[0], accounts[1]);
        if (!difference) return fail(difference.error());
        return showTwo(context, records, accounts, *difference);
    }

private:
    static std::string nameOf(const RunRecord& record) { return record.name.empty() ? record.id.value : record.name; }

    static Json runJson(const RunRecord& record, const StepAccount& account) {
        Json json{{"run_id", record.id.value}, {"name", record.name}};
        json.update(toJson(account));
        return json;
    }

    static void say(CliContext& context, const Message& message) {
        context.out << wrapText(printable(context.text(message)), lineWidth(context.out)) << '\n';
    }

    static Result<int> showOne(CliContext& context, const RunRecord& record, const StepAccount& account) {
        if (context.json) {
            context.out << dumpJson(runJson(record, account), true);
            return kExitDone;
        }
        context.out << printable(nameOf(record)) << '\n';
        say(context, summaryOf(account));
        Table table = waterfallTable(account, context.language);
        const std::vector<WaterfallRow> rows = waterfallOf(account);
        table.columns.insert(table.columns.begin() + 1, Column{"0 – 100 %", "bar", "", false, ""});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool drawn = rows[i].kind != WaterfallRow::Kind::Outside;
            table.rows[i].insert(table.rows[i].begin() + 1,
                                 Cell{drawn ? textBar(rows[i].measured) : std::string(), {}, Tone::Plain});
        }
        if (!rows.empty()) {
            context.out << '\n';
            printTable(context.out, table, context.outColour);
            context.out << '\n';
        }
        if (account.stepSeconds)
            say(context,
                plural(
                    account.numSteps,
                    "Measured: median of %1 step (%2 to %3), mean over ranks; the forecast is of its critical rank."_text,
                    "Measured: medians of %1 steps (%2 to %3), mean over ranks; the forecast is of its critical rank."_text)(
                    account.numSteps, account.firstStep, account.lastStep));
        for (const Message& note : account.notes) say(context, note);
        return kExitDone;
    }

    static Result<int> showTwo(CliContext& context, const std::vector<RunRecord>& records,
                               const std::vector<AccountedRun>& accounts, const StepDifference& difference) {
        if (context.json) {
            context.out << dumpJson(Json{{"first", runJson(records[0], accounts[0].account)},
                                         {"second", runJson(records[1], accounts[1].account)},
                                         {"difference", toJson(difference)}},
                                    true);
            return kExitDone;
        }
        say(context, "A is %1, B is %2."_text(nameOf(records[0]), nameOf(records[1])));
        say(context, "B takes %1"_text(differenceSentence(difference)));
        context.out << '\n';
        printTable(context.out, differenceTable(difference, "A", "B", context.language), context.outColour);
        for (const Message& note : difference.notes) say(context, note);
        return kExitDone;
    }

    std::vector<std::string> m_runs;
};

}  // namespace

std::unique_ptr<Command> makeWhyCommand() {
    return std::make_unique<WhyCommand>();
}

}  // namespace slipway
