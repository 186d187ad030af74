// The only wrapper of questions to the person, so that tests can answer them. Files are written off the main thread.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>

class QWidget;

namespace slipway::gui {

/// Answers in place of dialogs in tests; empty members open the dialog.
struct DialogAnswers {
    std::optional<QString> file;
    std::optional<bool> confirm;
    std::optional<QString> text;
};
DialogAnswers& dialogAnswers();

/// The file to save to; empty when cancelled.
QString askSaveFile(QWidget* parent, const QString& title, const QString& suggestion);
/// A file to open; empty when cancelled.
QString askOpenFile(QWidget* parent, const QString& title, const QString& filter, const QString& folder = {});
/// Files to open; none when cancelled.
QStringList askOpenFiles(QWidget* parent, const QString& title);
/// States the consequences; the safe button is the default.
bool askConfirm(QWidget* parent, const QString& title, const QString& what, const QString& action);
/// One line or, when `multiLine`, a note; empty optional when cancelled.
std::optional<QString> askText(QWidget* parent, const QString& title, const QString& label, const QString& text,
                               bool multiLine = false);

/// Writes the file on the pool; `done` gets an empty text or the problem.
void saveText(QWidget* context, const QString& file, const QString& text, std::function<void(const QString&)> done);
/// Reads a file on the pool; `done` gets its text or the problem.
void loadText(QWidget* context, const QString& file,
              std::function<void(const QString& text, const QString& problem)> done);
/// Shows a field's help next to it.
void showHelp(QWidget* at, const QString& text);

}  // namespace slipway::gui
