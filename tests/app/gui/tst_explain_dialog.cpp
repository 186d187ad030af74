#include "app/gui/text/language.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/explain_dialog.h"
#include "core/planner/explain/explain.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QLabel>
#include <QRegularExpression>
#include <QSet>
#include <map>

using namespace slipway;
using slipway::gui::ExplainDialog;

// Whatever a plan explains has words in Korean, and English stays core's own.
class TstExplainDialog : public QObject {
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
                cluster.stack = SoftwareStack{};
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

    static bool hasKorean(const QString& text) {
        static const QRegularExpression hangul(QStringLiteral("[가-힣]"));
        return text.contains(hangul);
    }

    gui::WindowLanguage m_language;

private slots:
    void init() { m_language.apply(QStringLiteral("ko")); }
    void cleanupTestCase() { m_language.apply(QStringLiteral("en")); }

    void namesHaveKoreanWords() {
        static const QRegularExpression code(QStringLiteral("[a-z]_[a-z]"));
        QSet<QString> missing;
        for (const Plan& plan : plans())
            for (const std::string_view figure : explainedFigures()) {
                const auto e = explain(plan, figure);
                QVERIFY2(e, std::string(figure).c_str());
                QVERIFY2(e->words.empty() || e->words == e->formula, std::string(figure).c_str());
                const QString formula = QString::fromStdString(formulaText(*e, Language::Korean));
                if (!hasKorean(formula) || (e->words.empty() && formula.contains(code))) missing << formula;
                for (const auto* numbers : {&e->inputs, &e->others})
                    for (const ExplainedNumber& number : *numbers)
                        if (quantityText(number.name, Language::Korean) == number.name)
                            missing << QString::fromStdString(number.name);
                if (gui::columnTitle(figure) == QString::fromStdString(std::string(figure)))
                    missing << QString::fromStdString(std::string(figure));
            }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.values().join("\n")));
    }

    // Two inputs of one formula have two names.
    void namesTellInputsApart() {
        for (const Plan& plan : plans())
            for (const std::string_view figure : explainedFigures()) {
                std::map<std::string, std::string> names;
                const auto e = explain(plan, figure);
                for (const ExplainedNumber& input : e->inputs) {
                    const auto [place, isNew] = names.emplace(quantityText(input.name, Language::Korean), input.name);
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
        Explanation e;
        e.formula = "rank_layers * (layer_seconds - layer_tp_hidden_seconds) / 4";
        QCOMPARE(formulaText(e, Language::Korean),
                 std::string("랭크의 레이어 수 × (레이어 시간 - 레이어에서 가려진 텐서 병렬 통신 시간) / 4"));
        QCOMPARE(formulaText(e, Language::English), e.formula);
        e.state("0: parallel.cp is 1"_text);
        QCOMPARE(formulaText(e, Language::Korean), std::string("0: parallel.cp가 1입니다"));
        QCOMPARE(e.formula, std::string("0: parallel.cp is 1"));
        QCOMPARE(QString::fromStdString(quantityText("train.seq_len", Language::Korean)),
                 gui::fieldLabel("train.seq_len"));
        QCOMPARE(quantityText("train.seq_len", Language::English), std::string("train.seq_len"));
        const ExplainedNumber speed{"tokens_per_second", 1250, "tokens/s"}, parameters{"parameters", 8.03e9, ""};
        QCOMPARE(textOf(speed, Language::Korean), std::string("1,250 토큰/초"));
        QCOMPARE(textOf(parameters, Language::Korean), std::string("80.3억"));
    }
};

SLIPWAY_TEST(TstExplainDialog)
#include "tst_explain_dialog.moc"
