// Base of the tabs of the page Tools: a scrolling form on the left, figures on the right, and the contents of the
// page's header while the tab is open.
#pragma once

#include "app/gui/values/plan_document.h"

#include <QWidget>

class QVBoxLayout;

namespace slipway::gui {

class ToolView : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;
    /// Of the page's header.
    [[nodiscard]] virtual QString title() const = 0;
    [[nodiscard]] virtual QString sideText() const { return {}; }
    /// The page's one filled button; empty: none.
    [[nodiscard]] virtual QString primaryText() const { return {}; }
    [[nodiscard]] virtual bool canPrimary() const { return false; }
    virtual void primary() {}
    /// The tab's table for a spreadsheet; empty: none.
    [[nodiscard]] virtual QString tableText() const { return {}; }
    virtual void find() {}

signals:
    void headerChanged();
    void said(const QString& text);
    /// Requests opening the document in Plan, undoable under this name.
    void planWanted(const QString& what, const slipway::gui::PlanDocument& document);

protected:
    /// A scrolling column of `width` logical pixels; the form's parts go into its layout.
    QVBoxLayout* makeForm(QWidget*& area, int width);
    /// A demi-bold line above a part of the form.
    static void addHead(QVBoxLayout* column, const QString& text);
};

}  // namespace slipway::gui
