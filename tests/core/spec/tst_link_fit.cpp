// Latency and bandwidth from messages of known ones.
#include "core/spec/link_fit.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway {

class TstLinkFit : public QObject {
    Q_OBJECT
private slots:
    void linkOfMessages() {
        const auto timed = [](double bytes) { return TimedMessage{bytes, 50e-6 + bytes / 2e9}; };
        const LinkSpec link = fitLink({timed(1e3), timed(1e5), timed(4e6), {1e6, 0}});
        QVERIFY(std::fabs(link.latencySeconds / 50e-6 - 1) < 1e-9);
        QVERIFY(std::fabs(link.bytesPerSecond / 2e9 - 1) < 1e-9);
        // Larger messages that were faster: the largest one's own speed.
        QCOMPARE(fitLink({{1e3, 2e-3}, {1e6, 1e-3}}).bytesPerSecond, 1e9);
        QCOMPARE(fitLink({}).bytesPerSecond, 0.0);
    }
};

SLIPWAY_TEST(TstLinkFit)

}  // namespace slipway

#include "tst_link_fit.moc"
