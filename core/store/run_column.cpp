#include "core/store/run_column.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

namespace slipway::store {
namespace {

constexpr std::uint64_t kUnknownKey = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kNanKey = kUnknownKey - 1;
constexpr std::uint64_t kLastInfinityKey = kUnknownKey - 2;

/// The number as SQLite writes it for comparison as text.
std::string textOf(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char text[40];
    std::snprintf(text, sizeof text, "%.15g", value);
    return text;
}

/// Bits in the ascending order of finite numbers: negative ones inverted, the others above them.
std::uint64_t keyOf(double value, bool descending) {
    if (std::isnan(value)) return kNanKey;
    if (std::isinf(value)) return kLastInfinityKey - ((value > 0) == descending ? 1 : 0);
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    const std::uint64_t ascending = (bits & kSign) != 0 ? ~bits : bits | kSign;
    return descending ? ~ascending : ascending;
}

/// The places of texts in ascending order. Names of runs differ late, so that comparing them reads two far places of memory each time:
/// the 16 bytes after what all have in common lie beside the place and mostly decide.
template <class TextAt>
std::vector<std::uint32_t> sortedTexts(std::size_t count, const TextAt& textAt) {
    struct Place {
        std::uint64_t first = 0, second = 0;
        std::uint32_t at = 0;
    };
    std::string_view common;
    bool isFirst = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view text = textAt(i);
        if (text.empty()) continue;  // comes first in any case
        if (isFirst) common = text;
        isFirst = false;
        const auto end = std::mismatch(common.begin(), common.end(), text.begin(), text.end()).first;
        common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
    }
    const auto eightBytes = [](std::string_view text, std::size_t from) {
        std::uint64_t out = 0;
        for (std::size_t i = from; i < from + 8; ++i)
            out = out << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
        return out;
    };
    std::vector<Place> places(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view text = textAt(i);
        places[i] = {eightBytes(text, common.size()), eightBytes(text, common.size() + 8), i};
    }
    std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
        if (a.first != b.first) return a.first < b.first;
        if (a.second != b.second) return a.second < b.second;
        return textAt(a.at) < textAt(b.at);
    });
    std::vector<std::uint32_t> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = places[i].at;
    return out;
}

}  // namespace

std::string folded(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

RunColumn::RunColumn(RunFieldKind kind)
    : m_isNumeric(kind == RunFieldKind::Integer || kind == RunFieldKind::Real || kind == RunFieldKind::Flag ||
                  kind == RunFieldKind::Time),
      m_entries(1),
      m_texts(1, '\0'),
      m_folded(1, '\0') {}

void RunColumn::resize(std::size_t numSlots) {
    if (!m_isNumeric) return m_places.resize(numSlots);
    m_known.resize(numSlots);
    m_numbers.resize(numSlots);
}

void RunColumn::set(std::size_t slot, const SQLite::Column& value) {
    if (!m_isNumeric) {
        m_places[slot] = value.isNull() ? 0 : placeOf({value.getText(), static_cast<std::size_t>(value.getBytes())});
        return;
    }
    m_known[slot] = value.isNull() ? 0 : 1;
    m_numbers[slot] = value.isText() ? std::numeric_limits<double>::quiet_NaN() : value.getDouble();
}

std::uint32_t RunColumn::placeOf(std::string_view text) {
    if (text.empty()) return 0;
    const bool mayShare = m_entries.size() <= 4 * kMaxShared;  // names and notes are rarely equal
    if (mayShare)
        if (const auto found = m_shared.find(std::string(text)); found != m_shared.end()) return found->second;
    const auto place = static_cast<std::uint32_t>(m_entries.size());
    m_entries.push_back({static_cast<std::uint32_t>(m_texts.size()), static_cast<std::uint32_t>(text.size())});
    m_texts.append(text).push_back('\0');
    m_folded.append(folded(text)).push_back('\0');
    if (mayShare && m_shared.size() < kMaxShared) m_shared.emplace(text, place);
    m_ranks.clear();
    return place;
}

Mask RunColumn::ofSlots(const Mask& ofEntries) const {
    Mask out(m_places.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = ofEntries[m_places[i]];
    return out;
}

Mask RunColumn::known() const {
    return m_isNumeric ? m_known : textsThat([](std::string_view) { return true; });
}

Mask RunColumn::containing(const std::string& part) const {
    if (m_isNumeric) return numbersThat([&](double value) { return textOf(value).find(part) != std::string::npos; });
    // One search over all texts instead of one per text.
    Mask hits(m_entries.size());
    std::size_t place = 1;
    for (std::size_t at = 0; (at = m_folded.find(part, at)) != std::string::npos && place < m_entries.size();) {
        const auto next =
            std::upper_bound(m_entries.begin() + static_cast<std::ptrdiff_t>(place), m_entries.end(), at,
                             [](std::size_t position, const Entry& entry) { return position < entry.begin; });
        place = static_cast<std::size_t>(next - m_entries.begin()) - 1;
        const Entry& entry = m_entries[place];
        hits[place] = at >= entry.begin && at + part.size() <= entry.begin + entry.size ? 1 : 0;
        ++place;
        at = std::size_t{entry.begin} + entry.size + 1;
    }
    hits[0] = 0;
    return ofSlots(hits);
}

std::vector<std::uint64_t> RunColumn::sortKeys(bool descending) const {
    if (m_isNumeric) {
        std::vector<std::uint64_t> out(m_numbers.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = m_known[i] != 0 ? keyOf(m_numbers[i], descending) : kUnknownKey;
        return out;
    }
    if (m_ranks.empty()) {
        const std::vector<std::uint32_t> order =
            sortedTexts(m_entries.size(), [this](std::uint32_t i) -> std::string_view { return entry(i, m_folded); });
        m_ranks.resize(m_entries.size());
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i > 0 && entry(order[i - 1], m_folded) != entry(order[i], m_folded)) ++rank;
            m_ranks[order[i]] = rank;
        }
    }
    std::vector<std::uint64_t> out(m_places.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t rank = m_ranks[m_places[i]];
        out[i] = m_places[i] == 0 ? kUnknownKey : descending ? kLastInfinityKey - rank : rank;
    }
    return out;
}

}  // namespace slipway::store
