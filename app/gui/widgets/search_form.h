// The limits of a layout search: objective, number of devices, memory, and one small box per axis, empty for a free
// axis. Search or Cancel is on the right.
#pragma once

#include "app/gui/values/search_question.h"
#include "core/planner/search/explain_layout.h"

#include <QWidget>
#include <array>
#include <vector>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace slipway::gui {

class NumberEdit;

class SearchForm : public QWidget {
    Q_OBJECT

public:
    explicit SearchForm(QWidget* parent = nullptr);

    void setQuestion(const SearchQuestion& question);
    [[nodiscard]] SearchQuestion question() const;
    /// Defaults of empty boxes: the devices of the plan's hardware, the memory of one.
    void setDefaults(std::int64_t devices, double memoryBytes);
    /// Marks the box of `error.where` and shows the error below; an empty message clears it.
    void setProblem(const Error& error);
    /// Marks the boxes of limits that no layout can meet and shows the reasons below; none clears them.
    void setImpossible(const std::vector<ImpossibleLimit>& limits);
    void setRunning(bool running);
    /// Hides axes and options; the question stays.
    void setFolded(bool folded);
    [[nodiscard]] bool isFolded() const { return m_folded; }
    /// Number of limited axes.
    [[nodiscard]] int numLimited() const;
    [[nodiscard]] QWidget* editor(SearchAxis axis) const { return m_axes[static_cast<std::size_t>(axis)]; }

signals:
    void changed();
    void searchWanted();
    void cancelWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeAxis(SearchAxis axis);
    void tell(const QString& text);
    void arrange(int columns);

    QComboBox* m_objective;
    QLineEdit* m_devices;
    NumberEdit* m_memory;
    QCheckBox* m_runnable;
    QCheckBox* m_acrossNodes;
    QPushButton* m_go;
    QLabel* m_problem;
    QWidget* m_axesBox;
    QGridLayout* m_grid;
    SearchQuestion m_question;  ///< the set question; keeps parts without an editor here
    std::array<QWidget*, kNumSearchAxes> m_axes{};
    std::array<QWidget*, kNumSearchAxes> m_holders{};
    int m_columns = 0;
    bool m_filling = false, m_running = false, m_folded = false;
};

}  // namespace slipway::gui
