// File > New corpus…: text files, the name of their token file and the size of its vocabulary. Its owner builds the corpus.
#pragma once

#include "core/corpus/corpus.h"

#include <QDialog>
#include <QStringList>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace slipway::gui {

class NumberEdit;

class CorpusDialog : public QDialog {
    Q_OBJECT

public:
    CorpusDialog(const Home& home, QWidget* parent);

signals:
    /// @param use the plan should train on it
    void corpusWanted(const slipway::CorpusSpec& spec, bool use);

private:
    void browse();
    void check();
    void accept() override;

    Home m_home;
    QStringList m_files;
    QLabel* m_chosen;
    QLineEdit* m_name;
    NumberEdit* m_vocabulary;
    NumberEdit* m_bytes;
    QCheckBox* m_use;
    QLabel* m_state;
    QPushButton* m_make;
};

}  // namespace slipway::gui
