#include "trainer/bench/bench_change.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway::trainer {
namespace {

const Json* at(const Json& json, const char* key) {
    return json.is_object() && json.contains(key) ? &json[key] : nullptr;
}

bool sameIn(const Json& a, const Json& b, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
        if (at(a, key) == nullptr || at(b, key) == nullptr || a[key] != b[key]) return false;
    return true;
}

// Units follow from the names: *_seconds are times, all others rates.
void compare(const std::string& path, const Json& before, const Json& now, std::vector<BenchChange>& changes) {
    for (const auto& [key, value] : before.items()) {
        const Json* other = at(now, key.c_str());
        if (other == nullptr || !value.is_number() || !other->is_number()) continue;
        BenchChange c{path + "." + key, value.get<double>(), other->get<double>(), 0};
        if (!(c.before > 0) || !(c.now > 0)) continue;
        const bool time = key == "seconds" || key.ends_with("_seconds");
        c.change = time ? c.before / c.now - 1 : c.now / c.before - 1;
        changes.push_back(std::move(c));
    }
}

}  // namespace

Result<std::vector<BenchChange>> benchChanges(const Json& before, const Json& now) {
    std::vector<BenchChange> changes;
    const auto both = [&](const char* key) {
        return at(before, key) != nullptr && at(now, key) != nullptr && before[key].is_object();
    };
    if (sameIn(before, now, {"threads"}) && both("peak_flops"))
        compare("peak_flops", before["peak_flops"], now["peak_flops"], changes);
    if (both("peak_flops_one_thread"))
        compare("peak_flops_one_thread", before["peak_flops_one_thread"], now["peak_flops_one_thread"], changes);
    if (both("link")) compare("link", before["link"], now["link"], changes);
    if (both("step") && sameIn(before["step"], now["step"], {"threads", "parameters", "tokens_per_step"})) {
        Json times = before["step"];
        for (const char* key : {"steps", "threads", "parameters", "tokens_per_step", "loss"}) times.erase(key);
        compare("step", times, now["step"], changes);
    }
    if (changes.empty())
        return fail(
            "bench_not_comparable",
            "The recorded measurement has no figure that was measured now in the same way; measure the same things with the same model "
            "and number of threads.");
    return changes;
}

}  // namespace slipway::trainer
