// Forecasts of published runs by the planner's own folds. The tables are not part of the repository; without them
// (../shared/data) the tests are skipped.
#include "core/base/file.h"
#include "core/planner/validate/validation.h"
#include "tests/support/slipway_test.h"

#include <optional>

namespace slipway {

namespace {

std::optional<MeasuredTable> sharedTable(const char* name) {
    const auto text = readFile(std::string(SLIPWAY_SOURCE_DIR) + "/../shared/data/" + name);
    if (!text) return {};
    auto table = readMeasuredRuns(*text, name);
    return table ? std::optional(std::move(*table)) : std::nullopt;
}

const Scores* group(const ValidationReport& report, const std::string& name) {
    for (const auto& [found, scores] : report.groups)
        if (found == name) return &scores;
    return nullptr;
}

}  // namespace

class TstValidation : public QObject {
    Q_OBJECT
private slots:
    /// Limits stand a little above what five folds reach, so that a worse model is seen.
    void layoutBenchmark() {
        const auto table = sharedTable("ultrascale_benchmark_dev.csv");
        if (!table) QSKIP("../shared/data is not here");
        QCOMPARE(table->numRows, std::size_t{1630});
        QVERIFY(table->refused.empty());
        const ValidationReport report = crossValidate(*table, 5);
        QCOMPARE(report.all.stepRows, std::size_t{877});
        const Scores* clean = group(report, "clean tier");
        QVERIFY(clean != nullptr);
        QVERIFY2(clean->stepMedian < 0.03, qPrintable(QString::number(clean->stepMedian)));
        QVERIFY2(report.all.stepMedian < 0.05, qPrintable(QString::number(report.all.stepMedian)));
        QVERIFY2(report.all.top1Regret < 0.15, qPrintable(QString::number(report.all.top1Regret)));
        QVERIFY2(report.all.top5Regret < 0.01, qPrintable(QString::number(report.all.top5Regret)));
        QVERIFY2(report.all.fitAccuracyPp1 > 0.95, qPrintable(QString::number(report.all.fitAccuracyPp1)));
        QVERIFY2(report.all.fitAccuracy > 0.945, qPrintable(QString::number(report.all.fitAccuracy)));
        QVERIFY2(report.all.memoryMedian < 0.033, qPrintable(QString::number(report.all.memoryMedian)));
        QVERIFY2(report.all.memoryP90 < 0.125, qPrintable(QString::number(report.all.memoryP90)));
        QVERIFY2(report.all.stepP90 < 0.21, qPrintable(QString::number(report.all.stepP90)));
        QVERIFY2(report.all.spearman > 0.95, qPrintable(QString::number(report.all.spearman)));
    }

    void publishedRuns() {
        const auto table = sharedTable("published_runs_dev.csv");
        if (!table) QSKIP("../shared/data is not here");
        std::size_t used = table->runs.size();
        for (const auto& [reason, count] : table->refused) used += count;
        QCOMPARE(used, std::size_t{489});
        const ValidationReport report = crossValidate(*table, 5);
        // Few runs per stack, and all runs of one layout in one fold: harder than forecasting a new run of a known
        // stack.
        QVERIFY2(report.all.stepMedian < 0.08, qPrintable(QString::number(report.all.stepMedian)));
        QVERIFY2(report.all.memoryMedian < 0.03, qPrintable(QString::number(report.all.memoryMedian)));
        QVERIFY2(report.all.memoryP90 < 0.08, qPrintable(QString::number(report.all.memoryP90)));
        const HeadToHead& rival = report.rivals.at("SimuMax").at(RivalKind::Mixture);
        QVERIFY(rival.ourStep.mean < rival.theirStep.mean && rival.ourMemory.mean < rival.theirMemory.mean);
    }
};
SLIPWAY_TEST(TstValidation)

}  // namespace slipway

#include "tst_validation.moc"
