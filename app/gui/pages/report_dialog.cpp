#include "app/gui/pages/report_dialog.h"

#include "app/gui/engine/store_access.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "core/base/clock.h"
#include "core/base/file.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

const QString kAuthorKey = QStringLiteral("report/author");
const QString kFormatKey = QStringLiteral("report/format");

QLineEdit* lineOf(QWidget* parent, const char* name) {
    auto* edit = new QLineEdit(parent);
    edit->setObjectName(QString::fromLatin1(name));
    edit->setMaxLength(400);
    return edit;
}

}  // namespace

ReportMaker reportOf(const Home& home, const ReportSubject& subject) {
    ReportMaker maker;
    maker.summary = [home, subject](const ReportHead& head) {
        return readStore(home, [&](RunStore& store) -> Result<std::string> {
            const auto report = subject.sweep.empty() ? buildRunReport(store, home, subject.runs, head)
                                                      : buildSweepReport(store, home, subject.sweep, head);
            if (!report) return slipway::fail(report.error());
            return report->summary;
        });
    };
    maker.write = [home, subject](const ReportHead& head, ReportFormat format) {
        return readStore(home, [&](RunStore& store) { return reportFile(store, home, subject, head, format); });
    };
    maker.name = QStringLiteral("report");
    return maker;
}

ReportDialog::ReportDialog(Context& context, ReportMaker maker, QWidget* parent)
    : QDialog(parent), m_context(context), m_maker(std::move(maker)), m_preview(this), m_saving(this) {
    setObjectName(QStringLiteral("reportDialog"));
    setWindowTitle(tr("Report"));
    auto* form = new QFormLayout;
    m_title = lineOf(this, "reportTitle");
    m_title->setPlaceholderText(m_maker.title);
    m_author = lineOf(this, "reportAuthor");
    m_author->setText(context.settings.value(kAuthorKey).toString());
    m_question = lineOf(this, "reportQuestion");
    m_question->setPlaceholderText(m_maker.question);
    m_date = lineOf(this, "reportDate");
    m_date->setText(qs(reportDate(unixMillisecondsNow())));
    m_format = new QComboBox(this);
    m_format->setObjectName(QStringLiteral("reportFormat"));
    m_format->addItems({tr("HTML page"), QStringLiteral("PDF"), QStringLiteral("Markdown"), QStringLiteral("CSV"),
                        tr("LaTeX tables")});
    m_format->setCurrentIndex(context.settings.value(kFormatKey, 0).toInt());
    m_language = new QComboBox(this);
    m_language->setObjectName(QStringLiteral("reportLanguage"));
    m_language->addItems({QStringLiteral("English"), QStringLiteral("한국어")});
    m_language->setCurrentIndex(windowLanguage() == Language::Korean ? 1 : 0);
    form->addRow(tr("Title"), m_title);
    form->addRow(tr("Author"), m_author);
    form->addRow(tr("Question"), m_question);
    form->addRow(tr("Date"), m_date);
    form->addRow(tr("Format"), m_format);
    form->addRow(tr("Language"), m_language);
    m_summary = quietLabel({}, this);
    m_summary->setObjectName(QStringLiteral("reportSummary"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);
    m_summary->setMinimumHeight(px(84));
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    form->addRow(tr("Summary"), m_summary);
    auto* buttons = new QDialogButtonBox(this);
    m_save = buttons->addButton(tr("Save…"), QDialogButtonBox::AcceptRole);
    m_save->setObjectName(QStringLiteral("reportSave"));
    m_save->setDefault(true);
    QPushButton* cancel = buttons->addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(buttons);
    resize(px(560), px(380));
    connect(m_language, &QComboBox::currentIndexChanged, this, &ReportDialog::showSummary);
    connect(m_save, &QPushButton::clicked, this, &ReportDialog::save);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    showSummary();
}

ReportHead ReportDialog::head() const {
    ReportHead head;
    head.title = m_title->text().trimmed().toStdString();
    head.author = m_author->text().trimmed().toStdString();
    head.question = m_question->text().trimmed().toStdString();
    head.date = m_date->text().trimmed().toStdString();
    head.language = m_language->currentIndex() == 1 ? Language::Korean : Language::English;
    return head;
}

ReportFormat ReportDialog::format() const {
    return static_cast<ReportFormat>(m_format->currentIndex());
}

void ReportDialog::showSummary() {
    m_summary->setText(tr("Reading…"));
    m_preview.start([make = m_maker.summary, head = head()](std::stop_token) { return make(head); },
                    [this](const Result<std::string>& summary) {
                        m_summary->setText(summary ? wordJoined(qs(*summary)) : errorText(summary.error()));
                        m_save->setEnabled(summary.has_value());
                    });
}

void ReportDialog::save() {
    static const QStringList endings{"html", "pdf", "md", "csv", "tex"};
    const QString file =
        askSaveFile(this, tr("Save report"), m_maker.name + QLatin1Char('.') + endings.value(m_format->currentIndex()));
    if (file.isEmpty()) return;
    m_context.settings.setValue(kAuthorKey, m_author->text().trimmed());
    m_context.settings.setValue(kFormatKey, m_format->currentIndex());
    m_save->setEnabled(false);
    // The typed extension chooses the format, as in the command.
    const ReportFormat form = reportFormatOf(file.toStdString()).value_or(format());
    m_saving.start(
        [write = m_maker.write, head = head(), form, path = file.toStdString()](std::stop_token) -> Result<void> {
            const auto bytes = write(head, form);
            if (!bytes) return slipway::fail(bytes.error());
            return writeFileAtomically(path, *bytes);
        },
        [this, file](const Result<void>& written) {
            emit said(written ? tr("Saved %1").arg(shown(file)) : errorText(written.error()));
            m_save->setEnabled(true);
            if (written) accept();
        });
}

void openReport(Context& context, ReportMaker maker, Page* page) {
    auto* dialog = new ReportDialog(context, std::move(maker), page);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &ReportDialog::said, page, &Page::said);
    dialog->open();
}

}  // namespace slipway::gui
