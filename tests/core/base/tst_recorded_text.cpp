// Sentences of run folders are English; people read them in their language.
#include "core/base/korean_catalogue.h"
#include "core/base/message.h"
#include "core/base/recorded_text.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

namespace {

std::string read(std::string_view english) {
    return recordedText(english, Language::Korean);
}

}  // namespace

class TstRecordedText : public QObject {
    Q_OBJECT

private slots:
    void figuresAndNamesAreKept() {
        const Message message = "The layout needs %1 ranks; the nodes have slots for %2."_text(8, 4);
        QCOMPARE(read(textOf(message)), textOf(message, Language::Korean));
        QCOMPARE(recordedText(textOf(message), Language::English), textOf(message));
    }
    void clausesAreTranslatedToo() {
        const Message clause = "%1 answered %2."_text(std::string("gpu-lab"), 404);
        const Message message = "Waiting for a node. %1"_text(clause);
        QCOMPARE(read(textOf(message)), textOf(message, Language::Korean));
    }
    void severalSentences() {
        const Message first = "%1 answers."_text(std::string("gpu-lab")), second = "Stopped before its restart."_text;
        QCOMPARE(read(textOf(first) + " " + textOf(second)),
                 textOf(first, Language::Korean) + " " + textOf(second, Language::Korean));
    }
    void othersStay_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", "Traceback (most recent call last): x", "loss=3.5", "%1", "a. b. c.", "손실"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }
    void othersStay() {
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(read(text.toStdString())), text);
    }
    // Every sentence of the catalogue with names in its places, but for those that consist of little else than places.
    void theWholeCatalogue() {
        const auto filled = [](std::string_view text) {
            std::string out;
            for (std::size_t i = 0; i < text.size(); ++i) {
                const bool isPlace = text[i] == '%' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9';
                out += isPlace ? std::string("node-") + text[++i] + "x" : std::string(1, text[i]);
            }
            return out;
        };
        QStringList wrong;
        for (const KoreanRow& row : koreanRows())
            if (row.english.ends_with('.') && row.english.size() > 20 && row.english.find("%1%2") == row.english.npos &&
                row.english.find("%2%3") == row.english.npos && read(filled(row.english)) != filled(row.korean))
                wrong << QString::fromStdString(filled(row.english));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }
};

SLIPWAY_TEST(TstRecordedText)
#include "tst_recorded_text.moc"
