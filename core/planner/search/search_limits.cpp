#include "core/planner/search/search_limits.h"

#include "core/base/json.h"

#include <algorithm>
#include <charconv>

namespace slipway {

namespace {

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) return {};
    return value;
}

template <class E>
std::optional<std::int64_t> wordValue(std::string_view text) {
    for (const auto& name : enumNames(E{}))
        if (name.word == text) return static_cast<std::int64_t>(name.value);
    return {};
}

template <class E>
std::string wordFor(std::int64_t value) {
    for (const auto& name : enumNames(E{}))
        if (static_cast<std::int64_t>(name.value) == value) return std::string(name.word);
    return "other";
}

Result<SearchAxis> axisOf(std::string name) {
    for (const char* prefix : {"parallel.", "train."})
        if (name.starts_with(prefix)) name.erase(0, std::string_view(prefix).size());
    // Field names and their common abbreviations.
    for (const auto& [other, own] :
         {std::pair{"recompute.policy", "recompute"}, std::pair{"mbs", "micro_batch_size"},
          std::pair{"zero", "zero_stage"}, std::pair{"sp", "sequence_parallel"}, std::pair{"vpp", "virtual_stages"}})
        if (name == other) name = own;
    std::vector<std::string> words;
    for (const auto& axis : enumNames(SearchAxis{})) {
        if (axis.word == name) return axis.value;
        words.emplace_back(axis.word);
    }
    const std::string near = nearestKey(name, words);
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return fail("unknown_axis", "There is no axis %1%2 The axes are %3."_text(name, didYouMean(near), all));
}

}  // namespace

std::optional<std::int64_t> axisValue(SearchAxis axis, std::string_view text) {
    switch (axis) {
        case SearchAxis::Recompute: return wordValue<RecomputePolicy>(text);
        case SearchAxis::Schedule: return wordValue<ScheduleKind>(text);
        case SearchAxis::Offload: return wordValue<Offload>(text);
        case SearchAxis::CpKind: return wordValue<CpKind>(text);
        case SearchAxis::LayerSplit: return wordValue<LayerSplit>(text);
        case SearchAxis::SequenceParallel:
        case SearchAxis::AsyncTp:
            if (text == "true") return 1;
            if (text == "false") return 0;
            return {};
        default: return wholeNumber(text);
    }
}

std::string axisText(SearchAxis axis, std::int64_t value) {
    switch (axis) {
        case SearchAxis::Recompute: return wordFor<RecomputePolicy>(value);
        case SearchAxis::Schedule: return wordFor<ScheduleKind>(value);
        case SearchAxis::Offload: return wordFor<Offload>(value);
        case SearchAxis::CpKind: return wordFor<CpKind>(value);
        case SearchAxis::LayerSplit: return wordFor<LayerSplit>(value);
        case SearchAxis::SequenceParallel:
        case SearchAxis::AsyncTp: return value != 0 ? "true" : "false";
        default: return std::to_string(value);
    }
}

bool AxisLimit::allows(std::int64_t value) const {
    if (!values.empty()) return std::find(values.begin(), values.end(), value) != values.end();
    return low <= value && value <= high;
}

Result<void> SearchLimits::set(const std::string& text) {
    const std::size_t sign = text.find_first_of("<>=");
    if (sign == std::string::npos)
        return fail("bad_limit", "\"%1\" is not a limit; write tp=4, tp=2..8, tp<=8 or schedule=1f1b,afab."_text(text));
    const auto axis = axisOf(text.substr(0, sign));
    if (!axis) return fail(axis.error());
    const bool bound = text[sign] != '=';
    const std::size_t begin = sign + (bound && sign + 1 < text.size() && text[sign + 1] == '=' ? 2 : 1);
    if (bound && begin == sign + 1) return fail("bad_limit", "In \"%1\", write <= or >=."_text(text));
    const std::string right = text.substr(begin);
    const auto value = [&](std::string_view part) -> Result<std::int64_t> {
        const auto number = axisValue(*axis, part);
        if (!number)
            return fail("bad_limit",
                        "\"%1\" is not a value of %2."_text(std::string(part), std::string(wordOf(*axis))));
        return *number;
    };
    AxisLimit& limit = of(*axis);
    if (bound) {
        const auto number = value(right);
        if (!number) return fail(number.error());
        (text[sign] == '<' ? limit.high : limit.low) = *number;
        return {};
    }
    if (const std::size_t dots = right.find(".."); dots != std::string::npos) {
        const auto low = value(right.substr(0, dots)), high = value(right.substr(dots + 2));
        if (!low) return fail(low.error());
        if (!high) return fail(high.error());
        if (*low > *high) return fail("bad_limit", "The range of \"%1\" is empty."_text(text));
        limit = {*low, *high, {}};
        return {};
    }
    std::vector<std::int64_t> values;
    for (std::size_t from = 0; from <= right.size();) {
        const std::size_t comma = std::min(right.find(',', from), right.size());
        const auto number = value(right.substr(from, comma - from));
        if (!number) return fail(number.error());
        values.push_back(*number);
        from = comma + 1;
    }
    limit.values = std::move(values);
    return {};
}

}  // namespace slipway
