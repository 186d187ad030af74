#include "app/gui/widgets/metric_chooser.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/spec/metric_names.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

constexpr qsizetype kNamedRuns = 5;

enum Group { Training, Speed, Waiting, Hardware };

/// The group in which people look for a metric, by the words in its name.
Group groupOf(std::string_view name) {
    const auto has = [&](std::initializer_list<std::string_view> words) {
        for (const std::string_view word : words)
            if (name.find(word) != std::string_view::npos) return true;
        return false;
    };
    if (has({"memory", "device_", "allocator"})) return Hardware;
    if (has({"exposed", "comm_", "wait", "bubble", "imbalance", "data_", "checkpoint", "eval_seconds"})) return Waiting;
    if (has({"tokens_per_second", "mfu", "_seconds"})) return Speed;
    return Training;
}

}  // namespace

QString metricTitle(const QString& metric) {
    const std::string name = metric.toStdString();
    for (const MetricName& known : kStepMetrics)
        if (known.name == name) return columnTitle(known.name);
    for (const MetricName& known : kDerivedMetrics)
        if (known.name == name) return columnTitle(known.name);
    return metric;
}

MetricChooser::MetricChooser(QWidget* parent) : QWidget(parent) {
    m_search = new QLineEdit(this);
    m_search->setObjectName(QStringLiteral("metricSearch"));
    m_search->setAccessibleName(tr("Find a metric"));
    m_search->setPlaceholderText(tr("Find a metric"));
    m_search->setClearButtonEnabled(true);
    m_tree = new QTreeWidget(this);
    m_tree->setObjectName(QStringLiteral("boardMetrics"));
    m_tree->setAccessibleName(tr("Metrics of the board"));
    m_tree->setHeaderHidden(true);
    m_tree->setColumnCount(2);
    m_tree->setIndentation(px(12));
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(8), 0, px(8), 0);
    column->addWidget(m_search);
    column->addWidget(m_tree, 1);
    m_filling = true;
    std::vector<QTreeWidgetItem*> groups;
    for (const QString& name : {tr("Training"), tr("Speed"), tr("Waiting and traffic"), tr("Memory and hardware")})
        groups.push_back(new QTreeWidgetItem(m_tree, {name}));  // the tree owns them
    for (const MetricName& metric : kDerivedMetrics) add(groups[groupOf(metric.name)], qs(metric.name));
    for (const MetricName& metric : kStepMetrics) add(groups[groupOf(metric.name)], qs(metric.name));
    m_other = new QTreeWidgetItem(m_tree, {tr("Other")});
    m_tree->expandAll();
    m_filling = false;
    search();
    connect(m_search, &QLineEdit::textChanged, this, &MetricChooser::search);
    connect(m_tree, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int at) {
        const QString metric = item->data(0, Qt::UserRole).toString();
        if (!m_filling && at == 0 && !metric.isEmpty()) emit toggled(metric, item->checkState(0) == Qt::Checked);
    });
}

void MetricChooser::add(QTreeWidgetItem* group, const QString& metric) {
    auto* item = new QTreeWidgetItem(group, {metricTitle(metric)});
    item->setData(0, Qt::UserRole, metric);
    item->setToolTip(0, metricTitle(metric) + QStringLiteral(" (") + metric + QLatin1Char(')'));
    item->setCheckState(0, Qt::Unchecked);
    m_items[metric] = item;
}

void MetricChooser::setChosen(const QStringList& metrics) {
    m_filling = true;
    for (auto at = m_items.begin(); at != m_items.end(); ++at)
        at.value()->setCheckState(0, metrics.contains(at.key()) ? Qt::Checked : Qt::Unchecked);
    m_filling = false;
}

void MetricChooser::setRecorded(const QMap<QString, QStringList>& letters, int numRuns) {
    m_filling = true;
    for (auto at = letters.begin(); at != letters.end(); ++at)
        if (!m_items.contains(at.key())) {
            add(m_other, at.key());
            m_other->setExpanded(true);
        }
    for (auto at = m_items.begin(); at != m_items.end(); ++at) {
        const QStringList runs = letters.value(at.key());
        QTreeWidgetItem& item = *at.value();
        item.setForeground(0, runs.isEmpty() ? theme().text3 : theme().text);
        item.setForeground(1, theme().text2);
        item.setText(1, runs.isEmpty()              ? tr("none")
                        : runs.size() == numRuns    ? tr("all")
                        : runs.size() <= kNamedRuns ? runs.join(QLatin1Char(' '))
                                                    : countText(static_cast<double>(runs.size())));
    }
    m_filling = false;
    search();
}

void MetricChooser::search() {
    const QString wanted = m_search->text().trimmed();
    for (int group = 0; group < m_tree->topLevelItemCount(); ++group) {
        QTreeWidgetItem* top = m_tree->topLevelItem(group);
        bool any = false;
        for (int i = 0; i < top->childCount(); ++i) {
            QTreeWidgetItem* item = top->child(i);
            const bool hit = item->text(0).contains(wanted, Qt::CaseInsensitive) ||
                             item->data(0, Qt::UserRole).toString().contains(wanted, Qt::CaseInsensitive);
            item->setHidden(!hit);
            any = any || hit;
        }
        top->setHidden(!any);
    }
}

}  // namespace slipway::gui
