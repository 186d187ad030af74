// Building blocks of the playbook's views: numbered sections, text lines, formatted figures.
#pragma once

#include "app/gui/look/icons.h"
#include "core/base/json.h"
#include "core/playbook/references.h"
#include "core/playbook/standing.h"

#include <QColor>
#include <QString>

class QAbstractItemModel;
class QGridLayout;
class QHBoxLayout;
class QLabel;
class QTableView;
class QVBoxLayout;
class QWidget;

namespace slipway::gui {

constexpr int kMeasure = 720;  // of a column of text, in units

/// A text of the content in the language of the window.
QString says(const LocalText& text);
/// A figure with four digits; large counts shortened.
QString figureText(double value);
/// A claim's expected value: "0.75 ± 0.07", "> 0".
QString expectedWords(const Claim& claim);
/// Numbers, words, lists and objects of figure models on one line, in the language of the window.
QString valueText(const Json& value, const Playbook& playbook);
/// A word of a figure, or a list of sources, in the language of the window.
QString wordText(const std::string& word, const Playbook& playbook);

/// A part of the column: number in the margin, title, side text; body() is below. An edge line follows it.
struct Section {
    QWidget* widget = nullptr;
    QHBoxLayout* head = nullptr;
    QVBoxLayout* body = nullptr;
};
/// @param number empty: none
Section addSection(QVBoxLayout* column, const QString& number, const QString& title, const QString& side = {});
/// A paragraph; `quiet` in the colour of labels.
QLabel* addText(QVBoxLayout* body, const QString& text, bool quiet = false);
/// A line of a list with an icon before it.
void addMarked(QVBoxLayout* body, Icon icon, const QColor& ink, const QString& text);
/// A table with columns fitted to their contents.
QTableView* newTable(QAbstractItemModel* model, const char* name, const QString& title, QWidget* parent);
/// The column inside a scroll area: a layout from top to bottom in a widget with the page's background.
QVBoxLayout* newColumn(QWidget* content);

/// Shows what would be fetched (URL, licence, size, checksum), and asks.
bool confirmFetch(QWidget* parent, const slipway::Reference& reference);

Icon iconOf(Verdict verdict);
QColor inkOf(Verdict verdict);
QString wordsOf(Verdict verdict);

}  // namespace slipway::gui
