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
    void layout_data() {
        QTest::addColumn<int>("index");
        for (const int family : {0, 1})
            for (const int tied : {0, 1}) {
                CoveringArray array(static_cast<unsigned>(1 + 2 * family + tied));
                for (const WalkedPoint& point : walkedProduct()) {
                    ExtraAxes extra = array.next(point);
                    extra.value[0] = family;
                    extra.value[1] = tied;
                    m_cases.push_back({nameOf(point, extra), configOf(point, extra)});
                }
            }
        for (std::size_t i = 0; i < m_cases.size(); ++i) QTest::newRow(m_cases[i].name.c_str()) << static_cast<int>(i);
    }
    void layout() {
        QFETCH(int, index);
        const VerifyReport report = m_suite.run(m_cases[static_cast<std::size_t>(index)].config);
        QVERIFY2(report.passed(), report.passed() ? "" : report.failures.front().c_str());
    }

private:
    std::vector<LayoutCase> m_cases;
    ParitySuite m_suite;
};
SLIPWAY_TEST(TstParityFull)
#include "tst_parity_full.moc"
