// Tables of measured runs: both layouts, and rows that cannot be used with their reasons.
#include "core/planner/evidence/measured_run.h"
#include "core/planner/plan.h"
#include "tests/support/slipway_test.h"

namespace slipway {

namespace {

const std::string kPlaybookHeader =
    "model,layers,hidden,ffn,heads,kv_heads,vocab,tied_embeddings,seq,gpu,gpus_per_node,nodes,micro_batch,grad_acc,"
    "global_batch,dp,pp,tp,zero_stage,mfu_pct,tokens_per_s_per_gpu,gpu_memory_gb,status\n";
const std::string kPublishedHeader =
    "source,model_name,layers,hidden,ffn,heads,kv_heads,vocab,experts,topk,seq,gpu_type,num_gpus,dp,tp,pp,vpp,cp,ep,"
    "zero_stage,micro_batch,global_batch,recompute,precision,seq_parallel,measured_tflops_per_gpu,measured_mfu_pct,"
    "measured_iter_s,measured_mem_gb,tokens_per_s,notes\n";

}  // namespace

class TstMeasuredRun : public QObject {
    Q_OBJECT
private slots:
    void layoutBenchmark() {
        const std::string row = "toy,16,2048,8192,32,32,131072,1,4096,H100-80GB-SXM,8,2,";
        const auto table = readMeasuredRuns(
            kPlaybookHeader + row + "2,4,256,8,2,1,1,39.2,40000,50,ok\n"  // the product of columns: 64 sequences
                + row + "2,4,256,8,2,1,1,,,,oom_or_crash\n"               //
                + row + "2,4,256,8,2,1,1,,,,strange\n"                    // status
                + row + "2,4,256,8,2,1,7,39.2,40000,50,ok\n"              // ZeRO stage
                + row + "2,4,256,8,2,0,1,39.2,40000,50,ok\n"              // tp
                + row + "2,4,256,8,2,3,1,39.2,40000,50,ok\n"              // heads over 3
                + row + "2,4,256,8,2,1,1,39.2,-5,50,ok\n",                // rate
            "t");
        QVERIFY(table.has_value());
        QCOMPARE(table->numRows, std::size_t{7});
        QCOMPARE(table->runs.size(), std::size_t{2});
        const MeasuredRun& run = table->runs.front();
        QCOMPARE(run.config.train.globalBatchSize, std::int64_t{64});
        QCOMPARE(run.config.numMicroBatches(), std::int64_t{4});
        QCOMPARE(*run.stepSeconds, 64.0 * 4096 / (40000 * 16));
        QCOMPARE(*run.memoryBytes, 50 * 1024.0 * 1024 * 1024);
        QVERIFY(*run.fits && !*table->runs[1].fits);
        QVERIFY(!table->runs[1].stepSeconds);
        QVERIFY(!run.clean);
        QCOMPARE(table->refused.size(), std::size_t{5});
        QCOMPARE(table->refused.at("zero_stage must be from 0 to 3").count, std::int64_t{1});
        QCOMPARE(table->refused.at("not a legal layout: not_divisible").count, std::int64_t{1});
    }

    // A row of Megatron-Bridge that prints both: its 2,646 TFLOP/s are 268,288 tokens/s by the causal rule, and so are the
    // model FLOPs of other Megatron tables. NeMo counts attention whole.
    void ratesBecomeSeconds_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<double>("tokensPerSecond");
        const double causal = 268288, whole = 258000;
        QTest::newRow("Megatron-Bridge") << "NVIDIA-NeMo/Megatron-Bridge docs/performance-summary-archive.md" << causal;
        QTest::newRow("ModelZoo") << "yanring/Megatron-MoE-ModelZoo best_practice/qwen3/readme.md" << causal;
        QTest::newRow("Megatron's mixtures") << "NVIDIA/Megatron-LM megatron/core/transformer/moe/README.md" << causal;
        QTest::newRow("Ironwood") << "AI-Hypercomputer/tpu-recipes training/ironwood/README.md" << causal;
        QTest::newRow("NeMo") << "NVIDIA/NeMo docs/source/performance/performance_long_sequence.md" << whole;
    }
    void ratesBecomeSeconds() {
        QFETCH(QString, source);
        QFETCH(double, tokensPerSecond);
        const auto table =
            readMeasuredRuns(kPublishedHeader + source.toStdString() +
                                 ",LLAMA3.1_405B,126,16384,53248,128,8,128256,,,8192,GB300,256,8,4,8,4,1,1,1,"
                                 "1,1536,,FP8,,2646,,,,,\n",
                             "t");
        QVERIFY(table && table->runs.size() == 1);
        const double found = 1536 * 8192 / *table->runs.front().stepSeconds;
        QVERIFY2(qAbs(found / tokensPerSecond - 1) < 0.01, qPrintable(QString::number(found)));
    }

    // Meta trained 405B on 80 GB (Llama 3, arXiv 2407.21783, table 4).
    void metasLayoutsFit_data() {
        QTest::addColumn<int>("dp");
        QTest::newRow("8,192 devices") << 64;
        QTest::newRow("16,384 devices") << 128;
    }
    void metasLayoutsFit() {
        QFETCH(int, dp);
        const auto table = readMeasuredRuns(
            kPublishedHeader +
                "Llama 3 Herd of Models Table 4,Llama-3-405B,126,16384,53248,128,8,128256,,,8192,H100-80GB-SXM," +
                std::to_string(dp * 128) + "," + std::to_string(dp) + ",8,16,,1,1,,,2048,,bf16,,400,41,,,,\n",
            "t");
        QVERIFY(table && table->runs.size() == 1);
        const MeasuredRun& run = table->runs.front();
        const Plan plan = makePlan(run.config, run.cluster);
        QVERIFY2(plan.memoryPeakBytes < plan.memoryCapacityBytes, qPrintable(QString::number(plan.memoryPeakBytes)));
        // Not for want of tensors: of weights, gradients and a layer's seven kept tensors nothing is missing.
        QVERIFY(plan.memoryPeakBytes > 0.75 * plan.memoryCapacityBytes);
        // The bundled trainer keeps the product unless it is told to make it again.
        RunConfig kept = run.config;
        kept.train.recompute.policy = RecomputePolicy::None;
        QVERIFY(makePlan(kept, run.cluster).memoryPeakBytes > plan.memoryPeakBytes + 10e9);
    }

    void publishedRuns() {
        const auto table = readMeasuredRuns(
            kPublishedHeader +
                "org/stack docs/a.md,M,40,5120,20480,40,40,50368,,,2048,H100-80GB,64,64,1,1,1,1,1,3,2,256,full,bf16,0,"
                "400,40,2.5,,,\n"
                "org/stack docs/a.md,M,40,5120,20480,40,40,50368,,,2048,H100-80GB,64,64,1,1,1,1,1,3,2,256,none,bf16,0,"
                ",,,,262144,\n"
                "org/stack docs/a.md,M,,5120,20480,40,40,50368,,,2048,H100-80GB,64,64,1,1,1,1,1,3,2,256,none,bf16,0,,,2,"
                ",,\n"
                "org/stack docs/a.md,M,40,5120,20480,40,40,50368,,,2048,Abacus,64,64,1,1,1,1,1,3,2,256,none,bf16,0,,,2,,"
                ",\n"
                "org/stack docs/a.md,M,40,5120,20480,40,40,50368,,,2048,H100-80GB,64,64,1,1,1,1,1,3,2,256,none,bf16,0,,"
                ",,,,\n",
            "t");
        QVERIFY(table.has_value());
        QCOMPARE(table->runs.size(), std::size_t{2});
        QCOMPARE(*table->runs[0].stepSeconds, 2.5);
        QCOMPARE(*table->runs[1].stepSeconds, 2.0);  // 256 x 2048 tokens
        QVERIFY(table->runs[0].config.train.recompute.policy == RecomputePolicy::Full);
        QVERIFY(!table->runs[0].fits);
        QCOMPARE(table->runs[0].stack, std::string("org/stack | H100-80GB | 16 bit"));
        QCOMPARE(table->refused.at("device not in the library: Abacus").count, std::int64_t{1});
        QCOMPARE(table->refused.at("neither step time nor memory published").count, std::int64_t{1});
        QCOMPARE(table->refused.at("layers, hidden size or sequence length not published").count, std::int64_t{1});
        QCOMPARE(readMeasuredRuns("a,b\n1,2\n", "t").error().code, std::string("unknown_columns"));
    }

    // What no device can have done is refused with its reason.
    void impossibleFigures_data() {
        QTest::addColumn<QString>(
            "figures");  // mfu_pct, tokens_per_s_per_gpu, gpu_memory_gb; or TFLOP/s, MFU, seconds, GB, tokens/s
        QTest::addColumn<QString>("reason");
        QTest::newRow("possible") << "39.2,40000,50"
                                  << "";
        QTest::newRow("all of the memory") << "39.2,40000,80"
                                           << "";
        QTest::newRow("more memory") << "39.2,40000,81"
                                     << "more memory than the device has";
        QTest::newRow("faster than the peak") << "39.2,400000,50"
                                              << "an MFU above 100 %";
        QTest::newRow("printed MFU") << "139.2,40000,50"
                                     << "mfu_pct is above 100 %";
        QTest::newRow("negative memory") << "39.2,40000,-50"
                                         << "gpu_memory_gb is negative";
        QTest::newRow("published, possible") << "400,40,2.5,60,"
                                             << "";
        QTest::newRow("negative time") << "400,40,-2.5,60,"
                                       << "measured_iter_s is negative";
        QTest::newRow("no time at all") << "400,40,0.0001,60,"
                                        << "an MFU above 100 %";
        QTest::newRow("negative throughput") << ",,,60,-5"
                                             << "tokens_per_s is negative";
        QTest::newRow("published, more memory") << "400,40,2.5,600,"
                                                << "more memory than the device has";
    }
    void impossibleFigures() {
        QFETCH(QString, figures);
        QFETCH(QString, reason);
        const std::string text =
            figures.count(',') == 2
                ? kPlaybookHeader + "toy,16,2048,8192,32,32,131072,1,4096,H100-80GB-SXM,8,2,2,4,256,8,2,1,1," +
                      figures.toStdString() + ",ok\n"
                : kPublishedHeader +
                      "org/stack docs/a.md,M,40,5120,20480,40,40,50368,,,2048,H100-80GB,64,64,1,1,1,1,1,3,2,256,full,bf16,0," +
                      figures.toStdString() + ",\n";
        const auto table = readMeasuredRuns(text, "t");
        QVERIFY(table.has_value());
        QCOMPARE(table->runs.size(), std::size_t{reason.isEmpty() ? 1U : 0U});
        if (!reason.isEmpty()) QCOMPARE(QString::fromStdString(table->refused.begin()->first), reason);
    }

    // A name with a size of its own has that much, not what the preset of the same device has.
    void namedMemory() {
        const std::string row =
            "org/stack docs/a.md,M,40,5120,20480,40,40,50368,,,2048,GPU,64,64,1,1,1,1,1,3,2,256,full,bf16,0,400,40,2.5,84,\n";
        for (const auto& [gpu, runs] : {std::pair{"H100-96GB-HBM2e-500W", 1U}, {"H100-80GB-SXM", 0U}, {"H100", 0U}}) {
            std::string text = row;
            text.replace(text.find("GPU"), 3, gpu);
            QCOMPARE(readMeasuredRuns(kPublishedHeader + text, "t")->runs.size(), std::size_t{runs});
        }
    }

    void missingColumnsAreNamed() {
        std::string header = kPublishedHeader;
        const auto place = header.find("num_gpus");
        const auto renamed = readMeasuredRuns(header.replace(place, 8, "num_gpu"), "t");
        QCOMPARE(renamed.error().code, std::string("missing_columns"));
        QVERIFY(renamed.error().message.find(
                    "published runs the table lacks the column num_gpus (is it \"num_gpu\"?).") != std::string::npos);
        const auto two = readMeasuredRuns(
            "layers,hidden,ffn,heads,kv_heads,vocab,seq,gpu,gpus_per_node,nodes,micro_batch,dp,pp,tp,zero_stage,"
            "tokens_per_s_per_gpu\n",
            "t");
        QVERIFY(two.error().message.find("layout benchmark the table lacks the columns grad_acc, status.") !=
                std::string::npos);
        QVERIFY(readMeasuredRuns("a,b\n", "t").error().message.find("The table needs the columns of") == 0);
    }

    /// A table's one feed-forward width is the dense layers' here; the preset of the same shape knows the experts'.
    void expertsOfThePreset() {
        const std::string row =
            "Lab/tool b.json,truncated,4,7168,18432,128,,129280,256,8,4096,B200,8,8,1,1,1,1,8,1,1,32,none,bf16,,"
            ",,0.6,101.5,,Tool predicted 584.9 ms / 103.5 GiB; more\n";
        const auto table = readMeasuredRuns(kPublishedHeader + row, "t");
        QVERIFY(table.has_value());
        QCOMPARE(table->runs.size(), std::size_t{1});
        const MeasuredRun& run = table->runs.front();
        const ModelSpec& m = run.config.model;
        QCOMPARE(m.moe->expertFfnHiddenSize, std::int64_t{2048});
        QCOMPARE(m.moe->numSharedExperts, std::int64_t{1});
        QCOMPARE(m.moe->numDenseLayers, std::int64_t{1});
        QVERIFY(m.mla.has_value());
        QCOMPARE(m.numLayers, std::int64_t{4});
        QVERIFY(run.rival.has_value());
        QCOMPARE(run.rival->planner, std::string("Tool"));
        QCOMPARE(run.rival->stepSeconds, 0.5849);
        QCOMPARE(run.rival->memoryBytes, 103.5 * 1024 * 1024 * 1024);
    }

    /// By hand after nanotron's rule: a layer counts 67.1e6, the head 268.4e6, as much as four layers.
    void stageSplit_data() {
        QTest::addColumn<int>("pp");
        QTest::addColumn<QList<int>>("layers");
        QTest::addColumn<int>("bare");
        QTest::newRow("2") << 2 << QList<int>{10, 6} << 0;
        QTest::newRow("4") << 4 << QList<int>{5, 5, 5, 1} << 0;
        QTest::newRow("8") << 8 << QList<int>{3, 2, 3, 2, 3, 2, 1, 0} << 1;
    }
    void stageSplit() {
        QFETCH(int, pp);
        QFETCH(QList<int>, layers);
        QFETCH(int, bare);
        ModelSpec model;
        model.numLayers = 16;
        model.hiddenSize = 2048;
        model.ffnHiddenSize = 8192;
        model.vocabSize = 131072;
        const StageSplit split = computeBalancedSplit(model, pp);
        QCOMPARE(QList<int>(split.layers.begin(), split.layers.end()), layers);
        QCOMPARE(split.bareStages, std::int64_t{bare});
    }
};
SLIPWAY_TEST(TstMeasuredRun)

}  // namespace slipway

#include "tst_measured_run.moc"
