// The interval around a forecast of memory, and where it is said.
#include "core/planner/explain/explain.h"
#include "core/planner/memory/memory_interval.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace slipway;

class TstMemoryInterval : public QObject {
    Q_OBJECT
private slots:
    void ends_data() {
        QTest::addColumn<QString>("basis");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::newRow("textbook, of a GPU") << "gpu" << 0.90 << 1.51;
        QTest::newRow("tensors of the bundled trainer are counted") << "cpu" << 0.97 << 1.03;
        QTest::newRow("of 16-bit weights less exactly") << "cpu, bf16" << 0.90 << 1.10;
        QTest::newRow("a calibrated stack has its own") << "stack" << 1 / 1.3 << 1.3;
    }
    void ends() {
        QFETCH(QString, basis);
        QFETCH(double, low);
        QFETCH(double, high);
        RunConfig config;
        ClusterSpec cluster;
        if (basis == "cpu, bf16") config.train.precision = Precision::Bf16;
        if (!basis.startsWith("cpu")) {
            const ClusterSpec* preset = findDevicePreset("NVIDIA H100 SXM 80 GB");
            QVERIFY(preset != nullptr);
            cluster = *preset;
            config.train.device = DeviceKind::Gpu;
        }
        if (basis == "stack") {
            cluster.stack = SoftwareStack{};
            cluster.stack->memorySpread = std::log(1.3) / 1.2815515655446004;
        }
        const Plan plan = makePlan(config, cluster);
        const double peak = plan.memoryPeakBytes;
        QVERIFY(peak > 0);
        const std::pair<double, double> found = memoryInterval(plan);
        QVERIFY(std::abs(found.first / (peak * low) - 1) < 1e-12);
        QVERIFY(std::abs(found.second / (peak * high) - 1) < 1e-12);
        const Json json = forecastJson(plan);
        QCOMPARE(json["memory"]["total_bytes_low"].get<double>(), found.first);
        QCOMPARE(json["memory"]["total_bytes_high"].get<double>(), found.second);
        // A process on a CPU holds more than its tensors: 160 to 310 MB.
        const Json& residentLow = json["memory"]["resident_bytes_low"];
        const Json& residentHigh = json["memory"]["resident_bytes_high"];
        QVERIFY(residentLow == (basis.startsWith("cpu") ? Json(found.first + 160e6) : Json(nullptr)));
        QVERIFY(residentHigh == (basis.startsWith("cpu") ? Json(found.second + 310e6) : Json(nullptr)));
        const auto explained = explain(plan, "memory_peak_bytes");
        QVERIFY(explained && explained->interval == found);
    }

    void unknownStaysUnknown() {
        RunConfig config;
        config.parallel.tp = 1000;  // legal nowhere
        const Plan plan = makePlan(config, ClusterSpec{});
        QVERIFY(std::isnan(memoryInterval(plan).first) && std::isnan(memoryInterval(plan).second));
    }
};

SLIPWAY_TEST(TstMemoryInterval)
#include "tst_memory_interval.moc"
