// YAML, TOML and shell text, out and in, and random bytes into every reader.
#include "core/base/quoted.h"
#include "core/interop/formats.h"
#include "core/interop/log_reader.h"
#include "core/interop/text_formats.h"
#include "core/interop/tf_events.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <random>

namespace slipway::interop {

namespace {

Json values() {
    return {{"text", "plain"},
            {"odd", "it's \"q\" $x # y: z"},
            {"number", "12"},
            {"word", "yes"},
            {"engine", "1f1b"},
            {"empty", ""},
            {"int", -3},
            {"big", 9007199254740991},
            {"real", 0.1},
            {"small", 1e-08},
            {"large", 1.5e+20},
            {"flag", true},
            {"off", false},
            {"list", {1, 2.5, "a b", true}},
            {"nested", {{"deeper", {{"x", 1}}}, {"y", "z/w-1.2"}}}};
}

/// A valid text of each format, from which random ones are made.
std::vector<std::string> seeds() {
    RunConfig config;
    config.model.numKvHeads = 2;
    config.parallel.dp = 2;
    config.model.moe = MoeSpec{};
    config.model.moe->expertFfnHiddenSize = 64;
    std::vector<std::string> texts;
    for (const Format& format : formats()) {
        const auto exported = exportConfig(format.id, config);
        if (!exported) qFatal("%s", exported.error().text().c_str());
        texts.push_back(exported->text);
    }
    texts.push_back(" iteration 1/ 5 | elapsed time per iteration (ms): 5.5 | lm loss: 1.0E+01 | grad norm: 2 |\n");
    texts.push_back("step: 1  loss: 7.2  memory: 4.5GiB(5.6%)  tps: 7,120  mfu: 41.5%\n");
    texts.push_back("[batch=2/3]:\n\t Train loss/train/total: 8.5\n");
    texts.push_back(
        "[Rank 0] step=2, skipped=0, lr=[0.1], mom=[(0.9, 0.95)]\nsteps: 3 loss: 4 iter time (s): 1.2 samples/sec: 10\n");
    texts.push_back("name,tok/s/gpu,dp,num_layers,hidden_size,num_heads\n\"a\",1,2,3,64,4\n");
    texts.push_back(tfRecord(scalarEvent({1, 2, "loss", 3})) + tfRecord(scalarEvent({2, 3, "lr", 0.1})));
    return texts;
}

/// Feeds changed and random bytes to every parser; what it returns must be a value or an error with a code.
void feed(int rounds, unsigned seed) {
    std::mt19937 random(seed);
    const std::vector<std::string> texts = seeds();
    for (int round = 0; round < rounds; ++round) {
        std::string text = texts[random() % texts.size()];
        if (round % 7 == 0) {
            text.resize(random() % 400);
            for (char& c : text) c = static_cast<char>(random());
        } else {
            for (int changes = static_cast<int>(random() % 6); changes >= 0 && !text.empty(); --changes) {
                const std::size_t at = random() % text.size();
                switch (random() % 5) {
                    case 0: text[at] = static_cast<char>(random()); break;
                    case 1: text.erase(at, random() % 20); break;
                    case 2: text.insert(at, text.substr(random() % text.size(), random() % 30)); break;
                    case 3: text.resize(at); break;
                    default:
                        text.insert(at,
                                    std::vector<std::string>{"99999999999999999999", "-1", "1e999", "nan", "[[[[", "{",
                                                             "\"", "${A[@]}", "null", "\\", "*a &a"}[random() % 11]);
                        break;
                }
            }
        }
        for (const Format& format : formats()) {
            const auto imported = importConfig(format.id, text, "fuzz");
            if (!imported) {
                QVERIFY(!imported.error().code.empty() && !imported.error().message.empty());
                continue;
            }
            // What was read is a config: it can be written and read strictly.
            Issues issues;
            (void)runConfigFromJson(slipway::toJson(imported->config), issues);
            QVERIFY2(issues.empty(),
                     issues.empty() ? "" : (std::string(format.id) + issues.front().message + "\n" + text).c_str());
        }
        (void)guessFormat(text);
        for (const char* format : {"megatron", "neox", "deepspeed", "torchtitan", "nanotron", "llm-foundry",
                                   "nanotron-csv", "llm-foundry-csv", "tensorboard", ""}) {
            const auto log = readLog(text, "fuzz", format);
            if (!log) continue;
            for (const LogRun& run : log->runs)
                for (std::size_t i = 1; i < run.steps.size(); ++i) QVERIFY(run.steps[i - 1].step < run.steps[i].step);
        }
    }
}

}  // namespace

class TstInteropFuzz : public QObject {
    Q_OBJECT
private slots:
    void randomBytes_data() {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 2; seed < 12; ++seed) QTest::newRow(std::to_string(seed).c_str()) << seed;
    }
    void randomBytes() {
        QFETCH(unsigned, seed);
        feed(4000, seed);
    }
};

class TstTextFormats : public QObject {
    Q_OBJECT
private slots:
    void yaml() {
        const std::string text = dumpYaml(values());
        const auto back = parseYaml(text, "t");
        QVERIFY2(back, back ? "" : back.error().text().c_str());
        QVERIFY2(*back == values(), text.c_str());
        // PyYAML takes 1e-08 for text.
        QVERIFY2(text.find("small: 1.0e-08\n") != std::string::npos, text.c_str());
        QVERIFY(text.find("engine: \"1f1b\"\n") != std::string::npos);
    }
    void yamlErrors_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("syntax") << QByteArray("a: [1, 2");
        QTest::newRow("twice") << QByteArray("a: 1\na: 2\n");
        QTest::newRow("two documents") << QByteArray("a: 1\n---\nb: 2\n");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("deep") << QByteArray(200, '[') + QByteArray(200, ']');
        QTest::newRow("many aliases") << QByteArray(
            "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
            "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e]\n");
        QByteArray repeated = "a: &a " + QByteArray(1 << 20, 'x') + "\nb: [*a";
        for (int i = 0; i < 20; ++i) repeated += ",*a";
        QTest::newRow("a long text in many places") << repeated + "]\n";
    }
    void yamlErrors() {
        QFETCH(QByteArray, text);
        const auto parsed = parseYaml(text.toStdString(), "file.yaml");
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().code, std::string("yaml_syntax"));
        QVERIFY(parsed.error().where.starts_with("file.yaml"));
    }
    void toml() {
        const std::string text = dumpToml(values());
        const auto back = parseToml(text, "t");
        QVERIFY2(back, back ? "" : (back.error().text() + text).c_str());
        const Json expected = values();
        for (const auto& item : expected.items()) QVERIFY2((*back)[item.key()] == item.value(), item.key().c_str());
        const auto bad = parseToml("[a\nb = 1", "f.toml");
        QVERIFY(!bad);
        QCOMPARE(bad.error().code, std::string("toml_syntax"));
        QVERIFY(bad.error().where.starts_with("f.toml:"));
        // Found by fuzzing: no key behind a bracket, and an assertion of the library.
        QCOMPARE(parseToml("[(0.9, 0.95]\n", "f.toml").error().code, std::string("toml_syntax"));
    }
    void tomlDepth_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");  // 0: read
        const auto dotted = [](int levels) { return QByteArray("a.").repeated(levels - 1) + "a"; };
        QTest::newRow("64 in a key") << dotted(64) + " = 1" << 0;
        QTest::newRow("20,000 in a key") << "x = 1\n" + dotted(20000) + " = 1" << 2;
        QTest::newRow("20,000 in a header") << "[" + dotted(20000) + "]\nx = 1" << 1;
        QTest::newRow("20,000 in a header of an array") << "[[" + dotted(20000) + "]]\nx = 1" << 1;
        QTest::newRow("header with a key") << "[" + dotted(40) + "]\n" + dotted(40) + " = 1" << 2;
        QTest::newRow("quoted") << QByteArray("\"a.b\".'c.d'.").repeated(10000) + "a = 1" << 1;
        QTest::newRow("inline tables") << "a = " + QByteArray("{a = ").repeated(100) + "1" + QByteArray(100, '}') << 1;
        QTest::newRow("keys in inline tables") << "a = {b = 1, " + dotted(40) + " = {" + dotted(40) + " = 1}}" << 1;
        QTest::newRow("arrays") << "a = " + QByteArray(100, '[') + QByteArray(100, ']') << 1;
        QTest::newRow("many side by side")
            << (dotted(30) + "0 = 'x.y.z'\n[b." + dotted(30) + "]\nn = [1.5, 2.5, 3.5] # a.b.c\n") << 0;
        QTest::newRow("dots in values") << "a = [" + QByteArray("1.5, ").repeated(500) +
                                               "\n'a.b', \"c.d\\\".e\"]\nb = 1.5"
                                        << 0;
        QTest::newRow("dots in long texts")
            << "a = \"\"\"" + QByteArray("x.\n").repeated(200) + "\"\"\"\n" + "b." + dotted(65) + " = 1" << 202;
    }
    void tomlDepth() {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        const auto read = parseToml(text.toStdString(), "f.toml");
        if (line == 0) {
            QVERIFY2(read, read ? "" : read.error().text().c_str());
            return;
        }
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("toml_syntax"));
        QCOMPARE(read.error().where, "f.toml:" + std::to_string(line));
        QVERIFY(read.error().message.find("64 levels") != std::string::npos);
    }
    void shell() {
        const ShellScript script = readShell(
            "#!/bin/bash\n#SBATCH --nodes=4 --job-name \"a b\"\nexport GPUS=8  # per node\nEXTRA=\"--swiglu --bf16\"\n"
            "ARGS=(\n  --num-layers 32\n  --name 'it is'   # a comment\n)\n"
            "torchrun --nproc-per-node $GPUS --nnodes ${NODES:-2} \\\n  train.py \"${ARGS[@]}\" $EXTRA --lr \"1e-4\" --dir $HOME && echo done\n");
        QCOMPARE(script.sbatch.size(), std::size_t{1});
        QCOMPARE(script.sbatch[0].back(), std::string("a b"));
        QCOMPARE(script.commands.size(), std::size_t{2});
        const Words expected = {
            "torchrun", "--nproc-per-node", "8",      "--nnodes", "2",    "train.py", "--num-layers", "32", "--name",
            "it is",    "--swiglu",         "--bf16", "--lr",     "1e-4", "--dir",    "$HOME"};
        QVERIFY(script.commands[0] == expected);
        const Json options = optionsFrom(script.commands[0]);
        QVERIFY(options["swiglu"] == true && options["lr"] == "1e-4" && options["name"] == "it is");
        const Json more = optionsFrom({"x", "--a_b=3", "--window", "128", "0", "--neg", "-1"});
        QVERIFY(more["a-b"] == "3" && more["window"].size() == 2 && more["neg"] == "-1");
        for (const char* word : {"plain", "it's", "", "a b", "$x", "(1,2)", "\"q\"", "back\\slash"}) {
            const ShellScript back = readShell("cmd " + shellQuoted(word) + " end\n");
            QCOMPARE(back.commands.at(0).size(), std::size_t{3});
            QCOMPARE(back.commands[0][1], std::string(word));
        }
    }
    void randomBytes() { feed(150, 1); }
};

SLIPWAY_TEST(TstTextFormats)
SLIPWAY_TEST_FULL(TstInteropFuzz)

}  // namespace slipway::interop

#include "tst_text_formats.moc"
