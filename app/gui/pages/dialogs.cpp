#include "app/gui/pages/dialogs.h"

#include "app/gui/engine/jobs.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "core/base/file.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QToolTip>

namespace slipway::gui {

DialogAnswers& dialogAnswers() {
    static DialogAnswers answers;
    return answers;
}

QString askSaveFile(QWidget* parent, const QString& title, const QString& suggestion) {
    if (dialogAnswers().file) return *dialogAnswers().file;
    return QFileDialog::getSaveFileName(parent, title, suggestion);
}

QString askOpenFile(QWidget* parent, const QString& title, const QString& filter, const QString& folder) {
    if (dialogAnswers().file) return *dialogAnswers().file;
    return QFileDialog::getOpenFileName(parent, title, folder, filter);
}

QStringList askOpenFiles(QWidget* parent, const QString& title) {
    if (dialogAnswers().file) return {*dialogAnswers().file};
    return QFileDialog::getOpenFileNames(parent, title);
}

bool askConfirm(QWidget* parent, const QString& title, const QString& what, const QString& action) {
    if (dialogAnswers().confirm) return *dialogAnswers().confirm;
    QMessageBox box(QMessageBox::NoIcon, title, what, QMessageBox::Cancel, parent);
    box.setIconPixmap(iconPixmap(Icon::Warning, theme().warn, 24));
    QPushButton* go = box.addButton(action, QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == go;
}

std::optional<QString> askText(QWidget* parent, const QString& title, const QString& label, const QString& text,
                               bool multiLine) {
    if (dialogAnswers().text) return dialogAnswers().text;
    bool ok = false;
    const QString answer = multiLine ? QInputDialog::getMultiLineText(parent, title, label, text, &ok)
                                     : QInputDialog::getText(parent, title, label, QLineEdit::Normal, text, &ok);
    return ok ? std::optional<QString>(answer) : std::nullopt;
}

void saveText(QWidget* context, const QString& file, const QString& text, std::function<void(const QString&)> done) {
    runOnce(
        context, [file, text](std::stop_token) { return writeFileAtomically(file.toStdString(), text.toStdString()); },
        [done = std::move(done)](const Result<void>& outcome) {
            done(outcome ? QString() : errorText(outcome.error()));
        });
}

void loadText(QWidget* context, const QString& file, std::function<void(const QString&, const QString&)> done) {
    runOnce(
        context, [file](std::stop_token) { return readFile(file.toStdString()); },
        [done = std::move(done)](const Result<std::string>& text) {
            done(text ? exactText(*text) : QString(), text ? QString() : errorText(text.error()));
        });
}

void showHelp(QWidget* at, const QString& text) {
    QToolTip::showText(at->mapToGlobal(QPoint(0, at->height())), text, at);
}

}  // namespace slipway::gui
