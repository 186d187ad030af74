// A form made from field tables (look.md 7): one row per field with an editor by type, collapsible sections that show
// their result, issues under their fields, a dot where a value differs from the preset.
//   form->addSection("layout", tr("Parallel layout"), {"parallel.dp", "parallel.tp"});
//   form->setFields(infos);   connect(form, &SpecForm::edited, this, [](path, text) { ... setField(...) ... });
#pragma once

#include "core/base/field_table.h"
#include "core/base/result.h"

#include <QScrollArea>
#include <map>
#include <string>
#include <vector>

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace slipway::gui {

class SpecForm : public QScrollArea {
    Q_OBJECT

public:
    explicit SpecForm(QWidget* parent = nullptr);

    /// @param compact these paths of the section share one line of small boxes under their keys (dp tp pp cp ep)
    void addSection(const QString& id, const QString& title, const std::vector<std::string>& paths,
                    const std::vector<std::string>& compact = {}, bool folded = false);
    /// A row that is not a field: a preset box, a derived value. Placed before the fields when `first`.
    void addRow(const QString& section, const QString& label, QWidget* editor, bool first);
    /// A small control after a field's editor.
    void addFieldControl(const std::string& path, QWidget* control);
    void setSectionResult(const QString& id, const QString& text);

    /// Shows the values (FieldInfo::defaultJson of the instance) and which fields apply; creates the rows on first call.
    void setFields(const FieldInfos& fields);
    /// Values of the preset: differing fields get the accent dot.
    void setReference(const FieldInfos& fields);
    void setIssues(const Issues& issues);
    /// Issues of one field while its text is being typed.
    void setFieldIssues(const std::string& path, const Issues& issues);
    /// Accepts a text pending the end of typing.
    void takeTyped();

    /// Tab follows the visible order of rows, not the order of creation; call it when all rows exist.
    void orderTabs();
    void focusField(const std::string& path);
    void setSearch(const QString& text);
    [[nodiscard]] QWidget* editor(const std::string& path) const;
    /// For tests: the sentence under a field, empty without one.
    [[nodiscard]] QString issueShownAt(const std::string& path) const;
    [[nodiscard]] int numFields() const { return static_cast<int>(m_rows.size()); }

signals:
    /// A keystroke: the text should be checked but not accepted yet.
    void typed(const QString& path, const QString& text);
    /// Text for setField(); empty removes the value.
    void edited(const QString& path, const QString& text);
    void helpWanted(const QString& path);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        FieldInfo info;
        QHBoxLayout* line = nullptr;
        QWidget* holder = nullptr;  ///< the complete row, hidden when the field does not apply
        QLabel* dot = nullptr;
        QLabel* label = nullptr;
        QWidget* editor = nullptr;
        QLabel* issue = nullptr;
        QString section;
        std::string reference;
    };
    struct Section {
        QString id, title;
        std::vector<std::string> paths, compact;
        QToolButton* head = nullptr;
        QLabel* result = nullptr;
        QWidget* body = nullptr;
        QVBoxLayout* rows = nullptr;
        QVBoxLayout* ownRows = nullptr;
    };

    void makeRow(Section& section, const FieldInfo& info, QGridLayout* compactGrid, int column);
    QWidget* makeEditor(const FieldInfo& info);
    void showValue(Row& row);
    void showDot(Row& row);
    void showIssues(Row& row, const Issues& issues);
    void openRowMenu(const std::string& path, const QPoint& at);

    std::vector<Section> m_sections;
    std::map<std::string, Row> m_rows;
    QVBoxLayout* m_layout;
    QString m_search;
    bool m_filling = false;
};

}  // namespace slipway::gui
