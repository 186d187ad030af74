// HOME/alerts.json: enabled alerts, their thresholds, and the hook, a program started by each alert.
//   {"hook": ["/usr/local/bin/page-me"], "rules": {"loss_spike": {"on": true, "threshold": 8}}}
#pragma once

#include "core/base/json.h"
#include "core/spec/run_dir.h"
#include "core/stability/alert_rules.h"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

struct AlertSettings {
    AlertChoices choices = defaultAlertChoices();
    std::vector<std::string> hook;  ///< an argument vector, its first the path of the program; empty: none
    bool operator==(const AlertSettings&) const = default;
};

std::filesystem::path alertSettingsFile(const Home& home);
/// The defaults without a file; "bad_alerts" names the invalid key, "json_syntax", "not_a_file".
Result<AlertSettings> readAlertSettings(const Home& home);
/// "bad_alerts" for a threshold outside its range.
Result<void> writeAlertSettings(const Home& home, const AlertSettings& settings);

}  // namespace slipway
