// A combo box over many fields: in groups, with typed text searching names and keys.
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
    /// Without a signal; an unknown key leaves the choice unchanged.
    void choose(const QString& key);
    [[nodiscard]] QString chosenKey() const { return m_key; }
    [[nodiscard]] QString chosenName() const;

signals:
    /// The person chose another field.
    void chosen(const QString& key);

private:
    void take(int row);
    [[nodiscard]] int rowOf(const QString& key) const;

    QStandardItemModel* m_model;
    QString m_key;
};

/// Makes text typed into a plain combo box search its entries: in full, or in part where only one entry matches. Any
/// other text reverts to the chosen entry.
void makeSearchable(QComboBox* box);

}  // namespace slipway::gui
