// One chapter as two columns: the text to read (question, guess, idea, live figures, experiments), and next to it the worked numbers of
// its sources, its traps and the origin of its claims. Answers to the question are hidden until there is a guess.
#pragma once

#include "app/gui/pages/playbook_controller.h"

#include <QWidget>

class QScrollArea;
class QSplitter;
class QVBoxLayout;

namespace slipway::gui {

class PlaybookChapter : public QWidget {
    Q_OBJECT

public:
    PlaybookChapter(PlaybookController& controller, QWidget* parent);

    /// Shows it from the top; showing the same chapter again keeps the scroll position.
    void showChapter(const Chapter& chapter);
    [[nodiscard]] QSplitter* splitter() const { return m_splitter; }

signals:
    void sweepWanted(const slipway::SweepId& id);

private:
    void fillText(const Chapter& chapter, QVBoxLayout* column);
    void fillSide(const Chapter& chapter, QVBoxLayout* column);
    void addPicture(const Chapter& chapter, QVBoxLayout* body);
    void addTables(const Chapter& chapter, QVBoxLayout* column);
    void addFigures(const Chapter& chapter, QVBoxLayout* column);
    void addChecks(const Chapter& chapter, QVBoxLayout* column);

    PlaybookController& m_controller;
    QSplitter* m_splitter;
    QScrollArea *m_text, *m_side;
    std::string m_shown;
};

}  // namespace slipway::gui
