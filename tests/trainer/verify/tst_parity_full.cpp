// The long part of the parity suite: the whole walked product, the other axes from a covering array; all layouts with
// experts.
#include "tests/support/slipway_test.h"
#include "tests/trainer/verify/expert_cases.h"
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
        CoveringArray array(1);
        for (const WalkedPoint& point : walkedProduct()) {
            const ExtraAxes extra = array.next(point);
            m_cases.push_back({nameOf(point, extra), configOf(point, extra)});
        }
        for (LayoutCase& experts : expertCases()) m_cases.push_back(std::move(experts));
        for (LayoutCase& latent : latentCases(250)) m_cases.push_back(std::move(latent));
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
