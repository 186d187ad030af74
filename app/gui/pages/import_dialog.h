// What files of other programs hold, before anything is made of it: format, runs, what was not understood, which name becomes what.
#pragma once

#include "app/gui/engine/jobs.h"
#include "app/gui/models/rows_model.h"
#include "core/run/import_runs.h"

#include <QDialog>
#include <QStringList>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace slipway::gui {

class ImportDialog : public QDialog {
    Q_OBJECT

public:
    ImportDialog(QStringList files, QWidget* parent);

signals:
    void importWanted(const std::vector<slipway::ImportedRun>& runs);

private:
    struct File {
        QString path;
        Result<ImportedFile> read;
    };
    void read();
    void show(std::vector<File> files);
    void showNames();
    void chooseConfig();

    QStringList m_paths;
    std::vector<File> m_files;
    std::optional<RunConfig> m_config;
    LatestJob m_job;
    QComboBox* m_format;
    QPushButton* m_configButton;
    QLabel* m_configText;
    QLabel* m_state;
    QTableView* m_table;
    RowsModel<const File*>* m_model;
    RowsModel<interop::NameUse>* m_names;
    QTableView* m_namesTable;
    QLabel* m_namesTitle;
    QPushButton* m_import;
};

}  // namespace slipway::gui
