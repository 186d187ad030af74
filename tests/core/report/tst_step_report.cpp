#include "core/report/drawing.h"
#include "core/report/step_report.h"
#include "tests/support/slipway_test.h"

#include <cmath>

using namespace slipway;

namespace {

/// Half of a second at peak, 0.2 s of kernels, 0.35 s of traffic, and 0.05 s too much of all.
AccountedRun aRun(double traffic = 0.35) {
    AccountedRun run;
    StepAccount& account = run.account;
    account.stepSeconds = 0.65 + traffic;
    account.measured[TimePart::Useful] = 0.5;
    account.measured[TimePart::Kernels] = 0.2;
    account.measured[TimePart::TensorParallel] = traffic;
    account.measured[TimePart::Unexplained] = -0.05;
    account.measured[TimePart::BetweenSteps] = 0.25;
    account.mfu = 0.5 / *account.stepSeconds;
    account.mfuRule = "C";
    account.wallSeconds = *account.stepSeconds + 0.25;
    account.wallMfu = 0.5 / *account.wallSeconds;
    account.forecastSeconds = 0.8;
    account.forecastMfu = 0.625;
    account.forecast[TimePart::Useful] = 0.5;
    account.forecast[TimePart::Kernels] = 0.3;
    account.forecast[TimePart::Unexplained] = 0;
    account.numSteps = 8;
    account.firstStep = 3;
    account.lastStep = 10;
    return run;
}

const Table* tableIn(const Section& section, std::size_t index) {
    for (const Block& block : section.blocks)
        if (const auto* table = std::get_if<Table>(&block))
            if (index-- == 0) return table;
    return nullptr;
}

}  // namespace

class TstStepReport : public QObject {
    Q_OBJECT

private slots:
    // Each bar begins where the one above ended, and the last loss ends at the MFU.
    void barsJoin() {
        const std::vector<WaterfallRow> rows = waterfallOf(aRun().account);
        double at = 100, forecastAt = 100;
        for (const WaterfallRow& row : rows) {
            if (row.kind == WaterfallRow::Kind::Loss) {
                if (row.measured) {
                    QCOMPARE(row.measured->from, at);
                    at = row.measured->to;
                }
                if (row.forecast) {
                    QCOMPARE(row.forecast->from, forecastAt);
                    forecastAt = row.forecast->to;
                }
            }
            if (row.kind == WaterfallRow::Kind::Reached) {
                QVERIFY(std::fabs(row.measured->to - at) < 1e-9);
                QVERIFY(std::fabs(row.forecast->to - forecastAt) < 1e-9);
                QCOMPARE(row.measured->to, 50.0);
                QCOMPARE(textOf(row.title), std::string("MFU (causal) reached"));
            }
        }
        QCOMPARE(rows.back().kind, WaterfallRow::Kind::Wall);
        QCOMPARE(rows.back().measured->to, 40.0);
        QVERIFY(waterfallOf(StepAccount()).empty());
        QCOMPARE(largestLoss(aRun().account), std::optional(TimePart::TensorParallel));
    }

    void table() {
        const Table english = waterfallTable(aRun().account, Language::English);
        QCOMPARE(english.columns.size(), std::size_t{6});
        QCOMPARE(english.rows[1][0].text, std::string("Kernels below peak"));
        QCOMPARE(english.rows[1][1].text, std::string("−20.0"));
        QCOMPARE(english.rows[2][3].text, std::string("–"));  // no traffic was forecast
        QCOMPARE(english.rows[2][5].tone, Tone::Warn);
        QCOMPARE(english.rows[3][1].text, std::string("+5.0"));
        QVERIFY(english.rows[3][2].text.starts_with("−50"));
        QCOMPARE(waterfallTable(aRun().account, Language::Korean).rows[1][0].text,
                 std::string("최고 성능에 못 미친 커널"));
        StepAccount alone = aRun().account;
        alone.forecastSeconds.reset();
        QCOMPARE(waterfallTable(alone, Language::English).columns.size(), std::size_t{3});
    }

    // A rest below zero is drawn beyond the peak, and inside the picture.
    void drawing() {
        const std::string svg = toSvg(draw(waterfallFigure(aRun().account, Language::English)));
        QVERIFY(svg.find("class=\"nonfinite\"") != std::string::npos);
        QVERIFY(svg.find("class=\"reference\"") != std::string::npos);
        QVERIFY(svg.find("width=\"-") == std::string::npos && svg.find("x=\"-") == std::string::npos);
        QVERIFY(svg.find("MFU (causal) reached") != std::string::npos);
        Report report;
        report.sections.push_back(accountSection({{"a <run>", aRun()}}, Language::English));
        const std::string html = toHtml(report);
        QVERIFY(html.find("Where did the MFU go?") != std::string::npos);
        QVERIFY(html.find("The largest loss is Tensor-parallel traffic, exposed: 35.0 % of the step.") !=
                std::string::npos);
        QVERIFY(toMarkdown(report).find("| Kernels below peak |") != std::string::npos);
    }

    void twoRuns() {
        AccountedRun slower = aRun(0.85);
        slower.stored.config.parallel.tp = 4;
        const Section section = accountSection({{"one", aRun()}, {"other", slower}}, Language::English);
        const Table* why = tableIn(section, 2);
        QVERIFY(why != nullptr);
        QCOMPARE(why->rows[0][0].text, std::string("Tensor-parallel traffic, exposed"));
        QCOMPARE(why->rows[0][3].text, std::string("+500\u202Fms"));
        QCOMPARE(why->rows[0][4].text, std::string("parallel.tp 1 → 4"));
        QCOMPARE(*why->rows.back()[3].number, 0.5);
        QVERIFY(why->caption.find("(+50.0 %)") != std::string::npos);
        QVERIFY(accountSection({}, Language::English).blocks.empty());
        QVERIFY(accountSection({{"none", AccountedRun()}}, Language::English).blocks.empty());
    }
};

SLIPWAY_TEST(TstStepReport)
#include "tst_step_report.moc"
