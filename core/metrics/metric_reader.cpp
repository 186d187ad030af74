#include "core/metrics/metric_reader.h"

#include "core/spec/plausible.h"

#include <simdjson.h>

#include <cmath>
#include <limits>
#include <optional>

namespace slipway {

using simdjson::dom::element;
using simdjson::dom::object;

struct MetricReader::Parser {
    simdjson::dom::parser json{kMaxLineBytes};
    simdjson::padded_string line{kMaxLineBytes};
};

namespace {

/// Reason why a line is invalid; thrown only within this file's parse functions.
struct LineProblem {
    std::string reason;
};

std::int64_t integerOf(const object& json, std::string_view key, std::optional<std::int64_t> fallback) {
    element value;
    if (json[key].get(value) != simdjson::SUCCESS) {
        if (fallback) return *fallback;
        throw LineProblem{"key " + std::string(key) + " is missing"};
    }
    std::int64_t number = 0;
    if (value.get(number) != simdjson::SUCCESS) throw LineProblem{std::string(key) + " is not a whole number"};
    return number;
}

std::string textOf(const object& json, std::string_view key, bool required) {
    element value;
    if (json[key].get(value) != simdjson::SUCCESS) {
        if (!required) return {};
        throw LineProblem{"key " + std::string(key) + " is missing"};
    }
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) throw LineProblem{std::string(key) + " is not a text"};
    return std::string(text);
}

/// A metric value: a number, or one of the three words for non-finite numbers. Anything else (a newer trainer's
/// structured value) is not a metric of ours.
std::optional<double> valueOf(const element& value) {
    double number = 0;
    if (value.get(number) == simdjson::SUCCESS) return number;
    std::string_view word;
    if (value.get(word) != simdjson::SUCCESS) return {};
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
    return {};
}

/// @param refused set to the reason where an implausible value was omitted
MetricStep stepOf(const object& json, std::string& refused) {
    MetricStep step;
    step.step = integerOf(json, "step", {});
    if (step.step < 0) throw LineProblem{"step is negative"};
    step.tokens = integerOf(json, "tokens", 0);
    step.timeUnixMilliseconds = integerOf(json, "time_unix_ms", 0);
    object values;
    if (json["values"].get(values) != simdjson::SUCCESS) throw LineProblem{"values is not an object"};
    step.values.reserve(values.size());
    for (const auto field : values) {
        const auto value = valueOf(field.value);
        if (!value) continue;
        if (const SourceText why = impossibleValue(field.key, *value); !why.empty())
            refused = textOf(why(std::string_view(field.key)));
        else
            step.values.emplace_back(std::string(field.key), *value);
    }
    return step;
}

/// A record, absent for an unknown kind, or a LineProblem. @param refused as of stepOf
std::optional<MetricRecord> recordOf(const element& line, std::string& refused) {
    object json;
    if (line.get(json) != simdjson::SUCCESS) throw LineProblem{"not an object"};
    const std::string kind = textOf(json, "kind", true);
    if (kind == "step") return stepOf(json, refused);
    if (kind == "header") {
        MetricHeader header;
        header.schema = integerOf(json, "schema", 1);
        header.runId = textOf(json, "run_id", false);
        header.attempt = integerOf(json, "attempt", 1);
        header.resumeStep = integerOf(json, "resume_step", 0);
        header.worldSize = integerOf(json, "world_size", 1);
        header.timeUnixMilliseconds = integerOf(json, "time_unix_ms", 0);
        return header;
    }
    if (kind == "event")
        return MetricEvent{integerOf(json, "step", 0), textOf(json, "name", true), textOf(json, "detail", false),
                           integerOf(json, "time_unix_ms", 0)};
    if (kind == "end")
        return MetricEnd{textOf(json, "status", true), integerOf(json, "step", 0),
                         static_cast<int>(integerOf(json, "exit_code", 0)), integerOf(json, "time_unix_ms", 0)};
    return {};
}

void countMalformed(MetricBatch& batch, std::uint64_t at, const std::string& reason) {
    if (batch.malformedLines++ == 0) batch.firstMalformed = "byte " + std::to_string(at) + ": " + reason;
}

}  // namespace

MetricReader::MetricReader() : m_parser(std::make_unique<Parser>()) {}
MetricReader::~MetricReader() = default;
MetricReader::MetricReader(MetricReader&&) noexcept = default;
MetricReader& MetricReader::operator=(MetricReader&&) noexcept = default;

MetricBatch MetricReader::read(std::string_view bytes, std::uint64_t offset, bool insideLine) {
    MetricBatch batch;
    batch.fromOffset = offset;
    std::size_t at = 0;
    if (insideLine) {
        const std::size_t newline = bytes.find('\n');
        batch.insideLine = newline == std::string_view::npos;
        at = batch.insideLine ? bytes.size() : newline + 1;
    }
    while (at < bytes.size()) {
        const std::size_t newline = bytes.find('\n', at);
        const bool unfinished = newline == std::string_view::npos;
        if (unfinished && bytes.size() - at < kMaxLineBytes) break;  // the rest of the line arrives later
        const std::string_view line = bytes.substr(at, unfinished ? std::string_view::npos : newline - at);
        const std::uint64_t lineOffset = offset + at;
        at = unfinished ? bytes.size() : newline + 1;
        batch.insideLine = unfinished;
        if (line.size() >= kMaxLineBytes) {
            countMalformed(batch, lineOffset, "longer than a line may be");
            continue;
        }
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        std::copy(line.begin(), line.end(), m_parser->line.data());
        element json;
        if (const auto error = m_parser->json.parse(m_parser->line.data(), line.size(), false).get(json);
            error != simdjson::SUCCESS) {
            countMalformed(batch, lineOffset, simdjson::error_message(error));
            continue;
        }
        try {
            std::string refused;
            if (auto record = recordOf(json, refused)) batch.records.push_back(std::move(*record));
            if (!refused.empty()) countMalformed(batch, lineOffset, refused);
        } catch (const LineProblem& problem) {
            countMalformed(batch, lineOffset, problem.reason);
        }
    }
    batch.toOffset = offset + at;
    return batch;
}

}  // namespace slipway
