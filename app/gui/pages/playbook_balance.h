// Summary of the playbook: accuracy of the guesses, and the sources' claims confirmed on this machine.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/playbook_controller.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace slipway::gui {

class PlaybookGuesses : public QWidget {
    Q_OBJECT

public:
    PlaybookGuesses(PlaybookController& controller, QWidget* parent);
    void showAll();

signals:
    void chapterWanted(const std::string& id);

private:
    PlaybookController& m_controller;
    RowsModel<GuessRow>* m_model;
    QTableView* m_table;
    QLabel* m_summary;
};

/// A claim with what published data say about it.
struct MappedClaim {
    ClaimRow claim;
    Verdict published = Verdict::NotRun;
};

class PlaybookClaims : public QWidget {
    Q_OBJECT

public:
    PlaybookClaims(PlaybookController& controller, QWidget* parent);
    void showAll();

signals:
    void chapterWanted(const std::string& id);
    void sweepWanted(const slipway::SweepId& id);

private:
    PlaybookController& m_controller;
    RowsModel<MappedClaim>* m_model;
    QTableView* m_table;
    QLabel* m_summary;
};

}  // namespace slipway::gui
