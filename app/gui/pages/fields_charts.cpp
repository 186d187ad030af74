// FieldsView: its runs, their counts, and the state of its charts in a saved view.
#include "app/gui/pages/fields_view.h"
#include "app/gui/pages/runs_pictures.h"
#include "app/gui/text/format.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <array>
#include <iterator>

namespace slipway::gui {
namespace {

// In the order of the combo boxes.
constexpr std::array kValues{"measured", "forecast", "difference"};
constexpr std::array kKinds{"points", "boxes"};

template <std::size_t N>
void choose(QComboBox& box, const std::array<const char*, N>& words, const std::string& word) {
    const auto at = std::find(words.begin(), words.end(), word);
    if (at != words.end()) box.setCurrentIndex(static_cast<int>(at - words.begin()));
}

}  // namespace

void FieldsView::setRuns(const std::vector<RunId>& runs) {
    m_isRead = m_isRead && runs == m_runs;  // other runs are not shown in their place
    m_runs = runs;
    m_scope->setCurrentIndex(runs.empty() ? 1 : 0);
    m_selected.clear();
    reload();
}

ViewCharts FieldsView::charts() const {
    ViewCharts out;
    out.x = m_x->chosenKey().toStdString();
    out.colour = m_colour->chosenKey().toStdString();
    out.divideBy = m_facet->chosenKey().toStdString();
    out.values = kValues.at(static_cast<std::size_t>(m_value->currentIndex()));
    out.kind = kKinds.at(static_cast<std::size_t>(m_kind->currentIndex()));
    if (m_rule->currentIndex() > 0) out.mfuRule = wordOf(static_cast<FlopsRule>(m_rule->currentIndex() - 1));
    out.logX = m_logX->isChecked();
    out.logY = m_logY->isChecked();
    out.figure = measure();
    out.rows = m_rows->chosenKey().toStdString();
    out.columns = m_columns->chosenKey().toStdString();
    out.picture = m_pictures->picture();
    out.axes = m_pictures->fields();
    out.ranges = m_pictures->ranges();
    return out;
}

void FieldsView::setCharts(const ViewCharts& charts, const QString& filter) {
    const QSignalBlocker quietX(m_logX), quietY(m_logY);
    m_x->choose(qs(charts.x));
    m_colour->choose(qs(charts.colour));
    m_facet->choose(qs(charts.divideBy));
    choose(*m_value, kValues, charts.values);
    choose(*m_kind, kKinds, charts.kind);
    const auto rules = enumNames(FlopsRule{});
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return r.word == charts.mfuRule; });
    m_rule->setCurrentIndex(rule == rules.end() ? 0 : static_cast<int>(rule - rules.begin()) + 1);
    m_logX->setChecked(charts.logX);
    m_logY->setChecked(charts.logY);
    if (const int figure = m_measure->findData(qs(charts.figure)); figure >= 0) m_measure->setCurrentIndex(figure);
    m_rows->choose(qs(charts.rows));
    m_columns->choose(qs(charts.columns));
    m_pictures->setPicture(charts.picture);
    m_pictures->setFields(charts.axes);
    m_pictures->setRanges(charts.ranges);
    m_scope->setCurrentIndex(1);
    m_filter->setText(filter);
    m_selected.clear();
    reload();
}

void FieldsView::showCounts() {
    QStringList counts{tr("%Ln run(s)", nullptr, static_cast<int>(m_data.rows.size())),
                       tr("%1 ran").arg(countText(m_data.numRan)), tr("%1 failed").arg(countText(m_data.numFailed))};
    if (m_data.numSkipped > 0) counts << tr("%1 skipped").arg(countText(m_data.numSkipped));
    if (m_data.numOther > 0) counts << tr("%1 not ended").arg(countText(m_data.numOther));
    if (m_data.numNotRescored > 0) counts << tr("%n without an MFU of this convention", nullptr, m_data.numNotRescored);
    m_counts->setText(counts.join(QStringLiteral(", ")));
}

}  // namespace slipway::gui
