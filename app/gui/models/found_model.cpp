#include "app/gui/models/found_model.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"

#include <QCoreApplication>
#include <cmath>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("FoundModel", text);
}

QString intervalTip(const FoundRow& row) {
    return intervalText({row.layout.step.stepSecondsLow, row.layout.step.stepSecondsHigh}, row.layout.step.label,
                        secondsText);
}

double keyOf(const FoundRow& row, FoundColumn column) {
    const StepEstimate& s = row.layout.step;
    switch (column) {
        case FoundColumn::Rank: return row.rank > 0 ? row.rank : kUnknown;
        case FoundColumn::Front: return row.onFront ? 0 : 1;
        case FoundColumn::Layout: return kUnknown;  // by text
        case FoundColumn::Step: return s.stepSeconds;
        case FoundColumn::Speed: return s.tokensPerSecondPerDevice;
        case FoundColumn::Mfu: return s.mfu.value_or(kUnknown);
        case FoundColumn::Memory: return row.layout.memoryPeakBytes;
        case FoundColumn::Bubble: return s.bubbleSimulated;
        case FoundColumn::Cost: return row.layout.cost.money.value_or(row.layout.cost.deviceHours);
        case FoundColumn::Label:
            return s.label == "measured"       ? 0
                   : s.label == "fitted"       ? 1
                   : s.label == "calibrated"   ? 1
                   : s.label == "typical"      ? 2
                   : s.label == "extrapolated" ? 3
                                               : 4;
    }
    return kUnknown;
}

}  // namespace

std::vector<RowColumn<FoundRow>> foundColumns(const QString& perDevice, bool priced) {
    using R = FoundRow;
    return {
        {QStringLiteral("#"),
         [](const R& r) { return r.rank > 0 ? QString::number(r.rank) : unknownText(); },
         Qt::AlignRight,
         {},
         {},
         [](const R& r) {
             return r.rank > 0 ? QString()
                               : say(QT_TRANSLATE_NOOP("FoundModel",
                                                       "Pareto-optimal, but not among the best for the objective"));
         }},
        {say(QT_TRANSLATE_NOOP("FoundModel", "Pareto-optimal")),
         [](const R& r) { return r.onFront ? QStringLiteral("●") : QString(); },
         Qt::AlignHCenter,
         [](const R&) { return theme().hue(Hue::Blue); },
         {},
         [](const R& r) {
             return r.onFront
                        ? say(QT_TRANSLATE_NOOP(
                              "FoundModel", "No other layout improves speed, memory or cost without worsening another"))
                        : QString();
         }},
        {say(QT_TRANSLATE_NOOP("FoundModel", "Layout")),
         [](const R& r) {
             return r.isCurrent ? say(QT_TRANSLATE_NOOP("FoundModel", "%1 (this plan)")).arg(r.text()) : r.text();
         },
         Qt::AlignLeft,
         {},
         [](const R& r) { return r.isCurrent; },
         [](const R& r) { return r.text(); }},
        {say(QT_TRANSLATE_NOOP("FoundModel", "Step time")),
         [](const R& r) {
             const StepEstimate& s = r.layout.step;
             return secondsWithin(s.stepSeconds, {s.stepSecondsLow, s.stepSecondsHigh});
         },
         Qt::AlignRight,
         {},
         {},
         intervalTip},
        {perDevice, [](const R& r) { return countText(r.layout.step.tokensPerSecondPerDevice); }, Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("FoundModel", "MFU")),
         [](const R& r) { return r.layout.step.mfu ? percentText(*r.layout.step.mfu) : unknownText(); },
         Qt::AlignRight,
         {},
         {},
         [](const R& r) { return QStringLiteral("MFU (%1)").arg(mfuRuleText(r.layout.step.mfuRule)); }},
        {say(QT_TRANSLATE_NOOP("FoundModel", "Memory")), [](const R& r) { return bytesText(r.layout.memoryPeakBytes); },
         Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("FoundModel", "Bubble")),
         [](const R& r) { return percentText(r.layout.step.bubbleSimulated); }, Qt::AlignRight},
        {priced ? say(QT_TRANSLATE_NOOP("FoundModel", "Cost")) : say(QT_TRANSLATE_NOOP("FoundModel", "Device-hours")),
         [](const R& r) {
             return r.layout.cost.money ? moneyText(r.layout.cost.money, r.layout.cost.currency)
                                        : countText(r.layout.cost.deviceHours);
         },
         Qt::AlignRight,
         {},
         {},
         [](const R& r) {
             return say(QT_TRANSLATE_NOOP("FoundModel", "%1, %2 device-hours"))
                 .arg(secondsText(r.layout.cost.trainingSeconds), countText(r.layout.cost.deviceHours));
         }},
        {say(QT_TRANSLATE_NOOP("FoundModel", "Basis")),
         [](const R& r) { return labelText(r.layout.step.label); },
         Qt::AlignLeft,
         {},
         {},
         [](const R& r) { return labelHelp(r.layout.step.label); }},
    };
}

std::string figureOf(const FoundRow& row, FoundColumn column) {
    switch (column) {
        case FoundColumn::Step: return "step_seconds";
        case FoundColumn::Speed: return "tokens_per_second_per_device";
        case FoundColumn::Mfu: return "mfu";
        case FoundColumn::Memory: return "memory_peak_bytes";
        case FoundColumn::Bubble: return "bubble_simulated";
        case FoundColumn::Cost: return row.layout.cost.money ? "money" : "device_hours";
        case FoundColumn::Rank:
        case FoundColumn::Front:
        case FoundColumn::Layout:
        case FoundColumn::Label: return {};
    }
    return {};
}

FoundSort::FoundSort(RowsModel<FoundRow>* rows, QObject* parent) : QSortFilterProxyModel(parent), m_rows(rows) {
    setSourceModel(rows);
}

void FoundSort::setPassing(std::vector<bool> passing) {
    m_passing = std::move(passing);
    invalidateFilter();
}

QVariant FoundSort::headerData(int section, Qt::Orientation orientation, int role) const {
    const bool sorted = orientation == Qt::Horizontal && section == sortColumn();
    if (sorted && role == Qt::DisplayRole)
        return QSortFilterProxyModel::headerData(section, orientation, role).toString() +
               (sortOrder() == Qt::AscendingOrder ? QStringLiteral(" ↑") : QStringLiteral(" ↓"));
    if (sorted && role == Qt::FontRole) return fontOf(kSideSize, true);
    if (sorted && role == Qt::ForegroundRole) return theme().text;
    return QSortFilterProxyModel::headerData(section, orientation, role);
}

// Unknown figures come last in both orders.
bool FoundSort::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const FoundRow& a = m_rows->rows()[static_cast<std::size_t>(left.row())];
    const FoundRow& b = m_rows->rows()[static_cast<std::size_t>(right.row())];
    const auto column = static_cast<FoundColumn>(left.column());
    if (column == FoundColumn::Layout) return a.text() < b.text();
    const double x = keyOf(a, column), y = keyOf(b, column);
    if (std::isnan(x) || std::isnan(y))
        return sortOrder() == Qt::AscendingOrder ? !std::isnan(x) && std::isnan(y) : std::isnan(x) && !std::isnan(y);
    return x < y;
}

bool FoundSort::filterAcceptsRow(int row, const QModelIndex&) const {
    return row >= static_cast<int>(m_passing.size()) || m_passing[static_cast<std::size_t>(row)];
}

}  // namespace slipway::gui
