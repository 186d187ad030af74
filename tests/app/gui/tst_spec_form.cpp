#include "app/gui/pages/plan_form.h"
#include "app/gui/values/plan_document.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/spec_form.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>

using namespace slipway;
using namespace slipway::gui;

class TstSpecForm : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { test::useLook(); }

    void everyFieldHasAnEditor() {
        const FieldInfos fields = documentFields(startingDocument());
        SpecForm form;
        arrangePlanForm(form, fields);
        for (const FieldInfo& info : fields) {
            if (info.path == "schema" || info.path == "train.device" || info.path == "software") continue;  // choosers
            QWidget* editor = form.editor(info.path);
            QVERIFY2(editor, info.path.c_str());
            QVERIFY2(!editor->accessibleName().isEmpty(), info.path.c_str());
            QVERIFY2(editor->toolTip().contains(QString::fromStdString(info.path)), info.path.c_str());
        }
    }

    void editorsByType_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("type");
        QTest::addRow("integer") << "train.seq_len"
                                 << "slipway::gui::NumberEdit";
        QTest::addRow("real") << "optimizer.lr"
                              << "slipway::gui::NumberEdit";
        QTest::addRow("enum") << "parallel.schedule"
                              << "QComboBox";
        QTest::addRow("short range") << "parallel.zero_stage"
                                     << "QComboBox";
        QTest::addRow("bool") << "model.tie_embeddings"
                              << "QCheckBox";
        QTest::addRow("optional bool") << "model.bias"
                                       << "QComboBox";
        QTest::addRow("list") << "parallel.layers_per_stage"
                              << "QLineEdit";
        QTest::addRow("text") << "data.tokens"
                              << "QLineEdit";
    }
    void editorsByType() {
        QFETCH(QString, path);
        QFETCH(QString, type);
        SpecForm form;
        arrangePlanForm(form, documentFields(startingDocument()));
        QCOMPARE(QString::fromLatin1(form.editor(path.toStdString())->metaObject()->className()), type);
    }

    void editsAreToldWhenTheyAreTaken() {
        SpecForm form;
        arrangePlanForm(form, documentFields(startingDocument()));
        QSignalSpy spy(&form, &SpecForm::edited);
        auto* micro = qobject_cast<NumberEdit*>(form.editor("train.micro_batch_size"));
        micro->setFocus();
        micro->selectAll();
        QTest::keyClicks(micro, "4");
        QCOMPARE(spy.count(), 0);
        QTest::keyClick(micro, Qt::Key_Return);
        QCOMPARE(spy.back()[0].toString(), QStringLiteral("train.micro_batch_size"));
        QCOMPARE(spy.back()[1].toString(), QStringLiteral("4"));
        auto* kv = qobject_cast<NumberEdit*>(form.editor("model.num_kv_heads"));
        kv->setAbsent();
        QCOMPARE(spy.back()[1].toString(), QString());
        auto* link = qobject_cast<NumberEdit*>(form.editor("cluster.inter_node.bytes_per_second"));
        link->setValue(25);
        QCOMPARE(spy.back()[1].toString(), QStringLiteral("25000000000"));
    }

    void degreesStepThroughPowersOfTwo() {
        NumberEdit edit;
        edit.configure(true, 1, 1024, 1, NumberEdit::Steps::Doubling);
        edit.setStored(6);
        edit.stepBy(1);
        QCOMPARE(edit.value(), 8.0);
        edit.stepBy(-1);
        QCOMPARE(edit.value(), 4.0);
        edit.setStored(1);
        edit.stepBy(-1);
        QCOMPARE(edit.value(), 1.0);
    }

    void smallAndLargeRealsKeepTheirDigits() {
        NumberEdit edit;
        edit.configure(false, 0, 1, 1, NumberEdit::Steps::One);
        edit.setStored(1e-8);
        QCOMPARE(edit.storedText().toDouble(), 1e-8);
        QCOMPARE(edit.textFromValue(1e-8), QStringLiteral("1e-08"));
        NumberEdit seed;
        seed.configure(true, 0, 9007199254740992.0, 1, NumberEdit::Steps::One);
        seed.setStored(9007199254740991.0);
        QCOMPARE(seed.storedText(), QStringLiteral("9007199254740991"));
    }

    void issuesStandUnderTheirFields() {
        SpecForm form;
        arrangePlanForm(form, documentFields(startingDocument()));
        form.setIssues({{Severity::Error, "not_divisible", "train.micro_batch_size", "does not divide"},
                        {Severity::Warning, "tp_exposed", "parallel.tp", "slow"}});
        QCOMPARE(form.issueShownAt("train.micro_batch_size"), QStringLiteral("does not divide"));
        QVERIFY(form.editor("train.micro_batch_size")->property("invalid").toBool());
        QVERIFY(form.issueShownAt("parallel.tp").isEmpty());
        form.setIssues({});
        QVERIFY(form.issueShownAt("train.micro_batch_size").isEmpty());
        QVERIFY(!form.editor("train.micro_batch_size")->property("invalid").toBool());
    }

    void fieldsThatDoNotApplyHide() {
        SpecForm form;
        PlanDocument document = startingDocument();
        arrangePlanForm(form, documentFields(document));
        form.resize(344, 800);
        form.show();
        QVERIFY(form.editor("parallel.schedule")->isVisible());
        document.config.parallel.pp = 1;
        form.setFields(documentFields(document));
        QVERIFY(!form.editor("parallel.schedule")->isVisible());
    }

    void searchFindsLabelsAndKeys() {
        SpecForm form;
        arrangePlanForm(form, documentFields(startingDocument()));
        form.resize(344, 800);
        form.show();
        form.setSearch(QStringLiteral("weight_decay"));
        QVERIFY(form.editor("optimizer.weight_decay")->isVisible());
        QVERIFY(!form.editor("train.seq_len")->isVisible());
        form.setSearch(QStringLiteral("Sequence length"));
        QVERIFY(form.editor("train.seq_len")->isVisible());
    }

    void wheelLeavesUnfocusedEditorsAlone() {
        SpecForm form;
        arrangePlanForm(form, documentFields(startingDocument()));
        auto* box = qobject_cast<QComboBox*>(form.editor("train.precision"));
        const int before = box->currentIndex();
        QWheelEvent wheel({5, 5}, {5, 5}, {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(box, &wheel);
        QCOMPARE(box->currentIndex(), before);
    }
};

SLIPWAY_TEST(TstSpecForm)
#include "tst_spec_form.moc"
