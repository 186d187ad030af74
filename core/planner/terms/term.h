// A number that records its derivation. An account is a template over its number type: with double it is the figure,
// with Term the same additions and products are recorded, and the formula and its operands can be read back.
//   template <class Number> Number shard() { return quantity<Number>("parameters", 8e9) / quantity<Number>("ranks", 8); }
//   shard<double>() == 1e9;   shard<Term>().formula() == "parameters / ranks"
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace slipway {

class Term {
public:
    Term() = default;                                                  ///< 0
    Term(double number);                                               ///< appears in formulas as is
    Term(std::string_view name, double value, std::string_view unit);  ///< an operand

    /// The same computation under a name; formulas that use it show the name.
    [[nodiscard]] Term as(std::string_view name, std::string_view unit) const;

    [[nodiscard]] double value() const;
    [[nodiscard]] const std::string& name() const;  ///< empty for an unnamed term
    [[nodiscard]] const std::string& unit() const;
    /// False for an operand and for a number.
    [[nodiscard]] bool isComputed() const;
    /// The computation in the names of its operands, in its original order: evaluating it reproduces value() to the
    /// last bit. For an operand, its name.
    [[nodiscard]] std::string formula() const;
    /// The names of the formula, each once, in its order.
    [[nodiscard]] std::vector<Term> operands() const;

    friend Term operator+(const Term& a, const Term& b);
    friend Term operator-(const Term& a, const Term& b);
    friend Term operator*(const Term& a, const Term& b);
    friend Term operator/(const Term& a, const Term& b);
    friend Term larger(const Term& a, const Term& b);
    friend Term smaller(const Term& a, const Term& b);
    Term& operator+=(const Term& b) { return *this = *this + b; }
    Term& operator-=(const Term& b) { return *this = *this - b; }
    Term& operator*=(const Term& b) { return *this = *this * b; }
    friend bool operator<(const Term& a, const Term& b) { return a.value() < b.value(); }
    friend bool operator>(const Term& a, const Term& b) { return a.value() > b.value(); }

private:
    struct Node;
    explicit Term(std::shared_ptr<const Node> node) : m_node(std::move(node)) {}
    static Term computed(char operation, const Term& a, const Term& b, double value);
    static void print(const Node& node, bool whole, std::string& out);
    static void collect(const std::shared_ptr<const Node>& node, bool whole, std::vector<Term>& out);

    std::shared_ptr<const Node> m_node;  ///< none: 0
};

/// std::max and std::min, recorded: max(a, b) and min(a, b).
inline double larger(double a, double b) {
    return std::max(a, b);
}
inline double smaller(double a, double b) {
    return std::min(a, b);
}

/// An input number of an account.
/// @param stage of the model, where a formula has the quantity of several stages: "stage_seconds.stage_3"
template <class Number>
Number quantity(std::string_view name, double value, std::string_view unit = {}, std::int64_t stage = -1) {
    if constexpr (std::is_same_v<Number, Term>)
        return Term(stage < 0 ? std::string(name) : std::string(name) + ".stage_" + std::to_string(stage), value, unit);
    else
        return value;
}

/// Term::as; a double has no name.
template <class Number>
Number as(const Number& number, std::string_view name, std::string_view unit = {}) {
    if constexpr (std::is_same_v<Number, Term>)
        return number.as(name, unit);
    else
        return number;
}

inline double valueOf(double number) {
    return number;
}
inline double valueOf(const Term& term) {
    return term.value();
}

}  // namespace slipway
