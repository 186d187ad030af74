// runs: groups, columns, files and saved views.
#include "core/base/json.h"
#include "core/store/run_view.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

/// Runs without metrics, of which every fifth failed.
std::vector<RunId> fill(CliBench& bench, int numRuns = 10) {
    auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
    SeedOptions options;
    options.numRuns = numRuns;
    options.numSteps = 0;
    return store ? seedRuns(*store, options) : std::vector<RunId>();
}

}  // namespace

class TstRunsCommand : public QObject {
    Q_OBJECT

private slots:
    void groupsAreSummarised() {
        CliBench bench;
        fill(bench);
        const auto got = bench.run({"runs", "--group-by", "tp", "--columns", "name,mfu", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const auto groups = parseJson(got.out, "output");
        QVERIFY(groups);
        int numRuns = 0, numFailed = 0;
        for (const Json& group : *groups) {
            numRuns += group["runs"].get<int>();
            numFailed += group["failed"].get<int>();
            QCOMPARE(group["runs"].get<int>(), group["ran"].get<int>() + group["failed"].get<int>());
            QCOMPARE(group["figures"].size(), std::size_t{1});  // a name has no mean
            const Json& mfu = group["figures"]["mfu"];
            if (mfu["known"].get<int>() == 0) continue;
            QVERIFY(mfu["min"].get<double>() <= mfu["mean"].get<double>() &&
                    mfu["mean"].get<double>() <= mfu["max"].get<double>());
        }
        QCOMPARE(numRuns, 10);
        QCOMPARE(numFailed, 2);
        QVERIFY(text(bench.run({"runs", "--group-by", "tp"}).out).contains("Failed"));
        QVERIFY(text(bench.run({"runs", "--group-by", "tp", "--format", "csv"}).out).startsWith("tp,runs,ran,failed,"));
        const auto wrong = bench.run({"runs", "--group-by", "sede"});
        QVERIFY2(wrong.code != 0 && text(wrong.err).contains("did you mean seed?"), wrong.err.c_str());
        QCOMPARE(bench.run({"runs", "--group-by", "tp", "--format", "parquet"}).code, 2);
    }

    // Files have every run that matches, whatever a screen would show.
    void filesHaveAllRuns() {
        CliBench bench;
        QCOMPARE(fill(bench, 60).size(), std::size_t{60});
        QCOMPARE(text(bench.run({"runs", "--format", "csv"}).out).count("\r\n"), 61);
        QCOMPARE(text(bench.run({"runs", "--format", "csv", "--limit", "3"}).out).count("\r\n"), 4);
        QVERIFY(text(bench.run({"runs", "--columns", "name,tp"}).err).contains("only the first 50"));
        QVERIFY(text(bench.run({"runs", "--columns", "name,mfu", "--format", "latex"}).out)
                    .contains("\\begin{tabular}{lr}"));
        QVERIFY(text(bench.run({"runs", "--columns", "name,mfu", "--format", "markdown"}).out)
                    .startsWith("| Name | MFU |"));
        const auto all = bench.run({"runs", "--columns", "all", "--format", "parquet"});
        QVERIFY(all.out.starts_with("PAR1") && all.out.ends_with("PAR1") &&
                all.out.find("model.rope_theta") != std::string::npos);
        QCOMPARE(bench.run({"runs", "--json", "--format", "csv"}).code, 2);
        QCOMPARE(bench.run({"runs", "--columns", "nmae"}).code, 2);
    }

    void viewsAreKept() {
        CliBench bench;
        fill(bench);
        QVERIFY(text(bench.run({"runs", "--views"}).err).contains("--save-view"));
        const auto made = bench.run(
            {"runs", "status:completed", "--sort", "mfu:desc", "--columns", "name,mfu", "--save-view", "mine"});
        QVERIFY2(made.code == 0, made.err.c_str());
        QCOMPARE(bench.run({"runs", "--views"}).out, std::string("mine\n"));
        const auto shown = bench.run({"runs", "--view", "mine"});
        QCOMPARE(shown.out, made.out);
        QVERIFY(text(shown.out).startsWith("Name "));
        const auto rows = parseJson(bench.run({"runs", "--view", "mine", "--json"}).out, "output");
        QCOMPARE(rows->size(), std::size_t{8});
        QVERIFY((*rows)[0]["fields"]["mfu"].get<double>() >= (*rows)[1]["fields"]["mfu"].get<double>());
        // What is given beside a view narrows its filter and replaces the rest.
        const auto part =
            parseJson(bench.run({"runs", "tp:2 or tp:4", "--view", "mine", "--sort", "name", "--json"}).out, "output");
        QVERIFY(part->size() > 0 && part->size() < 8);
        for (const Json& run : *part) QCOMPARE(run["status"].get<std::string>(), std::string("completed"));
        QCOMPARE(readView(bench.at.home, "mine")->filter, std::string("status:completed"));  // it stays as it was
        QVERIFY(text(bench.run({"runs", "--view", "mien"}).err).contains("the saved ones are mine"));
        QCOMPARE(bench.run({"runs", "--remove-view", "mine"}).code, 0);
        QCOMPARE(bench.run({"runs", "--view", "mine"}).code, 2);
    }

    void lockedRunsAreNotDeleted() {
        CliBench bench;
        const auto ids = fill(bench);
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            QVERIFY(store && store->setLocked({ids.at(3)}, true));
        }
        const auto got = bench.run({"rm", ids.at(3).value, ids.at(4).value});
        QCOMPARE(got.code, 1);
        QVERIFY2(text(got.err).contains("is locked; unlock it before deleting it."), got.err.c_str());
        QCOMPARE(text(bench.run({"runs", "--format", "csv"}).out).count("\r\n"), 11);
    }
};

SLIPWAY_TEST(TstRunsCommand)
#include "tst_runs_command.moc"
