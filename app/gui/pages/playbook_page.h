// Playbook: the list of chapters, and next to it all of them at once, one chapter, the guesses, or the map of claims.
#pragma once

#include "app/gui/pages/page.h"
#include "app/gui/pages/playbook_controller.h"

class QListWidget;
class QStackedWidget;

namespace slipway::gui {

class PlaybookBenchmark;
class PlaybookChapter;
class PlaybookClaims;
class PlaybookGuesses;
class PlaybookShelf;

class PlaybookPage : public Page {
    Q_OBJECT

public:
    PlaybookPage(Context& context, PlaybookController& controller, QWidget* parent);

    [[nodiscard]] bool can(PageAction action) const override;
    void refresh() override { m_controller.reload(); }
    void exportData() override;
    /// Opens a chapter by id, or "overview", "guesses", "claims".
    void open(const std::string& place);
    [[nodiscard]] const std::string& place() const { return m_place; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void showLater();
    void showAll();
    void showList();
    void showHeader();

    PlaybookController& m_controller;
    QListWidget* m_list;
    QStackedWidget* m_stack;
    StatePanel* m_state;
    PlaybookShelf* m_shelf;
    PlaybookChapter* m_chapter;
    PlaybookGuesses* m_guesses;
    PlaybookClaims* m_claims;
    PlaybookBenchmark* m_benchmark;
    QPushButton* m_report;
    std::string m_place = "overview";
    bool m_stale = true;  ///< the shown state is older than the data
    bool m_filling = false;
};

}  // namespace slipway::gui
