// Logs and result tables of other trainers: every value, in our unit, at its step; what cannot be read is counted.
#include "core/interop/log_reader.h"
#include "core/interop/tf_events.h"
#include "core/spec/metric_names.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace slipway::interop {

namespace {

double valueAt(const Log& log, std::int64_t step, const std::string& metric) {
    for (const MetricStep& s : log.runs.at(0).steps)
        if (s.step == step)
            for (const auto& [name, value] : s.values)
                if (name == metric) return value;
    return std::numeric_limits<double>::quiet_NaN();
}

std::int64_t malformed(const Log& log) {
    std::int64_t sum = 0;
    for (const auto& [_, met] : log.malformed) sum += met.count;
    return sum;
}

Log read(const std::string& text, const std::string& format = {}, const std::optional<RunConfig>& config = {}) {
    const auto log = readLog(text, "test.log", format, config);
    if (!log) qFatal("%s", log.error().text().c_str());
    return *log;
}

const std::string kMegatron =
    "using world size: 16, data-parallel size: 4\n"
    "------------------------ arguments ------------------------\n"
    "  add_bias_linear ................................. False\n"
    "  context_parallel_size ........................... 1\n"
    "  ffn_hidden_size ................................. 14336\n"
    "  global_batch_size ............................... 256\n"
    "  group_query_attention ........................... True\n"
    "  hidden_size ..................................... 4096\n"
    "  micro_batch_size ................................ 1\n"
    "  normalization ................................... RMSNorm\n"
    "  num_attention_heads ............................. 32\n"
    "  num_layers ...................................... 32\n"
    "  num_query_groups ................................ 8\n"
    "  num_experts ..................................... None\n"
    "  pipeline_model_parallel_size .................... 2\n"
    "  position_embedding_type ......................... rope\n"
    "  max_position_embeddings ......................... 8192\n"
    "  seq_length ...................................... 8192\n"
    "  swiglu .......................................... True\n"
    "  bf16 ............................................ True\n"
    "  tensor_model_parallel_size ...................... 2\n"
    "  train_iters ..................................... 500\n"
    "  untie_embeddings_and_output_weights ............. True\n"
    "  world_size ...................................... 16\n"
    "-------------------- end of arguments ---------------------\n"
    " [2026-01-05 10:00:00] iteration       10/     500 | consumed samples:         2560 | elapsed time per iteration (ms): 5250.5 | throughput per GPU (TFLOP/s/GPU): 401.5 | learning rate: 1.5E-05 | global batch size:   256 | lm loss: 1.0875E+01 | loss scale: 1.0 | grad norm: 2.75 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    "some other words\n"
    " [2026-01-05 10:00:52] iteration       20/     500 | consumed samples:         5120 | elapsed time per iteration (ms): 5125.0 | learning rate: 3.0E-05 | global batch size:   256 | lm loss: nan | loss scale: 1.0 | grad norm: 1.25 |\n"
    " [2026-01-05 10:01:44] iteration       30/     500 | consumed sam";

}  // namespace

class TstLogs : public QObject {
    Q_OBJECT
private slots:
    void megatron() {
        const Log log = read(kMegatron);
        QCOMPARE(log.format, std::string("megatron"));
        QCOMPARE(log.runs.at(0).steps.size(), std::size_t{2});
        QCOMPARE(valueAt(log, 10, "step_seconds"), 5.2505);
        QCOMPARE(valueAt(log, 10, "model_flops_per_second_per_device"), 401.5e12);
        QCOMPARE(valueAt(log, 10, "loss"), 10.875);
        QCOMPARE(valueAt(log, 10, "lr"), 1.5e-5);
        QCOMPARE(valueAt(log, 10, "grad_norm"), 2.75);
        QCOMPARE(valueAt(log, 10, "loss_scale"), 1.0);
        QVERIFY(std::isnan(valueAt(log, 20, "loss")));
        QCOMPARE(valueAt(log, 20, "step_seconds"), 5.125);
        QCOMPARE(malformed(log), std::int64_t{1});  // the line that was torn off
        // The list of arguments gives the shape, and with it the tokens.
        const LogRun& run = log.runs[0];
        QVERIFY(run.configKnown);
        QCOMPARE(run.config.model.numLayers, std::int64_t{32});
        QCOMPARE(run.config.model.kvHeads(), std::int64_t{8});
        QVERIFY(!run.config.model.hasBias() && !run.config.model.tieEmbeddings && !run.config.model.moe);
        QCOMPARE(run.config.parallel.dp, std::int64_t{4});
        QCOMPARE(run.steps[1].tokens, std::int64_t{20} * 256 * 8192);
    }
    void others_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("format");
        QTest::addColumn<qint64>("step");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<double>("value");
        const QString titan =
            "\x1b[32m[titan] 2026-01-05 10:00:00,123 - root - INFO - \x1b[31mstep: 10  \x1b[32mloss:  7.2500  \x1b[35mgrad_norm:  1.5000  \x1b[33mmemory: 40.50GiB(50.63%)  \x1b[34mtps: 7,120  \x1b[36mtflops: 412.25  \x1b[35mmfu: 41.50%\x1b[39m\n";
        QTest::newRow("torchtitan loss") << titan << "torchtitan" << qint64{10} << "loss" << 7.25;
        QTest::newRow("torchtitan norm") << titan << "torchtitan" << qint64{10} << "grad_norm" << 1.5;
        QTest::newRow("torchtitan memory")
            << titan << "torchtitan" << qint64{10} << "memory_reserved_bytes" << 40.5 * 1024 * 1024 * 1024;
        QTest::newRow("torchtitan tps") << titan << "torchtitan" << qint64{10} << "tokens_per_second_per_device"
                                        << 7120.0;
        QTest::newRow("torchtitan tflops")
            << titan << "torchtitan" << qint64{10} << "model_flops_per_second_per_device" << 412.25e12;
        QTest::newRow("torchtitan mfu") << titan << "torchtitan" << qint64{10} << "reported_mfu" << 0.415;
        const QString nanotron =
            "01/05/2026 10:00:00 [INFO|DP=0|PP=1|TP=0|node-1]: iteration: 15 / 500 | consumed_tokens: 1.97M | elapsed_time_per_iteration_ms: 2.5K | tokens_per_sec: 52.5K | tokens_per_sec_per_gpu: 6.5K | global_batch_size: 128 | lm_loss: 9.75 | lr: 0.00015 | model_tflops_per_gpu: 310 | hardware_tflops_per_gpu: 325 | grad_norm: 2.5 | cuda_memory_allocated: 5.5G | cuda_max_memory_reserved: 21.5G | hd_total_memory_tb: 312G\n";
        QTest::newRow("nanotron seconds") << nanotron << "nanotron" << qint64{15} << "step_seconds" << 2.5;
        QTest::newRow("nanotron rate") << nanotron << "nanotron" << qint64{15} << "tokens_per_second" << 52500.0;
        QTest::newRow("nanotron loss") << nanotron << "nanotron" << qint64{15} << "loss" << 9.75;
        QTest::newRow("nanotron memory") << nanotron << "nanotron" << qint64{15} << "memory_reserved_bytes" << 21.5e9;
        QTest::newRow("nanotron hardware")
            << nanotron << "nanotron" << qint64{15} << "hardware_flops_per_second_per_device" << 325e12;
        const QString neox =
            " samples/sec: 30.250 | iteration      110/  320000 | elapsed time per iteration (ms): 33850.0 | learning rate: 1.250E-06 | approx flops per GPU: 121.5TFLOPS | lm_loss: 9.250000E+00 | loss scale: 4096.0 | number of skipped iterations:   1 | number of nan iterations:   0 |\n";
        QTest::newRow("neox seconds") << neox << "neox" << qint64{110} << "step_seconds" << 33.85;
        QTest::newRow("neox flops") << neox << "neox" << qint64{110} << "model_flops_per_second_per_device" << 121.5e12;
        QTest::newRow("neox samples") << neox << "neox" << qint64{110} << "sequences_per_second" << 30.25;
        QTest::newRow("neox loss") << neox << "neox" << qint64{110} << "loss" << 9.25;
        const QString deepspeed =
            "[2026-01-05 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=1, lr=[0.00025], mom=[(0.9, 0.95)]\n"
            "[2026-01-05 10:00:00,125] [INFO] [timer.py:215:stop] epoch=0/micro_step=40/global_step=20, RunningAvgSamplesPerSec=12.25, CurrSamplesPerSec=12.5, MemAllocated=1.5GB, MaxMemAllocated=3.25GB\n"
            "steps: 20 loss: 4.5000 iter time (s): 1.250 samples/sec: 102.400\n";
        QTest::newRow("deepspeed lr") << deepspeed << "deepspeed" << qint64{20} << "lr" << 0.00025;
        QTest::newRow("deepspeed skipped") << deepspeed << "deepspeed" << qint64{20} << "skipped_steps" << 1.0;
        QTest::newRow("deepspeed memory")
            << deepspeed << "deepspeed" << qint64{20} << "memory_peak_bytes" << 3.25 * 1024 * 1024 * 1024;
        QTest::newRow("deepspeed loss") << deepspeed << "deepspeed" << qint64{20} << "loss" << 4.5;
        QTest::newRow("deepspeed seconds") << deepspeed << "deepspeed" << qint64{20} << "step_seconds" << 1.25;
        QTest::newRow("deepspeed samples") << deepspeed << "deepspeed" << qint64{20} << "sequences_per_second" << 102.4;
        const QString foundry =
            "[batch=20/3200]:\n\t Train time/batch: 19\n\t Train time/token: 4096000\n\t Train loss/train/total: 8.5000\n\t Train throughput/device/tokens_per_sec: 1234.5000\n"
            "\t Train throughput/device/mfu: 0.4100\n\t Train memory/peak_reserved_mem: 37.5000\n\t Train lr-DecoupledAdamW/group0: 0.0001\n\t Train throughput/batches_per_sec: 0.5000\n";
        QTest::newRow("foundry loss") << foundry << "llm-foundry" << qint64{20} << "loss" << 8.5;
        QTest::newRow("foundry mfu") << foundry << "llm-foundry" << qint64{20} << "reported_mfu" << 0.41;
        QTest::newRow("foundry memory") << foundry << "llm-foundry" << qint64{20} << "memory_reserved_bytes" << 37.5e9;
        QTest::newRow("foundry seconds") << foundry << "llm-foundry" << qint64{20} << "step_seconds" << 2.0;
        QTest::newRow("foundry lr") << foundry << "llm-foundry" << qint64{20} << "lr" << 0.0001;
    }
    void others() {
        QFETCH(QString, text);
        QFETCH(QString, format);
        QFETCH(qint64, step);
        QFETCH(QString, metric);
        QFETCH(double, value);
        const std::string bytes = text.toStdString();
        QCOMPARE(guessLogFormat(bytes), format.toStdString());
        const Log log = read(bytes);
        QCOMPARE(valueAt(log, step, metric.toStdString()), value);
        QCOMPARE(malformed(log), std::int64_t{0});
    }
    void throughputBecomesSeconds() {
        RunConfig config;
        config.train.seqLen = 256;
        config.train.globalBatchSize = 8;
        config.parallel.dp = 4;
        const Log log = read("step: 5  loss: 1.0  tps: 512\n", "torchtitan", config);
        QCOMPARE(valueAt(log, 5, "step_seconds"), 256.0 * 8 / 4 / 512);
        QCOMPARE(log.runs[0].steps[0].tokens, std::int64_t{5} * 256 * 8);
    }
    void nanotronTable() {
        const std::string head =
            "job_id,name,nodes,seq_len,mbs,batch_accum,gbs,mTFLOPs,hTFLOPs,tok/s/gpu,Mem Alloc (GB),Mem Res (GB),dp,pp,tp,cp,pp_engine,tp_mode,recompute_layer,hidden_size,num_layers,num_heads,num_kv_heads,max_pos,vocab_size,tie_word_embeddings,dtype,zero_stage,accumulate_grad_in_fp32,Total Params\n";
        const Log log = read(
            head +
            "1,run_a,2,4096,2,4,32,350.5,360.25,9500.5,20.5,30.25,4,2,2,1,OneForwardOneBackwardPipelineEngine,TensorParallelLinearMode.REDUCE_SCATTER,False,2048,16,16,8,4096,131072,True,torch.bfloat16,1,True,1.2B\n" +
            "2,short,2\n" + "\n");
        QCOMPARE(log.format, std::string("nanotron-csv"));
        QCOMPARE(log.runs.size(), std::size_t{1});
        QCOMPARE(malformed(log), std::int64_t{1});
        const LogRun& run = log.runs[0];
        QCOMPARE(run.name, std::string("run_a"));
        QCOMPARE(run.config.parallel.worldSize(), std::int64_t{16});
        QCOMPARE(run.config.train.globalBatchSize, std::int64_t{32});
        QVERIFY(run.config.parallel.sequenceParallel);
        QVERIFY(run.config.train.precision == Precision::Bf16 && run.config.parallel.zeroStage == 1);
        QVERIFY(!hasErrors(validate(run.config)));
        QCOMPARE(valueAt(log, 1, "memory_peak_bytes"), 20.5 * 1024 * 1024 * 1024);  // their GB are 2^30
        QCOMPARE(valueAt(log, 1, "step_seconds"), 32.0 * 4096 / 16 / 9500.5);
    }
    void foundryTable() {
        const Log log = read(
            "Model,SeqLen (T),# GPUs,GPUs,MFU,HFU,Model TFLOP,MicroBatchSize,GlobalBatchSize (S),Throughput (T/s),Precision,Sharding\n"
            "7b,2048,8,8,45.5,60.25,142.0,4,64,\"20480\",amp_bf16,FULL_SHARD\n");
        QCOMPARE(log.format, std::string("llm-foundry-csv"));
        QCOMPARE(valueAt(log, 1, "reported_mfu"), 0.455);
        QCOMPARE(valueAt(log, 1, "step_seconds"), 64.0 * 2048 / 20480);
        QCOMPARE(log.runs[0].config.parallel.zeroStage, std::int64_t{3});
        QCOMPARE(log.runs[0].name, std::string("7b"));
    }
    void rawNamesAreKept() {
        const Log log = read("step: 5  loss: 1.0  tps: 512  Warp Speed: 9.5\n", "torchtitan");
        bool found = false;
        for (const NameUse& use : log.names)
            if (use.raw == "Speed") found = !use.known && use.metric == "speed" && use.points == 1;
        QVERIFY(found);
        QCOMPARE(valueAt(log, 5, "speed"), 9.5);
    }
    void aliasesAreSound() {
        std::set<std::string> ours = {"", "tokens"};
        for (const MetricName& name : kStepMetrics) ours.emplace(name.name);
        for (const MetricName& name : kDerivedMetrics) ours.emplace(name.name);
        for (const char* more :
             {"model_flops_per_second_per_device", "hardware_flops_per_second_per_device", "memory_reserved_bytes",
              "memory_allocated_bytes", "memory_active_bytes", "reported_mfu", "reported_hfu", "skipped_steps",
              "nan_steps", "loss_scale", "loss_max", "sequences_per_second", "sequences_per_second_mean",
              "steps_per_second", "perplexity", "spike_loss", "spike_mean_loss"})
            ours.emplace(more);
        std::set<std::pair<std::string, std::string>> seen;
        for (const Alias& alias : aliases()) {
            QVERIFY2(seen.emplace(alias.format, alias.raw).second, std::string(alias.raw).c_str());
            QVERIFY2(ours.contains(std::string(alias.metric)), std::string(alias.metric).c_str());
            QVERIFY2(alias.factor > 0, std::string(alias.raw).c_str());
            // A figure never passes under the name of another unit.
            if (std::string(alias.raw).find("(ms)") != std::string::npos) QCOMPARE(alias.factor, 1e-3);
            if (std::string(alias.raw).find("(%)") != std::string::npos) QCOMPARE(alias.factor, 1e-2);
            if (std::string(alias.raw).find("(GiB)") != std::string::npos) QCOMPARE(alias.factor, 1024.0 * 1024 * 1024);
        }
    }
    void impossibleValues() {
        const Log log = read(
            "step: 1  loss: 1.0  memory: -4.5GiB(5.6%)  tps: -7  mfu: 141.5%\n"
            "step: 2  loss: -1.0  memory: 4.5GiB(5.6%)  tps: 7  mfu: 100%\n"
            "step: 3  loss: 1.0  memory: 400.50GiB(500.63%)  tps: 7  mfu: 40%\n"
            "step: 4  loss: 1.0  memory: 80.00GiB(100.00%)  tps: 7  mfu: 40%\n");
        QCOMPARE(log.malformed.size(), std::size_t{4});
        for (const char* reason : {"memory_reserved_bytes is negative", "tokens_per_second_per_device is negative",
                                   "reported_mfu is above 100 %", "memory_reserved_bytes exceeds the device memory"}) {
            QVERIFY2(log.malformed.contains(reason), reason);
            QCOMPARE(log.malformed.at(reason).count, std::int64_t{1});
        }
        QCOMPARE(log.runs[0].steps[0].values.size(), std::size_t{1});
        QCOMPARE(log.runs[0].steps[1].values.size(), std::size_t{4});
        QCOMPARE(log.runs[0].steps[2].values.size(), std::size_t{3});
        QCOMPARE(log.runs[0].steps[3].values.size(), std::size_t{4});
        // A CSV of steps and its like go the same way.
        const Log table = read("step,loss,step_seconds\n1,2.5,-0.5\n2,2.4,0.5\n");
        QCOMPARE(table.malformed.at("step_seconds is negative").count, std::int64_t{1});
    }
    // However a log is cut into pieces, and with a sink or without, it is the same log.
    void pieces_data() {
        QTest::addColumn<int>("size");
        for (const int size : {1, 2, 7, 64, 100000}) QTest::addRow("%d", size) << size;
    }
    void pieces() {
        QFETCH(int, size);
        const std::string text = kMegatron;
        const Log whole = read(text);
        for (const bool hasSink : {false, true}) {
            std::vector<MetricStep> given;
            LineLog log("megatron", "test.log", {}, {},
                        hasSink ? StepSink([&](const MetricStep& step) { given.push_back(step); }) : StepSink{});
            for (std::size_t at = 0; at < text.size(); at += static_cast<std::size_t>(size))
                log.feed(std::string_view(text).substr(at, static_cast<std::size_t>(size)));
            const auto cut = log.finish();
            QVERIFY(cut.has_value());
            QCOMPARE(cut->lines, whole.lines);
            QCOMPARE(cut->used, whole.used);
            QCOMPARE(malformed(*cut), malformed(whole));
            QCOMPARE(cut->runs[0].numSteps(), std::int64_t{2});
            QVERIFY(cut->runs[0].configKnown);
            const std::vector<MetricStep>& steps = hasSink ? given : cut->runs[0].steps;
            QCOMPARE(steps.size(), std::size_t{2});
            QCOMPARE(steps[0].values.size(), whole.runs[0].steps[0].values.size());
            QVERIFY(cut->runs[0].steps.empty() == hasSink);
        }
    }
    // A sink gets the steps in order, the last value of those that come again soon, and from where the run was
    // restarted once more.
    void sinkGetsRestarts() {
        std::string text;
        const auto add = [&](int from, int to, int loss) {
            for (int i = from; i <= to; ++i)
                text += "step: " + std::to_string(i) + "  loss: " + std::to_string(loss) + ".0  tps: 1\n";
        };
        add(1, 10000, 1);
        add(9990, 20000, 2);  // soon: within what is kept back
        add(5001, 25000, 3);
        std::vector<MetricStep> given;
        LineLog log("torchtitan", "test.log", {}, {}, [&](const MetricStep& step) { given.push_back(step); });
        log.feed(text);
        QVERIFY(log.finish().has_value());
        std::vector<std::int64_t> restarts;
        std::map<std::int64_t, double> last;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (i > 0 && given[i].step <= given[i - 1].step) restarts.push_back(given[i].step);
            last[given[i].step] = given[i].values.front().second;
        }
        QCOMPARE(restarts, std::vector<std::int64_t>{5001});
        QCOMPARE(given.back().step, std::int64_t{25000});
        QCOMPARE(last.at(9989), 3.0);
        QCOMPARE(last.at(5000), 1.0);
        QCOMPARE(given.size(), std::size_t{20000 + 20000});
        // Without a sink: each step once.
        QCOMPARE(read(text).runs[0].steps.size(), std::size_t{25000});
    }
    // A late line about an old step is no restart.
    void sinkDropsStrays() {
        std::string text;
        for (int i = 1; i <= 10000; ++i) {
            text += "step: " + std::to_string(i) + "  loss: 1.0  tps: 1\n";
            if (i == 9000) text += "step: 3  loss: 7.0  tps: 1\n";
        }
        std::int64_t last = 0;
        bool isAscending = true;
        LineLog log("torchtitan", "test.log", {}, {}, [&](const MetricStep& step) {
            isAscending = isAscending && step.step == last + 1;
            last = step.step;
        });
        log.feed(text);
        const auto read = log.finish();
        QVERIFY(read && isAscending);
        QCOMPARE(last, std::int64_t{10000});
        QCOMPARE(read->runs[0].numSteps(), std::int64_t{10000});
        QCOMPARE(read->malformed.at("steps far behind the last one").count, std::int64_t{1});
    }
    void longLinesAreCounted() {
        const Log log = read(std::string(3U << 20, 'x') + "\nstep: 1  loss: 1.0  tps: 1\n" + std::string(2U << 20, 'y'),
                             "torchtitan");
        QCOMPARE(log.lines, std::int64_t{3});
        QCOMPARE(log.malformed.at("line longer than 1 MiB").count, std::int64_t{2});
        LineLog cut("torchtitan", "test.log", {});
        for (int i = 0; i < 3000; ++i) cut.feed(std::string(1000, 'x'));
        cut.feed("\nstep: 1  loss: 1.0\n");
        const auto read = cut.finish();
        QVERIFY(read.has_value());
        QCOMPARE(read->malformed.at("line longer than 1 MiB").count, std::int64_t{1});
    }
    void refuses() {
        QCOMPARE(readLog("hello\nworld\n", "x").error().code, std::string("bad_log"));
        QCOMPARE(readLog("", "x").error().code, std::string("bad_log"));
        QCOMPARE(readLog("hello\n", "x", "megatron").error().code, std::string("bad_log"));
        QCOMPARE(readLog("hello\n", "x", "megatorn").error().code, std::string("usage"));
    }
};

class TstTfEvents : public QObject {
    Q_OBJECT
private slots:
    void crc() {
        // The check value of CRC-32C, and RFC 3720 B.4: 32 bytes of zeros, of ones.
        QCOMPARE(crc32c("123456789"), 0xE3069283U);
        QCOMPARE(crc32c(std::string(32, '\0')), 0x8A9136AAU);
        QCOMPARE(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
    }
    void scalars() {
        std::string file = tfRecord(std::string("\x09\x01\x02\x03\x04\x05\x06\x07\x08\x1a\x0d") + "brain.Event:2");
        file += tfRecord(scalarEvent({1.5, 10, "lm loss", 7.25}));
        file += tfRecord(scalarEvent({1.5, 10, "iteration-time", 0.5}));
        file += tfRecord(scalarEvent({1.5, 5120, "lm loss vs samples", 7.25}));
        file += tfRecord(scalarEvent({2.5, 300, "mfu(%)", 41.5}));
        // A scalar as newer writers put it: a tensor of no dimensions, its float in tensor_content.
        const std::string tensor("\x08\x01\x22\x04\x00\x00\xc0\x40", 8);
        const std::string value = std::string("\x0a\x07") + "lm loss" + "\x42\x08" + tensor;
        const std::string summary = std::string("\x0a") + static_cast<char>(value.size()) + value;
        file += tfRecord(std::string("\x10\x14\x2a") + static_cast<char>(summary.size()) + summary);
        const Log log = read(file);
        QCOMPARE(log.format, std::string("tensorboard"));
        QCOMPARE(valueAt(log, 10, "loss"), 7.25);
        QCOMPARE(valueAt(log, 10, "step_seconds"), 0.5);
        QCOMPARE(valueAt(log, 300, "reported_mfu"), 0.415);
        QCOMPARE(valueAt(log, 20, "loss"), 6.0);
        QCOMPARE(log.runs[0].steps.size(), std::size_t{3});
        QCOMPARE(log.runs[0].steps[0].timeUnixMilliseconds, std::int64_t{1500});
        QCOMPARE(malformed(log), std::int64_t{0});
    }
    void damage() {
        const std::string first = tfRecord(scalarEvent({1, 1, "loss", 3})),
                          second = tfRecord(scalarEvent({2, 2, "loss", 2}));
        // Torn at every byte: what is whole is read, the rest is one unfinished record.
        for (std::size_t cut = first.size(); cut < first.size() + second.size(); ++cut) {
            int taken = 0;
            const EventCounts counts =
                readScalarEvents((first + second).substr(0, cut), [&](const ScalarEvent&) { ++taken; });
            QCOMPARE(taken, 1);
            QCOMPARE(counts.malformed.size(), cut == first.size() ? std::size_t{0} : std::size_t{1});
        }
        // Any changed byte of the first record is found; behind a changed length nothing is read.
        for (std::size_t at = 0; at < first.size(); ++at) {
            std::string broken = first + second;
            broken[at] = static_cast<char>(broken[at] ^ 0x40);
            std::int64_t lastStep = 0, taken = 0;
            const EventCounts counts = readScalarEvents(broken, [&](const ScalarEvent& event) {
                lastStep = event.step;
                ++taken;
            });
            QCOMPARE(counts.malformed.size(), std::size_t{1});
            QCOMPARE(taken, at < 12 ? std::int64_t{0} : std::int64_t{1});
            if (at >= 12) QCOMPARE(lastStep, std::int64_t{2});
        }
    }
};

SLIPWAY_TEST(TstLogs)
SLIPWAY_TEST(TstTfEvents)

}  // namespace slipway::interop

#include "tst_logs.moc"
