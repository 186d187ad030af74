// Near-duplicates: shingles, similarity, and which documents share a band.
#include "core/corpus/min_hash.h"
#include "tests/support/slipway_test.h"

#include <string>

namespace slipway::test {

namespace {

std::string numbered(int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i) text += "word" + std::to_string(i) + ' ';
    return text;
}

}  // namespace

class TstMinHash : public QObject {
    Q_OBJECT

private slots:
    void shinglesAreRunsOfWords() {
        QCOMPARE(shinglesOf("a b c d", 3).size(), std::size_t(2));
        QCOMPARE(shinglesOf("a b a b a", 2).size(), std::size_t(2));  // "a b", "b a": each once
        QCOMPARE(shinglesOf("A  b\nC", 3), shinglesOf(" a b c ", 3));
        QCOMPARE(shinglesOf("a b", 3).size(), std::size_t(1));
        QVERIFY(shinglesOf("a b", 3) != shinglesOf("a b c", 3));
        QVERIFY(shinglesOf(" \n", 3).empty());
    }
    void similarityCountsShingles() {
        QCOMPARE(jaccardSimilarity("a b c d", "a b c e", 2), 0.5);  // 2 of 4
        QCOMPARE(jaccardSimilarity("a b", "c d", 1), 0.0);
        QCOMPARE(jaccardSimilarity("", "", 5), 1.0);
    }
    void findsTheFirstLikeIt() {
        NearDuplicates index({.bands = 14, .rows = 8, .shingleWords = 5}, 1);
        QVERIFY(!index.add(numbered(0, 200)));
        QVERIFY(!index.add(numbered(1000, 1200)));
        QCOMPARE(index.add(numbered(1000, 1201)), std::optional<std::size_t>(1));
        QCOMPARE(index.add(numbered(0, 200)), std::optional<std::size_t>(0));
    }
    /// One row a band is a single hash, which two texts without a common shingle never share.
    void differentTextsShareNothing() {
        NearDuplicates index({.bands = 64, .rows = 1, .shingleWords = 1}, 3);
        QVERIFY(!index.add(numbered(0, 100)));
        QVERIFY(!index.add(numbered(100, 200)));
    }
};

}  // namespace slipway::test

using slipway::test::TstMinHash;
SLIPWAY_TEST(TstMinHash)

#include "tst_min_hash.moc"
