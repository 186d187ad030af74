// Choose and order the columns of the runs table: search, check, drag, reset.
#pragma once

#include <QDialog>
#include <string>
#include <vector>

class QLineEdit;
class QListWidget;

namespace slipway::gui {

class ColumnsDialog : public QDialog {
    Q_OBJECT

public:
    ColumnsDialog(const std::vector<std::string>& shown, QWidget* parent);

signals:
    /// At every change; the first column (the name) is not listed.
    void changed(const std::vector<std::string>& columns);

private:
    void fill(const std::vector<std::string>& shown);
    void tell();

    QLineEdit* m_search;
    QListWidget* m_list;
    bool m_filling = false;
};

}  // namespace slipway::gui
