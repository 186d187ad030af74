// Sweeps: all of them in a list, or one with its space of trials, including missing ones.
#pragma once

#include "app/gui/pages/page.h"
#include "app/gui/pages/sweeps_controller.h"

class QPushButton;
class QStackedWidget;

namespace slipway::gui {

class SweepForm;
class SweepList;
class SweepView;

class SweepsPage : public Page {
    Q_OBJECT

public:
    SweepsPage(Context& context, SweepsController& controller, QWidget* parent);

    [[nodiscard]] bool can(PageAction action) const override;
    void primaryAction() override;
    void refresh() override { m_controller.reload(); }
    void exportData() override;
    /// Opens the form with this file; empty: a new one from the open plan.
    void edit(const std::string& text = {});

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void showAll();
    void showHeader();
    void showContent();
    void openFile();
    void start();
    void leave();
    void openReport();
    void stop();
    [[nodiscard]] bool isOpen() const { return !m_controller.current().empty(); }

    SweepsController& m_controller;
    QStackedWidget* m_stack;
    StatePanel* m_state;
    SweepList* m_list;
    SweepView* m_view;
    SweepForm* m_form;
    bool m_editing = false;
    QPushButton* m_back;
    QPushButton* m_report;
    QPushButton* m_retry;
    QPushButton* m_pause;
    QPushButton* m_stop;
    QPushButton* m_file;
    QPushButton* m_clone;
    QPushButton* m_new;
    QPushButton* m_start;
};

}  // namespace slipway::gui
