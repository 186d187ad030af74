// Plan: feasibility, speed, memory and cost of a run. Wires the form to the controller and its figures to the pictures.
#pragma once

#include "app/gui/pages/page.h"
#include "app/gui/pages/plan_controller.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTabBar;

namespace slipway::gui {

class ForecastView;
class SearchView;
class SpecForm;
class WhatIfView;

class PlanPage : public Page {
    Q_OBJECT

public:
    PlanPage(Context& context, PlanController& controller, QWidget* parent);

    /// Launch, or on the Search tab the search.
    [[nodiscard]] bool can(PageAction action) const override;
    void primaryAction() override;
    void refresh() override;
    void find() override;
    void exportData() override;
    QUndoStack* undoStack() override { return m_controller.undoStack(); }
    /// Undoes the last visible change, also one pending during typing, or refused.
    void undo() override;
    void redo() override;
    void showTab(PlanTab tab);
    /// Does nothing if the plan cannot start. @param nodes initial selection; none: this computer
    void openLaunchSheet(const QStringList& nodes = {});
    [[nodiscard]] PlanTab tab() const;
    /// Opens the Search tab and starts the search, unless one exists already.
    void search();

private:
    QWidget* makeForm();
    QWidget* makeResults();
    void showDocument();
    void fillDevices();
    void showDevice();
    void showSoftware();
    void showPlan();
    void askForModel();
    void showIssues();
    void showLayouts();
    void savePlan();
    void openExport();
    void browseTokens();

    PlanController& m_controller;
    QPushButton* m_launch;
    SpecForm* m_form = nullptr;
    QComboBox* m_model = nullptr;
    QComboBox* m_device = nullptr;
    QComboBox* m_software = nullptr;
    QLabel* m_shape = nullptr;
    QPushButton* m_curves;
    QLabel* m_accumulation = nullptr;
    QLineEdit* m_search = nullptr;
    QTabBar* m_tabs = nullptr;
    QStackedWidget* m_results = nullptr;
    ForecastView* m_forecast = nullptr;
    SearchView* m_searchView = nullptr;
    WhatIfView* m_whatIf = nullptr;
    QLabel* m_basis = nullptr;
};

}  // namespace slipway::gui
