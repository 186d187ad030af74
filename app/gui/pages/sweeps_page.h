// Sweeps: all of them in a list, or one with its space of trials, the hole included.
#pragma once

#include "app/gui/pages/page.h"
#include "app/gui/pages/sweeps_controller.h"

class QPushButton;
class QStackedWidget;

namespace slipway::gui {

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

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void showAll();
    void showHeader();
    void showContent();
    void openFile();
    void saveReport();
    void stop();
    [[nodiscard]] bool isOpen() const { return !m_controller.current().empty(); }

    SweepsController& m_controller;
    QStackedWidget* m_stack;
    StatePanel* m_state;
    SweepList* m_list;
    SweepView* m_view;
    QPushButton* m_back;
    QPushButton* m_report;
    QPushButton* m_retry;
    QPushButton* m_pause;
    QPushButton* m_stop;
    QPushButton* m_file;
};

}  // namespace slipway::gui
