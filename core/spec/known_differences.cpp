#include "core/spec/known_differences.h"

#include <set>

namespace slipway {

KnownDifferences knownDifferences(const StoredConfig& left, const StoredConfig& right) {
    KnownDifferences out;
    out.fields = diffConfigs(left.config, right.config);
    if (!left.isPartial() && !right.isPartial()) return out;
    const auto isUnknown = [&](const std::string& path) { return !left.knows(path) || !right.knows(path); };
    std::erase_if(out.fields, [&](const FieldDifference& d) { return isUnknown(d.path); });
    std::set<std::string> unknown;
    for (const StoredConfig* one : {&left, &right})
        for (const FieldInfo& info : runConfigFields(one->config))
            if (info.applies && info.path != "name" && info.path != "schema" && isUnknown(info.path))
                unknown.insert(info.path);
    out.numUnknown = static_cast<std::int64_t>(unknown.size());
    return out;
}

Message notCompared(std::int64_t numUnknown) {
    return plural(numUnknown, "%1 field is unknown for one or both runs, so it is not compared."_text,
                  "%1 fields are unknown for one or both runs, so they are not compared."_text)(numUnknown);
}

}  // namespace slipway
