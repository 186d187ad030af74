// The pictures that explain an idea, drawn from a plan: shards of the model states, the ring of a collective, a matrix product cut in
// two, the roofline of the device.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "core/planner/plan.h"

#include <memory>

namespace slipway::gui {

enum class IdeaKind { Shards, Ring, Matrices, Roofline };

class IdeaPicture : public PaintedWidget {
    Q_OBJECT

public:
    IdeaPicture(IdeaKind kind, std::shared_ptr<const Plan> plan, QWidget* parent);

    QString summary() const override;
    DataTable dataTable() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintStill(QPainter& painter) override;

private:
    struct Roof {
        double flops = 0, bytesPerSecond = 0, ridge = 0;  ///< ridge in FLOP per byte; 0: the peak is unknown
    };
    [[nodiscard]] Roof roof() const;
    void paintShards(QPainter& painter) const;
    void paintRing(QPainter& painter) const;
    void paintMatrices(QPainter& painter) const;
    void paintRoofline(QPainter& painter) const;

    IdeaKind m_kind;
    std::shared_ptr<const Plan> m_plan;
};

}  // namespace slipway::gui
