// The decisive numbers at the top of a page: label, big figure with a small unit, one line below.
#pragma once

#include <QWidget>
#include <vector>

class QGridLayout;
class QLabel;

namespace slipway::gui {

class ElidedLabel;

struct Answer {
    QString label;
    QString figure;  ///< "27.1 GiB": number and unit are separated at the thin space
    QString after;   ///< small text after the figure, replaces its unit when set ("of 79.6 GiB")
    QString below;
    bool bad = false;
};

class AnswerStrip : public QWidget {
    Q_OBJECT

public:
    explicit AnswerStrip(int count, QWidget* parent = nullptr);
    void setAnswers(const std::vector<Answer>& answers);
    [[nodiscard]] QString figure(int index) const;
    /// Opens the formula of a figure with the mouse or Enter.
    void setAskable();
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// @param cell the cell of the figure, for placing the answer next to it
    void asked(int index, QWidget* cell);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Cell {
        QLabel* label;
        QLabel* figure;
        ElidedLabel* below;
        QString text;
        QWidget* holder;
    };
    /// All cells in one row, or in two where the window is narrow.
    void arrange(int columns);
    void fit();
    /// Divides the width according to the cells' needs.
    void share();

    QGridLayout* m_grid;
    int m_columns = 0;
    std::vector<Cell> m_cells;
};

}  // namespace slipway::gui
