// A report of runs, of a sweep or of a chapter: title and author, format and language, and a preview of its summary.
//   openReport(context, {.summary = ..., .write = ..., .name = "report"}, page);
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "core/report/build_report.h"

#include <QDialog>
#include <functional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace slipway::gui {

class Page;

/// Functions that make a report. Both run on a worker; `write` is the command's own function, with the same bytes.
struct ReportMaker {
    std::function<Result<std::string>(const ReportHead&)> summary;
    std::function<Result<std::string>(const ReportHead&, ReportFormat)> write;
    QString name;             ///< of the file, without its extension
    QString title, question;  ///< defaults for empty fields
};

/// A report from the index.
ReportMaker reportOf(const Home& home, const ReportSubject& subject);

class ReportDialog : public QDialog {
    Q_OBJECT

public:
    ReportDialog(Context& context, ReportMaker maker, QWidget* parent);

signals:
    void said(const QString& text);

private:
    [[nodiscard]] ReportHead head() const;
    [[nodiscard]] ReportFormat format() const;
    void showSummary();
    void save();

    Context& m_context;
    ReportMaker m_maker;
    LatestJob m_preview;
    LatestJob m_saving;
    QLineEdit* m_title;
    QLineEdit* m_author;
    QLineEdit* m_question;
    QLineEdit* m_date;
    QComboBox* m_format;
    QComboBox* m_language;
    QLabel* m_summary;
    QPushButton* m_save;
};

/// Opens the dialog over the page, which reports the outcome.
void openReport(Context& context, ReportMaker maker, Page* page);

}  // namespace slipway::gui
