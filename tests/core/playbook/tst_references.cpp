// Published data: the benchmark's page is read, ranked by tokens/s and held against the claims; the lists of the catalogue are whole.
#include "core/base/file.h"
#include "core/playbook/catalogue.h"
#include "core/playbook/references.h"
#include "tests/support/example_rows.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <set>

namespace slipway::test {

namespace {

const std::filesystem::path kFolder = SLIPWAY_SOURCE_DIR "/experiments/playbook";

/// One layout as the page's hover text; a failed one has neither speed nor memory.
std::string hover(const std::string& model, int nodes, const BenchmarkLayout& l, double speed, double mfu,
                  double memory) {
    const auto n = [](std::int64_t value) { return std::to_string(value); };
    std::string text = "<b>Model: " + model + "</b><br>Nodes: " + n(nodes) + "<br>DP: " + n(l.dp) +
                       "<br>TP: " + n(l.tp) + "<br>PP: " + n(l.pp) + "<br>Micro batch size: " + n(l.microBatch) +
                       "<br>Grad acc: " + n(l.accumulation) + "<br>ZeRO stage: " + n(l.zero);
    if (speed > 0)
        text += "<br>Tokens/s/GPU: " + std::to_string(speed) + "<br>MFU: " + std::to_string(mfu) +
                "%<br>Memory: " + std::to_string(memory) + " GB";
    return text;
}

/// A page as Plotly writes one: brackets inside of texts, a second list for the layout.
std::string page(const std::vector<std::string>& hovers) {
    const Json traces = Json::array({Json{{"type", "scatter"}, {"name", "a ] in [ a text \""}, {"text", hovers}}});
    return "<html><script>Plotly.newPlot(\"id\", " + dumpJson(traces, false) + ", {\"title\": []}, {})</script></html>";
}

}  // namespace

class TstReferences : public QObject {
    Q_OBJECT

    BenchmarkFacts m_facts;

private slots:
    void initTestCase() {
        auto facts = readBenchmarkFacts(kFolder);
        QVERIFY2(facts.has_value(), facts ? "" : facts.error().message.c_str());
        m_facts = std::move(*facts);
    }
    void factsAreWhole() {
        QCOMPARE(m_facts.best.size(), std::size_t(28));
        QCOMPARE(m_facts.mistakes.size(), std::size_t(8));
        std::size_t differ = 0;
        for (const BenchmarkFacts::Best& best : m_facts.best) {
            differ += best.printedBest ? 1 : 0;
            for (const BenchmarkFacts::Shape& shape : m_facts.shapes)
                if (shape.name == best.model && best.fastest)
                    QVERIFY2(std::fabs(100 * mfuOf(m_facts, shape.model, best.tokensPerSecondPerGpu) -
                                       best.mfuPercent) < 0.1,
                             (best.model + " on " + std::to_string(best.nodes)).c_str());
        }
        QCOMPARE(differ, std::size_t(7));  // of 26 cells with a run
    }
    void readsAPage() {
        const auto runs = readBenchmarkPage(page({hover("1B", 1, {8, 1, 1, 16, 2, 0}, 40150, 39.2, 50.2),
                                                  hover("1B", 1, {4, 1, 2, 16, 4, 1}, 38895, 44.3, 40),
                                                  hover("1B", 1, {1, 8, 1, 128, 2, 0}, 0, 0, 0)}));
        QVERIFY2(runs.has_value(), runs ? "" : runs.error().message.c_str());
        QCOMPARE(runs->size(), std::size_t(3));
        QCOMPARE(runs->front().layout, (BenchmarkLayout{8, 1, 1, 16, 2, 0}));
        QVERIFY(!runs->back().tokensPerSecondPerGpu);
        const auto cells = rankBenchmark(*runs, m_facts);
        QCOMPARE(cells.size(), std::size_t(1));
        QCOMPARE(cells[0].ran, std::size_t(2));
        QCOMPARE(*cells[0].runs[0].tokensPerSecondPerGpu, 40150.0);
        QVERIFY(cells[0].printedBest.has_value());  // counts the tied embedding twice
        QCOMPARE(cells[0].printedBest->layout.pp, std::int64_t(2));
    }
    void refusesOtherPages_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("empty") << "";
        QTest::newRow("no plot") << "<html>[1, 2]</html>";
        QTest::newRow("open list") << "Plotly.newPlot(\"id\", [{\"text\": [\"DP: 1\"";
        QTest::newRow("no layout") << "Plotly.newPlot(\"id\", [{\"text\": [\"DP: 1<br>TP: 2\", 3]}], {})";
        QTest::newRow("not JSON") << "Plotly.newPlot(\"id\", [a, b])";
    }
    void refusesOtherPages() {
        QFETCH(QString, text);
        QVERIFY(!readBenchmarkPage(text.toStdString()));
    }
    /// The published rows as a page: every row is read, and the order by tokens/s is that of the corrected list where both have the cell.
    void readsThePublishedRows() {
        const std::filesystem::path file = SLIPWAY_SOURCE_DIR "/../shared/data/ultrascale_benchmark_dev.csv";
        if (!std::filesystem::exists(file)) QSKIP("the published rows are not here");
        std::vector<std::string> hovers;
        std::size_t ran = 0;
        const auto lines = parseCsv(*readFile(file));
        std::vector<std::map<std::string, std::string>> rows;
        for (std::size_t line = 1; line < lines.size(); ++line)
            for (std::size_t i = 0; i < lines[line].size(); ++i) {
                if (i == 0) rows.emplace_back();
                rows.back()[lines[0][i]] = lines[line][i];
            }
        for (const auto& row : rows) {
            const auto number = [&](const char* key) { return row.at(key).empty() ? 0.0 : std::stod(row.at(key)); };
            const auto whole = [&](const char* key) { return static_cast<std::int64_t>(number(key)); };
            const bool isOk = row.at("status") == "ok";
            ran += isOk ? 1 : 0;
            hovers.push_back(hover(
                row.at("model"), static_cast<int>(whole("nodes")),
                {whole("dp"), whole("tp"), whole("pp"), whole("grad_acc"), whole("micro_batch"), whole("zero_stage")},
                isOk ? number("tokens_per_s_per_gpu") : 0, isOk ? number("mfu_pct") : 0,
                isOk ? number("gpu_memory_gb") : 0));
        }
        const auto runs = readBenchmarkPage(page(hovers));
        QVERIFY2(runs.has_value(), runs ? "" : runs.error().message.c_str());
        QCOMPARE(runs->size(), rows.size());
        std::size_t found = 0;
        for (const BenchmarkCell& cell : rankBenchmark(*runs, m_facts)) {
            found += cell.ran;
            for (const BenchmarkFacts::Best& best :
                 m_facts.best)  // the dev part lacks rows: never faster than the list
                if (best.model == cell.model && best.nodes == cell.nodes && cell.ran > 0)
                    QVERIFY(*cell.runs[0].tokensPerSecondPerGpu <= best.tokensPerSecondPerGpu + 0.5);
        }
        QCOMPARE(found, ran);
    }
    /// K1 and N1 name layouts of the benchmark, so that a fetched page answers their claims.
    void answersClaims() {
        const auto playbook = readPlaybook(kFolder);
        QVERIFY(playbook.has_value());
        const auto runs = readBenchmarkPage(page({hover("1B", 1, {8, 1, 1, 16, 2, 0}, 40150, 39.2, 50.2),
                                                  hover("1B", 8, {64, 1, 1, 4, 1, 1}, 31297, 30.5, 23.8),
                                                  hover("1B", 64, {128, 2, 2, 1, 2, 1}, 4603, 4.5, 8.4)}));
        const Experiment* k1 = playbook->experiment("K1");
        for (const Claim& claim : k1->claims) {
            const auto published = publishedFor(*k1, claim, *runs, m_facts);
            QVERIFY2(published.has_value(), claim.id.c_str());
            QVERIFY(std::fabs(*published - claim.expected) < claim.tolerance);
        }
        QVERIFY(!publishedFor(*playbook->experiment("L3"), playbook->experiment("L3")->claims[0], *runs, m_facts));
    }
    void listsAreWhole() {
        const auto references = readReferences(kFolder);
        QVERIFY2(references.has_value(), references ? "" : references.error().message.c_str());
        for (const Reference& one : *references)
            QVERIFY2(one.url.starts_with("https://") && !one.licence.empty(), one.id.c_str());
        const auto systems = readSystems(kFolder);
        QVERIFY2(systems.has_value(), systems ? "" : systems.error().message.c_str());
        const auto models = readModels(kFolder);
        QVERIFY2(models.has_value(), models ? "" : models.error().message.c_str());
        std::set<std::string> names;
        for (const PublishedModel& model : *models) names.insert(model.name);
        for (const char* name : {"Falcon 180B", "GPT-3 175B", "Gopher 280B", "Chinchilla 70B", "BLOOM 176B", "OPT-175B",
                                 "PaLM 540B", "Llama 3.1 405B", "DeepSeek-V3 671B", "OLMo 2 32B"})
            QVERIFY2(names.count(name) == 1, name);
        QVERIFY(!models->at(10).values[0].second);  // GPT-4: unpublished
        const auto words = readGlossary(kFolder);
        QVERIFY2(words.has_value(), words ? "" : words.error().message.c_str());
        QVERIFY(words->size() > 50);
        for (const GlossaryTerm& word : *words)
            QVERIFY2(!word.english.empty() && !word.korean.empty(), word.english.c_str());
    }
};

}  // namespace slipway::test

using slipway::test::TstReferences;
SLIPWAY_TEST(TstReferences)

#include "tst_references.moc"
