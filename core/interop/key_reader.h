// Reads a foreign document key by key and records the keys used, so that the others can be listed.
//   KeyReader r(document);  auto layers = r.integer({"num_hidden_layers", "n_layer"});  r.finish(remarks, issues);
#pragma once

#include "core/base/json.h"
#include "core/interop/translation.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::interop {

class KeyReader {
public:
    /// @param document an object, which must outlive the reader
    explicit KeyReader(const Json& document) : m_document(document) {}

    /// The value of the first key present, marked as used; null when none is present or the value is null. Keys are
    /// dotted paths ("training.seq_len"). All given keys are marked.
    const Json* find(std::initializer_list<std::string_view> keys);
    const Json* find(std::string_view key) { return find({key}); }
    [[nodiscard]] bool contains(std::string_view key) const { return at(key) != nullptr; }

    // As find, with a type; a value of another type is a problem. Numbers as text ("32") and 1e3 are also integers,
    // since YAML and command lines do not distinguish them.
    std::optional<std::int64_t> integer(std::initializer_list<std::string_view> keys);
    std::optional<double> real(std::initializer_list<std::string_view> keys);
    std::optional<bool> flag(std::initializer_list<std::string_view> keys);
    std::optional<std::string> text(std::initializer_list<std::string_view> keys);

    void approximated(std::string key, const Message& message);
    void noCounterpart(std::string key, const Message& message);
    /// A value that makes the document unreadable. @param sentence about the key, %1
    void problem(const std::string& key, SourceText sentence) { problem(sentence(key)); }
    void problem(Message sentence) { m_problems.push_back(std::move(sentence)); }

    /// Appends a remark for each leaf that was not used: NoCounterpart for names in `known` (a key, or a prefix that
    /// ends in '*'), Unknown for the rest.
    void finish(const std::vector<std::string_view>& known = {});

    [[nodiscard]] const Json& document() const { return m_document; }
    [[nodiscard]] const std::vector<Message>& problems() const { return m_problems; }
    Remarks remarks;

private:
    [[nodiscard]] const Json* at(std::string_view key) const;
    [[nodiscard]] std::string valueText(std::string_view key) const;
    void leaves(const Json& node, const std::string& prefix, const std::vector<std::string_view>& known);

    const Json& m_document;
    std::set<std::string, std::less<>> m_used;
    std::vector<Message> m_problems;
};

/// Sets a field of a document of ours by dotted path, creating intermediate objects.
void put(Json& document, std::string_view path, Json value);
/// The value at a dotted path, or null.
const Json* peek(const Json& document, std::string_view path);
/// The integer there, clamped to 0 to 1e8 (products of two of them fit); `otherwise` where there is none.
std::int64_t whole(const Json& document, std::string_view path, std::int64_t otherwise);

}  // namespace slipway::interop
