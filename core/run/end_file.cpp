#include "core/run/end_file.h"

#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/launch/checkpoint_files.h"
#include "core/run/run_files.h"

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

constexpr std::size_t kMostEnds = 64;  // older attempts are dropped
constexpr std::size_t kMostBytes = 4U << 20;

struct Ends {
    std::vector<RunEnd> attempts;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempts"), s.attempts);
    }
};

std::filesystem::path endFile(const RunDir& folder) {
    return folder.path / "end.json";
}

}  // namespace

std::vector<RunEnd> readEnds(const RunDir& folder) {
    const auto text = readOwnFile(endFile(folder), 0, kMostBytes);
    if (!text) return {};
    const auto json = parseJson(*text, "end.json");
    if (!json) return {};
    Issues issues;
    Ends ends = fields::fromJson<Ends>(*json, issues);
    for (const Issue& issue : issues)
        if (issue.code != "unknown_key") return {};
    return std::move(ends.attempts);
}

std::optional<RunEnd> readEnd(const RunDir& folder, std::int64_t attempt) {
    std::vector<RunEnd> ends = readEnds(folder);
    if (ends.empty() || ends.back().attempt != attempt) return {};
    return std::move(ends.back());
}

Result<RunEnd> writeEnd(const RunDir& folder, std::int64_t attempt, const Diagnosis& diagnosis, double ranSeconds,
                        double uniform, std::int64_t decidedUnixMilliseconds, std::int64_t checkpointStep) {
    Ends ends{readEnds(folder)};
    if (!ends.attempts.empty() && ends.attempts.back().attempt == attempt &&
        ends.attempts.back().decidedUnixMilliseconds != 0)
        return ends.attempts.back();
    std::erase_if(ends.attempts, [&](const RunEnd& end) { return end.attempt >= attempt; });
    if (ends.attempts.size() >= kMostEnds) ends.attempts.erase(ends.attempts.begin());
    RunEnd end;
    end.attempt = attempt;
    end.diagnosis = diagnosis;
    end.failure = {attempt,
                   diagnosis.fault,
                   diagnosis.kind,
                   diagnosis.node,
                   std::max(checkpointStep, newestWholeCheckpoint(folder).value_or(-1)),
                   ranSeconds,
                   diagnosis.differsByNode};
    std::vector<FailedAttempt> history;
    for (const RunEnd& before : ends.attempts) history.push_back(before.failure);
    history.push_back(end.failure);
    end.decision = decideRetry(history, uniform);
    end.decidedUnixMilliseconds = decidedUnixMilliseconds;
    if (decidedUnixMilliseconds != 0 && end.decision.action == "restart")
        end.restartUnixMilliseconds =
            decidedUnixMilliseconds + static_cast<std::int64_t>(end.decision.delaySeconds * 1000);
    ends.attempts.push_back(end);
    if (auto written = writeJsonFile(endFile(folder), fields::toJson(ends)); !written) return fail(written.error());
    return end;
}

Result<void> replaceEnd(const RunDir& folder, const RunEnd& end) {
    Ends ends{readEnds(folder)};
    if (ends.attempts.empty() || ends.attempts.back().attempt != end.attempt)
        return fail("file_missing", "The file does not exist."_text, endFile(folder).string());
    ends.attempts.back() = end;
    return writeJsonFile(endFile(folder), fields::toJson(ends));
}

Message fewerRanksText(std::int64_t numRanks) {
    return "Restarted with fewer ranks (%1), which the remaining nodes take; the batch stays the same."_text(numRanks);
}

Json endJson(const RunEnd& end) {
    Json out = fields::toJson(end.diagnosis);
    out["sentence"] = textOf(sentence(end.diagnosis));
    out["decision"] = fields::toJson(end.decision);
    out["decision"]["sentence"] = textOf(sentence(end.decision));
    return out;
}

}  // namespace slipway
