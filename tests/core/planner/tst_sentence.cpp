#include "core/planner/sentence.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstSentence : public QObject {
    Q_OBJECT
private slots:
    void partsTakeTheirPlaces_data() {
        QTest::addColumn<QString>("said");
        QTest::addColumn<QString>("expected");
        const auto row = [](const Sentence& sentence, const char* expected) {
            QTest::newRow(expected) << QString::fromStdString(textOf(sentence)) << expected;
        };
        row("definition", "definition");
        row({"%2 of %1, %2", {std::string("four"), std::string("two")}}, "two of four, two");
        row({"by %1", {Sentence("the curve of %1 ranks", {std::string("8")})}}, "by the curve of 8 ranks");
        // Names are not looked into, and a place without a part stays.
        row({"50 % of %1%", {std::string("%1 %2")}}, "50 % of %1 %2%");
        row({"%1 %2", {std::string("one")}}, "one %2");
    }
    void partsTakeTheirPlaces() {
        QFETCH(QString, said);
        QFETCH(QString, expected);
        QCOMPARE(said, expected);
    }

    void sentencesFollowEachOther() {
        QCOMPARE(textOf(std::vector<Sentence>{}), std::string());
        QCOMPARE(textOf(std::vector<Sentence>{"one", std::string("two %1"), {"%1", {std::string("three")}}}),
                 std::string("one; two %1; three"));
    }
};

SLIPWAY_TEST(TstSentence)
#include "tst_sentence.moc"
