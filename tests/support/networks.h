// Two network namespaces, "a" and "b", each with a link to this computer and one to the other: the address of the login is not one that the
// other host reaches.
#pragma once

#include <unistd.h>

#include <QProcess>
#include <QStringList>
#include <string>
#include <vector>

namespace slipway::test {

inline bool runs(const QString& program, const QStringList& arguments) {
    return QProcess::execute(program, arguments) == 0;
}

struct Networks {
    std::string prefix = "slw" + std::to_string(::getpid());
    std::string net = "10." + std::to_string(100 + ::getpid() % 100) + ".";
    bool isMade = false;

    Networks() {
        isMade = true;
        for (const char* name : {"a", "b"}) {
            const std::string space = prefix + name, here = prefix + name + "0", there = prefix + name + "1";
            isMade = isMade && ip({"netns", "add", space}) &&
                     ip({"link", "add", here, "type", "veth", "peer", "name", there}) &&
                     ip({"link", "set", there, "netns", space}) &&
                     ip({"addr", "add", address(name, 1) + "/24", "dev", here}) && ip({"link", "set", here, "up"}) &&
                     ip({"-n", space, "addr", "add", address(name) + "/24", "dev", there}) &&
                     ip({"-n", space, "link", "set", there, "up"}) && ip({"-n", space, "link", "set", "lo", "up"});
        }
        const std::string a = prefix + "ax", b = prefix + "bx";
        isMade = isMade && ip({"link", "add", a, "type", "veth", "peer", "name", b}) &&
                 ip({"link", "set", a, "netns", prefix + "a"}) && ip({"link", "set", b, "netns", prefix + "b"});
        for (const char* name : {"a", "b"})
            isMade = isMade &&
                     ip({"-n", prefix + name, "addr", "add", between(name) + "/24", "dev", prefix + name + "x"}) &&
                     ip({"-n", prefix + name, "link", "set", prefix + name + "x", "up"});
    }
    ~Networks() {
        for (const char* name : {"a", "b"}) (void)ip({"netns", "del", prefix + name});  // its links go with it
    }
    Networks(const Networks&) = delete;
    Networks& operator=(const Networks&) = delete;

    /// Where this computer reaches the host. @param last 1: this computer's own address on that link
    [[nodiscard]] std::string address(const std::string& name, int last = 2) const {
        return net + (name == "a" ? "1." : "2.") + std::to_string(last);
    }
    /// Where the hosts reach each other, and the interface there.
    [[nodiscard]] std::string between(const std::string& name) const { return net + (name == "a" ? "3.1" : "3.2"); }
    [[nodiscard]] std::string interface(const std::string& name) const { return prefix + name + "x"; }
    /// The command inside, where the two folders are empty.
    [[nodiscard]] std::vector<std::string> inside(const std::string& name, const std::vector<std::string>& empty,
                                                  const std::vector<std::string>& command) const {
        std::vector<std::string> all = {
            "/usr/sbin/ip",
            "netns",
            "exec",
            prefix + name,
            "/bin/sh",
            "-c",
            "mount -t tmpfs none \"$1\" && mount -t tmpfs none \"$2\" && shift 2 && exec \"$@\"",
            "sh",
            empty.at(0),
            empty.at(1)};
        all.insert(all.end(), command.begin(), command.end());
        return all;
    }
    /// Cuts the link between the host and this computer, or heals it; the one between the hosts stays.
    void setLink(const std::string& name, bool isUp) const {
        (void)ip({"link", "set", prefix + name + "0", isUp ? "up" : "down"});
    }
    static bool ip(const std::vector<std::string>& arguments) {
        QStringList list;
        for (const std::string& argument : arguments) list.push_back(QString::fromStdString(argument));
        return runs(QStringLiteral("/usr/sbin/ip"), list);
    }
};

}  // namespace slipway::test
