// A node: a computer that ranks can run on, reached over SSH. One file each, HOME/nodes/NAME.json, without secrets.
#pragma once

#include "core/base/field_table.h"
#include "core/base/result.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

struct NodeRecord {
    std::string name;           ///< in commands and reports
    std::string host;           ///< for ssh: "gpu1", "anna@gpu1.example.org", a Host of ~/.ssh/config
    std::int64_t port = 0;      ///< 0: ssh's own
    std::string home;           ///< folder of runs on the node, absolute; empty: ~/.local/share/slipway-node
    std::string trainer;        ///< slipway-trainer on the node, absolute; empty: searched for
    std::string address;        ///< reachable from other nodes; empty: found by preflight
    std::int64_t numSlots = 0;  ///< maximum ranks; 0: an even share
    std::int64_t addedUnixMilliseconds = 0;
    bool isInKeychain = false;  ///< the system keychain has answers for its login, see core/remote/keychain.h

    bool operator==(const NodeRecord&) const = default;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("name"), s.name);
        v(field("host"), s.host);
        v(field("port"), s.port);
        v(field("home"), s.home);
        v(field("trainer"), s.trainer);
        v(field("address"), s.address);
        v(field("num_slots"), s.numSlots);
        v(field("added_unix_ms"), s.addedUnixMilliseconds);
        v(field("in_keychain"), s.isInKeychain);
    }
};

/// Whether every field can be passed on unchanged: "bad_node" names the one that cannot. Hosts and users are letters,
/// digits and . _ - : @ % [ ], without a first character that ssh would read as an option.
Result<void> checkNode(const NodeRecord& node);

/// The default name of a host: "anna@gpu1.example.org" is "gpu1.example.org".
std::string nodeNameOf(const std::string& host);

/// All nodes by name. Unreadable files become issues; the others are still returned.
std::vector<NodeRecord> nodesOf(const Home& home, Issues& issues);
/// "unknown_node" with the nearest name.
Result<NodeRecord> findNode(const Home& home, const std::string& name);
/// "node_exists" unless `replace`; "bad_node".
Result<void> writeNode(const Home& home, const NodeRecord& node, bool replace);
/// "unknown_node".
Result<void> removeNode(const Home& home, const std::string& name);

}  // namespace slipway
