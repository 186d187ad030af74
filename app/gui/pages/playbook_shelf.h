// All chapters at once, in three views: the Reader's with guesses, checks and runs; the Planner's with the rules broken
// by the open plan and the pre-flight list; the Experimenter's with all experiments by their requirements. Next to them
// the catalogue: systems, large models, words.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/playbook_controller.h"

#include <QWidget>

class QButtonGroup;
class QScrollArea;
class QStackedWidget;
class QTableView;
class QVBoxLayout;

namespace slipway::gui {

class PlaybookShelf : public QWidget {
    Q_OBJECT

public:
    enum Way { Reader, Planner, Experimenter, Catalogue };
    PlaybookShelf(PlaybookController& controller, QWidget* parent);

    void showAll();
    void setWay(Way way);

signals:
    void chapterWanted(const std::string& id);

private:
    struct ChapterRow {
        const Chapter* chapter = nullptr;
        QString guess = {}, checks = {}, experiments = {};
        bool isMarked = false;
    };
    struct ExperimentRow {
        const Experiment* experiment = nullptr;
        QString need = {}, runs = {}, shortTime = {}, fullTime = {}, disk = {}, leftOut = {}, state = {};
        Verdict verdict = Verdict::NotRun;
    };
    void fillExperiments();
    void fillPlanner();
    void addPoints(QVBoxLayout* body);
    void fillCatalogue();
    void addPublished(QVBoxLayout* column);
    void addDiagram(QVBoxLayout* column);

    PlaybookController& m_controller;
    QButtonGroup* m_ways;
    QStackedWidget* m_stack;
    RowsModel<ChapterRow>* m_chapters;
    RowsModel<ExperimentRow>* m_experiments;
    QScrollArea *m_planner, *m_catalogue;
};

/// "the computer", "one GPU": the requirement of an experiment.
QString needText(ExperimentNeed need);

}  // namespace slipway::gui
