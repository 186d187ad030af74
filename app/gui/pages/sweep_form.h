// A new sweep: the form on the left, its file as text on the right, kept in sync; below, the number of points, those
// that cannot run with reasons, and the duration, before the start.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/pages/sweep_draft.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QSplitter;
class QVBoxLayout;

namespace slipway::gui {

class CountBars;
class IssueList;
class WhereForm;

class SweepForm : public QWidget {
    Q_OBJECT

public:
    SweepForm(Context& context, QWidget* parent);

    /// Replaces the text, and reads the nodes again; the place is this computer.
    void setText(const std::string& text);
    [[nodiscard]] std::string text() const;
    [[nodiscard]] int jobs() const;
    /// Names of the chosen nodes; none: this computer.
    [[nodiscard]] std::vector<std::string> nodes() const;
    /// True if there are no errors, at least one point would run, and the place is ready.
    [[nodiscard]] bool canStart() const { return m_canStart; }
    /// The obstacle, or the points to run.
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] QSplitter* splitter() const { return m_split; }

signals:
    void checked();

private:
    QWidget* makeForm();
    QWidget* makeText();
    void showForm();
    void showAxes();
    void takeForm();
    void textChanged();
    void check();
    void showCheck();
    void goToLine(int line);

    Context& m_context;
    QSplitter* m_split;
    QLineEdit* m_name;
    QLineEdit* m_question;
    QGridLayout* m_axes;
    struct AxisRow {
        QComboBox* field;
        QLineEdit* values;
        QPushButton* remove;
    };
    std::vector<AxisRow> m_rows;
    QComboBox *m_method, *m_objective;
    QSpinBox* m_searchTrials;
    QSpinBox* m_steps;
    QSpinBox* m_trialSeconds;
    QSpinBox* m_seconds;
    QSpinBox* m_failures;
    QSpinBox* m_medianAfter;
    QCheckBox* m_diverged;
    QVBoxLayout* m_place;
    WhereForm* m_where = nullptr;
    QSpinBox* m_jobs;
    QLabel* m_jobsName;
    QPlainTextEdit* m_text;
    IssueList* m_problems;
    QLabel* m_verdict;
    CountBars* m_skipped;
    DraftForm m_form;
    DraftCheck m_check;
    bool m_filling = false;
    bool m_checking = false;
    bool m_canStart = false;
    QTimer m_pause;
    LatestJob m_job;
};

}  // namespace slipway::gui
