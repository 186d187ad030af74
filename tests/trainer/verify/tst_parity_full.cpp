// The long part of the parity suite: the walked product once for each of model family x tied embeddings, the other axes from
// covering arrays that start elsewhere.
#include "tests/support/slipway_test.h"
#include "tests/trainer/verify/parity_suite.h"

#include <cstdio>

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

class TstParityFull : public QObject {
    Q_OBJECT
public:
    ~TstParityFull() override { std::printf("%s\n", m_suite.summary().c_str()); }

private slots:
    void layouts_data() {
        QTest::addColumn<int>("family");
        QTest::addColumn<int>("tied");
        for (const int family : {0, 1})
            for (const int tied : {0, 1})
                QTest::addRow("%s_%s", family == 0 ? "llama" : "gpt2", tied == 0 ? "untied" : "tied") << family << tied;
    }
    void layouts() {
        QFETCH(int, family);
        QFETCH(int, tied);
        CoveringArray array(static_cast<unsigned>(1 + 2 * family + tied));
        QStringList failed;
        for (const WalkedPoint& point : walkedProduct()) {
            ExtraAxes extra = array.next(point);
            extra.value[0] = family;
            extra.value[1] = tied;
            const VerifyReport report = m_suite.run(configOf(point, extra));
            if (!report.passed())
                failed += QString::fromStdString(nameOf(point, extra) + ": " + report.failures.front());
        }
        QVERIFY2(failed.isEmpty(), qPrintable(failed.join("\n")));
    }

private:
    ParitySuite m_suite;
};
SLIPWAY_TEST(TstParityFull)
#include "tst_parity_full.moc"
