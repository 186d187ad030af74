// Answers on one axis: published, forecast, guess and measured, each with its name and figure.
#pragma once

#include "app/gui/look/theme.h"
#include "app/gui/widgets/painted_widget.h"

#include <vector>

namespace slipway::gui {

class NumberLine : public PaintedWidget {
    Q_OBJECT

public:
    struct Mark {
        QString name;
        double value = 0;
        Hue hue = Hue::Blue;
        double spread = 0;  ///< half width of the band on the axis; 0: none
    };
    explicit NumberLine(QWidget* parent = nullptr);
    void setMarks(std::vector<Mark> marks, const QString& unit);
    [[nodiscard]] const std::vector<Mark>& marks() const { return m_marks; }

    QString summary() const override;
    DataTable dataTable() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Labels of an axis; of ticks that four digits do not separate, each one's distance from the middle: "1", "1 + 5e-07".
    static QStringList tickTexts(const QVector<double>& ticks);

protected:
    void paintStill(QPainter& painter) override;

private:
    std::vector<Mark> m_marks;
    QString m_unit;
};

}  // namespace slipway::gui
