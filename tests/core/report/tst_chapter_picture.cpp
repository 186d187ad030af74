// Pictures of chapters: each is drawn from a plan, stays in its frame, and goes into every form of a report.
#include "core/planner/presets.h"
#include "core/report/benchmark_picture.h"
#include "core/report/chapter_picture.h"
#include "core/report/drawing.h"
#include "core/report/playbook_report.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <algorithm>
#include <cmath>

using namespace slipway;

namespace {

const Playbook& shipped() {
    static const Playbook playbook = *readPlaybook(SLIPWAY_SOURCE_DIR "/experiments/playbook");
    return playbook;
}

/// Three pipeline ranks, sharded states, tensor ranks, on two nodes of six devices.
Plan planOfTwelve() {
    RunConfig config;
    config.name = "twelve";
    config.model.numLayers = 6;
    config.parallel.dp = 2;
    config.parallel.tp = 2;
    config.parallel.pp = 3;
    config.parallel.zeroStage = 1;
    config.train.globalBatchSize = 16;
    config.train.microBatchSize = 2;
    ClusterSpec cluster;
    cluster.numNodes = 2;
    cluster.devicesPerNode = 6;
    cluster.device.peakFp32Flops = 1e12;
    cluster.device.memoryBytes = 16e9;
    cluster.device.memoryBytesPerSecond = 1e11;
    return makePlan(config, cluster);
}

/// The corners of all shapes lie in the frame, and texts begin or end there.
bool staysInFrame(const Drawing& drawing) {
    const auto isIn = [&](double x, double y) {
        return std::isfinite(x) && std::isfinite(y) && x > -1 && y > -1 && x < drawing.width() + 1 &&
               y < drawing.height() + 1;
    };
    const auto textIsIn = [&](const Drawing::Text& text) {
        const double width = textWidth(text.text);
        const std::string anchor = text.anchor;
        const double left = anchor == "end" ? text.x - width : anchor == "middle" ? text.x - width / 2 : text.x;
        constexpr double kFontSlack = 8;
        return isIn(text.x, text.y) && left > -kFontSlack && left + width < drawing.width() + kFontSlack;
    };
    return std::all_of(drawing.shapes().begin(), drawing.shapes().end(), [&](const Drawing::Shape& shape) {
        if (const auto* rect = std::get_if<Drawing::Rect>(&shape))
            return isIn(rect->x, rect->y) && isIn(rect->x + rect->width, rect->y + rect->height);
        if (const auto* text = std::get_if<Drawing::Text>(&shape)) return textIsIn(*text);
        const auto& path = std::get<Drawing::Path>(shape);
        return std::all_of(path.lines.begin(), path.lines.end(), [&](const auto& line) {
            return std::all_of(line.begin(), line.end(), [&](const auto& point) { return isIn(point.x, point.y); });
        });
    });
}

std::string valueOf(const PictureFigure& figure, const std::string& part) {
    for (const auto& row : figure.numbers.rows)
        if (row.front().text == part) return row.back().text;
    return "none";
}

ReaderState readerOf(const Plan& plan) {
    Measurements m;
    m.measured["step_seconds"]["AFAB, m 1"] = {0.99, 1.0, 1.01};
    m.measured["step_seconds"]["AFAB, m 2"] = {0.75, 0.75, 0.75};
    m.measured["step_seconds"]["AFAB, m 4"] = {0.625, 0.625, 0.625};
    m.measured["step_seconds"]["1F1B, m 4"] = {0.625, 0.625, 0.625};
    Circumstances at;
    at.host = "here";
    at.processor = "EPYC";
    at.cpus = 2;
    Json own = recordOf(*shipped().experiment("L6"), m, at);
    at.host = "gpu-lab";
    const Json theirs = recordOf(*shipped().experiment("L6"), m, at);
    return {{{"pipelines", 15, 1, ""}, {"L6", 0.5, 1, ""}}, {std::move(own), theirs}, "here", plan};
}

}  // namespace

class TstChapterPicture : public QObject {
    Q_OBJECT

private slots:
    void everyChapterHasOne() {
        const Plan plan = planOfTwelve();
        QVERIFY2(!plan.memory.empty(), "the plan has errors");
        for (const Chapter& chapter : shipped().chapters)
            for (const Language language : {Language::English, Language::Korean}) {
                const auto picture = chapterPicture(chapter.id, plan, language);
                QVERIFY2(picture, chapter.id.c_str());
                QVERIFY2(picture->drawing.shapes().size() > 4 && !picture->numbers.rows.empty(), chapter.id.c_str());
                QVERIFY2(!picture->title.empty() && picture->drawing.label().size() > 20, chapter.id.c_str());
                QVERIFY2(staysInFrame(picture->drawing), chapter.id.c_str());
            }
        QVERIFY(!chapterPicture("a chapter of a stranger", plan, Language::English));
        QVERIFY(!chapterPicture("data_parallel", Plan(), Language::English));
    }
    void figuresAreThePlans() {
        const Plan plan = planOfTwelve();
        const auto at = [&](const char* chapter, const std::string& part) {
            return valueOf(*chapterPicture(chapter, plan, Language::English), part);
        };
        QCOMPARE(at("data_parallel", "Optimizer"), std::string("1/2"));
        QCOMPARE(at("data_parallel", "Weights"), std::string("1"));
        QCOMPARE(at("pipelines", "Pipeline ranks"), std::string("3"));
        QCOMPARE(at("pipelines", "Layers of rank 2"), std::string("2"));
        QCOMPARE(at("links_collectives", "TP group of rank 0"), std::string("0, 1"));
        QCOMPARE(at("links_collectives", "DP group of rank 0"), std::string("0, 2"));
        QCOMPARE(at("links_collectives", "PP group of rank 0"), std::string("0, 4, 8"));
        QCOMPARE(at("kernels_precision", "FLOP per byte at the ridge"), std::string("10"));
        QCOMPARE(at("exercises", "Devices"), std::string("12"));
        QVERIFY(at("finding_layout", "Mixture of experts?").ends_with("no"));
        const auto moments = chapterPicture("recomputation", plan, Language::English);
        QCOMPARE(moments->numbers.rows.size(), std::size_t(7));  // six moments, capacity
    }
    /// Areas are in proportion to the bytes.
    void treemapAreasAreBytes() {
        const auto picture = chapterPicture("one_device_memory", planOfTwelve(), Language::English);
        double area = 0, all = 0, bytes = 0, total = 0;
        std::size_t at = 0;
        for (const Drawing::Shape& shape : picture->drawing.shapes()) {
            const auto* rect = std::get_if<Drawing::Rect>(&shape);
            if (rect == nullptr) continue;
            const double one = (rect->width + 2) * (rect->height + 2);  // a gap of a pixel on each side
            const double number = *picture->numbers.rows[at].back().number;
            if (at++ == 0) {
                area = one;
                bytes = number;
            }
            all += one;
            total += number;
        }
        QCOMPARE(at, picture->numbers.rows.size());
        QVERIFY(std::fabs(area / all - bytes / total) < 0.01);
    }
    void aBenchmarkIsPlotted() {
        BenchmarkCell cell{"1B", 8, {}, 2, {}};
        for (const double speed : {31297.0, 28494.0, 0.0}) {
            PublishedRun run;
            run.layout.dp = 64;
            run.memoryGb = 23.8;
            if (speed > 0) run.tokensPerSecondPerGpu = speed;
            cell.runs.push_back(run);
        }
        const auto picture = benchmarkPicture(cell, Language::English);
        QVERIFY(picture && staysInFrame(picture->drawing));
        QCOMPARE(valueOf(*picture, "Failed"), std::string("1"));
        QCOMPARE(valueOf(*picture, "Fastest layout"), layoutText(cell.runs.front().layout));
        cell.runs.erase(cell.runs.begin(), cell.runs.begin() + 2);
        QVERIFY(!benchmarkPicture(cell, Language::English));
    }
    void aChapterHasItsPicturesInEveryForm() {
        const Report report = chapterReport(shipped(), *shipped().chapter("pipelines"), readerOf(planOfTwelve()), {});
        const std::string html = toHtml(report);
        QVERIFY(html.find("Pipeline schedule") != std::string::npos);
        QVERIFY(html.find("Drawn from the plan twelve.") != std::string::npos);
        QVERIFY(html.find("class=\"bar\"") != std::string::npos);  // measured beside expected
        QVERIFY(html.find("Measured by others on gpu-lab, EPYC, 2 CPUs: agrees") != std::string::npos);
        const QString markdown = QString::fromStdString(toMarkdown(report));
        QVERIFY(markdown.contains(QStringLiteral("][picture-1]")));
        const auto address =
            QRegularExpression(QStringLiteral("\\[picture-1\\]: data:image/svg\\+xml;base64,(\\S+)")).match(markdown);
        QVERIFY(address.hasMatch());
        const QByteArray svg = QByteArray::fromBase64(address.captured(1).toLatin1());
        QVERIFY(svg.startsWith("<svg xmlns=") && svg.endsWith("</svg>\n"));
        QVERIFY(svg.contains("fill=\"#124F8C\"") && !svg.contains("class="));
        const auto pdf = toPdf(report);
        QVERIFY(pdf && pdf->starts_with("%PDF"));
        const ReaderState reader = readerOf(planOfTwelve());
        for (const Chapter& chapter : shipped().chapters)
            for (const Language language : {Language::English, Language::Korean}) {
                ReportHead head;
                head.language = language;
                QVERIFY2(toPdf(chapterReport(shipped(), chapter, reader, head)), chapter.id.c_str());
            }
    }
    /// What is not guessed yet is not answered.
    void theWholePlaybookKeepsAnswersBack() {
        const std::string all = toHtml(playbookReport(shipped(), readerOf(planOfTwelve()), {}));
        QVERIFY(all.find(shipped().chapter("pipelines")->finding.contradictedBy.english) != std::string::npos);
        QVERIFY(all.find("No guess yet") != std::string::npos);
        QCOMPARE(all.find(shipped().chapter("data")->finding.contradictedBy.english), std::string::npos);
        QVERIFY(all.find("Map of claims") != std::string::npos && all.find("0 of 2 guesses") != std::string::npos);
    }
};

SLIPWAY_TEST(TstChapterPicture)

#include "tst_chapter_picture.moc"
