// One experiment of a chapter: its question and the reader's guess; after the guess the expected result, the cost of a
// run, and the findings, with the verdict and all answers on one axis.
#pragma once

#include "app/gui/pages/playbook_controller.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace slipway::gui {

class PlaybookExperiment : public QWidget {
    Q_OBJECT

public:
    /// @param experiment of the controller's playbook, which must outlive this
    PlaybookExperiment(PlaybookController& controller, const Experiment& experiment, QWidget* parent);

signals:
    void sweepWanted(const slipway::SweepId& id);

private:
    void addRunning(QVBoxLayout* column);
    void addFound(QVBoxLayout* column, const ExperimentStanding& standing);
    void addClaims(QVBoxLayout* column, const ExperimentStanding& standing);
    void addPublished(QVBoxLayout* column);
    void addTheirs(QVBoxLayout* column);
    void addNote(QVBoxLayout* column);
    void addExport(QVBoxLayout* column);
    void showRunning();

    PlaybookController& m_controller;
    const Experiment& m_experiment;
    QLabel* m_cost = nullptr;
    QLabel* m_progress = nullptr;
    QPushButton *m_short = nullptr, *m_full = nullptr;
};

/// Adds the line for typing a guess: a field, its unit and the button; after a guess its value, read-only.
void addGuessLine(QVBoxLayout* column, PlaybookController& controller, const std::string& subject,
                  const GuessQuestion& question);

}  // namespace slipway::gui
