#include "core/remote/node_record.h"

#include "core/base/file_mode.h"
#include "core/base/json_fields.h"
#include "core/base/own_file.h"

#include <algorithm>
#include <cctype>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestHost = 255;

bool isHostText(const std::string& text) {
    return !text.empty() && text.size() <= kLongestHost && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 ||
                      std::string_view("._-:@%[]").find(static_cast<char>(c)) != std::string_view::npos;
           });
}

bool isPath(const std::string& text) {
    return text.empty() ||
           (text.front() == '/' && text.size() < 1024 &&
            std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 32 && c != 127; }) &&
            text.find("/../") == std::string::npos && !text.ends_with("/.."));
}

fs::path folderOf(const Home& home) {
    return home.path / "nodes";
}

Result<NodeRecord> readNode(const fs::path& path) {
    const auto json = readOwnJson(path);
    if (!json) return fail(json.error());
    Issues issues;
    NodeRecord node = fields::fromJson<NodeRecord>(*json, issues);
    std::erase_if(issues, [](const Issue& issue) { return issue.code == "unknown_key"; });
    if (!issues.empty()) return fail("bad_node", issues, path.string());
    if (node.name != path.stem().string())
        return fail("bad_node", "The file's name is not the name of the node in it."_text, path.string());
    if (const auto good = checkNode(node); !good) return fail(good.error());
    return node;
}

}  // namespace

Result<void> checkNode(const NodeRecord& node) {
    if (!isSafeId(node.name))
        return fail(
            "bad_node",
            "A node's name has 1 to 80 letters, digits, dots, hyphens and underscores; give another one with --name."_text,
            "name");
    const std::size_t at = node.host.rfind('@');
    const std::string user = at == std::string::npos ? "-" : node.host.substr(0, at);
    const std::string host = at == std::string::npos ? node.host : node.host.substr(at + 1);
    if (!isHostText(node.host) || !isHostText(host) || user.empty() || (user.size() > 1 && user.front() == '-') ||
        user.find('@') != std::string::npos)
        return fail(
            "bad_node",
            "A host is a name or an address, with or without USER@ before it: letters, digits and . _ - : %."_text,
            "host");
    if (node.port < 0 || node.port > 65535) return fail("bad_node", "A port is a number from 1 to 65535."_text, "port");
    if (!isPath(node.home)) return fail("bad_node", "A folder on a node is an absolute path."_text, "home");
    if (!isPath(node.trainer)) return fail("bad_node", "A folder on a node is an absolute path."_text, "trainer");
    if (!node.address.empty() && !isHostText(node.address))
        return fail(
            "bad_node",
            "A host is a name or an address, with or without USER@ before it: letters, digits and . _ - : %."_text,
            "address");
    if (node.numSlots < 0 || node.numSlots > 4096)
        return fail("bad_node", "A node takes 1 to 4096 ranks."_text, "slots");
    return {};
}

std::string nodeNameOf(const std::string& host) {
    std::string name = host.substr(host.rfind('@') + 1);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ':' || c == '%' || c == '[' || c == ']'; }, '-');
    while (!name.empty() && (name.front() == '-' || name.front() == '.')) name.erase(0, 1);
    return name;
}

std::vector<NodeRecord> nodesOf(const Home& home, Issues& issues) {
    std::vector<NodeRecord> nodes;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folderOf(home), code)) {
        if (entry.path().extension() != ".json") continue;
        auto node = readNode(entry.path());
        if (node)
            nodes.push_back(std::move(*node));
        else
            issues.push_back({Severity::Warning, node.error().code, entry.path().filename().string(),
                              node.error().message, node.error().source});
    }
    std::sort(nodes.begin(), nodes.end(), [](const NodeRecord& a, const NodeRecord& b) { return a.name < b.name; });
    return nodes;
}

Result<NodeRecord> findNode(const Home& home, const std::string& name) {
    std::error_code code;
    const fs::path path = folderOf(home) / (name + ".json");
    if (isSafeId(name) && fs::exists(path, code)) return readNode(path);
    Issues ignored;
    std::vector<std::string> known;
    for (const NodeRecord& node : nodesOf(home, ignored)) known.push_back(node.name);
    return fail("unknown_node", "Unknown node \"%1\"%2"_text(name, didYouMean(nearestKey(name, known))), "nodes");
}

Result<void> writeNode(const Home& home, const NodeRecord& node, bool replace) {
    if (auto good = checkNode(node); !good) return good;
    const fs::path path = folderOf(home) / (node.name + ".json");
    std::error_code code;
    if (!replace && fs::exists(path, code))
        return fail(
            "node_exists",
            "There is a node \"%1\" already; remove it first, or give another name with --name."_text(node.name),
            "name");
    if (auto made = makePrivateFolder(path.parent_path()); !made) return made;
    return writeJsonFile(path, fields::toJson(node));
}

Result<void> removeNode(const Home& home, const std::string& name) {
    const auto node = findNode(home, name);
    if (!node && node.error().code == "unknown_node") return fail(node.error());
    std::error_code code;
    fs::remove(folderOf(home) / (name + ".json"), code);
    if (code) return fail("file_unwritable", "The file of the node cannot be removed: %1."_text(code.message()), name);
    return {};
}

}  // namespace slipway
