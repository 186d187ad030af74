// The terms of a filter as chips below its text: text and chips are one query. A chip opens its term for editing, its
// cross removes the term, and "Add filter" adds another.
#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QPushButton;

namespace slipway::gui {

class FilterChips : public QWidget {
    Q_OBJECT

public:
    explicit FilterChips(QWidget* parent = nullptr);

    /// Shows the terms of the text; for an invalid text the previous ones stay.
    void setFilter(const QString& text);
    /// For tests: the terms as written.
    [[nodiscard]] QStringList terms() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// The complete filter without the term whose cross was clicked.
    void changed(const QString& text);
    /// Requests editing the term at `begin`, `size` characters of the filter.
    void editWanted(qsizetype begin, qsizetype size);
    void addWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Chip {
        QWidget* frame;
        QString term;
    };
    void place();

    QString m_filter;
    std::vector<Chip> m_chips;
    QPushButton* m_add;
    QLabel* m_more;
};

}  // namespace slipway::gui
