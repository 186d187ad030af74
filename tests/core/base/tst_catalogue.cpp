#include "core/base/message.h"
#include "tests/support/slipway_test.h"

#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <algorithm>

using namespace slipway;

// translations/korean.inc has a row for every text of core and app with the suffix _text, and no other.
// UPDATE_GOLDEN=1 writes the rows anew: a new text gets an empty one, which the test names until it is filled in.
class TstCatalogue : public QObject {
    Q_OBJECT

    static constexpr const char* kLiteral = "\"(?:[^\"\\\\]|\\\\.)*\"";

    static QString read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    static QString path() { return QStringLiteral(SLIPWAY_SOURCE_DIR "/translations/korean.inc"); }

    /// The literals of a source with the suffix, as they are written there; neighbouring literals are one.
    static QStringList textsOf(QString source) {
        static const QRegularExpression comment(QStringLiteral("^\\s*//.*$"), QRegularExpression::MultilineOption);
        static const QRegularExpression literal(QString::fromLatin1(kLiteral));
        static const QRegularExpression marked(QStringLiteral("(%1(?:\\s*%1)*)_text\\b").arg(kLiteral));
        source.remove(comment);
        QStringList texts;
        for (auto match = marked.globalMatch(source); match.hasNext();) {
            QString text;
            const QString literals = match.next().captured(1);
            for (auto part = literal.globalMatch(literals); part.hasNext();)
                text += part.next().captured().chopped(1).mid(1);
            if (!text.isEmpty()) texts << text;
        }
        return texts;
    }

    static QSet<QString> textsOfSources() {
        QSet<QString> texts;
        for (const char* folder : {"core", "app"}) {
            QDirIterator files(QStringLiteral(SLIPWAY_SOURCE_DIR "/") + folder,
                               {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext())
                for (const QString& text : textsOf(read(files.next()))) texts << text;
        }
        return texts;
    }

    static QMap<QString, QString> rows() {
        static const QRegularExpression row(QStringLiteral("\\{(%1),\\s*(%1)\\}").arg(kLiteral));
        QMap<QString, QString> rows;
        for (auto match = row.globalMatch(read(path())); match.hasNext();) {
            const auto found = match.next();
            rows[found.captured(1).chopped(1).mid(1)] = found.captured(2).chopped(1).mid(1);
        }
        return rows;
    }

    static QSet<QString> placesOf(const QString& text) {
        static const QRegularExpression place(QStringLiteral("%[1-9]"));
        QSet<QString> places;
        for (auto match = place.globalMatch(text); match.hasNext();) places << match.next().captured();
        return places;
    }

private slots:
    void initTestCase() {
        if (!qEnvironmentVariableIsSet("UPDATE_GOLDEN")) return;
        const QMap<QString, QString> old = rows();
        const QSet<QString> texts = textsOfSources();
        QList<QByteArray> lines;
        for (const QString& text : texts)
            lines << QStringLiteral("{\"%1\", \"%2\"},\n").arg(text, old.value(text)).toUtf8();
        // The order of the text's bytes, where an escaped quote is the quote alone.
        std::sort(lines.begin(), lines.end(), [](const QByteArray& a, const QByteArray& b) {
            const auto key = [](QByteArray line) {
                return line.left(line.indexOf("\", \"")).replace("\\\"", "\"").replace("\\n", "\n");
            };
            return key(a) < key(b);
        });
        const QString whole = read(path());
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(whole.left(whole.indexOf(QChar('\n')) + 1).toUtf8());
        for (const QByteArray& line : lines) file.write(line);
    }

    void literalsAreFound() {
        const QString source = QStringLiteral(
            "f(\"one %1\"_text(x), \"two \\\"\"\n    \"parts\"_text);  g(\"code\");\n// \"none\"_text\n");
        QCOMPARE(textsOf(source), (QStringList{"one %1", "two \\\"parts"}));
    }

    void everyTextHasARow() {
        const QSet<QString> texts = textsOfSources();
        const QMap<QString, QString> korean = rows();
        QVERIFY(texts.size() > 500);
        QStringList missing, leftOver;
        for (const QString& text : texts)
            if (korean.value(text).isEmpty()) missing << text;
        for (const QString& text : korean.keys())
            if (!texts.contains(text)) leftOver << text;
        missing.sort();
        QVERIFY2(missing.isEmpty(), qPrintable("not in korean.inc:\n" + missing.join("\n")));
        QVERIFY2(leftOver.isEmpty(), qPrintable("in korean.inc alone:\n" + leftOver.join("\n")));
    }

    // A sentence of an error that is not marked reaches a Korean reader in English. Rejected rows of validation tables are
    // counted by their reason and shown in English files.
    void errorsAreMarked() {
        static const QRegularExpression plain(
            QStringLiteral("\\bfail\\(\"[a-z0-9_]+\",\\s*(?:std::string\\()?%1(?!_text|\\s*\")").arg(kLiteral));
        QStringList found;
        QDirIterator files(QStringLiteral(SLIPWAY_SOURCE_DIR "/core"), {QStringLiteral("*.cpp")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString name = files.next();
            if (name.contains(QStringLiteral("/planner/evidence/"))) continue;
            const QString source = read(name);
            for (auto match = plain.globalMatch(source); match.hasNext();)
                found << name + ": " + match.next().captured();
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));
    }

    // The command line speaks to people in their language: a literal of several words is marked, or a name.
    void commandsAreMarked() {
        static const QRegularExpression comment(QStringLiteral("(^|\\s)//.*$"), QRegularExpression::MultilineOption);
        static const QRegularExpression marked(QStringLiteral("%1(?:\\s*%1)*_text\\b").arg(kLiteral));
        static const QRegularExpression literal(QString::fromLatin1(kLiteral));
        static const QRegularExpression words(QStringLiteral("[A-Za-z]{2,} [A-Za-z]{2,}"));
        // Lines to type, names and sources of files, filters, marks in sentences of CLI11.
        static const QRegularExpression name(QStringLiteral(
            "^\"(slipway|llama dp|Google TPU|given MFU|config of|Step Law|DeepSeek LLM|Kaplan 2020|experimental: |"
            "status:failed|not tp:2| is required|Could not convert: | requires | excludes )"));
        QStringList found;
        QDirIterator files(QStringLiteral(SLIPWAY_SOURCE_DIR "/app/cli"), {QStringLiteral("*.cpp")}, QDir::Files);
        while (files.hasNext()) {
            const QString path = files.next();
            if (path.endsWith(QStringLiteral("completion_command.cpp"))) continue;  // scripts for shells
            const QString source = read(path).remove(comment).remove(marked);
            for (auto match = literal.globalMatch(source); match.hasNext();) {
                const QString text = match.next().captured();
                if (text.contains(words) && !text.contains(name)) found << path + ": " + text;
            }
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));
    }

    void placesAreTheSame() {
        QStringList wrong;
        const QMap<QString, QString> korean = rows();
        for (auto row = korean.begin(); row != korean.end(); ++row)
            if (placesOf(row.key()) != placesOf(row.value())) wrong << row.key();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }

    // docs/glossary.md decides the words of both catalogues: where the English has a term, the Korean has one of its words.
    void wordsAreThoseOfTheGlossary() {
        static const QRegularExpression row(QStringLiteral("^\\| ([^|]+) \\| ([^|]+) \\|$"),
                                            QRegularExpression::MultilineOption);
        static const QRegularExpression message(
            QStringLiteral("<source>([^<]*)</source>.*?<translation[^>]*>(.*?)</translation>"),
            QRegularExpression::DotMatchesEverythingOption);
        // Keys, options, paths and code are the same in both languages.
        static const QRegularExpression code(QStringLiteral("`[^`]*`|--?[a-z-]+|[a-z0-9]*[_./=][a-z0-9_./=,]+"));
        QList<std::pair<QString, QString>> texts;
        const QMap<QString, QString> korean = rows();
        for (auto one = korean.begin(); one != korean.end(); ++one) texts.emplace_back(one.key(), one.value());
        const QString window = read(QStringLiteral(SLIPWAY_SOURCE_DIR "/translations/slipway_ko.ts"));
        for (auto match = message.globalMatch(window); match.hasNext();) {
            const auto found = match.next();
            texts.emplace_back(found.captured(1), found.captured(2));
        }
        const QString glossary = read(QStringLiteral(SLIPWAY_SOURCE_DIR "/docs/glossary.md"));
        int terms = 0;
        QStringList wrong;
        for (auto match = row.globalMatch(glossary); match.hasNext();) {
            const auto found = match.next();
            if (found.captured(1) == QStringLiteral("English") || found.captured(1).startsWith(QChar('-'))) continue;
            ++terms;
            const QRegularExpression term(
                QStringLiteral("(?<![\\w-])%1s?(?![\\w-])").arg(QRegularExpression::escape(found.captured(1))),
                QRegularExpression::CaseInsensitiveOption);
            const QStringList words = found.captured(2).split(QStringLiteral(", "));
            for (const auto& [english, translation] : texts)
                if (QString(english).remove(code).contains(term) &&
                    std::none_of(words.begin(), words.end(), [&](const QString& w) { return translation.contains(w); }))
                    wrong << found.captured(1) + ": " + english + " => " + translation.trimmed();
        }
        QVERIFY(terms >= 60 && texts.size() > 2000);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }

    // Turns of phrase that no text needs (CONTRIBUTING.md, "Write a text"): each has a plain word.
    void textsArePlain() {
        static const QRegularExpression turn(
            QStringLiteral(
                "\\b(anew|goes on|stands? (in|there|here|beside|behind|on|for|where|twice)|lies|what may vary|no whole|"
                "this is no|that is no|dealt|as it looks|for ever|says nothing|gathers again|which is told)\\b"),
            QRegularExpression::CaseInsensitiveOption);
        QStringList wrong;
        for (const QString& text : rows().keys())
            if (const auto match = turn.match(text); match.hasMatch()) wrong << match.captured() + ": " + text;
        static const QRegularExpression source(QStringLiteral("<source>([^<]*)</source>"));
        const QString window = read(QStringLiteral(SLIPWAY_SOURCE_DIR "/translations/slipway_ko.ts"));
        for (auto found = source.globalMatch(window); found.hasNext();) {
            const QString text = found.next().captured(1);
            if (const auto match = turn.match(text); match.hasMatch()) wrong << match.captured() + ": " + text;
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }

    // A row without Korean letters holds names and symbols only.
    void rowsAreKorean() {
        static const QRegularExpression hangul(QStringLiteral("[가-힣]")), sentence(QStringLiteral("[a-z]+ [a-z]+"));
        QStringList english;
        const QMap<QString, QString> korean = rows();
        for (auto row = korean.begin(); row != korean.end(); ++row)
            if (!row.value().contains(hangul) && row.key().contains(sentence)) english << row.key();
        QVERIFY2(english.isEmpty(), qPrintable(english.join("\n")));
    }
};

SLIPWAY_TEST(TstCatalogue)
#include "tst_catalogue.moc"
