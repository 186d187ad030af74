#include "app/gui/pages/step_difference_view.h"

#include "app/gui/engine/store_access.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/tables.h"
#include "core/report/step_report.h"
#include "core/run/run_account.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kBarColumn = 4;
constexpr int kShareRole = Qt::UserRole;  // share of the largest difference, signed

/// A bar from the middle of the cell: slower to the right, faster to the left.
class BarDelegate : public RowDelegate {
public:
    using RowDelegate::RowDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        RowDelegate::paint(painter, option, index);
        const double share = index.data(kShareRole).toDouble();
        const QRectF cell = QRectF(option.rect).adjusted(px(6), px(6), -px(6), -px(6));
        const double middle = cell.center().x();
        painter->fillRect(QRectF(middle, cell.top(), share * cell.width() / 2, cell.height()).normalized(),
                          theme().hue(share > 0 ? Hue::Orange : Hue::Blue));
        painter->setPen(QPen(theme().line2, 1));
        painter->drawLine(QPointF(middle, option.rect.top()), QPointF(middle, option.rect.bottom()));
    }
};

QTableWidget* tableOf(const char* name, QWidget* parent) {
    auto* table = new QTableWidget(parent);
    table->setObjectName(QString::fromLatin1(name));
    prepareTable(table);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    return table;
}

void setCell(QTableWidget* table, int row, int column, const QString& text, bool isNumber, bool isBold) {
    auto* item = new QTableWidgetItem(text);
    item->setToolTip(text);
    item->setTextAlignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    item->setFont(fontOf(1.0, isBold));
    table->setItem(row, column, item);
}

}  // namespace

StepDifferenceView::StepDifferenceView(Home home, QWidget* parent) : TabView(parent), m_home(std::move(home)) {
    auto* row = addLine();
    const auto choose = [&](const char* name, const QString& accessible, const QString& label) {
        auto* box = new QComboBox(content());
        box->setObjectName(QString::fromLatin1(name));
        box->setAccessibleName(accessible);
        box->setMinimumWidth(px(240));
        box->setMaximumWidth(px(372));  // two of them at 1024 px
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        row->addWidget(quietLabel(label, content()));
        row->addWidget(box);
        connect(box, &QComboBox::activated, this, &StepDifferenceView::read);
        return box;
    };
    m_first = choose("whyFirst", tr("Run to compare with"), tr("Compare"));
    m_second = choose("whySecond", tr("Run to explain"), tr("with"));
    row->addStretch(1);
    auto* shown = new QWidget(content());
    m_sentence = new QLabel(shown);
    m_sentence->setObjectName(QStringLiteral("whySentence"));
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setWordWrap(true);
    m_sentence->setFont(fontOf(kTitleSize, true));
    m_sentence->setContentsMargins(px(16), px(12), px(16), px(4));
    m_notes = quietLabel({}, shown, kSideSize);
    m_notes->setWordWrap(true);
    m_notes->setContentsMargins(px(16), 0, px(16), px(8));
    m_parts = tableOf("whyParts", shown);
    m_parts->setItemDelegateForColumn(kBarColumn, new BarDelegate(m_parts));
    m_settings = tableOf("whySettings", shown);
    auto* partsPane = new Pane(tr("Parts of the step"), m_parts, shown);
    partsPane->setFlush(true);
    auto* settingsPane = new Pane(tr("Settings that differ"), m_settings, shown);
    settingsPane->setFlush(true);
    m_parts->setAccessibleName(tr("Parts of the step"));
    m_settings->setAccessibleName(tr("Settings that differ"));
    auto* column = new QVBoxLayout(shown);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_sentence);
    column->addWidget(m_notes);
    column->addWidget(partsPane, 3);
    column->addWidget(edgeLine(Qt::Horizontal, shown));
    column->addWidget(settingsPane, 2);
    addStack(shown);
}

void StepDifferenceView::setRuns(const std::vector<RunId>& runs, const QStringList& names, bool isReading) {
    const RunId first =
        m_first->currentIndex() >= 0 ? m_runs[static_cast<std::size_t>(m_first->currentIndex())] : RunId();
    const RunId second =
        m_second->currentIndex() >= 0 ? m_runs[static_cast<std::size_t>(m_second->currentIndex())] : RunId();
    m_runs = runs;
    m_isReading = isReading;
    const auto fill = [&](QComboBox* box, const RunId& kept, int otherwise) {
        box->clear();
        box->addItems(names);
        const auto at = std::find(m_runs.begin(), m_runs.end(), kept);
        box->setCurrentIndex(at != m_runs.end() ? static_cast<int>(at - m_runs.begin())
                                                : std::min(otherwise, static_cast<int>(m_runs.size()) - 1));
    };
    fill(m_first, first, 0);
    fill(m_second, second, 1);
    m_isOld = true;
    if (isVisible()) read();
}

void StepDifferenceView::showEvent(QShowEvent* event) {
    TabView::showEvent(event);
    if (m_isOld) read();
}

void StepDifferenceView::read() {
    m_isOld = false;
    if (m_isReading) {
        state()->show(tr("Reading the runs…"), {});
        return stack()->setCurrentIndex(0);
    }
    if (m_runs.size() < 2 || m_first->currentIndex() == m_second->currentIndex()) {
        state()->show(tr("Choose two different runs."),
                      tr("A step of the second run is compared with one of the first."));
        return stack()->setCurrentIndex(0);
    }
    const RunId first = m_runs[static_cast<std::size_t>(m_first->currentIndex())];
    const RunId second = m_runs[static_cast<std::size_t>(m_second->currentIndex())];
    m_job.start(
        [home = m_home, first, second](const std::stop_token&) {
            return readStore(home, [&](RunStore& store) -> Result<StepDifference> {
                const auto a = readAccount(store, first);
                if (!a) return fail(a.error());
                const auto b = readAccount(store, second);
                if (!b) return fail(b.error());
                return differenceOf(*a, *b);
            });
        },
        [this](Result<StepDifference> answer) {
            if (answer) return showDifference(*answer);
            state()->show(tr("The steps cannot be compared."), errorText(answer.error()));
            stack()->setCurrentIndex(0);
        });
}

void StepDifferenceView::showDifference(const StepDifference& difference) {
    m_sentence->setText(wordJoined(m_second->currentText().section(':', 0, 0) + QStringLiteral(": ") +
                                   messageText(differenceSentence(difference))));
    QStringList notes;
    for (const Message& note : difference.notes) notes << messageText(note);
    m_notes->setText(wordJoined(notes.join(' ')));
    m_notes->setVisible(!notes.isEmpty());

    const Table table = differenceTable(difference, m_first->currentText().section(':', 0, 0).toStdString(),
                                        m_second->currentText().section(':', 0, 0).toStdString(), windowLanguage());
    double largest = 0;
    for (const PartDifference& part : difference.parts) largest = std::max(largest, std::fabs(part.seconds()));
    // The bar is between the figures and their cause.
    QStringList headers;
    for (const slipway::Column& column : table.columns) headers << qs(column.title);
    headers.insert(kBarColumn, QString());
    m_parts->clear();
    m_parts->setColumnCount(static_cast<int>(headers.size()));
    m_parts->setRowCount(static_cast<int>(table.rows.size()));
    m_parts->setHorizontalHeaderLabels(headers);
    for (int row = 0; row < m_parts->rowCount(); ++row) {
        const auto& cells = table.rows[static_cast<std::size_t>(row)];
        const bool isSum = row == m_parts->rowCount() - 1;
        for (int column = 0; column < static_cast<int>(cells.size()); ++column)
            setCell(m_parts, row, column < kBarColumn ? column : column + 1,
                    qs(cells[static_cast<std::size_t>(column)].text),
                    table.columns[static_cast<std::size_t>(column)].isNumber, isSum);
        auto* bar = new QTableWidgetItem;
        const auto part = static_cast<std::size_t>(row);
        bar->setData(kShareRole,
                     part < difference.parts.size() && largest > 0 ? difference.parts[part].seconds() / largest : 0.0);
        m_parts->setItem(row, kBarColumn, bar);
    }
    m_parts->resizeColumnsToContents();
    m_parts->setColumnWidth(kBarColumn, px(160));
    m_parts->horizontalHeader()->setStretchLastSection(true);
    if (m_parts->rowCount() > 0) m_parts->setCurrentCell(0, 0);

    m_settings->clear();
    m_settings->setColumnCount(3);
    m_settings->setRowCount(static_cast<int>(difference.fields.size()));
    m_settings->setHorizontalHeaderLabels({tr("Setting"), m_first->currentText(), m_second->currentText()});
    for (int row = 0; row < m_settings->rowCount(); ++row) {
        const FieldDifference& field = difference.fields[static_cast<std::size_t>(row)];
        setCell(m_settings, row, 0, fieldLabel(field.path), false, false);
        const auto value = [&](const std::string& json) {
            return json.empty() ? notApplicableText() : valueWords(field.path, json);
        };
        setCell(m_settings, row, 1, value(field.left), true, false);
        setCell(m_settings, row, 2, value(field.right), true, true);
    }
    m_settings->resizeColumnsToContents();
    m_settings->horizontalHeader()->setStretchLastSection(false);
    if (m_settings->rowCount() > 0) m_settings->setCurrentCell(0, 0);
    stack()->setCurrentIndex(1);
}

}  // namespace slipway::gui
