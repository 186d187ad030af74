#include "core/base/untrusted_text.h"
#include "core/base/utf8.h"
#include "tests/support/slipway_test.h"

#include <functional>
#include <random>

using namespace slipway;

class TstUntrustedText : public QObject {
    Q_OBJECT

    using Writer = std::string (UntrustedText::*)() const;
    static void rows(Writer writer, std::initializer_list<std::tuple<const char*, const char*, const char*>> cases) {
        for (const auto& [name, text, expected] : cases) {
            const std::string written = (UntrustedText(text).*writer)();
            QVERIFY2(written == expected, (std::string(name) + ": " + written).c_str());
        }
    }

private slots:
    void plain() {
        rows(&UntrustedText::plain,
             {{"escape", "a\x1b[2Jb", "a<U+001B>[2Jb"},
              {"bell, delete", "a\x07\x7f", "a<U+0007><U+007F>"},
              {"C1",
               "a\xC2\x9B"
               "31m",
               "a<U+009B>31m"},
              {"override",
               "a\xE2\x80\xAE"
               "b",
               "a<U+202E>b"},
              {"isolate", "\xE2\x81\xA6", "<U+2066>"},
              {"marks", "\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C", "<U+200E><U+200F><U+061C>"},
              {"line breaks",
               "a\r\nb\nc\rd\xC2\x85"
               "e\xE2\x80\xA8"
               "f\xE2\x80\xA9g",
               "a b c d e f g"},
              {"tab", "a\tb", "a b"},
              {"not UTF-8", "a\xFF\xC3", "a\xEF\xBF\xBD\xEF\xBF\xBD"},
              {"surrogate", "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
              {"overlong escape", "\xC0\x9B[2J", "\xEF\xBF\xBD\xEF\xBF\xBD[2J"},
              {"figures",
               "\xE2\x88\x92"
               "5\xE2\x80\xAFms",
               "\xE2\x88\x92"
               "5\xE2\x80\xAFms"},
              {"other scripts", "병렬 구성 é 👩‍🔬 עברית", "병렬 구성 é 👩‍🔬 עברית"},
              {"markup", "<b>x</b>", "<b>x</b>"}});
        QCOMPARE(UntrustedText(std::string_view("a\0b", 3)).plain(), std::string("a<U+0000>b"));
        QCOMPARE(UntrustedText("a\r\nb\x1b\tc").plainLines(), std::string("a\nb<U+001B>\tc"));
    }

    void terminal() {
        rows(&UntrustedText::terminal, {{"figures",
                                         "\xE2\x88\x92"
                                         "5\xE2\x80\xAFms",
                                         "-5 ms"},
                                        {"escape", "\x1b]0;title\x07", "<U+001B>]0;title<U+0007>"}});
        QCOMPARE(UntrustedText("\xE2\x88\x92"
                               "5\na")
                     .terminalLines(),
                 std::string("-5\na"));
        QCOMPARE(UntrustedText("a\tb\nc").terminalLines(), std::string("a b\nc"));
    }

    void html() {
        rows(&UntrustedText::html, {{"element", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
                                    {"attribute", "\" onload='x'", "&quot; onload=&#39;x&#39;"},
                                    {"entity", "a&amp;b", "a&amp;amp;b"},
                                    {"control characters", "a\x1b[31m", "a&lt;U+001B&gt;[31m"},
                                    {"other scripts", "병렬 · τ", "병렬 · τ"}});
    }

    void markdown() {
        rows(&UntrustedText::markdown, {{"table", "a|b", "a\\|b"},
                                        {"image", "![x](/a/b.png)", "\\!\\[x\\](/a/b.png)"},
                                        {"address", "http://a.b/c", "http\\://a.b/c"},
                                        {"address without scheme", "see WWW.a.b", "see WWW\\.a.b"},
                                        {"mail", "mailto:a@b.c", "mailto\\:a\\@b.c"},
                                        {"html", "<img src=x>", "\\<img src=x\\>"},
                                        {"heading", "# b", "\\# b"},
                                        {"second line", "a\n# b", "a \\# b"},
                                        {"list", "- a", "\\- a"},
                                        {"numbered list", "12. a", "12\\. a"},
                                        {"rule", "---", "\\---"},
                                        {"dash", "-", "-"},
                                        {"code block", "    a", "a"},
                                        {"figures",
                                         "\xE2\x88\x92"
                                         "5\xE2\x80\xAFms (2.5 %)",
                                         "-5 ms (2.5 %)"},
                                        {"version", "1.5 a", "1.5 a"},
                                        {"direction",
                                         "\xE2\x80\xAE"
                                         "a",
                                         "\\<U+202E\\>a"}});
    }

    void csv() {
        rows(&UntrustedText::csv, {{"plain", "TP 2", "TP 2"},
                                   {"formula", "=1+1", "'=1+1"},
                                   {"plus", "+1", "'+1"},
                                   {"minus", "-cmd", "'-cmd"},
                                   {"at", "@SUM(A1)", "'@SUM(A1)"},
                                   {"behind a tab", "\t=1", "' =1"},
                                   {"full-width", "＝1", "'＝1"},
                                   {"quotes and comma", "a \"b\", c", "\"a \"\"b\"\", c\""},
                                   {"formula with quotes", "=\"x\"", "\"'=\"\"x\"\"\""},
                                   {"second line", "a\n=1", "a =1"}});
    }

    void tsv() {
        rows(&UntrustedText::tsv, {{"formula", "=1+1", "'=1+1"},
                                   {"command", "-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"},
                                   {"reference", "+A1", "'+A1"},
                                   {"tab", "a\t=b", "a =b"},
                                   {"figure", "-5.2 %", "-5.2 %"},
                                   {"typographic minus",
                                    "\xE2\x88\x92"
                                    "5\xE2\x80\xAFms",
                                    "\xE2\x88\x92"
                                    "5\xE2\x80\xAFms"},
                                   {"dash", "-", "-"}});
    }

    // Whatever bytes come in, every writer's text is valid UTF-8 without anything that steers.
    void nothingSteersAfterAnyBytes() {
        std::mt19937 random(20261123);
        static constexpr char kPool[] =
            "\x1b[m\x00\x7f\xC2\x9B\x85\xE2\x80\xAE\x8F\xA8\x81\xA6\xD8\x9C\xF0\x9F\xFF"
            "a<&|=\n\r\t-. 1@";
        const std::string pool(kPool, sizeof kPool - 1);
        const std::vector<Writer> writers{
            &UntrustedText::plain, &UntrustedText::plainLines, &UntrustedText::terminal, &UntrustedText::terminalLines,
            &UntrustedText::html,  &UntrustedText::markdown,   &UntrustedText::csv,      &UntrustedText::tsv};
        for (int i = 0; i < 20000; ++i) {
            std::string text;
            for (unsigned n = random() % 12; n > 0; --n) text += pool[random() % pool.size()];
            for (const Writer writer : writers) {
                const std::string written = (UntrustedText(text).*writer)();
                const bool lines = writer == &UntrustedText::plainLines || writer == &UntrustedText::terminalLines;
                for (std::size_t at = 0; at < written.size();) {
                    QVERIFY(utf8Length(written, at) > 0);
                    const char32_t c = nextCodePoint(written, at);
                    QVERIFY((c >= 0x20 && c < 0x7F) || c >= 0xA0 || (lines && (c == '\n' || c == '\t')));
                    QVERIFY(c != 0x061C && (c < 0x200E || c > 0x200F) && (c < 0x2028 || c > 0x202E) &&
                            (c < 0x2066 || c > 0x2069));
                }
                const std::string again = (UntrustedText(written).*(lines ? writer : &UntrustedText::plain))();
                QCOMPARE(again, written);
            }
        }
    }

    void names() {
        QVERIFY(checkName("병렬 \xE2\x80\xAE name\nof two lines", "name"));  // shown as marks, never refused for them
        QVERIFY(checkName(std::string(200, 'a'), "name"));
        std::string korean;
        for (int i = 0; i < 200; ++i) korean += "가";
        QVERIFY(checkName(korean, "name"));
        const auto longer = checkName(korean + "가", "name");
        QVERIFY(!longer);
        QCOMPARE(longer.error().code, std::string("bad_name"));
        QCOMPARE(longer.error().message, std::string("name has 201 characters; shorten it to 200."));
        QCOMPARE(checkName(std::string_view("a\0b", 3), "tag").error().message,
                 std::string("tag must not contain a NUL character."));
        QCOMPARE(checkName("\xC3(", "name").error().message, std::string("name must be text in UTF-8."));
        QVERIFY(checkText(std::string(100000, 'a'), "notes"));
        QVERIFY(!checkText(std::string_view("\0", 1), "notes"));
    }

    void namesInFilesAreRepaired() {
        QCOMPARE(repairedName("short\x1b"), std::string("short\x1b"));  // the writers show it
        QCOMPARE(repairedName(std::string_view("a\0\xFF"
                                               "b",
                                               4)),
                 std::string("a��b"));
        std::string korean;
        for (int i = 0; i < 300; ++i) korean += "가";
        QCOMPARE(repairedName(korean), korean.substr(0, 199 * 3) + "…");
        QCOMPARE(repairedName(korean.substr(0, 600)), korean.substr(0, 600));
        QVERIFY(checkName(repairedName(std::string(1000, '\xFF')), "name"));
        QCOMPARE(countCodePoints(repairedName(std::string(1000, '\xFF'))), kLongestName);
    }
};

SLIPWAY_TEST(TstUntrustedText)
#include "tst_untrusted_text.moc"
