#include "core/spec/system_notes.h"

#include "core/base/json_fields.h"

namespace slipway {

Json toJson(const SystemNotes& notes) {
    return fields::toJson(notes);
}

Result<SystemNotes> parseSystemNotes(std::string_view text, const std::string& where) {
    const auto json = parseJson(text, where);
    if (!json) return fail(json.error());
    Issues issues;
    SystemNotes notes = fields::fromJson<SystemNotes>(*json, issues);
    for (const Issue& issue : issues)
        if (issue.code != "unknown_key") return fail("bad_agent_file", issue.sentence(), where);
    return notes;
}

}  // namespace slipway
