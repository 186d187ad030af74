// A folder that is gone when the test is over, and helpers that wait for something real to happen (flow tests only).
#pragma once

#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace slipway::test {

class TempDir {
public:
    TempDir() {
        std::string pattern = (std::filesystem::temp_directory_path() / "slipway-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr) m_path = pattern;
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir() {
        std::error_code code;
        if (!m_path.empty() && std::getenv("SLIPWAY_KEEP_TEMP") == nullptr) std::filesystem::remove_all(m_path, code);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

/// A small disk of its own (tmpfs) that can be filled. Needs root: without it mounted() is false, and the test skips.
class SmallDisk {
public:
    explicit SmallDisk(const std::string& size)
        : m_mounted(::mount("tmpfs", m_folder.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0) {}
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        if (m_mounted) ::umount2(m_folder.path().c_str(), MNT_DETACH);
    }
    [[nodiscard]] bool mounted() const { return m_mounted; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_folder.path(); }

private:
    TempDir m_folder;
    bool m_mounted;
};

/// Calls `ready` every 5 ms until it is true; false after `seconds`.
template <class Condition>
bool waitUntil(double seconds, Condition ready) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!ready()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

}  // namespace slipway::test
