#include "core/stability/alert_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace slipway {
namespace {

// The first that fits counts: one with a reason is also one without.
constexpr std::array kTexts{kAlertNotFinite, kAlertSpike, kAlertThroughput,   kAlertStraggler,
                            kAlertDisk,      kAlertEnd,   kAlertEndWithReason};

/// The arguments of a text in the places %1, %2, ... of a source, which are in this order. Each ends where the source goes on.
std::optional<std::vector<Message>> argumentsOf(std::string_view text, std::string_view source) {
    std::vector<Message> out;
    while (true) {
        const std::size_t place = source.find('%');
        const std::string_view literal = source.substr(0, place);
        if (place == std::string_view::npos) return text == literal ? std::optional(std::move(out)) : std::nullopt;
        if (!text.starts_with(literal)) return {};
        text.remove_prefix(literal.size());
        source.remove_prefix(place + 2);
        const std::string_view next = source.substr(0, source.find('%'));
        const std::size_t end = source.empty()                 ? text.size()
                                : next.size() == source.size() ? text.size() - std::min(text.size(), next.size())
                                                               : text.find(next);
        if (end == std::string_view::npos) return {};
        out.push_back(Message::name(text.substr(0, end)));
        text.remove_prefix(end);
    }
}

}  // namespace

Message alertMessage(std::string_view english) {
    for (const SourceText& source : kTexts)
        if (auto arguments = argumentsOf(english, source.english())) {
            // A reason that ends with a full stop belongs to the text that has one.
            if (source == kAlertEnd && english.find(". ") != std::string_view::npos) continue;
            return {source, std::move(*arguments)};
        }
    return Message::name(english);
}

}  // namespace slipway
