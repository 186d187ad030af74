// `slipway-trainer verify`: in this process, and as real processes that Gloo connects.
#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"
#include "tests/trainer/comm/backends.h"
#include "tests/trainer/verify/layout_cases.h"
#include "trainer/verify/verify_command.h"

#include <nlohmann/json.hpp>

#include <QProcess>
#include <memory>
#include <sstream>

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

namespace {

struct Sample {
    const char* name;
    std::int64_t dp, tp, pp;
    ScheduleKind schedule;
    bool sequenceParallel;
    std::int64_t zeroStage;
    ExtraAxes extra;
    std::int64_t cp = 1;
    CpKind cpKind = CpKind::Ring;
    std::int64_t ep = 1, etp = 1;
};

const std::vector<Sample>& samples() {
    static const std::vector<Sample> all{
        {"dp2_tp2_sp_zero1_gpt2", 2, 2, 1, ScheduleKind::OneFOneB, true, 1, {{1, 1, 0, 0, 0, 0, 1, 0}}},
        {"tp2_pp2_1f1b_tied_gqa", 1, 2, 2, ScheduleKind::OneFOneB, false, 0, {{0, 1, 1, 1, 0, 0, 0, 0}}},
        {"dp2_pp2_afab_uneven", 2, 1, 2, ScheduleKind::Afab, false, 0, {{0, 0, 1, 0, 1, 1, 0, 1}}},
        {"pp2_interleaved_tied", 1, 1, 2, ScheduleKind::InterleavedOneFOneB, false, 0, {{1, 1, 0, 0, 0, 0, 0, 0}}},
        {"pp2_zb_v_tied", 1, 1, 2, ScheduleKind::ZbV, false, 0, {{0, 1, 0, 0, 0, 0, 0, 0, 0, 0}}},
        {"cp2_ring_pp2_zb_h1_packed", 1, 1, 2, ScheduleKind::ZbH1, false, 0, {{0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0}}, 2},
        {"cp2_all_gather_tp2_sp_window",
         1,
         2,
         1,
         ScheduleKind::OneFOneB,
         true,
         0,
         {{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}},
         2,
         CpKind::AllGather},
        {"cp2_ulysses_dp2_zero1",
         2,
         1,
         1,
         ScheduleKind::OneFOneB,
         false,
         1,
         {{1, 1, 0, 0, 0, 0, 0, 0, 0, 0}},
         2,
         CpKind::Ulysses},
        {"dp2_tp2_ep2_etp2", 2, 2, 1, ScheduleKind::OneFOneB, true, 0, {}, 1, CpKind::Ring, 2, 2},
    };
    return all;
}

RunConfig configOf(const Sample& sample) {
    WalkedPoint point;
    point.layout.dp = sample.dp;
    point.layout.tp = sample.tp;
    point.layout.pp = sample.pp;
    point.layout.schedule = sample.schedule;
    const bool twoChunks = sample.schedule == ScheduleKind::InterleavedOneFOneB || sample.schedule == ScheduleKind::ZbV;
    point.layout.virtualStages = twoChunks ? 2 : 1;
    point.layout.cp = sample.cp;
    point.layout.cpKind = sample.cpKind;
    point.layout.sequenceParallel = sample.sequenceParallel;
    point.layout.zeroStage = sample.zeroStage;
    point.numMicroBatches = 4;
    RunConfig config = configOf(point, sample.extra);
    if (sample.ep * sample.etp == 1) return config;
    config.parallel.ep = sample.ep;
    config.parallel.etp = sample.etp;
    config.model.moe = MoeSpec{};
    config.model.moe->numExperts = 4;
    config.model.moe->numSharedExperts = 1;
    config.model.moe->expertFfnHiddenSize = 4;
    return config;
}

}  // namespace

class TstVerifyCommand : public QObject {
    Q_OBJECT
private slots:
    void exitCodesAndTexts() {
        TempDir temp;
        const std::string path = (temp.path() / "config.json").string();
        RunConfig config = configOf(samples()[1]);
        QVERIFY(writeJsonFile(path, toJson(config)));
        std::ostringstream out, err;
        QCOMPARE(runVerifyCommand({path, "--json", "--steps", "2"}, out, err), 0);
        const auto json = parseJson(out.str(), "out");
        QVERIFY2(json, err.str().c_str());
        QCOMPARE(json->at("passed").get<bool>(), true);
        QCOMPARE(json->at("world_size").get<int>(), 4);
        QVERIFY(json->at("largest_gradient_difference").get<double>() < 1e-10);
        QVERIFY(json->at("parameters").size() > 10);

        out.str("");
        QCOMPARE(runVerifyCommand({path, "--steps", "1"}, out, err), 0);
        QVERIFY(out.str().find("model.layers.0.self_attn.q_proj.weight") != std::string::npos);
        QVERIFY(out.str().find("PASSED: dp 1, tp 2, pp 2, cp 1, schedule 1f1b, in fp64: ") != std::string::npos);
        QVERIFY2(out.str().ends_with("; not covered: none\n"), out.str().c_str());

        out.str("");
        config.train.precision = Precision::Bf16;
        QVERIFY(writeJsonFile(path, toJson(config)));
        const int asRunCode = runVerifyCommand({path, "--steps", "2", "--as-run", "--json"}, out, err);
        QVERIFY2(asRunCode == 0, out.str().c_str());
        const auto asRun = parseJson(out.str(), "out");
        QVERIFY(asRun && asRun->at("formats") == "as_run" && asRun->at("not_covered").empty());
        QVERIFY(asRun->at("largest_gradient_difference").get<double>() > 1e-4);
        out.str("");
        QCOMPARE(runVerifyCommand({path, "--steps", "1"}, out, err), 0);
        QVERIFY2(out.str().ends_with("; not covered: train.precision = bf16\n"), out.str().c_str());

        out.str("");
        QCOMPARE(runVerifyCommand({"-h"}, out, err), 0);
        QVERIFY(out.str().find("--steps") != std::string::npos);
        QCOMPARE(runVerifyCommand({}, out, err), 2);
        QVERIFY2(err.str().starts_with("slipway-trainer verify: "), err.str().c_str());
        QCOMPARE(runVerifyCommand({path, "--jsno"}, out, err), 2);
        QCOMPARE(runVerifyCommand({path, "--steps", "0"}, out, err), 2);
        err.str("");
        config.parallel.tp = 3;
        QVERIFY(writeJsonFile(path, toJson(config)));
        QCOMPARE(runVerifyCommand({path}, out, err), 10);
        QVERIFY2(err.str().find("num_heads") != std::string::npos, err.str().c_str());
    }

    void asProcesses_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < samples().size(); ++i) QTest::newRow(samples()[i].name) << static_cast<int>(i);
    }
    void asProcesses() {
        QFETCH(int, index);
        if (!haveGloo()) QSKIP("this build has no Gloo (libgloo-dev)");
        const RunConfig config = configOf(samples()[static_cast<std::size_t>(index)]);
        TempDir temp;
        const std::string path = (temp.path() / "config.json").string();
        QVERIFY(writeJsonFile(path, toJson(config)));
        const std::uint16_t port = freePort();
        std::vector<std::unique_ptr<QProcess>> ranks;
        for (std::int64_t rank = 0; rank < config.parallel.worldSize(); ++rank) {
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("RANK", QString::number(rank));
            environment.insert("LOCAL_RANK", QString::number(rank));
            environment.insert("WORLD_SIZE", QString::number(config.parallel.worldSize()));
            environment.insert("MASTER_ADDR", "127.0.0.1");
            environment.insert("MASTER_PORT", QString::number(port));
            ranks.push_back(std::make_unique<QProcess>());
            ranks.back()->setProcessEnvironment(environment);
            ranks.back()->start(QString::fromUtf8(SLIPWAY_BIN_DIR "/slipway-trainer"),
                                {"verify", QString::fromStdString(path), "--json"});
        }
        for (auto& rank : ranks) {
            QVERIFY(rank->waitForFinished(120000));
            QVERIFY2(rank->exitStatus() == QProcess::NormalExit && rank->exitCode() == 0,
                     rank->readAllStandardError().constData());
        }
        const auto json = parseJson(ranks.front()->readAllStandardOutput().toStdString(), "rank 0");
        QVERIFY(json);
        QCOMPARE(json->at("passed").get<bool>(), true);
        QCOMPARE(json->at("grad_norms_identical").get<bool>(), true);
        m_largest = std::max(m_largest, json->at("largest_gradient_difference").get<double>());
        QVERIFY(m_largest < 1e-10);
    }
    void cleanupTestCase() {
        qInfo("over Gloo processes: %zu layouts, largest difference of gradients %.2e", samples().size(), m_largest);
    }

private:
    double m_largest = 0;
};
SLIPWAY_TEST(TstVerifyCommand)
#include "tst_verify_command.moc"
