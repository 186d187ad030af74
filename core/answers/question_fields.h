// Questions that are edited field by field, as a form does. Include in sources only.
#pragma once

#include "core/base/json_fields.h"

namespace slipway {

/// The question with one field as typed; empty text clears an optional field and resets a required one to its default.
/// "bad_value" names the field.
template <class Question>
Result<Question> withText(const Question& question, const std::string& path, const std::string& text) {
    Json json = fields::toJson(question);
    for (const FieldInfo& info : fields::collect(question)) {
        if (info.path != path) continue;
        if (text.empty()) {
            json.erase(path);
        } else if (info.kind == FieldKind::Text || info.kind == FieldKind::Enum) {
            json[path] = text;
        } else {
            auto value = parseJson(text, path);
            if (!value) return fail(value.error());
            json[path] = std::move(*value);
        }
    }
    Issues issues;
    Question out = fields::fromJson<Question>(json, issues);
    if (!issues.empty()) return fail("bad_value", issues, path);
    return out;
}

}  // namespace slipway
