#include "core/base/message.h"
#include "core/base/result.h"
#include "tests/support/slipway_test.h"

#include <type_traits>

using namespace slipway;

// Only a literal is a source of translations, and only a typed value its argument.
static_assert(!std::is_constructible_v<SourceText, std::string> && !std::is_constructible_v<SourceText, const char*>);
static_assert(!std::is_constructible_v<Message, std::string> && !std::is_constructible_v<Message, const char*>);

class TstMessage : public QObject {
    Q_OBJECT
private slots:
    void argumentsTakeTheirPlaces_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const Message& message, const char* expected) {
            QTest::newRow(expected) << QString::fromStdString(textOf(message)) << QString::fromUtf8(expected);
        };
        const std::string four = "four";
        row("%1: %2"_text(four, std::string_view("two")), "four: two");
        row("%1, %2"_text("%1: %2"_text(8, four), "latency"_text), "8: four, latency");
        // Names are not searched for places, and a place without an argument remains.
        row("%1: %2"_text(std::string("50 %2")), "50 %2: %2");
        row("%1, %2"_text(Seconds{90.0 * 3600}, ShortCount{8.03e9}), "3 d 18 h, 8.03 B");
        row(Message::name("%1"), "%1");
        row(listOf({}), "");
        row(listOf({"runs"_text, Message::name("b"), "steps"_text}), "runs, b, steps");
    }
    void argumentsTakeTheirPlaces() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(QString(text).replace(QChar(0x202F), ' '), expected);
    }

    void inKorean() {
        const Message message = "%1: %2"_text("Link between nodes"_text, "bandwidth"_text);
        QCOMPARE(textOf(message), std::string("Link between nodes: bandwidth"));
        QCOMPARE(textOf(message, Language::Korean), std::string("노드 간 링크: 대역폭"));
        QCOMPARE(textOf("%1, %2"_text(Seconds{(2 * 24.0 + 7) * 3600}, ShortCount{10400}), Language::Korean),
                 std::string("2일 7시간, 1.04만"));
        QCOMPARE(textOf(Message::name("runs"), Language::Korean), std::string("runs"));
    }

    void pluralForms() {
        QVERIFY(plural(1, "runs"_text, "steps"_text) == "runs");
        QVERIFY(plural(0, "runs"_text, "steps"_text) == "steps");
        QVERIFY(plural(2, "runs"_text, "steps"_text) == "steps");
    }

    void languagesOfLocales() {
        for (const char* korean : {"ko", "ko_KR", "ko_KR.UTF-8", "ko.UTF-8"})
            QVERIFY2(languageOf(korean) == Language::Korean, korean);
        for (const char* english : {"", "C", "C.UTF-8", "en_US.UTF-8", "kok_IN", "POSIX"})
            QVERIFY2(languageOf(english) == Language::English, english);
    }

    void errorsInBothLanguages() {
        const Result<int> marked = fail("x", "%1: %2"_text("latency"_text, 3), "here"),
                          plain = fail("x", "words", "here");
        QCOMPARE(marked.error().message, std::string("latency: 3"));
        QCOMPARE(marked.error().text(), std::string("here: latency: 3"));
        QCOMPARE(marked.error().text(Language::Korean), std::string("here: 지연 시간: 3"));
        QCOMPARE(plain.error().text(Language::Korean), std::string("here: words"));
        const Issue issue = issueOf(Severity::Error, "x", "parallel.tp", "latency"_text);
        QCOMPARE(issue.message, std::string("latency"));
        QCOMPARE(issue.inLanguage(Language::Korean), std::string("지연 시간"));
    }
};

SLIPWAY_TEST(TstMessage)
#include "tst_message.moc"
