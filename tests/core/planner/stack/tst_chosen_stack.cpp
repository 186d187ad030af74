// Which software a forecast is of: asked for, the hardware's own, the config's, typical, none.
#include "core/planner/default_run.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/stack/chosen_stack.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/planner/stack/known_software.h"
#include "core/planner/stack/shipped_stacks.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

namespace slipway {

namespace {

ClusterSpec h100() {
    return *findDevicePreset("NVIDIA H100 SXM 80 GB");
}

RunConfig config8b(const std::string& software = {}) {
    RunConfig config = defaultRun(findModelPreset("llama3-8b")->model, h100().device);
    config.parallel.dp = 8;
    config.parallel.zeroStage = 3;
    config.software = software;
    return config;
}

ClusterSpec withOwnStack(const std::string& name) {
    ClusterSpec cluster = h100();
    SoftwareStack stack = shippedCalibration().stacks.at("nanotron");
    stack.name = name;
    cluster.stack = stack;
    cluster.calibration = "calibrated";
    return cluster;
}

}  // namespace

class TstChosenStack : public QObject {
    Q_OBJECT
private slots:
    void decides_data() {
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("software");
        QTest::addColumn<bool>("ownStack");
        QTest::addColumn<QString>("stack");
        QTest::addColumn<QString>("basis");
        QTest::newRow("none named") << ""
                                    << "" << false << "typical"
                                    << "typical software, because the config names none";
        QTest::newRow("the config's") << ""
                                      << "megatron-core" << false << "megatron-core"
                                      << "Megatron-Core, the software of the config";
        QTest::newRow("asked for wins") << "nemo"
                                        << "megatron-core" << false << "nemo"
                                        << "NeMo, as requested";
        QTest::newRow("the limit of physics") << "textbook"
                                              << "megatron-core" << false << ""
                                              << "textbook, as requested";
        QTest::newRow("the hardware's own") << ""
                                            << "megatron-core" << true << "ours"
                                            << "ours, calibrated with the hardware";
        QTest::newRow("asked for wins over that, too") << "textbook"
                                                       << "" << true << ""
                                                       << "textbook, as requested";
        QTest::newRow("the config may name it") << ""
                                                << "ours" << true << "ours"
                                                << "ours, calibrated with the hardware";
    }
    void decides() {
        QFETCH(QString, asked);
        QFETCH(QString, software);
        QFETCH(bool, ownStack);
        const auto chosen = chooseStack(asked.toStdString(), config8b(software.toStdString()),
                                        ownStack ? withOwnStack("ours") : h100());
        QVERIFY2(chosen.has_value(), chosen ? "" : chosen.error().text().c_str());
        QTEST(QString::fromStdString(softwareOf(chosen->cluster)), "stack");
        QTEST(QString::fromStdString(textOf(chosen->text())), "basis");
    }

    /// Textbook is the plan of a cluster without a stack, to the last bit; typical software is slower and its interval is one.
    void figures() {
        const Plan bare = makePlan(config8b(), h100());
        const Plan textbook = makePlan(config8b(), chooseStack("textbook", config8b(), withOwnStack("ours"))->cluster);
        QCOMPARE(textbook.step.stepSeconds, bare.step.stepSeconds);
        QCOMPARE(textbook.memoryPeakBytes, bare.memoryPeakBytes);
        QCOMPARE(textOf(basisText(textbook.step.label, softwareOf(textbook.cluster))), std::string("textbook"));
        const Plan typical = makePlan(config8b(), chooseStack("", config8b(), h100())->cluster);
        QVERIFY(typical.step.stepSeconds > bare.step.stepSeconds && hasProbability(typical.step.label));
        QCOMPARE(textOf(basisText(typical.step.label, softwareOf(typical.cluster))), std::string("typical software"));
        QCOMPARE(typical.step.label, std::string("typical"));
        const Plan named = makePlan(config8b(), chooseStack("megatron-core", config8b(), h100())->cluster);
        QCOMPARE(named.step.label, std::string("calibrated"));
        QCOMPARE(textOf(basisText(named.step.label, softwareOf(named.cluster))),
                 std::string("Megatron-Core, calibrated"));
        QVERIFY(forecastJson(typical)["software"] == Json("typical") && forecastJson(bare)["software"].is_null());
    }

    void cpusRunTheBundledTrainer() {
        ClusterSpec cpu;
        RunConfig config = config8b("megatron-core");
        config.train.device = DeviceKind::Cpu;
        const auto chosen = chooseStack("", config, cpu);
        QVERIFY(chosen && softwareOf(chosen->cluster) == kBundledTrainer);
        QVERIFY(chosen->reason == StackReason::BundledTrainer && chosen->cluster.calibration == "calibrated");
        // The limit of physics stays available.
        QVERIFY(!chooseStack("textbook", config, chosen->cluster)->cluster.stack);
        QVERIFY(!chooseStack(std::string(kBundledTrainer), config8b(), h100()));
        // A field without effect is told.
        QCOMPARE(softwareIssue(config, cpu)->code, std::string("software_without_effect"));
        QVERIFY(softwareIssue(config, cpu)->severity == Severity::Info);
        QVERIFY(!otherSoftwareNote(config, chosen->cluster));
        QVERIFY(!chooseStack("nemo", config, cpu));
    }

    void unknownSoftware() {
        const auto refused = chooseStack("", config8b("megatron"), h100());
        QVERIFY(!refused && refused.error().code == "bad_config");
        QVERIFY(refused.error().message.find("did you mean megatron-core?") != std::string::npos);
        QCOMPARE(refused.error().where, std::string("software"));
        const Plan plan = makePlan(config8b("nemmo"), h100());
        QVERIFY(hasErrors(plan.issues) && plan.memory.empty());
        QVERIFY(plan.issues.front().message.find("did you mean nemo?") != std::string::npos);
        QCOMPARE(chooseStack("nemmo", config8b(), h100()).error().code, std::string("usage"));
    }

    void launchedWithTheBundledTrainer() {
        const auto chosen = chooseStack("", config8b("megatron-core"), h100());
        QVERIFY(textOf(*otherSoftwareNote(config8b("megatron-core"), chosen->cluster)).find("Megatron-Core") !=
                std::string::npos);
        QVERIFY(!otherSoftwareNote(config8b(), chooseStack("", config8b(), h100())->cluster));
    }

    /// The same software for the config beside it, as fast as it is in that one's number format.
    void anotherConfig() {
        RunConfig fp8 = config8b();
        fp8.train.precision = Precision::Fp8;
        const auto own = chooseStack("", config8b(), h100());
        QCOMPARE(own->clusterFor(fp8).stack->gemmEfficiency.value,
                 chooseStack("", fp8, h100())->cluster.stack->gemmEfficiency.value);
        QVERIFY(own->clusterFor(fp8).stack->gemmEfficiency.value != own->cluster.stack->gemmEfficiency.value);
        const auto ours = chooseStack("", config8b(), withOwnStack("ours"));
        QCOMPARE(ours->clusterFor(fp8).stack->gemmEfficiency.value, ours->cluster.stack->gemmEfficiency.value);
    }
};

SLIPWAY_TEST(TstChosenStack)

}  // namespace slipway

#include "tst_chosen_stack.moc"
