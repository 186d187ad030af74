#include "core/store/run_listing.h"

#include <bit>
#include <functional>

namespace slipway {

RunIds::RunIds(std::string text, std::vector<std::uint32_t> ends)
    : m_text(std::move(text)), m_ends(std::move(ends)), m_table(std::bit_ceil(2 * m_ends.size() + 1)) {
    for (std::size_t place = 0; place < m_ends.size(); ++place)
        m_table[cellOf(textAt(place))] = static_cast<std::uint32_t>(place) + 1;
}

std::size_t RunIds::cellOf(std::string_view id) const {
    std::size_t cell = std::hash<std::string_view>()(id) & (m_table.size() - 1);
    while (m_table[cell] != 0 && textAt(m_table[cell] - 1) != id) cell = (cell + 1) & (m_table.size() - 1);
    return cell;
}

int RunIds::find(const RunId& id) const {
    return m_table.empty() ? -1 : static_cast<int>(m_table[cellOf(id.value)]) - 1;
}

}  // namespace slipway
