// A small matrix product split over ranks as in tensor parallelism, for explanations and tests.
//   columnSplit(a, b, 2)  // each rank computes some columns of the product: concatenate
//   rowSplit(a, b, 2)     // each rank computes a part of every element: add up
#pragma once

#include <cstddef>
#include <vector>

namespace slipway {

using SmallMatrix = std::vector<std::vector<double>>;  ///< rows of equal length

/// y_ij = sum_k a_ik b_kj.
inline SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b) {
    const std::size_t columns = b.empty() ? 0 : b.front().size();
    SmallMatrix y(a.size(), std::vector<double>(columns, 0));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < b.size(); ++k)
            for (std::size_t j = 0; j < columns; ++j) y[i][j] += a[i][k] * b[k][j];
    return y;
}

/// Columns [first, first + count) of a matrix.
inline SmallMatrix columns(const SmallMatrix& m, std::size_t first, std::size_t count) {
    SmallMatrix part;
    for (const auto& row : m) {
        const auto begin = row.begin() + static_cast<std::ptrdiff_t>(first);
        part.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return part;
}

/// Column parallel (Shoeybi 2019, arXiv 1909.08053, sec. 3): rank r has all of A and its columns of B.
inline std::vector<SmallMatrix> columnSplit(const SmallMatrix& a, const SmallMatrix& b, std::size_t ranks) {
    std::vector<SmallMatrix> parts;
    const std::size_t each = b.front().size() / ranks;
    for (std::size_t rank = 0; rank < ranks; ++rank) parts.push_back(product(a, columns(b, rank * each, each)));
    return parts;
}

/// Row parallel (same section): rank r has its columns of A and its rows of B; the sum of the parts is A B.
inline std::vector<SmallMatrix> rowSplit(const SmallMatrix& a, const SmallMatrix& b, std::size_t ranks) {
    std::vector<SmallMatrix> parts;
    const std::size_t each = b.size() / ranks;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const auto begin = b.begin() + static_cast<std::ptrdiff_t>(rank * each);
        parts.push_back(product(columns(a, rank * each, each), {begin, begin + static_cast<std::ptrdiff_t>(each)}));
    }
    return parts;
}

/// Result of an all-reduce over the parts.
inline SmallMatrix sumOf(const std::vector<SmallMatrix>& parts) {
    SmallMatrix sum = parts.front();
    for (std::size_t p = 1; p < parts.size(); ++p)
        for (std::size_t i = 0; i < sum.size(); ++i)
            for (std::size_t j = 0; j < sum[i].size(); ++j) sum[i][j] += parts[p][i][j];
    return sum;
}

}  // namespace slipway
