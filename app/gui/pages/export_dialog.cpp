#include "app/gui/pages/export_dialog.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/tables.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

struct Target {
    const char* id;      ///< of interop::formats()
    const char* title;   ///< marked for translation
    const char* ending;  ///< of its files
};
constexpr Target kTargets[] = {
    {"megatron", QT_TRANSLATE_NOOP("slipway::gui::ExportDialog", "Megatron-LM: arguments"), "args"},
    {"torchtitan", QT_TRANSLATE_NOOP("slipway::gui::ExportDialog", "torchtitan: TOML"), "toml"},
    {"nanotron", QT_TRANSLATE_NOOP("slipway::gui::ExportDialog", "nanotron: YAML"), "yaml"},
    {"deepspeed", QT_TRANSLATE_NOOP("slipway::gui::ExportDialog", "DeepSpeed: JSON, without the model"), "json"},
};

}  // namespace

ExportDialog::ExportDialog(RunConfig config, interop::ExportOptions options, QWidget* parent)
    : QDialog(parent), m_config(std::move(config)), m_options(options) {
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export to another framework"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_format = new QComboBox(this);
    m_format->setObjectName(QStringLiteral("exportFormat"));
    m_format->setAccessibleName(tr("Framework"));
    for (const Target& target : kTargets) m_format->addItem(tr(target.title));
    m_verdict = new QLabel(this);
    m_verdict->setObjectName(QStringLiteral("exportVerdict"));
    m_verdict->setFont(fontOf(1.0, true));
    m_verdict->setWordWrap(true);
    using R = interop::Remark;
    const auto key = [](const R& r) { return qs(r.key); };
    m_lost = new RowsModel<R>(
        {{tr("Not expressed"), [](const R& r) { return fieldLabel(r.key); }, Qt::AlignLeft, {}, {}, key},
         {tr("Field"), key, Qt::AlignLeft, [](const R&) { return theme().text2; }},
         {tr("Value here"), [](const R& r) { return qs(r.value); }}},
        this);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("exportLost"));
    m_table->setAccessibleName(tr("Not expressed"));
    m_table->setModel(m_lost);
    prepareTable(m_table);
    keepColumnsFitted(m_table);
    m_text = new QPlainTextEdit(this);
    m_text->setObjectName(QStringLiteral("exportText"));
    m_text->setAccessibleName(tr("The file"));
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_copy = new QPushButton(tr("Copy"), this);
    m_copy->setObjectName(QStringLiteral("exportCopy"));
    m_save = new QPushButton(tr("Save…"), this);
    m_save->setObjectName(QStringLiteral("exportSave"));
    m_save->setProperty("primary", true);
    m_save->setDefault(true);
    auto* close = new QPushButton(tr("Close"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_copy);
    buttons->addStretch(1);
    buttons->addWidget(close);
    buttons->addWidget(m_save);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(16), px(16), px(16), px(16));
    layout->setSpacing(px(10));
    layout->addWidget(m_format);
    layout->addWidget(m_verdict);
    layout->addWidget(m_table, 2);
    layout->addWidget(m_text, 3);
    layout->addLayout(buttons);
    resize(px(720), px(640));
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::showFormat);
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_text->toPlainText()); });
    connect(m_save, &QPushButton::clicked, this, &ExportDialog::save);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    showFormat(0);
}

void ExportDialog::showFormat(int format) {
    const auto exported = interop::exportConfig(kTargets[format].id, m_config, m_options);
    for (QPushButton* button : {m_copy, m_save}) button->setEnabled(exported.has_value());
    m_table->setVisible(exported && !exported->remarks.empty());
    if (!exported) {
        m_verdict->setText(wordJoined(errorText(exported.error())));
        m_lost->setRows({});
        m_text->clear();
        return;
    }
    const int lost = static_cast<int>(exported->remarks.size());
    m_verdict->setText(wordJoined(lost == 0 ? tr("Every field of the plan is expressed.")
                                            : tr("%n field(s) cannot be expressed and will be lost.", nullptr, lost)));
    m_lost->setRows(exported->remarks);
    m_text->setPlainText(exactText(exported->text));
}

void ExportDialog::save() {
    const Target& target = kTargets[m_format->currentIndex()];
    const QString file =
        askSaveFile(this, tr("Save for another framework"),
                    QStringLiteral("%1-%2.%3")
                        .arg(fileName(m_config.name), QLatin1String(target.id), QLatin1String(target.ending)));
    if (file.isEmpty()) return;
    saveText(this, file, m_text->toPlainText(), [this, file](const QString& problem) {
        emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
        if (problem.isEmpty()) accept();
    });
}

}  // namespace slipway::gui
