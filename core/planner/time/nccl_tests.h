// Reads the output of nccl-tests: all_reduce_perf and the like, test by test.
#pragma once

#include "core/base/result.h"
#include "core/spec/comm_curve.h"
#include "core/spec/link_fit.h"

#include <string>
#include <vector>

namespace slipway {

/// One test: an operation among the ranks of its first group, at the sizes of the run.
struct NcclTest {
    CommCurve curve;  ///< operation, ranks and ranks per node; latency and bandwidth are not fitted yet
    std::vector<TimedMessage> messages;  ///< bytes sent by a rank in a ring; seconds out of place
};

/// Whether the text has the first line of every test.
bool isNcclTests(const std::string& text);

/// The tests in `text`. The operation is in their line "Collective test starting", the ranks and nodes in "Rank ... on
/// HOST". Sizes are of the whole tensor (nccl-tests, doc/PERFORMANCE.md). mpirun's tags before a line are skipped.
/// Errors: "bad_value" with the line, for a test without operation, ranks or sizes, or of an unsupported operation.
/// @param name of the file, for errors
Result<std::vector<NcclTest>> readNcclTests(const std::string& text, const std::string& name);

}  // namespace slipway
