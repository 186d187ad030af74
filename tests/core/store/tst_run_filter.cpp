#include "core/store/run_fields.h"
#include "core/store/run_filter.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>
#include <random>
#include <set>

using namespace slipway;
using namespace slipway::test;

class TstRunFilter : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        // a: small llama on 4 ranks that ran; b: 8B that failed; c: gpt2 that diverged; d: archived
        m_f.emplace();
        RunConfig a = aConfig("tp2-zero1", 2, 2);
        a.parallel.zeroStage = 1;
        m_f->add("a", a, R"({"parameters": 1500000, "mfu": 0.5, "mfu_rule": "C"})",
                 1'763'683'200'000);  // 2025-11-21T00:00Z
        RunConfig b = aConfig("big baseline", 8, 1);
        b.model.numLayers = 32;
        b.model.hiddenSize = 4096;
        m_f->add("b", b, R"({"parameters": 8030261248})", 1'763'769'600'000);
        RunConfig c = aConfig("gpt, 100% odd_name", 1, 1);
        c.model.family = Family::Gpt2;
        c.optimizer.lr = 0.003;
        m_f->add("c", c, {}, 1'763'856'000'000);
        m_f->add("d", aConfig("old one", 1, 1), {}, 1'763'856'000'001);

        RunChange ran;
        ran.status = RunStatus::Completed;
        ran.startedUnixMilliseconds = 1000;
        ran.endedUnixMilliseconds = 91000;
        ran.exitCode = 0;
        RunFigures figures;
        figures.mfu = 0.41;
        figures.memoryPeakBytes = 3.0 * 1024 * 1024 * 1024;
        figures.stepSeconds = 0.25;
        figures.finalLoss = 3.5;
        ran.measured = figures;
        QVERIFY(m_f->store.updateRun(RunId("a"), ran));
        RunChange failed;
        failed.status = RunStatus::Failed;
        failed.exitCode = 11;
        failed.reason = "Out of memory on rank 3.";
        QVERIFY(m_f->store.updateRun(RunId("b"), failed));
        RunChange diverged;
        diverged.status = RunStatus::Completed;
        figures.mfu = 0.2;
        figures.finalLoss = std::numeric_limits<double>::quiet_NaN();
        figures.memoryPeakBytes = std::numeric_limits<double>::infinity();
        diverged.measured = figures;
        QVERIFY(m_f->store.updateRun(RunId("c"), diverged));
        QVERIFY(m_f->store.changeTags({RunId("a")}, {"reference", "h100"}, {}));
        QVERIFY(m_f->store.changeTags({RunId("b")}, {"ref"}, {}));
        QVERIFY(m_f->store.setNotes(RunId("c"), "looks like zero progress"));
        QVERIFY(m_f->store.setArchived({RunId("d")}, true));
    }

    void cleanupTestCase() { m_f.reset(); }

    void matches_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* filter, const char* expected) {
            QTest::newRow(filter) << QString(filter) << QString(expected);
        };
        row("", "abc");
        row("status:completed", "ac");
        row("status:completed,failed", "abc");
        row("STATUS:Completed", "ac");
        row("status!=completed", "b");
        row("mfu>40", "a");
        row("mfu>40%", "a");
        row("mfu>0.4", "a");
        row("mfu>=0.2", "ac");
        row("mfu<0.41", "c");
        row("not mfu>40", "bc");
        row("-mfu>40", "bc");
        row("mfu:none", "b");
        row("mfu:known", "ac");
        row("forecast.mfu:50%", "a");
        row("model:8B", "b");
        row("model:1.5M", "a");
        row("model:1.6M", "");
        row("model:llama", "ab");
        row("model:gpt2", "c");
        row("gpus:8", "b");
        row("gpus:2..8", "ab");
        row("gpus:..4", "ac");
        row("dp=2 tp=2", "a");
        row("dp=2 tp=1", "");
        row("dp=8 or tp=2", "ab");
        row("dp=8 or tp=2 mfu>40", "ab");
        row("(dp=8 or tp=2) mfu>40", "a");
        row("not (dp=8 or tp=2)", "c");
        row("not not dp=8", "b");
        row("memory:3GiB", "a");
        row("memory>=3GiB memory<4GiB", "a");
        row("memory:inf", "c");
        row("step_seconds:250ms", "ac");
        row("loss:nan", "c");
        row("loss<4", "a");
        row("loss>4", "");  // NaN is above nothing
        row("name~zero", "a");
        row("name~ZERO", "a");
        row("name~100%", "c");
        row("name~odd_name", "c");
        row("name~oddxname", "");
        row("zero", "ac");  // free text: name of a, notes of c
        row("\"big baseline\"", "b");
        row("\"baseline big\"", "");
        row("zero:1", "a");
        row("tag:ref", "b");
        row("tag:reference,ref", "ab");
        row("tag!=ref", "ac");
        row("tag~ref", "ab");
        row("tag:none", "c");
        row("reason~memory", "b");
        row("exit_code:11", "b");
        row("lr>1e-3", "c");
        row("optimizer.lr:0.003", "c");
        row("model.rope_theta:10000", "ab");  // a leaf that is no column, where it applies
        row("rope_theta:10k", "ab");
        row("parallel.tp:2", "a");
        row("created:2025-11-22", "b");
        row("created>2025-11-22", "c");
        row("created>=2025-11-22", "bc");
        row("created<2025-11-22", "a");
        row("created>2025-11-21T23:59", "bc");
        row("created>30h", "bc");
        row("created>10h", "c");
        row("duration>=90s duration<2min", "a");
        row("archived:yes", "d");
        row("archived:no", "abc");
        row("archived:yes or tag:ref", "bd");
        row("sequence_parallel:no", "abc");
        row("id:b", "b");
    }

    void matches() {
        QFETCH(QString, filter);
        QFETCH(QString, expected);
        RunQuery query;
        query.filter = filter.toStdString();
        query.sort = {{"id", false}};
        query.nowUnixMilliseconds = 1'763'860'000'000;  // 2025-11-23T01:06Z
        const auto ids = m_f->store.ids(query);
        QVERIFY2(ids, ids ? "" : ids.error().text().c_str());
        QString found;
        for (const RunId& id : *ids) found += QString::fromStdString(id.value);
        QCOMPARE(found, expected);
        QCOMPARE(m_f->store.count(query)->total, expected.size());
    }

    void problems_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("underlined");
        const auto row = [](const char* filter, const char* code, const char* message, const char* underlined) {
            QTest::newRow(filter) << filter << code << message << underlined;
        };
        row("modle:8B", "unknown_field", "Unknown field modle; did you mean model?", "modle");
        row("tp:2 memroy>3GiB", "unknown_field", "Unknown field memroy; did you mean memory?", "memroy");
        row("mfu>fast", "bad_value", "mfu is a number; \"fast\" is not.", "fast");
        row("mfu>4x", "bad_value", "mfu is a number; \"4x\" is not.", "4x");
        row("status:done", "bad_value",
            "Unknown status done; choose one of planned, queued, running, completed, failed, cancelled, lost.", "done");
        row("created>yesterday", "bad_value",
            "created is a date such as 2026-11-21 or an age such as 2d, not \"yesterday\".", "yesterday");
        row("archived:perhaps", "bad_value", "archived is yes or no, not \"perhaps\".", "perhaps");
        row("tag>a", "bad_value", "tag can only be compared with : or =.", "a");
        row("tp:..", "bad_value", "tp:low..high needs at least one bound.", "..");
        row("tp:", "filter_syntax", "A value is missing after tp.", "tp:");
        row("tp:2,", "filter_syntax", "A value is missing after tp.", "tp:2,");
        row("(tp:2", "filter_syntax", "The closing parenthesis is missing.", "(");
        row("tp:2)", "filter_syntax", "There is no opening parenthesis for this one.", ")");
        row("tp:2 or", "filter_syntax", "Something to look for is missing here.", "");
        row("or tp:2", "filter_syntax", "Something to look for is missing here.", "or");
        row("not", "filter_syntax", "Something is missing after not.", "not");
        row("()", "filter_syntax", "Something to look for is missing here.", ")");
        row("name~\"zero", "filter_syntax", "The closing quotation mark is missing.", "\"zero");
    }

    void problems() {
        QFETCH(QString, filter);
        QFETCH(QString, code);
        QFETCH(QString, message);
        QFETCH(QString, underlined);
        const auto parsed = parseRunFilter(filter.toStdString());
        QVERIFY(!parsed);
        const FilterProblem& problem = parsed.error();
        QCOMPARE(QString::fromStdString(problem.code), code);
        QCOMPARE(QString::fromStdString(textOf(problem.message)), message);
        QCOMPARE(filter.mid(static_cast<int>(problem.begin), static_cast<int>(problem.end - problem.begin)),
                 underlined);
        RunQuery query;
        query.filter = filter.toStdString();
        QCOMPARE(m_f->store.list(query).error().message, textOf(problem.message));
    }

    void topLevelTermsAreChips() {
        const std::string text = "model:8B (tp:2 or tp:4) -zero \"two words\"";
        const auto parsed = parseRunFilter(text);
        QVERIFY(parsed);
        std::vector<std::string> chips;
        for (const FilterNode& node : parsed->root.children)
            chips.push_back(text.substr(node.begin, node.end - node.begin));
        QCOMPARE(chips, (std::vector<std::string>{"model:8B", "(tp:2 or tp:4)", "-zero", "\"two words\""}));
    }

    void refusesGiantFilters() {
        QVERIFY(!parseRunFilter(std::string(100000, '(')));
        std::string wide;
        for (int i = 0; i < 2000; ++i) wide += "or tp:2 ";
        QVERIFY(!parseRunFilter(wide.substr(3)));
        std::string deep;
        for (int i = 0; i < 5000; ++i) deep += "not ";
        QVERIFY(!parseRunFilter(deep + "tp:2"));
        std::string allowed = "tp:1";
        for (int i = 0; i < 890; ++i) allowed += " or tp:2";
        RunQuery query;
        query.filter = allowed;
        const auto counted = m_f->store.count(query);
        QVERIFY2(counted, counted ? "" : counted.error().text().c_str());
    }

    void survivesRandomText() {
        std::mt19937 random(2);
        const std::vector<std::string> pieces = {"tp", ":", "=", ">",   "<=",   "!",   "~",       "(",  ")",    " ",
                                                 "\"", ",", "-", "or ", "not ", "8B",  "mfu",     "..", "none", "\\",
                                                 "%",  "'", ";", "\n",  "\xff", "nan", "created", "2d", "model"};
        for (int round = 0; round < 5000; ++round) {
            std::string text;
            for (std::size_t i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
            RunQuery query;
            query.filter = text;
            const auto count = m_f->store.count(query);
            if (count) continue;
            const std::set<std::string> known = {"filter_syntax", "unknown_field", "bad_value"};
            QVERIFY2(known.count(count.error().code) == 1, (text + " -> " + count.error().text()).c_str());
        }
    }

    void everyFieldFiltersAndSorts() {
        std::set<std::string> names;
        for (const RunField& field : runFields()) {
            QVERIFY2(names.insert(field.name).second, field.name.c_str());
            RunQuery query;
            query.filter = field.name + ":known";
            query.sort = {{field.name, true}};
            query.columns = {field.name};
            const auto rows = m_f->store.list(query);
            QVERIFY2(rows, (field.name + ": " + (rows ? "" : rows.error().text())).c_str());
        }
        QVERIFY(names.size() > 100);
        // Whatever a config holds can be asked for by its path.
        for (const FieldInfo& leaf : runConfigFields())
            if (leaf.path != "name" && leaf.path != "schema")
                QVERIFY2(findRunField(leaf.path) != nullptr, leaf.path.c_str());
    }

private:
    std::optional<StoreFixture> m_f;
};

SLIPWAY_TEST(TstRunFilter)
#include "tst_run_filter.moc"
