#include "app/gui/goto_dialog.h"

#include "app/gui/engine/list_store.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/filter_dialog.h"
#include "app/gui/text/format.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {
namespace {

constexpr int kMost = 100;

}  // namespace

GotoDialog::GotoDialog(Context& context, QMenuBar* menus, QWidget* parent)
    : QDialog(parent), m_context(context), m_job(this) {
    setObjectName(QStringLiteral("gotoDialog"));
    setWindowTitle(tr("Go to"));
    m_line = new QLineEdit(this);
    m_line->setPlaceholderText(tr("Page, action or run"));
    m_line->setAccessibleName(tr("Page, action or run"));
    m_line->installEventFilter(this);
    m_list = new QListWidget(this);
    m_list->setAccessibleName(tr("Matches"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_line);
    layout->addWidget(m_list, 1);
    resize(px(460), px(360));
    for (QAction* menu : menus->actions()) {
        if (!menu->menu()) continue;
        for (QAction* action : menu->menu()->actions())
            if (!action->isSeparator() && action->isEnabled())
                m_targets.push_back({action->text().remove('&'), action->shortcut().toString(QKeySequence::NativeText),
                                     [action] { action->trigger(); }});
    }
    m_numActions = m_targets.size();
    connect(m_line, &QLineEdit::textChanged, this, [this](const QString& typed) {
        show(typed);
        findRuns(typed);
    });
    connect(m_list, &QListWidget::itemActivated, this, &GotoDialog::goCurrent);
    show({});
    findRuns({});
}

void GotoDialog::findRuns(const QString& typed) {
    m_job.start(
        [home = m_context.engine.home(), text = typed.trimmed()](std::stop_token) {
            RunQuery query;
            query.limit = kMost;
            if (!text.isEmpty())
                query.filter = filterTerm(QStringLiteral("name"), FilterOp::Contains, {text}).toStdString();
            return readLists(home, [&](RunStore& store) { return store.list(query); });
        },
        [this](const Result<std::vector<RunRow>>& rows) {
            if (!rows) return;
            m_targets.resize(m_numActions);
            for (const RunRow& row : *rows)
                m_targets.push_back(
                    {qs(row.record.name), tr("run"), [this, id = row.record.id] { emit runChosen(id); }});
            const int current = m_list->currentRow();
            show(m_line->text());
            m_list->setCurrentRow(std::clamp(current, 0, std::max(0, m_list->count() - 1)));
        });
}

void GotoDialog::show(const QString& typed) {
    m_list->clear();
    for (std::size_t i = 0; i < m_targets.size() && m_list->count() < kMost; ++i) {
        const Target& target = m_targets[i];
        if (!target.name.contains(typed.trimmed(), Qt::CaseInsensitive)) continue;
        auto* item = new QListWidgetItem(
            target.kind.isEmpty() ? target.name : QStringLiteral("%1   (%2)").arg(target.name, target.kind),
            m_list);  // owned by the list
        item->setData(Qt::UserRole, static_cast<int>(i));
    }
    m_list->setCurrentRow(0);
}

void GotoDialog::goCurrent() {
    const QListWidgetItem* item = m_list->currentItem();
    if (!item) return;
    const auto go = m_targets[static_cast<std::size_t>(item->data(Qt::UserRole).toInt())].go;
    accept();
    go();
}

bool GotoDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_line && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            goCurrent();
            return true;
        }
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int step = key == Qt::Key_Down ? 1 : -1;
            m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, std::max(0, m_list->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace slipway::gui
