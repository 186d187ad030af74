#include "app/gui/pages/settings_page.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/alerts_form.h"
#include "app/gui/pages/backup_form.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/keys_form.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/row_density.h"
#include "core/base/clock.h"
#include "core/base/version.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QUrl>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

constexpr std::int64_t kTrashDays = 30;

QLabel* heading(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setFont(fontOf(1.0, true));
    label->setContentsMargins(0, px(12), 0, px(2));
    return label;
}

}  // namespace

SettingsPage::SettingsPage(Context& context, AlertDesk& alerts, MenuActions& actions, QWidget* parent)
    : Page(context, parent) {
    header()->setTitle(tr("Settings"));
    header()->setSideText(tr("Changes apply at once."));
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);  // it follows the focus of its contents
    auto* content = new QWidget(scroll);
    content->setBackgroundRole(QPalette::Base);
    scroll->viewport()->setBackgroundRole(QPalette::Base);
    auto* column = new QWidget(content);
    column->setMaximumWidth(px(640));
    auto* form = new QFormLayout(column);
    form->setContentsMargins(px(16), px(8), px(16), px(16));
    form->setVerticalSpacing(px(8));
    form->setHorizontalSpacing(px(24));

    m_language = new QComboBox(column);
    m_language->setObjectName(QStringLiteral("language"));
    m_language->addItem(tr("System default"), QString());
    m_language->addItem(QStringLiteral("English"), QStringLiteral("en"));
    m_language->addItem(QStringLiteral("한국어"), QStringLiteral("ko"));
    m_language->setCurrentIndex(std::max(0, m_language->findData(context.settings.language())));
    connect(m_language, &QComboBox::activated, this,
            [this] { this->context().settings.setLanguage(m_language->currentData().toString()); });
    m_theme = new QComboBox(column);
    m_theme->setObjectName(QStringLiteral("theme"));
    m_theme->addItem(tr("System default"), static_cast<int>(ThemeChoice::System));
    m_theme->addItem(tr("Light"), static_cast<int>(ThemeChoice::Light));
    m_theme->addItem(tr("Dark"), static_cast<int>(ThemeChoice::Dark));
    m_theme->setCurrentIndex(m_theme->findData(static_cast<int>(context.settings.themeChoice())));
    connect(m_theme, &QComboBox::activated, this, [this] {
        this->context().settings.setThemeChoice(static_cast<ThemeChoice>(m_theme->currentData().toInt()));
    });

    auto* density = new QComboBox(column);
    density->setObjectName(QStringLiteral("density"));
    density->addItems({tr("Comfortable"), tr("Compact")});
    const QString densityKey = QString::fromLatin1(kCompactRowsSetting);
    density->setCurrentIndex(context.settings.value(densityKey).toBool() ? 1 : 0);
    connect(density, &QComboBox::activated, this, [this, densityKey](int index) {
        this->context().settings.setValue(densityKey, index == 1);
        setCompactRows(index == 1);
    });

    form->addRow(heading(tr("General"), column));
    form->addRow(tr("Language"), m_language);
    form->addRow(tr("Theme"), m_theme);
    form->addRow(tr("Rows of tables"), density);
    form->addRow(heading(tr("Alerts"), column));
    form->addRow(new AlertsForm(alerts, column));
    form->addRow(heading(tr("Hardware, prices and launchers"), column));
    form->addRow(tr("Hardware and prices"),
                 makeLink(tr("Tables of devices and their prices, with sources, and your own entries"),
                          tr("Tools > Devices"), [this] { emit wantsDevices(); }));
    form->addRow(tr("Launchers"), makeLink(tr("This computer, computers over SSH, Slurm"), tr("Nodes"),
                                           [this] { emit wantsPage(PageId::Nodes); }));
    form->addRow(heading(tr("Keys"), column));
    form->addRow(new KeysForm(actions, column));
    form->addRow(heading(tr("Folders"), column));
    const Home& home = context.engine.home();
    form->addRow(tr("Home"), makeFolder(exactText(home.path.string())));
    form->addRow(tr("Run folders"), makeFolder(exactText(home.runs().string())));
    form->addRow(tr("Token files"), makeFolder(exactText(home.corpora().string())));
    form->addRow(tr("Run index"), makeFolder(exactText(home.index().string())));
    form->addRow(tr("Settings file"), makeFolder(context.settings.fileName()));
    form->addRow(heading(tr("Data"), column));
    auto* rebuild = new QPushButton(tr("Rebuild from run folders"), column);
    connect(rebuild, &QPushButton::clicked, this, [this] {
        this->context().engine.rebuildIndex();
        emit said(tr("Rebuilding the run index…"));
    });
    form->addRow(tr("Run index"), rebuild);
    auto* empty = new QPushButton(
        tr("Delete runs older than %n day(s) from the trash…", nullptr, static_cast<int>(kTrashDays)), column);
    connect(empty, &QPushButton::clicked, this, [this] {
        if (!askConfirm(this, tr("Empty the trash"),
                        tr("Run folders in the trash for more than %n day(s) are deleted permanently.", nullptr,
                           static_cast<int>(kTrashDays)),
                        tr("Remove")))
            return;
        this->context().engine.change([](RunStore& store) -> Result<void> {
            const auto removed = store.emptyTrash(unixMillisecondsNow() - kTrashDays * 86400000);
            if (!removed) return fail(removed.error());
            return {};
        });
    });
    form->addRow(tr("Trash"), empty);
    form->addRow(heading(tr("Backup"), column));
    form->addRow(new BackupForm(context, column));
    form->addRow(heading(tr("About"), column));
    form->addRow(tr("Version"), quietLabel(qs(versionText()), column));
    form->addRow(tr("Licence"), quietLabel(QStringLiteral("GPL-3.0-or-later"), column));
    const Programs& programs = context.engine.programs();
    form->addRow(tr("Trainer"),
                 quietLabel(programs.trainer.empty() ? tr("not found") : qs(programs.trainer.string()), column));
    form->addRow(tr("Agent"),
                 quietLabel(programs.agent.empty() ? tr("not found") : qs(programs.agent.string()), column));

    auto* layout = new QVBoxLayout(content);
    layout->addWidget(column);
    layout->addStretch(1);
    scroll->setWidget(content);
    setContent(scroll);
}

QWidget* SettingsPage::makeLink(const QString& text, const QString& link, std::function<void()> open) {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* label = quietLabel(wordJoined(text), row);
    label->setWordWrap(true);
    auto* button = linkButton(link, row);
    button->setObjectName(QStringLiteral("link ") + link);
    connect(button, &QPushButton::clicked, row, std::move(open));
    layout->addWidget(label, 1);
    layout->addWidget(button);
    return row;
}

QWidget* SettingsPage::makeFolder(const QString& path) {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* text = quietLabel(shown(path), row);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text->setWordWrap(true);
    auto* open = linkButton(tr("Open"), row);
    open->setAccessibleDescription(shown(path));
    connect(open, &QPushButton::clicked, row, [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
    layout->addWidget(text, 1);
    layout->addWidget(open);
    return row;
}

}  // namespace slipway::gui
