#include "core/process/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slipway {

FolderWatch::FolderWatch(const std::filesystem::path& folder) : m_events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (m_events.number < 0) return;
    constexpr std::uint32_t kKinds = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    m_isActive = ::inotify_add_watch(m_events.number, folder.c_str(), kKinds) >= 0;
}

std::optional<std::vector<std::string>> FolderWatch::take() {
    if (!m_isActive) return {};
    std::vector<std::string> names;
    bool isComplete = true;
    alignas(inotify_event) char buffer[16384];
    while (true) {
        const ssize_t bytes = ::read(m_events.number, buffer, sizeof buffer);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) {
            if (bytes < 0 && errno != EAGAIN) isComplete = m_isActive = false;
            break;
        }
        for (ssize_t at = 0; at < bytes;) {
            inotify_event event{};
            std::memcpy(&event, buffer + at, sizeof event);
            const char* name = buffer + at + sizeof event;
            at += static_cast<ssize_t>(sizeof event + event.len);
            if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0)
                isComplete = m_isActive = false;
            else if ((event.mask & IN_Q_OVERFLOW) != 0)
                isComplete = false;
            else if (event.len > 0)
                names.emplace_back(name);
        }
    }
    if (!isComplete) return {};
    return names;
}

}  // namespace slipway
