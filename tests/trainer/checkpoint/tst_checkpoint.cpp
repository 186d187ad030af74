// Checkpoints: the file format, damage at any byte, the newest good one, retention, a full disk.
#include "core/base/file.h"
#include "tests/support/temp_dir.h"
#include "tests/trainer/checkpoint/one_rank.h"
#include "trainer/checkpoint/checkpoint_writer.h"
#include "trainer/checkpoint/safetensors.h"
#include "trainer/comm/in_process_group.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <fstream>
#include <functional>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using slipway::test::numbers, slipway::test::OneRank, slipway::test::stateOf;

namespace {

void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

class TstCheckpoint : public QObject {
    Q_OBJECT
private slots:
    void safetensorsRoundTrip() {
        const test::TempDir temp;
        const auto path = temp.path() / "a.safetensors";
        std::vector<NamedTensor> tensors;
        for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16, at::kLong, at::kByte})
            tensors.push_back({c10::toString(type), numbers(11, 3).to(type)});
        tensors.push_back({"matrix", numbers(12, 0).view({3, 4}).t()});  // not contiguous
        tensors.push_back({"empty", at::zeros({0}, at::kFloat)});
        const auto written = writeSafetensors(path, tensors, {{"step", "3"}});
        QVERIFY(written.has_value());
        const auto file = SafetensorsFile::open(path);
        QVERIFY(file.has_value());
        QCOMPARE(file->bytes(), written->bytes);
        QCOMPARE(file->hash(), written->hash);
        QCOMPARE(file->names().size(), tensors.size());
        for (const NamedTensor& named : tensors) {
            at::Tensor back = at::zeros_like(named.tensor);
            QVERIFY(file->read(named.name, back).has_value());
            QVERIFY(at::equal(back, named.tensor));
        }
        at::Tensor wrong = at::zeros({11}, at::kFloat);
        QCOMPARE(file->read("Double", wrong).error().code, std::string("tensor_mismatch"));
        QCOMPARE(file->read("nothing", wrong).error().code, std::string("tensor_missing"));
        // The documented layout, byte for byte at its head.
        const std::string bytes = *readFile(path);
        const auto length = static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[0])) +
                            256U * static_cast<unsigned char>(bytes[1]);
        QVERIFY(bytes.compare(8, 15, "{\"__metadata__\"") == 0);
        QCOMPARE(bytes[8 + length - 1] == '}' || bytes[8 + length - 1] == ' ', true);
    }

    // Cut or altered anywhere: an error, never a crash or wrong values.
    void damagedFiles() {
        const test::TempDir temp;
        const auto path = temp.path() / "a.safetensors";
        const auto written = writeSafetensors(path, {{"x", numbers(16, 0)}}, {});
        const std::string bytes = *readFile(path);
        for (std::size_t length = 0; length < bytes.size(); ++length) {
            writeBytes(path, bytes.substr(0, length));
            const auto file = SafetensorsFile::open(path);
            QVERIFY2(!file || file->hash() != written->hash, qPrintable(QString::number(length)));
        }
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            std::string altered = bytes;
            altered[i] = static_cast<char>(altered[i] ^ 0x20);
            writeBytes(path, altered);
            const auto file = SafetensorsFile::open(path);
            QVERIFY2(!file || file->hash() != written->hash, qPrintable(QString::number(i)));
        }
        writeBytes(path, std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10));
        QCOMPARE(SafetensorsFile::open(path).error().code, std::string("bad_safetensors"));
    }

    void saveAndLoad() {
        const test::TempDir temp;
        const OneRank one(temp.path());
        QCOMPARE(one.latest(), -1);
        QVERIFY(one.save(10).has_value());
        QVERIFY(one.save(20).has_value());
        QCOMPARE(one.latest(), 20);
        std::vector<StateTensor> state = stateOf(0);
        const auto chosen = loadCheckpoint(one.context(), one.dir.checkpoint(10).string(), state);
        QVERIFY(chosen.has_value());
        QCOMPARE(chosen->mark->step, 10);
        // Asked for by name, none is an error.
        const auto none = loadCheckpoint(one.context(), (temp.path() / "elsewhere").string(), state);
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("checkpoint_missing"));
    }

    // The newest is the one of the largest step, also where the numbers of the folders are of unequal length.
    void newestIsByNumber() {
        const test::TempDir temp;
        OneRank one(temp.path());
        one.config.checkpoint.keep = 1;
        for (const std::int64_t step : {99999999, 100000000}) {
            QVERIFY(one.save(step).has_value());
            QCOMPARE(one.latest(), step);
        }
        QVERIFY(!std::filesystem::exists(one.dir.checkpoint(99999999)));
    }

    // A manifest of a later version, or one that points out of its folder, makes no checkpoint; the one before is the
    // newest.
    void foreignManifestIsRefused_data() {
        QTest::addColumn<std::function<void(Json&)>>("change");
        QTest::addColumn<QString>("word");
        const auto row = [](const char* name, const char* word, const std::function<void(Json&)>& change) {
            QTest::newRow(name) << change << QString(word);
        };
        row("later schema", "schema 2", [](Json& m) { m["schema"] = 2; });
        row("file of another checkpoint", "its own folder", [](Json& m) {
            m.erase("hash");
            m["files"][0]["file"] = "../step_00000010/rank_00000.safetensors";
        });
    }
    void foreignManifestIsRefused() {
        QFETCH(std::function<void(Json&)>, change);
        QFETCH(QString, word);
        const test::TempDir temp;
        const OneRank one(temp.path());
        for (const std::int64_t step : {10, 20}) QVERIFY(one.save(step).has_value());
        Json manifest = *readJsonFile(one.dir.checkpoint(20) / "manifest.json");
        change(manifest);
        QVERIFY(writeJsonFile(one.dir.checkpoint(20) / "manifest.json", manifest).has_value());
        const auto read = readManifest(one.dir.checkpoint(20));
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("bad_manifest"));
        QVERIFY2(QString::fromStdString(read.error().message).contains(word), read.error().message.c_str());
        QCOMPARE(completeCheckpoints(one.dir.checkpoints()), std::vector<std::int64_t>{10});
    }

    // Every number of a manifest is part of its hash: whichever is changed, the checkpoint before is taken.
    void everyNumberCounts() {
        const test::TempDir temp;
        OneRank one(temp.path());
        one.config.checkpoint.keep = 9;
        for (const std::int64_t step : {10, 20}) QVERIFY(one.save(step).has_value());
        const auto path = one.dir.checkpoint(20) / "manifest.json";
        const Json manifest = *readJsonFile(path);
        std::size_t numNumbers = 0;
        const Json leaves = manifest.flatten();
        for (const auto& [pointer, value] : leaves.items()) {
            if (!value.is_number()) continue;
            ++numNumbers;
            Json changed = manifest;
            Json& number = changed[Json::json_pointer(pointer)];
            number = value.is_number_float() ? Json(value.get<double>() + 1) : Json(value.get<std::int64_t>() + 1);
            QVERIFY(writeJsonFile(path, changed).has_value());
            QVERIFY2(!readManifest(one.dir.checkpoint(20)), pointer.c_str());
            QVERIFY2(one.latest() == 10, pointer.c_str());
        }
        QVERIFY2(numNumbers > 20, std::to_string(numNumbers).c_str());
        // Without the hash it is one of an older version: it loads, and that is known.
        Json older = manifest;
        older.erase("hash");
        QVERIFY(writeJsonFile(path, older).has_value());
        QCOMPARE(one.latest(), 20);
        std::vector<StateTensor> state = stateOf(0);
        QVERIFY(loadCheckpoint(one.context(), "latest", state)->isUnverified);
        QVERIFY(writeJsonFile(path, manifest).has_value());
        QVERIFY(!loadCheckpoint(one.context(), "latest", state)->isUnverified);
    }

    // A process killed at any byte of a checkpoint leaves the one before: all prefixes of what is written, in its
    // order.
    void killedAtAnyByte() {
        const test::TempDir temp;
        OneRank one(temp.path());
        QVERIFY(one.save(10).has_value());
        QVERIFY(one.save(20).has_value());
        const auto folder = one.dir.checkpoint(20);
        const std::string shard = *readFile(folder / "rank_00000.safetensors"),
                          manifest = *readFile(folder / "manifest.json");
        std::filesystem::remove(folder / "manifest.json");
        for (std::size_t length = 0; length <= shard.size(); length += length < 32 ? 1 : 37) {
            writeBytes(folder / "rank_00000.safetensors", shard.substr(0, length));
            QCOMPARE(one.latest(), 10);
        }
        writeBytes(folder / "rank_00000.safetensors", shard);
        for (std::size_t length = 0; length < manifest.size() - 1; length += 23) {  // its temporary file
            writeBytes(folder / "manifest.json.tmp.1", manifest.substr(0, length));
            QCOMPARE(one.latest(), 10);
        }
        writeBytes(folder / "manifest.json", manifest);
        QCOMPARE(one.latest(), 20);
    }

    // Bit rot in the newest: the one before is taken, and it is said.
    void damagedNewestFallsBack() {
        const test::TempDir temp;
        OneRank one(temp.path());
        QVERIFY(one.save(10).has_value());
        QVERIFY(one.save(20).has_value());
        const auto path = one.dir.checkpoint(20) / "rank_00000.safetensors";
        std::string bytes = *readFile(path);
        bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 1);
        writeBytes(path, bytes);
        std::size_t damaged = 0;
        QCOMPARE(one.latest(&damaged), 10);
        QCOMPARE(damaged, static_cast<std::size_t>(1));
        // Going on from 10, the damaged 20 no longer counts, and keeping one keeps the good one.
        one.config.checkpoint.keep = 1;
        QVERIFY(one.save(15).has_value());
        QCOMPARE(one.latest(), 15);
        // A manifest is there only when all was: without a part of it, or with it unreadable, there is damage, and no
        // run begins anew over it.
        QVERIFY(one.save(25).has_value());
        writeBytes(one.dir.checkpoint(25) / "manifest.json", "{");
        one.config.checkpoint.keep = 9;
        QCOMPARE(one.latest(), -2);
        QVERIFY(one.save(5).has_value());
        QVERIFY(one.save(30).has_value());
        std::filesystem::remove(one.dir.checkpoint(30) / "rank_00000.safetensors");
        QCOMPARE(one.latest(&damaged), 5);
        QCOMPARE(damaged, static_cast<std::size_t>(1));
        QCOMPARE(completeCheckpoints(one.dir.checkpoints()), std::vector<std::int64_t>{5});
    }

    void retention() {
        const test::TempDir temp;
        OneRank one(temp.path());
        one.config.checkpoint.keep = 2;
        for (std::int64_t step = 1; step <= 6; ++step) QVERIFY(one.save(step).has_value());
        QCOMPARE(completeCheckpoints(one.dir.checkpoints()), (std::vector<std::int64_t>{6, 5}));
        QVERIFY(!std::filesystem::exists(one.dir.checkpoint(4)));
        // Every third stays for good.
        one.config.checkpoint.keepEverySteps = 3;
        for (std::int64_t step = 7; step <= 11; ++step) QVERIFY(one.save(step).has_value());
        QCOMPARE(completeCheckpoints(one.dir.checkpoints()), (std::vector<std::int64_t>{11, 10, 9, 6}));
        pruneCheckpoints(one.dir.checkpoints(), 2);
        one.config.checkpoint.keepEverySteps = 0;
        QCOMPARE(completeCheckpoints(one.dir.checkpoints()), (std::vector<std::int64_t>{11, 10}));
        // An incomplete newer one costs no good one.
        std::filesystem::create_directories(one.dir.checkpoint(12));
        writeBytes(one.dir.checkpoint(12) / "rank_00000.safetensors", "part");
        pruneCheckpoints(one.dir.checkpoints(), 0);
        QCOMPARE(completeCheckpoints(one.dir.checkpoints()), (std::vector<std::int64_t>{11}));
        // It may be being written: it stays until a newer one is whole.
        QVERIFY(std::filesystem::exists(one.dir.checkpoint(12) / "rank_00000.safetensors"));
        QVERIFY(one.save(13).has_value());
        QVERIFY(!std::filesystem::exists(one.dir.checkpoint(12)));
        // One with a file that is longer than it was written is no good one either.
        QVERIFY(one.save(14).has_value());
        std::ofstream(one.dir.checkpoint(14) / "rank_00000.safetensors", std::ios::app) << "more";
        pruneCheckpoints(one.dir.checkpoints(), 1);
        QCOMPARE(completeCheckpoints(one.dir.checkpoints()), (std::vector<std::int64_t>{13}));
    }

    // A part that no rank wrote is not left as it was in memory.
    void missingPartIsDamage() {
        const test::TempDir temp;
        const OneRank one(temp.path());
        std::vector<StateTensor> half = stateOf(1), whole = stateOf(0);
        half[1].shard.flatOffset = 0;
        half[1].shard.flatLength = 20;
        half[1].tensor = half[1].tensor.narrow(0, 0, 20);
        QVERIFY(saveCheckpoint(one.context(), {1, 1, 1, 1, {}}, half).has_value());
        const auto loaded = loadCheckpoint(one.context(), "latest", whole);
        QVERIFY(!loaded);
        QCOMPARE(loaded.error().code, std::string("checkpoint_damaged"));
        QVERIFY2(loaded.error().message.find("lacks a part") != std::string::npos, loaded.error().message.c_str());
    }

    // A rank that holds two ranges of one tensor writes both into its file.
    void severalRangesOfOneTensor() {
        const test::TempDir temp;
        const OneRank one(temp.path());
        std::vector<StateTensor> ranges;
        for (const StateTensor& entry : stateOf(7))
            for (const std::int64_t begin : {0, 15}) {
                StateTensor& range = ranges.emplace_back(entry);
                range.shard.flatOffset = begin;
                range.shard.flatLength = begin == 0 ? 15 : 25;
                range.tensor = entry.tensor.narrow(0, begin, *range.shard.flatLength);
            }
        QVERIFY(saveCheckpoint(one.context(), {7, 6, 112, 28672, {}}, ranges).has_value());
        QCOMPARE(one.latest(), 7);
    }

    // Ranks of one world: what is equal on both replicas is written by one of them, what is not by each; one missing
    // file hides the set.
    void severalRanks() {
        for (const bool sharded : {false, true}) {
            const test::TempDir temp;
            RunConfig config;
            config.parallel.dp = 2;
            config.parallel.pp = 2;
            const RunDir dir{temp.path()};
            runInProcess(4, [&](std::int64_t rank, InProcessWorld& world) {
                const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
                const CheckpointContext context{dir, config, mesh, at::kCPU};
                // Each pipeline rank has parameters of its own; dp ranks own halves of them, or copies.
                std::vector<StateTensor> mine = stateOf(5, mesh.at.pp), found = stateOf(0);
                for (auto* state : {&mine, &found})
                    for (StateTensor& entry : *state) {
                        entry.name += std::to_string(mesh.at.pp);
                        if (!sharded) continue;
                        entry.shard.flatOffset = 20 * mesh.at.dp;
                        entry.shard.flatLength = 20;
                        entry.tensor = entry.tensor.narrow(0, 20 * mesh.at.dp, 20);
                    }
                if (auto saved = saveCheckpoint(context, {5, 5, 5, 5, {}}, mine); !saved)
                    throw std::runtime_error(saved.error().message);
                const auto loaded = loadCheckpoint(context, "latest", found);
                if (!loaded || !loaded->mark) throw std::runtime_error(loaded ? "none" : loaded.error().message);
                for (std::size_t i = 0; i < mine.size(); ++i)
                    if (!at::equal(found[i].tensor, mine[i].tensor)) throw std::runtime_error("another rank's tensors");
            });
            const auto manifest = readManifest(dir.checkpoint(5));
            QVERIFY(manifest.has_value());
            QCOMPARE(manifest->files.size(), static_cast<std::size_t>(4));
            std::int64_t elements = 0;
            for (const ManifestFile& file : manifest->files)
                for (const ManifestTensor& tensor : file.tensors)
                    elements += tensor.shard.flatLength.value_or(tensor.shard.localElements());
            QCOMPARE(elements, static_cast<std::int64_t>(2 * 2 * 40));
            std::filesystem::remove(dir.checkpoint(5) / manifest->files[1].name);
            QCOMPARE(completeCheckpoints(dir.checkpoints()).size(), static_cast<std::size_t>(0));
        }
    }

    // What begin() saw is what is written, whatever training does to the tensors meanwhile; the one before counts until
    // finish().
    void writesInTheBackground() {
        const test::TempDir temp;
        const OneRank one(temp.path());
        QVERIFY(one.save(10).has_value());
        CheckpointWriter writer(one.context());
        std::vector<StateTensor> state = stateOf(20);
        QVERIFY(!writer.isUnderWay());
        QVERIFY(writer.begin({20, 19, 320, 0, "{\"a\":1}"}, state).has_value());
        for (StateTensor& entry : state) entry.tensor.fill_(-1);
        QVERIFY(writer.isUnderWay());
        QVERIFY(test::waitUntil(60, [&] { return writer.isWritten(); }));
        QCOMPARE(one.latest(), 10);
        const auto finished = writer.finish();
        QVERIFY(finished.has_value());
        QCOMPARE(finished->mark.step, 20);
        QVERIFY(finished->stallSeconds > 0 && finished->writeSeconds > 0);
        QCOMPARE(finished->bytes, static_cast<std::uint64_t>(
                                      std::filesystem::file_size(one.dir.checkpoint(20) / "rank_00000.safetensors")));
        QCOMPARE(one.latest(), 20);
        QVERIFY(!writer.isUnderWay() && !writer.isWritten());
        std::vector<StateTensor> back = stateOf(0);
        QCOMPARE(loadCheckpoint(one.context(), "latest", back)->mark->loopState, std::string("{\"a\":1}"));
        // The same buffer again; abandoned, it does not count, and the next attempt at that step clears what it left.
        QVERIFY(writer.begin({30, 29, 480, 0, {}}, stateOf(30)).has_value());
        {
            CheckpointWriter abandoned(one.context());
            QVERIFY(writer.finish().has_value());
            QVERIFY(abandoned.begin({40, 39, 640, 0, {}}, stateOf(40)).has_value());
        }
        QCOMPARE(one.latest(), 30);
        writeBytes(one.dir.checkpoint(40) / "rank_00007.safetensors", "of another layout");
        QVERIFY(one.save(40).has_value());
        QCOMPARE(one.latest(), 40);
        QVERIFY(!std::filesystem::exists(one.dir.checkpoint(40) / "rank_00007.safetensors"));
    }

    // Nodes with homes of their own: each keeps its files, as many as are wanted, and reads what the others wrote once it is brought.
    void homesOfTheirOwn() {
        const test::TempDir first, second;
        RunConfig config;
        config.parallel.pp = 2;
        config.checkpoint.keep = 2;
        const RunDir dirs[] = {RunDir{first.path()}, RunDir{second.path()}};
        std::atomic<int> refused{0}, loaded{0};
        const auto onBoth = [&](const auto& what) {
            runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
                const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
                std::vector<StateTensor> state = stateOf(5, rank);
                for (StateTensor& entry : state) entry.name += std::to_string(rank);
                what(CheckpointContext{dirs[rank], config, mesh, at::kCPU}, state);
            });
        };
        onBoth([&](const CheckpointContext& context, std::vector<StateTensor>& state) {
            for (std::int64_t step = 1; step <= 4; ++step)
                if (!saveCheckpoint(context, {step, step, step, step, {}}, state))
                    throw std::runtime_error("not saved");
        });
        for (const std::int64_t step : {1, 2})
            for (const RunDir& dir : dirs) QVERIFY(!std::filesystem::exists(dir.checkpoint(step)));
        QVERIFY(std::filesystem::exists(dirs[0].checkpoint(3) / "rank_00000.safetensors"));
        QVERIFY(std::filesystem::exists(dirs[1].checkpoint(3) / "rank_00001.safetensors"));
        const auto load = [&](const CheckpointContext& context, std::vector<StateTensor>& state) {
            const auto found = loadCheckpoint(context, "latest", state);
            if (found && found->mark && found->mark->step == 4) ++loaded;
            if (!found && found.error().code == "checkpoint_damaged") ++refused;
        };
        onBoth(load);
        QCOMPARE(refused.load(), 2);
        const auto bring = [&](int from, int to, const char* name) {
            std::filesystem::copy_file(dirs[from].checkpoint(4) / name, dirs[to].checkpoint(4) / name);
        };
        bring(0, 1, "rank_00000.safetensors");
        bring(0, 1, "manifest.json");
        bring(1, 0, "rank_00001.safetensors");
        onBoth(load);
        QCOMPARE(loaded.load(), 2);
    }

    // A node without the run's folder: every rank is told, nothing of the checkpoint stays, the one before is the
    // newest.
    void failingWriteIsToldToAll() {
        const test::TempDir temp;
        RunConfig config;
        config.parallel.pp = 2;
        const RunDir dir{temp.path()}, elsewhere{temp.path() / "not mounted"};
        std::atomic<int> told{0};
        runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
            std::vector<StateTensor> state = stateOf(5, rank);
            for (StateTensor& entry : state) entry.name += std::to_string(rank);
            const auto save = [&](const RunDir& mine, std::int64_t step) {
                return saveCheckpoint({mine, config, mesh, at::kCPU}, {step, step, step, step, {}}, state);
            };
            if (!save(dir, 5)) throw std::runtime_error("the first failed");
            const auto failed = save(rank == 1 ? elsewhere : dir, 6);
            if (!failed && failed.error().code == "file_unwritable") ++told;
        });
        QCOMPARE(told.load(), 2);
        QVERIFY(!std::filesystem::exists(dir.checkpoint(6)));
        QCOMPARE(completeCheckpoints(dir.checkpoints()), std::vector<std::int64_t>{5});
    }

    void fullDisk() {
        test::SmallDisk disk("64k");
        if (!disk.mounted()) QSKIP("mounting a small disk needs root");
        OneRank one(disk.path());
        QVERIFY(one.save(1).has_value());
        std::vector<StateTensor> big = stateOf(2);
        big[0].tensor = at::zeros({100000}, at::kDouble);
        big[0].shard.globalShape = {100000};
        const auto saved = saveCheckpoint(one.context(), {2, 1, 32, 8192, {}}, big);
        QCOMPARE(saved.error().code, std::string("disk_full"));
        QCOMPARE(one.latest(), 1);
        QVERIFY(!std::filesystem::exists(one.dir.checkpoint(2)));
    }
};

SLIPWAY_TEST(TstCheckpoint)
#include "tst_checkpoint.moc"
