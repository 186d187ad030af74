// A run keeps the forecast that its launch was decided with: one click plans once.
#include "core/base/json.h"
#include "core/planner/plan.h"
#include "core/run/run_session.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

bool has(const Issues& issues, const char* code) {
    return std::any_of(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.code == code; });
}

double forecastStepSeconds(RunStore& store, const RunSession& session) {
    const auto record = store.run(session.id());
    if (!record) return 0;
    const auto json = parseJson(record->forecastJson, "forecast");
    return json ? (*json)["step_seconds"].get<double>() : 0;
}

}  // namespace

class TstRunSession : public QObject {
    Q_OBJECT
private slots:
    void aMadePlanIsTheRunsForecast() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        RunRequest request;
        request.config = tinyConfig("planned");
        Plan plan = makePlan(request.config, request.cluster);
        // Figures that no second plan has.
        plan.step.stepSeconds = 123;
        plan.memoryPeakBytes = 1e18;
        request.plan = std::make_shared<const Plan>(plan);
        const auto session = RunSession::create(*store, at.home, request, kNow, at.programs);
        QVERIFY(session);
        QCOMPARE(forecastStepSeconds(*store, *session), 123.0);
        QVERIFY(has(session->readiness(), "memory_short"));
        // Whoever follows it later has no plan, and makes one.
        const auto later = RunSession::attach(*store, at.home, session->id(), kNow, at.programs);
        QVERIFY(later);
        QVERIFY(!has(later->readiness(), "memory_short"));
    }

    void withoutOneItIsMade() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        RunRequest request;
        request.config = tinyConfig("unplanned");
        request.cluster.device.peakFp32Flops = 1e11;
        const auto session = RunSession::create(*store, at.home, request, kNow, at.programs);
        QVERIFY(session);
        QCOMPARE(forecastStepSeconds(*store, *session), makePlan(request.config, request.cluster).step.stepSeconds);
    }
};

SLIPWAY_TEST(TstRunSession)

#include "tst_run_session.moc"
