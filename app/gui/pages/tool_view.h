// What the tabs of the page Tools have in common: a form at the left that scrolls, figures at the right, and what the page's
// header shows while the tab is open.
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
    /// The tab's table for a spreadsheet; empty: it has none.
    [[nodiscard]] virtual QString tableText() const { return {}; }
    virtual void find() {}

signals:
    void headerChanged();
    void said(const QString& text);
    /// The document is to be opened in Plan, undoable under this name.
    void planWanted(const QString& what, const slipway::gui::PlanDocument& document);

protected:
    /// A column of `width` logical pixels that scrolls; what the form is made of goes into its layout.
    QVBoxLayout* makeForm(QWidget*& area, int width);
    /// A demi-bold line above a part of the form.
    static void addHead(QVBoxLayout* column, const QString& text);
};

}  // namespace slipway::gui
