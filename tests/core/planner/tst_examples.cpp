// The computed examples of the source documents, row by row, against the product.
#include "tests/core/planner/example_bindings.h"
#include "tests/support/example_rows.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <map>

namespace slipway::test {

namespace {

using Row = ExampleRow;

Json expectedOf(const std::string& text) {
    auto json = parseJson(text, "expected");
    return json ? *json : Json(text);  // a verdict in words
}

/// Each number within the tolerance; words equal. Keys the row does not name are ignored.
bool matches(const Json& actual, const Json& expected, const std::string& tolerance) {
    if (expected.is_object()) {
        for (const auto& [key, value] : expected.items())
            if (!actual.is_object() || !actual.contains(key) || !matches(actual[key], value, tolerance)) return false;
        return true;
    }
    if (expected.is_array()) {
        if (!actual.is_array() || actual.size() != expected.size()) return false;
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (!matches(actual[i], expected[i], tolerance)) return false;
        return true;
    }
    if (!expected.is_number() || !actual.is_number()) return actual == expected;
    const double a = actual.get<double>(), e = expected.get<double>();
    const std::size_t space = tolerance.find(' ');
    if (space == std::string::npos) {
        // "exact" still allows the nine digits a bubble fraction is printed with, and nothing else.
        return a == e || (e != std::floor(e) && std::fabs(a - e) <= 1e-9);
    }
    const double bound = std::stod(tolerance.substr(space));
    return std::fabs(a - e) <= (tolerance.starts_with("rel") ? bound * std::fabs(e) : bound);
}

const ExampleBinding* bindingOf(const std::vector<ExampleBinding>& bindings, const std::string& id) {
    const ExampleBinding* best = nullptr;
    for (const ExampleBinding& b : bindings) {
        if (!id.starts_with(b.prefix)) continue;
        if (best == nullptr || b.prefix.size() > best->prefix.size()) best = &b;
    }
    return best;
}

std::string roomOf(const std::string& id) {
    std::size_t length = 0;
    std::string room;
    for (const ForeignRows& f : foreignRows())
        if (id.starts_with(f.prefix) && f.prefix.size() > length) {
            length = f.prefix.size();
            room = f.room;
        }
    return room;
}

}  // namespace

class TstExamples : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        m_rows = exampleRows({""});  // all of them
        QVERIFY(m_rows.size() >= 272);
        for (auto list : {lawBindings(), memoryBindings(), costBindings()})
            for (ExampleBinding& b : list) m_bindings.push_back(std::move(b));
    }
    void row_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (roomOf(m_rows[i]["id"]).empty()) QTest::newRow(m_rows[i]["id"].c_str()) << static_cast<int>(i);
    }
    void row() {
        QFETCH(int, index);
        Row& row = m_rows[static_cast<std::size_t>(index)];
        const ExampleBinding* binding = bindingOf(m_bindings, row["id"]);
        QVERIFY2(binding != nullptr, "no function is bound to this row and no other room claims it");
        const auto inputs = parseJson(row["inputs_json"], row["id"]);
        QVERIFY2(inputs.has_value(), row["inputs_json"].c_str());
        const Json actual = binding->function(*inputs, row["id"]);
        const bool same = matches(actual, expectedOf(row["expected"]), row["tolerance"]);
        QVERIFY2(same,
                 (dumpJson(actual, false) + " instead of " + row["expected"] + " (" + row["tolerance"] + ")").c_str());
        (row["variant"] == "source" ? m_sourceForms : m_passed) += 1;
        if (row["comment"].starts_with("SOURCE BEHAVIOUR")) ++m_sourceMistakes;
    }
    void cleanupTestCase() {
        std::map<std::string, int> others;
        for (Row& row : m_rows)
            if (const std::string room = roomOf(row["id"]); !room.empty()) ++others[room];
        std::string list;
        int count = 0;
        for (const auto& [room, rows] : others) {
            list += (list.empty() ? "" : ", ") + room + " " + std::to_string(rows);
            count += rows;
        }
        qInfo(
            "examples.csv: %zu rows; %d product rows pass, %d rows in a source's own form pass, %d of them all show a source's mistake; %d belong to other rooms: %s",
            m_rows.size(), m_passed, m_sourceForms, m_sourceMistakes, count, list.c_str());
    }
    void tolerancesBite() {
        QVERIFY(matches(Json(1.0), Json(1.0), "exact") && !matches(Json(2), Json(1), "exact"));
        QVERIFY(!matches(Json(1.1), Json(1.0), "rel 1e-3") && matches(Json(1.0005), Json(1.0), "rel 1e-3"));
        QVERIFY(!matches(Json{{"a", 1}}, Json{{"a", 1}, {"b", 2}}, "exact"));
        QVERIFY(!matches(Json("reject"), Json("keep"), "exact"));
    }

private:
    std::vector<Row> m_rows;
    std::vector<ExampleBinding> m_bindings;
    int m_passed = 0, m_sourceForms = 0, m_sourceMistakes = 0;
};

}  // namespace slipway::test

using slipway::test::TstExamples;
SLIPWAY_TEST(TstExamples)

#include "tst_examples.moc"
