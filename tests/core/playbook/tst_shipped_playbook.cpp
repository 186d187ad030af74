// The playbook in experiments/playbook: every file is read, every check recomputed, every row of examples.csv that a check names is the
// one it has, and what no chapter checks is listed here.
#include "core/playbook/check.h"
#include "core/playbook/experiment_run.h"
#include "core/playbook/figure_model.h"
#include "core/playbook/journal.h"
#include "core/playbook/value_text.h"
#include "tests/support/example_rows.h"
#include "tests/support/slipway_test.h"

#include <iterator>
#include <set>
#include <sstream>

namespace slipway::test {

namespace {

/// The row's expected value, or the part of it that the check names, as JSON text.
std::string expectedOf(ExampleRow& row, const std::string& part) {
    const auto json = parseJson(row["expected"], row["id"]);
    if (!json) return dumpJson(Json(row["expected"]), false);  // a verdict in words
    if (part.empty()) return dumpJson(*json, false);
    const Json::json_pointer pointer(part.starts_with('/') ? part : "/" + part);
    return json->contains(pointer) ? dumpJson((*json)[pointer], false) : "null";
}

/// The numbers and words alone: a source prints "330,722" for a number, a row of numbers for a column, an object for a list.
void addLeaves(const Json& value, Json& leaves) {
    if (value.is_structured())
        for (const auto& item : value.items()) addLeaves(item.value(), leaves);
    else if (QString text = value.is_string() ? QString::fromStdString(value.get<std::string>()) : QString();
             !text.isEmpty()) {
        bool isNumber = false;
        const double number = text.remove(QChar(',')).toDouble(&isNumber);
        leaves.push_back(isNumber ? Json(number) : value);
    } else
        leaves.push_back(value);
}

std::string leavesOf(const std::string& json) {
    Json leaves = Json::array();
    addLeaves(*parseJson(json, "value"), leaves);
    return dumpJson(leaves, false);
}

/// A verdict with a remark: "no spike (value enters the history)", "must be a spike".
bool saysSo(const std::string& word, const std::string& sentence) {
    if (!word.starts_with('"') || !sentence.starts_with('"')) return false;
    const std::string bare = word.substr(1, word.size() - 2), text = sentence.substr(1, sentence.size() - 2);
    return text.starts_with(bare + " (") || text == "must be a " + bare;
}

std::vector<Check> allChecks(const Playbook& playbook) {
    std::vector<Check> checks;
    for (const Chapter& c : playbook.chapters) checks.insert(checks.end(), c.checks.begin(), c.checks.end());
    for (const Experiment& e : playbook.experiments) checks.insert(checks.end(), e.computes.begin(), e.computes.end());
    return checks;
}

}  // namespace

class TstShippedPlaybook : public QObject {
    Q_OBJECT

    std::optional<Playbook> m_playbook;

    bool hasLabel(const std::string& word) const {
        return std::any_of(m_playbook->words.begin(), m_playbook->words.end(),
                           [&](const FigureWord& one) { return one.key == word; });
    }

private slots:
    void initTestCase() {
        auto playbook = readPlaybook(SLIPWAY_SOURCE_DIR "/experiments/playbook");
        QVERIFY2(playbook.has_value(), playbook ? "" : playbook.error().message.c_str());
        m_playbook = std::move(*playbook);
    }
    /// Korean readers see no keys: words that figures choose or give, and names of members, have their label.
    void everyWordHasALabel() {
        const std::set<std::string> names{"model", "device", "offer", "rank_order", "sample_word"};  // of things
        std::set<std::string> missing;
        const auto look = [&](const std::string& word) {
            const bool isFile = word.find(".pt") != std::string::npos;
            if (!word.empty() && !isFile && wordText(word, *m_playbook, Language::Korean) == word)
                if (m_playbook->label(word).korean != word || !hasLabel(word)) missing.insert(word);
        };
        for (const FigureModel& model : figureModels())
            for (const FigureInput& input : model.inputs)
                if (input.kind == FigureInputKind::Choice && names.count(std::string(input.key)) == 0)
                    for (const std::string& word : input.choices()) look(word);
        for (const Check& check : allChecks(*m_playbook)) {
            const auto actual = parseJson(runCheck(check).actualJson, "actual");
            if (!actual) continue;
            if (actual->is_string()) look(actual->get<std::string>());
            if (!actual->is_object()) continue;
            for (const auto& item : actual->items()) {
                look(item.key());
                if (item.value().is_string()) look(item.value().get<std::string>());
            }
        }
        QVERIFY2(missing.empty(), missing.empty() ? "" : missing.begin()->c_str());
        QCOMPARE(wordText("communication-bound (1.8x short)", *m_playbook, Language::Korean),
                 std::string("통신 제약(1.8배 모자람)"));
        QCOMPARE(wordText("Guide to training 100B+ models, sections 3.2 and 3.3; experiment L7", *m_playbook,
                          Language::Korean),
                 std::string("100B+ 모델 학습 가이드, 3.2, 3.3절; 실험 L7"));
        const Json curve{{"mean", 2.95}, {"stagnant", false}, {"advice", ""}};
        const auto plain = [](double value) { return std::to_string(static_cast<int>(value * 100)); };
        QCOMPARE(valueText(curve, *m_playbook, Language::Korean, plain), std::string("평균 295, 정체 아니요"));
        QCOMPARE(valueText(curve, *m_playbook, Language::English, plain), std::string("mean 295, stagnant no"));
        QCOMPARE(valueText(Json{{1, 2}, {3, 4}}, *m_playbook, Language::English, plain), std::string("1, 2; 3, 4"));
    }
    void everyChapterHasATrapWithARule() {
        for (const Chapter& c : m_playbook->chapters)
            QVERIFY2(std::any_of(c.traps.begin(), c.traps.end(), [](const Trap& trap) { return !trap.rule.empty(); }),
                     c.id.c_str());
    }
    void hasAllChapters() {
        QCOMPARE(m_playbook->chapters.size(), std::size_t(18));
        for (std::size_t i = 0; i < m_playbook->chapters.size(); ++i)
            QCOMPARE(m_playbook->chapters[i].number, static_cast<std::int64_t>(i + 1));
        std::set<std::string> missing;
        for (const auto& [letter, count] : {std::pair{"L", 16}, {"G", 3}, {"N", 3}, {"K", 7}, {"P", 4}})
            for (int i = 1; i <= count; ++i)
                if (const std::string id = letter + std::to_string(i); m_playbook->experiment(id) == nullptr)
                    missing.insert(id);
        QVERIFY2(missing.empty(), missing.empty() ? "" : missing.begin()->c_str());
        QCOMPARE(m_playbook->experiments.size(), std::size_t(33));
    }
    void everyCheckAgrees() {
        for (const Check& check : allChecks(*m_playbook)) {
            const CheckResult result = runCheck(check);
            QVERIFY2(result.verdict != CheckVerdict::Fails,
                     (check.row + " " + check.label.english + ": " + result.actualJson + " instead of " +
                      check.expectedJson + " " + textOf(result.problem))
                         .c_str());
        }
    }
    void everyRowIsTheSourcesRow() {
        std::map<std::string, ExampleRow> rows;
        for (ExampleRow& row : exampleRows({""})) rows[row["id"]] = row;
        std::set<std::string> covered;
        for (const Check& check : allChecks(*m_playbook)) {
            if (check.row.empty()) continue;
            QVERIFY2(rows.count(check.row) == 1, check.row.c_str());
            ExampleRow& row = rows[check.row];
            covered.insert(check.row);
            const std::string expected = expectedOf(row, check.part);
            const bool same = agrees(check.expectedJson, expected, row["tolerance"]) ||
                              agrees(leavesOf(check.expectedJson), leavesOf(expected), row["tolerance"]) ||
                              saysSo(check.expectedJson, expected);
            QVERIFY2(same, (check.row + check.part + ": " + check.expectedJson + " instead of " + expected).c_str());
        }
        std::string uncovered;
        for (const auto& [id, row] : rows)
            if (covered.count(id) == 0) uncovered += id + " ";
        QVERIFY2(uncovered.empty(), uncovered.c_str());
    }
    /// docs/coverage.csv: a row that points to a chapter's checks or tables is there, and "works" has a place beside the old state.
    void coverageNamesWhatIsThere() {
        std::map<std::string, std::set<std::string>> rowsOf;
        for (const Chapter& c : m_playbook->chapters)
            for (const Check& check : c.checks) rowsOf[c.id].insert(check.row);
        for (const Experiment& e : m_playbook->experiments)
            for (const Check& check : e.computes) rowsOf[e.id].insert(check.row);
        const auto lines = parseCsv(*readFile(SLIPWAY_SOURCE_DIR "/docs/coverage.csv"));
        QCOMPARE(lines.size(), std::size_t(338));
        std::map<std::string, std::set<std::string>> tablesOf;
        for (const Chapter& c : m_playbook->chapters)
            for (const ChapterTable& table : c.tables) {
                std::istringstream ids(table.row);
                tablesOf[c.id].insert(std::istream_iterator<std::string>(ids), {});
            }
        const std::string prefix = "slipway playbook check ", shown = "table of slipway playbook show ";
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const std::string &id = lines[i].at(0), &before = lines[i].at(2), &now = lines[i].at(5),
                              &where = lines[i].at(6);
            if (where.starts_with(prefix)) QVERIFY2(rowsOf[where.substr(prefix.size())].count(id) == 1, id.c_str());
            if (where.starts_with(shown)) QVERIFY2(tablesOf[where.substr(shown.size())].count(id) == 1, id.c_str());
            if (now == "works" && before != "works") QVERIFY2(!where.empty(), id.c_str());
        }
    }
    /// An idea is read in a minute and a half, in either language; Korean counts its spaced words.
    void everyIdeaIsShort() {
        for (const Chapter& c : m_playbook->chapters)
            for (const std::string& idea : {c.idea.english, c.idea.korean}) {
                std::istringstream words(idea);
                const auto count = std::distance(std::istream_iterator<std::string>(words), {});
                QVERIFY2(count > 50 && count <= 200, (c.id + ": " + std::to_string(count)).c_str());
            }
    }
    /// What a laptop experiment expects comes from theory or a source, not from its own runs.
    void derivationsAreGiven() {
        for (const char* id : {"L6", "L9", "L10", "G2"})
            for (const Language language : {Language::English, Language::Korean})
                QVERIFY2(m_playbook->experiment(id)->derivation.in(language).size() > 100, id);
    }
    /// Every step with a figure has its value, in every edition; the editions answer differently.
    void everyExerciseIsWorked() {
        std::size_t steps = 0;
        for (const Chapter& c : m_playbook->chapters)
            for (const Exercise& exercise : c.exercises) {
                std::set<double> answers;
                for (const Edition& edition : exercise.editions) {
                    answers.insert(answerOf(exercise.guess, edition.answer).value_or(0));
                    for (const SolutionStep& step : edition.steps)
                        if (step.call) {
                            QVERIFY2(resultOf(*step.call).is_number(), step.text.english.c_str());
                            ++steps;
                        }
                }
                QVERIFY2(answers.size() == exercise.editions.size() && answers.count(0) == 0, exercise.id.c_str());
            }
        QVERIFY(steps > 40);
    }
    void everyFigureModelIsShown() {
        std::set<std::string> shown;
        for (const Chapter& c : m_playbook->chapters)
            for (const FigureUse& f : c.figures) shown.insert(f.model);
        for (const Check& check : allChecks(*m_playbook)) shown.insert(check.call.model);
        for (const FigureModel& model : figureModels())
            QVERIFY2(shown.count(std::string(model.id)) == 1, std::string(model.id).c_str());
    }
    void everyQuestionHasAnAnswer() {
        for (const Chapter& c : m_playbook->chapters) {
            QVERIFY2(answerOf(c.guess).has_value() || !c.guess.claim.empty(), c.id.c_str());
            QVERIFY2(!c.checks.empty() && !c.traps.empty() && !c.sources.empty() && !c.figures.empty(), c.id.c_str());
        }
    }
    void everySweepExpands() {
        for (const Experiment& e : m_playbook->experiments)
            for (const bool isShort : {false, true}) {
                if (e.sweepJson.empty()) continue;
                const auto file = sweepOf(e, isShort);
                QVERIFY2(file.has_value(), file ? "" : file.error().text().c_str());
                std::set<std::string> points;
                for (const Trial& trial : expandSweep(*file)) {
                    QVERIFY2(trial.skipReason.empty(), (e.id + " " + trial.name + ": " + trial.skipReason).c_str());
                    points.insert(trial.name.substr(trial.name.find(", ") + 2));
                }
                for (const Claim& claim : e.claims)
                    for (const std::string& point : {claim.point, claim.baseline})
                        QVERIFY2(points.count(point) == 1,
                                 (e.id + (isShort ? " short" : "") + ": no point " + point).c_str());
            }
    }
    /// Laptop experiments run here, or say what they wait for; plan-only ones compute.
    void everyExperimentCanBeDone() {
        for (const Experiment& e : m_playbook->experiments) {
            const bool runs = !e.sweepJson.empty() || !e.bench.empty();
            if (e.need == ExperimentNeed::Laptop) QVERIFY2(runs || !e.waitsFor.empty(), e.id.c_str());
            if (e.need == ExperimentNeed::Plan) QVERIFY2(!e.computes.empty(), e.id.c_str());
            if (runs) QVERIFY2(!e.claims.empty(), e.id.c_str());
        }
    }
};

}  // namespace slipway::test

using slipway::test::TstShippedPlaybook;
SLIPWAY_TEST(TstShippedPlaybook)

#include "tst_shipped_playbook.moc"
