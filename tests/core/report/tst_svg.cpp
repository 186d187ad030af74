#include "core/report/svg.h"
#include "tests/support/slipway_test.h"

#include <QXmlStreamReader>
#include <cmath>

using namespace slipway;

namespace {

/// Number of elements with this class; fails on text that is no XML.
int count(const std::string& svg, const QString& element, const QString& cssClass) {
    QXmlStreamReader reader(QString::fromStdString(svg));
    int found = 0;
    while (!reader.atEnd())
        if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == element &&
            (cssClass.isEmpty() || reader.attributes().value("class").toString().split(' ').contains(cssClass)))
            ++found;
    if (reader.hasError()) qFatal("%s", qPrintable(reader.errorString()));
    return found;
}

}  // namespace

class TstSvg : public QObject {
    Q_OBJECT

private slots:
    void ticks_data() {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<QList<double>>("expected");
        QTest::newRow("0..100") << 0.0 << 100.0 << QList<double>{0, 20, 40, 60, 80, 100};
        QTest::newRow("0..7") << 0.0 << 7.0 << QList<double>{0, 2, 4, 6};
        QTest::newRow("0..0.31") << 0.0 << 0.31 << QList<double>{0, 0.1, 0.2, 0.3};
        QTest::newRow("5.1..7.4") << 5.1 << 7.4 << QList<double>{5.5, 6, 6.5, 7};
        QTest::newRow("empty range") << 3.0 << 3.0 << QList<double>{3};
        QTest::newRow("not finite") << 0.0 << std::nan("") << QList<double>{0};
    }
    void ticks() {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(QList<double>, expected);
        const auto got = roundTicks(low, high);
        QCOMPARE(static_cast<int>(got.size()), static_cast<int>(expected.size()));
        for (int i = 0; i < expected.size(); ++i)
            QVERIFY(std::fabs(got[static_cast<std::size_t>(i)] - expected[i]) < 1e-9);
    }

    void barsDrawWhatIsKnown() {
        BarFigure figure;
        figure.title = "Step time <b>";
        figure.rows = {{"a", 2.0, {3.0}, 2.5, 3.5, ""},
                       {"<b>", {}, {1.0}, {}, {}, "skipped"},
                       {"c", std::nan(""), {std::nullopt}, {}, {}, ""}};
        const std::string svg = toSvg(figure);
        QCOMPARE(count(svg, "rect", "bar"), 1);
        QCOMPARE(count(svg, "line", "mark"), 2);
        QCOMPARE(count(svg, "line", "interval"), 1);
        QCOMPARE(count(svg, "text", "quiet"), 1);
        QCOMPARE(count(svg, "text", "bad"), 1);
        QVERIFY(svg.find("<b>") == std::string::npos);
        // The longest bar or mark ends at the frame's right edge, a bar of half the value at half the way.
        figure.rows = {{"a", 4.0, {}, {}, {}, ""}, {"b", 2.0, {}, {}, {}, ""}};
        QXmlStreamReader reader(QString::fromStdString(toSvg(figure)));
        QList<double> widths;
        while (!reader.atEnd())
            if (reader.readNext() == QXmlStreamReader::StartElement &&
                reader.attributes().value("class") == QString("bar"))
                widths << reader.attributes().value("width").toDouble();
        QCOMPARE(widths.size(), 2);
        QVERIFY(std::fabs(widths[0] - 2 * widths[1]) < 0.02);
    }

    void stacksAddUp() {
        StackFigure figure;
        figure.partNames = {"x", "y"};
        figure.partColours = {0, 4};
        figure.rows = {{"a", {1, 2}, 2.5}, {"b", {0, 1}, {}}};
        const std::string svg = toSvg(figure);
        QCOMPARE(count(svg, "rect", "c0"), 1);
        QCOMPARE(count(svg, "rect", "c4"), 2);
        QCOMPARE(count(svg, "line", "tickmark"), 1);
    }

    void linesBreakAtNonFinitePoints() {
        LineFigure figure;
        figure.series = {{"a", {1, 2, 3, 4, 5}, {1, 2, std::nan(""), 4, 5}}, {"b", {1, 2}, {1, 1}}};
        figure.references = {{"limit", 3.0}};
        const std::string svg = toSvg(figure);
        QCOMPARE(count(svg, "path", "curve"), 2);
        QCOMPARE(count(svg, "path", "nonfinite"), 1);
        QCOMPARE(count(svg, "line", "reference"), 1);
        QCOMPARE(count(svg, "text", "letter"), 2);
        const auto at = svg.find("class=\"curve s0");
        const std::string path = svg.substr(at, svg.find('>', at) - at);
        QCOMPARE(std::count(path.begin(), path.end(), 'M'), std::ptrdiff_t{2});
    }

    void spikesSurviveThinning() {
        LineFigure figure;
        LineFigure::Series series{"a", {}, {}};
        for (int i = 0; i < 100000; ++i) {
            series.x.push_back(i);
            series.y.push_back(i == 54321 ? 1000 : 0);
        }
        figure.series = {series};
        const std::string svg = toSvg(figure);
        QVERIFY(svg.size() < 20000);
        // The spike reaches the top but for the margin of 5 %.
        QVERIFY(svg.find(" 21.9") != std::string::npos || svg.find(" 22") != std::string::npos ||
                svg.find(" 21.") != std::string::npos);
    }

    void emptyFiguresDraw() {
        QCOMPARE(count(toSvg(BarFigure{}), "svg", ""), 1);
        QCOMPARE(count(toSvg(StackFigure{}), "svg", ""), 1);
        QCOMPARE(count(toSvg(LineFigure{}), "svg", ""), 1);
    }
};

SLIPWAY_TEST(TstSvg)
#include "tst_svg.moc"
