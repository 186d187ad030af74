#include "app/gui/engine/alert_desk.h"

#include "app/gui/engine/store_access.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/clock.h"
#include "core/run/alert_watch.h"

#include <QGuiApplication>
#include <utility>

namespace slipway::gui {
namespace {

/// Notifications use markup (freedesktop.org, Desktop Notifications, "Markup").
QString unmarked(QString text) {
    return text.replace(QChar('&'), QStringLiteral("&amp;"))
        .replace(QChar('<'), QStringLiteral("&lt;"))
        .replace(QChar('>'), QStringLiteral("&gt;"));
}

bool isAlert(const EventRecord& event) {
    return event.name.starts_with(AlertWatch::kEventPrefix) && event.name != AlertWatch::kHookEvent;
}

}  // namespace

AlertDesk::AlertDesk(Context& context, QObject* parent)
    : QObject(parent), m_context(context), m_since(unixMillisecondsNow()) {
    connect(&context.engine, &Engine::runAdvanced, this, [this](const RunId& id) {
        m_advanced.insert(id);
        if (!m_look.isRunning()) look();
    });
}

bool AlertDesk::notifies() const {
    return m_context.settings.value(QStringLiteral("alerts/notify"), true).toBool();
}

void AlertDesk::setNotifies(bool notifies) {
    m_context.settings.setValue(QStringLiteral("alerts/notify"), notifies);
}

void AlertDesk::load(std::function<void(const Result<AlertSettings>&)> done) {
    m_load.start([home = m_context.engine.home()](const std::stop_token&) { return readAlertSettings(home); },
                 [done = std::move(done)](const Result<AlertSettings>& read) { done(read); });
}

void AlertDesk::change(const std::function<void(AlertSettings&)>& edit) {
    m_edits.push_back(edit);
    if (m_write.isRunning()) return;
    m_write.start(
        [home = m_context.engine.home(), edits = std::exchange(m_edits, {})](const std::stop_token&) -> Result<void> {
            auto settings = readAlertSettings(home);
            if (!settings) return fail(settings.error());
            for (const auto& one : edits) one(*settings);
            return writeAlertSettings(home, *settings);
        },
        [this](const Result<void>& written) {
            if (!written) {
                emit said(errorText(written.error()));
                emit failed();
            }
            const auto later = std::exchange(m_edits, {});
            if (later.empty()) {
                emit changed();
                return;
            }
            change([later](AlertSettings& settings) {
                for (const auto& one : later) one(settings);
            });
        });
}

void AlertDesk::look() {
    m_look.start(
        [home = m_context.engine.home(), ids = std::exchange(m_advanced, {}), told = m_told](const std::stop_token&) {
            std::vector<std::pair<Found, std::size_t>> found;  // with the number of events of the run
            for (const RunId& id : ids) {
                const auto events = readStore(home, [&](RunStore& store) { return store.events(id); });
                const auto known = told.find(id);
                if (!events) continue;
                const std::size_t from = known == told.end() ? 0 : known->second;
                for (std::size_t i = from; i < events->size(); ++i) {
                    if (!isAlert((*events)[i])) continue;
                    const auto record = readStore(home, [&](RunStore& store) { return store.run(id); });
                    found.push_back({{id, record ? record->name : id.value, (*events)[i]}, i + 1});
                }
            }
            return found;
        },
        [this](const std::vector<std::pair<Found, std::size_t>>& found) {
            for (const auto& [one, numEvents] : found) {
                m_told[one.id] = numEvents;
                tell(one);
            }
            if (!m_advanced.empty()) look();
        });
}

void AlertDesk::tell(const Found& found) {
    if (!notifies() || found.event.timeUnixMilliseconds < m_since) return;
    const std::string_view word = std::string_view(found.event.name).substr(AlertWatch::kEventPrefix.size());
    const AlertRuleInfo* info = findAlertRule(word);
    const QString name = info != nullptr ? messageText(info->name) : qs(word);
    const QString title = name + QStringLiteral(": ") + qs(found.run), text = recordedWords(found.event.detail);
    m_newest = found.id;
    emit said(title + QChar(' ') + text);
    if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) return;
    if (!m_tray) {
        m_tray = std::make_unique<QSystemTrayIcon>(QGuiApplication::windowIcon());
        connect(m_tray.get(), &QSystemTrayIcon::messageClicked, this, [this] { emit opened(m_newest); });
    }
    m_tray->show();
    m_tray->showMessage(title, unmarked(text), QSystemTrayIcon::Warning);
}

}  // namespace slipway::gui
