#include "core/sweep/replay.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <string>

using namespace slipway;

namespace {

/// 28 layouts of a model on 8 GPUs whose throughput falls from the best of them in every direction; one did not run.
std::vector<MeasuredRun> tableOf() {
    std::string text =
        "model,layers,hidden,ffn,heads,kv_heads,vocab,tied_embeddings,seq,gpu,gpus_per_node,nodes,micro_batch,"
        "grad_acc,global_batch,dp,pp,tp,zero_stage,mfu_pct,tokens_per_s_per_gpu,gpu_memory_gb,status\n";
    for (const int tp : {1, 2, 4, 8})
        for (const int pp : {1, 2, 4, 8})
            for (const int mbs : {1, 2, 4}) {
                const int dp = 8 / (tp * pp);
                if (dp < 1) continue;
                const double slower = 1 + 0.25 * (tp > 1) * tp + 0.15 * (pp - 1) + 0.1 * (4 - mbs);
                const bool failed = tp == 1 && pp == 1 && mbs == 4;
                text += "1B,16,2048,8192,32,32,131072,1,4096,H100-80GB-SXM,8,1," + std::to_string(mbs) + "," +
                        std::to_string(256 / (dp * mbs)) + ",256," + std::to_string(dp) + "," + std::to_string(pp) +
                        "," + std::to_string(tp) + ",0," + (failed ? "," : std::to_string(40 / slower) + ",") +
                        (failed ? "" : std::to_string(40000 / slower)) + "," + (failed ? ",oom_or_crash\n" : "30,ok\n");
            }
    const auto table = readMeasuredRuns(text, "runs.csv");
    if (!table) qFatal("%s", table.error().text().c_str());
    return table->runs;
}

}  // namespace

class TstReplay : public QObject {
    Q_OBJECT

private slots:
    void methodsOnATable() {
        ReplayRequest request;
        request.seeds = 3;
        request.trials = 24;
        const Replay replay = replayMethods(tableOf(), request);
        QCOMPARE(replay.cells, std::size_t{1});
        QCOMPARE(replay.failed, std::size_t{1});
        QCOMPARE(replay.curves.size(), std::size_t{5});
        for (const ReplayCurve& curve : replay.curves) {
            QCOMPARE(curve.regret.size(), std::size_t{24});
            for (std::size_t i = 1; i < curve.regret.size(); ++i)
                QVERIFY(curve.regret[i] <= curve.regret[i - 1] + 1e-12);
            QVERIFY(curve.regret.back() >= 0 && curve.chosenTrials <= 24);
        }
        const auto of = [&](SearchMethod method) -> const ReplayCurve& {
            return *std::ranges::find(replay.curves, method, &ReplayCurve::method);
        };
        // The forecast knows more of this table than chance does.
        QVERIFY(of(SearchMethod::Planner).regret[2] < of(SearchMethod::Random).regret[2]);
        // The grid has no luck to average.
        request.seeds = 1;
        const Replay once = replayMethods(tableOf(), request);
        for (std::size_t i = 0; i < 24; ++i)
            QVERIFY(std::abs(once.curves[0].regret[i] - of(SearchMethod::Grid).regret[i]) < 1e-12);
    }
};

SLIPWAY_TEST(TstReplay)
#include "tst_replay.moc"
