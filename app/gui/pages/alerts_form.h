// The alerts on the Settings page: notifications, a line for each rule, and the hook. Changes apply at once.
#pragma once

#include "app/gui/engine/alert_desk.h"

#include <QWidget>
#include <array>

class QCheckBox;
class QLabel;
class QPushButton;

namespace slipway::gui {

class NumberEdit;

class AlertsForm : public QWidget {
    Q_OBJECT

public:
    AlertsForm(AlertDesk& desk, QWidget* parent);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void load();
    void fill(const Result<AlertSettings>& settings);

    struct Line {
        QCheckBox* on = nullptr;
        NumberEdit* threshold = nullptr;  // none for rules without one
    };
    AlertDesk& m_desk;
    std::array<Line, kNumAlertRules> m_lines;
    QLabel* m_hook;
    QPushButton* m_remove;
};

}  // namespace slipway::gui
