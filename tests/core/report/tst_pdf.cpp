#include "core/report/report.h"
#include "tests/support/slipway_test.h"

#include <QProcess>
#include <QTemporaryFile>
#include <string>

using namespace slipway;

namespace {

Report sample(Language language) {
    Report report;
    report.language = language;
    report.title = language == Language::Korean ? "병렬 구성 비교" : "Layouts";
    report.author = "Ada";
    report.date = "2026-11-23";
    report.summary = language == Language::Korean ? "가장 빠른 것은 DP 2입니다." : "DP 2 is the fastest.";
    Table table;
    table.columns = {{"Name", "name", "", false, ""}, {"Time", "time", "", true, ""}};
    for (int i = 0; i < 120; ++i)
        table.rows.push_back({{"run " + std::to_string(i), {}, Tone::Plain}, {"1.5 s", 1.5, Tone::Plain}});
    BarFigure bars;
    bars.title = "Step time";
    bars.barName = "measured";
    bars.rows = {{"a", 1.0, {}, {}, {}, ""}, {"b", 2.0, {}, {}, {}, ""}};
    report.sections = {{"Comparison", {table, bars}},
                       {"Text", {Paragraph{"x < y & z"}, Facts{"Setup", {{"Model", "tiny"}}}}}};
    return report;
}

int pagesOf(const std::string& pdf) {
    return static_cast<int>(QByteArray::fromStdString(pdf).count("/Type /Page %"));
}

/// The texts of the pages, or nothing where pdftotext is not installed.
QString textOf(const std::string& pdf) {
    QTemporaryFile file;
    if (!file.open()) return {};
    file.write(QByteArray::fromStdString(pdf));
    file.flush();
    QProcess process;
    process.start(QStringLiteral("pdftotext"), {"-layout", file.fileName(), "-"});
    if (!process.waitForFinished(30000)) return {};
    return QString::fromUtf8(process.readAllStandardOutput());
}

}  // namespace

class TstPdf : public QObject {
    Q_OBJECT

private slots:
    // No clock, no chance: the date is the report's.
    void theSameReportIsTheSameBytes() {
        const auto first = toPdf(sample(Language::English));
        QVERIFY2(first, first ? "" : first.error().message.c_str());
        QVERIFY(first->starts_with("%PDF-"));
        QVERIFY(first->find("/CreationDate (20261123000000Z") != std::string::npos);
        QVERIFY(first->find("/Author (Ada)") != std::string::npos);
        QVERIFY(first->find("/ModDate") == std::string::npos);
        QTest::qWait(1100);
        QVERIFY(*toPdf(sample(Language::English)) == *first);
        Report later = sample(Language::English);
        later.date = "tomorrow";
        QVERIFY(toPdf(later)->find("/CreationDate (19700101000000Z") != std::string::npos);
    }

    void longTablesContinue() {
        const auto pdf = toPdf(sample(Language::English));
        QVERIFY(pdf);
        QVERIFY2(pagesOf(*pdf) >= 3 && pagesOf(*pdf) <= 6, std::to_string(pagesOf(*pdf)).c_str());
        const QString text = textOf(*pdf);
        if (text.isEmpty()) QSKIP("pdftotext is not installed (poppler-utils)");
        for (int i = 0; i < 120; ++i) QCOMPARE(text.count(QStringLiteral("run %1 ").arg(i)), 1);
        QVERIFY2(text.contains(QRegularExpression(QStringLiteral("\\b1 ?/ ?%1\\b").arg(pagesOf(*pdf)))),
                 qPrintable(text.left(4000)));
        QCOMPARE(text.count(QStringLiteral("Name")),
                 pagesOf(*pdf) - (text.lastIndexOf("run 119") < text.lastIndexOf('\f', -3) ? 1 : 0));
        QVERIFY(text.contains(QRegularExpression("x ?< ?y ?& ?z")));
    }

    void koreanIsText() {
        const auto pdf = toPdf(sample(Language::Korean));
        QVERIFY(pdf);
        const QString text = textOf(*pdf);
        if (text.isEmpty()) QSKIP("pdftotext is not installed (poppler-utils)");
        if (pdf->find("CJK") == std::string::npos) QSKIP("no Korean font of Noto is installed");
        QVERIFY2(text.contains(QStringLiteral("병렬 구성 비교")), qPrintable(text.left(200)));
        QVERIFY(text.contains(QStringLiteral("가장 빠른 것은 DP 2입니다.")));
    }

    // An empty report is a page; hostile text is text.
    void anyTextIsWritten() {
        QCOMPARE(pagesOf(*toPdf(Report())), 1);
        Report report = sample(Language::English);
        report.title = std::string("a\0b\xff\xfe \xE2\x80\xAE", 9) + std::string(3000, 'W');
        report.sections[0].blocks.push_back(Paragraph{std::string(20000, 'x')});
        QVERIFY(toPdf(report));
    }
};

SLIPWAY_TEST(TstPdf)
#include "tst_pdf.moc"
