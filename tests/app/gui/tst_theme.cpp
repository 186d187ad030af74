#include "app/gui/look/theme.h"
#include "tests/support/slipway_test.h"

using namespace slipway::gui;

// look.md 3 promises contrasts (WCAG 2, AA); every pair is computed again from the colours in force.
class TstTheme : public QObject {
    Q_OBJECT

    static Theme themeOf(const QString& name) {
        return name == QStringLiteral("light") ? Theme::light() : Theme::darkTheme();
    }

private slots:
    void textOnSurfaces_data() {
        QTest::addColumn<QString>("name");
        QTest::addRow("light") << "light";
        QTest::addRow("dark") << "dark";
    }
    void textOnSurfaces() {
        QFETCH(QString, name);
        const Theme t = themeOf(name);
        for (const QColor& surface : {t.window, t.panel, t.sunken, t.field, t.hover, t.selection})
            for (const QColor& ink : {t.text, t.text2, t.text3})
                QVERIFY2(contrastRatio(ink, surface) >= 4.6, qPrintable(ink.name() + " on " + surface.name()));
        QVERIFY(contrastRatio(t.onFill, t.fill) >= 4.8 - 0.05);
        QVERIFY(contrastRatio(t.warn, t.warnBackground) >= 5.5 - 0.05);
        QVERIFY(contrastRatio(t.bad, t.badBackground) >= 5.5 - 0.05);
        QVERIFY(contrastRatio(t.tipText, t.tip) >= 4.5);
        for (const QColor& state : {t.ok, t.warn, t.bad, t.idle, t.accent})
            QVERIFY2(contrastRatio(state, t.panel) >= 4.5, qPrintable(state.name()));
    }
    void graphicsOnPanel_data() { textOnSurfaces_data(); }
    void graphicsOnPanel() {
        QFETCH(QString, name);
        const Theme t = themeOf(name);
        for (const QColor& colour : t.categorical)
            QVERIFY2(contrastRatio(colour, t.panel) >= 3.1 - 0.05, qPrintable(colour.name()));
        QVERIFY(contrastRatio(t.line2, t.panel) >= 3.1 - 0.05);
    }
    void inkOnRamp_data() { textOnSurfaces_data(); }
    void inkOnRamp() {
        QFETCH(QString, name);
        const Theme t = themeOf(name);
        for (int i = 0; i <= 100; ++i) {
            const QColor cell = t.ramp(i / 100.0);
            QVERIFY2(contrastRatio(inkOn(cell), cell) >= 4.58 - 0.01, qPrintable(cell.name()));
        }
        QCOMPARE(t.ramp(-1), t.sequential.front());
        QCOMPARE(t.ramp(std::nan("")), t.sequential.front());
        QCOMPARE(t.ramp(2), t.sequential.back());
    }
    void knownRatios() {
        QVERIFY(std::abs(contrastRatio(Qt::white, Qt::black) - 21.0) < 1e-9);
        QVERIFY(std::abs(contrastRatio(QColor("#767676"), Qt::white) - 4.54) < 0.01);
    }
};

SLIPWAY_TEST(TstTheme)
#include "tst_theme.moc"
