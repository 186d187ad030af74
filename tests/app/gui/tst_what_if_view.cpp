#include "app/gui/pages/what_if_view.h"
#include "app/gui/text/config_change.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/memory_bar.h"
#include "core/base/file.h"
#include "tests/app/gui/plan_tab_test.h"
#include "tests/support/http_server.h"
#include "tests/support/slipway_test.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

using namespace slipway;
using namespace slipway::gui;

class TstWhatIfView : public test::PlanTabTest {
    Q_OBJECT

    void open(int numRuns = 0) {
        QVERIFY(openPage(numRuns));
        EVENTUALLY(m_plan->plan());
        m_page->showTab(PlanTab::WhatIf);
        test::settle();
    }
    QString cell(QTableView* table, const QString& title, int column) {
        for (int row = 0; row < table->model()->rowCount(); ++row)
            if (table->model()->index(row, 0).data().toString() == title)
                return table->model()->index(row, column).data().toString();
        return {};
    }

private slots:
    void initTestCase() {
        test::useLook();
        for (const char* name : {"http_proxy", "ALL_PROXY", "all_proxy"}) qunsetenv(name);
    }
    void cleanup() { closePage(); }

    void anEditStandsBesideTheBaseline() {
        open();
        QVERIFY(!child<QPushButton>("swapBaseline")->isEnabled());
        child<QPushButton>("keepBaseline")->click();
        QVERIFY(m_plan->baseline());
        auto* figures = child<QTableView>("figureDifferences");
        auto* fields = child<QTableView>("fieldDifferences");
        const QAbstractItemModelTester tester(figures->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(fields->model()->rowCount(), 0);
        QVERIFY(figures->model()->rowCount() > 10);
        QCOMPARE(cell(figures, QStringLiteral("Step time"), 3), QStringLiteral("0"));
        const double before = m_plan->plan()->step.stepSeconds;
        QSignalSpy planned(m_plan.get(), &PlanController::planChanged);
        m_plan->edit(QStringLiteral("train.seq_len"), QStringLiteral("4096"));
        EVENTUALLY(m_plan->plan()->config.train.seqLen == 4096);
        EVENTUALLY_IS(fields->model()->rowCount(), 1);
        QCOMPARE(fields->model()->index(0, 1).data().toString(), QStringLiteral("8192"));
        QCOMPARE(fields->model()->index(0, 2).data().toString(), QStringLiteral("4096"));
        QVERIFY(m_plan->plan()->step.stepSeconds < before);
        QVERIFY(cell(figures, QStringLiteral("Step time"), 3).startsWith(QChar(0x2212)));
        QCOMPARE(child<MemoryBar>("whatIfMemory")->dataTable().rows.size(), 2);
        if (const QByteArray file = qgetenv("SLIPWAY_TEST_PICTURE"); !file.isEmpty())
            m_page->grab().save(QString::fromLocal8Bit(file));
        // Bars and figures say the same.
        QCOMPARE(child<MemoryBar>("whatIfMemory")->dataTable().rows[1].back(),
                 cell(figures, QStringLiteral("Memory"), 2));
        QVERIFY(test::numColours(m_page->grab().toImage()) > 50);
    }

    void swapAndDrop() {
        open();
        m_plan->keepBaseline();
        m_plan->edit(QStringLiteral("train.seq_len"), QStringLiteral("4096"));
        EVENTUALLY(m_plan->plan()->config.train.seqLen == 4096);
        child<QPushButton>("swapBaseline")->click();
        QCOMPARE(m_plan->document().config.train.seqLen, std::int64_t(8192));
        QCOMPARE(m_plan->baseline()->document.config.train.seqLen, std::int64_t(4096));
        m_plan->undoStack()->undo();
        QCOMPARE(m_plan->document().config.train.seqLen, std::int64_t(4096));
        child<QPushButton>("dropBaseline")->click();
        QVERIFY(!m_plan->baseline());
    }

    void aRunCanBeTheBaseline() {
        open(3);
        auto* box = child<QComboBox>("baseline");
        EVENTUALLY_IS(box->count(), 4);
        box->setCurrentIndex(1);
        emit box->activated(1);
        EVENTUALLY(m_plan->baseline());
        EVENTUALLY(child<QTableView>("fieldDifferences")->model()->rowCount() > 0);
        EVENTUALLY_IS(box->itemText(0), m_plan->baseline()->name);
        // Its measured peak stands beside the forecast.
        QVERIFY(m_plan->baseline()->measuredPeakBytes);
        QCOMPARE(child<MemoryBar>("whatIfMemory")->dataTable().rows[0].back(),
                 bytesText(m_plan->baseline()->measuredPeakBytes));
    }

    void memoryOverTime() {
        open();
        m_page->showTab(PlanTab::Forecast);
        child<QPushButton>("memoryOverTime")->click();
        MemoryBar* bar = nullptr;
        for (MemoryBar* candidate : m_page->findChildren<MemoryBar*>())
            if (candidate->objectName() != QStringLiteral("whatIfMemory")) bar = candidate;
        QVERIFY(bar);
        QCOMPARE(bar->dataTable().rows.size(), 5);
        child<QPushButton>("memoryOverTime")->click();
        QCOMPARE(bar->dataTable().rows.size(), 2);
    }

    // Advice says by how much, and its link makes the change.
    void adviceIsFollowed() {
        open();
        m_plan->edit(QStringLiteral("parallel.zero_stage"), QStringLiteral("0"));
        m_plan->edit(QStringLiteral("train.recompute.policy"), QStringLiteral("full"));
        const auto helpful = [this]() -> const AdviceGain* {
            for (const AdviceGain& gain : m_plan->gains())
                if (!gain.change.empty() && std::any_of(m_plan->issues().begin(), m_plan->issues().end(),
                                                        [&](const Issue& i) { return i.code == gain.code; }))
                    return &gain;
            return nullptr;
        };
        EVENTUALLY(m_plan->plan()->config.train.recompute.policy == RecomputePolicy::Full);
        EVENTUALLY(helpful());
        test::settle();
        const AdviceGain gain = *helpful();
        auto* checks = child<IssueList>("checks");
        QVERIFY2(checks->texts().join('\n').contains(configChangeText(m_plan->plan()->config, gain.config)),
                 qPrintable(checks->texts().join('\n')));
        m_plan->applyGain(gain.code);
        EVENTUALLY_IS(m_plan->plan()->step.stepSeconds, gain.stepSeconds);
        m_plan->undoStack()->undo();
        QCOMPARE(m_plan->document().config.train.recompute.policy, RecomputePolicy::Full);
    }

    void theBasisIsAlwaysTold() {
        open();
        auto* basis = child<QLabel>("basis");
        QVERIFY2(basis->text().contains(QStringLiteral("typical software")), qPrintable(basis->text()));
        // The software is chosen like the device: undoable, kept in the config.
        auto* software = child<QComboBox>("software");
        QCOMPARE(software->currentText(), QStringLiteral("Default: typical software"));
        const double typical = m_plan->plan()->step.stepSeconds;
        const auto choose = [&](const char* name) {
            const int row = software->findData(QString::fromLatin1(name));
            QVERIFY(row > 0);
            emit software->activated((software->setCurrentIndex(row), row));
        };
        choose("textbook");
        EVENTUALLY(basis->text().contains(QStringLiteral("textbook")));
        QVERIFY(m_plan->plan()->step.stepSeconds != typical);
        QCOMPARE(m_plan->document().config.software, std::string("textbook"));
        choose("megatron-core");
        EVENTUALLY(basis->text().contains(QStringLiteral("Megatron-Core")));
        m_plan->undoStack()->undo();
        m_plan->undoStack()->undo();
        EVENTUALLY(basis->text().contains(QStringLiteral("typical software")));
        QCOMPARE(software->currentIndex(), 0);
        EVENTUALLY_IS(m_plan->plan()->step.stepSeconds, typical);
    }

    void aModelComesFromTheHub() {
        open();
        test::HttpServer hub;
        const auto text = readFile(std::string(SLIPWAY_TEST_DATA) + "/interop/huggingface/olmo2-7b.json");
        QVERIFY(text);
        hub.answer("/allenai/OLMo-2/resolve/main/config.json", {200, *text});
        interop::RemoteOptions remote;
        remote.hub = hub.url();
        remote.http.allowPlainHttp = true;
        m_plan->setRemote(remote);
        const std::int64_t layers = m_plan->document().config.model.numLayers;
        QSignalSpy told(m_plan.get(), &PlanController::said);
        dialogAnswers().text = QStringLiteral("hf:allenai/OLMo-2");
        auto* models = child<QComboBox>("modelPreset");
        const int item = models->findText(QStringLiteral("From Hugging Face or a URL…"));
        QVERIFY(item >= 0);
        models->setCurrentIndex(item);
        emit models->activated(item);
        EVENTUALLY(m_plan->document().config.name == "OLMo-2");
        QCOMPARE(m_plan->document().config.model.hiddenSize, std::int64_t(4096));
        QVERIFY(m_plan->document().modelPreset.empty());
        QCOMPARE(models->currentIndex(), 0);  // own shape
        m_plan->undoStack()->undo();
        QCOMPARE(m_plan->document().config.model.numLayers, layers);
        // What cannot be had is said, and the plan stays.
        told.clear();
        m_plan->importModel(QStringLiteral("hf:allenai/none"));
        EVENTUALLY(told.count() >= 2);
        QVERIFY2(told.back().front().toString().contains(QStringLiteral("no such document")),
                 qPrintable(told.back().front().toString()));
        QCOMPARE(m_plan->document().config.model.numLayers, layers);
    }
};

SLIPWAY_TEST(TstWhatIfView)
#include "tst_what_if_view.moc"
