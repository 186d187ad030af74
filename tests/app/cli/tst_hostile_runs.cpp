// Every command over a home that strangers filled: nothing that it prints steers a terminal, and --json stays JSON.
#include "core/base/json.h"
#include "core/spec/run_config.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/hostile_runs.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <algorithm>
#include <map>

using namespace slipway;
using namespace slipway::test;

namespace {

using Words = std::vector<std::string>;

const std::string kSteer = "\x1b[31m\xC2\x9B\xE2\x80\xAE\x7F x";

/// What each command is given; words in capitals are replaced. A command that is not listed gets a run, a hostile word, and nothing.
const std::map<std::string, std::vector<std::vector<const char*>>> kArguments = {
    {"plan",
     {{"CONFIG", "--cluster", "NVIDIA A100 SXM 80 GB"},
      {"STEER"},
      {"CONFIG", "--set", "STEER"},
      {"CONFIG", "--explain", "STEER"},
      {"UNKNOWN"}}},
    {"search",
     {{"CONFIG", "--cluster", "NVIDIA A100 SXM 80 GB", "--devices", "2", "--why", "STEER"},
      {"CONFIG", "--fix", "STEER"}}},
    {"cost", {{"CONFIG", "--cluster", "NVIDIA A100 SXM 80 GB"}, {"STEER"}}},
    {"laws", {{}, {"STEER"}, {"fit", "TABLE"}}},
    {"lint", {{"CONFIG"}, {"UNKNOWN"}, {"STEER"}}},
    {"tpu", {{"--chips", "8960", "--batch", "4194304", "--ffn", "28672"}}},
    {"curves", {{}, {"TABLE"}, {"STEER"}}},
    {"validate", {{"TABLE"}}},
    {"import", {{"LOG"}, {"LOG", "--name", "STEER"}, {"TABLE"}}},
    {"watch", {{"LOG", "--once"}, {"TABLE", "--once"}, {"STEER", "--once"}}},  // without --once: TstWatchFlow
    {"convert",
     {{"YAML", "--to", "neox"},
      {"CONFIG", "--to", "megatron"},
      {"UNKNOWN", "--to", "megatron"},
      {"STEER", "--to", "megatron"}}},
    {"corpus", {{"LOG", "--name", "STEER"}}},
    {"machine", {{}}},
    {"bench", {{"store", "3", "5"}, {"STEER"}}},
    {"fields", {{}, {"STEER"}}},
    {"completion", {{"bash"}, {"zsh"}, {"fish"}, {"STEER"}}},
    {"launch", {{"CONFIG"}, {"CONFIG", "--tag", "STEER"}, {"CONFIG", "--nodes", "STEER"}, {"UNKNOWN"}}},
    {"clone", {{"RUN", "--print"}, {"RUN"}, {"RUN", "--set", "STEER"}, {"RUN", "--from-checkpoint"}}},
    {"runs",
     {{},
      {"--all"},
      {"--limit", "0"},
      {"name~heading"},
      {"STEER"},
      {"--sort", "STEER"},
      {"--group-by", "name"},
      {"--group-by", "STEER"},
      {"--columns", "name,tag,notes,reason"},
      {"--columns", "STEER"},
      {"--columns", "name,tag,notes,reason", "--format", "csv"},
      {"--columns", "name,tag,notes,reason", "--format", "markdown"},
      {"--columns", "name,tag,notes,reason", "--format", "latex"},
      {"--view", "STEER"},
      {"--save-view", "STEER"},
      {"--views"},
      {"--remove-view", "STEER"}}},
    {"show", {{"RUN"}, {"STEER"}}},
    {"logs", {{"RUN"}, {"RUN", "--rank", "0"}, {"STEER"}}},
    {"why", {{"RUN"}, {"RUN", "OTHER"}, {"STEER"}}},
    {"sweep", {{"SWEEP"}, {"SWEEP", "--stop"}, {"SWEEP", "--retry", "failed"}, {"STEER"}}},
    {"--batch", {{"SWEEP"}, {"STEER"}}},
    {"compare", {{"RUN", "OTHER"}, {"RUN", "OTHER", "RUN", "OTHER", "RUN"}, {"STEER", "STEER"}}},
    {"report",
     {{"SWEEP"},
      {"SWEEP", "--format", "md"},
      {"SWEEP", "--format", "csv"},
      {"RUN", "OTHER"},
      {"RUN", "OTHER", "--format", "md"},
      {"RUN", "OTHER", "--format", "csv"},
      {"STEER"},
      {"SWEEP", "-o", "STEER"}}},
    {"stop", {{"RUN"}, {"STEER"}}},
    {"resume", {{"RUN"}, {"STEER"}}},
    {"tag", {{"RUN"}, {"RUN", "STEER"}, {"RUN", "--notes", "STEER"}}},
    {"archive", {{"RUN", "OTHER"}, {"RUN", "OTHER", "--undo"}}},
    {"reindex", {{}}},
    {"trainer", {{"setup"}, {"STEER"}}},
    {"alerts", {{"list"}, {"set", "STEER", "--off"}, {"set-hook"}, {"STEER"}}},
    {"nodes", {{"list"}, {"add", "STEER"}, {"check", "STEER"}, {"setup", "STEER"}, {"remove", "STEER"}, {"STEER"}}},
};

}  // namespace

class TstHostileRuns : public QObject {
    Q_OBJECT

    std::unique_ptr<CliBench> m_bench;
    QString m_folder;
    HostileHome m_made;
    std::map<std::string, std::string> m_words;

    Words replaced(Words words, std::size_t run) const {
        for (std::string& word : words) {
            if (word == "RUN") word = m_made.runs[run].value;
            if (word == "OTHER") word = m_made.runs[(run + 1) % m_made.runs.size()].value;
            if (const auto found = m_words.find(word); found != m_words.end()) word = found->second;
        }
        return words;
    }

    void evaluate(const Words& words, const CliBench::Outcome& outcome) const {
        std::string line;
        for (const std::string& word : words) line += word + " ";
        const bool isLog = words.front() == "logs" || words.front() == "completion";
        std::string out = outcome.out;
        if (std::ranges::find(words, "csv") != words.end()) std::erase(out, '\r');  // RFC 4180 ends lines with \r\n
        for (const std::string& text : {out, outcome.err}) {
            const std::string found = steeringIn(text, isLog);
            QVERIFY2(found.empty(), (line + "prints " + found).c_str());
        }
        if (words.back() != "--json" || outcome.out.empty()) return;
        const auto json = parseJson(outcome.out, "output");
        QVERIFY2(json, (line + (json ? "" : json.error().text())).c_str());
    }

private slots:
    void initTestCase() {
        m_bench = std::make_unique<CliBench>();
        m_bench->at.programs = {};  // nothing is started here
        m_folder = QDir::currentPath();
        QVERIFY(QDir::setCurrent(QString::fromStdString(m_bench->at.temp.path().string())));  // for `report -o STEER`
        m_made = makeHostileRuns(m_bench->at.home, "/nowhere/picture.png");
        const auto texts = hostileTexts("/nowhere/picture.png");
        RunConfig config;
        config.name = texts[1];
        config.data.tokens = texts[1];
        std::string log;
        for (const std::string& text : texts) log += text + "\n";
        log +=
            " iteration        1/     100 | consumed samples:            8 | elapsed time per iteration (ms): 100.0 | lm loss: 1.0E+01 | " +
            texts[1] + ": 5 |\n";
        m_words = {
            {"SWEEP", m_made.sweep.value},
            {"STEER", kSteer},
            {"CONFIG", m_bench->file("config.json", dumpJson(toJson(config), true))},
            {"UNKNOWN", m_bench->file("unknown.json", dumpJson(Json{{texts[1], texts[1]}, {"name", texts[7]}}, true))},
            {"TABLE", m_bench->file("table\x1b[31m.csv", "step,loss," + kSteer + "\n1,2," + kSteer + "\n")},
            {"LOG", m_bench->file("\x1b[31mstrange.log", log)},
            {"YAML", m_bench->file("strange.yml",
                                   "\"num_layers\": 4\n\"hidden_size\": 64\n\"unknown \\e[31m\": \"\\e[2J\"\n")}};
    }

    void cleanupTestCase() { QDir::setCurrent(m_folder); }

    void everyCommandPrintsTamedText_data() {
        QTest::addColumn<int>("command");
        const auto commands = allCommands();
        for (std::size_t i = 0; i < commands.size(); ++i)
            QTest::newRow(commands[i]->name().c_str()) << static_cast<int>(i);
    }
    void everyCommandPrintsTamedText() {
        QFETCH(int, command);
        const auto commands = allCommands();
        const Command& one = *commands[static_cast<std::size_t>(command)];
        const auto listed = kArguments.find(one.name());
        std::vector<Words> variants = {{"RUN"}, {"STEER"}, {}};
        if (listed != kArguments.end()) {
            variants.clear();
            for (const auto& words : listed->second) variants.emplace_back(words.begin(), words.end());
        }
        std::size_t printed = 0;
        for (const Words& variant : variants) {
            const bool ofRuns = std::ranges::find(variant, "RUN") != variant.end();
            for (std::size_t run = 0; run < (ofRuns ? m_made.runs.size() : 1); ++run)
                for (const bool json : {false, true}) {
                    if (json && !one.hasJson()) continue;
                    Words words = replaced(variant, run);
                    words.insert(words.begin(), one.name());
                    if (json) words.emplace_back("--json");
                    const auto outcome = m_bench->run(words);
                    printed += outcome.out.size() + outcome.err.size();
                    evaluate(words, outcome);
                    if (QTest::currentTestFailed()) return;
                }
        }
        QVERIFY(printed > 0);
    }

    // The texts arrive: what is tamed was there.
    void whatIsTamedIsShown() {
        const auto list = m_bench->run({"runs", "--all"});
        QCOMPARE(list.code, 0);
        for (const char* mark : {"<U+001B>]0;owned<U+0007>", "<U+202E>gnp.exe", "<U+009B>31mC1"})
            QVERIFY2(list.out.find(mark) != std::string::npos, list.out.c_str());
        const auto shown = m_bench->run({"show", m_made.runs[1].value});
        QVERIFY2(shown.out.find("<U+001B>[2J") != std::string::npos, shown.out.c_str());
        const auto stopped = m_bench->run({"stop", m_made.runs[0].value});
        QVERIFY2((stopped.out + stopped.err).find("the log says: ") != std::string::npos, stopped.err.c_str());
        const auto json = parseJson(m_bench->run({"show", m_made.runs[1].value, "--json"}).out, "show");
        QVERIFY(json);
        QCOMPARE(json->at("name").get<std::string>(),
                 hostileTexts("/nowhere/picture.png")[1]);  // programs get it as it is
    }

    void namesAreShortened() {
        const auto json = parseJson(m_bench->run({"show", m_made.runs[7].value, "--json"}).out, "show");
        QVERIFY(json);
        const std::string name = json->at("name").get<std::string>();
        QCOMPARE(QString::fromStdString(name).size(), 200);
        QVERIFY(name.ends_with("…"));
    }

    void longAndBrokenNamesAreRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        const QString longer(201, 'x');
        QTest::newRow("tag") << QStringList{"tag", "RUN", longer};
        QTest::newRow("import") << QStringList{"import", "LOG", "--name", longer};
        QTest::newRow("config") << QStringList{"launch", "CONFIG", "--set", "name=" + longer};
    }
    void longAndBrokenNamesAreRefused() {
        QFETCH(QStringList, arguments);
        Words words;
        for (const QString& word : arguments) words.push_back(word.toStdString());
        const auto outcome = m_bench->run(replaced(words, 1));
        QVERIFY(outcome.code != 0);
        QVERIFY2(outcome.err.find("has 201 characters; shorten it to 200.") != std::string::npos, outcome.err.c_str());
    }
};

SLIPWAY_TEST(TstHostileRuns)
#include "tst_hostile_runs.moc"
