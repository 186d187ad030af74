// A config with fields set by their path, as --set of the command line does.
#pragma once

#include "core/base/json.h"
#include "core/spec/run_config.h"

#include <nlohmann/json.hpp>

#include <QStringList>

namespace slipway::test {

/// The config with "a.b=1 c=2" set.
inline Result<RunConfig> changed(const RunConfig& config, const QString& changes) {
    Json json = toJson(config);
    for (const QString& change : changes.split(' ', Qt::SkipEmptyParts)) {
        const auto set = setField(json, change.section('=', 0, 0).toStdString(), change.section('=', 1).toStdString());
        if (!set) return fail(set.error());
    }
    return parseRunConfig(json, "test");
}

/// The same where the test can only be wrong itself when this fails.
inline RunConfig changedOrDie(const RunConfig& config, const QString& changes) {
    const auto result = changed(config, changes);
    if (!result) qFatal("%s: %s", qPrintable(changes), result.error().text().c_str());
    return *result;
}

}  // namespace slipway::test
