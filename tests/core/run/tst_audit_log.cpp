#include "core/base/file.h"
#include "core/run/audit_log.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

#include <thread>

using namespace slipway;
using namespace slipway::test;

class TstAuditLog : public QObject {
    Q_OBJECT

    static LaunchPlan plan() {
        LaunchPlan plan;
        plan.runId = "r1";
        plan.attempt = 2;
        plan.launcher = "ssh";
        plan.nodes = {
            {"gpu1", {{0, 0, {"/opt/slipway-trainer", "--api-key=abc", "--hf-token", "abc", "--config", "c"}, {}, {}}}},
            {"gpu2", {{1, 0, {"x"}, {}, {}}, {2, 1, {"x"}, {}, {}}}}};
        return plan;
    }

private slots:
    void tellsWhatRanWhere() {
        const TempDir temp;
        const Home home{temp.path() / "home"};
        QVERIFY(readAudit(home)->entries.empty());
        QVERIFY(appendAudit(home, auditOf("start", plan()), 5));
        QVERIFY(appendAudit(home, Json{{"action", "stop"}, {"run", "r1"}}, 6));
        const auto log = readAudit(home);
        QVERIFY(log);
        QCOMPARE(log->entries.size(), std::size_t(2));
        QVERIFY(!log->firstBrokenLine);
        const Json& start = log->entries.front();
        QVERIFY(start["nodes"] == Json::parse(R"([{"node":"gpu1","ranks":1},{"node":"gpu2","ranks":2}])"));
        QVERIFY(start["time_unix_ms"] == Json(5) && !start["user"].get<std::string>().empty());
        QVERIFY(start["arguments"] ==
                Json({"/opt/slipway-trainer", "--api-key=***", "--hf-token", "***", "--config", "c"}));
        QVERIFY(readFile(home.path / "audit.jsonl")->find("abc") == std::string::npos);
    }

    // Whoever changes, removes or inserts a line is found out at the next one.
    void showsWhereItWasChanged_data() {
        QTest::addColumn<QString>("what");
        QTest::newRow("changed") << "changed";
        QTest::newRow("removed") << "removed";
        QTest::newRow("garbage") << "garbage";
    }
    void showsWhereItWasChanged() {
        QFETCH(QString, what);
        const TempDir temp;
        const Home home{temp.path()};
        for (int i = 0; i < 5; ++i) QVERIFY(appendAudit(home, Json{{"action", "start"}, {"run", "r"}}, i));
        std::string text = *readFile(home.path / "audit.jsonl");
        const std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
        if (what == "changed") text.replace(text.find("\"r\"", second), 3, "\"q\"");
        if (what == "removed") text.erase(second, third - second);
        if (what == "garbage") text.insert(third, "{\n");
        QVERIFY(writeFileAtomically(home.path / "audit.jsonl", text));
        QVERIFY(appendAudit(home, Json{{"action", "stop"}, {"run", "r"}}, 9));
        const auto log = readAudit(home);
        QVERIFY(log && log->firstBrokenLine);
        QCOMPARE(*log->firstBrokenLine, std::size_t(what == "removed" ? 2 : 3));
    }

    void growsFromManyAtOnceAndAfterACrash() {
        const TempDir temp;
        const Home home{temp.path()};
        QVERIFY(appendAudit(home, Json{{"action", "start"}, {"run", "r"}}, 1));
        QVERIFY(writeFileAtomically(home.path / "audit.jsonl", *readFile(home.path / "audit.jsonl") + "{\"half"));
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&home] {
                for (int n = 0; n < 25; ++n) (void)appendAudit(home, Json{{"action", "start"}, {"run", "r"}}, n);
            });
        for (std::thread& thread : threads) thread.join();
        const auto log = readAudit(home);
        QVERIFY(log);
        QCOMPARE(log->entries.size(), std::size_t(101));
        QVERIFY(!log->firstBrokenLine);
    }
};

SLIPWAY_TEST(TstAuditLog)
#include "tst_audit_log.moc"
