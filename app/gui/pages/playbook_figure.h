// A live figure: sliders initialized from the open plan, the figures computed from them by core, and a curve over one input.
#pragma once

#include "app/gui/pages/playbook_controller.h"
#include "app/gui/widgets/figure_curve.h"
#include "core/playbook/figure_model.h"

#include <QWidget>
#include <map>
#include <memory>
#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;
class QSlider;
class QVBoxLayout;

namespace slipway::gui {

class PlaybookFigure : public QWidget {
    Q_OBJECT

public:
    /// @param use of the controller's playbook, which must outlive this
    PlaybookFigure(PlaybookController& controller, const FigureUse& use, QWidget* parent);

    /// Sets the sliders to the values of the open plan; those without a field in it, to the chapter's.
    void takePlan();
    void applyToPlan();
    /// As computed by core, for tests; null where the values are out of range.
    [[nodiscard]] const Json& values() const { return *m_values; }
    void setFormulasShown(bool shown);

private:
    struct Bound {
        const Slider* slider;
        bool isWhole = false;
        QSlider* edit = nullptr;
        QLabel* value = nullptr;
        double now = 0;
        std::optional<double> ofPlan = {};
    };
    struct Shown {
        std::string key;
        QLabel* value = nullptr;
        QLabel* formula = nullptr;
        QGridLayout* grid = nullptr;  ///< of a table; null: one value
        std::vector<QLabel*> cells = {};
    };
    void addSlider(QVBoxLayout* column, const Slider& slider);
    /// A list of words, or a line for a matrix or a list: "1 2; 3 4".
    void addEdit(QVBoxLayout* column, const FigureInput& input);
    /// Beside the sliders, or `below` them where the output is a table.
    void addOutput(QVBoxLayout* column, QVBoxLayout* below, const FigureOutput& output);
    void showRows(Shown& output, const Json& rows);
    void moved(std::size_t slider);
    void compute();
    void showCurve();
    [[nodiscard]] FigureCurve::Curve curveOf(const std::string& output) const;
    [[nodiscard]] Json inputs() const;

    PlaybookController& m_controller;
    const FigureUse& m_use;
    const FigureModel& m_model;
    std::vector<Bound> m_sliders;
    std::map<std::string, std::string> m_typed;  ///< values of the edits, as JSON
    std::vector<Shown> m_outputs;
    std::size_t m_along = 0;  ///< the slider along the curve's x axis
    std::shared_ptr<const Json> m_values;
    FigureCurve* m_curve = nullptr;
    QPushButton* m_apply = nullptr;
    QLabel* m_problem = nullptr;
};

}  // namespace slipway::gui
