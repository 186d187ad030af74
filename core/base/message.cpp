#include "core/base/message.h"

#include "core/base/korean_catalogue.h"
#include "core/base/units.h"

#include <algorithm>

namespace slipway {

Message Message::name(std::string_view text) {
    Message message;
    message.m_kind = Kind::Name;
    message.m_name = text;
    return message;
}

std::string textOf(const Message& message, Language language) {
    switch (message.m_kind) {
        case Message::Kind::Name: return message.m_name;
        case Message::Kind::Seconds: return formatSeconds(message.m_number, language);
        case Message::Kind::Count: return formatShort(message.m_number, language);
        case Message::Kind::Clause: break;
    }
    const std::string_view english = message.m_source.english();
    const std::string_view text = language == Language::English ? english : koreanOf(english);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        const auto place = static_cast<std::size_t>(next - '1');
        if (text[i] == '%' && next >= '1' && place < message.m_arguments.size()) {
            out += textOf(message.m_arguments[place], language);
            ++i;
        } else
            out += text[i];
    }
    return out;
}

std::string textOf(const std::vector<Message>& messages, Language language) {
    std::string out;
    const char* separator = language == Language::Korean ? ". " : "; ";
    for (const Message& one : messages) out += (out.empty() ? "" : separator) + textOf(one, language);
    return out;
}

Message listOf(const std::vector<Message>& messages) {
    Message list;
    for (const Message& one : messages) list = list.empty() ? one : "%1, %2"_text(list, one);
    return list;
}

Message linesOf(const std::vector<Message>& messages) {
    const std::size_t listed = std::min(messages.size(), kListedProblems);
    Message lines;
    for (std::size_t i = 0; i < listed; ++i) lines = i == 0 ? messages[i] : "%1\n%2"_text(lines, messages[i]);
    const auto more = static_cast<std::int64_t>(messages.size() - listed);
    if (more > 0) lines = plural(more, "%1\nAnd %2 more problem."_text, "%1\nAnd %2 more problems."_text)(lines, more);
    return lines;
}

SourceText plural(std::int64_t number, SourceText one, SourceText many) {
    return number == 1 ? one : many;
}

}  // namespace slipway
