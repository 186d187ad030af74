// Contents of files of other programs before the import: format, runs, malformed lines, mapping of names. The columns
// of a CSV can be imported as other metrics, or skipped.
#pragma once

#include "app/gui/engine/jobs.h"
#include "app/gui/models/rows_model.h"
#include "core/run/import_runs.h"

#include <QDialog>
#include <QStringList>
#include <map>
#include <optional>

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
    using Columns = std::map<std::string, std::string>;  ///< metric by column; empty: not imported
    struct File {
        QString path;
        Result<ImportedFile> read;
        std::vector<interop::NameUse> columns{};    ///< of a CSV; empty: its names are fixed
        std::vector<interop::NameUse> unchanged{};  ///< the same without a choice
    };
    static File readOne(const QString& path, const std::string& format, const std::optional<RunConfig>& config,
                        const Columns& chosen, const KeepGoing& keepGoing);
    void read();
    void show(std::vector<File> files);
    void showNames();
    void offerMetrics(const File& file);
    [[nodiscard]] const File* currentFile() const;
    void chooseConfig();

    QStringList m_paths;
    std::vector<File> m_files;
    std::map<QString, Columns> m_columns;  ///< chosen, by file
    int m_chosenRow = -1;                  ///< row of the last chosen metric
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
