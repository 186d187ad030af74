// A combo box over many fields: in groups, and what is typed searches names and keys.
//   chooser->setFields({{tr("Layout"), "Tensor parallel (tp)", "parallel.tp"}});   chooser->choose("parallel.tp");
#pragma once

#include <QComboBox>
#include <vector>

class QStandardItemModel;

namespace slipway::gui {

/// Fields of one group follow each other; a group without a name has no heading.
struct ChoiceOfField {
    QString group;
    QString name;  ///< unique
    QString key;
};

class FieldChooser : public QComboBox {
    Q_OBJECT

public:
    explicit FieldChooser(QWidget* parent = nullptr);
    void setFields(const std::vector<ChoiceOfField>& fields);
    /// Without a signal; an unknown key leaves the choice as it is.
    void choose(const QString& key);
    [[nodiscard]] QString chosenKey() const { return m_key; }
    [[nodiscard]] QString chosenName() const;

signals:
    /// Somebody chose another field.
    void chosen(const QString& key);

private:
    void take(int row);
    [[nodiscard]] int rowOf(const QString& key) const;

    QStandardItemModel* m_model;
    QString m_key;
};

/// What is typed into a plain combo box searches its entries: in full, or in part where one entry alone has it. All else goes
/// back to the entry that was chosen.
void makeSearchable(QComboBox* box);

}  // namespace slipway::gui
