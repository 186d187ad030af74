#include "app/gui/pages/groups_view.h"

#include "app/gui/models/runs_model.h"
#include "app/gui/pages/filter_dialog.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/tables.h"

#include <QHeaderView>
#include <QPainter>
#include <algorithm>
#include <map>
#include <utility>

namespace slipway::gui {
namespace {

constexpr int kFirstFigure = 4;
constexpr int kBand = 84;

/// Minimum to maximum as a band with a tick at the mean, on one scale from 0 for the column.
class BandDelegate : public RowDelegate {
public:
    BandDelegate(RowsModel<RunGroup>& model, QObject* parent) : RowDelegate(parent), m_model(model) {
        connect(&model, &QAbstractItemModel::modelReset, this, [this] { m_scales.clear(); });
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        RowDelegate::paint(painter, option, index);
        const FigureSummary* own = figureOf(index.row(), index.column());
        if (!own || own->numKnown == 0) return;
        const auto [least, greatest] = scaleOf(index.column());
        if (greatest <= least) return;
        const QRectF track(option.rect.left() + px(8), option.rect.center().y() - px(3), px(kBand - 16), px(7));
        const auto at = [&](double value) {
            return track.left() + track.width() * (value - least) / (greatest - least);
        };
        painter->fillRect(track, theme().sunken);
        QColor band = theme().hue(Hue::Blue);
        painter->fillRect(QRectF(QPointF(at(own->mean) - px(1), track.top() - px(2)), QSizeF(px(2), px(11))), band);
        band.setAlphaF(0.38F);
        painter->fillRect(QRectF(QPointF(at(own->least), track.top()),
                                 QPointF(std::max(at(own->greatest), at(own->least) + 1), track.bottom())),
                          band);
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return RowDelegate::sizeHint(option, index) + QSize(index.column() >= kFirstFigure ? px(kBand) : px(8), 0);
    }

private:
    /// The least and the greatest value of the column, and 0.
    [[nodiscard]] std::pair<double, double> scaleOf(int column) const {
        const auto [place, isNew] = m_scales.try_emplace(column, 0.0, 0.0);
        auto& [least, greatest] = place->second;
        for (int row = 0; isNew && row < m_model.rowCount(); ++row)
            if (const FigureSummary* other = figureOf(row, column); other && other->numKnown > 0) {
                greatest = std::max(greatest, other->greatest);
                least = std::min(least, other->least);
            }
        return place->second;
    }
    [[nodiscard]] const FigureSummary* figureOf(int row, int column) const {
        const RunGroup& group = m_model.rows()[static_cast<std::size_t>(row)];
        const auto place = static_cast<std::size_t>(column - kFirstFigure);
        return column >= kFirstFigure && place < group.figures.size() ? &group.figures[place] : nullptr;
    }
    RowsModel<RunGroup>& m_model;
    mutable std::map<int, std::pair<double, double>> m_scales;  // by column
};

QString figureText(const RunField& field, double value) {
    return cellText(field, CellValue(value), true);
}

}  // namespace

GroupsView::GroupsView(QWidget* parent)
    : QTableView(parent), m_model(new RowsModel<RunGroup>(std::vector<RowColumn<RunGroup>>(), this)) {
    setObjectName(QStringLiteral("groups"));
    setAccessibleName(tr("Groups of runs"));
    setModel(m_model);
    prepareTable(this);
    setItemDelegate(new BandDelegate(*m_model, this));
    connect(this, &QTableView::activated, this, [this](const QModelIndex& index) {
        const CellValue& value = m_model->rows()[static_cast<std::size_t>(index.row())].value;
        const auto* text = std::get_if<std::string>(&value);
        const auto* number = std::get_if<double>(&value);
        emit chosen(filterTerm(qs(m_groupBy), FilterOp::Equal,
                               {text     ? exactText(*text)
                                : number ? QString::number(*number, 'g', 17)
                                         : QStringLiteral("none")}));
    });
}

void GroupsView::setGroups(const std::string& groupBy, const std::vector<std::string>& figures,
                           std::vector<RunGroup> groups) {
    m_groupBy = groupBy;
    const RunField* by = findRunField(groupBy);
    if (!by) return m_model->setRows({});  // no longer in groups
    using Group = RunGroup;
    const auto count = [](std::int64_t number) { return countText(static_cast<double>(number)); };
    const bool isWords =
        by->kind == RunFieldKind::Text || by->kind == RunFieldKind::Model || by->kind == RunFieldKind::Tags;
    std::vector<RowColumn<Group>> columns{
        {columnTitle(by->name),
         [by](const Group& g) {
             const auto* number = std::get_if<double>(&g.value);
             const bool isWhole = number && by->kind != RunFieldKind::Real;
             return cellText(*by, isWhole ? CellValue(static_cast<std::int64_t>(*number)) : g.value, true).simplified();
         },
         isWords ? Qt::AlignLeft : Qt::AlignRight},
        {tr("Runs"), [count](const Group& g) { return count(g.count); }, Qt::AlignRight},
        {tr("Ran"), [count](const Group& g) { return count(g.ran); }, Qt::AlignRight},
        {tr("Failed"), [count](const Group& g) { return count(g.failed); }, Qt::AlignRight}};
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const RunField* field = findRunField(figures[i]);
        if (!field) continue;
        columns.push_back(
            {tr("%1, mean").arg(columnTitle(field->name)),
             [field, i](const Group& g) {
                 return g.figures[i].numKnown > 0 ? figureText(*field, g.figures[i].mean) : notApplicableText();
             },
             Qt::AlignRight, nullptr, nullptr,
             [field, i](const Group& g) {
                 const FigureSummary& f = g.figures[i];
                 return f.numKnown == 0 ? QString()
                                        : tr("%1 to %2, mean %3, of %Ln run(s)", nullptr, static_cast<int>(f.numKnown))
                                              .arg(figureText(*field, f.least), figureText(*field, f.greatest),
                                                   figureText(*field, f.mean));
             }});
    }
    const bool isNew = m_model->columnCount() != static_cast<int>(columns.size());
    m_model->setColumns(std::move(columns));
    m_model->setRows(std::move(groups));
    if (isNew) resizeColumnsToContents();
    setColumnWidth(0, std::clamp(columnWidth(0), px(120), px(320)));
}

}  // namespace slipway::gui
