// Saved views: plain files that the window and the command share.
#include "core/base/file.h"
#include "core/store/run_view.h"
#include "tests/support/slipway_test.h"

#include <QTemporaryDir>

using namespace slipway;

class TstRunView : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Home m_home;

private slots:
    void init() { m_home = Home{m_folder.path().toStdString()}; }
    void cleanup() { std::filesystem::remove_all(m_home.path / "views"); }

    void comesBackAsItWasSaved() {
        RunView view;
        view.name = "Layouts / 8B \"..\" 둘";
        view.filter = "tp:2 (mfu>40 or status:failed)";
        view.columns = {"name", "tp", "mfu"};
        view.sort = {{"mfu", true}, {"name", false}};
        view.scope = RunScope::All;
        view.groupBy = "seed";
        view.baseline = RunId("20261121-130500-abcd");
        view.charts = ViewCharts{"parallel.pp", "model", "",   "forecast", "boxes", "C",         true,
                                 false,         "mfu",   "tp", "pp",       "front", {"dp", "tp"}};
        view.charts->ranges = {{"tp", {"2", "4"}, {}, {}, false}, {"mfu", {}, 0.25, 0.5, true}};
        QVERIFY(saveView(m_home, view));
        QCOMPARE(viewNames(m_home), std::vector<std::string>{view.name});
        const auto read = readView(m_home, view.name);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->filter, view.filter);
        QCOMPARE(read->columns, view.columns);
        QCOMPARE(sortText(read->sort.at(0)) + " " + sortText(read->sort.at(1)), std::string("mfu:desc name"));
        QCOMPARE(read->scope, RunScope::All);
        QCOMPARE(read->groupBy + read->baseline.value, std::string("seed20261121-130500-abcd"));
        QVERIFY(read->charts == view.charts);
        QVERIFY(removeView(m_home, view.name));
        QVERIFY(viewNames(m_home).empty());
    }

    // A name is never a path: every file is in the folder of the views.
    void namesLeaveTheFolderNever() {
        RunView view;
        for (const char* name : {"../../escape", ".hidden", "a/b", "..", "x y"}) {
            view.name = name;
            QVERIFY(saveView(m_home, view));
        }
        QCOMPARE(viewNames(m_home).size(), std::size_t{5});
        std::size_t numFiles = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(m_home.path))
            ++numFiles;
        QCOMPARE(numFiles, std::size_t{6});  // the folder and its files
    }

    void whatCannotBeUsedIsRefused_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("key") << QByteArray(R"({"name": "v", "colums": []})") << "did you mean columns?";
        QTest::newRow("field") << QByteArray(R"({"name": "v", "columns": ["modle"]})") << "Unknown field modle";
        QTest::newRow("filter") << QByteArray(R"({"name": "v", "filter": "modle:8B"})") << "Unknown field modle";
        QTest::newRow("order") << QByteArray(R"({"name": "v", "sort": ["nmae:desc"]})") << "Unknown field nmae";
        QTest::newRow("scope") << QByteArray(R"({"name": "v", "scope": "some"})") << "choose one of active";
        QTest::newRow("charts") << QByteArray(R"({"name": "v", "charts": {"field": "parallel.tq"}})")
                                << "Unknown field parallel.tq";
        QTest::newRow("chart key") << QByteArray(R"({"name": "v", "charts": {"fields": "tp"}})") << "did you mean";
        QTest::newRow("range") << QByteArray(R"({"name": "v", "charts": {"ranges": [{"field": "tpp"}]}})")
                               << "Unknown field tpp";
        QTest::newRow("type") << QByteArray(R"({"name": "v", "filter": 7})") << "must be text";
    }
    void whatCannotBeUsedIsRefused() {
        QFETCH(QByteArray, file);
        QFETCH(QString, sentence);
        QVERIFY(makeFolders(m_home.path / "views"));
        QVERIFY(writeFileAtomically(m_home.path / "views" / "v.json", file.toStdString()));
        const auto view = readView(m_home, "v");
        QVERIFY(!view);
        QCOMPARE(view.error().code, std::string("bad_view"));
        QVERIFY2(QString::fromStdString(view.error().message).contains(sentence), view.error().message.c_str());
    }

    void whatIsNotThereIsNamed() {
        QVERIFY(readView(m_home, "v").error().message.find("--save-view") != std::string::npos);
        RunView view;
        view.name = "other";
        QVERIFY(saveView(m_home, view));
        const auto error = readView(m_home, "v").error();
        QCOMPARE(error.code, std::string("view_missing"));
        QVERIFY2(error.message.find("other") != std::string::npos, error.message.c_str());
        QCOMPARE(removeView(m_home, "v").error().code, std::string("view_missing"));
        view.filter = "modle:8B";
        QCOMPARE(saveView(m_home, view).error().code, std::string("bad_view"));
        QCOMPARE(saveView(m_home, RunView()).error().code, std::string("bad_name"));
    }
};

SLIPWAY_TEST(TstRunView)
#include "tst_run_view.moc"
