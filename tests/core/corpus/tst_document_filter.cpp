// Which documents are kept, and which limit a rejected one breaks.
#include "core/corpus/document_filter.h"
#include "tests/support/slipway_test.h"

#include <string>

namespace slipway::test {

namespace {

std::string repeated(const std::string& word, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += (i > 0 ? " " : "") + word;
    return text;
}

}  // namespace

class TstDocumentFilter : public QObject {
    Q_OBJECT

private slots:
    void limits_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const std::string& text, const char* reason) {
            QTest::newRow(name) << QString::fromStdString(text) << reason;
        };
        row("empty", "", "length");
        row("49 words", repeated("word", 49), "length");
        row("50 words", repeated("word", 50), "");
        row("100,000 words", repeated("word", 100000), "");
        row("100,001 words", repeated("word", 100001), "length");
        row("two letters", repeated("ab", 50), "mean length");
        row("three letters", repeated("abc", 50), "");
        row("a digit each", repeated("ab1", 50), "letters");
        row("other blanks", repeated("word\n\t", 50), "letters");  // more blanks, fewer letters in a hundred
    }
    void limits() {
        QFETCH(QString, text);
        QFETCH(QString, reason);
        const FilteredDocument found = filterDocument(text.toStdString());
        QCOMPARE(QString::fromUtf8(found.reason.data(), static_cast<int>(found.reason.size())), reason);
        QCOMPARE(found.isKept(), reason.isEmpty());
    }
    void countsLetters() {
        const FilteredDocument found = filterDocument(repeated("word", 50));
        QCOMPARE(found.words, std::int64_t(50));
        QCOMPARE(found.meanWordBytes, 4.0);
        QCOMPARE(found.alphaShare, 200.0 / 249);
    }
};

}  // namespace slipway::test

using slipway::test::TstDocumentFilter;
SLIPWAY_TEST(TstDocumentFilter)

#include "tst_document_filter.moc"
