// What `plan` and `search` make of a model alone: its run, its hardware, its layout.
#include "core/base/json.h"
#include "core/planner/presets.h"
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

class TstModelPlan : public QObject {
    Q_OBJECT

private slots:
    // The first thing that anybody types.
    void aModelAlone() {
        CliBench bench;
        const auto got = bench.run({"plan", "--model", "llama3-8b", "--json"});
        QVERIFY2(got.code == 0, (got.err + got.out).c_str());
        const Json plan = json(got.out);
        const Json& train = plan["config"]["train"];
        QVERIFY(train["precision"] == "bf16" && train["device"] == "gpu");
        QCOMPARE(train["seq_len"].get<int>(), 8192);
        QCOMPARE(train["seq_len"].get<int>() * train["global_batch_size"].get<int>(), 1 << 22);
        QVERIFY(plan["cluster"]["device"]["name"] == "NVIDIA H100 SXM 80 GB");
        QCOMPARE(plan["cluster"]["num_nodes"].get<int>(), 1);
        QVERIFY(plan["forecast"]["mfu"].get<double>() > 0.3);
        for (const char* said :
             {"train.precision bf16", "8 x NVIDIA H100 SXM 80 GB, the fewest nodes", "note: layout: "})
            QVERIFY2(text(got.err).contains(said), got.err.c_str());
    }

    // The fewest nodes that hold a model do so without offloading, which holds nearly anything.
    void aLargeModelAlone() {
        CliBench bench;
        const auto got = bench.run({"plan", "--model", "llama3.1-405b", "--json"});
        QVERIFY2(got.code == 0, (got.err + got.out).c_str());
        QVERIFY(json(got.out)["cluster"]["num_nodes"].get<int>() > 4);
    }

    void onSoManyDevices() {
        CliBench bench;
        const auto got = bench.run({"plan", "--model", "llama3-8b", "--cluster", "H100", "--devices", "64", "--json"});
        QVERIFY2(got.code == 0, (got.err + got.out).c_str());
        const Json plan = json(got.out);
        QCOMPARE(plan["cluster"]["num_nodes"].get<int>(), 8);
        const Json& p = plan["config"]["parallel"];
        QCOMPARE(p["dp"].get<int>() * p["tp"].get<int>() * p["pp"].get<int>() * p["cp"].get<int>(), 64);
        // The layout is the search's first.
        const Json found = json(bench
                                    .run({"search", "--model", "llama3-8b", "--cluster", "H100", "--devices", "64",
                                          "--limit", "1", "--json"})
                                    .out);
        QCOMPARE(found["best"][0]["step_seconds"].get<double>(), plan["forecast"]["step_seconds"].get<double>());
    }

    void whatIsSetStays() {
        CliBench bench;
        const auto got = bench.run({"plan", "--model", "llama3.1-8b", "--cluster", "H100", "--devices", "16", "--set",
                                    "train.seq_len=4096", "--set", "train.micro_batch_size=2", "--set",
                                    "train.recompute.policy=full", "--json"});
        QVERIFY2(got.code == 0, (got.err + got.out).c_str());
        const Json train = json(got.out)["config"]["train"];
        QCOMPARE(train["seq_len"].get<int>(), 4096);
        QCOMPARE(train["micro_batch_size"].get<int>(), 2);
        QVERIFY(train["recompute"]["policy"] == "full");
        QVERIFY(!text(got.err).contains("train.seq_len"));
    }

    void aLayoutOfOnesOwn() {
        CliBench bench;
        const auto layout = [&](std::vector<std::string> more) {
            more.insert(more.begin(), {"plan", "--model", "llama3-8b", "--cluster", "H100", "--json"});
            const auto got = bench.run(more);
            return got.out.empty() ? Json(got.err) : json(got.out)["config"]["parallel"];
        };
        Json p = layout({"--set", "parallel.tp=4", "--set", "parallel.dp=4"});
        QVERIFY(p["tp"] == 4 && p["dp"] == 4);
        p = layout({"--set", "parallel.tp=4", "--devices", "64"});
        QVERIFY(p["tp"] == 4 && p["dp"] == 16);
        QVERIFY(text(layout({"--set", "parallel.tp=4", "--devices", "10"}).get<std::string>())
                    .contains("multiple of the 4"));
        QVERIFY(text(layout({"--set", "parallel.dp=4", "--devices", "8"}).get<std::string>())
                    .contains("leave out parallel.dp"));
        // A config's layout, too.
        const std::string file =
            bench.file("c.json", R"({"train": {"device": "gpu", "global_batch_size": 64}, "parallel": {"tp": 2}})");
        const Json plan = json(bench.run({"plan", file, "--cluster", "H100", "--devices", "16", "--json"}).out);
        QCOMPARE(plan["config"]["parallel"]["dp"].get<int>(), 8);
        QCOMPARE(plan["cluster"]["num_nodes"].get<int>(), 2);
    }

    void whatFitsNowhere() {
        CliBench bench;
        const auto got = bench.run({"plan", "--model", "llama3-70b", "--cluster", "RTX 4090", "--devices", "8"});
        QCOMPARE(got.code, 1);
        QVERIFY2(text(got.err).contains("no layout of 8 x NVIDIA RTX 4090"), got.err.c_str());
    }

    void shortNames_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("meant");
        QTest::newRow("H100") << "H100" << QStringList{"NVIDIA H100 SXM 80 GB"};  // a PCIe card is asked for as such
        QTest::newRow("its card") << "h100 pcie" << QStringList{"NVIDIA H100 PCIe 80 GB"};
        QTest::newRow("in full") << "NVIDIA H100 PCIe 80 GB" << QStringList{"NVIDIA H100 PCIe 80 GB"};
        QTest::newRow("hyphens") << "H100-80GB-SXM" << QStringList{"NVIDIA H100 SXM 80 GB"};
        QTest::newRow("two sizes") << "a100" << QStringList{"NVIDIA A100 SXM 40 GB", "NVIDIA A100 SXM 80 GB"};
        QTest::newRow("one of them") << "A100 80" << QStringList{"NVIDIA A100 SXM 80 GB"};
        QTest::newRow("whole words first") << "B200" << QStringList{"NVIDIA B200 SXM 180 GB"};
        QTest::newRow("a beginning") << "mi300" << QStringList{"AMD Instinct MI300X 192 GB"};
        QTest::newRow("two editions") << "v5" << QStringList{"Google TPU v5e", "Google TPU v5p"};
        QTest::newRow("none") << "Abacus" << QStringList{};
        QTest::newRow("no word") << "-" << QStringList{};
    }
    void shortNames() {
        QFETCH(QString, name);
        QStringList meant;
        for (const ClusterSpec* one : devicePresetsLike(name.toStdString())) meant << text(one->device.name);
        QTEST(meant, "meant");
    }

    void ambiguousNamesAreRefused() {
        CliBench bench;
        const auto got = bench.run({"plan", "--model", "llama3-8b", "--cluster", "A100"});
        QCOMPARE(got.code, 2);
        QVERIFY2(text(got.err).contains(
                     "--cluster: A100 may be several devices of the library. Did you mean NVIDIA A100 SXM 40 GB "
                     "or NVIDIA A100 SXM 80 GB?"),
                 got.err.c_str());
    }

    // This computer is planned for where it is named, or where a config trains on it.
    void hereIsThisComputer() {
        CliBench bench;
        bench.at.programs.trainer.clear();  // nothing is measured
        const auto named = bench.run({"plan", "--model", "gpt2-124m", "--cluster", "here", "--json"});
        const Json plan = json(named.out);
        QVERIFY(plan["cluster"]["device"]["kind"] == "cpu" && plan["config"]["train"]["device"] == "cpu");
        QCOMPARE(plan["config"]["train"]["seq_len"].get<int>(), 1024);
        const std::string gpu = bench.file("gpu.json", R"({"train": {"device": "gpu"}})");
        const auto unnamed = bench.run({"plan", gpu, "--json"});
        QVERIFY(json(unnamed.out)["cluster"]["device"]["name"] == "NVIDIA H100 SXM 80 GB");
        QVERIFY2(text(unnamed.err).contains("note: the config trains on GPUs"), unnamed.err.c_str());
        const std::string tpu = bench.file("tpu.json", R"({"train": {"device": "tpu"}})");
        const auto refused = bench.run({"plan", tpu});
        QVERIFY2(refused.code == 2 && text(refused.err).contains("Google TPU v5p"), refused.err.c_str());
    }

    void precisionIsTheDevices() {
        CliBench bench;
        const auto got = bench.run({"plan", "--model", "gpt2-124m", "--cluster", "V100", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        QVERIFY(json(got.out)["config"]["train"]["precision"] == "fp16");
    }
};

SLIPWAY_TEST(TstModelPlan)
#include "tst_model_plan.moc"
