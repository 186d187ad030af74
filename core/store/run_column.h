// The values of one field of all runs in memory, one slot per run: the data of filters, sorts and groups. Private to
// this room.
#pragma once

#include "core/store/database.h"
#include "core/store/run_fields.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slipway::store {

/// 0 or 1 for each slot.
using Mask = std::vector<std::uint8_t>;

/// The text with ASCII letters in lower case, for comparisons.
std::string folded(std::string_view text);

class RunColumn {
public:
    explicit RunColumn(RunFieldKind kind);

    /// New slots are unknown.
    void resize(std::size_t numSlots);
    void set(std::size_t slot, const SQLite::Column& value);

    /// Numbers (times and flags too), or texts.
    [[nodiscard]] bool isNumeric() const { return m_isNumeric; }
    [[nodiscard]] bool isKnown(std::size_t slot) const {
        return m_isNumeric ? m_known[slot] != 0 : m_places[slot] != 0;  // an empty text counts as unknown
    }
    [[nodiscard]] double number(std::size_t slot) const { return m_numbers[slot]; }
    [[nodiscard]] std::string_view text(std::size_t slot) const { return entry(m_places[slot], m_texts); }
    /// Replaced texts take more space than the column: it should be reloaded.
    [[nodiscard]] bool isWorn() const { return m_entries.size() > 2 * m_places.size() + kMaxShared; }

    [[nodiscard]] Mask known() const;
    /// Values whose text contains `part`, which must be folded.
    [[nodiscard]] Mask containing(const std::string& part) const;
    /// Known numbers that satisfy `is`; they may be NaN.
    template <class Is>
    [[nodiscard]] Mask numbersThat(Is is) const {
        Mask out(m_numbers.size());
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = m_known[i] != 0 && is(m_numbers[i]) ? 1 : 0;
        return out;
    }
    /// Known texts that satisfy `is`, which gets them folded.
    template <class Is>
    [[nodiscard]] Mask textsThat(Is is) const {
        Mask hits(m_entries.size());
        for (std::uint32_t i = 1; i < hits.size(); ++i) hits[i] = is(entry(i, m_folded)) ? 1 : 0;
        return ofSlots(hits);
    }
    /// Numbers that order the slots. Infinities, NaN and unknown come last in this order, in either direction.
    [[nodiscard]] std::vector<std::uint64_t> sortKeys(bool descending) const;

private:
    static constexpr std::size_t kMaxShared = 256;  // texts that are stored once: words such as a status
    struct Entry {
        std::uint32_t begin = 0, size = 0;
    };

    [[nodiscard]] std::string_view entry(std::uint32_t place, const std::string& from) const {
        return std::string_view(from).substr(m_entries[place].begin, m_entries[place].size);
    }
    std::uint32_t placeOf(std::string_view text);
    [[nodiscard]] Mask ofSlots(const Mask& ofEntries) const;

    bool m_isNumeric;
    Mask m_known;                         // of numbers
    std::vector<double> m_numbers;        // by slot
    std::vector<std::uint32_t> m_places;  // of texts: entry by slot; the first entry is the empty text
    std::vector<Entry> m_entries;
    std::string m_texts, m_folded;  // of all entries, each followed by a zero
    std::unordered_map<std::string, std::uint32_t> m_shared;
    mutable std::vector<std::uint32_t> m_ranks;  // of entries, equal for equal folded texts; empty: not computed yet
};

}  // namespace slipway::store
