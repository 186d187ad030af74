#include "app/gui/main_window.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScopeGuard>
#include <QStatusBar>
#include <QTableView>

using namespace slipway;
using namespace slipway::gui;

/// The window in the font of Korean desktops, whose lines are a quarter taller than those of Latin fonts.
class TstTallFont : public QObject {
    Q_OBJECT

    static QString nameOf(const QWidget* widget, const QString& text) {
        return QStringLiteral("%1 %2 \"%3\": %4 px for a line of %5")
            .arg(widget->metaObject()->className(), widget->objectName(), text)
            .arg(widget->height())
            .arg(widget->fontMetrics().height());
    }

private slots:
    void noTextIsCut_data() {
        QTest::addColumn<QString>("language");
        QTest::addRow("English") << "en";
        QTest::addRow("Korean") << "ko";
    }
    void noTextIsCut() {
        QFETCH(QString, language);
        const QString family = QStringLiteral("Noto Sans CJK KR");
        if (!QFontDatabase::families().contains(family)) QSKIP("fonts-noto-cjk is not installed");
        const QFont before = QApplication::font();
        const auto restore = qScopeGuard([&] {
            QApplication::setFont(before);
            WindowLanguage().apply(QStringLiteral("en"));
            test::useLook();
        });
        test::useLook();
        QFont tall(family);
        tall.setPixelSize(13);
        QApplication::setFont(tall);
        WindowLanguage words;
        words.apply(language);
        test::GuiHome home(6, 30);
        QVERIFY(home.start());
        MainWindow window(*home.context);
        window.resize(1280, 800);
        window.show();
        QStringList cut;
        const auto check = [&](QWidget* root) {
            for (QWidget* widget : root->findChildren<QWidget*>()) {
                if (!widget->isVisible() || widget->size().isEmpty()) continue;
                const int line = widget->fontMetrics().height();
                if (auto* label = qobject_cast<QLabel*>(widget)) {
                    if (!label->text().isEmpty() && label->height() < line) cut << nameOf(label, label->text());
                } else if (auto* button = qobject_cast<QAbstractButton*>(widget)) {
                    if (!button->text().isEmpty() && button->height() < line) cut << nameOf(button, button->text());
                } else if (qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget) ||
                           qobject_cast<QAbstractSpinBox*>(widget)) {
                    if (widget->height() < line) cut << nameOf(widget, {});
                } else if (auto* table = qobject_cast<QTableView*>(widget)) {
                    if (table->verticalHeader()->defaultSectionSize() < line + 2 ||
                        (table->horizontalHeader()->isVisible() && table->horizontalHeader()->height() < line + 2))
                        cut << nameOf(table, {});
                }
            }
        };
        for (const PageId id : {PageId::Plan, PageId::Runs, PageId::Run, PageId::Compare, PageId::Sweeps, PageId::Nodes,
                                PageId::Playbook, PageId::Tools, PageId::Settings}) {
            if (id == PageId::Run || id == PageId::Compare) {
                const auto rows = readStore(home.home, [](RunStore& store) { return store.list({}); });
                QVERIFY(rows);
                if (id == PageId::Run)
                    window.openRun(rows->front().record.id);
                else
                    window.openCompare({rows->at(0).record.id, rows->at(1).record.id});
            }
            window.openPage(id);
            test::settle();
            check(window.page(id));
        }
        check(window.statusBar());
        closeThreadStore();
        cut.removeDuplicates();
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join('\n')));
    }
};

SLIPWAY_TEST(TstTallFont)
#include "tst_tall_font.moc"
