// system.json: a node's system records on an attempt, written by its agent next to exit.json. Only lines from the time
// of the attempt, and only where the agent can read them.
#pragma once

#include "core/base/field_table.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct SystemNotes {
    std::int64_t attempt = 1;
    std::string node;
    std::vector<std::string> kernel;  ///< newest last; without the time
    std::int64_t oomKills = 0;        ///< "oom_kill" of the agent's cgroup (memory.events), during the attempt
    std::string unread;               ///< reason why the kernel's log was unreadable; empty: it was read

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempt"), s.attempt);
        v(field("node"), s.node);
        v(field("kernel"), s.kernel);
        v(field("oom_kills"), s.oomKills);
        v(field("unread"), s.unread);
    }
};

Json toJson(const SystemNotes& notes);
/// "bad_agent_file" names the first invalid key.
Result<SystemNotes> parseSystemNotes(std::string_view text, const std::string& where);

}  // namespace slipway
