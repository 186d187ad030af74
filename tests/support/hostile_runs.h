// Run folders as a stranger would make them: every text in them tries to be a heading, a picture, a link, a formula or a
// command of the terminal. For tests of whatever shows, prints or writes text.
#pragma once

#include "core/base/ids.h"
#include "core/spec/run_dir.h"

#include <string>
#include <vector>

namespace slipway::test {

/// The texts, each in many places. @param picture a local file that nothing may open
std::vector<std::string> hostileTexts(const std::string& picture);

struct HostileHome {
    std::vector<RunId> runs;  ///< failed, completed, imported by somebody else; the first has logs
    SweepId sweep;            ///< of the first two
};

/// Writes the folders; there is no index yet. Every run has a name, tags, notes, a reason, events, a metric and, the last,
/// a config of texts from hostileTexts().
HostileHome makeHostileRuns(const Home& home, const std::string& picture);

/// Bytes that steer a terminal or the reading direction: control characters but \n (and \t where it is allowed), C1 and
/// direction marks. Empty when there is none, else the place with what is around it.
std::string steeringIn(const std::string& text, bool tabs = false);

}  // namespace slipway::test
