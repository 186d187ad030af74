// Reads one JSON object of the playbook strictly: each problem is recorded with file and JSON pointer, unknown keys included.
#pragma once

#include "core/base/json.h"
#include "core/playbook/playbook.h"

#include <functional>
#include <string>
#include <vector>

namespace slipway {

class ObjectReader {
public:
    using Problems = std::vector<Message>;

    /// @param place file and pointer: "chapters/10_pipelines.json/checks/0"
    ObjectReader(const Json& json, std::string place, Problems& problems);

    /// Each reads a required member, or, with `fallback`, an optional one.
    std::string text(const char* key);
    std::string textOr(const char* key, std::string fallback);
    double number(const char* key);
    double numberOr(const char* key, double fallback);
    /// {"en": ..., "ko": ...}, neither empty.
    LocalText localText(const char* key);
    LocalText localTextOr(const char* key);
    /// The same, or one text for both languages: units and names.
    LocalText wordOf(const char* key);
    std::vector<std::string> texts(const char* key, bool isRequired);
    /// A list of texts in both languages, each { "en", "ko" } or one text for both.
    std::vector<LocalText> localTexts(const char* key);
    bool flagOr(const char* key, bool fallback);
    /// Compact JSON text of any value.
    std::string any(const char* key);
    std::string anyOr(const char* key, std::string fallback);
    [[nodiscard]] bool has(const char* key) const;

    /// Calls `read` with a reader of the member object, or of each object of the member list.
    void object(const char* key, bool isRequired, const std::function<void(ObjectReader&)>& read);
    void list(const char* key, bool isRequired, const std::function<void(ObjectReader&)>& read);

    /// A problem at this place, or at a member.
    void problem(const Message& message, const char* key = nullptr);
    /// Reports unread keys. Call last.
    void finish();
    [[nodiscard]] const std::string& place() const { return m_place; }

private:
    const Json* member(const char* key, bool isRequired);

    const Json& m_json;
    std::string m_place;
    Problems& m_problems;
    std::vector<std::string> m_known;
};

}  // namespace slipway
