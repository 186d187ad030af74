#include "core/base/hash.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstHash : public QObject {
    Q_OBJECT

private slots:
    void namesTexts() {
        // Vectors of draft-eastlake-fnv, appendix C.
        QCOMPARE(fnv1a(""), quint64(0xcbf29ce484222325));
        QCOMPARE(fnv1a("a"), quint64(0xaf63dc4c8601ec8c));
        QCOMPARE(fnv1a("foobar"), quint64(0x85944171f73967e8));
    }

    void storedNamesStay() { QCOMPARE(hashText("slipway"), std::string("628066e01dd6a214")); }

    void drawsLikeSplitMix64() {
        // The first outputs of the reference (Vigna, splitmix64.c) from seed 1234567.
        std::uint64_t state = 1234567;
        for (const quint64 expected : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U}) {
            QCOMPARE(quint64(splitMix64(state)), expected);
            state += kSplitMix64Step;
        }
    }
};

SLIPWAY_TEST(TstHash)
#include "tst_hash.moc"
