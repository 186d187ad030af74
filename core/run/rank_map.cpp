#include "core/run/rank_map.h"

#include "core/base/file.h"
#include "core/metrics/metric_series.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace slipway {
namespace {

namespace fs = std::filesystem;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kLeastBlock = 1024;       ///< three records or more
constexpr std::uint64_t kMostBlock = 256 * 1024;  ///< after a line of spans
constexpr std::uint64_t kEnd = 64 * 1024;

/// The number after a key of a line written by the trainer; NaN without one.
double numberOf(std::string_view line, std::string_view key) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return kNan;
    const char* begin = line.data() + at + key.size();
    const char* const end = line.data() + line.size();
    while (begin < end && (*begin == ':' || *begin == ' ')) ++begin;
    double value = kNan;
    const auto [stop, code] = std::from_chars(begin, end, value);
    return code == std::errc() ? value : kNan;
}

struct Health {
    std::int64_t step = 0;
    double seconds = kNan, wait = kNan, memory = kNan;
};

std::optional<Health> healthOf(std::string_view line) {
    if (line.substr(0, 40).find("\"health\"") == std::string_view::npos) return {};
    const double step = numberOf(line, "\"step\"");
    if (!(step >= 1) || !(step < 1e15)) return {};
    return Health{static_cast<std::int64_t>(step), numberOf(line, "\"step_seconds\""),
                  numberOf(line, "\"wait_seconds\""), numberOf(line, "\"tensor_peak_bytes\"")};
}

/// Calls `use` with each complete line of the text. @param inside the text may begin inside a line
void eachLine(std::string_view text, bool inside, const std::function<void(std::string_view)>& use) {
    std::size_t begin = 0;
    if (inside) {
        begin = text.find('\n');
        if (begin == std::string_view::npos) return;
        ++begin;
    }
    for (std::size_t end = text.find('\n', begin); end != std::string_view::npos;
         begin = end + 1, end = text.find('\n', begin))
        use(text.substr(begin, end - begin));
}

std::string textAt(const fs::path& path, std::uint64_t offset, std::uint64_t bytes) {
    const auto text = readFileFrom(path, offset, static_cast<std::size_t>(bytes));
    return text ? *text : std::string();
}

/// The newest record of a stream, whose last lines may be spans.
std::optional<Health> lastOf(const fs::path& path, std::uint64_t size) {
    for (const std::uint64_t bytes : {kEnd, 16 * kEnd}) {
        std::optional<Health> last;
        const std::uint64_t offset = size > bytes ? size - bytes : 0;
        eachLine(textAt(path, offset, bytes), offset > 0, [&](std::string_view line) {
            if (const auto health = healthOf(line)) last = health;
        });
        if (last || offset == 0) return last;
    }
    return {};
}

/// Sums of a rank's columns.
class Row {
public:
    Row(RankMap& map, std::int64_t rank)
        : m_map(map), m_rank(rank), m_cells(static_cast<std::size_t>(map.numColumns)) {}

    void add(const Health& health) {
        if (health.step < m_map.firstStep || health.step > m_map.lastStep) return;
        const auto column = static_cast<std::size_t>(m_map.columnOf(health.step));
        // A restart repeats steps; the earlier records no longer count.
        if (health.step <= m_newest)
            std::fill(m_cells.begin() + static_cast<std::ptrdiff_t>(column), m_cells.end(), Cell());
        m_newest = health.step;
        Cell& cell = m_cells[column];
        ++m_map.numRead;
        if (std::isfinite(health.memory)) cell.memory = std::fmax(cell.memory, health.memory);
        if (!std::isfinite(health.seconds)) return;
        cell.seconds += health.seconds;
        ++cell.count;
        if (!std::isfinite(health.wait)) return;
        cell.wait += health.wait;
        ++cell.waits;
    }

    void finish() {
        for (std::size_t column = 0; column < m_cells.size(); ++column) {
            const Cell& cell = m_cells[column];
            const auto set = [&](RankQuantity quantity, double value) {
                m_map.values[static_cast<std::size_t>(quantity)]
                            [static_cast<std::size_t>(m_rank * m_map.numColumns) + column] = value;
            };
            set(RankQuantity::Memory, cell.memory);
            if (cell.count > 0) set(RankQuantity::StepTime, cell.seconds / cell.count);
            if (cell.waits == 0) continue;
            m_map.hasWaits = true;
            set(RankQuantity::Wait, cell.wait / cell.waits);
            set(RankQuantity::OwnTime, cell.seconds / cell.count - cell.wait / cell.waits);
        }
    }

private:
    struct Cell {
        double seconds = 0, wait = 0, memory = kNan;
        double count = 0, waits = 0;
    };
    RankMap& m_map;
    std::int64_t m_rank;
    std::vector<Cell> m_cells;
    std::int64_t m_newest = 0;
};

/// Reads the row of a rank; all of its stream, or a block at each of `numBlocks` places.
void readRow(const fs::path& path, std::uint64_t size, std::uint64_t limit, Row& row) {
    const auto add = [&row](std::string_view line) {
        if (const auto health = healthOf(line)) row.add(*health);
    };
    if (size <= limit) {
        eachLine(textAt(path, 0, size), false, add);
        return;
    }
    const std::uint64_t blocks = std::max<std::uint64_t>(1, limit / kLeastBlock);
    std::uint64_t readTo = 0;
    for (std::uint64_t block = 0; block < blocks; ++block) {
        const std::uint64_t offset = std::max(readTo, size / blocks * block);
        bool found = false;
        for (std::uint64_t bytes = kLeastBlock; !found && bytes <= kMostBlock && offset < size; bytes *= 16) {
            const std::string text = textAt(path, offset, bytes);
            eachLine(text, offset > 0, [&](std::string_view line) {
                const auto health = healthOf(line);
                if (!health) return;
                found = true;
                row.add(*health);
            });
            readTo = offset + text.size();
        }
    }
}

}  // namespace

std::optional<double> RankMap::value(RankQuantity quantity, std::int64_t rank, std::int64_t column) const {
    const double value =
        values[static_cast<std::size_t>(quantity)][static_cast<std::size_t>(rank * numColumns + column)];
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> RankMap::median(RankQuantity quantity, std::int64_t column) const {
    std::vector<double> known;
    for (std::int64_t rank = 0; rank < numRanks; ++rank)
        if (const auto one = value(quantity, rank, column)) known.push_back(*one);
    const double middle = slipway::median(std::move(known));
    return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

std::int64_t RankMap::columnOf(std::int64_t step) const {
    return (step - firstStep) * numColumns / (lastStep - firstStep + 1);
}

std::int64_t RankMap::stepOf(std::int64_t column) const {
    const std::int64_t steps = lastStep - firstStep + 1;
    return firstStep + (column * steps + numColumns - 1) / numColumns;
}

RankMap readRankMap(const RunDir& folder, const RankMapRequest& request) {
    RankMap map;
    std::vector<std::uint64_t> sizes;
    std::uint64_t total = 0;
    for (std::int64_t rank = 0; rank < request.numRanks; ++rank) {
        std::error_code code;
        const auto size = fs::file_size(folder.rankStream(rank), code);
        sizes.push_back(code ? 0 : size);
        total += sizes.back();
    }
    // The first rank with records determines the range of steps; all ranks run the same steps.
    for (std::int64_t rank = 0; rank < request.numRanks && map.lastStep == 0; ++rank) {
        const fs::path path = folder.rankStream(rank);
        const auto size = sizes[static_cast<std::size_t>(rank)];
        if (size == 0) continue;
        eachLine(textAt(path, 0, std::min(size, kEnd)), false, [&](std::string_view line) {
            const auto health = healthOf(line);
            if (health && (map.firstStep == 0 || health->step < map.firstStep)) map.firstStep = health->step;
        });
        if (const auto last = lastOf(path, size); last && map.firstStep > 0) map.lastStep = last->step;
    }
    if (map.lastStep == 0) return map;
    map.firstStep = std::min(map.firstStep, map.lastStep);
    map.numRanks = request.numRanks;
    map.isSampled = total > request.maxBytes;
    const std::uint64_t share = request.maxBytes / static_cast<std::uint64_t>(std::max<std::int64_t>(1, map.numRanks));
    map.numColumns = std::min(request.maxColumns, map.lastStep - map.firstStep + 1);
    if (map.isSampled)
        map.numColumns = std::clamp<std::int64_t>(static_cast<std::int64_t>(share / kLeastBlock), 1, map.numColumns);
    for (auto& values : map.values) values.assign(static_cast<std::size_t>(map.numRanks * map.numColumns), kNan);
    for (std::int64_t rank = 0; rank < map.numRanks; ++rank) {
        if (request.isCancelled && request.isCancelled()) break;
        Row row(map, rank);
        readRow(folder.rankStream(rank), sizes[static_cast<std::size_t>(rank)],
                map.isSampled ? share : std::numeric_limits<std::uint64_t>::max(), row);
        row.finish();
    }
    return map;
}

std::vector<Straggler> stragglersOf(const RankMap& map, const ParallelLayout& layout) {
    std::vector<Straggler> found;
    if (!map.hasWaits || layout.worldSize() != map.numRanks) return found;
    std::vector<std::vector<std::int64_t>> stages(static_cast<std::size_t>(layout.pp));
    for (std::int64_t rank = 0; rank < map.numRanks; ++rank)
        stages[static_cast<std::size_t>(layout.coordinates(rank).pp)].push_back(rank);
    for (const std::vector<std::int64_t>& ranks : stages) {
        if (ranks.size() < 3) continue;
        std::vector<Straggler> slow(ranks.size());
        std::vector<std::int64_t> fast(ranks.size(), 0);  ///< steps equally far below the median
        std::int64_t known = 0;
        for (std::int64_t column = 0; column < map.numColumns; ++column) {
            std::vector<double> values;
            for (const std::int64_t rank : ranks)
                if (const auto value = map.value(RankQuantity::OwnTime, rank, column)) values.push_back(*value);
            if (values.size() < 3) continue;
            ++known;
            const double middle = median(std::move(values));
            const std::int64_t steps = map.stepOf(column + 1) - map.stepOf(column);
            for (std::size_t i = 0; i < ranks.size(); ++i) {
                const auto value = map.value(RankQuantity::OwnTime, ranks[i], column);
                if (value && *value < (1 - kStragglerShare) * middle) fast[i] += steps;
                if (!value || !(*value > (1 + kStragglerShare) * middle)) continue;
                Straggler& one = slow[i];
                one.rank = ranks[i];
                if (one.numSteps == 0) one.fromStep = map.stepOf(column);
                one.toStep = map.stepOf(column + 1) - 1;
                one.numSteps += steps;
                one.slower += static_cast<double>(steps) * (*value / middle - 1);
                one.lostSeconds += static_cast<double>(steps) * (*value - middle);
            }
        }
        const std::int64_t steps = map.lastStep - map.firstStep + 1;
        const double least = std::max(kStragglerSteps * static_cast<double>(steps * known / map.numColumns),
                                      2.0 * static_cast<double>(steps) / static_cast<double>(map.numColumns));
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            Straggler& one = slow[i];
            if (static_cast<double>(one.numSteps) < least || one.numSteps < kStragglerOdds * fast[i]) continue;
            one.slower /= static_cast<double>(one.numSteps);
            found.push_back(one);
        }
    }
    std::sort(found.begin(), found.end(),
              [](const Straggler& a, const Straggler& b) { return a.lostSeconds > b.lostSeconds; });
    return found;
}

}  // namespace slipway
