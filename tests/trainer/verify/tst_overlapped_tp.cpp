// Overlapped tensor parallelism trains as one process does, for every degree, and counts its communication as the plain
// path does.
#include "tests/support/slipway_test.h"
#include "tests/trainer/verify/expert_cases.h"
#include "tests/trainer/verify/parity_suite.h"
#include "trainer/comm/in_process_group.h"

#include <cmath>
#include <mutex>

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

namespace {

RunConfig overlapped(std::int64_t tp, std::int64_t cp, std::int64_t pp, bool grouped, bool tied) {
    WalkedPoint point;
    point.layout.tp = tp;
    point.layout.cp = cp;
    point.layout.pp = pp;
    point.layout.sequenceParallel = true;
    point.numMicroBatches = 2;
    ExtraAxes extra;
    extra.value[1] = tied ? 1 : 0;
    extra.value[2] = grouped ? 1 : 0;
    extra.value[3] = tied ? 1 : 0;
    extra.value[14] = 1;
    return configOf(point, extra);
}

/// Bytes and seconds of the tp group of rank 0 over one step.
CommCounters tpCounters(const RunConfig& config) {
    std::mutex mutex;
    CommCounters counters;
    const RunConfig verified = verifiedConfig(config, false);
    runInProcess(verified.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(verified.parallel, rank, world.maker(rank));
        runRank(verified, mesh, {1, 0, Bug::None});
        const std::lock_guard lock(mutex);
        if (rank == 0) counters = mesh.tp->counters();
    });
    return counters;
}

}  // namespace

class TstOverlappedTp : public QObject {
    Q_OBJECT
private slots:
    void parity_data() {
        QTest::addColumn<int>("tp");
        QTest::addColumn<int>("cp");
        QTest::addColumn<int>("pp");
        QTest::addColumn<bool>("other");
        for (int tp = 2; tp <= 8; ++tp)
            for (const bool other : {false, true})
                QTest::addRow("tp %d%s", tp, other ? ", grouped queries, tied, norms per head" : "")
                    << tp << 1 << 1 << other;
        for (const bool other : {false, true}) {
            QTest::addRow("tp 2, cp 2 %d", other) << 2 << 2 << 1 << other;
            QTest::addRow("tp 4, cp 2 %d", other) << 4 << 2 << 1 << other;
            QTest::addRow("tp 2, pp 2 %d", other) << 2 << 1 << 2 << other;
            QTest::addRow("tp 2, cp 2, pp 2 %d", other) << 2 << 2 << 2 << other;
            QTest::addRow("tp 3, pp 2 %d", other) << 3 << 1 << 2 << other;
        }
    }
    void parity() {
        QFETCH(int, tp);
        QFETCH(int, cp);
        QFETCH(int, pp);
        QFETCH(bool, other);
        const RunConfig config = overlapped(tp, cp, pp, other, other);
        const auto legal = checkVerifiable(config);
        QVERIFY2(legal, legal ? "" : legal.error().text().c_str());
        QVERIFY(config.parallel.asyncTp);
        const VerifyReport report = m_suite.run(config);
        QVERIFY2(report.passed(), report.passed() ? "" : report.failures.front().c_str());
    }
    void latentAttention() {
        for (const std::int64_t tp : {2, 4}) {
            RunConfig config = overlapped(tp, 1, 1, false, tp == 4);
            config.model.qkNorm = false;
            config.model.numLayers = tp == 2 ? 2 : 1;
            useLatentAttention(config);
            const VerifyReport report = m_suite.run(config);
            QVERIFY2(report.passed(), report.passed() ? "" : report.failures.front().c_str());
        }
    }
    // The bytes are those of the collectives; the time in which nothing else runs is booked as before.
    void countsTheSameBytes() {
        RunConfig config = overlapped(4, 1, 1, true, false);
        const CommCounters async = tpCounters(config);
        config.parallel.asyncTp = false;
        const CommCounters plain = tpCounters(config);
        QVERIFY(plain.bytes > 0);
        QVERIFY(std::fabs(async.bytes - plain.bytes) < 1e-9 * plain.bytes);
        QVERIFY(async.calls > plain.calls);
    }

private:
    ParitySuite m_suite;
};
SLIPWAY_TEST(TstOverlappedTp)
#include "tst_overlapped_tp.moc"
