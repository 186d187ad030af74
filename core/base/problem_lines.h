// Problems of one file, each on its line: the first twenty, then how many more there are.
//   ProblemLines problems;   for (const Issue& issue : issues) problems.add(issue.message);   problems.text();
#pragma once

#include <cstddef>
#include <string>

namespace slipway {

/// Problems that are named; beyond them only their number is.
constexpr std::size_t kListedProblems = 20;

class ProblemLines {
public:
    /// @param separator between two lines
    explicit ProblemLines(std::string separator = "\n") : m_separator(std::move(separator)) {}
    void add(const std::string& line) {
        if (++m_count <= kListedProblems) m_text += (m_count == 1 ? "" : m_separator) + line;
    }
    [[nodiscard]] std::size_t count() const { return m_count; }
    [[nodiscard]] std::string text() const {
        if (m_count <= kListedProblems) return m_text;
        const std::size_t more = m_count - kListedProblems;
        return m_text + m_separator + "And " + std::to_string(more) +
               (more == 1 ? " more problem." : " more problems.");
    }

private:
    std::string m_separator;
    std::string m_text;
    std::size_t m_count = 0;
};

}  // namespace slipway
