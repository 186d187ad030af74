#include "core/planner/explain/plan_difference.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace slipway {

class TstPlanDifference : public QObject {
    Q_OBJECT

    static Plan plan(const std::function<void(RunConfig&, ClusterSpec&)>& edit = {}) {
        RunConfig c;
        c.model = findModelPreset("llama3-8b")->model;
        c.train.seqLen = 4096;
        c.train.globalBatchSize = 64;
        c.train.precision = Precision::Bf16;
        c.train.device = DeviceKind::Gpu;
        c.parallel.dp = 8;
        c.parallel.tp = 2;
        c.parallel.zeroStage = 1;
        ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        cluster.numNodes = 2;
        if (edit) edit(c, cluster);
        return makePlan(c, cluster);
    }

private slots:
    void thePlanItselfHasNone() {
        const Plan a = plan();
        QVERIFY(fieldDifferences(a, a).empty());
        for (const FigureDifference& d : figureDifferences(a, a))
            QVERIFY(std::isnan(d.before) ? std::isnan(d.after) : d.before == d.after);
    }

    void fieldsThatChangedAreListed() {
        const Plan a = plan();
        const Plan b = plan([](RunConfig& c, ClusterSpec& cluster) {
            c.name = "other name";
            c.parallel.dp = 4;
            c.parallel.pp = 2;
            c.parallel.schedule = ScheduleKind::Afab;
            cluster.device.pricePerHour = 9;
        });
        std::map<std::string, FieldDifference> by;
        for (const FieldDifference& d : fieldDifferences(a, b)) by[d.path] = d;
        QCOMPARE(by["parallel.dp"].left, std::string("8"));
        QCOMPARE(by["parallel.dp"].right, std::string("4"));
        QCOMPARE(by["parallel.pp"].right, std::string("2"));
        QCOMPARE(by["parallel.schedule"].right, std::string("\"afab\""));
        QVERIFY(by["parallel.schedule"].left.empty());  // without a pipeline there is none
        QVERIFY(by.count("cluster.device.price_per_hour"));
        QVERIFY(!by.count("name"));
        QVERIFY(!by.count("parallel.tp"));
        // The other way round, before and after change places.
        for (const FieldDifference& d : fieldDifferences(b, a)) {
            QCOMPARE(d.left, by[d.path].right);
            QCOMPARE(d.right, by[d.path].left);
        }
    }

    void figuresAreThePlans() {
        const Plan a = plan(), b = plan([](RunConfig&c, ClusterSpec&) { c.train.microBatchSize = 2; });
        std::map<std::string, FigureDifference> by;
        for (const FigureDifference& d : figureDifferences(a, b)) by[d.name] = d;
        QCOMPARE(by["step_seconds"].before, a.step.stepSeconds);
        QCOMPARE(by["step_seconds"].after, b.step.stepSeconds);
        QCOMPARE(by["step_seconds"].better, -1);
        QCOMPARE(by["tokens_per_second"].better, 1);
        QCOMPARE(by["memory_peak_bytes"].change(), b.memoryPeakBytes / a.memoryPeakBytes - 1);
        QCOMPARE(by["mfu"].after, *b.step.mfu);
        QCOMPARE(by["step_seconds"].labelBefore, a.step.label);
        // Parts of step and memory sum up to the whole, in both columns.
        double before = 0, after = 0, bytes = 0;
        for (const auto& [name, d] : by) {
            if (name.starts_with("step.")) {
                before += d.before;
                after += d.after;
            }
            if (name.starts_with("memory.")) bytes += d.after;
        }
        QVERIFY(std::fabs(before / a.step.stepSeconds - 1) < 1e-9);
        QVERIFY(std::fabs(after / b.step.stepSeconds - 1) < 1e-9);
        QVERIFY(std::fabs(bytes / b.memoryPeakBytes - 1) < 1e-9);
    }

    void unknownStaysUnknown() {
        const Plan a = plan(), b = plan([](RunConfig&, ClusterSpec&cluster) { cluster.device.pricePerHour.reset(); });
        for (const FigureDifference& d : figureDifferences(a, b))
            if (d.name == "money") {
                QVERIFY(std::isnan(d.after));
                QVERIFY(std::isnan(d.change()));
            }
    }
};

SLIPWAY_TEST(TstPlanDifference)

}  // namespace slipway

#include "tst_plan_difference.moc"
