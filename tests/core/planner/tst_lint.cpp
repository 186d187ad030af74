// Each lint rule fires on the mistake it is named after, and on nothing else.
#include "core/base/json.h"
#include "core/planner/advice/lint.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <algorithm>
#include <set>

namespace slipway {

namespace {

RunScript script(const QString& facts) {
    Issues issues;
    const auto json = parseJson(facts.toStdString(), "facts");
    if (!json) qFatal("%s", json.error().text().c_str());
    const RunScript read = runScriptFromJson(*json, issues);
    if (!issues.empty()) qFatal("%s", issues.front().message.c_str());
    return read;
}

QString codes(const RunScript& s) {
    QStringList list;
    for (const Issue& issue : lint(s)) list << QString::fromStdString(issue.code);
    return list.join(" ");
}

}  // namespace

class TstLint : public QObject {
    Q_OBJECT
private slots:
    void rules_data() {
        QTest::addColumn<QString>("bad");
        QTest::addColumn<QString>("good");
        QTest::addColumn<QString>("code");
        const auto row = [](const char* code, const char* bad, const char* good) {
            QTest::newRow(code) << bad << good << code;
        };
        // Guide 000, section 10: 1 B tokens in batches of 1,024 x 2,048 are 477 steps; it saves every 1,000.
        row("interval_never_reached",
            R"({"total_tokens": 1e9, "global_batch_size": 1024, "seq_len": 2048, "save_every": 1000})",
            R"({"total_tokens": 1e9, "global_batch_size": 1024, "seq_len": 2048, "save_every": 477, "eval_every": 100})");
        row("token_dtype_too_small", R"({"vocab_size": 128256, "token_bits": 16})",
            R"({"vocab_size": 65536, "token_bits": 16})");
        row("batch_mismatch", R"({"global_batch_size": 1536, "micro_batch_size": 1, "accumulation": 256, "dp": 4})",
            R"({"global_batch_size": 2048, "micro_batch_size": 1, "accumulation": 256, "dp": 8})");
        row("layout_mismatch", R"({"devices": 8960, "dp": 2048, "tp": 4})",
            R"({"devices": 8960, "dp": 2240, "tp": 4})");
        row("layout_not_divisible", R"({"num_layers": 80, "pp": 16, "num_heads": 64, "num_kv_heads": 6, "tp": 16})",
            R"({"num_layers": 80, "pp": 16, "num_heads": 64, "num_kv_heads": 8, "tp": 16})");
        row("batch_not_divisible", R"({"global_batch_size": 1000, "micro_batch_size": 3, "dp": 8})",
            R"({"global_batch_size": 1008, "micro_batch_size": 3, "dp": 8})");
        row("few_micro_batches", R"({"pp": 16, "accumulation": 8})", R"({"pp": 16, "accumulation": 64})");
        row("bubble_over_share", R"({"pp": 16, "accumulation": 16})",
            R"({"pp": 16, "accumulation": 16, "virtual_stages": 8, "schedule": "interleaved_1f1b"})");
        QTest::newRow("bubble_over_share of a batch")
            << R"({"pp": 16, "global_batch_size": 32, "micro_batch_size": 1, "dp": 2})"
            << R"({"pp": 16, "global_batch_size": 256, "micro_batch_size": 1, "dp": 2})"
            << "bubble_over_share";
        QTest::newRow("few_micro_batches of a batch")
            << R"({"pp": 16, "global_batch_size": 16, "micro_batch_size": 1, "dp": 2})"
            << R"({"pp": 16, "global_batch_size": 256, "micro_batch_size": 1, "dp": 2})"
            << "few_micro_batches";
        row("labels_shifted_twice", R"({"reader_shifts_labels": true, "model_shifts_labels": true})",
            R"({"reader_shifts_labels": true, "model_shifts_labels": false})");
        row("data_order_lost", R"({"restores_data_order": false})", R"({"restores_data_order": true})");
        row("local_rank_writes", R"({"writer": "local_rank_0", "devices": 32, "devices_per_node": 8})",
            R"({"writer": "local_rank_0", "devices": 8, "devices_per_node": 8})");
        row("schedule_past_end", R"({"schedule_steps": 1000, "num_steps": 1500})",
            R"({"schedule_steps": 1000, "num_steps": 1500, "clamps_schedule": true})");
        row("first_update_wasted", R"({"first_learning_rate": 0})", R"({"first_learning_rate": 1e-6})");
        row("mixture_sum", R"({"mixture": [0.67, 0.14, 0.045, 0.045, 0.025, 0.025, 0.02]})",
            R"({"mixture": [0.67, 0.15, 0.045, 0.045, 0.045, 0.025, 0.02]})");
        row("workers_repeat_data", R"({"loader_workers": 4, "workers_split_data": false})",
            R"({"loader_workers": 1, "workers_split_data": false})");
        row("zero_init_stage", R"({"zero_stage": 2, "zero_init_stage": 3})",
            R"({"zero_stage": 3, "zero_init_stage": 3})");
        row("unknown_as_zero", R"({"price_per_hour": 0})", R"({"price_per_hour": 1.99, "peak_flops": 312e12})");
        // The first layout the guide prints that is too large, and the first that fits (inventory 1, row 5).
        row("state_does_not_fit",
            R"({"parameters": 174615822336, "bytes_per_parameter": 18, "tp": 8, "pp": 4, "device_bytes": 80e9})",
            R"({"parameters": 174615822336, "bytes_per_parameter": 18, "tp": 8, "pp": 8, "device_bytes": 80e9})");
        // 70 B parameters: 12 bytes each over 8 ranks of one node, or of two.
        row("host_state_does_not_fit",
            R"({"parameters": 70e9, "offloads_optimizer": true, "dp": 8, "zero_stage": 2, "devices_per_node": 8, "host_bytes": 549755813888})",
            R"({"parameters": 70e9, "offloads_optimizer": true, "dp": 16, "zero_stage": 2, "devices_per_node": 8, "host_bytes": 549755813888})");
        row("tp_across_nodes", R"({"tp": 16, "devices_per_node": 8})", R"({"tp": 8, "devices_per_node": 8})");
        row("sync_every_micro_step", R"({"syncs_every_micro_step": true, "accumulation": 8})",
            R"({"syncs_every_micro_step": true, "accumulation": 1})");
        row("scaler_with_bf16", R"({"scales_bf16_loss": true})", R"({"scales_bf16_loss": false})");
        row("saved_loss_cleared", R"({"saves_cleared_loss": true})", R"({"saves_cleared_loss": false})");
        row("ramp_not_whole", R"({"ramp_tokens": [32000, 4000000], "seq_len": 2048})",
            R"({"ramp_tokens": [32768, 4194304], "seq_len": 2048, "micro_batch_size": 2, "dp": 8})");
        row("spike_rule_blind", R"({"spike_rule_sees_nan": false})", R"({"spike_rule_sees_nan": true})");
        row("reader_chunk_short", R"({"chunk_tokens": 2048, "seq_len": 2048})",
            R"({"chunk_tokens": 2049, "seq_len": 2048})");
        row("saves_repeated", R"({"saves_per_micro_step": true, "accumulation": 8})",
            R"({"saves_per_micro_step": true, "accumulation": 1})");
        row("length_mismatch",
            R"({"num_steps": 300000, "global_batch_size": 1536, "seq_len": 2048, "total_tokens": 300e9})",
            R"({"num_steps": 95367, "global_batch_size": 1536, "seq_len": 2048, "total_tokens": 300e9})");
        row("fewer_tokens_than_parameters", R"({"parameters": 175e9, "total_tokens": 174e9})",
            R"({"parameters": 175e9, "total_tokens": 175e9})");
        QTest::newRow("fewer_tokens_than_parameters of steps")
            << R"({"parameters": 7e9, "num_steps": 1000, "global_batch_size": 1024, "seq_len": 2048})"
            << R"({"parameters": 7e9, "num_steps": 999, "global_batch_size": 1024, "seq_len": 2048})"
            << "fewer_tokens_than_parameters";
        row("too_few_repeats", R"({"repeats": 2})", R"({"repeats": 3})");
    }
    void rules() {
        QFETCH(QString, bad);
        QFETCH(QString, good);
        QFETCH(QString, code);
        QCOMPARE(codes(script(bad)), code);
        QCOMPARE(codes(script(good)), QString());
        const Issue issue = lint(script(bad)).front();
        // The issue names a fact that was given, and says something.
        QVERIFY2(bad.contains("\"" + QString::fromStdString(issue.field) + "\""), issue.field.c_str());
        QVERIFY(issue.message.size() > 30);
    }
    void rulesAreNamedOnceAndSourced() {
        std::set<std::string> known;
        for (const LintRule& rule : lintRules()) {
            QVERIFY2(known.insert(rule.code).second, rule.code);
            QVERIFY(std::string(rule.evidence).size() > 10);
            QCOMPARE(evidenceOf(rule.code), rule.evidence);
        }
        QVERIFY(known.size() >= 22);
        QCOMPARE(evidenceOf("nothing"), static_cast<const char*>(nullptr));
    }
    void figuresAreTheSources() {
        const auto message = [](const char* facts) {
            return QString::fromStdString(lint(script(facts)).front().message);
        };
        QVERIFY(message(R"({"total_tokens": 1e9, "global_batch_size": 1024, "seq_len": 2048, "save_every": 1000})")
                    .contains("477 steps"));
        QVERIFY(message(R"({"devices": 8960, "dp": 2048, "tp": 4})").contains("768 remain idle"));
        QVERIFY(message(R"({"saves_per_micro_step": true, "accumulation": 8})")
                    .contains("7 saves at step 0 and 8 at each"));
        const QString both = message(R"({"num_steps": 477, "save_every": 1000, "eval_every": 2000})");
        QVERIFY2(both.contains("477 steps") && both.contains("intervals are 1,000 and 2,000"), qPrintable(both));
        // 15 / (16 + 15)
        QVERIFY(message(R"({"pp": 16, "accumulation": 16})").contains("idle 48.4 % of its time"));
        QVERIFY(message(R"({"global_batch_size": 1000, "micro_batch_size": 3, "dp": 8})")
                    .contains("micro-batch x dp = 24"));
        QVERIFY(message(R"({"mixture": [0.67, 0.14, 0.045, 0.045, 0.025, 0.025, 0.02]})").contains("0.97"));
        QVERIFY(message(R"({"writer": "local_rank_0", "devices": 32, "devices_per_node": 8})").contains("4 ranks"));
        // Every replica keeps all of 7 B x 12 bytes under ZeRO-0; only the ranks there are count.
        QVERIFY(
            message(
                R"({"parameters": 7e9, "offloads_optimizer": true, "dp": 4, "zero_stage": 0, "devices_per_node": 8, "host_bytes": 300e9})")
                .contains("4 ranks take 312.9 GiB"));
        QCOMPARE(
            codes(script(
                R"({"parameters": 7e9, "offloads_optimizer": true, "dp": 4, "zero_stage": 1, "devices_per_node": 8, "host_bytes": 300e9})")),
            QString());
        QCOMPARE(
            codes(script(
                R"({"parameters": 7e9, "offloads_optimizer": false, "dp": 4, "zero_stage": 0, "devices_per_node": 8, "host_bytes": 300e9})")),
            QString());
        QVERIFY(message(R"({"num_steps": 300000, "global_batch_size": 1536, "seq_len": 2048, "total_tokens": 300e9})")
                    .contains("944 B"));
    }
    // By title or author, and by address or paper where there is one: numbers that only our own lists know help nobody.
    void evidenceNamesItsSource() {
        const std::set<QString> titles{QStringLiteral("Guide to training 100B+ models"),
                                       QStringLiteral("Pre-training infrastructure, lesson 6")};
        for (const LintRule& rule : lintRules()) {
            const QString evidence = QString::fromUtf8(rule.evidence);
            QVERIFY2(!evidence.contains(QRegularExpression(QStringLiteral("(?<!,)\\b00[0-9]\\b"))), rule.code);
            const bool titled =
                std::any_of(titles.begin(), titles.end(), [&](const QString& t) { return evidence.contains(t); });
            const bool addressed =
                evidence.contains(QRegularExpression(QStringLiteral("arXiv \\d{4}\\.\\d{5}|[a-z]\\.(io|com|co)/")));
            QVERIFY2(titled || addressed, rule.evidence);
        }
        QCOMPARE(QString::fromUtf8(evidenceOf("few_micro_batches")).section(':', 0, 0),
                 QStringLiteral("Narayanan 2021, arXiv 2104.04473, section 2.2"));
    }
    void unknownFactsAreRefusedAndMissingOnesAreNot() {
        QCOMPARE(codes(RunScript{}), QString());
        Issues issues;
        (void)runScriptFromJson(Json{{"save_evry", 3}}, issues);
        QVERIFY(issues.size() == 1 && issues.front().message.find("save_every") != std::string::npos);
        QVERIFY(runScriptFields().size() > 35);
    }
    void plansWarnAndRefuseSparsePeaks() {
        RunConfig c;
        c.checkpoint.everySteps = c.train.numSteps + 1;
        c.parallel.pp = 4;
        c.train.globalBatchSize = 4;
        ClusterSpec h100 = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        const auto codesOf = [](const Plan& plan) {
            std::set<std::string> found;
            for (const Issue& issue : plan.issues) found.insert(issue.code);
            return found;
        };
        const auto found = codesOf(makePlan(c, h100));
        QVERIFY(found.count("interval_never_reached") == 1 && found.count("few_micro_batches") == 1);
        QVERIFY(found.count("sparse_peak") == 0);
        h100.device.peakFp8Flops = 3957.8e12;
        QVERIFY(codesOf(makePlan(c, h100)).count("sparse_peak") == 1);
        h100.device.name = "My own device";
        QVERIFY(codesOf(makePlan(c, h100)).count("sparse_peak") == 0);
    }
    void ourOwnConfigsAreClean() {
        RunConfig c;
        c.model = findModelPreset("llama3-8b")->model;
        c.train.precision = Precision::Bf16;
        c.train.seqLen = 8192;
        c.parallel.dp = 8;
        c.parallel.zeroStage = 1;
        ClusterSpec h100 = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        QCOMPARE(codes(runScriptOf(c, h100)), QString());
        c.checkpoint.everySteps = c.train.numSteps + 1;
        c.parallel.pp = 4;
        c.train.globalBatchSize = 16;
        c.train.microBatchSize = 2;
        QCOMPARE(codes(runScriptOf(c, h100)), QString("interval_never_reached few_micro_batches"));
    }
};

SLIPWAY_TEST(TstLint)

}  // namespace slipway

#include "tst_lint.moc"
