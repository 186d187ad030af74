// Distinct string ids, so that a run id is never passed for a sweep id.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace slipway {

template <class Tag>
struct Id {
    std::string value;

    Id() = default;
    explicit Id(std::string text) : value(std::move(text)) {}
    [[nodiscard]] bool empty() const { return value.empty(); }
    auto operator<=>(const Id&) const = default;
};

using RunId = Id<struct RunIdTag>;
using SweepId = Id<struct SweepIdTag>;

/// A new id that sorts by time and is safe as a file name: "20261121-131500042-7f3a9c21" (UTC).
/// @param unixMilliseconds time of creation; @param entropy random bits (see randomEntropy() in clock.h)
std::string makeId(std::int64_t unixMilliseconds, std::uint32_t entropy);

/// True if the text can be an id: 1-80 characters of [A-Za-z0-9._-], not beginning with a dot. Paths are made from
/// ids only after this check.
bool isSafeId(const std::string& text);

}  // namespace slipway

template <class Tag>
struct std::hash<slipway::Id<Tag>> {
    std::size_t operator()(const slipway::Id<Tag>& id) const noexcept { return std::hash<std::string>{}(id.value); }
};
