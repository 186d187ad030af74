#include "core/store/chunk.h"

#include <bit>
#include <cstring>

namespace slipway::store {

static_assert(std::endian::native == std::endian::little, "chunks are stored in the machine's order");

std::string packPoints(const Points& points, std::size_t from, std::size_t to) {
    const std::size_t count = to - from;
    std::string blob(count * 16, '\0');
    std::memcpy(blob.data(), points.steps.data() + from, count * 8);
    std::memcpy(blob.data() + count * 8, points.values.data() + from, count * 8);
    return blob;
}

bool unpackPoints(std::string_view blob, Points& out) {
    if (blob.size() % 16 != 0) return false;
    const std::size_t count = blob.size() / 16;
    const std::size_t before = out.steps.size();
    out.steps.resize(before + count);
    out.values.resize(before + count);
    if (count == 0) return true;
    std::memcpy(out.steps.data() + before, blob.data(), count * 8);
    std::memcpy(out.values.data() + before, blob.data() + count * 8, count * 8);
    return true;
}

void mergePoints(Points& into, const Points& later) {
    if (into.steps.empty() || later.steps.empty() || later.steps.front() > into.steps.back()) {
        into.steps.insert(into.steps.end(), later.steps.begin(), later.steps.end());
        into.values.insert(into.values.end(), later.values.begin(), later.values.end());
        return;
    }
    Points out;
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < into.steps.size() || b < later.steps.size()) {
        const bool takeLater = a == into.steps.size() || (b < later.steps.size() && later.steps[b] <= into.steps[a]);
        if (takeLater && a < into.steps.size() && later.steps[b] == into.steps[a]) ++a;
        out.steps.push_back(takeLater ? later.steps[b] : into.steps[a]);
        out.values.push_back(takeLater ? later.values[b++] : into.values[a++]);
    }
    into = std::move(out);
}

}  // namespace slipway::store
