// Batches as the ranks see them: held-out data stays out, and a batch ramp deals the same sequences in every layout.
#include "core/spec/token_file.h"
#include "trainer/data/batch_source.h"

#include <map>
#include <set>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

constexpr std::int64_t kTokens = 1003;

// Token i has the value i, so that a value tells where it stood.
std::filesystem::path countingFile(const TempDir& temp) {
    std::vector<std::uint32_t> tokens(kTokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::uint32_t>(i);
    (void)writeTokenFile(temp.path() / "counting.tok", tokens, 1024, "");
    return temp.path() / "counting.tok";
}

RunConfig configFor(std::int64_t dp, std::int64_t microBatch) {
    RunConfig config;
    config.model.vocabSize = 1024;
    config.train.seqLen = 16;
    config.train.globalBatchSize = 16;
    config.train.microBatchSize = microBatch;
    config.parallel.dp = dp;
    return config;
}

void collect(const at::Tensor& tensor, std::multiset<std::int64_t>& to) {
    const auto* values = tensor.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
        if (values[i] >= 0) to.insert(values[i]);
}

std::multiset<std::int64_t> targetsOfStep(const BatchSource& source, const RunConfig& config, std::int64_t step) {
    std::multiset<std::int64_t> targets;
    for (std::int64_t rank = 0; rank < config.parallel.dp; ++rank)
        for (std::int64_t i = 0; i < source.numMicroBatches(step); ++i)
            collect(source.microBatch(step, rank, i)->targets, targets);
    return targets;
}

}  // namespace

class TstBatchSource : public QObject {
    Q_OBJECT
private slots:
    void heldOutStaysOut_data() {
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("microBatch");
        QTest::addColumn<int>("heldOut");
        for (const int heldOut : {2, 17, 100, 333})
            for (const auto& [dp, micro] : {std::pair{1, 2}, {2, 1}, {4, 4}})
                QTest::addRow("dp %d micro %d held out %d", dp, micro, heldOut) << dp << micro << heldOut;
    }
    void heldOutStaysOut() {
        QFETCH(int, dp);
        QFETCH(int, microBatch);
        QFETCH(int, heldOut);
        const TempDir temp;
        RunConfig config = configFor(dp, microBatch);
        config.train.eval = {5, heldOut};
        const auto source = BatchSource::open(config, countingFile(temp));
        QVERIFY2(source.has_value(), source ? "" : source.error().message.c_str());
        std::multiset<std::int64_t> trained;
        const std::int64_t steps = 2 * source->sampler().samplesPerEpoch() / 16 + 1;
        for (std::int64_t step = 0; step < steps; ++step)
            for (std::int64_t rank = 0; rank < dp; ++rank)
                for (std::int64_t i = 0; i < source->numMicroBatches(step); ++i) {
                    const auto batch = source->microBatch(step, rank, i);
                    collect(batch->tokens, trained);
                    collect(batch->targets, trained);
                }
        QCOMPARE(*trained.rbegin(), kTokens - heldOut - 1);  // all the rest is trained on
        std::multiset<std::int64_t> targets;
        const std::int64_t rows = source->numHeldOut() + 3;  // rows behind the end carry no loss
        for (std::int64_t first = 0; first < rows; first += microBatch) {
            const auto batch = source->heldOut(first);
            collect(batch->targets, targets);
            const at::Tensor tokens = batch->tokens.masked_select(batch->targets.ge(0));
            if (tokens.numel() > 0) QVERIFY(tokens.min().item<std::int64_t>() >= kTokens - heldOut);
        }
        QCOMPARE(static_cast<int>(targets.size()), heldOut - 1);  // each once
        QCOMPARE(*targets.begin(), kTokens - heldOut + 1);
        QCOMPARE(*targets.rbegin(), kTokens - 1);
        QCOMPARE(std::set<std::int64_t>(targets.begin(), targets.end()).size(), targets.size());
    }

    void moreHeldOutThanThereIs() {
        const TempDir temp;
        RunConfig config = configFor(1, 1);
        config.train.eval = {5, kTokens - 1};
        const auto source = BatchSource::open(config, countingFile(temp));
        QVERIFY(!source && source.error().code == "too_few_tokens");
    }

    /// Random tokens in these steps alone, the same in each layout; targets are the tokens shifted by one.
    void poisonedSteps() {
        const TempDir temp;
        const auto file = countingFile(temp);
        std::map<std::int64_t, std::multiset<std::int64_t>> clean, first;
        const RunConfig plain = configFor(1, 2);
        const auto source = BatchSource::open(plain, file);
        for (std::int64_t step = 0; step < 6; ++step) clean[step] = targetsOfStep(*source, plain, step);
        for (const auto& [dp, micro] : {std::pair<std::int64_t, std::int64_t>{1, 2}, {2, 1}, {2, 4}}) {
            RunConfig config = configFor(dp, micro);
            config.data.poisonStep = 3;  // from 1: the steps 2 and 3 from 0
            config.data.poisonSteps = 2;
            const auto poisoned = BatchSource::open(config, file);
            for (std::int64_t step = 0; step < 6; ++step) {
                const auto targets = targetsOfStep(*poisoned, config, step);
                if (!first.contains(step)) first[step] = targets;
                QVERIFY(targets == first[step]);
                QCOMPARE(targets == clean[step], step != 2 && step != 3);
                QVERIFY(*targets.rbegin() < config.model.vocabSize);
            }
            const auto batch = poisoned->microBatch(2, 0, 0);
            QVERIFY(batch->tokens[0][1].item<std::int64_t>() == batch->targets[0][0].item<std::int64_t>());
        }
        QVERIFY(first[2] != first[3]);
    }

    void rampDealsTheSameSequences() {
        const TempDir temp;
        const auto file = countingFile(temp);
        std::map<std::int64_t, std::multiset<std::int64_t>> first;
        for (const auto& [dp, micro] : {std::pair<std::int64_t, std::int64_t>{1, 2}, {2, 1}, {1, 4}, {2, 2}}) {
            RunConfig config = configFor(dp, micro);
            config.train.batchRamp = {4, 4, 16 * 60};
            const auto source = BatchSource::open(config, file);
            std::int64_t seen = 0;
            for (std::int64_t step = 0; step < 12; ++step) {
                QCOMPARE(source->position(step), seen);
                const auto targets = targetsOfStep(*source, config, step);
                if (!first.contains(step)) first[step] = targets;
                QVERIFY2(targets == first[step], std::to_string(step).c_str());
                seen += source->batchSize(step);
            }
            QCOMPARE(source->batchSize(0), 4);
            QCOMPARE(source->batchSize(11), 16);
        }
    }
};

SLIPWAY_TEST(TstBatchSource)
#include "tst_batch_source.moc"
