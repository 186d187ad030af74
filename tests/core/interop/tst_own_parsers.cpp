// What we write, read by the programs it is written for: bash, Python's tomllib and PyYAML, transformers, DeepSpeed, OmegaConf.
// Each is asked only where it is installed; nothing is installed for it.
#include "core/base/file.h"
#include "core/interop/formats.h"
#include "core/interop/text_formats.h"
#include "core/planner/count/parameters.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

#include <QProcess>

namespace slipway::interop {

namespace {

struct Ran {
    int code = -1;
    std::string out, err;
};

Ran ran(const QString& program, const QStringList& arguments, const std::filesystem::path& folder) {
    QProcess process;
    process.setWorkingDirectory(QString::fromStdString(folder.string()));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QString::fromStdString(folder.string()) + ":" + environment.value("PATH"));
    environment.insert("HF_HUB_OFFLINE", "1");
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    if (!process.waitForFinished(120000)) return {};
    return {process.exitCode(), process.readAllStandardOutput().toStdString(),
            process.readAllStandardError().toStdString()};
}

bool pythonHas(const char* package) {
    return ran("python3", {"-c", QString("import ") + package}, std::filesystem::temp_directory_path()).code == 0;
}

RunConfig sample(const char* preset) {
    RunConfig config;
    config.model = findModelPreset(preset)->model;
    config.train.seqLen = 2048;
    config.train.precision = Precision::Bf16;
    config.train.globalBatchSize = 64;
    config.optimizer.lr = 1e-5;
    config.parallel.dp = 4;
    config.parallel.tp = 2;
    return config;
}

Exported exported(const char* format, const RunConfig& config) {
    auto result = exportConfig(format, config);
    if (!result) qFatal("%s", result.error().text().c_str());
    return *result;
}

}  // namespace

class TstOwnParsers : public QObject {
    Q_OBJECT
private slots:
    void shell_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("launcher");
        QTest::newRow("torchrun") << "torchrun"
                                  << "torchrun";
        QTest::newRow("deepspeed") << "deepspeed-launcher"
                                   << "deepspeed";
        QTest::newRow("sbatch") << "sbatch"
                                << "srun";
    }
    void shell() {
        // bash runs the script; a launcher of our own writes down the words it was given.
        QFETCH(QString, format);
        QFETCH(QString, launcher);
        test::TempDir temp;
        RunConfig config = sample("deepseek-v2-lite");
        config.model.slidingWindow = 128;
        const std::string text = exported(format.toUtf8().constData(), config).text;
        QVERIFY(writeFileAtomically(temp.path() / "run.sh", text));
        const auto stub = temp.path() / launcher.toStdString();
        QVERIFY(writeFileAtomically(stub, "#!/bin/bash\nprintf '%s\\n' \"$@\"\n"));
        QVERIFY(writeFileAtomically(temp.path() / "scontrol", "#!/bin/bash\necho node1\n"));
        for (const auto& path : {stub, temp.path() / "scontrol"})
            std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        const Ran result = ran("bash", {"-c", "SLURM_JOB_NODELIST=n SLURM_JOB_ID=1 bash run.sh"}, temp.path());
        QVERIFY2(result.code == 0, result.err.c_str());
        Words words;
        for (const QString& line : QString::fromStdString(result.out).split('\n', Qt::SkipEmptyParts))
            words.push_back(line.toStdString());
        const auto program = std::find(words.begin(), words.end(), "pretrain_gpt.py");
        QVERIFY(program != words.end());
        const Json theirs = optionsFrom(Words(program, words.end()));
        for (const Words& command : readShell(text).commands) {
            const auto at = std::find(command.begin(), command.end(), "pretrain_gpt.py");
            if (at != command.end()) QVERIFY(optionsFrom(Words(at, command.end())) == theirs);
        }
        QVERIFY(theirs.contains("num-layers") && theirs["window-size"] == "(128,0)");
    }
    void toml() {
        if (!pythonHas("tomllib")) QSKIP("python3 has no tomllib (it comes with Python 3.11)");
        test::TempDir temp;
        const std::string text = exported("torchtitan", sample("llama3-8b")).text;
        QVERIFY(writeFileAtomically(temp.path() / "a.toml", text));
        const Ran result =
            ran("python3", {"-c", "import tomllib, json; print(json.dumps(tomllib.load(open('a.toml', 'rb'))))"},
                temp.path());
        QVERIFY2(result.code == 0, result.err.c_str());
        QVERIFY(Json::parse(result.out)["optimizer"]["lr"] == 1e-5);
        QVERIFY(nlohmann::json::parse(result.out) == nlohmann::json::parse(dumpJson(*parseToml(text, "a"), false)));
    }
    void yaml_data() {
        QTest::addColumn<QString>("format");
        for (const char* format : {"nanotron", "neox", "olmo"}) QTest::newRow(format) << QString(format);
    }
    void yaml() {
        QFETCH(QString, format);
        if (!pythonHas("yaml")) QSKIP("python3 has no PyYAML (Debian: python3-yaml)");
        test::TempDir temp;
        const std::string text = exported(format.toUtf8().constData(), sample("llama3-8b")).text;
        QVERIFY(writeFileAtomically(temp.path() / "a.yaml", text));
        const Ran result =
            ran("python3", {"-c", "import yaml, json; print(json.dumps(yaml.safe_load(open('a.yaml'))))"}, temp.path());
        QVERIFY2(result.code == 0, result.err.c_str());
        QVERIFY2(nlohmann::json::parse(result.out) == nlohmann::json::parse(dumpJson(*parseYaml(text, "a"), false)),
                 result.out.c_str());
    }
    void transformers_data() {
        QTest::addColumn<QString>("preset");
        for (const char* preset : {"gpt2-124m", "llama3-8b", "mistral-7b", "mixtral-8x7b", "qwen2.5-7b", "qwen3-8b",
                                   "qwen3-30b-a3b", "pythia-1.4b", "starcoder2-3b"})
            QTest::newRow(preset) << QString(preset);
    }
    void transformers() {
        QFETCH(QString, preset);
        if (!pythonHas("transformers"))
            QSKIP("python3 has no transformers (200 MB with what it needs; the test set-up does not install it)");
        test::TempDir temp;
        const RunConfig config = sample(preset.toUtf8().constData());
        QVERIFY(writeFileAtomically(temp.path() / "config.json", exported("huggingface", config).text));
        const Ran result = ran(
            "python3",
            {"-c",
             "from transformers import AutoConfig; c = AutoConfig.from_pretrained('.'); print(c.num_hidden_layers, c.hidden_size, c.vocab_size, c.num_attention_heads)"},
            temp.path());
        QVERIFY2(result.code == 0, result.err.c_str());
        const ModelSpec& m = config.model;
        QCOMPARE(QString::fromStdString(result.out).trimmed(),
                 QString("%1 %2 %3 %4").arg(m.numLayers).arg(m.hiddenSize).arg(m.vocabSize).arg(m.numHeads));
    }
    void deepSpeed() {
        if (!pythonHas("deepspeed"))
            QSKIP("python3 has no deepspeed (it needs torch; the test set-up does not install it)");
        test::TempDir temp;
        QVERIFY(writeFileAtomically(temp.path() / "ds.json", exported("deepspeed", sample("llama3-8b")).text));
        const Ran result = ran(
            "python3",
            {"-c",
             "from deepspeed.runtime.zero.config import DeepSpeedZeroConfig as Z; import json; print(Z(**json.load(open('ds.json'))['zero_optimization']).stage)"},
            temp.path());
        QVERIFY2(result.code == 0, result.err.c_str());
        QCOMPARE(QString::fromStdString(result.out).trimmed(), QString("0"));
    }
    void omegaConf() {
        if (!pythonHas("omegaconf"))
            QSKIP("python3 has no omegaconf (OLMo's parser; the test set-up does not install it)");
        test::TempDir temp;
        QVERIFY(writeFileAtomically(temp.path() / "a.yaml", exported("olmo", sample("llama3-8b")).text));
        const Ran result =
            ran("python3", {"-c", "from omegaconf import OmegaConf; print(OmegaConf.load('a.yaml').model.d_model)"},
                temp.path());
        QVERIFY2(result.code == 0, result.err.c_str());
        QCOMPARE(QString::fromStdString(result.out).trimmed(), QString("4096"));
    }
};

SLIPWAY_TEST_FULL(TstOwnParsers)

}  // namespace slipway::interop

#include "tst_own_parsers.moc"
