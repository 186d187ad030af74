// Why one run's step is slower than another's: the difference of their parts, largest first, with possible causes among
// the settings.
//   StepDifference why = differenceOf({accountA, configA}, {accountB, configB});   why.parts.front().fields
#pragma once

#include "core/metrics/step_account.h"
#include "core/spec/known_differences.h"

#include <string>
#include <vector>

namespace slipway {

struct AccountedRun {
    StepAccount account;
    StoredConfig stored;  ///< its config, or what is known of it
};

struct PartDifference {
    TimePart part = TimePart::Useful;
    double first = 0, second = 0;         ///< seconds; 0 where a run has no such part
    bool isWithinSpread = false;          ///< the quartiles of the steps overlap
    std::vector<FieldDifference> fields;  ///< differing fields that affect this part; none for slow ranks
    [[nodiscard]] double seconds() const { return second - first; }
};

struct StepDifference {
    double first = 0, second = 0;  ///< medians of a step; `second` scaled to the first's tokens
    bool isWithinSpread = false;
    double scale = 1;  ///< of the second's seconds: tokens of a step of the first over those of the second
    std::vector<PartDifference> parts;    ///< of the step, in descending order of effect
    std::vector<FieldDifference> fields;  ///< all differing fields that both runs know
    std::int64_t numUnknown = 0;          ///< fields not compared, since a run does not know them
    std::vector<Message> notes;
    [[nodiscard]] double seconds() const { return second - first; }
};

/// "no_measurement" when a run has no step time.
Result<StepDifference> differenceOf(const AccountedRun& first, const AccountedRun& second);

Json toJson(const StepDifference& difference);

}  // namespace slipway
