// A table of one row per point: the reference for the store's blocks of points (`slipway bench store`).
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace slipway {

class PointTable {
public:
    /// Creates the file, which must not exist. Errors of all calls: as in RunStore.
    static Result<PointTable> create(const std::filesystem::path& path);
    PointTable(PointTable&&) noexcept;
    PointTable& operator=(PointTable&&) noexcept;
    ~PointTable();

    /// Inserts steps 1 to numSteps of the runs 1 to numRuns, one durable transaction per run.
    Result<void> fill(std::int64_t numRuns, std::int64_t numSteps);
    /// The curve of one run as minimum, maximum and last value of at most `maxBuckets` buckets; returns their number.
    Result<std::int64_t> curve(std::int64_t run, std::int64_t numSteps, std::int64_t maxBuckets);
    Result<std::int64_t> bytes();

private:
    struct Impl;
    explicit PointTable(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway
