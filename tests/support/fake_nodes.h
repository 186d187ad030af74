// Computers behind a fake ssh: each has a home of its own, and fails as the test asks (tests/support/fake_ssh).
#pragma once

#include "core/base/file.h"
#include "core/process/proc_facts.h"
#include "tests/support/temp_dir.h"

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace slipway::test {

struct FakeNodes {
    TempDir temp;
    std::string path = std::getenv("PATH");

    FakeNodes() {
        std::filesystem::create_directories(temp.path() / "bin");
        std::filesystem::create_symlink(SLIPWAY_SOURCE_DIR "/tests/support/fake_ssh", temp.path() / "bin" / "ssh");
        ::setenv("PATH", ((temp.path() / "bin").string() + ":" + path).c_str(), 1);
        ::setenv("SLIPWAY_FAKE_NODES", temp.path().c_str(), 1);
    }
    ~FakeNodes() {
        ::setenv("PATH", path.c_str(), 1);
        // The agent of a node that was lost, for example: its driver has given it up.
        for (const std::int64_t pid : processesWithEnvironment({"SLIPWAY_FAKE_NODES=" + temp.path().string()}))
            ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
    FakeNodes(const FakeNodes&) = delete;
    FakeNodes& operator=(const FakeNodes&) = delete;

    [[nodiscard]] std::filesystem::path home(const std::string& node) const { return temp.path() / node; }
    /// "says", "asks", "noise", "slow"; an empty text ends it.
    void set(const std::string& node, const std::string& what, const std::string& text) const {
        const auto file = temp.path() / (node + "." + what);
        std::filesystem::remove(file);
        if (!text.empty()) (void)writeFileAtomically(file, text);
    }
    [[nodiscard]] std::string arguments(const std::string& node) const {
        return readFile(temp.path() / (node + ".arguments")).value_or("");
    }
    /// How many have come through so far.
    [[nodiscard]] std::int64_t numLogins(const std::string& node) const {
        const std::string lines = readFile(temp.path() / (node + ".logins")).value_or("");
        return std::count(lines.begin(), lines.end(), '\n');
    }
    /// Cuts the link as kill -9 of ssh does.
    void cut(const std::string& node) const {
        const int pid = std::atoi(readFile(temp.path() / (node + ".pid")).value_or("0").c_str());
        if (pid > 1) ::kill(pid, SIGKILL);
    }
};

}  // namespace slipway::test
