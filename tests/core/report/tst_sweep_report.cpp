#include "core/base/file.h"
#include "core/base/untrusted_text.h"
#include "core/report/build_report.h"
#include "core/report/drawing.h"
#include "core/report/figures.h"
#include "tests/support/slipway_test.h"

#include <QFile>
#include <QRegularExpression>
#include <cmath>

using namespace slipway;

namespace {

TrialResult trial(const std::string& name, std::int64_t dp, std::int64_t tp, std::int64_t pp, double stepSeconds,
                  double loss) {
    TrialResult out;
    out.name = name;
    out.status = TrialStatus::Completed;
    out.config.parallel.dp = dp;
    out.config.parallel.tp = tp;
    out.config.parallel.pp = pp;
    out.config.data.tokens = "words.tok";
    out.settings = {{"parallel.dp", std::to_string(dp)}, {"parallel.tp", std::to_string(tp)}};
    out.run = RunId("20261121-130500000-0000000" + std::to_string(dp) + std::to_string(tp) + std::to_string(pp));
    out.seconds = stepSeconds * 100 + 2;
    RunFigures& m = out.measured;
    m.stepSeconds = stepSeconds;
    m.tokensPerSecond = 4096 / stepSeconds;
    m.mfu = 0.06 / stepSeconds;
    m.mfuRule = "C";
    m.memoryPeakBytes = 60e6 / static_cast<double>(tp * pp);
    m.commBytes = dp * tp * pp > 1 ? 3.5e6 : 0.0;
    m.commSeconds = dp * tp * pp > 1 ? 0.011 : 0.0;
    m.finalLoss = loss;
    if (pp > 1) m.bubbleFraction = 0.24;
    RunFigures& f = out.forecast;
    f = m;
    f.stepSeconds = stepSeconds * 0.9;
    f.tokensPerSecond = 4096 / *f.stepSeconds;
    f.memoryPeakBytes = *m.memoryPeakBytes * 1.05;
    if (pp > 1) f.bubbleTheoretical = 0.2, f.bubbleSimulated = 0.21;
    out.forecastJson =
        R"({"step": {"step_seconds_low": )" + std::to_string(*f.stepSeconds * 0.9) + R"(, "step_seconds_high": )" +
        std::to_string(*f.stepSeconds * 1.2) +
        R"(}, "memory": {"weight_bytes": 8000000, "gradient_bytes": 8000000, "optimizer_bytes": 16000000, "activation_bytes": 20000000, "logits_bytes": 9000000, "buffer_bytes": 1000000, "total_bytes_low": )" +
        std::to_string(*f.memoryPeakBytes * 0.9) + R"(, "total_bytes_high": )" +
        std::to_string(*f.memoryPeakBytes * 1.3) + R"(},
                          "parameters": {"total": 1080000}})";
    return out;
}

struct Sample {
    SweepResult result;
    ReportData data;
};

/// A sweep with every kind of end, and with names that would break a careless writer.
Sample sample() {
    Sample out;
    SweepResult& r = out.result;
    r.id = SweepId("20261121-130400000-0badcafe");
    r.name = "Layouts <of> a & \"tiny\" model";
    r.question = "What does each axis cost on two cores?";
    r.hypothesis = "DP 2 wins.";
    r.status = "failed";
    r.createdUnixMilliseconds = 1795266240000;
    r.cluster.device.name = "Test CPU";
    r.cluster.device.peakFp32Flops = 87e9;
    r.trials = {trial("one process", 1, 1, 1, 0.25, 5.301), trial("DP 2", 2, 1, 1, 0.15, 5.302),
                trial("TP 2", 1, 2, 1, 0.29, 5.3005), trial("PP 2", 1, 1, 2, 0.19, 5.3012)};
    TrialResult failed = trial("=cmd|' /C calc'!A0 <script>alert(1)</script>", 2, 2, 1, 0.3, 5.3);
    failed.status = TrialStatus::Failed;
    failed.reason = "The loss is not finite at step 7.";
    failed.measured = {};
    TrialResult skipped = trial("TP 3", 1, 3, 1, 0.3, 5.3);
    skipped.status = TrialStatus::Skipped;
    skipped.reason = "model.num_heads is 4, which parallel.tp = 3 does not divide.";
    skipped.measured = {};
    skipped.run = {};
    skipped.seconds.reset();
    r.trials.push_back(failed);
    r.trials.push_back(skipped);
    for (std::size_t i = 0; i < r.trials.size(); ++i) {
        r.trials[i].index = i;
        if (r.trials[i].run.empty()) continue;
        MetricSeries series{"loss", "nats/token", {}, {}};
        for (std::int64_t step = 1; step <= 12; ++step) {
            series.steps.push_back(step);
            series.values.push_back(r.trials[i].status == TrialStatus::Failed && step == 7
                                        ? std::nan("")
                                        : 5.3 + 2.3 * std::exp(-0.4 * static_cast<double>(step)) +
                                              1e-4 * static_cast<double>(i));
        }
        out.data.losses[r.trials[i].run.value] = series;
    }
    out.data.unigramEntropy = 6.41;
    out.data.origin = "TEST";
    return out;
}

ReportHead headIn(Language language) {
    ReportHead head;
    head.language = language;
    return head;
}

QString plainSummary(const Sample& s) {
    return QString::fromStdString(sweepSummary(s.result, s.data))
        .replace(QChar(0x202F), ' ')
        .replace(QChar(0x2212), '-');
}

void compareGolden(const std::string& text, const std::string& name) {
    const std::string path = std::string(SLIPWAY_TEST_DATA) + "/report/" + name;
    if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
        QVERIFY(makeFolders(std::string(SLIPWAY_TEST_DATA) + "/report"));
        QVERIFY(writeFileAtomically(path, text));
    }
    const auto golden = readFile(path);
    QVERIFY2(golden, ("no golden file " + path + "; UPDATE_GOLDEN=1 writes it").c_str());
    if (*golden == text) return;
    std::size_t line = 1;
    std::size_t i = 0;
    for (; i < std::min(text.size(), golden->size()) && text[i] == (*golden)[i]; ++i) line += text[i] == '\n';
    QFAIL(
        (name + " differs in line " + std::to_string(line) + ": ..." + text.substr(i > 30 ? i - 30 : 0, 120)).c_str());
}

}  // namespace

class TstSweepReport : public QObject {
    Q_OBJECT

private slots:
    void html() {
        const Sample s = sample();
        compareGolden(toHtml(sweepReport(s.result, s.data)), "sweep.html");
    }
    void markdown() {
        const Sample s = sample();
        compareGolden(toMarkdown(sweepReport(s.result, s.data)), "sweep.md");
    }
    void csv() {
        const Sample s = sample();
        compareGolden(toCsv(sweepReport(s.result, s.data)), "sweep.csv");
    }

    void latex() {
        const Sample s = sample();
        compareGolden(toLatex(sweepReport(s.result, s.data)), "sweep.tex");
    }

    // The author's words and the date are inputs: nothing of the report is made up or read from a clock.
    void hasAHead() {
        const Sample s = sample();
        const ReportHead head{.title = "T <1>", .author = "Ada & Bob", .date = "2026-11-23", .question = "Which one?"};
        const Report report = sweepReport(s.result, s.data, head);
        for (const std::string& text : {toHtml(report), toMarkdown(report), toLatex(report)}) {
            const QString shown = QString::fromStdString(text);
            QVERIFY(shown.contains("2026-11-23") && shown.contains("Which one?") && shown.contains("Bob"));
        }
        QVERIFY(toHtml(report).find("Ada &amp; Bob · 2026-11-23") != std::string::npos);
        QCOMPARE(sweepReport(s.result, s.data).question, s.result.question);
    }

    void theSummaryIsShort() {
        const Sample s = sample();
        const auto words = [](const std::string& text) {
            return QString::fromStdString(text).split(' ', Qt::SkipEmptyParts).size();
        };
        QVERIFY(words(sweepSummary(s.result, s.data)) > 60);
        for (const Language language : {Language::English, Language::Korean}) {
            const Report report = sweepReport(s.result, s.data, headIn(language));
            QVERIFY2(words(report.summary) > 10 && words(report.summary) <= 60, report.summary.c_str());
            // Nothing is lost: what the summary leaves out follows it.
            const auto [begin, rest] = shortened(summarySentences(s.result, s.data, language));
            QCOMPARE(begin + " " + rest, sweepSummary(s.result, s.data, language));
            QVERIFY(toMarkdown(report).find(UntrustedText(rest).markdown()) != std::string::npos);
        }
    }

    void runsAreNotTrials() {
        Sample s = sample();
        s.result.id = {};
        for (TrialResult& trial : s.result.trials) trial.settings.clear();
        const Report report = sweepReport(s.result, s.data);
        for (const std::string& text : {toHtml(report), toMarkdown(report), toCsv(report), toLatex(report)})
            QVERIFY(!QString::fromStdString(text).contains(
                QRegularExpression("\\btrial", QRegularExpression::CaseInsensitiveOption)));
    }

    // Every heading, head of a column and sentence is Korean; names, keys and figures are as they are.
    void aReportInKorean() {
        const Sample s = sample();
        const Report report = sweepReport(s.result, s.data, headIn(Language::Korean));
        QVERIFY(toHtml(report).find("<html lang=\"ko\">") != std::string::npos);
        QVERIFY(toHtml(sweepReport(s.result, s.data)).find("<html lang=\"en\">") != std::string::npos);
        const auto isKorean = [](const std::string& text) {
            return QRegularExpression("[가-힣]").match(QString::fromStdString(text)).hasMatch();
        };
        QVERIFY(isKorean(report.summary));
        for (const Section& section : report.sections) {
            QVERIFY2(isKorean(section.title) || section.title.find("MFU") != std::string::npos, section.title.c_str());
            for (const Block& block : section.blocks) {
                if (const auto figure = drawnFigure(block))
                    for (const LegendEntry& entry : figure->legend) {
                        bool isName = false;
                        for (const TrialResult& trial : s.result.trials)
                            isName = isName || entry.name.ends_with(trial.name);
                        QVERIFY2(isKorean(entry.name) || isName, entry.name.c_str());
                    }
                const auto* table = std::get_if<Table>(&block);
                if (table == nullptr) continue;
                for (const Column& column : readable(*table).columns)
                    QVERIFY2(isKorean(column.title) || isKorean(column.group), column.title.c_str());
            }
        }
    }

    // One run is not "the fastest" of one, and has no median.
    void oneRunIsNotRanked() {
        Sample s = sample();
        s.result.id = {};
        s.result.trials.resize(1);
        const QString text = plainSummary(s);
        QVERIFY2(text.startsWith("1 of 1 run completed. It reaches 16,384 tokens/s"), qPrintable(text));
        QVERIFY2(text.contains("step time is off by -10.0 %, that of the worst rank's memory by +5.0 %"),
                 qPrintable(text));
        QVERIFY2(!text.contains("fastest") && !text.contains("median"), qPrintable(text));
    }
    // A dash in the table has its reason in the text.
    void refusedFiguresAreExplained() {
        Sample s = sample();
        RunFigures& m = s.result.trials[1].measured;
        m.mfu.reset();
        m.flopsPerToken = 1e9;
        m.peakFlops = *m.tokensPerSecond * 0.5e9;
        const QString text = plainSummary(s);
        QVERIFY2(text.contains("DP 2: The measured MFU exceeds 100 %"), qPrintable(text));
    }
    // A map over the fields that differ: the hole is there, with words and a reason that the table repeats.
    void theSpaceOfASweepIsShown() {
        Sample s = sample();
        const auto map = heatFigure(s.result.trials, Language::English);
        QVERIFY(map);
        QCOMPARE(map->rows.size() * map->columns.size(), map->cells.size());
        std::map<HeatFigure::State, int> states;
        for (const HeatFigure::Cell& cell : map->cells) ++states[cell.state];
        QCOMPARE(states[HeatFigure::State::Value], 3);  // 1 x 1 twice: one process and PP 2
        QCOMPARE(states[HeatFigure::State::Failed], 1);
        QCOMPARE(states[HeatFigure::State::Skipped], 1);
        // A point that does not set a field has the value of its config: no label is blank.
        Sample sparse = sample();
        sparse.result.trials[0].settings.clear();                   // one process, the base itself
        sparse.result.trials[1].settings = {{"parallel.dp", "2"}};  // DP 2
        sparse.result.trials[2].settings = {{"parallel.tp", "2"}};  // TP 2
        const auto same = heatFigure(sparse.result.trials, Language::English);
        QVERIFY(same);
        QCOMPARE(same->rows, map->rows);
        QCOMPARE(same->columns, map->columns);
        for (std::size_t i = 0; i < map->cells.size(); ++i) QCOMPARE(same->cells[i].text, map->cells[i].text);
        // Reasons that differ in their figures are one, with all its names.
        TrialResult other = s.result.trials.back();
        other.name = "TP 5";
        other.reason = "model.num_heads is 4, which parallel.tp = 5 does not divide.";
        s.result.trials.push_back(other);
        const auto reasons = reasonsTable(s.result.trials, Language::English);
        QVERIFY(reasons);
        QCOMPARE(reasons->rows.size(), std::size_t{2});
        QCOMPARE(reasons->rows[1][2].text, s.result.trials[5].reason);
        QCOMPARE(*reasons->rows[1][3].number, 2.0);
        QCOMPARE(reasons->rows[1][4].text, std::string("TP 3, TP 5"));
    }

    // Wide tables continue below, each part with the names; no column is lost, no group torn.
    void wideTablesFold() {
        const Sample s = sample();
        const Table whole = readable(comparisonTable(s.result.trials));
        const auto parts = folded(whole, kPageWidth);
        QVERIFY(parts.size() > 1);
        std::vector<std::string> keys;
        for (const Table& part : parts) {
            double width = 0;
            for (std::size_t c = 0; c < part.columns.size(); ++c) width += columnWidth(part, c);
            QVERIFY(width <= kPageWidth);
            QCOMPARE(part.columns.front().key, std::string("trial"));
            QCOMPARE(part.rows.size(), whole.rows.size());
            for (std::size_t c = 1; c < part.columns.size(); ++c) keys.push_back(part.columns[c].key);
            if (&part != &parts.front() && !part.columns[1].group.empty())
                QVERIFY(part.columns[1].group != (&part - 1)->columns.back().group);
        }
        QCOMPARE(keys.size() + 1, whole.columns.size());
        for (std::size_t c = 1; c < whole.columns.size(); ++c) QCOMPARE(keys[c - 1], whole.columns[c].key);
    }

    void provenanceNamesProgramAndConfig() {
        Sample s = sample();
        for (const TrialResult& trial : s.result.trials)
            if (!trial.run.empty())
                s.data.origins[trial.run.value] = {
                    "hash-" + trial.run.value.substr(18), "0.9.0", "abc123", "2.11.0", "node1", "AMD EPYC", ""};
        const auto text = [&] {
            Report report;
            report.sections.push_back(provenanceSection(s.result, s.data, Language::English));
            return QString::fromStdString(toMarkdown(report));
        };
        QVERIFY(text().contains("- Program: 0.9.0 (abc123)") && text().contains("- Host: node1"));
        QVERIFY(text().contains("hash\\-") || text().contains("hash-"));
        QVERIFY(!text().contains("Load of the computer"));
        // Where runs differ each has its own.
        s.data.origins.begin()->second.host = "node2";
        s.data.origins.begin()->second.load = "3.5";
        QVERIFY(!text().contains("- Host:") && text().contains("node2") && text().contains("node1"));
        QVERIFY(text().contains("Load of the computer") && text().contains("3.5"));
    }

    // A figure of a hundred rows cannot be read: it shows the fastest, and says so.
    void aHundredRuns() {
        Sample s = sample();
        const TrialResult one = s.result.trials.front();
        s.result.trials.clear();
        for (int i = 0; i < 100; ++i) {
            s.result.trials.push_back(one);
            s.result.trials.back().name = "run " + std::to_string(i);
            s.result.trials.back().measured.tokensPerSecond = 1000 + (i * 37) % 100;
        }
        const Report report = sweepReport(s.result, s.data);
        std::size_t rows = 0;
        for (const Section& section : report.sections)
            for (const Block& block : section.blocks)
                if (const auto* bars = std::get_if<BarFigure>(&block)) rows = std::max(rows, bars->rows.size());
        QCOMPARE(rows, kMostRows);
        QVERIFY(toMarkdown(report).find("The figures show the 24 fastest of 100") != std::string::npos);
        const auto drawn = drawnTrials(s.result.trials, 2);
        QCOMPARE(*drawn[0].measured.tokensPerSecond + *drawn[1].measured.tokensPerSecond, 2197.0);
    }

    // The column is there as soon as one run held something out; a run that did not is not 0.
    void theHeldOutLossHasAColumn() {
        Sample s = sample();
        QVERIFY(!QString::fromStdString(toCsv(sweepReport(s.result, s.data))).contains("final_eval_loss"));
        s.result.trials.front().measured.finalEvalLoss = 3.125;
        const QStringList lines = QString::fromStdString(toCsv(sweepReport(s.result, s.data))).split("\r\n");
        const auto at = lines[0].split(',').indexOf("final_eval_loss");
        QCOMPARE(at, lines[0].split(',').indexOf("final_loss") + 1);
        QCOMPARE(lines[1].split(',').value(at), QString("3.125"));
        QCOMPARE(lines[2].split(',').value(at), QString());
        QVERIFY(QString::fromStdString(toHtml(sweepReport(s.result, s.data))).contains("Held-out loss"));
    }

    // Beside each forecast stands what it rests on and, where it is known, its interval: in each form of the report.
    void eachForecastIsLabelled() {
        Sample s = sample();
        for (TrialResult& trial : s.result.trials) trial.forecastJson.insert(1, R"("label": "calibrated", )");
        const auto report = [&] { return sweepReport(s.result, s.data); };
        QString html = QString::fromStdString(toHtml(report())), text = QString::fromStdString(toMarkdown(report()));
        for (const char* head :
             {"Step time, forecast, calibrated (ms)", "Tokens/s, forecast, calibrated",
              "MFU (causal), forecast, calibrated (%)", "Memory, worst rank, forecast, calibrated (MiB)",
              "Pipeline bubble, simulated, calibrated (%)"})
            QVERIFY2(text.contains(QString::fromLatin1(head)), head);
        QCOMPARE(html.count(QStringLiteral("<span class=\"unit\">calibrated")), 6);   // heads of columns
        QVERIFY(html.count(QStringLiteral("</svg>forecast, calibrated</li>")) >= 3);  // legends
        QVERIFY(html.contains(QStringLiteral("forecast by part, calibrated")));
        // 0.225 s, 80 % between 0.9 and 1.2 of it; throughput moves the other way.
        QVERIFY2(text.contains(QStringLiteral("225 (202 ms")), qPrintable(text));
        QVERIFY(html.contains(QStringLiteral("<span class=\"note\">202")));
        const QStringList lines = QString::fromStdString(toCsv(report())).split("\r\n");
        const QStringList keys = lines[0].split(','), cells = lines[1].split(',');
        const auto cell = [&](const char* key) { return cells.value(keys.indexOf(QString::fromLatin1(key))); };
        QCOMPARE(cell("forecast_label"), QStringLiteral("calibrated"));
        const double step = cell("forecast_step_seconds").toDouble(),
                     tokens = cell("forecast_tokens_per_second").toDouble();
        QVERIFY(std::fabs(cell("forecast_step_seconds_low").toDouble() / (0.9 * step) - 1) < 1e-6);
        QVERIFY(std::fabs(cell("forecast_step_seconds_high").toDouble() / (1.2 * step) - 1) < 1e-6);
        QVERIFY(std::fabs(cell("forecast_tokens_per_second_low").toDouble() / (tokens / 1.2) - 1) < 1e-6);
        const double memory = cell("forecast_memory_peak_bytes").toDouble();
        QVERIFY(std::fabs(cell("forecast_memory_peak_bytes_low").toDouble() / (0.9 * memory) - 1) < 1e-6);
        QVERIFY(std::fabs(cell("forecast_memory_peak_bytes_high").toDouble() / (1.3 * memory) - 1) < 1e-6);
        QVERIFY(std::fabs(cell("forecast_mfu_high").toDouble() / (cell("forecast_mfu").toDouble() / 0.9) - 1) < 1e-6);
        // Forecasts of two kinds: each figure says which.
        s.result.trials[1].forecastJson.replace(s.result.trials[1].forecastJson.find("calibrated"), 10, "textbook");
        html = QString::fromStdString(toHtml(report()));
        QVERIFY(!html.contains(QStringLiteral("<span class=\"unit\">calibrated")) &&
                !html.contains(QStringLiteral(">forecast, calibrated<")));
        QVERIFY(html.contains(QStringLiteral("<span class=\"note\">textbook, 12")) &&
                html.contains(QStringLiteral("<span class=\"note\">calibrated, 202")));
        QVERIFY(toMarkdown(report()).find("(textbook, 12") != std::string::npos);
        // Without an interval none is shown.
        for (TrialResult& trial : s.result.trials) trial.forecastJson = R"({"label": "textbook"})";
        html = QString::fromStdString(toHtml(report()));
        QVERIFY(!html.contains(QStringLiteral("class=\"note\"")) &&
                !html.contains(QStringLiteral("interval of the forecast")));
    }

    // Every report says what its forecasts rest on; forecasts of different kinds are told apart.
    void theBasisOfForecastsIsTold() {
        Sample s = sample();
        const auto text = [&] { return QString::fromStdString(toMarkdown(sweepReport(s.result, s.data))); };
        QVERIFY(!text().contains("- Forecasts:"));
        for (TrialResult& trial : s.result.trials) trial.forecastJson = R"({"label": "textbook"})";
        QVERIFY(text().contains("- Forecasts: textbook (usual efficiencies"));
        s.result.trials.front().forecastJson = R"({"label": "calibrated"})";
        QVERIFY(text().contains("- Forecasts: calibrated (parameters fitted to measured runs); textbook"));
        s.result.trials.front().forecastJson = R"({"label": "typical"})";
        QVERIFY(text().contains("typical (mean of the software whose runs are known)"));
        for (TrialResult& trial : s.result.trials) trial.forecastJson = R"({"label": "extrapolated"})";
        QVERIFY(text().contains("- Forecasts: extrapolated (fitted to measured runs that differ from these)"));
        QVERIFY(!QString::fromStdString(toMarkdown(sweepReport(s.result, s.data, headIn(Language::Korean))))
                     .contains("extrapolated"));
    }

    void nothingIsExecutedOrFetched() {
        const Sample s = sample();
        const QString html = QString::fromStdString(toHtml(sweepReport(s.result, s.data)));
        QVERIFY(!html.contains("<script", Qt::CaseInsensitive));
        QVERIFY(!html.contains("http://") && !html.contains("https://") && !html.contains("url("));
        QVERIFY(html.contains("Content-Security-Policy"));
        QVERIFY(!QRegularExpression("\\son[a-z]+=").match(html).hasMatch());
    }

    void saysWhatItShows() {
        const Sample s = sample();
        const QString text = plainSummary(s);
        QVERIFY2(
            text.startsWith(
                "4 of 6 trials completed, 1 failed, 1 could not run and was skipped. The fastest is DP 2: 27,307 tokens/s, 150 ms a step, MFU (causal) 40.0 %; TP 2, the slowest, reaches 51.7 % of that."),
            qPrintable(text));
        QVERIFY2(
            text.contains(
                "agree within 0.0015 nats/token (5.301 to 5.302), 1.11 below the unigram entropy of the text (6.410)"),
            qPrintable(text));
        QVERIFY2(text.contains("step time is off by 10.0 % in the median") && text.contains("memory by 5.0 %"),
                 qPrintable(text));
        QVERIFY2(text.contains("PP 2 idles 24.0 % of its pipeline's time (in theory 20.0 %)"), qPrintable(text));
    }

    void doesNotCompareDifferentWork() {
        Sample s = sample();
        s.result.trials[1].config.train.seed = 99;
        QVERIFY(!QString::fromStdString(sweepSummary(s.result, s.data)).contains("agree"));
    }

    // A run of another program has no defaults of ours.
    void comparesWhatIsKnownOfRuns() {
        Sample s = sample();
        s.result.id = {};
        s.result.trials.resize(2);
        s.result.trials[0].config.parallel = s.result.trials[1].config.parallel = {};
        s.result.trials[0].config.train.seed = 5;
        s.result.trials[1].config.train.seed = 7;
        s.result.trials[1].given = {"train.seed"};
        const auto text = [&] { return QString::fromStdString(toMarkdown(sweepReport(s.result, s.data))); };
        const QString partly = text();
        QVERIFY2(partly.contains(QRegularExpression("train.seed 7; \\d+ fields unknown")), qPrintable(partly));
        QVERIFY(partly.count("DP 1") == 1 && !partly.contains("trained on the same samples"));
        s.result.trials[1].config.train.seed = 5;
        s.result.trials[1].config.optimizer.lr = 0.5;
        QVERIFY(!text().contains("optimizer.lr 0.5"));
        s.result.trials[1].given.reset();
        QVERIFY(text().contains("optimizer.lr 0.5") && !text().contains("fields unknown"));
        // The setup is the first run's.
        QVERIFY(text().contains("sequences of"));
        s.result.trials[0].given = {"train.seed"};
        QVERIFY(!text().contains("sequences of"));
    }

    void unknownIsNeverZero() {
        SweepResult result;
        result.name = "x";
        result.trials.resize(1);
        result.trials[0].name = "a";
        result.trials[0].status = TrialStatus::Completed;
        const Table table = comparisonTable(result.trials);
        for (std::size_t c = 2; c < table.columns.size(); ++c) {
            QVERIFY(!table.rows[0][c].number);
            QVERIFY(table.rows[0][c].text == "–" || table.rows[0][c].text == "n/a");
        }
        QCOMPARE(QString::fromStdString(sweepSummary(result, {})), QString("1 of 1 run completed."));
        QVERIFY(!toHtml(sweepReport(result, {})).empty());
        QVERIFY(QString::fromStdString(toCsv(sweepReport(result, {})))
                    .endsWith("a,completed,,,,,,,,,,,,,,,,,,,–,,,,,,,,\r\n"));
    }
};

SLIPWAY_TEST(TstSweepReport)
#include "tst_sweep_report.moc"
