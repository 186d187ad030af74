// A sweep file (experiments/README.md): a base config, axes over any of its fields, named points, stop rules.
//   Issues issues;  SweepFile file = sweepFileFromJson(*json, issues);  if (hasErrors(issues)) ... nothing is started
#pragma once

#include "core/base/field_table.h"
#include "core/base/json.h"
#include "core/corpus/corpus.h"
#include "core/spec/cluster_spec.h"
#include "core/sweep/search_rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

constexpr std::int64_t kSweepSchema = 1;
/// More points than this are refused before expansion: no computer could finish them.
constexpr double kMostTrials = 100000;

/// Conditions for ending a trial, or the complete sweep, early. 0 disables a rule.
struct StopRules {
    std::int64_t steps = 0;
    double secondsPerTrial = 0;
    double seconds = 0;
    bool diverged = true;
    std::int64_t failures = 0;
    std::int64_t medianAfterSteps = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("steps")
              .unit("steps"_text)
              .help("A trial ends after this many steps and counts as completed."_text)
              .atLeast(0),
          s.steps);
        v(field("seconds_per_trial")
              .unit("s"_text)
              .help("A trial that takes longer is stopped and counts as failed."_text)
              .atLeast(0),
          s.secondsPerTrial);
        v(field("seconds")
              .unit("s"_text)
              .help("Budget of the sweep: later trials are skipped once their predecessors used it up."_text)
              .atLeast(0),
          s.seconds);
        v(field("diverged").help("A trial whose loss is NaN or infinite is stopped and counts as failed."_text),
          s.diverged);
        v(field("failures").help("After this many failed trials the rest is skipped."_text).atLeast(0), s.failures);
        v(field("median_after_steps")
              .unit("steps"_text)
              .help(
                  "At every multiple of these steps a trial worse than the median of the others at the same step is stopped."_text)
              .atLeast(0),
          s.medianAfterSteps);
    }
};

/// One field with its value in a trial, as compact JSON text ("2", "\"afab\""; "null" means the default).
struct Setting {
    std::string path;
    std::string value;
    bool operator==(const Setting&) const = default;
};

/// One choice on an axis, or one named point.
struct SettingGroup {
    std::string name;  ///< empty: made from the settings
    std::vector<Setting> settings;
};

/// One axis with its choices already drawn; trials are the product of all axes.
struct SweepAxis {
    std::vector<SettingGroup> choices;
};

struct SweepFile {
    std::int64_t schema = kSweepSchema;
    std::string name;
    std::string question;
    std::string hypothesis;
    std::int64_t seed = 1;
    std::string baseJson;                ///< base run config of every trial, as written (compact)
    std::optional<CorpusSpec> corpus;    ///< text to train on; its token file is the default of data.tokens
    std::optional<ClusterSpec> cluster;  ///< absent: this computer
    std::vector<SweepAxis> axes;
    std::vector<SettingGroup> points;  ///< trials in addition to the product of the axes
    StopRules stop;
    std::optional<SearchRules> search;  ///< absent: every point, in order

    /// Trials of the file, counted without expanding it.
    [[nodiscard]] double countTrials() const;
};

/// The leaves of "stop" and "search": sweep.stop.steps, sweep.search.method, ...
FieldInfos sweepFields();

/// Reads a sweep file strictly. Each problem is an Issue whose `field` is a JSON pointer into the file
/// ("/axes/0/values/2"); with any error the result must not be used.
SweepFile sweepFileFromJson(const Json& json, Issues& issues);

/// Reads the file; all problems together as one Error ("bad_sweep") with a line for each. Relative sources of the
/// corpus are resolved from the file's folder.
Result<SweepFile> readSweepFile(const std::filesystem::path& path);

}  // namespace slipway
