// What we write, read by the programs it is written for: bash, Python's tomllib and PyYAML, transformers, torchtitan,
// DeepSpeed, OmegaConf, OLMo-core. `./test --full` fetches the Python packages (packaging/setup/parsers.txt); elsewhere
// each is asked where it is installed.
// Not asked: nanotron, whose last package (0.4, 2024) is older than its format of today; Megatron-LM's arguments, whose
// parser is not in its package (megatron-core), and GPT-NeoX, which has none.
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
    // Found, not imported: some import PyTorch at once.
    const QString found = QString("import sys, importlib.util as u; sys.exit(u.find_spec('%1') is None)").arg(package);
    return ran("python3", {"-c", found}, std::filesystem::temp_directory_path()).code == 0;
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
        if (!pythonHas("transformers")) QSKIP("python3 has no transformers");
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
    void config_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("package");
        QTest::addColumn<QStringList>("changes");
        const auto rows = [](const char* format, const char* package, std::initializer_list<const char*> variants) {
            for (const char* changes : variants)
                QTest::addRow("%s %s", format, changes)
                    << QString(format) << QString(package) << QString(changes).split(' ', Qt::SkipEmptyParts);
        };
        rows("torchtitan", "torchtitan",
             {"", "parallel.zero_stage=3 parallel.dp_shard=2 parallel.reshard_after_forward=false",
              "parallel.cp=2 parallel.cp_kind=all_gather train.recompute.policy=full",
              "parallel.pp=4 parallel.virtual_stages=2 parallel.schedule=interleaved_1f1b",
              "parallel.pp=4 parallel.virtual_stages=2 parallel.schedule=zb_v train.recompute.policy=selective",
              "parallel.pp=2 parallel.schedule=afab parallel.reduce_dtype=bf16",
              "parallel.sequence_parallel=true parallel.async_tp=true",
              "parallel.zero_stage=1 parallel.offload=optimizer",
              "checkpoint.every_steps=50 optimizer.schedule.kind=wsd optimizer.schedule.decay_steps=20 "
              "optimizer.schedule.decay_shape=one_minus_sqrt"});
        rows("deepspeed", "deepspeed",
             {"", "parallel.zero_stage=1 parallel.bucket_bytes=52428800", "parallel.zero_stage=2",
              "parallel.zero_stage=3", "parallel.zero_stage=2 parallel.offload=optimizer"});
        rows("olmo", "omegaconf", {"", "parallel.zero_stage=3 parallel.tp=1"});
        rows("olmo-core", "olmo_core",
             {"", "parallel.zero_stage=0", "parallel.zero_stage=3 parallel.dp_shard=2", "parallel.cp=2",
              "parallel.cp=2 parallel.cp_kind=ulysses train.recompute.policy=full",
              "parallel.pp=4 parallel.virtual_stages=2 parallel.schedule=interleaved_1f1b",
              "model.qk_norm=true model.head_dim=256 model.tie_embeddings=true train.recompute.policy=selective",
              "optimizer.schedule.kind=constant", "optimizer.schedule.kind=wsd optimizer.schedule.decay_steps=20"});
    }
    void config() {
        QFETCH(QString, format);
        QFETCH(QString, package);
        QFETCH(QStringList, changes);
        if (!pythonHas(package.toUtf8().constData())) QSKIP("python3 does not have this package");
        Json document = slipway::toJson(sample("llama3-8b"));
        for (const QString& change : changes)
            QVERIFY(setField(document, change.section('=', 0, 0).toStdString(), change.section('=', 1).toStdString()));
        const auto config = parseRunConfig(document, "sample");
        QVERIFY2(config, config ? "" : config.error().text().c_str());
        test::TempDir temp;
        const std::string text = exported(format.toUtf8().constData(), *config).text;
        QVERIFY(writeFileAtomically(temp.path() / "exported", text));
        const Ran result =
            ran("python3", {SLIPWAY_SOURCE_DIR "/tests/data/interop/own_parsers.py", package, "exported"}, temp.path());
        QVERIFY2(result.code == 0, result.err.c_str());
        const auto theirs = nlohmann::json::parse(result.out);
        nlohmann::json ours;
        if (format == "torchtitan") ours = nlohmann::json::parse(dumpJson(*parseToml(text, "a"), false));
        if (format == "deepspeed") ours = nlohmann::json::parse(text)["zero_optimization"];
        if (format == "olmo") ours = nlohmann::json::parse(dumpJson(*parseYaml(text, "a"), false));
        if (format == "olmo-core") {
            const auto whole = nlohmann::json::parse(text);
            ours = {{"model", whole["model"]}, {"train_module", whole["train_module"]}};
            // Its own count of the parameters of what it read.
            QCOMPARE(theirs["num_params"].get<double>(), countParameters(config->model).total);
        }
        // Each word and figure we wrote, as the parser understood it; it adds its defaults.
        const nlohmann::json leaves = ours.flatten();
        QVERIFY(leaves.size() >= 4);
        for (const auto& [path, value] : leaves.items()) {
            if (value.is_null()) continue;  // left to its default, or an object without keys
            const nlohmann::json::json_pointer at(path);
            QVERIFY2(theirs.contains(at), path.c_str());
            QVERIFY2(theirs[at] == value, (path + " " + value.dump() + " " + theirs[at].dump()).c_str());
        }
    }
};

SLIPWAY_TEST_FULL(TstOwnParsers)

}  // namespace slipway::interop

#include "tst_own_parsers.moc"
