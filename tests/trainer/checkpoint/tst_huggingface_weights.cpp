// Weights as transformers keeps them: golden tensors that plain PyTorch computed (tests/data/huggingface/golden.py), layouts, exports.
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "tests/trainer/checkpoint/layout_training.h"
#include "trainer/checkpoint/huggingface_weights.h"

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

const std::filesystem::path kData = std::filesystem::path(SLIPWAY_SOURCE_DIR) / "tests/data/huggingface";

/// The model of a folder's config.json, as a run that trains on sequences of seven tokens. By hand: what reads such files in the product
/// (core/interop) is no part of the trainer.
RunConfig configOf(const std::filesystem::path& folder, Precision precision = Precision::Fp64) {
    const auto read = readJsonFile(folder / "config.json");
    if (!read) throw std::runtime_error(read.error().text());
    const Json& json = *read;
    const std::string type = json.at("model_type").get<std::string>();
    const auto number = [&](const char* key, const char* other) {
        return json.at(json.contains(key) ? key : other).get<std::int64_t>();
    };
    RunConfig config;
    ModelSpec& m = config.model;
    m.family = type == "gpt2" ? Family::Gpt2 : Family::Llama;
    m.numLayers = number("num_hidden_layers", "n_layer");
    m.hiddenSize = number("hidden_size", "n_embd");
    m.ffnHiddenSize = number("intermediate_size", "n_inner");
    m.numHeads = number("num_attention_heads", "n_head");
    m.vocabSize = json.at("vocab_size").get<std::int64_t>();
    m.maxSeqLen = number("max_position_embeddings", "n_positions");
    m.normEps = json.at(type == "gpt2" ? "layer_norm_epsilon" : "rms_norm_eps").get<double>();
    m.tieEmbeddings = json.at("tie_word_embeddings").get<bool>();
    if (type != "gpt2") {
        m.numKvHeads = json.at("num_key_value_heads").get<std::int64_t>();
        m.ropeTheta = json.at("rope_theta").get<double>();
    }
    if (json.contains("head_dim")) m.headDim = json.at("head_dim").get<std::int64_t>();
    if (type == "qwen2" || type == "qwen2_moe") m.qkvBias = true;
    m.qkNorm = type == "qwen3";
    if (type == "mistral") m.slidingWindow = json.at("sliding_window").get<std::int64_t>();
    if (type == "mixtral") {
        m.moe = MoeSpec{};
        m.moe->numExperts = json.at("num_local_experts").get<std::int64_t>();
        m.moe->topK = json.at("num_experts_per_tok").get<std::int64_t>();
        m.moe->expertFfnHiddenSize = m.ffnHiddenSize;
        m.moe->auxLossCoefficient = 0;
    }
    const char* experts = type == "qwen2_moe" ? "num_experts" : "n_routed_experts";
    if (json.contains(experts) && !json.at(experts).is_null()) {
        m.moe = MoeSpec{};
        m.moe->numExperts = json.at(experts).get<std::int64_t>();
        m.moe->topK = json.at("num_experts_per_tok").get<std::int64_t>();
        m.moe->expertFfnHiddenSize = json.at("moe_intermediate_size").get<std::int64_t>();
        m.moe->normalizeTopK = json.at("norm_topk_prob").get<bool>();
        m.moe->auxLossCoefficient = 0;
        if (type == "qwen2_moe") {
            m.moe->numSharedExperts =
                json.at("shared_expert_intermediate_size").get<std::int64_t>() / m.moe->expertFfnHiddenSize;
        } else {
            m.moe->numSharedExperts = json.at("n_shared_experts").get<std::int64_t>();
            m.moe->numDenseLayers = json.at("first_k_dense_replace").get<std::int64_t>();
        }
    }
    if (type == "deepseek_v2") {
        m.numKvHeads.reset();
        m.mla = MlaSpec{};
        const Json& rank = json.at("q_lora_rank");
        m.mla->qLoraRank = rank.is_null() ? 0 : rank.get<std::int64_t>();
        m.mla->kvLoraRank = json.at("kv_lora_rank").get<std::int64_t>();
        m.mla->qkNopeHeadDim = json.at("qk_nope_head_dim").get<std::int64_t>();
        m.mla->qkRopeHeadDim = json.at("qk_rope_head_dim").get<std::int64_t>();
        m.mla->vHeadDim = json.at("v_head_dim").get<std::int64_t>();
    }
    config.train.seqLen = 7;
    config.train.globalBatchSize = 2;
    config.train.microBatchSize = 1;
    config.train.precision = precision;
    config.checkpoint.startFrom = folder.string();
    return config;
}

at::Tensor goldenTensor(const SafetensorsFile& file, const std::string& name) {
    auto tensor = file.tensor(name);
    if (!tensor) throw std::runtime_error(tensor.error().text());
    return *tensor;
}

/// ids [B, S] -> one micro-batch per sequence; the last target of each carries no loss.
MicroBatch sequence(const at::Tensor& ids, std::int64_t row) {
    const at::Tensor tokens = ids.narrow(0, row, 1);
    return {tokens, at::cat({tokens.narrow(1, 1, ids.size(1) - 1), at::full({1, 1}, -1, at::kLong)}, 1)};
}

struct Computed {
    double loss = 0;
    at::Tensor logits;                            ///< [B, S, V]; of a world of one
    std::map<std::string, at::Tensor> gradients;  ///< by our names, of a world of one
};

/// Loads the weights in the config's layout and computes loss and gradients of the given sequences.
Computed compute(const RunConfig& config, const at::Tensor& ids, const std::filesystem::path& saveTo = {}) {
    Computed computed;
    std::mutex mutex;
    runInProcess(config.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
        Model model(config, mesh, at::kCPU);
        Optimizer optimizer(config, mesh, model.parameters());
        const RunDir dir{saveTo};
        const CheckpointContext context{dir, config, mesh, at::kCPU};
        std::vector<StateTensor> state = optimizer.state();
        const auto loaded = loadStart(context, "", state);
        if (!loaded) throw std::runtime_error(loaded.error().text());
        if (loaded->mark) throw std::runtime_error("weights alone say where the run stands");
        optimizer.stateRestored(0);
        PipelineExecutor executor(model, mesh,
                                  *makeSchedule(config.parallel.schedule, config.parallel.pp, config.numMicroBatches(),
                                                config.parallel.virtualStages));
        std::vector<MicroBatch> mine;
        for (std::int64_t m = 0; m < config.numMicroBatches(); ++m)
            mine.push_back(sequence(ids, m * config.parallel.dp + mesh.at.dp));
        optimizer.gradients().zero();
        const double loss = executor.step(mine).loss;
        optimizer.gradients().finish();
        if (!saveTo.empty())
            if (const auto saved = saveCheckpoint(context, {1, 0, 2, 14, {}}, optimizer.state()); !saved)
                throw std::runtime_error(saved.error().text());
        const std::lock_guard lock(mutex);
        if (rank == 0) computed.loss = loss;
        if (config.parallel.worldSize() > 1) return;
        for (const Parameter* p : model.parameters()) computed.gradients[p->shard.name] = p->mainGrad.clone();
        std::vector<at::Tensor> logits;
        for (std::int64_t row = 0; row < ids.size(0); ++row) {
            StageModel::Saved saved;
            (void)model.chunks().front()->forward(sequence(ids, row), {}, saved);
            logits.push_back(saved.loss.logits.transpose(0, 1));
        }
        computed.logits = at::cat(logits);
    });
    return computed;
}

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
    for (const char* name :
         {"llama", "qwen2", "qwen3", "mistral", "mixtral", "gpt2", "deepseek_v2", "deepseek_v2_dense", "qwen2_moe"})
        QTest::newRow(name) << name;
}

}  // namespace

class TstHuggingfaceWeights : public QObject {
    Q_OBJECT
private slots:
    void golden_data() { addModels(); }
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

    // Loaded in other layouts, saved, exported: the loss is the golden one, the file the one that was read, bit for bit.
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
                if (part == "config.json") continue;
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

    void wrongFoldersAreRefused() {
        const auto refused = [&](RunConfig config, const char* word) {
            try {
                compute(config, at::full({2, 7}, 1, at::kLong));
            } catch (const std::exception& caught) {
                const std::string message = caught.what();
                return message.find(word) != std::string::npos ? std::string() : message;
            }
            return std::string("it was loaded");
        };
        const auto check = [&](const std::string& message) { QVERIFY2(message.empty(), message.c_str()); };
        RunConfig config = configOf(kData / "llama");
        config.model.vocabSize = 14;
        check(refused(config, "another shape"));
        config = configOf(kData / "llama");
        config.model.numLayers = 1;
        check(refused(config, "no place in this model"));
        config.model.numLayers = 3;
        check(refused(config, "which this model needs"));
        config = configOf(kData / "llama");
        config.checkpoint.startFrom = "/nowhere";
        check(refused(config, "no whole checkpoint"));
        config = configOf(kData / "llama");
        config.model.norm = NormKind::LayerNorm;
        check(refused(config, "Transformers has no model type"));
    }

    // What the model types of transformers compute in another way is no silent loss.
    void otherEquationsAreRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<std::function<void(ModelSpec&)>>("change");
        QTest::addColumn<QString>("word");
        using Change = std::function<void(ModelSpec&)>;
        QTest::newRow("router bias") << "deepseek_v2" << Change([](ModelSpec& m) { m.moe->biasUpdateRate = 0.1; })
                                     << "sigmoid";
        QTest::newRow("router bias, mixtral")
            << "mixtral" << Change([](ModelSpec& m) { m.moe->biasUpdateRate = 0.1; }) << "sigmoid";
        QTest::newRow("normalised weights")
            << "deepseek_v2" << Change([](ModelSpec& m) { m.moe->normalizeTopK = true; }) << "normalize_top_k";
        QTest::newRow("no shared experts")
            << "deepseek_v2" << Change([](ModelSpec& m) { m.moe->numSharedExperts = 0; }) << "shared experts";
        QTest::newRow("eps of latent norms")
            << "deepseek_v2" << Change([](ModelSpec& m) { m.normEps = 1e-5; }) << "1e-6";
        QTest::newRow("qwen without shared")
            << "qwen2_moe" << Change([](ModelSpec& m) { m.moe->numSharedExperts = 0; }) << "shared expert";
    }
    void otherEquationsAreRefused() {
        QFETCH(QString, name);
        QFETCH(std::function<void(ModelSpec&)>, change);
        QFETCH(QString, word);
        ModelSpec model = configOf(kData / name.toStdString()).model;
        QVERIFY(checkHuggingFaceModel(model).has_value());
        change(model);
        const auto checked = checkHuggingFaceModel(model);
        QVERIFY(!checked);
        QVERIFY2(QString::fromStdString(checked.error().message).contains(word), checked.error().message.c_str());
    }

    // The same tensors with another routing are another model.
    void otherRoutingIsRefused() {
        const auto folder = kData / "deepseek_v2";
        const std::string text = *readFile(folder / "config.json");
        for (const auto& [from, to] : {std::pair{R"("routed_scaling_factor": 1.0)", R"("routed_scaling_factor": 16.0)"},
                                       {R"("scoring_func": "softmax")", R"("scoring_func": "sigmoid")"},
                                       {R"("topk_method": "greedy")", R"("topk_method": "group_limited_greedy")"},
                                       {R"("norm_topk_prob": false)", R"("norm_topk_prob": true)"}}) {
            const TempDir temp;
            std::filesystem::copy(folder / "model.safetensors", temp.path() / "model.safetensors");
            const QString changed = QString::fromStdString(text).replace(from, to);
            QVERIFY(changed.toStdString() != text);
            QVERIFY(writeFileAtomically(temp.path() / "config.json", changed.toStdString()).has_value());
            RunConfig config = configOf(folder);
            config.checkpoint.startFrom = temp.path().string();
            std::string message;
            try {
                compute(config, at::full({2, 7}, 1, at::kLong));
            } catch (const std::exception& caught) {
                message = caught.what();
            }
            QVERIFY2(message.find(std::string(to).substr(1, 10)) != std::string::npos, message.c_str());
        }
    }

    // A shared expert that is really gated computes what this model cannot.
    void gatedSharedExpertIsRefused() {
        const TempDir temp;
        const auto folder = kData / "qwen2_moe";
        const auto read = SafetensorsFile::open(folder / "model.safetensors");
        QVERIFY(read.has_value());
        const std::string gate = "model.layers.0.mlp.shared_expert_gate.weight";
        for (const auto& [isLeftOut, word] : {std::pair{false, "is not zero"}, {true, "which this model type has"}}) {
            std::vector<NamedTensor> tensors;
            for (const std::string& name : read->names()) {
                at::Tensor tensor = goldenTensor(*read, name);
                if (name == gate && isLeftOut) continue;
                if (name == gate) tensor = at::full(tensor.sizes(), 0.25, tensor.options());
                tensors.push_back({name, tensor});
            }
            QVERIFY(writeSafetensors(temp.path() / "model.safetensors", tensors, {}).has_value());
            RunConfig config = configOf(folder);
            config.checkpoint.startFrom = temp.path().string();
            std::string message;
            try {
                compute(config, at::full({2, 7}, 1, at::kLong));
            } catch (const std::exception& caught) {
                message = caught.what();
            }
            QVERIFY2(message.find(word) != std::string::npos, message.c_str());
        }
    }

    // Python's PyTorch reads what the trainer exports and computes the same logits.
    void livePython() {
        QProcess probe;
        probe.start("python3", {"-c", "import torch"});
        if (!probe.waitForStarted() || !probe.waitForFinished(300000) || probe.exitCode() != 0)
            QSKIP("python3 cannot import torch here");
        const TempDir temp;
        for (const char* name : {"llama", "qwen3", "mixtral", "gpt2", "deepseek_v2", "qwen2_moe"}) {
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
