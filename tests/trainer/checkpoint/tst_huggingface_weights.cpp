// Weights as transformers keeps them: golden tensors that plain PyTorch computed (tests/data/huggingface/golden.py),
// layouts, exports.
#include "core/base/file.h"
#include "tests/trainer/checkpoint/huggingface_folders.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

#include <QProcess>

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

// Our gradient as it would stand in their file.
at::Tensor theirGradient(const ModelSpec& model, const Computed& computed, const std::string& theirs) {
    std::map<std::int64_t, at::Tensor> parts;
    bool isTransposed = false;
    for (const auto& [name, gradient] : computed.gradients) {
        const HuggingFacePlace place = huggingFacePlace(model, name);
        if (place.name != theirs) continue;
        // Theirs is ours times the scale, so their gradient is ours divided by it.
        HuggingFacePlace rows = place;
        rows.scale = 1 / place.scale;
        parts[place.part] = toTheirRows(rows, gradient);
        isTransposed = place.isTransposed;
    }
    std::vector<at::Tensor> rows;
    for (const auto& [part, gradient] : parts) rows.push_back(gradient);
    if (rows.empty()) throw std::runtime_error("no gradient for " + theirs);
    const at::Tensor whole = at::cat(rows);
    return isTransposed ? whole.t() : whole;
}

double relative(const at::Tensor& found, const at::Tensor& expected) {
    return (found - expected).to(at::kDouble).norm().item<double>() /
           std::fmax(1e-6, expected.to(at::kDouble).norm().item<double>());
}

void addModels() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama", "qwen2", "qwen3", "mistral", "mixtral", "gpt2", "deepseek_v2",
                             "deepseek_v2_dense", "deepseek_v2_groups", "deepseek_v3", "qwen2_moe", "glm4_moe",
                             "llama_scaled", "qwen3_yarn", "deepseek_v3_yarn", "glm4_moe_half"})
        QTest::newRow(name) << name;
}

/// The weights that the config starts from are not taken, and the reason says so.
void refusedWith(const RunConfig& config, const QString& word) {
    QString reason = "they were loaded";
    try {
        compute(config, at::full({2, 7}, 1, at::kLong));
    } catch (const std::exception& caught) {
        reason = caught.what();
    }
    QVERIFY2(reason.contains(word), qPrintable(reason));
}

/// A folder in which some tensors of another are changed, left out (undefined) or added.
void changeTensors(const std::filesystem::path& from, const std::filesystem::path& to,
                   const std::map<std::string, at::Tensor>& changes) {
    const auto read = SafetensorsFile::open(from / "model.safetensors");
    if (!read) throw std::runtime_error(read.error().text());
    std::vector<NamedTensor> tensors;
    for (const std::string& name : read->names())
        if (!changes.contains(name)) tensors.push_back({name, goldenTensor(*read, name)});
    for (const auto& [name, tensor] : changes)
        if (tensor.defined()) tensors.push_back({name, tensor});
    std::filesystem::remove(to / "model.safetensors");
    if (!writeSafetensors(to / "model.safetensors", tensors, {})) throw std::runtime_error("not written");
    std::filesystem::copy_file(from / "config.json", to / "config.json",
                               std::filesystem::copy_options::overwrite_existing);
}

}  // namespace

class TstHuggingfaceWeights : public QObject {
    Q_OBJECT
private slots:
    void golden_data() {
        addModels();
        QTest::newRow("deepseek_v3_fp8") << "deepseek_v3_fp8";
    }
    // Loss, logits and every gradient, in fp64 and in fp32 (bound: some eighty times its rounding).
    void golden() {
        QFETCH(QString, name);
        const auto folder = kData / name.toStdString();
        const auto file = SafetensorsFile::open(folder / "golden.safetensors");
        QVERIFY(file.has_value());
        const at::Tensor ids = goldenTensor(*file, "input_ids");
        const double loss = goldenTensor(*file, "loss").item<double>();
        for (const auto& [precision, bound] : {std::pair{Precision::Fp64, 1e-12}, {Precision::Fp32, 1e-5}}) {
            const RunConfig config = configOf(folder, precision);
            QVERIFY(validate(config).empty());
            const Computed computed = compute(config, ids);
            QVERIFY2(std::fabs(computed.loss / loss - 1) < bound, std::to_string(computed.loss / loss - 1).c_str());
            const double logits = relative(computed.logits, goldenTensor(*file, "logits"));
            QVERIFY2(logits < bound, std::to_string(logits).c_str());
            // In fp32 what is small against the whole gradient carries its rounding.
            std::size_t compared = 0;
            double wholeSquares = 0, worst = 0;
            for (const std::string& tensor : file->names())
                if (tensor.rfind("grad.", 0) == 0)
                    wholeSquares += std::pow(goldenTensor(*file, tensor).norm().item<double>(), 2);
            for (const std::string& tensor : file->names()) {
                if (tensor.rfind("grad.", 0) != 0) continue;
                const at::Tensor expected = goldenTensor(*file, tensor);
                // The gate of a shared expert, which ours does without.
                if (tensor.find("shared_expert_gate") != std::string::npos) continue;
                const at::Tensor found = theirGradient(config.model, computed, tensor.substr(5));
                QVERIFY2(found.sizes() == expected.sizes(), tensor.c_str());
                // An expert that no token chose has no gradient: the floor is that of the parity suite.
                const double own = std::fmax(expected.norm().item<double>(), 1e-6 * std::sqrt(wholeSquares));
                const double against = precision == Precision::Fp64 ? own : std::fmax(own, std::sqrt(wholeSquares));
                const double difference = (found - expected).to(at::kDouble).norm().item<double>() / against;
                worst = std::fmax(worst, difference);
                QVERIFY2(difference < 10 * bound, (tensor + " " + std::to_string(difference)).c_str());
                ++compared;
            }
            qInfo("%s: loss %.2g, logits %.2g, gradients %.2g", precision == Precision::Fp64 ? "fp64" : "fp32",
                  std::fabs(computed.loss / loss - 1), logits, worst);
            QVERIFY(compared > 8);
        }
    }

    // Loaded in other layouts, saved, exported: the loss is the golden one, the file the one that was read, bit for
    // bit.
    void layoutsAndBack_data() { addModels(); }
    void layoutsAndBack() {
        QFETCH(QString, name);
        const auto folder = kData / name.toStdString();
        const auto golden = SafetensorsFile::open(folder / "golden.safetensors");
        QVERIFY(golden.has_value());
        const at::Tensor ids = goldenTensor(*golden, "input_ids");
        const double loss = goldenTensor(*golden, "loss").item<double>();
        const TempDir temp;
        int number = 0;
        for (const char* layout : {"one", "dp2 zero3", "pp2"}) {
            RunConfig config = configOf(folder);
            const std::string text = layout;
            if (text.find("dp2") == 0) config.parallel.dp = 2;
            if (text.find("zero3") != std::string::npos && !config.model.moe) config.parallel.zeroStage = 3;
            if (text == "pp2" && config.model.numLayers > 1) config.parallel.pp = 2;
            const auto run = temp.path() / std::to_string(++number);
            QVERIFY2(std::fabs(compute(config, ids, run).loss / loss - 1) < 1e-12, layout);
            const auto out = run / "export";
            ExportOptions options;
            options.dtype = "F32";
            if (number == 3) options.maxFileBytes = 2000;  // several files with an index
            const auto report = exportHuggingFace(RunDir{run}.checkpoint(1), out, options);
            QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
            QCOMPARE(std::filesystem::exists(out / "model.safetensors.index.json"), number == 3);
            const auto read = SafetensorsFile::open(folder / "model.safetensors");
            QVERIFY(read.has_value());
            std::size_t found = 0;
            for (const std::string& part : report->files) {
                if (!part.ends_with(".safetensors")) continue;
                const auto written = SafetensorsFile::open(out / part);
                QVERIFY(written.has_value());
                for (const std::string& tensor : written->names()) {
                    ++found;
                    QVERIFY2(at::equal(goldenTensor(*written, tensor), goldenTensor(*read, tensor)), tensor.c_str());
                }
            }
            QCOMPARE(found, read->names().size());
            // And the exported folder starts a run with the same loss.
            QVERIFY(std::fabs(compute(configOf(out), ids).loss / loss - 1) < 1e-12);
        }
    }

    // Of an earlier export with other files nothing is left that could be read in place of this one's.
    void exportReplacesAnEarlierOne() {
        const TempDir temp;
        static_cast<void>(compute(configOf(kData / "llama"), at::full({2, 7}, 1, at::kLong), temp.path()));
        const auto out = temp.path() / "export", checkpoint = RunDir{temp.path()}.checkpoint(1);
        const auto files = [&] {
            std::set<std::string> names;
            for (const auto& entry : std::filesystem::directory_iterator(out)) names.insert(entry.path().filename());
            return names;
        };
        ExportOptions parts;
        parts.maxFileBytes = 2000;
        std::filesystem::create_directories(out);
        QVERIFY(writeFileAtomically(out / "tokenizer.json", "{}").has_value());
        QVERIFY(exportHuggingFace(checkpoint, out, parts).has_value());
        QVERIFY(files().contains("model.safetensors.index.json"));
        QVERIFY(exportHuggingFace(checkpoint, out, {}).has_value());
        QVERIFY(files() == (std::set<std::string>{"config.json", "generation_config.json", "model.safetensors",
                                                  "tokenizer.json"}));
        const auto report = exportHuggingFace(checkpoint, out, parts);
        QVERIFY(report.has_value());
        QVERIFY(!files().contains("model.safetensors"));
        QCOMPARE(files().size(), report->files.size() + 2);  // the index, and the tokenizer
    }

    void wrongFoldersAreRefused_data() {
        QTest::addColumn<std::function<void(RunConfig&)>>("change");
        QTest::addColumn<QString>("word");
        using Change = std::function<void(RunConfig&)>;
        const auto row = [](const char* word, const Change& change) { QTest::newRow(word) << change << word; };
        row("another shape", [](RunConfig& c) { c.model.vocabSize = 14; });
        row("no place in this model", [](RunConfig& c) { c.model.numLayers = 1; });
        row("which this model needs", [](RunConfig& c) { c.model.numLayers = 3; });
        row("not the table of embeddings", [](RunConfig& c) { c.model.tieEmbeddings = true; });
        row("no whole checkpoint", [](RunConfig& c) { c.checkpoint.startFrom = "/nowhere"; });
        row("Transformers has no model type", [](RunConfig& c) { c.model.norm = NormKind::LayerNorm; });
    }
    void wrongFoldersAreRefused() {
        QFETCH(std::function<void(RunConfig&)>, change);
        QFETCH(QString, word);
        RunConfig config = configOf(kData / "llama");
        change(config);
        refusedWith(config, word);
    }

    // The same tensors with another routing are another model.
    void otherRoutingIsRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        const auto row = [](const char* name, const char* from, const char* to) {
            QTest::addRow("%s %s", name, to) << name << from << to;
        };
        row("deepseek_v2", R"("routed_scaling_factor": 1.0)", R"("routed_scaling_factor": 16.0)");
        row("deepseek_v2", R"("scoring_func": "softmax")", R"("scoring_func": "sigmoid")");
        row("deepseek_v2_groups", R"("topk_method": "group_limited_greedy")", R"("topk_method": "greedy")");
        row("deepseek_v2_groups", R"("topk_group": 2)", R"("topk_group": 1)");
        row("deepseek_v2", R"("norm_topk_prob": false)", R"("norm_topk_prob": true)");
        row("deepseek_v3", R"("scoring_func": "sigmoid")", R"("scoring_func": "softmax")");
        row("deepseek_v3", R"("n_group": 4)", R"("n_group": 8)");
        row("deepseek_v3", R"("topk_group": 2)", R"("topk_group": 3)");
        row("deepseek_v3", R"("routed_scaling_factor": 2.5)", R"("routed_scaling_factor": 1)");
        row("deepseek_v3", R"("norm_topk_prob": true)", R"("norm_topk_prob": false)");
        row("glm4_moe", R"("num_experts_per_tok": 3)", R"("scoring_func": "softmax")");
        row("glm4_moe", R"("routed_scaling_factor": 2.5,)", R"("routed_scaling_factor": null,)");
        row("glm4_moe", R"("n_group": 4)", R"("n_group": 8)");
        row("glm4_moe", R"("partial_rotary_factor": 1.0)", R"("partial_rotary_factor": 0.5)");
        row("glm4_moe", R"("partial_rotary_factor": 1.0,)", R"("rope_parameters": {"partial_rotary_factor": 0.25},)");
        row("qwen3", R"("head_dim": 6)", R"("partial_rotary_factor": 0.5)");
        // What shapes do not tell.
        row("qwen3", R"("num_attention_heads": 2)", R"("num_attention_heads": 4)");
        row("llama", R"("num_key_value_heads": 1)", R"("num_key_value_heads": 2)");
        row("llama", R"("rms_norm_eps": 1e-05)", R"("rms_norm_eps": 1e-06)");
        row("llama", R"("rope_theta": 10000.0)", R"("rope_theta": 500000.0)");
        row("llama", R"("rope_theta": 10000.0)", R"("rope_parameters": {"rope_theta": 500000.0})");
        row("llama", R"("rope_theta": 10000.0)", R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0})");
        row("llama", R"("rope_theta": 10000.0)", R"("rope_scaling": {"rope_type": "longrope", "factor": 8.0})");
        row("llama_scaled", R"("factor": 4.0)", R"("rope_scaling": null, "ignored": 4.0)");
        row("deepseek_v3_yarn", R"("mscale_all_dim": 0.8)", R"("rope_scaling": null)");
        row("glm4_moe_half", R"("partial_rotary_factor": 0.5)", R"("partial_rotary_factor": 1.0)");
        row("gpt2", R"("n_head": 2)", R"("n_head": 4)");
        row("gpt2", R"("layer_norm_epsilon": 1e-05)", R"("layer_norm_epsilon": 1e-12)");
        row("mistral", R"("sliding_window": 3)", R"("sliding_window": 4)");
    }
    void otherRoutingIsRefused() {
        QFETCH(QString, name);
        QFETCH(QString, from);
        QFETCH(QString, to);
        const auto folder = kData / name.toStdString();
        const std::string text = *readFile(folder / "config.json");
        const TempDir temp;
        std::filesystem::copy(folder / "model.safetensors", temp.path() / "model.safetensors");
        const QString changed = QString::fromStdString(text).replace(from, to);
        QVERIFY(changed.toStdString() != text);
        QVERIFY(writeFileAtomically(temp.path() / "config.json", changed.toStdString()).has_value());
        RunConfig config = configOf(folder);
        config.checkpoint.startFrom = temp.path().string();
        const QString key = to.section('"', 1, 1);  // that of a rope_... object stands in it
        refusedWith(config, to.contains("partial_rotary_factor") ? "partial_rotary_factor"
                            : key == "rope_parameters"           ? to.section('"', 3, 3)
                                                                 : key);
    }

    // What a model type has and ours does without must change nothing; 8-bit numbers need their factors.
    void otherTensorsAreRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<int>("size");  // of ones in its place; 0: left out
        QTest::addColumn<QString>("word");
        const auto row = [](const char* name, const char* tensor, int size, const char* word) {
            QTest::addRow("%s: %s", name, word) << name << tensor << size << word;
        };
        const char* gate = "model.layers.0.mlp.shared_expert_gate.weight";
        row("qwen2_moe", gate, 8, "shared expert is gated");
        row("qwen2_moe", gate, 0, "which this model type has");
        const char* bias = "model.layers.1.mlp.gate.e_score_correction_bias";
        row("deepseek_v2", bias, 3, "has no place in this model");
        row("deepseek_v3", bias, 0, "which this model needs");
        row("gpt2", "lm_head.weight", 8, "not the table of embeddings");
        const char* factors = "model.layers.0.mlp.up_proj.weight_scale_inv";
        row("deepseek_v3_fp8", factors, 0, "8-bit numbers and no");
        row("deepseek_v3_fp8", factors, 3, "each block of 4 x 3");
        row("deepseek_v3_fp8", "model.layers.3.enorm.weight", 8, "has no place in this model");  // behind the last
    }
    void otherTensorsAreRefused() {
        QFETCH(QString, name);
        QFETCH(QString, tensor);
        QFETCH(int, size);
        QFETCH(QString, word);
        const TempDir temp;
        const auto folder = kData / name.toStdString();
        const at::Tensor ones = size > 0 ? at::full({1, size}, 1, at::kFloat) : at::Tensor();
        changeTensors(folder, temp.path(), {{tensor.toStdString(), ones}});
        RunConfig config = configOf(folder);
        config.checkpoint.startFrom = temp.path().string();
        refusedWith(config, word);
    }

    // Files of tied models may hold the table twice.
    void tableAsHeadIsTaken() {
        const TempDir temp;
        const auto folder = kData / "gpt2";
        const auto read = SafetensorsFile::open(folder / "model.safetensors");
        QVERIFY(read.has_value());
        const std::string table = read->find("wte.weight") ? "wte.weight" : "transformer.wte.weight";
        changeTensors(folder, temp.path(), {{"lm_head.weight", goldenTensor(*read, table)}});
        RunConfig config = configOf(folder);
        const at::Tensor ids = at::full({2, 7}, 1, at::kLong);
        const double loss = compute(config, ids).loss;
        config.checkpoint.startFrom = temp.path().string();
        QCOMPARE(compute(config, ids).loss, loss);
    }

    // A router without a bias takes one of zeros, gives one of zeros back, and refuses any other.
    void absentRoutingBiasIsZero_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"deepseek_v3", "glm4_moe"}) QTest::newRow(model) << model;
    }
    void absentRoutingBiasIsZero() {
        QFETCH(QString, model);
        const TempDir temp;
        const auto folder = kData / model.toStdString();
        RunConfig config = configOf(folder);
        config.model.moe->biasUpdateRate = 0;
        config.checkpoint.startFrom = folder.string();
        refusedWith(config, "the choice of experts is biased");
        const std::string name = "model.layers.1.mlp.gate.e_score_correction_bias";
        changeTensors(folder, temp.path(), {{name, at::full({8}, 0, at::kFloat)}});
        config.checkpoint.startFrom = temp.path().string();
        const auto run = temp.path() / "run";
        const at::Tensor ids = at::full({2, 7}, 1, at::kLong);
        compute(config, ids, run);
        const auto report = exportHuggingFace(RunDir{run}.checkpoint(1), run / "export", {});
        QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
        const auto written = SafetensorsFile::open(run / "export/model.safetensors");
        QVERIFY(written.has_value());
        QVERIFY(at::equal(goldenTensor(*written, name), at::full({8}, 0, at::kDouble)));
    }

    // Weights as DeepSeek-V3 is published: the layer that predicts further tokens is left out by name, in bf16 the
    // routing bias keeps fp32.
    void publishedWeights() {
        const TempDir temp;
        const RunConfig config = configOf(kData / "deepseek_v3_fp8");
        const Computed computed = compute(config, at::full({2, 7}, 1, at::kLong), temp.path());
        QCOMPARE(computed.leftOut.size(), std::size_t{3});
        for (const std::string& name : computed.leftOut) QVERIFY2(name.starts_with("model.layers.2."), name.c_str());
        const auto out = temp.path() / "export";
        ExportOptions options;
        options.dtype = "BF16";
        QVERIFY(exportHuggingFace(RunDir{temp.path()}.checkpoint(1), out, options).has_value());
        const auto read = SafetensorsFile::open(kData / "deepseek_v3_fp8/model.safetensors");
        const auto written = SafetensorsFile::open(out / "model.safetensors");
        QVERIFY(read.has_value() && written.has_value());
        const std::string bias = "model.layers.1.mlp.gate.e_score_correction_bias";
        QVERIFY(at::equal(goldenTensor(*written, bias), goldenTensor(*read, bias)));
        QVERIFY(goldenTensor(*written, "model.norm.weight").scalar_type() == at::kBFloat16);
    }

    // Blocks that the matrix does not fill, against loops.
    void factorsOfBlocks() {
        const at::Tensor matrix = at::arange(35, at::kFloat).view({5, 7}).to(at::kFloat8_e4m3fn);
        const at::Tensor factors = at::arange(6, at::kFloat).view({2, 3}) + 0.5;
        const auto whole = fromBlocks(matrix, factors, 3, 3);
        QVERIFY(whole.has_value());
        for (std::int64_t row = 0; row < 5; ++row)
            for (std::int64_t column = 0; column < 7; ++column)
                QCOMPARE((*whole)[row][column].item<float>(),
                         matrix.to(at::kFloat)[row][column].item<float>() * factors[row / 3][column / 3].item<float>());
        QVERIFY(!fromBlocks(matrix, factors, 3, 4));
        QVERIFY(!fromBlocks(matrix, factors, 0, 3));
    }

    // Python's PyTorch reads what the trainer exports and computes the same logits.
    void livePython() {
        QProcess probe;
        probe.start("python3", {"-c", "import torch"});
        if (!probe.waitForStarted() || !probe.waitForFinished(300000) || probe.exitCode() != 0)
            QSKIP("python3 cannot import torch here");
        const TempDir temp;
        for (const char* name :
             {"llama", "qwen3", "mixtral", "gpt2", "deepseek_v2_groups", "deepseek_v3", "qwen2_moe", "glm4_moe"}) {
            RunConfig config = configOf(kData / name);
            const at::Tensor ids = (at::arange(14, at::kLong) * 5 + 3).remainder(config.model.vocabSize).view({2, 7});
            const Computed ours = compute(config, ids, temp.path() / name);
            const auto out = temp.path() / name / "export";
            QVERIFY(exportHuggingFace(RunDir{temp.path() / name}.checkpoint(1), out, {}).has_value());
            Json rows = Json::array();
            for (std::int64_t row = 0; row < 2; ++row) {
                rows.push_back(Json::array());
                for (std::int64_t i = 0; i < 7; ++i) rows.back().push_back(ids[row][i].item<std::int64_t>());
            }
            QProcess python;
            python.start("python3", {QString::fromStdString((kData / "golden.py").string()), "evaluate",
                                     QString::fromStdString(out.string())});
            python.write(rows.dump().c_str());
            python.closeWriteChannel();
            QVERIFY(python.waitForFinished(300000));
            const auto answer = parseJson(python.readAllStandardOutput().toStdString(), "python");
            QVERIFY2(answer.has_value(), python.readAllStandardError().constData());
            QVERIFY(std::fabs(answer->at("loss").get<double>() / ours.loss - 1) < 1e-12);
            for (std::int64_t row = 0; row < 2; ++row)
                for (std::int64_t i = 0; i < 7; ++i)
                    for (std::int64_t v = 0; v < config.model.vocabSize; ++v) {
                        const double theirs = answer->at("logits").at(row).at(i).at(v).get<double>();
                        QVERIFY(std::fabs(ours.logits[row][i][v].item<double>() - theirs) < 1e-11);
                    }
        }
    }
};

SLIPWAY_TEST(TstHuggingfaceWeights)
#include "tst_huggingface_weights.moc"
