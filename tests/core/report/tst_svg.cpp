#include "core/report/drawing.h"
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
        // As a median of equal losses leaves it; steps below the last digit never arrive.
        QTest::newRow("rounding") << 2.5 << 2.5000000000000004 << QList<double>{2.5};
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
        const std::string svg = toSvg(draw(figure));
        QCOMPARE(count(svg, "rect", "bar"), 1);
        QCOMPARE(count(svg, "path", "mark"), 2);
        QCOMPARE(count(svg, "path", "interval"), 1);
        QCOMPARE(count(svg, "text", "quiet"), 1);
        QCOMPARE(count(svg, "text", "bad"), 1);
        QVERIFY(svg.find("<b>") == std::string::npos);
        // The longest bar or mark ends at the frame's right edge, a bar of half the value at half the way.
        figure.rows = {{"a", 4.0, {}, {}, {}, ""}, {"b", 2.0, {}, {}, {}, ""}};
        QXmlStreamReader reader(QString::fromStdString(toSvg(draw(figure))));
        QList<double> widths;
        while (!reader.atEnd())
            if (reader.readNext() == QXmlStreamReader::StartElement &&
                reader.attributes().value("class") == QString("bar"))
                widths << reader.attributes().value("width").toDouble();
        QCOMPARE(widths.size(), 2);
        QVERIFY(std::fabs(widths[0] - 2 * widths[1]) < 0.02);
    }

    // A value is beside its label, left of its bar, where no other bar or mark can claim it.
    void valuesBelongToTheirBars() {
        BarFigure figure;
        figure.rows = {{"a", 1.0, {9.0}, 8.0, 10.0, ""}, {"b", 9.0, {1.0}, {}, {}, ""}};
        const Drawing drawing = draw(figure);
        double bars = 1e9, values = 0;
        for (const Drawing::Shape& shape : drawing.shapes()) {
            if (const auto* rect = std::get_if<Drawing::Rect>(&shape)) bars = std::min(bars, rect->x);
            if (const auto* text = std::get_if<Drawing::Text>(&shape); text != nullptr && text->look == "value") {
                QCOMPARE(std::string(text->anchor), std::string("end"));
                values = std::max(values, text->x);
            }
        }
        QVERIFY(values > 0 && values < bars);
    }

    // What did not run has a cell with its word and the number of its reason; what was never asked has none.
    void cellsOfAHeatMap() {
        HeatFigure figure;
        figure.rows = {"1", "2"};
        figure.columns = {"1", "2"};
        figure.cells = {{HeatFigure::State::Value, 0.4, "40.0 %", ""},
                        {HeatFigure::State::Value, 0.1, "10.0 %", ""},
                        {HeatFigure::State::Skipped, 0, "skipped", "reason 1"},
                        {}};
        const std::string svg = toSvg(draw(figure));
        QCOMPARE(count(svg, "rect", "h5"), 1);
        QCOMPARE(count(svg, "rect", "h0"), 1);
        QCOMPARE(count(svg, "rect", "hole"), 1);
        QVERIFY(svg.find("reason 1") != std::string::npos);
        figure.isLessBetter = true;
        QVERIFY(toSvg(draw(figure)).find("cell h0") < toSvg(draw(figure)).find("cell h5"));
    }

    void stacksAddUp() {
        StackFigure figure;
        figure.partNames = {"x", "y"};
        figure.partColours = {0, 4};
        figure.rows = {{"a", {1, 2}, 2.5}, {"b", {0, 1}, {}}};
        const std::string svg = toSvg(draw(figure));
        QCOMPARE(count(svg, "rect", "c0"), 1);
        QCOMPARE(count(svg, "rect", "c4"), 2);
        QCOMPARE(count(svg, "path", "tickmark"), 1);
    }

    void linesBreakAtNonFinitePoints() {
        LineFigure figure;
        figure.series = {{"a", {1, 2, 3, 4, 5}, {1, 2, std::nan(""), 4, 5}}, {"b", {1, 2}, {1, 1}}};
        figure.references = {{"limit", 3.0}};
        const std::string svg = toSvg(draw(figure));
        QCOMPARE(count(svg, "path", "curve"), 2);
        QCOMPARE(count(svg, "path", "nonfinite"), 1);
        QCOMPARE(count(svg, "path", "reference"), 1);
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
        const std::string svg = toSvg(draw(figure));
        QVERIFY(svg.size() < 20000);
        // The spike reaches the top but for the margin of 5 %.
        QVERIFY(svg.find(" 21.9") != std::string::npos || svg.find(" 22") != std::string::npos ||
                svg.find(" 21.") != std::string::npos);
    }

    void emptyFiguresDraw() {
        QCOMPARE(count(toSvg(draw(BarFigure{})), "svg", ""), 1);
        QCOMPARE(count(toSvg(draw(StackFigure{})), "svg", ""), 1);
        QCOMPARE(count(toSvg(draw(LineFigure{})), "svg", ""), 1);
    }
};

SLIPWAY_TEST(TstSvg)
#include "tst_svg.moc"
