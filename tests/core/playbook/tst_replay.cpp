// Published data: figures of each kind of document by name, and what they say about the shipped experiments.
#include "core/base/file.h"
#include "core/playbook/plan_figures.h"
#include "core/playbook/replay.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace slipway::test {

namespace {

const char* const kContent = SLIPWAY_SOURCE_DIR "/experiments/playbook";

const Playbook& shipped() {
    static const Playbook playbook = *readPlaybook(kContent);
    return playbook;
}

std::string line(int step, double loss, double norm) {
    char text[200];
    std::snprintf(
        text, sizeof text,
        "[default7]: iteration %8d/  115311 | elapsed time per iteration (s): 106.4 | lm loss: %.6E | grad norm: %.3f | "
        "number of skipped iterations:   0 |\n",
        step, loss, norm);
    return text;
}

/// Quiet lines long before, then a spike, then quiet ones.
std::string log() {
    return "# Chronicle\n```\n" + line(100, 9, 1) + "```\ntext\n" + line(31214, 2.2, 0.2) + line(31216, 2.6, 2.4) +
           line(31219, 5.1, 960) + line(31222, 2.8, 650) + line(31250, 2.21, 0.2) + "### later\n" +
           line(42780, 2.1, 0.1);
}

const char* const kBandwidths =
    "0: #  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
    "0:    1048576  262144 float sum -1  309.4  3.39   6.35 0  307.3  3.41  6.40 0\n"
    "0:  268435456 67108864 float sum -1 7201.7 37.27  69.89 0 7227.9 37.14 69.64 0\n"
    "some text with 8 words that is no row of a table\n"
    "0:    1048576  262144 float sum -1  123.2  8.51  15.95 0  121.3  8.64 16.21 0\n"
    "0:  268435456 67108864 float sum -1 1468.2 182.83 342.81 0 1452.7 184.78 346.46 0\n"
    "0: 1073741824 268435456 float sum -1 4607.6 233.04 436.95 0 4565.6 235.18 440.96 0\n";

const char* const kUtilisation =
    "## H100\n"
    "|  Model | SeqLen (T) | # GPUs | GPU | MFU | HFU | Throughput (T/s/GPU) | Precision |\n"
    "|  --- | --- | --- | --- | --- | --- | --- | --- |\n"
    "|  7b | 2048 | 512 | h100_80gb | 42.2 | 42.2 | 9670 | amp_bf16 |\n"
    "|  7b | 2048 | 128 | h100_80gb | 45.71 | 45.71 | 10475 | amp_bf16 |\n"
    "\n|  a | b |\n| 1 | 2 |\n";

bool isNear(double a, double b) {
    return std::fabs(a - b) < 1e-6 * std::fabs(b);
}

}  // namespace

class TstReplay : public QObject {
    Q_OBJECT

    TempDir m_temp;
    Home m_home{m_temp.path() / "home"};

    void keep(const std::string& id, const std::string& body) {
        const auto file = referenceFile(m_home, id);
        QVERIFY(makeFolders(file.parent_path()).has_value() && writeFileAtomically(file, body).has_value());
    }

private slots:
    void readsBandwidths() {
        const auto figures = publishedFigures(kBandwidths);
        QCOMPARE(figures.size(), std::size_t(5));
        QCOMPARE(figures.at("busbw table 1, 268435456"), 69.89);
        QCOMPARE(figures.at("busbw table 2, 268435456"), 342.81);
    }
    void readsUtilisation() {
        const auto figures = publishedFigures(kUtilisation);
        QCOMPARE(figures.size(), std::size_t(4));
        QCOMPARE(figures.at("mfu 7b 2048 512 h100_80gb amp_bf16"), 42.2);
        QCOMPARE(figures.at("tokens_per_second_per_gpu 7b 2048 128 h100_80gb amp_bf16"), 10475.0);
    }
    /// The excerpt with the highest jump counts, not the highest loss; a broken line is one line.
    void readsASpike() {
        std::string text = log();
        const auto figures = publishedFigures(text);
        QVERIFY(isNear(figures.at("spike_ratio"), 5.1 / 2.2));
        QVERIFY(isNear(figures.at("spike_grad_norm_ratio"), 960 / 0.2));
        QCOMPARE(figures.at("spike_steps"), 31.0);
        QVERIFY(isNear(figures.at("spike_after_ratio"), 2.21 / 2.2));
        const std::size_t at = text.find("| lm loss: 5.1");
        text.insert(at, "\n ");
        QCOMPARE(publishedFigures(text), figures);
        QVERIFY(publishedFigures("nothing\n").empty());
    }
    void saysWhatIsMissing() {
        const auto data = readPublishedData(m_home, kContent);
        QVERIFY2(data.has_value(), data ? "" : data.error().message.c_str());
        const ReplayResult replay = replayOf(*shipped().experiment("K2"), *data);
        QVERIFY(replay.reference != nullptr && !replay.isFetched);
        QCOMPARE(replay.verdict, Verdict::NotRun);
        QCOMPARE(replay.rows.size(), std::size_t(2));
        QVERIFY(!replay.rows[0].published);
        QCOMPARE(replayOf(*shipped().experiment("L3"), *data).reference, nullptr);
    }
    void fetchedDataDecide() {
        keep("llm_foundry", kUtilisation);
        keep("nccl_tables", kBandwidths);
        keep("bloom_log", log());
        const auto data = readPublishedData(m_home, kContent);
        QVERIFY2(data.has_value(), data ? "" : data.error().message.c_str());
        const ReplayResult k2 = replayOf(*shipped().experiment("K2"), *data);
        QVERIFY(isNear(*k2.rows[0].published, 42.2 / 45.71) && !k2.rows[1].published);  // no row of 70b
        QCOMPARE(k2.verdict, Verdict::Agrees);
        QCOMPARE(replayOf(*shipped().experiment("K5"), *data).verdict, Verdict::Agrees);
        const ReplayResult l11 = replayOf(*shipped().experiment("L11"), *data);
        QCOMPARE(l11.verdict, Verdict::Agrees);
        QCOMPARE(expectedText(l11.rows[0], [](double value) { return std::to_string(static_cast<int>(value)); }),
                 std::string("< 3"));
        keep("bloom_log", log() + line(50000, 1, 1) + line(50001, 4, 1));  // four times: the mean rules would fire
        QCOMPARE(replayOf(*shipped().experiment("L11"), *readPublishedData(m_home, kContent)).verdict,
                 Verdict::Differs);
    }
    /// Each replay names a document of the list; without claims of its own the benchmark's layouts answer.
    void replaysNameTheirData() {
        const auto references = readReferences(kContent);
        int found = 0;
        for (const Experiment& e : shipped().experiments) {
            if (!e.replay) continue;
            ++found;
            QVERIFY2(std::any_of(references->begin(), references->end(),
                                 [&](const Reference& one) { return one.id == e.replay->reference; }),
                     e.id.c_str());
            QVERIFY2(e.replay->claims.empty() == (e.replay->reference == kBenchmarkReference), e.id.c_str());
        }
        QCOMPARE(found, 8);
    }
    void planFiguresAreThePlans() {
        RunConfig config;
        config.model.numLayers = 32;
        config.parallel.pp = 4;
        config.parallel.dp = 2;
        config.train.seqLen = 1024;
        config.train.globalBatchSize = 64;
        config.train.microBatchSize = 2;
        config.train.numSteps = 10;
        ClusterSpec cluster;
        cluster.numNodes = 2;
        cluster.interNode.bytesPerSecond = 5e9;
        const auto figure = [&](const char* name) { return planFigure(name, config, cluster); };
        QCOMPARE(*figure("devices"), 8.0);
        QCOMPARE(*figure("micro_batches"), 16.0);
        QCOMPARE(*figure("layers_per_stage"), 8.0);
        QCOMPARE(*figure("tokens"), 655360.0);
        QCOMPARE(*figure("flops"), 6 * *figure("parameters") * 655360);
        QCOMPARE(*figure("link_bytes_per_second"), 5e9);
        QVERIFY(!figure("peak_flops") && !figure("weather"));  // of this hardware unknown
        config.train.microBatchSize = 0;
        QVERIFY(!figure("micro_batches"));
    }
    /// One sentence in place of an empty box: hardware, and how to take the experiment there and its record back.
    void missingDataSaysWhatIsNeeded() {
        const auto playbook = readPlaybook(SLIPWAY_SOURCE_DIR "/experiments/playbook");
        for (const char* id : {"G1", "G2", "K3", "K4", "K7", "N2"}) {
            const Experiment& e = *playbook->experiment(id);
            QVERIFY(!e.replay);
            for (const Language language : {Language::English, Language::Korean}) {
                const std::string text = textOf(noReplayText(e, language), language);
                for (const std::string& part : {std::string(id), e.hardware.in(language), std::string("slurm"),
                                                std::string("torchrun"), std::string("record --from")})
                    QVERIFY2(text.find(part) != std::string::npos, text.c_str());
            }
        }
        const std::string here =
            textOf(noReplayText(*playbook->experiment("L6"), Language::English), Language::English);
        QVERIFY(here.find("playbook run L6") != std::string::npos);
    }
};

}  // namespace slipway::test

using slipway::test::TstReplay;
SLIPWAY_TEST(TstReplay)

#include "tst_replay.moc"
