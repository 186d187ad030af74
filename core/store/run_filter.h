// The filter line of the runs table (look.md 5):
//   model:8B nodes:8 status:completed,failed mfu>40 name~zero or (not tag:old "two words")
// Terms side by side must all hold; `or`, `not` (also a leading `-`) and parentheses combine them. A term is
//   field:value[,value...]  equals one of them; `low..high` is a range; `none` / `known`: value absent / present
//   field=value != < <= > >=   comparisons of numbers, times and words
//   field~text              contains, ignoring case           word or "quoted words"  in name, id, notes, tags
// Numbers may carry k M B T (1000-based), KiB MiB GiB TiB KB MB GB TB, ms s min h d, % (fraction fields such as mfu
// read numbers above 1 as percent). Times are dates "2026-11-21", "2026-11-21T13:05" (UTC) or ages "2d" (ago).
// A term about an unknown value is false, and `not` of it true.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

enum class FilterOp { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Contains, Text };

/// A node of the parsed filter: And, Or and Not have children, Term is a leaf.
struct FilterNode {
    enum class Kind { And, Or, Not, Term } kind = Kind::And;
    std::vector<FilterNode> children;
    std::string field;  ///< as written; empty for free text
    FilterOp op = FilterOp::Text;
    std::vector<std::string> values;  ///< alternatives of one term
    std::size_t begin = 0, end = 0;   ///< bytes of the filter text, for chips and for underlining
};

/// Place and reason of a filter's syntax problem; [begin, end) are bytes of its text.
struct FilterProblem {
    std::string code;  ///< "filter_syntax", "unknown_field", "bad_value"
    Message message;   ///< one sentence: "Unknown field modle; did you mean model?"
    std::size_t begin = 0, end = 0;
};

struct RunFilter {
    FilterNode root;  ///< an And of the top-level terms; no children = everything matches

    /// True if a term anywhere names this field.
    [[nodiscard]] bool mentions(std::string_view field) const;
};

/// Parses and checks a filter: syntax, field names and values. Empty text matches everything.
tl::expected<RunFilter, FilterProblem> parseRunFilter(std::string_view text);

/// The problem as an Error whose `where` is "column N".
Error toError(const FilterProblem& problem);

}  // namespace slipway
