#include "app/gui/pages/backup_form.h"

#include "app/gui/engine/jobs.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/row_density.h"
#include "core/base/clock.h"
#include "core/store/home_backup.h"

#include <QDate>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QSettings>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

constexpr const char* kSettingsName = "settings.ini";

QLabel* wrapped(const QString& text, QWidget* parent) {
    auto* label = quietLabel(wordJoined(text), parent);
    label->setWordWrap(true);
    return label;
}

}  // namespace

BackupForm::BackupForm(Context& context, QWidget* parent) : QWidget(parent), m_context(context) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(
        wrapped(tr("A backup is a folder with the run index and its points, saved views, boards, sweep files, "
                   "nodes, alert rules, Playbook notes, your devices and prices, and these settings. It does "
                   "not contain run folders with their logs and checkpoints, sweeps, and token files: copy "
                   "these with any tool."),
                this));
    auto* row = new QHBoxLayout;
    m_backUp = new QPushButton(tr("Back up…"), this);
    m_backUp->setObjectName(QStringLiteral("backUp"));
    m_restore = new QPushButton(tr("Restore…"), this);
    m_restore->setObjectName(QStringLiteral("restoreBackup"));
    row->addWidget(m_backUp);
    row->addWidget(m_restore);
    row->addStretch(1);
    column->addLayout(row);
    m_said = wrapped({}, this);
    m_said->setObjectName(QStringLiteral("backupSaid"));
    m_said->setTextFormat(Qt::PlainText);
    m_said->hide();
    column->addWidget(m_said);
    connect(m_backUp, &QPushButton::clicked, this, &BackupForm::backUp);
    connect(m_restore, &QPushButton::clicked, this, &BackupForm::restore);
}

void BackupForm::say(const QString& text, bool isBad) {
    m_said->setText(wordJoined(text));
    setInk(m_said, isBad ? theme().bad : theme().text2);
    m_said->setVisible(!text.isEmpty());
    m_backUp->setEnabled(true);
    m_restore->setEnabled(true);
}

void BackupForm::backUp() {
    const QString folder =
        askSaveFile(this, tr("Name of the backup folder"),
                    QStringLiteral("slipway-backup-%1").arg(QDate::currentDate().toString(Qt::ISODate)));
    if (folder.isEmpty()) return;
    say(tr("Backing up…"), false);
    m_backUp->setEnabled(false);
    m_restore->setEnabled(false);
    const QString settings = m_context.settings.fileName();
    QSettings(settings, QSettings::IniFormat).sync();  // shares what the window's has not written yet
    runOnce(
        this,
        [home = m_context.engine.home(), to = folder.toStdString(), file = settings.toStdString()](std::stop_token) {
            return backUpHome(home, to, unixMillisecondsNow(), {{kSettingsName, file}});
        },
        [this, folder](const Result<BackupReport>& made) {
            if (!made) return say(errorText(made.error()), true);
            say(tr("Backed up %1 files, %2, to %3.")
                    .arg(countText(static_cast<double>(made->numFiles)), bytesText(static_cast<double>(made->bytes)),
                         shown(folder)),
                false);
        });
}

void BackupForm::restore() {
    const QString list = askOpenFile(this, tr("Choose the backup.json of a backup"), QStringLiteral("backup.json"));
    if (list.isEmpty()) return;
    const QString folder = QFileInfo(list).isDir() ? list : QFileInfo(list).path();
    if (!askConfirm(this, tr("Restore the backup?"),
                    tr("The run index, views, boards, nodes, rules and settings become those of the backup. What they "
                       "replace is kept in a folder of the home; run folders stay as they are."),
                    tr("Restore")))
        return;
    say(tr("Restoring…"), false);
    m_backUp->setEnabled(false);
    m_restore->setEnabled(false);
    runOnce(
        this,
        [home = m_context.engine.home(), from = folder.toStdString()](std::stop_token) {
            return restoreHome(home, from, unixMillisecondsNow());
        },
        [this, folder](const Result<RestoreReport>& done) {
            if (!done) return say(errorText(done.error()), true);
            takeSettings(folder + QStringLiteral("/extra/") + QString::fromLatin1(kSettingsName));
            m_context.engine.change([](RunStore&) { return Result<void>(); });  // the list is read again
            const QString kept = done->aside.empty() ? QString() : shown(exactText(done->aside.string()));
            say(kept.isEmpty() ? tr("Restored %1 files.").arg(countText(static_cast<double>(done->numFiles)))
                               : tr("Restored %1 files; what was there before is in %2.")
                                     .arg(countText(static_cast<double>(done->numFiles)), kept),
                false);
        });
}

// What the backup does not have stays; sizes of windows and columns show when their page is opened the next time.
void BackupForm::takeSettings(const QString& file) {
    if (!QFileInfo::exists(file)) return;
    const QSettings from(file, QSettings::IniFormat);
    Settings& to = m_context.settings;
    const QString language = from.value(QStringLiteral("general/language")).toString();
    const QString theme = from.value(QStringLiteral("general/theme")).toString();
    for (const QString& key : from.allKeys())
        if (key != QStringLiteral("general/language") && key != QStringLiteral("general/theme"))
            to.setValue(key, from.value(key));
    to.setLanguage(language);
    to.setThemeChoice(theme == QStringLiteral("light")  ? ThemeChoice::Light
                      : theme == QStringLiteral("dark") ? ThemeChoice::Dark
                                                        : ThemeChoice::System);
    setCompactRows(to.value(QString::fromLatin1(kCompactRowsSetting)).toBool());
}

}  // namespace slipway::gui
