// The rows of an answer of core (core/answers/answer.h) as a table, or its figures as lines. Enter, a double click or
// the context menu shows the formula of a cell's figure.
#pragma once

#include "app/gui/models/rows_model.h"
#include "core/answers/answer.h"

#include <QStringList>
#include <QTableView>

namespace slipway::gui {

/// One figure with its formula and source.
struct FigureBasis {
    QString title, value, formula, source;
};

/// A small window below `at` with the formula and the source of a figure; replacing the previous one.
void showFigureBasis(QWidget* at, const FigureBasis& basis);

/// Text of a value in the window's language; "n/a" where there is none.
QString answerText(const Json& value, const AnswerColumn& column);
/// The figure of this key with its basis; empty title where the view has none.
FigureBasis figureBasis(const AnswerView& view, const Json& json, std::string_view key);

class AnswerTable : public QTableView {
    Q_OBJECT

public:
    explicit AnswerTable(QWidget* parent = nullptr);
    /// @param rows a list of objects; their members `formula` and `source` are the basis of figures whose column has none
    /// @param strongKey row whose value under this key is `strong` is bold
    void setRows(const std::vector<AnswerColumn>& columns, const Json& rows, const std::string& strongKey = {},
                 const std::string& strong = {});
    /// Figure, value, formula, source: a line for each figure that the document has.
    void setFigures(const std::vector<AnswerColumn>& figures, const Json& json);
    /// The text of a cell; empty outside.
    [[nodiscard]] QString cell(int row, int column) const;
    [[nodiscard]] QString tabSeparated() const;

private:
    struct Row {
        std::vector<FigureBasis> cells;
        bool isStrong = false;
    };
    void explain(const QModelIndex& index);
    void show(std::vector<RowColumn<Row>> columns, std::vector<Row> rows);
    static RowColumn<Row> column(const QString& title, std::size_t at, bool isNumber);

    RowsModel<Row>* m_rows;
};

}  // namespace slipway::gui
