#include "app/gui/widgets/answer_table.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/tables.h"

#include <nlohmann/json.hpp>

#include <QDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {

void showFigureBasis(QWidget* at, const FigureBasis& basis) {
    for (QDialog* former : at->window()->findChildren<QDialog*>(QStringLiteral("figureBasis"))) former->close();
    auto* dialog = new QDialog(at);
    dialog->setObjectName(QStringLiteral("figureBasis"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(AnswerTable::tr("Formula"));
    auto* column = new QVBoxLayout(dialog);
    column->setContentsMargins(px(16), px(12), px(16), px(12));
    column->setSpacing(px(8));
    auto* head = new QHBoxLayout;
    auto* title = new QLabel(basis.title, dialog);
    title->setFont(fontOf(1.0, true));
    auto* value = new QLabel(basis.value, dialog);
    value->setFont(fontOf(1.0, true));
    head->addWidget(title);
    head->addStretch();
    head->addSpacing(px(24));
    head->addWidget(value);
    column->addLayout(head);
    const auto add = [&](const QString& text, const char* name) {
        if (text.isEmpty()) return;
        auto* label = new QLabel(wordJoined(text), dialog);
        label->setObjectName(QString::fromLatin1(name));
        label->setWordWrap(true);
        label->setMinimumWidth(px(320));
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        column->addWidget(label);
    };
    add(basis.formula.isEmpty() ? AnswerTable::tr("Given, not computed.") : QStringLiteral("= ") + basis.formula,
        "formula");
    if (!basis.source.isEmpty()) add(AnswerTable::tr("Source: %1").arg(basis.source), "source");
    dialog->setAccessibleName(basis.title + QStringLiteral(" = ") + basis.value + QStringLiteral(" = ") +
                              basis.formula);
    dialog->adjustSize();
    QPoint corner = at->mapToGlobal(QPoint(0, std::min(at->height(), px(90)) + px(2)));
    const QRect screen = at->screen()->availableGeometry();
    corner.setX(std::clamp(corner.x(), screen.left(), std::max(screen.left(), screen.right() - dialog->width())));
    corner.setY(std::clamp(corner.y(), screen.top(), std::max(screen.top(), screen.bottom() - dialog->height())));
    dialog->move(corner);
    dialog->show();
}

QString answerText(const Json& value, const AnswerColumn& column) {
    if (value.is_null()) return notApplicableText();
    if (column.nameOf != nullptr && value.is_string())
        if (const SourceText name = column.nameOf(value.get_ref<const std::string&>()); !name.empty())
            return messageText(name);
    return qs(cellText(value, column, windowLanguage()));
}

FigureBasis figureBasis(const AnswerView& view, const Json& json, std::string_view key) {
    for (const AnswerColumn& column : view.figures)
        if (column.key == key && json.contains(column.key))
            return {messageText(column.title), answerText(json[column.key], column), qs(column.formula),
                    qs(column.source)};
    return {};
}

AnswerTable::AnswerTable(QWidget* parent) : QTableView(parent), m_rows(new RowsModel<Row>({}, this)) {
    setModel(m_rows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    prepareTable(this);
    // Figures are never cut: the last column, the source, gets the remaining width; a narrow table scrolls.
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setStretchLastSection(true);
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(this, &QTableView::activated, this, &AnswerTable::explain);
    connect(this, &QTableView::doubleClicked, this, &AnswerTable::explain);
    connect(this, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) { explain(indexAt(at)); });
}

void AnswerTable::explain(const QModelIndex& index) {
    if (!index.isValid()) return;
    const Row& row = m_rows->rows()[static_cast<std::size_t>(index.row())];
    const FigureBasis& basis = row.cells[static_cast<std::size_t>(index.column())];
    if (!basis.formula.isEmpty() || !basis.source.isEmpty()) showFigureBasis(this, basis);
}

RowColumn<AnswerTable::Row> AnswerTable::column(const QString& title, std::size_t at, bool isNumber) {
    return {title,
            [at](const Row& row) { return row.cells[at].value; },
            isNumber ? Qt::AlignRight : Qt::AlignLeft,
            {},
            [](const Row& row) { return row.isStrong; },
            [at](const Row& row) {
                const FigureBasis& basis = row.cells[at];
                QStringList lines;
                if (!basis.formula.isEmpty()) lines << QStringLiteral("= ") + basis.formula;
                if (!basis.source.isEmpty()) lines << tr("Source: %1").arg(basis.source);
                return lines.isEmpty() ? basis.value : lines.join(QLatin1Char('\n'));
            }};
}

void AnswerTable::show(std::vector<RowColumn<Row>> columns, std::vector<Row> rows) {
    const QModelIndex current = currentIndex();
    const QSignalBlocker quiet(selectionModel());
    m_rows->setRows({});
    m_rows->setColumns(std::move(columns));
    m_rows->setRows(std::move(rows));
    if (m_rows->rowCount() > 0)
        setCurrentIndex(m_rows->index(std::clamp(current.row(), 0, m_rows->rowCount() - 1),
                                      std::clamp(current.column(), 0, m_rows->columnCount() - 1)));
}

void AnswerTable::setRows(const std::vector<AnswerColumn>& columns, const Json& rows, const std::string& strongKey,
                          const std::string& strong) {
    std::vector<RowColumn<Row>> shown;
    for (std::size_t i = 0; i < columns.size(); ++i)
        shown.push_back(column(messageText(columns[i].title), i, columns[i].format != nullptr));
    std::vector<Row> lines;
    for (const Json& json : rows) {
        Row row;
        const auto own = [&json](const char* key) {
            return json.contains(key) && json[key].is_string() ? qs(json[key].get<std::string>()) : QString();
        };
        for (const AnswerColumn& c : columns) {
            const Json value = json.contains(c.key) ? json[c.key] : Json(nullptr);
            const bool isNumber = c.format != nullptr;
            row.cells.push_back({messageText(c.title), answerText(value, c),
                                 c.formula.empty() && isNumber ? own("formula") : qs(c.formula),
                                 c.source.empty() && isNumber ? own("source") : qs(c.source)});
        }
        row.isStrong = !strongKey.empty() && json.contains(strongKey) && json[strongKey].is_string() &&
                       json[strongKey].get_ref<const std::string&>() == strong;
        lines.push_back(std::move(row));
    }
    show(std::move(shown), std::move(lines));
}

void AnswerTable::setFigures(const std::vector<AnswerColumn>& figures, const Json& json) {
    std::vector<Row> lines;
    for (const AnswerColumn& figure : figures) {
        if (!json.contains(figure.key)) continue;
        const FigureBasis basis{messageText(figure.title), answerText(json[figure.key], figure), qs(figure.formula),
                                qs(figure.source)};
        Row row;
        for (const QString& text : {basis.title, basis.value, basis.formula, basis.source}) {
            row.cells.push_back(basis);
            row.cells.back().value = text;
        }
        lines.push_back(std::move(row));
    }
    show({column(tr("Figure"), 0, false), column(tr("Value"), 1, true), column(tr("Formula"), 2, false),
          column(tr("Source"), 3, false)},
         std::move(lines));
}

QString AnswerTable::cell(int row, int column) const {
    return m_rows->index(row, column).data().toString();
}

QString AnswerTable::tabSeparated() const {
    QString text;
    for (int row = -1; row < m_rows->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < m_rows->columnCount(); ++column)
            cells << tabCell(row < 0 ? m_rows->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()
                                     : cell(row, column));
        text += cells.join('\t') + '\n';
    }
    return text;
}

}  // namespace slipway::gui
