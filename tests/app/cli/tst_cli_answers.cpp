// Commands beside the window's page Tools: the same documents, the same devices of the user.
#include "core/answers/cost_answer.h"
#include "core/answers/laws_answers.h"
#include "core/answers/tpu_answer.h"
#include "core/planner/user_hardware.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

Json json(const std::string& s) {
    const auto value = parseJson(s, "output");
    if (!value) qFatal("%s in: %s", value.error().text().c_str(), s.c_str());
    return *value;
}

}  // namespace

class TstCliAnswers : public QObject {
    Q_OBJECT

private slots:
    // The command prints what core answers, which the window shows too.
    void documentsAreCores() {
        CliBench bench;
        LawQuestion q;
        q.flops = 1e23;
        q.servedTokens = 2e12;
        Json serving, shape, pods, cost;
        QVERIFY(servingAnswer(q, serving) && shapeAnswer(q, shape));
        QVERIFY(json(bench.run({"laws", "serve", "--flops", "1e23", "--served-tokens", "2e12", "--json"}).out) ==
                serving);
        QVERIFY(json(bench.run({"laws", "shape", "--flops", "1e23", "--json"}).out) == shape);
        TpuInput input;
        input.parameters = 70e9;
        QVERIFY(tpuAnswer(input, *findDevicePreset("Google TPU v5p"), pods).has_value());
        QVERIFY(json(bench
                         .run({"tpu", "--chips", "8960", "--batch", "4194304", "--ffn", "28672", "--params", "70e9",
                               "--json"})
                         .out) == pods);
        CostInput budget;
        budget.flops = 1e22;
        budget.devices = 64;
        budget.mfu = 0.4;
        budget.purchasePrice = 25000;
        costAnswer(*costOfBudget(budget, *findDevicePreset("NVIDIA H100 SXM 80 GB")), cost);
        QVERIFY(json(bench
                         .run({"cost", "--flops", "1e22", "--device", "NVIDIA H100 SXM 80 GB", "--devices", "64",
                               "--mfu", "0.4", "--buy-price", "25000", "--json"})
                         .out) == cost);
    }
    // Own devices are in the home: listed, planned with, removed.
    void ownDevices() {
        CliBench bench;
        const std::string own = bench.file("own.json", R"({"devices": [{"device": {"name": "Own X1", "kind": "gpu",
            "peak_bf16_flops": 5e14, "memory_bytes": 1e11, "memory_bytes_per_second": 2e12, "source": "our bench"},
            "devices_per_node": 4, "intra_node": {"bytes_per_second": 1e11, "latency_seconds": 5e-6}}]})");
        QCOMPARE(bench.run({"devices", "--add", own}).code, 0);
        QVERIFY(text(bench.run({"devices", "own"}).out).contains("yours"));
        QCOMPARE(bench.run({"plan", "--model", "llama3-8b", "--cluster", "Own X1", "--devices", "32", "--json"}).code,
                 0);
        QCOMPARE(bench.run({"devices", "H100", "SXM", "--set", "device.price_per_hour=2.1"}).code, 0);
        QVERIFY(json(bench.run({"devices", "H100 SXM", "--json"}).out)[0]["device"]["price_per_hour"] == Json(2.1));
        QVERIFY(text(bench.run({"devices", "H100 SXM"}).out).contains("changed by you"));
        const auto bad = bench.run({"devices", "H100", "SXM", "--set", "device.memory_bytes=-1"});
        QVERIFY(bad.code == 2 && text(bad.err).contains("memory_bytes"));
        QCOMPARE(bench.run({"devices", "H100", "SXM", "--remove"}).code, 0);
        QVERIFY(text(bench.run({"devices", "H100 SXM"}).out).contains("library"));
        QCOMPARE(bench.run({"devices", "H100", "SXM", "--remove"}).code, 2);
        QVERIFY(text(bench.run({"devices", "--prices", "h100"}).out).contains("Lambda"));
        // A file that cannot be read is told; the library's devices are there.
        QVERIFY(writeFileAtomically(bench.at.home.path / "devices.json", "{\"devcies\": []}").has_value());
        const auto told = bench.run({"devices", "H100 SXM"});
        QVERIFY(told.code == 0 && text(told.err).contains("devcies"));
        QCOMPARE(bench.run({"devices", "--add", own}).code, 2);
        useUserHardware({});
    }
};

SLIPWAY_TEST(TstCliAnswers)
#include "tst_cli_answers.moc"
