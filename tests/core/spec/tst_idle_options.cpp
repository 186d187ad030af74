// Options that nothing reads with the other settings: which, where they are harmless, and what is left when they are
// taken back.
#include "core/spec/idle_options.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;

namespace {

RunConfig with(const QString& settings) {
    Json json = Json::object();
    for (const QString& item : settings.split(' ', Qt::SkipEmptyParts))
        if (const auto set = setField(json, item.section('=', 0, 0).toStdString(), item.section('=', 1).toStdString());
            !set)
            qFatal("%s", set.error().message.c_str());
    const auto config = parseRunConfig(json, "test");
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

QStringList found(const RunConfig& config) {
    QStringList list;
    for (const Issue& issue : idleOptions(config))
        list << (issue.severity == Severity::Error ? "error " : "warning ") + QString::fromStdString(issue.field);
    return list;
}

}  // namespace

class TstIdleOptions : public QObject {
    Q_OBJECT
private slots:
    void rules_data() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const QString& set, const QStringList& expected = {}) {
            QTest::newRow(qPrintable(set)) << set << expected;
        };
        row("");
        row("optimizer.kind=lion");
        row("optimizer.kind=lion optimizer.eps=1e-8");
        row("optimizer.kind=lion optimizer.beta2=0.98 optimizer.moment_dtype=bf16");
        row("optimizer.kind=muon optimizer.eps=1e-6");
        row("optimizer.kind=lion optimizer.eps=1e-6", {"error optimizer.eps"});

        row("train.fused_kernels=false train.attention_kernel=products");
        row("train.fused_kernels=false train.precision=fp64");
        row("train.fused_kernels=false train.precision=bf16 train.device=gpu");
        row("train.fused_kernels=false train.precision=bf16", {"error train.fused_kernels"});

        const QString buckets = "parallel.dp=2 parallel.bucket_bytes=1000000 parallel.zero_stage=";
        row(buckets + "0");
        row(buckets + "1");
        row(buckets + "2", {"warning parallel.bucket_bytes"});
        row(buckets + "3", {"warning parallel.bucket_bytes"});
        row("parallel.dp=2 parallel.zero_stage=3 parallel.bucket_bytes=26214400");

        row("parallel.cp=2 parallel.zero_stage=1 parallel.bucket_bytes=1000000");
        row("parallel.cp=2 parallel.zero_stage=2 parallel.bucket_bytes=1000000", {"warning parallel.bucket_bytes"});

        row("parallel.dp=2 parallel.reduce_dtype=bf16");
        row("parallel.cp=2 parallel.reduce_dtype=bf16");
        row("parallel.cp=2 parallel.reduce_dtype=bf16 train.precision=fp64", {"error parallel.reduce_dtype"});
        row("parallel.dp=2 parallel.reduce_dtype=bf16 train.precision=bf16 train.grad_dtype=bf16");
        row("parallel.dp=2 parallel.reduce_dtype=bf16 train.precision=fp64", {"error parallel.reduce_dtype"});

        row("parallel.dp=4 parallel.zero_stage=2 parallel.dp_shard=2");
        row("parallel.dp=4 parallel.zero_stage=2 parallel.dp_shard=1", {"warning parallel.dp_shard"});
        row("parallel.dp=4 parallel.zero_stage=2 parallel.dp_shard=1 parallel.cp=2");  // dp x cp is sharded
        const QString experts = "model.moe.num_experts=4 model.moe.expert_ffn_hidden_size=8 ";
        row(experts + "parallel.dp=4 parallel.zero_stage=2 parallel.dp_shard=1");  // the experts are
        row(experts + "parallel.dp=4 parallel.ep=4 parallel.zero_stage=2 parallel.dp_shard=1",
            {"warning parallel.dp_shard"});

        row("parallel.zero_stage=1", {"warning parallel.zero_stage"});
        row("parallel.zero_stage=3 parallel.tp=2 parallel.pp=2", {"warning parallel.zero_stage"});
        row("parallel.zero_stage=3 parallel.cp=2");
        row(experts + "parallel.zero_stage=1 parallel.tp=2");
        row(experts + "parallel.zero_stage=1 parallel.tp=2 parallel.ep=2", {"warning parallel.zero_stage"});

        row("parallel.rank_order=pp,tp,cp,dp", {"warning parallel.rank_order"});
        row("parallel.rank_order=pp,tp,cp,dp parallel.tp=2 parallel.dp=2", {"warning parallel.rank_order"});
        row("parallel.rank_order=pp,tp,cp,dp parallel.tp=2 parallel.pp=2");

        const QString selective = "train.recompute.policy=selective ";
        row(selective + "train.recompute.attention=false train.recompute.norm=false");
        const QString onlyFfn = "train.recompute.attention=false train.recompute.norm=false ";
        row(selective + onlyFfn + "train.recompute.ffn=false", {"error train.recompute.policy"});
        row(selective + onlyFfn + experts, {"error train.recompute.policy"});
        row(selective + onlyFfn + experts + "model.moe.num_dense_layers=1");

        row("train.spikes.policy=rewind_and_skip", {"error train.spikes.policy"});
        row("train.spikes.policy=rewind_and_skip checkpoint.every_steps=10");
        row("train.spikes.policy=skip");

        const QString wsd = "optimizer.schedule.kind=wsd ";
        row(wsd);
        row(wsd +
            "optimizer.schedule.decay_shape=cosine optimizer.schedule.min_lr_ratio=0 optimizer.schedule.decay_steps=5");
        row(wsd + "optimizer.schedule.decay_shape=cosine", {"error optimizer.schedule.decay_shape"});
        row(wsd + "optimizer.schedule.min_lr_ratio=0", {"error optimizer.schedule.min_lr_ratio"});
    }
    void rules() {
        QFETCH(QString, set);
        QFETCH(QStringList, expected);
        const RunConfig config = with(set);
        QCOMPARE(found(config), expected);
        QStringList ofAll;
        for (const Issue& issue : validate(config)) {
            QCOMPARE(issue.code, std::string("no_effect"));
            QVERIFY2(issue.message.starts_with(issue.field + " ") && issue.message.ends_with("."),
                     issue.message.c_str());
            ofAll << QString::fromStdString(issue.field);
        }
        QCOMPARE(ofAll.size(), expected.size());
    }
    // What a search, an edit or an import leaves behind is legal, and acts as before.
    void takenBack() {
        const RunConfig lion = withoutIdleOptions(with("optimizer.kind=lion optimizer.eps=1e-6"));
        QCOMPARE(lion.optimizer.eps, OptimizerSpec{}.eps);
        const RunConfig whole =
            withoutIdleOptions(with("parallel.dp=2 parallel.bucket_bytes=1000 parallel.zero_stage=3"));
        QCOMPARE(whole.parallel.bucketBytes, ParallelLayout{}.bucketBytes);
        QCOMPARE(whole.parallel.zeroStage, std::int64_t{3});
        const RunConfig alone = withoutIdleOptions(with("parallel.dp=4 parallel.zero_stage=2 parallel.dp_shard=1"));
        QVERIFY(!alone.parallel.dpShard && alone.parallel.zeroStage == 0);
        // Nothing else acts alike: that is for a person to say.
        const RunConfig rewinds = withoutIdleOptions(with("train.spikes.policy=rewind_and_skip"));
        QCOMPARE(rewinds.train.spikes.policy, SpikePolicy::RewindAndSkip);
        const RunConfig zero = withoutIdleOptions(with("parallel.zero_stage=1"));
        QCOMPARE(zero.parallel.zeroStage, std::int64_t{1});
    }
};

SLIPWAY_TEST(TstIdleOptions)
#include "tst_idle_options.moc"
