// The metric stream of a run against what the index holds of it, read without the product's reader.
#pragma once

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/store/run_store.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

namespace slipway::test {

/// Attempt -> (step -> loss), and where each attempt began.
struct WrittenStream {
    std::map<std::int64_t, std::map<std::int64_t, double>> attempts;
    std::map<std::int64_t, std::int64_t> resumeSteps;
    int doubled = 0;
};

inline WrittenStream readStream(const std::filesystem::path& path) {
    WrittenStream written;
    std::istringstream lines(readFile(path).value_or(""));
    std::int64_t attempt = 0;
    for (std::string line; std::getline(lines, line);) {
        if (lines.eof()) break;  // no newline: not written
        const auto json = parseJson(line, "line");
        if (!json) continue;
        const std::string kind = (*json)["kind"];
        if (kind == "header") {
            attempt = (*json)["attempt"];
            written.resumeSteps[attempt] = (*json)["resume_step"];
        }
        if (kind == "step" && !written.attempts[attempt].emplace((*json)["step"], (*json)["values"]["loss"]).second)
            ++written.doubled;
    }
    return written;
}

/// "" when every point of the stream is stored once and as written, those in force are steps 1 to `numSteps`, and the run is completed.
inline std::string streamProblem(RunStore& store, const RunId& id, const std::filesystem::path& stream,
                                 std::int64_t numSteps) {
    std::string problem;
    const WrittenStream written = readStream(stream);
    if (written.doubled > 0) problem = "the stream itself holds a step twice";
    std::map<std::int64_t, double> inForce;
    for (const auto& [attempt, steps] : written.attempts) {
        const auto stored = store.attemptSeries(id, "loss", attempt);
        if (!stored)
            problem = stored.error().text();
        else if (stored->size() != steps.size())
            problem = "attempt " + std::to_string(attempt) + ": " + std::to_string(stored->size()) +
                      " points stored, " + std::to_string(steps.size()) + " written";
        if (!problem.empty()) return problem;
        std::size_t i = 0;
        for (const auto& [step, loss] : steps) {
            if (stored->steps[i] != step || stored->values[i] != loss)
                problem =
                    "attempt " + std::to_string(attempt) + ": step " + std::to_string(step) + " is not as written";
            ++i;
        }
    }
    for (const auto& [attempt, resumeStep] : written.resumeSteps) {
        inForce.erase(inForce.upper_bound(resumeStep), inForce.end());
        if (const auto it = written.attempts.find(attempt); it != written.attempts.end())
            for (const auto& [step, loss] : it->second) inForce[step] = loss;
    }
    const auto series = store.series(id, "loss");
    if (!series)
        problem = series.error().text();
    else if (series->size() != static_cast<std::size_t>(numSteps) || inForce.size() != series->size())
        problem = std::to_string(series->size()) + " of " + std::to_string(numSteps) +
                  " steps in force, the stream has " + std::to_string(inForce.size());
    else if (series->steps.front() != 1 || series->steps.back() != numSteps)
        problem = "the steps in force have a gap";
    const auto record = store.run(id);
    if (record && record->status != RunStatus::Completed)
        problem = "the run is " + wordOf(record->status) + ": " + record->reason;
    return problem;
}

}  // namespace slipway::test
