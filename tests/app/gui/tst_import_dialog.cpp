#include "app/gui/engine/import_job.h"
#include "app/gui/pages/import_dialog.h"
#include "core/base/file.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <algorithm>

using namespace slipway;
using namespace slipway::gui;

/// Columns that nobody knows become metrics, or are left out, by a choice in the dialog.
class TstImportDialog : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<ImportDialog> m_dialog;

    void open(const QString& name, const std::string& text) {
        m_home = std::make_unique<test::GuiHome>();
        QVERIFY(m_home->start());
        const QString file = m_home->dir.filePath(name);
        QVERIFY(writeFileAtomically(file.toStdString(), text));
        m_dialog = std::make_unique<ImportDialog>(QStringList{file}, nullptr);
        m_dialog->open();
        test::settle();
    }
    QTableView* names() { return m_dialog->findChild<QTableView*>(QStringLiteral("importNames")); }
    QString name(int row, int column) { return names()->model()->index(row, column).data().toString(); }
    QComboBox* metrics(int row) {
        return qobject_cast<QComboBox*>(names()->indexWidget(names()->model()->index(row, 1)));
    }
    void choose(int row, const QVariant& metric) {
        QComboBox* box = metrics(row);
        QVERIFY(box && box->findData(metric) >= 0);
        box->setCurrentIndex(box->findData(metric));
        emit box->activated(box->currentIndex());
        test::settle();
    }
    QPushButton* import() { return m_dialog->findChild<QPushButton*>(QStringLiteral("importNow")); }
    QString state() { return m_dialog->findChild<QLabel*>(QStringLiteral("importState"))->text(); }
    QString problem() {
        const auto* files = m_dialog->findChild<QTableView*>(QStringLiteral("importFiles"))->model();
        return files->index(0, 5).data(Qt::ToolTipRole).toString();
    }

private slots:
    void initTestCase() { test::useLook(); }
    void cleanup() {
        closeThreadStore();
        m_dialog.reset();
        m_home.reset();
    }

    void foreignColumnsBecomeMetrics() {
        open(QStringLiteral("werte.csv"), "Zug;Verlust;Krach\n1;4.5;9\n2;4.25;8\n");
        QVERIFY(!import()->isEnabled());
        QVERIFY2(state().startsWith(QStringLiteral("Choose the column of the steps")), qPrintable(state()));
        QCOMPARE(names()->model()->rowCount(), 3);
        QCOMPARE(name(1, 0), QStringLiteral("Verlust"));
        QCOMPARE(metrics(1)->currentText(), QStringLiteral("verlust, unchanged"));
        choose(0, QStringLiteral("step"));
        QVERIFY2(import()->isEnabled(), qPrintable(problem()));
        QVERIFY(state().isEmpty());
        QCOMPARE(name(1, 3), QStringLiteral("2"));  // values
        choose(1, QStringLiteral("loss"));
        QCOMPARE(name(1, 1), QStringLiteral("Loss (loss)"));
        QCOMPARE(metrics(1)->currentData().toString(), QStringLiteral("loss"));
        QCOMPARE(QApplication::focusWidget(), metrics(1));
        // A contradiction is said, and can be mended.
        choose(2, QStringLiteral("loss"));
        QVERIFY(!import()->isEnabled());
        QVERIFY2(problem().contains(QStringLiteral("Two columns are imported as loss")), qPrintable(problem()));
        choose(2, QString());
        QCOMPARE(name(2, 1), QStringLiteral("not a metric"));

        ImportJob job(*m_home->engine);
        QSignalSpy finished(&job, &ImportJob::finished);
        connect(m_dialog.get(), &ImportDialog::importWanted, &job, &ImportJob::start);
        QVERIFY(import()->text().startsWith(QStringLiteral("Import 1 run")));
        import()->click();
        EVENTUALLY(!finished.isEmpty());
        QVERIFY(finished[0][0].toString().startsWith(QStringLiteral("1 run")));
        const auto rows = readStore(m_home->home, [](RunStore& store) { return store.list({}); });
        QVERIFY(rows && rows->size() == 1);
        const RunRecord& run = rows->front().record;
        QVERIFY2(run.reason.ends_with("werte.csv (csv, =Krach, loss=Verlust, step=Zug)."), run.reason.c_str());
        const auto curves = readStore(m_home->home, [&](RunStore& store) { return store.allSeries(run.id); });
        QVERIFY(curves);
        QCOMPARE(std::ranges::count(*curves, "krach", &MetricSeries::name), 0);
        const auto loss = std::ranges::find(*curves, "loss", &MetricSeries::name);
        QVERIFY(loss != curves->end());
        QCOMPARE(loss->values, (std::vector<double>{4.5, 4.25}));
    }

    void whatIsKnownCanBeChanged() {
        open(QStringLiteral("table.csv"), "step,loss,lr\n1,4.5,0.1\n");
        QVERIFY(import()->isEnabled());
        QCOMPARE(metrics(1)->currentText(), QStringLiteral("Loss (loss)"));
        choose(1, QStringLiteral("eval_loss"));
        QCOMPARE(metrics(1)->currentData().toString(), QStringLiteral("eval_loss"));
        choose(1, {});
        QCOMPARE(name(1, 1), QStringLiteral("Loss (loss)"));
        QVERIFY(import()->isEnabled());
    }

    // The names of consoles are those of their programs.
    void logsOfLinesKeepTheirNames() {
        open(QStringLiteral("titan.log"), "step: 1  loss: 8.0  tps: 100\nstep: 2  loss: 7.5  tps: 200\n");
        QVERIFY(import()->isEnabled());
        QVERIFY(names()->model()->rowCount() >= 2);
        for (int row = 0; row < names()->model()->rowCount(); ++row) QVERIFY(metrics(row) == nullptr);
    }
};

SLIPWAY_TEST(TstImportDialog)
#include "tst_import_dialog.moc"
