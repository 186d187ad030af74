// The open plan in another framework's format: first the fields it cannot express, then its text, to copy or save.
//   (new ExportDialog(config, options, this))->open();
#pragma once

#include "app/gui/models/rows_model.h"
#include "core/interop/formats.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace slipway::gui {

class ExportDialog : public QDialog {
    Q_OBJECT

public:
    ExportDialog(RunConfig config, interop::ExportOptions options, QWidget* parent);

signals:
    void said(const QString& text);

private:
    void showFormat(int format);
    void save();

    RunConfig m_config;
    interop::ExportOptions m_options;
    QComboBox* m_format;
    QLabel* m_verdict;
    RowsModel<interop::Remark>* m_lost;
    QTableView* m_table;
    QPlainTextEdit* m_text;
    QPushButton* m_copy;
    QPushButton* m_save;
};

}  // namespace slipway::gui
