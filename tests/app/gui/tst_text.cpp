#include "app/gui/text/language.h"
#include "app/gui/text/text.h"
#include "tests/support/slipway_test.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace slipway;
using namespace slipway::gui;

// Every code, key and string of the window has its words, in both languages.
class TstText : public QObject {
    Q_OBJECT

private slots:
    void statusesHaveText() {
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        for (const RunStatus status : {RunStatus::Planned, RunStatus::Queued, RunStatus::Running, RunStatus::Completed,
                                       RunStatus::Failed, RunStatus::Cancelled, RunStatus::Lost})
            QVERIFY2(statusText(status) != QString::fromStdString(wordOf(status)), wordOf(status).c_str());
        QCOMPARE(statusText("skipped"), QStringLiteral("건너뜀"));
        QCOMPARE(fieldLabel("parallel.tp"), QStringLiteral("텐서 병렬(tp)"));
        const Issue issue =
            issueOf(Severity::Error, "type_mismatch", "model.hidden_size", "Must be true or false."_text);
        QCOMPARE(issueText(issue), QStringLiteral("은닉 크기: true나 false여야 합니다."));
        QCOMPARE(issueText({Severity::Error, "x", "", "English only"}), QStringLiteral("English only"));
        language.apply(QStringLiteral("en"));
        QCOMPARE(issueText(issue), QStringLiteral("Must be true or false."));
    }

    // Takes the strings out of the sources again: a text without translation stands out as unfinished.
    void everyStringIsTranslated() {
        QString tool = QStandardPaths::findExecutable(QStringLiteral("lupdate"), {QStringLiteral("/usr/lib/qt6/bin")});
        if (tool.isEmpty()) QSKIP("lupdate is not installed");
        QTemporaryDir dir;
        const QString copy = dir.filePath(QStringLiteral("slipway_ko.ts"));
        QVERIFY(QFile::copy(QStringLiteral(SLIPWAY_SOURCE_DIR "/translations/slipway_ko.ts"), copy));
        QProcess lupdate;
        lupdate.setWorkingDirectory(QStringLiteral(SLIPWAY_SOURCE_DIR));
        lupdate.start(tool, {"app/gui", "-I", ".", "-no-obsolete", "-locations", "none", "-silent", "-ts", copy});
        QVERIFY(lupdate.waitForFinished(120000));
        QFile file(copy);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        QStringList unfinished;
        static const QRegularExpression message(QStringLiteral(
            "<source>([^<]*)</source>\\s*(?:<[a-z]+comment>[^<]*</[a-z]+comment>\\s*)*<translation type=\"unfinished\""));
        for (auto match = message.globalMatch(text); match.hasNext();) unfinished << match.next().captured(1);
        QVERIFY(text.count(QStringLiteral("<source>")) > 500);
        QVERIFY2(unfinished.isEmpty(), qPrintable(unfinished.join("\n")));
    }

    // %1 and %n stand in the translation as often as in the source, and nothing is left in English by mistake.
    void placeholdersSurvive() {
        QFile file(QStringLiteral(SLIPWAY_SOURCE_DIR "/translations/slipway_ko.ts"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        static const QRegularExpression message(
            QStringLiteral("<source>([^<]*)</source>\\s*<translation[^>]*>\\s*(?:<numerusform>)?([^<]*)<"));
        static const QRegularExpression place(QStringLiteral("%(?:[1-9]|L?n)"));
        QStringList wrong;
        for (auto match = message.globalMatch(QString::fromUtf8(file.readAll())); match.hasNext();) {
            const auto m = match.next();
            QSet<QString> from, to;
            for (auto p = place.globalMatch(m.captured(1)); p.hasNext();) from.insert(p.next().captured());
            for (auto p = place.globalMatch(m.captured(2)); p.hasNext();) to.insert(p.next().captured());
            if (from != to) wrong << m.captured(1);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }
};

SLIPWAY_TEST(TstText)
#include "tst_text.moc"
