// Common parts of every page: panes with a head line, the page header, and the panel for empty, loading and failed.
#pragma once

#include "app/gui/look/icons.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <functional>
#include <optional>
#include <vector>

class QHBoxLayout;
class QProgressBar;
class QVBoxLayout;

namespace slipway::gui {

/// The colour of a label's text.
void setInk(QWidget* widget, const QColor& colour);
/// A button that looks like a link.
QPushButton* linkButton(const QString& text, QWidget* parent);
/// A label in text2 at the given relative size.
QLabel* quietLabel(const QString& text, QWidget* parent, double relativeSize = 1.0);
/// A label that shows one line and elides its middle; the full text is in its tip and its accessible name.
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setFullText(const QString& text);
    [[nodiscard]] QString fullText() const { return m_text; }
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
};

/// A region of a page: head (title, side text, small controls on the right) over a body. No border of its own.
class Pane : public QWidget {
    Q_OBJECT

public:
    explicit Pane(const QString& title, QWidget* body, QWidget* parent = nullptr);
    void setTitle(const QString& title);
    void setSideText(const QString& text);
    void addControl(QWidget* control);
    [[nodiscard]] QString title() const { return m_title->text(); }
    /// For tests.
    [[nodiscard]] QString sideText() const { return m_side->fullText(); }
    /// Body without the pane's side padding (tables run to the pane's edges).
    void setFlush(bool flush);

private:
    QLabel* m_title;
    ElidedLabel* m_side;
    QHBoxLayout* m_head;
    QVBoxLayout* m_layout;
    QWidget* m_body;
};

/// The 52 u line at the top of a page.
class HeaderBar : public QWidget {
    Q_OBJECT

public:
    explicit HeaderBar(QWidget* parent = nullptr);
    void setTitle(const QString& title);
    void setSideText(const QString& text);
    /// State of the shown object: icon in its colour and a word; without an icon hidden.
    void setStatus(std::optional<Icon> icon, const QString& text, const QColor& colour);
    /// Completed fraction in [0, 1] and the text after the bar; empty hides both.
    void setProgress(std::optional<double> share, const QString& text);
    /// Warning about the page's state, left of the buttons.
    void setNotice(const QString& text);
    /// Shows work longer than 300 ms as a thin bar below the line; no motion.
    void setBusy(bool busy);
    QPushButton* addButton(const QString& text, bool primary = false);
    [[nodiscard]] QString title() const { return m_title->fullText(); }
    [[nodiscard]] QString notice() const { return m_notice->text(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ElidedLabel* m_title;
    QLabel* m_statusIcon;
    QLabel* m_status;
    ElidedLabel* m_side;
    QProgressBar* m_progress;
    QLabel* m_progressText;
    QLabel* m_noticeIcon;
    QLabel* m_notice;
    QHBoxLayout* m_layout;
    QTimer m_busySoon;
    bool m_busy = false;
};

/// Empty, loading, failed: headline, one sentence, actions (look.md 9).
class StatePanel : public QWidget {
    Q_OBJECT

public:
    struct Action {
        QString text;
        std::function<void()> run;
        bool primary = false;
    };
    explicit StatePanel(QWidget* parent = nullptr);
    void show(const QString& headline, const QString& sentence, std::vector<Action> actions = {});
    [[nodiscard]] QString headline() const { return m_headline->text(); }

private:
    QLabel* m_headline;
    QLabel* m_sentence;
    QHBoxLayout* m_buttons;
};

/// The icon as a pixmap of `size` units for labels.
QPixmap iconPixmap(Icon icon, const QColor& ink, int size = 14);
/// A one-pixel line in the pane-edge colour.
QFrame* edgeLine(Qt::Orientation orientation, QWidget* parent);

}  // namespace slipway::gui
