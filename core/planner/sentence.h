// What the planner says of its figures, with numbers and names apart, so that a window can say it in another language.
//   Sentence s{"%1 by the curve of %2", {operation, Sentence{"%1 ranks in one node", {std::to_string(8)}}}};
//   textOf(s) == "all_reduce by the curve of 8 ranks in one node"
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// A literal makes a sentence, a std::string a name.
struct Sentence {
    std::string text;             ///< English, with %1 to %9 where the parts go
    std::vector<Sentence> parts;  ///< names and clauses
    bool isName = false;  ///< a number, a name or a citation: the same in every language, not looked into for %1

    Sentence(const char* english, std::vector<Sentence> itsParts = {}) : text(english), parts(std::move(itsParts)) {}
    Sentence(std::string name) : text(std::move(name)), isName(true) {}
};

/// The text with its parts in place.
std::string textOf(const Sentence& sentence);
/// Joined with "; ".
std::string textOf(const std::vector<Sentence>& sentences);

}  // namespace slipway
