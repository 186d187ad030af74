// An evaluator of printed formulas that shares no code with what prints them: +, -, *, /, parentheses, max(), min(), ceil() over the
// names of the inputs.
#pragma once

#include "core/planner/explain/explain.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::test {

class Formula {
public:
    /// The value, or nothing where the formula is told in words.
    static std::optional<double> value(const Explanation& e) {
        if (e.formula.starts_with("0: ")) return 0;
        Formula f(e);
        const double result = f.sum();
        return f.m_isArithmetic && f.m_rest.empty() ? std::optional(result) : std::nullopt;
    }

private:
    explicit Formula(const Explanation& e) : m_rest(e.formula), m_inputs(e.inputs) {}

    bool take(char sign) {
        skip();
        if (!m_rest.starts_with(sign)) return false;
        m_rest.remove_prefix(1);
        skip();
        return true;
    }
    void skip() {
        while (m_rest.starts_with(' ')) m_rest.remove_prefix(1);
    }
    double sum() {
        double result = product();
        while (m_isArithmetic) {
            if (take('+'))
                result += product();
            else if (take('-'))
                result -= product();
            else
                break;
        }
        return result;
    }
    double product() {
        double result = factor();
        while (m_isArithmetic) {
            if (take('*'))
                result *= factor();
            else if (take('/'))
                result /= factor();
            else
                break;
        }
        return result;
    }
    double factor() {
        if (take('(')) return closed(sum());
        const std::size_t end = std::min(m_rest.find_first_of(" +-*/(),"), m_rest.size());
        const std::string_view word = m_rest.substr(0, end);
        m_rest.remove_prefix(end);
        if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
            double number = 0;
            const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
            m_isArithmetic &= read.ptr == word.data() + word.size();
            return number;
        }
        if (take('(')) return function(word);
        for (const ExplainedNumber& input : m_inputs)
            if (input.name == word) return input.value;
        m_isArithmetic = false;
        return 0;
    }
    double function(std::string_view name) {
        double result = sum();
        if (name == "ceil") return closed(std::ceil(result));
        m_isArithmetic &= name == "max" || name == "min";
        while (m_isArithmetic && take(',')) {
            const double next = sum();
            if (name == "max" ? result < next : next < result) result = next;
        }
        return closed(result);
    }
    double closed(double value) {
        m_isArithmetic &= take(')');
        return value;
    }

    std::string_view m_rest;
    const std::vector<ExplainedNumber>& m_inputs;
    bool m_isArithmetic = true;
};

}  // namespace slipway::test
