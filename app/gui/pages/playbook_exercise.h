// One exercise of a source: its question and the reader's guess; after the guess the answer and the worked solution, with a switch
// between the editions of the source where their answers differ.
#pragma once

#include "app/gui/pages/playbook_controller.h"

#include <QWidget>

class QVBoxLayout;

namespace slipway::gui {

class PlaybookExercise : public QWidget {
    Q_OBJECT

public:
    /// @param chapter, exercise of the controller's playbook, which must outlive this
    PlaybookExercise(PlaybookController& controller, const Chapter& chapter, const Exercise& exercise, QWidget* parent);

private:
    void addSwitch(QVBoxLayout* column);
    void showEdition(const Edition& edition);

    const PlaybookController& m_controller;
    const Exercise& m_exercise;
    std::optional<Guess> m_guess;   ///< the one that counts
    QWidget* m_solution = nullptr;  ///< that of the chosen edition
};

}  // namespace slipway::gui
