#include "app/gui/text/format.h"
#include "core/base/file.h"
#include "core/interop/formats.h"
#include "tests/app/gui/plan_tab_test.h"
#include "tests/support/slipway_test.h"

#include <QComboBox>
#include <QDialog>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>

using namespace slipway;
using namespace slipway::gui;

class TstExportDialog : public test::PlanTabTest {
    Q_OBJECT

private slots:
    void initTestCase() { test::useLook(); }
    void cleanup() { closePage(); }

    // What a framework cannot express is listed before anything is saved; the file is what the command writes.
    void exportsToOtherFrameworks() {
        QVERIFY(openPage());
        EVENTUALLY(m_plan->shownPlan());
        QAction* action = nullptr;
        for (QPushButton* button : m_page->findChildren<QPushButton*>())
            for (QAction* offered : button->menu() ? button->menu()->actions() : QList<QAction*>())
                if (offered->text() == QStringLiteral("To another framework…")) action = offered;
        QVERIFY(action);
        action->trigger();
        auto* dialog = m_page->findChild<QDialog*>(QStringLiteral("exportDialog"));
        QVERIFY(dialog);
        auto* formats = dialog->findChild<QComboBox*>(QStringLiteral("exportFormat"));
        auto* lost = dialog->findChild<QTableView*>(QStringLiteral("exportLost"));
        auto* text = dialog->findChild<QPlainTextEdit*>(QStringLiteral("exportText"));
        const PlanDocument& document = m_plan->document();
        const std::vector<std::string> ids{"megatron", "torchtitan", "nanotron", "deepspeed"};
        QCOMPARE(formats->count(), static_cast<int>(ids.size()));
        for (std::size_t i = 0; i < ids.size(); ++i) {
            formats->setCurrentIndex(static_cast<int>(i));
            const auto exported = interop::exportConfig(ids[i], document.config, {document.cluster.devicesPerNode});
            QVERIFY2(exported, ids[i].c_str());
            QCOMPARE(text->toPlainText(), exactText(exported->text));
            QCOMPARE(lost->model()->rowCount(), static_cast<int>(exported->remarks.size()));
            for (std::size_t row = 0; row < exported->remarks.size(); ++row)
                QCOMPARE(lost->model()->index(static_cast<int>(row), 1).data().toString(),
                         QString::fromStdString(exported->remarks[row].key));
        }
        QVERIFY(lost->isVisible() && lost->model()->rowCount() > 0);  // DeepSpeed's file has no model
        if (const QByteArray file = qgetenv("SLIPWAY_TEST_PICTURE"); !file.isEmpty())
            dialog->grab().save(QString::fromLocal8Bit(file));
        dialogAnswers().file = m_home->dir.filePath(QStringLiteral("deepspeed.json"));
        const QString wanted = text->toPlainText();
        dialog->findChild<QPushButton*>(QStringLiteral("exportSave"))->click();
        const std::string saved = dialogAnswers().file->toStdString();
        EVENTUALLY(readFile(saved).value_or("") == wanted.toStdString());
    }
};

SLIPWAY_TEST(TstExportDialog)
#include "tst_export_dialog.moc"
