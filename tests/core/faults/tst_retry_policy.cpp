#include "core/base/json_fields.h"
#include "core/faults/retry_policy.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

namespace {

/// "transient node:b node:b@100 unknown/early": failures with their node and newest checkpoint.
std::vector<FailedAttempt> historyOf(const QString& words) {
    std::vector<FailedAttempt> history;
    for (QString word : words.split(' ', Qt::SkipEmptyParts)) {
        FailedAttempt attempt;
        attempt.attempt = static_cast<std::int64_t>(history.size()) + 1;
        attempt.ranSeconds = 1000;
        if (word.endsWith("/early")) {
            word.chop(6);
            attempt.ranSeconds = 5;
            attempt.differsByNode = true;
        }
        const QStringList parts = word.split('@');
        attempt.checkpointStep = parts.size() > 1 ? parts[1].toLongLong() : attempt.attempt;
        const QStringList place = parts[0].split(':');
        attempt.kind = attempt.fault = place[0].toStdString();
        if (place.size() > 1) attempt.node = place[1].toStdString();
        history.push_back(attempt);
    }
    return history;
}

}  // namespace

class TstRetryPolicy : public QObject {
    Q_OBJECT

private slots:
    void decides_data() {
        QTest::addColumn<QString>("history");
        QTest::addColumn<QString>("decision");
        const auto row = [](const char* history, const char* decision) {
            QTest::newRow(*history == 0 ? "none" : history) << QString(history) << QString(decision);
        };
        // The share drawn is 0.5: half of 10 s, 20 s, 40 s ... and of 10 min at most.
        row("", "No restart: the end was requested.");
        row("transient@1200", "Restart from the checkpoint of step 1200 in 5.00 s.");
        row("transient@-1", "Restart from the first step in 5.00 s.");
        row("transient transient transient", "Restart from the checkpoint of step 3 in 20.0 s.");
        row("transient transient transient transient transient transient transient transient transient",
            "Restart from the checkpoint of step 9 in 5.00 min.");
        row("unknown", "Restart from the checkpoint of step 1 in 5.00 s.");
        row("unknown unknown", "No restart: the restarts for faults of this kind are used up.");
        row("unknown transient", "Restart from the checkpoint of step 2 in 5.00 s.");
        row("memory", "No restart: the same config would fail again.");
        row("config", "No restart: the same config would fail again.");
        row("code", "No restart: the same config would fail again.");
        row("numerics", "No restart: the same config would fail again.");
        row("disk", "No restart before there is room on the disk.");
        row("requested", "No restart: the end was requested.");
        // An early failure that differs from node to node is tried once more.
        row("config/early", "Restart from the checkpoint of step 1 in 5.00 s.");
        row("config/early config/early", "No restart: the restarts for faults of this kind are used up.");
        // A node's own second failure excludes it; others' failures do not.
        row("node:b", "Restart from the checkpoint of step 1 in 5.00 s.");
        row("node:b node:b", "Restart from the checkpoint of step 2 in 10.0 s. Leave out: b.");
        row("node:b transient:b", "Restart from the checkpoint of step 2 in 5.00 s.");
        row("node:b node:c node:b node:c", "Restart from the checkpoint of step 4 in 40.0 s. Leave out: b, c.");
        // Three attempts that end with the same newest checkpoint.
        row("transient@5 transient@5", "Restart from the checkpoint of step 5 in 10.0 s.");
        row("transient@5 transient@5 transient@5", "No restart: the latest attempts have made no new checkpoint.");
        row("transient@5 transient@5 transient@6", "Restart from the checkpoint of step 6 in 20.0 s.");
        row("transient@-1 transient@-1 unknown@-1", "No restart: the latest attempts have made no new checkpoint.");
    }
    void decides() {
        QFETCH(QString, history);
        const RetryDecision decision = decideRetry(historyOf(history), 0.5);
        QTEST(QString::fromStdString(textOf(sentence(decision))).replace(QChar(0x202F), ' '), "decision");
        // It can be stored: what is read back says the same.
        Issues issues;
        const auto back = fields::fromJson<RetryDecision>(fields::toJson(decision), issues);
        QVERIFY(issues.empty());
        QCOMPARE(textOf(sentence(back)), textOf(sentence(decision)));
    }

    void theBudgetOfTransientFaultsEnds() {
        QString history;
        for (int i = 0; i < 10; ++i) history += "transient ";
        QCOMPARE(decideRetry(historyOf(history), 0.5).action, std::string("restart"));
        QCOMPARE(decideRetry(historyOf(history + "transient"), 0.5).rule, std::string("budget"));
    }

    void delaysHaveFullJitter() {
        const auto history = historyOf("transient transient");
        QCOMPARE(decideRetry(history, 0).delaySeconds, 0.0);
        QCOMPARE(decideRetry(history, 0.999).delaySeconds, 0.999 * 20);
        QCOMPARE(decideRetry(history, 7).delaySeconds, 20.0);
    }
};

SLIPWAY_TEST(TstRetryPolicy)
#include "tst_retry_policy.moc"
