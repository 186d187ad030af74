#include "core/planner/terms/term.h"

#include <array>
#include <charconv>

namespace slipway {

struct Term::Node {
    char operation = 0;  ///< '+', '-', '*', '/', '>' for max, '<' for min; 0 for operands and numbers
    double value = 0;
    std::string name, unit;
    std::shared_ptr<const Node> left, right;
};

namespace {

int precedence(char operation) {
    return operation == '+' || operation == '-' ? 1 : operation == '*' || operation == '/' ? 2 : 3;
}

}  // namespace

Term::Term(double number) {
    if (number != 0) m_node = std::make_shared<const Node>(Node{0, number, {}, {}, {}, {}});
}

Term::Term(std::string_view name, double value, std::string_view unit)
    : m_node(std::make_shared<const Node>(Node{0, value, std::string(name), std::string(unit), {}, {}})) {}

Term Term::as(std::string_view name, std::string_view unit) const {
    Node named = m_node ? *m_node : Node{};
    if (!named.name.empty()) {  // an operand or a figure: the new name is computed from it alone
        named = {'=', m_node->value, {}, {}, m_node, {}};
    }
    named.name = name;
    named.unit = unit;
    return Term(std::make_shared<const Node>(std::move(named)));
}

double Term::value() const {
    return m_node ? m_node->value : 0;
}

const std::string& Term::name() const {
    static const std::string none;
    return m_node ? m_node->name : none;
}

const std::string& Term::unit() const {
    static const std::string none;
    return m_node ? m_node->unit : none;
}

bool Term::isComputed() const {
    return m_node && m_node->operation != 0;
}

Term Term::computed(char operation, const Term& a, const Term& b, double value) {
    const auto zero = std::make_shared<const Node>();
    return Term(std::make_shared<const Node>(
        Node{operation, value, {}, {}, a.m_node ? a.m_node : zero, b.m_node ? b.m_node : zero}));
}

void Term::print(const Node& node, bool whole, std::string& out) {
    if (!whole && !node.name.empty()) {
        out += node.name;
        return;
    }
    if (node.operation == 0) {
        if (!node.name.empty()) {
            out += node.name;
            return;
        }
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), node.value).ptr;
        out.append(digits.data(), end);
        return;
    }
    if (node.operation == '=') return print(*node.left, false, out);
    if (node.operation == '>' || node.operation == '<') {
        out += node.operation == '>' ? "max(" : "min(";
        print(*node.left, false, out);
        out += ", ";
        print(*node.right, false, out);
        out += ')';
        return;
    }
    const auto side = [&](const Node& operand, bool right) {
        const bool leaf = operand.operation == 0 || !operand.name.empty();
        const int own = precedence(node.operation), other = precedence(operand.operation);
        const bool bracket = !leaf && (right ? other <= own : other < own);
        if (bracket) out += '(';
        print(operand, false, out);
        if (bracket) out += ')';
    };
    side(*node.left, false);
    out += ' ';
    out += node.operation;
    out += ' ';
    side(*node.right, true);
}

std::string Term::formula() const {
    std::string out;
    if (m_node)
        print(*m_node, true, out);
    else
        out = "0";
    return out;
}

void Term::collect(const std::shared_ptr<const Node>& node, bool whole, std::vector<Term>& out) {
    if (!node) return;
    if (!node->name.empty() && (!whole || node->operation == 0)) {
        const auto known = std::find_if(out.begin(), out.end(), [&](const Term& t) { return t.name() == node->name; });
        if (known == out.end()) out.push_back(Term(node));
        return;
    }
    collect(node->left, false, out);
    collect(node->right, false, out);
}

std::vector<Term> Term::operands() const {
    std::vector<Term> out;
    collect(m_node, true, out);
    return out;
}

// 0 is absorbed, so that an account may begin with 0.
Term operator+(const Term& a, const Term& b) {
    if (!a.m_node) return b;
    if (!b.m_node) return a;
    return Term::computed('+', a, b, a.value() + b.value());
}

Term operator-(const Term& a, const Term& b) {
    if (!b.m_node) return a;
    return Term::computed('-', a, b, a.value() - b.value());
}

Term operator*(const Term& a, const Term& b) {
    return Term::computed('*', a, b, a.value() * b.value());
}

Term operator/(const Term& a, const Term& b) {
    return Term::computed('/', a, b, a.value() / b.value());
}

Term larger(const Term& a, const Term& b) {
    return Term::computed('>', a, b, std::max(a.value(), b.value()));
}

Term smaller(const Term& a, const Term& b) {
    return Term::computed('<', a, b, std::min(a.value(), b.value()));
}

}  // namespace slipway
