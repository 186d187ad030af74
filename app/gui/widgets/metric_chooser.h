// A list of all metrics in groups with a search field: those on the board are checked, those without runs are grey.
#pragma once

#include <QMap>
#include <QStringList>
#include <QWidget>

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace slipway::gui {

/// Title of a metric of metric_names.h; for others the name.
QString metricTitle(const QString& metric);

class MetricChooser : public QWidget {
    Q_OBJECT

public:
    explicit MetricChooser(QWidget* parent);
    /// Checks exactly these.
    void setChosen(const QStringList& metrics);
    /// Letters of the runs that have a metric; metrics outside metric_names.h form a separate group.
    void setRecorded(const QMap<QString, QStringList>& letters, int numRuns);

signals:
    void toggled(const QString& metric, bool on);

private:
    void add(QTreeWidgetItem* group, const QString& metric);
    void search();

    QLineEdit* m_search;
    QTreeWidget* m_tree;
    QTreeWidgetItem* m_other;
    QMap<QString, QTreeWidgetItem*> m_items;
    bool m_filling = false;
};

}  // namespace slipway::gui
