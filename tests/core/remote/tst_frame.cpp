#include "core/remote/frame.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;

namespace {

std::string lengths(std::uint32_t header, std::uint32_t data) {
    std::string out;
    for (const std::uint32_t value : {header, data})
        for (const unsigned shift : {24U, 16U, 8U, 0U}) out.push_back(static_cast<char>(value >> shift & 0xFFU));
    return out;
}

std::string nested(int depth) {
    return R"({"a":)" + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
}

}  // namespace

class TstFrame : public QObject {
    Q_OBJECT

private slots:
    void comesBackHoweverItIsCut_data() {
        QTest::addColumn<int>("piece");
        for (const int piece : {1, 3, 7, 8, 9, 100, 1 << 20}) QTest::addRow("%d", piece) << piece;
    }
    void comesBackHoweverItIsCut() {
        QFETCH(int, piece);
        std::string bytes(1000, '\0');
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
        std::string stream;
        for (int i = 0; i < 20; ++i)
            stream += encodeFrame(Json{{"id", i}, {"text", "한국어\n"}},
                                  std::string_view(bytes).substr(0, 50U * static_cast<unsigned>(i)));
        FrameReader reader;
        int next = 0;
        for (std::size_t at = 0; at < stream.size(); at += static_cast<std::size_t>(piece)) {
            reader.add(std::string_view(stream).substr(at, static_cast<std::size_t>(piece)));
            for (;;) {
                const auto frame = reader.next();
                QVERIFY(frame);
                if (!*frame) break;
                QCOMPARE((*(*frame)->header)["id"].get<int>(), next);
                QVERIFY((*frame)->data == bytes.substr(0, 50U * static_cast<unsigned>(next)));
                ++next;
            }
        }
        QCOMPARE(next, 20);
        QCOMPARE(reader.size(), std::size_t(0));
    }

    void refuses_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("code");
        const auto row = [](const char* name, const std::string& bytes, const char* code) {
            QTest::newRow(name) << QByteArray(bytes.data(), static_cast<int>(bytes.size())) << code;
        };
        const auto framed = [](const std::string& text) {
            return lengths(static_cast<std::uint32_t>(text.size()), 0) + text;
        };
        row("a header above its limit", lengths(kMaxFrameHeaderBytes + 1, 0), "frame_too_large");
        row("data above the limit", lengths(2, kMaxFrameBytes), "frame_too_large");
        row("lengths whose sum overflows", lengths(0xFFFFFFFFU, 0xFFFFFFFFU), "frame_too_large");
        row("no JSON", framed("hello"), "bad_frame");
        row("no object", framed("[1]"), "bad_frame");
        row("nothing", framed(""), "bad_frame");
        row("bytes that are not UTF-8", framed("{\"a\":\"\xff\"}"), "bad_frame");
        row("deeper than 64", framed(nested(64)), "bad_frame");
        row("a shell's greeting", "Welcome to node 7, the time is 12:00\n", "frame_too_large");
    }
    void refuses() {
        QFETCH(QByteArray, bytes);
        FrameReader reader;
        reader.add(bytes.toStdString());
        const auto frame = reader.next();
        QVERIFY(!frame);
        QTEST(QString::fromStdString(frame.error().code), "code");
        reader.add(encodeFrame(Json{{"id", 1}}));
        QVERIFY2(!reader.next(), "nothing tells where the next one begins");
    }
    void takesUpToTheLimits() {
        FrameReader reader;
        reader.add(lengths(0, 0) + nested(63));  // lengths are put right below
        reader = FrameReader();
        const std::string text = nested(63);
        reader.add(lengths(static_cast<std::uint32_t>(text.size()), 0) + text);
        const auto deep = reader.next();
        QVERIFY(deep && *deep);
        const std::string data(kMaxFrameBytes - 8 - 2, 'x');
        reader.add(encodeFrame(Json::object(), data));
        const auto large = reader.next();
        QVERIFY(large && *large);
        QCOMPARE((*large)->data.size(), data.size());
    }

    void findsTheGreeting_data() {
        QTest::addColumn<QString>("before");
        QTest::newRow("quiet") << "";
        QTest::newRow("a banner") << "Welcome!\nQuota: 80 %\n";
        QTest::newRow("a prompt without a line end") << "user@node> ";
        QTest::newRow("the word of another") << "slipway-agent 00ff\nslipway-agent\n";
    }
    void findsTheGreeting() {
        QFETCH(QString, before);
        Greeting greeting("abc1");
        const std::string stream = before.toStdString() + "slipway-agent-missing abc1\nslipway-agent abc1\nREST";
        Greeting::Found last = Greeting::Found::Nothing;
        bool wasMissing = false;
        for (const char c : stream) {
            if (last == Greeting::Found::Agent) break;
            const auto found = greeting.add({&c, 1});
            QVERIFY(found);
            wasMissing = wasMissing || *found == Greeting::Found::AgentMissing;
            last = *found;
        }
        QVERIFY(wasMissing);
        QCOMPARE(last, Greeting::Found::Agent);
        Greeting whole("abc1");
        const auto found = whole.add(stream);
        QVERIFY(found && *found == Greeting::Found::Agent);
        QCOMPARE(whole.takeRest(), std::string("REST"));
    }
    void doesNotListenForEver() {
        Greeting greeting("abc1");
        bool refused = false;
        for (int i = 0; i < 100 && !refused; ++i) {
            const auto found = greeting.add(std::string(1000, i % 2 == 0 ? 'x' : '\n'));
            refused = !found;
        }
        QVERIFY(refused);
    }
};

SLIPWAY_TEST(TstFrame)
#include "tst_frame.moc"
