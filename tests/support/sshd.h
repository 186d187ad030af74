// Real sshd on loopback ports as computers with homes of their own, and the real ssh, whose configuration is the tests'. Needs
// openssh-server: a test skips where Sshd::isMissing().
#pragma once

#include "core/base/file.h"
#include "core/process/free_port.h"
#include "core/remote/node_record.h"
#include "tests/support/networks.h"
#include "tests/support/temp_dir.h"

#include <signal.h>
#include <unistd.h>

#include <QProcess>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slipway::test {

struct Sshd {
    using Path = std::filesystem::path;
    Path root;
    std::string path = std::getenv("PATH");
    std::map<std::string, std::unique_ptr<QProcess>> servers;
    std::map<std::string, int> ports;
    const Networks* networks = nullptr;
    Path hidden;

    /// @param hasRelays link(): what happens to the bytes on their way
    explicit Sshd(const Path& folder, bool hasRelays = false) : Sshd(folder, hasRelays, nullptr, {}) {}
    /// Each host in a network and a view of the disk of its own: it sees neither the home of the other nor the folder `hidden`.
    Sshd(const Path& folder, const Networks& between, const Path& unseen) : Sshd(folder, false, &between, unseen) {}
    Sshd(const Path& folder, bool hasRelays, const Networks* between, const Path& unseen)
        : root(folder), networks(between), hidden(unseen) {
        namespace fs = std::filesystem;
        fs::create_directories(root / "bin");
        key("user_key");
        fs::copy_file(root / "user_key.pub", root / "authorized");
        std::string config;
        for (const char* name : {"a", "b"}) {
            key(std::string("host_key_") + name);
            ports[name] = *freePort("127.0.0.1");
            fs::create_directories(home(name));
            config += std::string("Host ") + name + "\n  HostName " + address(name) + "\n  Port " +
                      std::to_string(ports[name]) + "\n  HostKeyAlias " + name + "\n";
            if (hasRelays)
                config += std::string("  ProxyCommand ") + SLIPWAY_BIN_DIR + "/fake/link_relay " +
                          (root / (std::string(name) + ".link")).string() + " %h %p\n";
        }
        config += "Host *\n  IdentityFile " + (root / "user_key").string() +
                  "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + (root / "known_hosts").string() + "\n";
        write("ssh_config", config);
        write("bin/ssh", "#!/bin/sh\nexec /usr/bin/ssh -F " + (root / "ssh_config").string() + " \"$@\"\n");
        fs::permissions(root / "bin" / "ssh", fs::perms::owner_all);
        ::setenv("PATH", ((root / "bin").string() + ":" + path).c_str(), 1);
        for (const char* name : {"a", "b"}) start(name);
    }
    ~Sshd() {
        ::setenv("PATH", path.c_str(), 1);
        for (auto& [name, server] : servers) {
            server->kill();
            server->waitForFinished();
        }
    }
    Sshd(const Sshd&) = delete;
    Sshd& operator=(const Sshd&) = delete;

    void key(const std::string& name) const {
        std::filesystem::remove(root / name);
        runs(QStringLiteral("/usr/bin/ssh-keygen"),
             {QStringLiteral("-q"), QStringLiteral("-t"), QStringLiteral("ed25519"), QStringLiteral("-N"), QString(),
              QStringLiteral("-f"), QString::fromStdString((root / name).string())});
    }
    void write(const std::string& name, const std::string& text) const { (void)writeFileAtomically(root / name, text); }
    [[nodiscard]] std::string address(const std::string& name) const {
        return networks == nullptr ? "127.0.0.1" : networks->address(name);
    }
    [[nodiscard]] Path home(const std::string& name) const { return root / ("home_" + name); }
    [[nodiscard]] std::string knownHost(const std::string& name) const {
        return name + " " + readFile(root / ("host_key_" + name + ".pub")).value_or("");
    }
    void start(const std::string& name) {
        write("sshd_" + name,
              "ListenAddress " + address(name) + "\nPort " + std::to_string(ports[name]) + "\nHostKey " +
                  (root / ("host_key_" + name)).string() + "\nPidFile none\nAuthorizedKeysFile " +
                  (root / "authorized").string() +
                  "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                  "PermitRootLogin prohibit-password\nSetEnv HOME=" +
                  home(name).string() + "\n");
        auto server = std::make_unique<QProcess>();
        std::vector<std::string> command = {"/usr/sbin/sshd", "-D", "-f", (root / ("sshd_" + name)).string()};
        if (networks != nullptr)
            command = networks->inside(name, {home(name == "a" ? "b" : "a").string(), hidden.string()}, command);
        QStringList arguments;
        for (std::size_t i = 1; i < command.size(); ++i) arguments.push_back(QString::fromStdString(command[i]));
        server->start(QString::fromStdString(command.front()), arguments);
        server->waitForStarted();
        servers[name] = std::move(server);
    }
    /// "frozen", "cut", "slow" (tests/support/link_relay.cpp); an empty word heals it.
    void link(const std::string& name, const std::string& word) const { write(name + ".link", word); }
    /// Programs that are not installed here: the reason to skip; null when all are. Makes the folder in which sshd locks itself in.
    static const char* isMissing() {
        for (const char* program : {"/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"})
            if (::access(program, X_OK) != 0) return "no OpenSSH server: install openssh-server";
        std::error_code code;
        if (::geteuid() == 0) std::filesystem::create_directories("/run/sshd", code);
        return nullptr;
    }
    void stop(const std::string& name) {
        servers[name]->kill();
        servers[name]->waitForFinished();
    }
    /// Processes of this user whose command line has all of the words.
    static std::vector<pid_t> processes(const std::vector<std::string>& words) {
        std::vector<pid_t> found;
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            const pid_t pid = std::atoi(entry.path().filename().c_str());
            const std::string command = readFile(entry.path() / "cmdline").value_or("");
            if (pid > 1 && pid != ::getpid() && std::all_of(words.begin(), words.end(), [&](const std::string& word) {
                    return command.find(word) != std::string::npos;
                }))
                found.push_back(pid);
        }
        return found;
    }
};

/// A node of the Sshd fixture, with the fake trainer.
inline NodeRecord sshdNode(const std::string& name) {
    NodeRecord node;
    node.name = node.host = name;
    node.trainer = std::string(SLIPWAY_BIN_DIR) + "/fake/slipway-trainer";
    return node;
}

}  // namespace slipway::test
