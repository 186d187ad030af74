// The planner's size of a checkpoint against the bytes that the trainer writes, to the last one.
#include "core/base/file.h"
#include "core/planner/cost/checkpoint.h"
#include "tests/support/temp_dir.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/model/model.h"
#include "trainer/optim/optimizer.h"

#include <nlohmann/json.hpp>

#include <cstring>

// Last, because Qt's macro `slots` breaks torch headers.
// clang-format off
#include "tests/support/slipway_test.h"
// clang-format on

namespace slipway {
namespace {

/// Data and all bytes of the files of a checkpoint of untrained weights.
std::pair<std::uint64_t, std::uint64_t> writtenBytes(const RunConfig& config) {
    const test::TempDir temp;
    const RunDir dir{temp.path()};
    trainer::runInProcess(config.parallel.worldSize(), [&](std::int64_t rank, trainer::InProcessWorld& world) {
        const trainer::ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
        trainer::Model model(config, mesh, at::Device(at::kCPU));
        trainer::Optimizer optimizer(config, mesh, model.parameters());
        const auto saved = saveCheckpoint({dir, config, mesh, at::kCPU}, {1, 1, 1, 1, {}}, optimizer.state());
        if (!saved) throw std::runtime_error(saved.error().text());
    });
    const auto manifest = trainer::readManifest(dir.checkpoint(1));
    std::uint64_t data = 0, all = 0;
    for (const trainer::ManifestFile& file : manifest->files) {
        const auto head = readFileFrom(dir.checkpoint(1) / file.name, 0, 8);
        std::uint64_t length = 0;
        std::memcpy(&length, head->data(), sizeof length);
        data += file.bytes - 8 - length;
        all += std::filesystem::file_size(dir.checkpoint(1) / file.name);
    }
    return {data, all};
}

}  // namespace

class TstCheckpointBytes : public QObject {
    Q_OBJECT
private slots:
    void asForecast_data() {
        QTest::addColumn<QString>("changes");
        for (const char* changes :
             {"", "train.precision=fp64", "train.precision=bf16", "model.family=gpt2", "model.tie_embeddings=true",
              "parallel.dp=2", "parallel.dp=2 parallel.zero_stage=3", "parallel.tp=2 parallel.sequence_parallel=true",
              "model.tie_embeddings=true parallel.pp=2", "parallel.pp=2 parallel.schedule=dualpipe",
              "parallel.dp=4 parallel.zero_stage=1 parallel.dp_shard=2 train.micro_batch_size=1",
              "parallel.dp=2 parallel.tp=2 parallel.zero_stage=2 train.precision=bf16", "optimizer.kind=lion",
              "optimizer.kind=muon",
              "optimizer.kind=muon optimizer.moment_dtype=bf16 parallel.dp=2 parallel.zero_stage=1",
              "train.precision=fp16 optimizer.moment_dtype=bf16", "train.precision=bf16 train.stochastic_rounding=true",
              "train.precision=bf16 train.stochastic_rounding=true parallel.dp=2 parallel.zero_stage=3"})
            QTest::newRow(*changes == '\0' ? "one process" : changes) << changes;
    }
    void asForecast() {
        QFETCH(QString, changes);
        Json json = toJson(RunConfig{});
        for (const QString& change : changes.split(' ', Qt::SkipEmptyParts)) {
            const QStringList parts = change.split('=');
            QVERIFY(setField(json, parts[0].toStdString(), parts[1].toStdString()).has_value());
        }
        const auto config = parseRunConfig(json, "test");
        QVERIFY2(config.has_value(), config ? "" : config.error().message.c_str());
        const auto [data, all] = writtenBytes(*config);
        QCOMPARE(static_cast<double>(data), checkpointStateBytes(*config));
        qInfo("%.3f MB of state, headers %+.2f %%", static_cast<double>(data) / 1e6,
              100 * (static_cast<double>(all) / static_cast<double>(data) - 1));
    }
};

SLIPWAY_TEST(TstCheckpointBytes)

}  // namespace slipway

#include "tst_checkpoint_bytes.moc"
