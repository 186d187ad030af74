// What differs between two configs, one of which may be another program's and known only in part. A field that a source does not
// record has our default in StoredConfig::config, which says nothing about that run.
#pragma once

#include "core/base/message.h"
#include "core/spec/stored_config.h"

#include <vector>

namespace slipway {

struct KnownDifferences {
    std::vector<FieldDifference> fields;  ///< of the fields that both know, in table order
    std::int64_t numUnknown = 0;          ///< fields that one of them, or both, do not know: not compared
};
KnownDifferences knownDifferences(const StoredConfig& left, const StoredConfig& right);

/// "12 fields are unknown for one or both runs, so they are not compared."
Message notCompared(std::int64_t numUnknown);

}  // namespace slipway
