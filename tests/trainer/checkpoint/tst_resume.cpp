// Which checkpoints a run may go on from: those of the same training, with steps left to do.
#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/support/temp_dir.h"
#include "tests/trainer/checkpoint/one_rank.h"
#include "trainer/checkpoint/start_from.h"

#include <nlohmann/json.hpp>

#include <functional>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using slipway::test::OneRank, slipway::test::stateOf;

class TstResume : public QObject {
    Q_OBJECT
private slots:
    // What the run has of its own comes before where it once started from.
    void ownCheckpointComesFirst() {
        const test::TempDir temp;
        const OneRank other(temp.path() / "other");
        OneRank one(temp.path() / "one");
        QVERIFY(other.save(10).has_value());
        one.config.checkpoint.startFrom = other.dir.path.string();
        for (const std::int64_t step : {10, 5}) {
            std::vector<StateTensor> state = stateOf(0);
            const auto loaded = loadStart(one.context(), "latest", state);
            QVERIFY(loaded && loaded->mark);
            QCOMPARE(loaded->mark->step, step);
            QVERIFY(at::equal(state[0].tensor, stateOf(static_cast<double>(step))[0].tensor));
            QVERIFY(one.save(5).has_value());
        }
    }

    // Without checkpoint.restore_moments the weights come back, moments and their count begin again.
    void momentsMayBeLost() {
        const test::TempDir temp;
        OneRank one(temp.path());
        QVERIFY(one.save(5).has_value());
        one.config.checkpoint.restoreMoments = false;
        std::vector<StateTensor> state = stateOf(0);
        const at::Tensor moments = state[1].tensor, before = moments.clone();
        const auto loaded = loadStart(one.context(), "latest", state);
        QVERIFY(loaded && loaded->mark);
        QCOMPARE(loaded->mark->step, std::int64_t(5));
        QCOMPARE(loaded->mark->numUpdates, std::int64_t(0));
        QVERIFY(at::equal(state[0].tensor, stateOf(5)[0].tensor));
        QVERIFY(at::equal(moments, before));
    }

    // What must be the same in any layout: the config's part of it, and each tensor of the state.
    void mismatchIsRefused_data() {
        QTest::addColumn<std::function<void(RunConfig&, std::vector<StateTensor>&)>>("change");
        QTest::addColumn<QString>("word");
        using State = std::vector<StateTensor>;
        const auto row = [](const char* word, const std::function<void(RunConfig&, State&)>& change) {
            QTest::newRow(word) << change << QString(word);
        };
        row("another model (hidden_size)", [](RunConfig& c, State&) { c.model.hiddenSize *= 2; });
        row("train.seed", [](RunConfig& c, State&) { ++c.train.seed; });
        row("data section (seq_len)", [](RunConfig& c, State&) { c.train.seqLen *= 2; });
        row("data section (held_out_tokens)", [](RunConfig& c, State&) { c.train.eval.everySteps = 5; });
        row("data section (document_end_id)", [](RunConfig& c, State&) { c.data.documentEndId = 3; });
        row("data section (ignore_token_id)", [](RunConfig& c, State&) { c.data.ignoreTokenId = 0; });
        row("optimizer (adamw, here lion)", [](RunConfig& c, State&) { c.optimizer.kind = OptimizerKind::Lion; });
        row("number format", [](RunConfig&, State& s) { s[1].tensor = s[1].tensor.to(at::kFloat); });
        row("another shape", [](RunConfig&, State& s) { s[1].shard.globalShape = {8, 5}; });
        row("another optimizer", [](RunConfig&, State& s) { s[1].name += "_sq"; });
    }
    void mismatchIsRefused() {
        QFETCH(std::function<void(RunConfig&, std::vector<StateTensor>&)>, change);
        QFETCH(QString, word);
        const test::TempDir temp;
        OneRank one(temp.path());
        QVERIFY(one.save(1).has_value());
        std::vector<StateTensor> state = stateOf(0);
        change(one.config, state);
        const auto loaded = loadCheckpoint(one.context(), "latest", state);
        QVERIFY(!loaded);
        QCOMPARE(loaded.error().code, std::string("resume_mismatch"));
        QVERIFY2(QString::fromStdString(loaded.error().message).contains(word), loaded.error().message.c_str());
    }

    // Checkpoints of older versions do not say which token ended a document: whatever the config says, they are read.
    void olderDataSections() {
        const test::TempDir temp;
        OneRank one(temp.path());
        one.config.data.documentEndId = 3;
        QVERIFY(one.save(1).has_value());
        QCOMPARE(one.latest(), 1);
        one.config.data.documentEndId.reset();
        QCOMPARE(one.latest(), -2);
        const std::filesystem::path path = one.dir.checkpoint(1) / "manifest.json";
        Json manifest = *readJsonFile(path);
        QCOMPARE(manifest.erase("hash"), std::size_t{1});  // an older version's
        QCOMPARE(manifest["data"].erase("document_end_id"), std::size_t{1});
        QCOMPARE(manifest["data"].erase("ignore_token_id"), std::size_t{1});
        QVERIFY(writeJsonFile(path, manifest).has_value());
        QCOMPARE(one.latest(), 1);
        one.config.data.documentEndId = 5;
        QCOMPARE(one.latest(), 1);
    }

    // A run that is complete may be resumed; one that ends before its checkpoint, or a new one that would train no
    // step, is a mistake.
    void nothingToDo_data() {
        QTest::addColumn<qint64>("numSteps");
        QTest::addColumn<bool>("isNew");
        QTest::addColumn<bool>("starts");
        QTest::newRow("resumed with steps left") << qint64{11} << false << true;
        QTest::newRow("resumed at the end") << qint64{10} << false << true;
        QTest::newRow("resumed behind the end") << qint64{9} << false << false;
        QTest::newRow("new with steps left") << qint64{11} << true << true;
        QTest::newRow("new at the end") << qint64{10} << true << false;
        QTest::newRow("new behind the end") << qint64{9} << true << false;
    }
    void nothingToDo() {
        QFETCH(qint64, numSteps);
        QFETCH(bool, isNew);
        QFETCH(bool, starts);
        const test::TempDir temp;
        const OneRank other(temp.path() / "other");
        OneRank one(temp.path() / "one");
        one.config.train.numSteps = numSteps;
        if (isNew) one.config.checkpoint.startFrom = other.dir.path.string();
        QVERIFY((isNew ? other : one).save(10).has_value());
        std::vector<StateTensor> state = stateOf(0);
        const auto loaded = loadStart(one.context(), "latest", state);
        QCOMPARE(loaded.has_value(), starts);
        if (starts) return;
        QCOMPARE(loaded.error().code, std::string("nothing_to_do"));
        const std::string said = "is at step 10 and train.num_steps is " + std::to_string(numSteps) + "; raise ";
        QVERIFY2(loaded.error().message.find(said) != std::string::npos, loaded.error().message.c_str());
    }

    // A token file of the same name with something else in it. Checkpoints of older versions do not say what was in
    // theirs.
    void otherTextUnderOneName() {
        const test::TempDir temp;
        OneRank one(temp.path());
        QVERIFY(one.save(1).has_value());
        one.file = TokenFileHeader{64, 3000, false, "ab12", 3.5};
        QCOMPARE(one.latest(), 1);
        QVERIFY(one.save(2).has_value());
        QCOMPARE(one.latest(), 2);
        const TokenFileHeader was = *one.file;
        for (const auto& change : {std::function([](TokenFileHeader& h) { ++h.numTokens; }),
                                   {[](TokenFileHeader& h) { h.vocabSize *= 2; }},
                                   {[](TokenFileHeader& h) { h.tokenizerHash = "cd34"; }},
                                   {[](TokenFileHeader& h) { h.unigramEntropy = 3.25; }}}) {
            one.file = was;
            change(*one.file);
            std::vector<StateTensor> state = stateOf(0);
            const auto loaded = loadCheckpoint(one.context(), "latest", state);
            QVERIFY(!loaded);
            QCOMPARE(loaded.error().code, std::string("resume_mismatch"));
            QVERIFY(loaded.error().message.find("data section (token_file)") != std::string::npos);
        }
    }
};

SLIPWAY_TEST(TstResume)
#include "tst_resume.moc"
