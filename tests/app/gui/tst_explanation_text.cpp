#include "app/gui/explanation_text.h"
#include "app/gui/language.h"
#include "app/gui/text.h"
#include "app/gui/widgets/explain_dialog.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QFile>
#include <QLabel>
#include <QRegularExpression>
#include <QSet>
#include <map>

using namespace slipway;
using namespace slipway::gui;

// Whatever a plan explains has words in Korean, and English stays core's own.
class TstExplanationText : public QObject {
    Q_OBJECT

    struct Case {
        const char* name;
        const char* model;
        const char* device;
        const char* changes;       ///< of the config, apart by blanks
        const char* cluster = "";  ///< "stack", "curves", "measured"
    };

    static std::vector<CommCurve> curves() {
        const auto one = [](Collective operation, std::int64_t ranks, std::int64_t perNode) {
            return CommCurve{operation, ranks, perNode, 1e-5, 1e11, ranks == 4 ? "" : "test", "2026-11"};
        };
        return {one(Collective::AllGather, 4, 4), one(Collective::AllGather, 2, 2),
                one(Collective::ReduceScatter, 16, 8), one(Collective::ReduceScatter, 64, 8),
                one(Collective::AllReduce, 64, 8)};
    }

    /// Dense, experts, pipelines, offload, TPUs, CPUs, a calibrated stack, measured curves: every sentence of the table
    /// is met.
    static std::vector<Plan> plans() {
        const char *h100 = "NVIDIA H100 SXM 80 GB", *tpu = "Google TPU v5p", *cpu = "";
        const std::vector<Case> cases{
            {"dense", "llama3-8b", h100, "parallel.dp=8 parallel.zero_stage=3"},
            {"one device", "gpt2-124m", h100, ""},
            {"pipeline", "llama3-8b", h100,
             "parallel.dp=2 parallel.tp=4 parallel.pp=2 parallel.sequence_parallel=true parallel.async_tp=true"},
            {"DualPipe", "llama3-8b", h100, "parallel.tp=2 parallel.pp=4 parallel.schedule=dualpipe"},
            {"recomputed", "llama3-8b", h100, "parallel.dp=4 train.recompute.policy=full train.recompute.layers=8"},
            {"ring", "llama3-8b", h100, "parallel.tp=2 parallel.cp=4"},
            {"gathered", "llama3-8b", h100, "parallel.tp=2 parallel.cp=4 parallel.cp_kind=all_gather"},
            {"Ulysses", "llama3-8b", h100, "parallel.tp=2 parallel.cp=4 parallel.cp_kind=ulysses"},
            {"experts", "mixtral-8x7b", h100,
             "parallel.dp=8 parallel.tp=2 parallel.ep=4 parallel.zero_stage=3 optimizer.kind=muon"},
            {"experts, one group", "mixtral-8x7b", h100, "parallel.dp=4 parallel.tp=4 parallel.pp=2"},
            {"latent attention", "deepseek-v3", h100,
             "parallel.dp=8 parallel.ep=8 parallel.zero_stage=1 parallel.offload=activations"},
            {"offloaded", "llama3-8b", h100,
             "parallel.dp=4 parallel.pp=2 parallel.zero_stage=1 parallel.offload=all optimizer.kind=muon"},
            {"ramp, no checkpoints", "llama3-8b", h100,
             "parallel.dp=4 train.batch_ramp.initial=16 train.batch_ramp.tokens=50000000 checkpoint.every_steps=0"},
            {"graphs", "llama3.2-1b", h100, "parallel.dp=2 train.cuda_graphs=true train.seq_len=256"},
            {"graphs, not captured", "llama3.2-1b", h100, "parallel.dp=2 parallel.tp=2 train.cuda_graphs=true"},
            {"TPU", "llama3-8b", tpu, "parallel.dp=4 parallel.tp=2"},
            {"CPU", "gpt2-124m", cpu, "parallel.dp=2 parallel.pp=2 train.device=cpu"},
            {"stack", "llama3-8b", h100, "parallel.dp=4 parallel.tp=4 parallel.pp=2 parallel.zero_stage=1",
             "stack curves"},
            {"measured", "llama3-8b", h100, "parallel.dp=4 parallel.tp=2", "measured"},
            {"curves", "llama3-8b", h100,
             "parallel.dp=8 parallel.tp=4 parallel.sequence_parallel=true parallel.zero_stage=1", "curves"},
            {"curves of some sizes", "llama3-8b", h100, "parallel.dp=4 parallel.tp=8 parallel.sequence_parallel=true",
             "curves"},
            {"a pair's curve", "llama3-8b", h100, "parallel.dp=4 parallel.tp=2 parallel.sequence_parallel=true",
             "curves"}};
        std::vector<Plan> all;
        for (const Case& one : cases) {
            RunConfig config;
            config.model = findModelPreset(one.model)->model;
            config.train.seqLen = 1024;
            config.train.globalBatchSize = 64;
            config.train.precision = Precision::Bf16;
            config.train.device = DeviceKind::Gpu;
            config.train.numSteps = 500;
            config.checkpoint.everySteps = 100;
            Json json = toJson(config);
            for (const QString& change : QString(one.changes).split(' ', Qt::SkipEmptyParts))
                if (!setField(json, change.section('=', 0, 0).toStdString(), change.section('=', 1).toStdString()))
                    qFatal("%s", one.name);
            const auto parsed = parseRunConfig(json, one.name);
            if (!parsed) qFatal("%s: %s", one.name, parsed.error().message.c_str());
            ClusterSpec cluster;
            if (*one.device != '\0') cluster = *findDevicePreset(one.device);
            cluster.numNodes = 8;
            const QString more = one.cluster;
            if (more.contains("stack")) {
                cluster.stack = StackProfile{};
                cluster.stack->name = "somebody's";
                cluster.calibration = "calibrated";
            }
            if (more.contains("curves")) cluster.commCurves = curves();
            if (more.contains("measured")) {
                cluster.calibration = "measured";
                cluster.device.name = "nobody's";
                cluster.device.pricePerHour.reset();
            }
            all.push_back(makePlan(*parsed, cluster));
            if (all.back().memory.empty()) qFatal("%s has no plan", one.name);
        }
        return all;
    }

    /// A plan for every piece of advice: figures of a plain one are moved to where the rule speaks.
    static std::vector<Plan> advisedPlans() {
        std::vector<Plan> all;
        Plan plain = plans().front(), graphs = plans()[13];
        plain.config.parallel = ParallelLayout{};
        plain.config.parallel.dp = 2;
        plain.config.parallel.tp = 4;
        plain.config.parallel.pp = 2;
        plain.memoryPeakBytes = 0.6 * plain.memoryCapacityBytes;
        const auto with = [&all](Plan plan, auto change) {
            change(plan);
            all.push_back(std::move(plan));
        };
        const auto part = [](Plan& p, double MemoryBreakdown::*bytes) { p.memory[p.worstStage].bytes.*bytes = 1e12; };
        with(plain, [&](Plan& p) {
            p.memoryPeakBytes = 2 * p.memoryCapacityBytes;
            part(p, &MemoryBreakdown::activationBytes);
        });
        with(plain, [&](Plan& p) {
            p.memoryPeakBytes = 2 * p.memoryCapacityBytes;
            part(p, &MemoryBreakdown::optimizerBytes);
        });
        with(plain, [&](Plan& p) {
            p.memoryPeakBytes = 0.95 * p.memoryCapacityBytes;
            part(p, &MemoryBreakdown::logitsBytes);
        });
        with(plain, [](Plan& p) { p.memoryPeakBytes = 0.1 * p.memoryCapacityBytes; });
        with(plain, [](Plan& p) {
            p.memoryPeakBytes = 0.1 * p.memoryCapacityBytes;
            p.config.train.recompute.policy = RecomputePolicy::Full;
        });
        with(plain, [](Plan& p) {
            p.step.bubbleSimulated = 0.5;
            p.step.bubbleTheoretical = 0.1;
        });
        with(plain, [](Plan& p) { p.step.dpExposedSeconds = p.step.tpExposedSeconds = p.step.stepSeconds / 2; });
        with(plain, [](Plan& p) {
            p.step.tpExposedSeconds = p.step.stepSeconds / 2;
            p.config.parallel.sequenceParallel = true;
        });
        with(plain, [](Plan& p) { p.config.parallel.tp = 16; });
        with(plain, [](Plan& p) { p.config.train.globalBatchSize = p.config.train.microBatchSize * 2; });
        with(plain, [](Plan& p) { p.config.train.numSteps = 10; });
        with(plain, [](Plan& p) {
            p.cluster.numNodes = 1;
            p.cluster.devicesPerNode = 1;
        });
        with(plain, [](Plan& p) { p.cluster.device.peakBf16Flops = *p.cluster.device.peakBf16Flops * 2; });
        with(plain, [](Plan& p) {
            p.cluster.device.peakBf16Flops.reset();
            p.config.train.device = DeviceKind::Cpu;
        });
        with(plain, [](Plan& p) {
            p.cluster.device.kind = DeviceKind::Cpu;
            p.cluster.devicesPerNode = 1;
            p.cluster.numNodes = 1;
        });
        with(plain, [](Plan& p) { p.cluster.commCurves = curves(); });
        with(plain, [](Plan& p) {
            p.cluster.commCurves = curves();
            p.cluster.stack = StackProfile{};
        });
        with(graphs, [](Plan& p) { p.step.stepSeconds = 1e6; });
        with(graphs, [](Plan& p) {
            p.config.train.cudaGraphs = false;
            p.step.stepSeconds = 1e-6;
        });
        // A node's memory: of growing models one is too large for it, one nearly so, one for other systems with the
        // same device.
        for (const char* device : {"NVIDIA V100 SXM2 32 GB", "NVIDIA A100 SXM 80 GB", "NVIDIA H100 SXM 80 GB"})
            for (const Offload offload : {Offload::None, Offload::All})
                for (std::int64_t layers = 40; layers < 400; layers += 10)
                    with(plain, [&](Plan& p) {
                        p.cluster = *findDevicePreset(device);
                        p.config.model = findModelPreset("llama3-70b")->model;
                        p.config.model.numLayers = layers;
                        p.config.parallel.offload = offload;
                        p.config.parallel.pp = 1;
                    });
        with(plans()[16], [](Plan& p) {
            const NodeHostMemory node = nodeHostMemory(p.config, p.cluster, p.memoryPeakBytes);
            p.cluster.device.memoryBytes = node.tensorBytes + node.hostBytes() / 2;
        });
        return all;
    }

    static bool hasKorean(const QString& text) {
        static const QRegularExpression hangul(QStringLiteral("[가-힣]"));
        return text.contains(hangul);
    }

    static QString korean(const QString& english, const char* context = "Explanation") {
        return QCoreApplication::translate(context, english.toUtf8().constData());
    }

    /// Entries of the catalogue that core said nowhere: a sentence that has changed leaves its words behind.
    static QSet<QString> leftOver(const char* context, const QSet<QString>& met) {
        QFile file(QStringLiteral(SLIPWAY_SOURCE_DIR "/translations/slipway_ko.ts"));
        if (!file.open(QIODevice::ReadOnly)) return {QStringLiteral("no catalogue")};
        const QString texts = QString::fromUtf8(file.readAll())
                                  .section(QStringLiteral("<name>%1</name>").arg(context), 1)
                                  .section(QStringLiteral("</context>"), 0, 0);
        static const QRegularExpression source(QStringLiteral("<source>([^<]*)</source>"));
        QSet<QString> left;
        for (auto match = source.globalMatch(texts); match.hasNext();) {
            QString text = match.next().captured(1);
            text.replace("&apos;", "'")
                .replace("&quot;", "\"")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
            if (!met.contains(text)) left << text;
        }
        return left;
    }

    Language m_language;
    QSet<QString> m_met;      ///< sentences of core
    QSet<QString> m_missing;  ///< without Korean words

    void meet(const Sentence& sentence, const char* context = "Explanation") {
        static const QRegularExpression letters(QStringLiteral("[a-z]"));
        if (sentence.isName) return;
        const QString text = QString::fromStdString(sentence.text);
        m_met << text;
        if (text.contains(letters) && !hasKorean(korean(text, context))) m_missing << text;
        for (const Sentence& part : sentence.parts) meet(part, context);
    }

    void meetName(const QString& name) {
        if (quantityText(name.toStdString()) == name) m_missing << name;
    }

    void meet(const Explanation& e) {
        static const QRegularExpression word(QStringLiteral("[a-z][a-z0-9_.]*"));
        const QString formula = QString::fromStdString(e.formula);
        const bool told = korean(formula) != formula;
        if (told) m_met << formula;
        if (!hasKorean(formulaText(e.formula))) m_missing << formula;
        for (auto match = word.globalMatch(formula); !told && match.hasNext();) meetName(match.next().captured());
        for (const auto* numbers : {&e.inputs, &e.others})
            for (const ExplainedNumber& number : *numbers) meetName(QString::fromStdString(number.name));
        for (const Sentence& sentence : e.source) meet(sentence);
    }

    static QString list(const QSet<QString>& set) {
        QStringList sorted(set.begin(), set.end());
        sorted.sort();
        return sorted.join("\n");
    }

private slots:
    void init() {
        m_language.apply(QStringLiteral("ko"));
        m_met.clear();
        m_missing.clear();
    }
    void cleanupTestCase() { m_language.apply(QStringLiteral("en")); }

    void everyExplanationHasKoreanWords() {
        for (const Plan& plan : plans())
            for (const std::string_view figure : explainedFigures()) {
                const auto e = explain(plan, figure);
                QVERIFY2(e, std::string(figure).c_str());
                meet(*e);
                if (columnTitle(figure, figure) == QString::fromStdString(std::string(figure)))
                    m_missing << QString::fromStdString(std::string(figure));
            }
        QVERIFY2(m_missing.isEmpty(), qPrintable(list(m_missing)));
        QSet<QString> left = leftOver("Explanation", m_met);
        left.remove(QStringLiteral("%1; %2"));
        QVERIFY2(left.isEmpty(), qPrintable(list(left)));
    }

    void everyAdviceHasKoreanWords() {
        QSet<QString> codes{"does_not_fit",      "too_few_devices",       "peak_unknown",         "sparse_peak",
                            "device_differs",    "host_tight_fit",        "recompute_not_needed", "graphs_idle",
                            "few_micro_batches", "interval_never_reached"};
        for (const AdviceRule& rule : adviceRules()) codes << rule.code;
        for (const Plan& plan : advisedPlans())
            for (const Advice& advice : allAdvice(plan)) {
                codes.remove(advice.code);
                QVERIFY2(!advice.sentence.isName, advice.code);
                meet(advice.sentence, "Advice");
            }
        QVERIFY2(codes.isEmpty(), qPrintable(list(codes)));
        QVERIFY2(m_missing.isEmpty(), qPrintable(list(m_missing)));
        const QSet<QString> left = leftOver("Advice", m_met);
        QVERIFY2(left.isEmpty(), qPrintable(list(left)));
    }

    // A row of the checks: the field, then the advice with its figures; in English core's own message.
    void adviceRows() {
        Plan plan = plans().front();
        plan.cluster.numNodes = 1;
        plan.cluster.devicesPerNode = 4;
        const Advices advices = allAdvice(plan);
        const Issue issue = issueOf(advices.front());
        QCOMPARE(issue.code, std::string("too_few_devices"));
        QCOMPARE(
            adviceText(issue, advices),
            QStringLiteral(
                "데이터 병렬(dp): 이 병렬 구성에는 장치 8개가 필요한데 클러스터에는 4개 있습니다. 병렬 정도를 낮추거나 노드를 늘리세요."));
        QCOMPARE(adviceText(issue, {}), issueText(issue));
        m_language.apply(QStringLiteral("en"));
        QCOMPARE(adviceText(issue, advices),
                 QStringLiteral("The layout needs 8 devices; the cluster has 4. Lower a degree or add nodes."));
    }

    // Two inputs of one formula have two names.
    void namesTellInputsApart() {
        for (const Plan& plan : plans())
            for (const std::string_view figure : explainedFigures()) {
                std::map<QString, std::string> names;
                const auto e = explain(plan, figure);
                for (const ExplainedNumber& input : e->inputs) {
                    const auto [place, isNew] = names.emplace(quantityText(input.name), input.name);
                    QVERIFY2(isNew, (std::string(figure) + ": " + place->second + ", " + input.name).c_str());
                }
            }
    }

    // A formula that stays open while the language changes is told in the new one.
    void dialogFollowsTheLanguage() {
        QWidget window;
        ExplainDialog::open(&window, std::make_shared<const Plan>(plans().front()), "step.compute_seconds");
        auto* dialog = window.findChild<ExplainDialog*>(QStringLiteral("explanation"));
        QVERIFY(dialog);
        const auto text = [&] {
            QString all = dialog->windowTitle();
            for (const QLabel* label : dialog->findChildren<QLabel*>())
                all += '\n' + label->text().remove(QChar(0x2060));
            return all;
        };
        QVERIFY2(text().contains(QStringLiteral("= 랭크를 지나는 마이크로배치 수 × (")) &&
                     text().contains(QStringLiteral("출처: 레이어: FLOPs를")) &&
                     text().contains(QStringLiteral("행렬곱 효율")),
                 qPrintable(text()));
        static const QRegularExpression code(QStringLiteral("[a-z]_[a-z]"));
        QVERIFY2(!text().contains(code), qPrintable(text()));
        m_language.apply(QStringLiteral("en"));
        QCoreApplication::sendPostedEvents();
        QVERIFY2(text().contains(QStringLiteral("= micro_batches * (")) && !hasKorean(text()), qPrintable(text()));
        delete dialog;
    }

    void bothLanguages() {
        const Sentence sentence("%1 by the curve of %2",
                                {std::string("all_reduce"),
                                 Sentence("%1 ranks in one node (%2)", {std::string("8"), std::string("50 %1")})});
        const std::string formula = "rank_layers * (layer_seconds - hidden_seconds) / 4";
        const ExplainedNumber speed{"tokens_per_second", 1250, "tokens/s"}, parameters{"parameters", 8.03e9, ""};
        QCOMPARE(sentenceText(sentence), QStringLiteral("all_reduce: 노드 하나의 랭크 8개(50 %1)의 곡선을 씁니다"));
        QCOMPARE(formulaText(formula), QStringLiteral("랭크의 레이어 수 × (레이어 시간 - 겹쳐서 가려진 시간) / 4"));
        QCOMPARE(formulaText("0: parallel.cp is 1"), QStringLiteral("0: parallel.cp가 1입니다"));
        QCOMPARE(quantityText("train.seq_len"), fieldLabel("train.seq_len"));
        QCOMPARE(sourceText({"definition", "without failures and waiting"}),
                 QStringLiteral("정의. 장애와 대기 시간은 넣지 않습니다"));
        QCOMPARE(numberText(speed), QStringLiteral("1,250 토큰/초"));
        QCOMPARE(numberText(parameters), QStringLiteral("80.3억"));
        m_language.apply(QStringLiteral("en"));
        QCOMPARE(sentenceText(sentence), QStringLiteral("all_reduce by the curve of 8 ranks in one node (50 %1)"));
        QCOMPARE(formulaText(formula), QString::fromStdString(formula));
        QCOMPARE(quantityText("train.seq_len"), QStringLiteral("train.seq_len"));
        QCOMPARE(sourceText({"definition", "without failures and waiting"}),
                 QStringLiteral("definition; without failures and waiting"));
        QCOMPARE(numberText(speed), QString::fromStdString(textOf(speed)));
    }
};

SLIPWAY_TEST(TstExplanationText)
#include "tst_explanation_text.moc"
