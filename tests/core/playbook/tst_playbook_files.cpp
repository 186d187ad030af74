// Files of a stranger: every problem is listed with file and place, nothing is half read.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/playbook/playbook.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

namespace slipway::test {

namespace {

namespace fs = std::filesystem;

/// A copy of the shipped playbook to spoil.
struct Copy {
    TempDir temp;
    fs::path root = temp.path() / "playbook";

    Copy() { fs::copy(SLIPWAY_SOURCE_DIR "/experiments/playbook", root, fs::copy_options::recursive); }

    void change(const std::string& file, const std::function<void(Json&)>& change) const {
        Json json = *readJsonFile(root / file);
        change(json);
        (void)writeJsonFile(root / file, json);
    }
    [[nodiscard]] QString problems() const {
        const auto playbook = readPlaybook(root);
        return playbook ? QString() : QString::fromStdString(playbook.error().message);
    }
};

const char* const kChapter = "chapters/02_how_big.json";

}  // namespace

class TstPlaybookFiles : public QObject {
    Q_OBJECT

private slots:
    void readsACopy() {
        const Copy copy;
        QCOMPARE(copy.problems(), QString());
    }
    /// A chapter and an experiment of a stranger are two files: no line of C++.
    void aStrangerAddsAChapter() {
        const Copy copy;
        Json chapter = *readJsonFile(copy.root / "chapters/17_method.json");
        chapter["id"] = "vocabulary";
        chapter["number"] = 19;
        chapter["experiments"] = {"V1"};
        QVERIFY(writeJsonFile(copy.root / "chapters/19_vocabulary.json", chapter).has_value());
        Json experiment = *readJsonFile(copy.root / "experiments/L9.json");
        experiment["id"] = "V1";
        experiment["chapter"] = "vocabulary";
        QVERIFY(writeJsonFile(copy.root / "experiments/V1.json", experiment).has_value());
        QCOMPARE(copy.problems(), QString());
        const auto playbook = readPlaybook(copy.root);
        QCOMPARE(playbook->chapter("19")->experiments.front(), std::string("V1"));
        QCOMPARE(playbook->experiments.back().id, std::string("V1"));  // after the shipped ones
        QCOMPARE(playbook->experiment("V1")->claims.front().side, ClaimSide::Above);
    }
    void aDamagedFileIsLeftOutForReaders() {
        const Copy copy;
        QVERIFY(writeFileAtomically(copy.root / "experiments/L6.json", "{ cut off").has_value());
        copy.change(kChapter, [](Json& c) { c.erase("title"); });
        std::vector<Message> problems;
        const auto playbook = readSoundPlaybook(copy.root, problems);
        QVERIFY(playbook.has_value());
        QCOMPARE(playbook->chapters.size(), std::size_t(17));
        QVERIFY(playbook->experiment("L6") == nullptr && playbook->experiment("K3") != nullptr);
        QCOMPARE(playbook->chapter("pipelines")->experiments, std::vector<std::string>{"K3"});
        QString all;
        for (const Message& problem : problems) all += QString::fromStdString(textOf(problem)) + '\n';
        QVERIFY2(all.contains("L6.json") && all.contains(kChapter), qPrintable(all));
        QVERIFY(!readPlaybook(copy.root).has_value());
    }
    void listsAllProblems() {
        const Copy copy;
        copy.change(kChapter, [](Json& c) {
            c["titel"] = c["title"];
            c.erase("title");
            c["question"] = "How big?";
            c["checks"][0]["model"] = "training_comput";
            c["checks"][1]["output"] = "flops";
            c["checks"][2]["inputs"]["paramters"] = 1;
            c["checks"][3]["tolerance"] = "about";
            c["traps"][1]["rule"] = "length_mismatsh";
            c["figures"][1]["sliders"][0]["field"] = "model.num_layer";
            c["experiments"].push_back("P9");
        });
        const QString text = copy.problems();
        for (const char* wanted :
             {"chapters/02_how_big.json/title: is missing", "/titel: unknown key; did you mean title",
              "/question: must be a text in two",
              "/checks/0/model: there is no figure model training_comput; did you mean training_compute",
              "/checks/1/output: the figure model training_compute has no output flops",
              "/checks/2/inputs: training_compute has no input paramters; did you mean parameters",
              "/checks/3/tolerance: must be \"exact\"",
              "/traps/1/rule: there is no lint rule length_mismatsh; did you mean length_mismatch",
              "/field: there is no field model.num_layer; did you mean model.num_layers", "there is no experiment P9"})
            QVERIFY2(text.contains(wanted), qPrintable(QString("%1\nin\n%2").arg(wanted, text)));
    }
    void refusesLongIdeas() {
        const Copy copy;
        copy.change(kChapter, [](Json& c) {
            std::string words;
            for (int i = 0; i < 201; ++i) words += "word ";
            c["idea"]["en"] = words;
        });
        QVERIFY2(copy.problems().contains("has 201 words; it may have 200"), qPrintable(copy.problems()));
    }
    void refusesOneLanguage() {
        const Copy copy;
        copy.change(kChapter, [](Json& c) { c["idea"].erase("ko"); });
        QVERIFY2(copy.problems().contains("/idea: must be a text in two languages"), qPrintable(copy.problems()));
    }
    void tablesAreWhole() {
        Copy copy;
        copy.change("chapters/12_finding_layout.json", [](Json& c) {
            c["tables"][0]["rows"][0]["cells"].erase(c["tables"][0]["rows"][0]["cells"].begin());
        });
        QVERIFY2(copy.problems().contains("has a row of 4 cells for 5 columns"), qPrintable(copy.problems()));
    }
    void exercisesAreWhole() {
        const Copy copy;
        copy.change("chapters/18_exercises.json", [](Json& c) {
            c["exercises"][0]["editions"] = Json::array();
            c["exercises"][1]["editions"][0]["steps"][0]["figure"]["output"] = "tokens";
            c["exercises"][2]["editions"][0].erase("verdict");
        });
        const QString text = copy.problems();
        for (const char* wanted : {"/exercises/0/editions: needs at least one edition",
                                   "/exercises/1/editions/0/steps/0/figure/output: the figure model pod_limits has no",
                                   "/exercises/2/editions/0/verdict: is missing"})
            QVERIFY2(text.contains(wanted), qPrintable(QString("%1\nin\n%2").arg(wanted, text)));
    }
    void slidersAndEditsAreOfTheirModel() {
        const Copy copy;
        copy.change("chapters/09_tensor_parallel.json", [](Json& c) {
            c["figures"][0]["edits"] = {"a", "c"};
            c["figures"][2]["sliders"][2]["plan"] = "peak_flop";
        });
        const QString text = copy.problems();
        for (const char* wanted :
             {"matrix_game has no input c", "a plan has no figure peak_flop; did you mean peak_flops"})
            QVERIFY2(text.contains(wanted), qPrintable(QString("%1\nin\n%2").arg(wanted, text)));
    }
    void missesWords() {
        const Copy copy;
        copy.change("words.json", [](Json& words) { words.erase("bubble_share"); });
        QVERIFY2(copy.problems().contains("no label for bubble_share"), qPrintable(copy.problems()));
    }
    void namesAFileThatIsNoJson() {
        const Copy copy;
        QVERIFY(writeFileAtomically(copy.root / "experiments/L1.json", "{").has_value());
        QVERIFY2(copy.problems().contains("L1.json"), qPrintable(copy.problems()));
    }
    void refusesTheSameIdTwice() {
        const Copy copy;
        fs::copy(copy.root / kChapter, copy.root / "chapters/99_again.json");
        QVERIFY2(copy.problems().contains("how_big is used twice"), qPrintable(copy.problems()));
    }
    void missesTheFolder() {
        const auto playbook = readPlaybook("/nowhere");
        QVERIFY(!playbook && playbook.error().code == "folder_missing");
    }
};

}  // namespace slipway::test

using slipway::test::TstPlaybookFiles;
SLIPWAY_TEST(TstPlaybookFiles)

#include "tst_playbook_files.moc"
