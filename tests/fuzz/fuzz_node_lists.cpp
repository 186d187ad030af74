// Lists of nodes: what --nodes names, records of nodes from a shared home, and the hosts of ~/.ssh/config. What is taken for a node
// can be given to ssh, and leads nowhere else.
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/remote/node_record.h"
#include "core/remote/ssh.h"
#include "core/remote/ssh_config.h"
#include "tests/fuzz/fuzz.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

/// A home and a folder of ssh's for the life of the process.
struct Folder {
    fs::path path;
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "slipway-fuzz-XXXXXX").string();
        require(::mkdtemp(pattern.data()) != nullptr, "a folder");
        path = pattern;
        fs::create_directories(path / "nodes");
    }
    ~Folder() {
        std::error_code code;
        fs::remove_all(path, code);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

void checkGood(const NodeRecord& node) {
    require(!node.host.empty() && node.host.front() != '-', "a host that ssh takes for an option");
    for (const unsigned char c : node.host)
        require(c > 32 && c < 127 &&
                    std::string_view("/\\'\"`$;|&<>(){}*?!#~^=,").find(static_cast<char>(c)) == std::string_view::npos,
                "a host that a shell or a file takes for more");
    require(node.host.find("@-") == std::string::npos, "an option behind a user");
    require(node.home.empty() || fs::path(node.home).is_absolute(), "a home that is relative");
    require(fs::path(node.name).filename().string() == node.name && node.name != "..", "a name that leads elsewhere");
    const std::string again = nodeNameOf(node.host);
    require(again.find('/') == std::string::npos, "a name with a folder");
    const auto command = sshCommand(node, {}, "true");
    if (!command) return;  // no ssh here
    const auto& words = command->arguments;
    require(words.size() > 3 && words[words.size() - 3] == "--" && words[words.size() - 2] == node.host &&
                words.back() == "true",
            "a host that is not behind --");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = textOf(data, size);
    static const Folder folder;
    const Home home{folder.path};

    // The same bytes as the record of a node in a home that others may write to; each look for a name reads it.
    constexpr int kLookedFor = 4;
    (void)writeFileAtomically(folder.path / "nodes" / "n.json", text);
    std::istringstream names(text);
    int number = 0;
    for (std::string name; number < 64 && std::getline(names, name, ','); ++number) {
        NodeRecord node;
        node.host = name;
        node.name = nodeNameOf(name);
        if (valueOrError(checkNode(node))) checkGood(node);
        if (number >= kLookedFor) continue;
        const auto found = findNode(home, name);
        require(!found || found->name == name, "another node than was named");
    }

    Issues issues;
    for (const NodeRecord& node : nodesOf(home, issues)) {
        require(node.name == "n", "a record under another name");
        checkGood(node);
        const auto again = findNode(home, "n");
        require(again && fields::toJson(*again) == fields::toJson(node), "a record that changes");
    }

    (void)writeFileAtomically(folder.path / "config", text);
    const std::vector<std::string> hosts = hostsInSshConfig(folder.path);
    require(hosts.size() <= 1000, "hosts without end");
    for (const std::string& host : hosts) require(!host.empty() && host.find('*') == std::string::npos, "a pattern");
    return 0;
}
