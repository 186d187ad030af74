// What an export carries beside the weights, and what transformers' own parsers read of it.
#include "core/base/file.h"
#include "core/spec/huggingface_support.h"
#include "tests/trainer/checkpoint/huggingface_folders.h"
#include "trainer/checkpoint/export_tokenizer.h"

#include <ATen/ops/full.h>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <QProcess>

using namespace slipway;
using namespace slipway::test;

namespace {

/// A home with a run and one token file, whose tokenizer is named by `hash`.
struct Written {
    TempDir temp;
    std::filesystem::path run = temp.path() / "runs" / "r", checkpoint = run / "checkpoints" / "step_00000001";

    explicit Written(const std::string& hash = "abc") {
        std::filesystem::create_directories(checkpoint);
        std::filesystem::create_directories(temp.path() / "corpora");
        const std::vector<std::uint32_t> tokens{1, 2, 3};
        if (!writeTokenFile(temp.path() / "corpora/t.tok", tokens, 64, hash) ||
            !writeFileAtomically(temp.path() / "corpora/t.model", "a sentencepiece model"))
            throw std::runtime_error("the token file cannot be written");
        startFrom("");
    }
    void startFrom(const std::string& folder) {
        if (!writeJsonFile(RunDir{run}.config(), Json{{"checkpoint", {{"start_from", folder}}}}))
            throw std::runtime_error("the config cannot be written");
    }
    [[nodiscard]] ExportTokenizer find(const Json& data) const {
        Manifest manifest;
        manifest.data = dumpJson(data, false);
        return findTokenizer(checkpoint, manifest);
    }
};

Json trainedOn(const std::string& hash, const Json& end = nullptr) {
    return {{"tokens", "t.tok"}, {"document_end_id", end}, {"token_file", {{"tokenizer_sha256", hash}}}};
}

}  // namespace

Json idsOf(const ExportTokenizer& tokenizer) {
    return *parseJson(tokenizer.specialIds, "special ids");
}

class TstExportTokenizer : public QObject {
    Q_OBJECT
private slots:
    void besideTheTokens() {
        const Written written;
        const ExportTokenizer found = written.find(trainedOn("abc"));
        QVERIFY2(found.note.empty(), found.note.c_str());
        QVERIFY(idsOf(found) == (Json{{"bos_token_id", nullptr}, {"eos_token_id", 1}}));
        QVERIFY(idsOf(written.find(trainedOn("abc", 7))).at("eos_token_id") == 7);
        const TempDir out;
        const auto names = writeTokenizer(found, out.path());
        QVERIFY(names);
        QVERIFY(*names ==
                (std::vector<std::string>{"tokenizer.model", "tokenizer_config.json", "generation_config.json"}));
        QCOMPARE(*readFile(out.path() / "tokenizer.model"), std::string("a sentencepiece model"));
        QVERIFY(*readJsonFile(out.path() / "generation_config.json") == idsOf(found));
        QVERIFY(readJsonFile(out.path() / "tokenizer_config.json")->at("add_prefix_space") == false);
    }

    // A file of the same name with other ids in it would make another language of the model.
    void anotherTokenizerIsNotTaken() {
        const Written written("other");
        const ExportTokenizer found = written.find(trainedOn("abc"));
        QVERIFY(found.files.empty() && found.note.find("another tokenizer") != std::string::npos);
        QVERIFY(idsOf(found).at("eos_token_id").is_null());
        const ExportTokenizer none = written.find(Json::object());
        QVERIFY(none.files.empty() && !none.note.empty());
    }

    void ofTheFolderItStartedFrom() {
        Written written;
        const TempDir base;
        for (const char* name : {"model.safetensors", "tokenizer.json", "special_tokens_map.json", "other.txt"})
            QVERIFY(writeFileAtomically(base.path() / name, name));
        QVERIFY(writeJsonFile(base.path() / "config.json", Json{{"eos_token_id", {5, 6}}, {"bos_token_id", 4}}));
        QVERIFY(writeJsonFile(base.path() / "generation_config.json", Json{{"temperature", 0.6}}));
        written.startFrom(base.path().string());
        const ExportTokenizer found = written.find(trainedOn("abc"));
        QVERIFY(idsOf(found) == (Json{{"bos_token_id", 4}, {"eos_token_id", {5, 6}}}));
        const TempDir out;
        const auto names = writeTokenizer(found, out.path());
        QVERIFY(names);
        QVERIFY(*names ==
                (std::vector<std::string>{"tokenizer.json", "special_tokens_map.json", "generation_config.json"}));
        QVERIFY(readJsonFile(out.path() / "generation_config.json")->at("temperature") == 0.6);
    }

    // Nothing is written that transformers has no code for.
    void remoteCodeIsRefused() {
        ModelSpec model = configOf(kData / "mixtral").model;
        model.ffnHiddenSize += 8;  // no layer has it: the experts' own size is mixtral's
        QVERIFY(checkExportable(model));
        model.moe->numSharedExperts = 1;
        const auto refused = checkExportable(model);
        QVERIFY(!refused && refused.error().message.find("not part of transformers") != std::string::npos);
        QVERIFY(checkHuggingFaceModel(model));  // published weights of this type are read
        model.qkvBias = true;
        QVERIFY2(checkExportable(model), "qwen2_moe");
        model = configOf(kData / "deepseek_v2").model;
        QVERIFY(checkExportable(model));
        model.normEps = ModelSpec{}.normEps;
        QVERIFY(!checkExportable(model));
    }

    // transformers' own parsers, where they are installed: every exported model type is one of theirs, with our sizes
    // and ids.
    void transformersReadsExports() {
        QProcess probe;
        probe.start("python3", {"-c", "import transformers"});
        if (!probe.waitForStarted() || !probe.waitForFinished(120000) || probe.exitCode() != 0)
            QSKIP("python3 cannot import transformers here");
        const TempDir temp;
        QStringList folders;
        for (const char* name : {"llama", "qwen2", "qwen3", "mistral", "mixtral", "gpt2", "deepseek_v2", "deepseek_v3",
                                 "qwen2_moe", "glm4_moe", "qwen3_yarn", "llama_scaled"}) {
            const auto run = temp.path() / name;
            static_cast<void>(compute(configOf(kData / name), at::full({2, 7}, 1, at::kLong), run));
            const auto report = exportHuggingFace(RunDir{run}.checkpoint(1), run / "export", {});
            QVERIFY2(report, report ? "" : report.error().text().c_str());
            folders << QString::fromStdString((run / "export").string());
        }
        QProcess python;
        python.start("python3", QStringList{"-c", R"(
import sys, json
from transformers import AutoConfig, GenerationConfig
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as known
for folder in sys.argv[1:]:
    ours = json.load(open(folder + "/config.json"))
    theirs = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    assert known[theirs.model_type] == ours["architectures"][0], (folder, theirs.model_type)
    for key in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads"):
        assert key not in ours or getattr(theirs, key) == ours[key], (folder, key)
    assert theirs.eos_token_id is None and theirs.bos_token_id is None, (folder, theirs.eos_token_id)
    assert GenerationConfig.from_pretrained(folder).eos_token_id is None, folder
)"} + folders);
        QVERIFY(python.waitForFinished(300000));
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
    }
};
SLIPWAY_TEST(TstExportTokenizer)
#include "tst_export_tokenizer.moc"
