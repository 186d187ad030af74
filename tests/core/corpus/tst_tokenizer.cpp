#include "core/corpus/tokenizer.h"
#include "tests/core/corpus/text_fixture.h"
#include "tests/support/slipway_test.h"

#include <random>
#include <sstream>

using namespace slipway;

namespace {

std::string learn(const std::string& text, std::int64_t vocabSize) {
    std::istringstream in(text);
    const auto model =
        Tokenizer::train([&](std::string& line) { return static_cast<bool>(std::getline(in, line)); }, vocabSize);
    if (!model) qFatal("%s", model.error().text().c_str());
    return *model;
}

}  // namespace

class TstTokenizer : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_model = learn(test::someText(100000), 512); }

    void sameTextSameModel() {
        QVERIFY(learn(test::someText(100000), 512) == m_model);
        QVERIFY(learn(test::someText(100000, 2), 512) != m_model);
    }

    void losesNothing_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("plain") << QByteArray("gratrion con vera");
        QTest::newRow("spaces") << QByteArray("  two  spaces   three ");
        QTest::newRow("lines") << QByteArray("\n\none\n    indented\n\ttab\n");
        QTest::newRow("unseen letters") << QByteArray("ZYX@#$%^&*(){}[]|\\~`");
        QTest::newRow("korean") << QByteArray("한국어 문장입니다.");
        QTest::newRow("emoji") << QByteArray("\xf0\x9f\x98\x80\xf0\x9f\x9a\x80 ok");
        QTest::newRow("digits") << QByteArray("1234567890 12 3.14e-5");
        QTest::newRow("compatibility forms") << QByteArray("ﬁne ① ℃ ＡＢＣ");
        QTest::newRow("a very long word") << QByteArray(10000, 'b');
        QTest::newRow("long without blanks, several bytes each") << QByteArray("한").repeated(3000);
        QTest::newRow("long blanks") << QByteArray(5000, ' ');
    }

    void losesNothing() {
        QFETCH(QByteArray, text);
        Tokenizer tokenizer = *Tokenizer::load(m_model);
        std::vector<std::uint32_t> ids;
        tokenizer.encode(text.toStdString(), ids);
        QVERIFY(!ids.empty());
        for (const std::uint32_t id : ids) QVERIFY(id < tokenizer.vocabSize() && id != Tokenizer::kSeparator);
        QCOMPARE(QByteArray::fromStdString(tokenizer.decode(ids)), text);
    }

    void randomText() {
        Tokenizer tokenizer = *Tokenizer::load(m_model);
        std::mt19937 random(7);
        for (int round = 0; round < 300; ++round) {
            QString text;
            for (unsigned i = random() % 60; i > 0; --i) {
                const unsigned kind = random() % 4;
                if (kind == 0)
                    text += QChar(u' ');
                else if (kind == 1)
                    text += QChar(u'a' + static_cast<char16_t>(random() % 26));
                else if (kind == 2)
                    text += QChar(0xAC00 + static_cast<char16_t>(random() % 11172));
                else
                    text += QChar(0x21 + static_cast<char16_t>(random() % 94));
            }
            const std::string bytes = text.toStdString();
            std::vector<std::uint32_t> ids;
            tokenizer.encode(bytes, ids);
            QCOMPARE(tokenizer.decode(ids), bytes);
        }
    }

    void learnsToCompress() {
        Tokenizer tokenizer = *Tokenizer::load(m_model);
        QCOMPARE(tokenizer.vocabSize(), 512);
        const std::string text = test::someText(20000, 1);
        std::vector<std::uint32_t> ids;
        tokenizer.encode(text, ids);
        QVERIFY2(ids.size() * 2 < text.size(), std::to_string(ids.size()).c_str());
    }

    void refuses() {
        QCOMPARE(Tokenizer::load("rubbish").error().code, std::string("bad_tokenizer"));
        QCOMPARE(Tokenizer::load("").error().code, std::string("bad_tokenizer"));
        const auto none = Tokenizer::train([](std::string&) { return false; }, 512);
        QCOMPARE(none.error().code, std::string("corpus_too_small"));
        bool given = false;
        const auto small = Tokenizer::train(
            [&](std::string& line) {
                line = "a few words";
                return !std::exchange(given, true);
            },
            2048);
        QCOMPARE(small.error().code, std::string("corpus_too_small"));
    }

private:
    std::string m_model;
};

SLIPWAY_TEST(TstTokenizer)
#include "tst_tokenizer.moc"
