// Stochastically rounded bf16 weights in checkpoints: bf16 alone, resumed bit for bit, and the same in any other
// layout.
#include "tests/trainer/checkpoint/layout_training.h"

#include <ATen/ops/equal.h>

#include <map>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

RunConfig roundedConfig() {
    RunConfig c;
    c.model.numLayers = 2;
    c.model.hiddenSize = 16;
    c.model.numHeads = 4;
    c.model.headDim = 4;
    c.model.ffnHiddenSize = 12;
    c.model.vocabSize = 23;
    c.model.maxSeqLen = 8;
    c.train.seqLen = 8;
    c.train.globalBatchSize = 4;
    c.train.microBatchSize = 1;
    c.train.precision = Precision::Bf16;
    c.train.stochasticRounding = true;
    c.optimizer.lr = 1e-3;
    return c;
}

std::map<std::string, at::Tensor> statesOf(const std::filesystem::path& checkpoint) {
    const auto reader = CheckpointReader::open(checkpoint);
    if (!reader) throw std::runtime_error(reader.error().text());
    std::map<std::string, at::Tensor> states;
    for (const auto& [name, shard] : reader->states()) {
        const bool moment = name != shard.name;
        StateTensor entry{name, wholeOf(shard),
                          at::empty(shard.globalShape, at::TensorOptions().dtype(moment ? at::kFloat : at::kBFloat16))};
        if (const auto filled = reader->fill(entry); !filled) throw std::runtime_error(filled.error().text());
        states[name] = entry.tensor;
    }
    return states;
}

bool same(const std::map<std::string, at::Tensor>& a, const std::map<std::string, at::Tensor>& b) {
    for (const auto& [name, tensor] : a)
        if (!b.contains(name) || !at::equal(tensor, b.at(name))) return false;
    return a.size() == b.size() && !a.empty();
}

}  // namespace

class TstRoundedWeights : public QObject {
    Q_OBJECT
private slots:
    // Two steps, a checkpoint and three more are five steps: the draws follow the number of the update, not that of the
    // process.
    void resumes_data() {
        QTest::addColumn<int>("zero");
        QTest::newRow("one process") << -1;
        QTest::newRow("dp 2") << 0;
        QTest::newRow("dp 2, ZeRO-3") << 3;
    }
    void resumes() {
        QFETCH(int, zero);
        RunConfig config = roundedConfig();
        if (zero >= 0) config.parallel.dp = 2;
        config.parallel.zeroStage = std::max(zero, 0);
        const TempDir straight, broken, rest;
        const StretchResult whole = trainStretch({config, "", straight.path(), 5});
        const StretchResult first = trainStretch({config, "", broken.path(), 2});
        const StretchResult second = trainStretch({config, first.checkpoint.string(), rest.path(), 3});
        QVERIFY(same(statesOf(second.checkpoint), statesOf(whole.checkpoint)));
        QVERIFY(!same(statesOf(first.checkpoint), statesOf(whole.checkpoint)));
        const std::vector<double> tail(whole.losses.begin() + 2, whole.losses.end());
        QVERIFY(second.losses == tail);
    }

    // Read and written again by another layout, no bit changes.
    void reshards() {
        RunConfig config = roundedConfig();
        const TempDir from;
        const StretchResult first = trainStretch({config, "", from.path(), 2});
        const auto expected = statesOf(first.checkpoint);
        const auto through = [&](std::int64_t dp, std::int64_t tp, std::int64_t pp, std::int64_t zero) {
            RunConfig other = config;
            other.parallel.dp = dp;
            other.parallel.tp = tp;
            other.parallel.pp = pp;
            other.parallel.zeroStage = zero;
            other.parallel.bucketBytes = 700;
            const TempDir to;
            return same(statesOf(trainStretch({other, first.checkpoint.string(), to.path(), 0}).checkpoint), expected);
        };
        QVERIFY(through(2, 1, 1, 3));
        QVERIFY(through(1, 2, 1, 0));
        QVERIFY(through(2, 2, 2, 1));
    }
};

SLIPWAY_TEST(TstRoundedWeights)
#include "tst_rounded_weights.moc"
