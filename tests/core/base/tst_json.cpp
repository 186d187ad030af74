#include "core/base/json.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <random>

using namespace slipway;

class TstJson : public QObject {
    Q_OBJECT
private slots:
    void refusals_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("where");
        QTest::newRow("syntax") << QByteArray("{\n  \"a\": ,\n}") << "json_syntax"
                                << "f:2:8";
        QTest::newRow("trailing") << QByteArray("{} x") << "json_syntax"
                                  << "f:1:4";
        QTest::newRow("empty") << QByteArray("") << "json_syntax"
                               << "";
        QTest::newRow("repeated key") << QByteArray("{\"a\":1,\"b\":{\"a\":1},\"a\":2}") << "json_repeated_key"
                                      << "f";
        QTest::newRow("comment") << QByteArray("{} // c") << "json_syntax"
                                 << "";
        QTest::newRow("deep array") << QByteArray(200000, '[') << "json_too_deep"
                                    << "f";
        QTest::newRow("65 objects") << QByteArray("{\"a\":").repeated(65) + "1" + QByteArray(65, '}') << "json_too_deep"
                                    << "f";
        QTest::newRow("bad utf-8") << QByteArray("{\"a\":\"\xff\"}") << "json_syntax"
                                   << "";
        QTest::newRow("huge number") << QByteArray("[1e999]") << "json_syntax"
                                     << "";
    }
    void refusals() {
        QFETCH(QByteArray, text);
        QFETCH(QString, code);
        QFETCH(QString, where);
        const auto parsed = parseJson(text.toStdString(), "f");
        QVERIFY(!parsed);
        QCOMPARE(QString::fromStdString(parsed.error().code), code);
        QVERIFY(!parsed.error().message.empty());
        if (!where.isEmpty()) QCOMPARE(QString::fromStdString(parsed.error().where), where);
    }
    void sixtyFourLevelsAreFine() {
        const std::string text = std::string(64, '[') + std::string(64, ']');
        QVERIFY(parseJson(text, "f"));
    }
    void keysKeepTheirOrder() {
        QCOMPARE(dumpJson(*parseJson("{\"z\":1,\"a\":2}", "f"), false), std::string("{\"z\":1,\"a\":2}"));
    }
    void nonFiniteNumbersAreStrings() {
        QCOMPARE(dumpJson(jsonNumber(std::nan("")), false), std::string("\"nan\""));
        QCOMPARE(dumpJson(jsonNumber(-INFINITY), false), std::string("\"-inf\""));
        QVERIFY(std::isnan(*numberFromJson("nan", "x")));
        QCOMPARE(*numberFromJson("inf", "x"), static_cast<double>(INFINITY));
        QVERIFY(!numberFromJson("nano", "x"));
        QVERIFY(!numberFromJson(true, "x"));
        for (const double value : {0.1, 1e-320, 1.7976931348623157e308, -0.0})
            QCOMPARE(parseJson(dumpJson(jsonNumber(value), false), "f")->get<double>(), value);
    }
    void nothingSteersATerminal() {
        const std::string hostile = "\x1b[2J \x7f \xC2\x9B \xE2\x80\xAE \xE2\x81\xA6 \xD8\x9C 가 \xC2\xA0";
        const std::string text = dumpJson(Json{{"name", hostile}}, false);
        QCOMPARE(text, std::string("{\"name\":\"\\u001b[2J \\u007f \\u009b \\u202e \\u2066 \\u061c 가 \xC2\xA0\"}"));
        QCOMPARE(parseJson(text, "f")->at("name").get<std::string>(), hostile);
    }
    void nearestKeyHelps() {
        const std::vector<std::string> known{"micro_batch_size", "global_batch_size", "tp", "pp"};
        QCOMPARE(nearestKey("micro_batchsize", known), std::string("micro_batch_size"));
        QCOMPARE(nearestKey("tq", known), std::string("tp"));
        QCOMPARE(nearestKey("entirely_different", known), std::string());
    }
    void randomBytesNeverCrash() {
        std::mt19937 random(7);
        const std::string alphabet = "{}[]\",:0123456789.eE+-truefalsn \\u\n\xff\x80";
        int accepted = 0;
        for (int i = 0; i < 20000; ++i) {
            std::string text;
            for (std::size_t n = random() % 40; n > 0; --n) text += alphabet[random() % alphabet.size()];
            const auto parsed = parseJson(text, "f");
            if (!parsed) continue;
            ++accepted;
            // What was accepted can be written and read again.
            QCOMPARE(dumpJson(*parseJson(dumpJson(*parsed, false), "f"), false), dumpJson(*parsed, false));
        }
        QVERIFY(accepted > 0);
    }
};
SLIPWAY_TEST(TstJson)
#include "tst_json.moc"
