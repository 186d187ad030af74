// "Why not this layout?": a line to enter one, and the answer below, verdict first.
#pragma once

#include "app/gui/pages/search_controller.h"
#include "app/gui/widgets/pane.h"

class QLineEdit;

namespace slipway::gui {

class IssueList;

class WhyPane : public Pane {
    Q_OBJECT

public:
    WhyPane(SearchController& search, QWidget* parent);
    /// Moves the cursor into the line.
    void find();

signals:
    /// An answer or a problem is below the line.
    void answered();

private:
    WhyPane(SearchController& search, IssueList* answer, QWidget* parent);
    void showAnswer();

    SearchController& m_search;
    IssueList* m_answer;
    QLineEdit* m_line;
};

}  // namespace slipway::gui
