// Checks and events: icon, wrapped sentence, one link on the right. Few rows, so plain widgets known to screen readers.
#pragma once

#include "app/gui/look/icons.h"

#include <QScrollArea>
#include <functional>
#include <vector>

class QVBoxLayout;

namespace slipway::gui {

struct IssueRow {
    Icon icon = Icon::Info;
    QColor colour;
    QString lead;  ///< short text before the sentence, in text2 (a step); may be empty
    QString text;
    QString tip;
    QString link;  ///< empty: none
    std::function<void()> follow = {};
};

class IssueList : public QScrollArea {
    Q_OBJECT

public:
    explicit IssueList(QWidget* parent = nullptr);
    void setRows(const std::vector<IssueRow>& rows, const QString& whenEmpty = {});
    [[nodiscard]] QStringList texts() const { return m_texts; }

protected:
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QVBoxLayout* m_layout;
    QWidget* m_ring;  ///< over the rows while they have keyboard focus
    QStringList m_texts;
};

}  // namespace slipway::gui
