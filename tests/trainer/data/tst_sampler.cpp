// The order of samples: a permutation per epoch, every token a target once, the same in every layout and after resume.
#include "core/spec/token_file.h"
#include "tests/support/temp_dir.h"
#include "trainer/data/batch_source.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>

#include <algorithm>
#include <map>
#include <set>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;

namespace {

constexpr std::int64_t kSeqLen = 8;

RunConfig configFor(std::int64_t dp, std::int64_t microBatch, std::int64_t globalBatch = 12) {
    RunConfig config;
    config.model.vocabSize = 1000;
    config.train.seqLen = kSeqLen;
    config.train.globalBatchSize = globalBatch;
    config.train.microBatchSize = microBatch;
    config.parallel.dp = dp;
    return config;
}

}  // namespace

class TstSampler : public QObject {
    Q_OBJECT
private slots:
    void permutation() {
        for (std::uint64_t size = 1; size <= 300; ++size) {
            std::set<std::uint64_t> seen;
            const Permutation order(size, size * 77);
            for (std::uint64_t i = 0; i < size; ++i) seen.insert(order(i));
            QCOMPARE(seen.size(), static_cast<std::size_t>(size));
            QVERIFY(*seen.rbegin() < size);
        }
    }

    void permutationMixes() {
        // Neighbours should not stay neighbours: about 2 in 4096 do by chance.
        const Permutation order(4096, 5);
        int neighbours = 0;
        for (std::uint64_t i = 0; i + 1 < 4096; ++i) neighbours += order(i + 1) == order(i) + 1 ? 1 : 0;
        QVERIFY2(neighbours < 12, qPrintable(QString::number(neighbours)));
        const Permutation other(4096, 6);
        int same = 0;
        for (std::uint64_t i = 0; i < 4096; ++i) same += order(i) == other(i) ? 1 : 0;
        QVERIFY2(same < 12, qPrintable(QString::number(same)));
    }

    // Every token but the first is a target exactly once per epoch, the tail included.
    void everyTokenOnce() {
        for (const std::int64_t tokens : {2, 8, 9, 10, 100, 1001}) {
            const Sampler sampler(tokens, kSeqLen, 3);
            for (const std::int64_t epoch : {0, 1, 5}) {
                std::map<std::int64_t, int> uses;
                for (std::int64_t i = 0; i < sampler.samplesPerEpoch(); ++i) {
                    const SampleSpan span = sampler.sample(epoch * sampler.samplesPerEpoch() + i);
                    for (std::int64_t t = 1; t <= span.length; ++t) ++uses[span.offset + t];
                }
                QCOMPARE(static_cast<std::int64_t>(uses.size()), tokens - 1);
                QVERIFY(std::all_of(uses.begin(), uses.end(), [&](const auto& use) {
                    return use.second == 1 && use.first >= 1 && use.first < tokens;
                }));
            }
        }
    }

    void epochsDiffer() {
        const Sampler sampler(1001, kSeqLen, 3);
        int same = 0;
        for (std::int64_t i = 0; i < sampler.samplesPerEpoch(); ++i)
            same += sampler.sample(i) == sampler.sample(i + sampler.samplesPerEpoch()) ? 1 : 0;
        QVERIFY(same < 10);
    }

    // The global step's samples, in order, whatever the layout; a source opened anew (resume) gives the same.
    void layoutsSeeTheSame() {
        const test::TempDir temp;
        std::vector<std::uint32_t> tokens(777);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::uint32_t>(i);
        const auto path = temp.path() / "a.tok";
        QVERIFY(writeTokenFile(path, tokens, 1000, "").has_value());
        std::vector<std::vector<std::int64_t>> orders;
        for (const auto& [dp, micro] :
             std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {1, 12}, {2, 3}, {3, 2}, {4, 3}, {2, 1}}) {
            const RunConfig config = configFor(dp, micro);
            auto source = BatchSource::open(config, path);
            QVERIFY2(source.has_value(), source ? "" : source.error().message.c_str());
            std::vector<std::int64_t> order;
            for (std::int64_t step = 0; step < 30; ++step) {  // three epochs and a bit
                if (step == 17) source = BatchSource::open(config, path);
                for (std::int64_t m = 0; m < config.numMicroBatches(); ++m) {
                    for (std::int64_t rank = 0; rank < dp; ++rank) {
                        const auto batch = source->microBatch(step, rank, m);
                        QVERIFY(batch.has_value());
                        for (std::int64_t row = 0; row < micro; ++row)
                            order.push_back(batch->tokens[row][0].item<std::int64_t>());
                        const at::Tensor valid = batch->targets.ge(0);
                        QVERIFY(at::equal(batch->targets.masked_select(valid), batch->tokens.masked_select(valid) + 1));
                    }
                }
            }
            orders.push_back(order);
        }
        for (const auto& order : orders) QCOMPARE(order, orders.front());
    }

    void ignoredAndTail() {
        const test::TempDir temp;
        const auto path = temp.path() / "a.tok";
        const std::vector<std::uint32_t> tokens{5, 6, 7, 6, 5, 6,
                                                7, 6, 5, 9, 6};  // 10 targets: one sample of 8, one of 2
        QVERIFY(writeTokenFile(path, tokens, 16, "").has_value());
        RunConfig config = configFor(1, 2, 2);
        config.data.ignoreTokenId = 6;
        const auto source = BatchSource::open(config, path);
        const auto batch = source->microBatch(0, 0, 0);
        QVERIFY(batch.has_value());
        QCOMPARE(batch->targets.ge(0).sum().item<std::int64_t>(), 5);  // 10 targets, five of them 6
        QCOMPARE(batch->targets.eq(6).sum().item<std::int64_t>(), 0);
        QCOMPARE(batch->tokens.eq(6).sum().item<std::int64_t>(), 4);  // as inputs they stay
    }

    void refusals() {
        const test::TempDir temp;
        const auto path = temp.path() / "a.tok";
        QVERIFY(writeTokenFile(path, std::vector<std::uint32_t>{1, 2, 3}, 2000, "").has_value());
        QCOMPARE(BatchSource::open(configFor(1, 1), path).error().code, std::string("vocabulary_mismatch"));
        QVERIFY(writeTokenFile(path, std::vector<std::uint32_t>{1}, 20, "").has_value());
        QCOMPARE(BatchSource::open(configFor(1, 1), path).error().code, std::string("too_few_tokens"));
        QCOMPARE(BatchSource::open(configFor(1, 1), temp.path() / "none.tok").error().code,
                 std::string("file_missing"));
    }
};

SLIPWAY_TEST(TstSampler)
#include "tst_sampler.moc"
