// Enter in any field of any dialog does what the dialog's main button says, once; while that is disabled, nothing.
#include "app/gui/pages/columns_dialog.h"
#include "app/gui/pages/corpus_dialog.h"
#include "app/gui/pages/curves_dialog.h"
#include "app/gui/pages/export_dialog.h"
#include "app/gui/pages/filter_dialog.h"
#include "app/gui/pages/import_dialog.h"
#include "app/gui/pages/launch_sheet.h"
#include "app/gui/pages/node_dialog.h"
#include "app/gui/pages/report_dialog.h"
#include "app/gui/pages/runs_controller.h"
#include "core/base/file.h"
#include "tests/app/gui/plan_tab_test.h"
#include "tests/support/slipway_test.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>

using namespace slipway;
using namespace slipway::gui;

class TstDialogEnter : public test::PlanTabTest {
    Q_OBJECT

    QString fileOf(const QString& name, const std::string& text) {
        const QString file = m_home->dir.filePath(name);
        return writeFileAtomically(file.toStdString(), text) ? file : QString();
    }
    QDialog* make(const QString& dialog) {
        if (dialog == QStringLiteral("columns")) return new ColumnsDialog(RunsController::defaultColumns(), nullptr);
        if (dialog == QStringLiteral("filter")) {
            auto* made = new FilterDialog(*m_home->context, nullptr, nullptr);
            made->findChild<QLineEdit*>(QStringLiteral("typed"))->setText(QStringLiteral("completed"));
            return made;
        }
        if (dialog == QStringLiteral("import"))
            return new ImportDialog({fileOf(QStringLiteral("log.csv"), "step,loss,noise\n1,4.5,9\n2,4,8\n")}, nullptr);
        if (dialog == QStringLiteral("import nothing"))
            return new ImportDialog({fileOf(QStringLiteral("empty.csv"), "a;b\nx;y\n")}, nullptr);
        if (dialog == QStringLiteral("export")) return new ExportDialog(m_plan->document().config, {}, nullptr);
        if (dialog == QStringLiteral("report")) {
            ReportMaker maker;
            maker.summary = [](const ReportHead&) -> Result<std::string> { return std::string("a summary"); };
            maker.write = [](const ReportHead&, ReportFormat) -> Result<std::string> {
                return std::string("a report");
            };
            return new ReportDialog(*m_home->context, maker, nullptr);
        }
        if (dialog == QStringLiteral("curves")) return new CurvesDialog(*m_plan, nullptr);
        if (dialog == QStringLiteral("launch"))
            return new LaunchSheet(*m_home->context, m_plan->document(), {}, nullptr);
        if (dialog == QStringLiteral("corpus")) return new CorpusDialog(m_home->home, nullptr);
        return new NodeDialog(*m_home->context, nullptr);
    }
    /// What takes text or a choice, in the order of its making.
    static QList<QWidget*> fieldsOf(QDialog* dialog) {
        QList<QWidget*> fields;
        for (QWidget* widget : dialog->findChildren<QWidget*>()) {
            const auto* line = qobject_cast<QLineEdit*>(widget);
            const auto* box = qobject_cast<QComboBox*>(widget);
            const bool isField = (line && !line->isReadOnly()) || (box && !box->isEditable());
            if (isField && widget->isVisible() && widget->isEnabled()) fields << widget;
        }
        return fields;
    }

private slots:
    void initTestCase() { test::useLook(); }
    void cleanup() { closePage(); }

    void enterDoesWhatTheMainButtonSays_data() {
        QTest::addColumn<QString>("dialog");
        QTest::addColumn<QString>("button");  // how its text begins
        QTest::addColumn<bool>("canBeDone");
        QTest::newRow("columns") << "columns"
                                 << "Close" << true;
        QTest::newRow("filter") << "filter"
                                << "Add" << true;
        QTest::newRow("import") << "import"
                                << "Import 1 run" << true;
        QTest::newRow("import, nothing to import") << "import nothing"
                                                   << "Import" << false;
        QTest::newRow("export") << "export"
                                << "Save" << true;
        QTest::newRow("report") << "report"
                                << "Save" << true;
        QTest::newRow("curves") << "curves"
                                << "Close" << true;
        QTest::newRow("launch, without programs") << "launch"
                                                  << "Launch" << false;
        QTest::newRow("corpus, without a text") << "corpus"
                                                << "Make" << false;
        QTest::newRow("node, without a host") << "node"
                                              << "Check" << false;
    }
    void enterDoesWhatTheMainButtonSays() {
        QFETCH(QString, dialog);
        QFETCH(QString, button);
        QFETCH(bool, canBeDone);
        QVERIFY(openPage(2));
        EVENTUALLY(m_plan->shownPlan());
        dialogAnswers().file = QString();  // "Save..." is answered with Cancel
        int numFields = 1;
        for (int i = 0; i < numFields; ++i) {
            const QPointer<QDialog> opened = make(dialog);
            opened->open();
            test::settle();
            const QList<QWidget*> fields = fieldsOf(opened);
            QVERIFY(!fields.isEmpty());
            numFields = static_cast<int>(fields.size());
            QStringList clicked;
            for (QPushButton* one : opened->findChildren<QPushButton*>())
                connect(one, &QPushButton::clicked, this, [&clicked, text = one->text()] { clicked << text; });
            fields[i]->setFocus();
            QTest::keyClick(fields[i], Qt::Key_Return);
            const QString place =
                QStringLiteral("%1 \"%2\": %3")
                    .arg(fields[i]->metaObject()->className(), fields[i]->objectName(), clicked.join(u'|'));
            QVERIFY2(clicked.size() == (canBeDone ? 1 : 0), qPrintable(place));
            QVERIFY2(!canBeDone || clicked.front().startsWith(button), qPrintable(place));
            const QDialog* now = opened.data();
            QVERIFY2(canBeDone || (now != nullptr && now->isVisible()), qPrintable(place));
            test::settle();
            delete opened;
        }
    }
};

SLIPWAY_TEST(TstDialogEnter)
#include "tst_dialog_enter.moc"
