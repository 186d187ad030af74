// slipway report: by name, filter and view, in five forms and two languages.
#include "core/base/file.h"
#include "core/store/run_view.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::test;

class TstReportCommand : public QObject {
    Q_OBJECT

    CliBench m_bench;
    std::vector<RunId> m_ids;

    QString said(const std::vector<std::string>& arguments) {
        const auto result = m_bench.run(arguments);
        return result.code == 0 ? QString::fromStdString(result.out) : QString::fromStdString("failed: " + result.err);
    }

private slots:
    void initTestCase() {
        auto store = RunStore::open(m_bench.at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        m_ids = seedRuns(*store, {.numRuns = 10, .numSteps = 5});
        QCOMPARE(m_ids.size(), std::size_t{10});
    }

    void ofAFilter() {
        const QString csv = said({"report", "--filter", "status:failed", "--format", "csv"});
        QCOMPARE(csv.count("\r\n"), 3);  // head, two of ten
        QVERIFY2(csv.startsWith("run,status,step_seconds"), qPrintable(csv));
        // All filters must hold.
        const auto none = m_bench.run({"report", "--filter", "status:failed", "--filter", "status:completed"});
        QVERIFY(none.code != 0 && none.err.find("No run matches") != std::string::npos);
    }

    void ofAView() {
        RunView view;
        view.name = "good";
        view.filter = "status:completed";
        view.baseline = m_ids[2];
        QVERIFY(saveView(m_bench.at.home, view));
        const QStringList lines = said({"report", "--view", "good", "--format", "csv"}).split("\r\n");
        QCOMPARE(lines.size(), 10);
        // The baseline is the first, whatever the order.
        auto store = RunStore::open(m_bench.at.home, OpenMode::ReadOnly);
        QVERIFY(store);
        QVERIFY(lines[1].startsWith(QString::fromStdString(store->run(m_ids[2])->name)));
        QCOMPARE(m_bench.run({"report", "--view", "bad"}).code, kExitUsage);
    }

    void nothingMatches() {
        const auto result = m_bench.run({"report", "--filter", "name~nobody"});
        QCOMPARE(result.code, kExitUsage);
        QVERIFY2(result.err.find("No run matches this filter.") != std::string::npos, result.err.c_str());
        QVERIFY(result.out.empty());
    }

    // The date is the command's, or the one given: the same question gives the same bytes.
    void everyForm() {
        for (const std::string ending : {"html", "pdf", "md", "csv", "tex"}) {
            const std::string file = (m_bench.at.home.path / ("report." + ending)).string();
            const std::vector<std::string> command{
                "report",     "--filter", "status:completed", "--title",    "Nine runs", "--author", "Ada",
                "--question", "Which?",   "--date",           "2026-01-02", "-o",        file};
            QCOMPARE(m_bench.run(command).code, 0);
            const std::string first = readFile(file).value_or("");
            QCOMPARE(m_bench.run(command).code, 0);
            QVERIFY2(!first.empty() && first == readFile(file).value_or(""), ending.c_str());
            if (ending == "csv") continue;
            QVERIFY2(ending == "pdf"
                         ? first.find("(20260102") != std::string::npos
                         : first.find("Nine runs") != std::string::npos && first.find("Which?") != std::string::npos &&
                               first.find("Ada · 2026") != std::string::npos,
                     ending.c_str());
        }
    }

    void korean() {
        const QString html = said({"report", "--filter", "status:completed", "--lang", "ko"});
        QVERIFY(html.contains("<html lang=\"ko\">"));
        QVERIFY(html.contains(QStringLiteral("실행 8개 가운데 8개 완료")));
        // CSV has no language.
        QCOMPARE(said({"report", "--filter", "status:completed", "--lang", "ko", "--format", "csv"}),
                 said({"report", "--filter", "status:completed", "--format", "csv"}));
    }
};

SLIPWAY_TEST(TstReportCommand)
#include "tst_report_command.moc"
