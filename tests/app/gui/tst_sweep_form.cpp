#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/sweep_draft.h"
#include "app/gui/pages/sweeps_page.h"
#include "app/gui/text/format.h"
#include "app/gui/values/json_lines.h"
#include "app/gui/widgets/issue_list.h"
#include "core/base/file.h"
#include "core/remote/node_record.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_sweep.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <fstream>

using namespace slipway;
using namespace slipway::gui;

class TstSweepForm : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<SweepsController> m_controller;
    std::unique_ptr<SweepsPage> m_page;

    template <class T>
    T* part(const char* name) const {
        return m_page->findChild<T*>(QString::fromLatin1(name));
    }
    void makePage() {
        QVERIFY(m_home->start());
        m_controller = std::make_unique<SweepsController>(*m_home->context);
        m_page = std::make_unique<SweepsPage>(*m_home->context, *m_controller, nullptr);
        m_page->resize(1270, 840);
        m_page->show();
        test::settle();
    }
    static std::string file(const test::SweepSeed& seed) { return dumpJson(test::sweepJson(seed), true); }
    QString verdict() const { return part<QLabel>("draftVerdict")->text().remove(QChar(0x2060)); }
    QPlainTextEdit* text() const { return part<QPlainTextEdit>("sweepText"); }
    void edit(const std::string& what) {
        m_page->edit(what);
        EVENTUALLY(part<QPushButton>("startSweep")->isEnabled() || part<IssueList>("draftProblems")->isVisible());
        test::settle();
    }

private slots:
    void initTestCase() { test::useLook(); }
    void init() { m_home = std::make_unique<test::GuiHome>(); }
    void cleanup() {
        dialogAnswers() = {};
        m_page.reset();
        m_controller.reset();
        closeThreadStore();
        m_home.reset();
    }

    void aPointerHasItsLine() {
        const std::string_view json =
            "{\"a\": 1,\n \"axes\": [\n  {\"field\": \"x\"},\n  {\"values\": [1,\n  2]}\n ],\n \"b/c\": {}}";
        QCOMPARE(lineOf(json, "/a"), 1);
        QCOMPARE(lineOf(json, "/axes"), 2);
        QCOMPARE(lineOf(json, "/axes/0/field"), 3);
        QCOMPARE(lineOf(json, "/axes/1/values/1"), 5);
        QCOMPARE(lineOf(json, "/axes/1/missing"), 4);
        QCOMPARE(lineOf(json, "/b~1c"), 7);
        QCOMPARE(lineOf("{", "/a"), 1);
    }

    void valuesAreListsAndRanges_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("json");
        QTest::addRow("list") << "parallel.tp"
                              << "1, 2,4"
                              << "[1,2,4]";
        QTest::addRow("range") << "parallel.tp"
                               << "1..4"
                               << "[1,2,3,4]";
        QTest::addRow("step") << "parallel.tp"
                              << "1..7 +3"
                              << "[1,4,7]";
        QTest::addRow("doubling") << "parallel.tp"
                                  << "1..16 x2"
                                  << "[1,2,4,8,16]";
        QTest::addRow("real") << "optimizer.lr"
                              << "0.001, 3e-4"
                              << "[0.001,0.0003]";
        QTest::addRow("words") << "parallel.schedule"
                               << "afab, 1f1b"
                               << "[\"afab\",\"1f1b\"]";
        QTest::addRow("flags") << "parallel.sequence_parallel"
                               << "true, false"
                               << "[true,false]";
        QTest::addRow("nothing") << "parallel.tp"
                                 << ""
                                 << "";
        QTest::addRow("downwards") << "parallel.tp"
                                   << "8..1"
                                   << "";
        // Into the file as it is, where the problem is shown at its line.
        QTest::addRow("word for a number") << "parallel.tp"
                                           << "two"
                                           << "[\"two\"]";
    }
    void valuesAreListsAndRanges() {
        QFETCH(QString, field);
        QFETCH(QString, typed);
        QFETCH(QString, json);
        FieldInfo info;
        for (const FieldInfo& each : runConfigFields())
            if (qs(each.path) == field) info = each;
        const auto values = axisValues(info, typed);
        QCOMPARE(values ? QString::fromStdString(dumpJson(*values, false)) : QString(), json);
    }

    void pointsAreCountedBeforeAnythingStarts() {
        makePage();
        edit(file({.tp = {1, 2, 3}, .pp = {1, 2}, .microBatch = {1, 2}}));
        QVERIFY2(verdict().startsWith("12 points: 8 can run, 4 cannot"),
                 qPrintable(verdict()));  // 3 does not divide the heads
        QVERIFY2(verdict().contains("by forecast"), qPrintable(verdict()));
        const auto reasons = part<CountBars>("draftSkipped")->dataTable();
        QCOMPARE(reasons.rows.size(), 1);
        QCOMPARE(reasons.rows[0].last(), QStringLiteral("4"));
        QVERIFY(m_controller->rows().empty());
    }

    void formAndTextAreTheSame() {
        makePage();
        edit(file({.tp = {1, 2}, .pp = {1}, .microBatch = {1}}));
        auto* values = part<QLineEdit>("axisValues0");
        QCOMPARE(values->text(), QStringLiteral("1, 2"));
        values->setText(QStringLiteral("1..4 x2"));
        emit values->editingFinished();
        QVERIFY(text()->toPlainText().contains("[1, 2, 4]"));
        QCOMPARE(values->text(), QStringLiteral("1, 2, 4"));
        part<QSpinBox>("stopFailures")->setValue(3);
        QVERIFY(text()->toPlainText().contains("\"failures\": 3"));
        auto* field = part<QComboBox>("axisField1");
        field->setCurrentIndex(field->findData("parallel.zero_stage"));
        emit field->activated(field->currentIndex());
        QVERIFY(text()->toPlainText().contains("parallel.zero_stage"));
        part<QPushButton>("axisRemove2")->click();
        QVERIFY(!text()->toPlainText().contains("micro_batch_size"));
        part<QPushButton>("addAxis")->click();
        QVERIFY(text()->toPlainText().contains("\"parallel.tp\",\n") ||
                text()->toPlainText().count("parallel.tp") == 2);
        // And back: the text changes the form.
        QString now = text()->toPlainText();
        now.replace("\"failures\": 3", "\"failures\": 7").replace("8B layouts", "other");
        text()->setPlainText(now);
        QCOMPARE(part<QSpinBox>("stopFailures")->value(), 7);
        QCOMPARE(part<QLineEdit>("sweepName")->text(), QStringLiteral("other"));
        part<QSpinBox>("stopFailures")->setValue(5);
        text()->undo();
        QCOMPARE(part<QSpinBox>("stopFailures")->value(), 7);
    }

    void whatTheFormDoesNotKnowStays() {
        Json json = test::sweepJson({});
        json["axes"].push_back({{"list", Json::array({{{"name", "a"}, {"train.seed", 1}}, {{"train.seed", 2}}})}});
        json["hypothesis"] = "none";
        const auto form = formOf(dumpJson(json, true));
        QVERIFY(form);
        QVERIFY(form->axes.back().field.empty());
        auto changed = *form;
        changed.name = QStringLiteral("renamed");
        const auto text = withForm(dumpJson(json, true), changed);
        QVERIFY(text);
        json["name"] = "renamed";
        QCOMPARE(dumpJson(*parseJson(*text, "t"), true), dumpJson(json, true));
    }

    void problemsAreAtTheirLine() {
        makePage();
        Json json = test::sweepJson({});
        json["axes"][1]["field"] = "parallel.ttp";
        edit(dumpJson(json, true));
        const QString whole = text()->toPlainText();
        const auto line = 1 + whole.left(whole.indexOf("parallel.ttp")).count('\n');
        auto* problems = part<IssueList>("draftProblems");
        QVERIFY(problems->isVisible());
        QVERIFY2(problems->texts().join('|').contains("parallel.tp"), qPrintable(problems->texts().join('|')));
        QVERIFY(!text()->extraSelections().isEmpty());
        QCOMPARE(text()->extraSelections().front().cursor.blockNumber() + 1, line);
        QVERIFY(!part<QPushButton>("startSweep")->isEnabled());
        text()->setPlainText(whole + "}");
        EVENTUALLY(!text()->extraSelections().isEmpty() && verdict().startsWith("1 problem"));
    }

    void theStartedSweepOpens() {
        const std::filesystem::path bin = m_home->dir.path().toStdString();
        m_home->programs.agent = bin / "slipway-agent";
        std::ofstream(bin / "slipway") << "#!/bin/sh\ncp \"$4\" \"" << (bin / "taken.json").string()
                                       << "\"\necho \"$@\" > \"" << (bin / "seen").string() << "\"\n";
        std::filesystem::permissions(bin / "slipway", std::filesystem::perms::owner_all);
        makePage();
        const std::string text = file({.name = "my sweep"});
        edit(text);
        part<QSpinBox>("sweepJobs")->setValue(2);
        part<QPushButton>("startSweep")->click();
        const auto seen = [&] { return readFile(bin / "seen").value_or(""); };
        EVENTUALLY(seen().find("--jobs 2") != std::string::npos);
        QCOMPARE(readFile(bin / "taken.json").value_or(""), text);
        {
            auto store = RunStore::open(m_home->home, OpenMode::ReadWrite);
            QVERIFY(!test::seedSweep(*store, {.name = "my sweep"}).empty());
        }
        EVENTUALLY(m_controller->data().plan != nullptr);
        QCOMPARE(m_page->header()->title(), QStringLiteral("my sweep"));
        // Clone: the same sweep in the form.
        part<QPushButton>("cloneSweep")->click();
        EVENTUALLY(part<QPushButton>("startSweep")->isEnabled());
        QVERIFY2(verdict().startsWith("12 points"), qPrintable(verdict()));
        QCOMPARE(part<QLineEdit>("axisValues0")->text(), QStringLiteral("1, 2, 4"));
        QCOMPARE(part<QComboBox>("axisField0")->currentText(), QStringLiteral("parallel.tp"));
        QTest::keyClick(m_page.get(), Qt::Key_Escape);
        QCOMPARE(m_page->header()->title(), QStringLiteral("my sweep"));
    }

    void aSweepStartsOnNodes() {
        const test::FakeNodes fake;
        fake.set("c", "says", "ssh: connect to host c port 22: Connection refused");
        for (const char* name : {"a", "b", "c"}) {
            NodeRecord node;
            node.name = node.host = name;
            node.trainer = (std::filesystem::path(SLIPWAY_BIN_DIR) / "fake" / "slipway-trainer").string();
            QVERIFY(writeNode(m_home->home, node, false));
        }
        // The agent of this folder is copied to the nodes.
        const std::filesystem::path bin = m_home->dir.path().toStdString();
        m_home->programs.agent = bin / "slipway-agent";
        std::filesystem::create_symlink(std::filesystem::path(SLIPWAY_BIN_DIR) / "slipway-agent",
                                        m_home->programs.agent);
        std::ofstream(bin / "slipway") << "#!/bin/sh\necho \"$@\" > \"" << (bin / "seen").string() << "\"\n";
        std::filesystem::permissions(bin / "slipway", std::filesystem::perms::owner_all);
        makePage();
        edit(file({.name = "my sweep"}));
        auto* start = part<QPushButton>("startSweep");
        const QString here = verdict();
        EVENTUALLY(part<QRadioButton>("launchThere")->isVisible());
        part<QRadioButton>("launchThere")->click();
        QVERIFY(!start->isEnabled());  // no node is chosen yet
        QVERIFY(part<IssueList>("draftProblems")->texts().join('|').contains("at least one node"));
        part<QCheckBox>("on-c")->click();
        EVENTUALLY(part<IssueList>("draftProblems")->texts().join('|').contains("refuses the connection"));
        QVERIFY(!start->isEnabled());
        for (const char* name : {"on-a", "on-b"}) part<QCheckBox>(name)->click();
        EVENTUALLY(start->isEnabled());  // one node of three is out of reach: its trials run on the others
        QVERIFY(part<IssueList>("draftProblems")->texts().join('|').contains("refuses the connection"));
        part<QCheckBox>("on-c")->click();
        EVENTUALLY(start->isEnabled() && !part<IssueList>("draftProblems")->isVisible());
        QVERIFY2(verdict() != here, qPrintable(verdict()));  // sooner on two nodes
        start->click();
        EVENTUALLY(readFile(bin / "seen").value_or("").find("--jobs 1 --nodes a,b") != std::string::npos);
        // The next sweep is for this computer, unless a person chooses.
        edit(file({.name = "another"}));
        QVERIFY(!part<QCheckBox>("on-a") || !part<QCheckBox>("on-a")->isVisible());
        EVENTUALLY(start->isEnabled());
    }

    void aNewSweepBeginsWithThePlan() {
        makePage();
        RunConfig config;
        config.model.numLayers = 7;
        m_controller->setBase([config] { return config; });
        part<QPushButton>("newSweep")->click();
        QVERIFY(text()->toPlainText().contains("\"num_layers\": 7"));
        EVENTUALLY(part<QPushButton>("startSweep")->isEnabled() || verdict().contains("cannot"));
        QVERIFY2(verdict().startsWith("3 points"), qPrintable(verdict()));
    }
};

SLIPWAY_TEST(TstSweepForm)
#include "tst_sweep_form.moc"
