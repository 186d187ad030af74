// The terms of a filter as chips below its text: text and chips are one query. A chip opens its term for editing, its cross
// takes the term out, and "Add filter" makes another.
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

    /// Shows the terms of the text; those of one that cannot be read stay as they were.
    void setFilter(const QString& text);
    /// The terms as they are written, for tests.
    [[nodiscard]] QStringList terms() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// The whole filter without the term whose cross was clicked.
    void changed(const QString& text);
    /// The term from `begin`, `size` characters of the filter.
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
