// The filter of a table: a line edit that completes field names and words, with the reason below when it is invalid.
#pragma once

#include <QLineEdit>
#include <QStringList>
#include <QWidget>

class QCompleter;
class QLabel;
class QStringListModel;

namespace slipway::gui {

class FilterLine : public QLineEdit {
    Q_OBJECT

public:
    explicit FilterLine(QWidget* parent = nullptr);

    /// Words to complete: "status:" before a colon; values by field after it.
    void setWords(const QStringList& fields);
    void setValues(const QString& field, const QStringList& values);
    /// Underlines [begin, end) bytes of the text; equal: no problem.
    void setProblem(qsizetype begin, qsizetype end);
    /// Completes the word at the cursor with this text.
    void insertCompletion(const QString& completion);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QString wordAtCursor(int* start) const;
    void offer();

    QCompleter* m_completer;
    QStringListModel* m_offers;
    QStringList m_fields;
    QMap<QString, QStringList> m_values;
    qsizetype m_problemBegin = 0, m_problemEnd = 0;
};

}  // namespace slipway::gui
