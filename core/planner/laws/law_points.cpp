#include "core/planner/laws/law_points.h"

#include "core/base/csv_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace slipway {

namespace {

using Row = std::vector<std::string>;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::size_t columnOf(const Row& head, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        for (std::size_t i = 0; i < head.size(); ++i)
            if (lower(head[i]) == name) return i;
    return kNone;
}

class Reader {
public:
    Reader(const std::string& name, const LawPointsFilter& filter) : m_name(name), m_filter(filter) {}

    Result<LawPoints> read(std::string_view text) {
        const auto table = CsvTable::parse(text, m_name);
        if (!table) return fail("bad_value", table.error().sentence(), m_name);
        if (const auto done = head(table->header()); !done) return fail(done.error());
        for (std::size_t i = 0; i < table->numRows(); ++i)
            if (const auto done = row(table->cells(i), table->line(i)); !done) return fail(done.error());
        return std::move(m_result);
    }

private:
    Result<void> head(Row cells) {
        m_head = std::move(cells);
        m_parameters = columnOf(m_head, {"params", "parameters", "n"});
        m_tokens = columnOf(m_head, {"tokens", "d"});
        m_flops = columnOf(m_head, {"flops", "compute", "budget_flops", "c"});
        m_loss = columnOf(m_head, {"loss"});
        m_excluded = columnOf(m_head, {"excluded"});
        if (m_parameters == kNone || m_loss == kNone || (m_tokens == kNone && m_flops == kNone))
            return fail("unknown_column",
                        "The first line must name the columns params, tokens (or flops) and loss."_text, m_name);
        for (const auto& [column, value] : m_filter.where) {
            const std::size_t at = columnOf(m_head, {lower(column)});
            if (at == kNone) return fail("unknown_column", "There is no column %1."_text(column), m_name);
            m_where.emplace_back(at, value);
        }
        return {};
    }

    Result<void> row(const Row& cells, std::size_t number) {
        const std::string where = m_name + ":" + std::to_string(number);
        if (cells.size() < m_head.size())
            return fail("bad_value", "The line has %1 cells; the first line has %2."_text(cells.size(), m_head.size()),
                        where);
        for (const auto& [column, value] : m_where)
            if (cells[column].find(value) == std::string::npos) {
                ++m_result.numFiltered;
                return {};
            }
        if (m_excluded != kNone && cells[m_excluded] == "1") {
            ++m_result.numExcluded;
            if (!m_filter.withExcluded) return {};
        }
        LawPoint point;
        const auto parameters = figure(cells[m_parameters], "params", where),
                   loss = figure(cells[m_loss], "loss", where);
        if (!parameters) return fail(parameters.error());
        if (!loss) return fail(loss.error());
        point.parameters = *parameters;
        point.loss = *loss;
        const bool direct = m_tokens != kNone && !cells[m_tokens].empty();
        if (!direct && m_flops == kNone) return fail("bad_value", "tokens is empty."_text, where);
        const auto amount = direct ? figure(cells[m_tokens], "tokens", where) : figure(cells[m_flops], "flops", where);
        if (!amount) return fail(amount.error());
        point.tokens = direct ? *amount : *amount / (6 * point.parameters);
        m_result.points.push_back(point);
        return {};
    }

    static Result<double> figure(const std::string& text, const char* column, const std::string& where) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
            return fail("bad_value", "%1 is \"%2\"; it must be a number above 0."_text(std::string(column), text),
                        where);
        return value;
    }

    const std::string& m_name;
    const LawPointsFilter& m_filter;
    Row m_head;
    std::size_t m_parameters = kNone, m_tokens = kNone, m_flops = kNone, m_loss = kNone, m_excluded = kNone;
    std::vector<std::pair<std::size_t, std::string>> m_where;
    LawPoints m_result;
};

}  // namespace

Result<LawPoints> parseLawPoints(std::string_view text, const std::string& name, const LawPointsFilter& filter) {
    return Reader(name, filter).read(text);
}

}  // namespace slipway
