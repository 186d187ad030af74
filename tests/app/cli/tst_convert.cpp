// convert, and plan --model: configs of other frameworks at the command line.
#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

const std::string kSamples = std::string(SLIPWAY_TEST_DATA) + "/interop/";

Json json(const std::string& s) {
    const auto value = parseJson(s, "output");
    if (!value) qFatal("%s in: %s", value.error().text().c_str(), s.c_str());
    return *value;
}

}  // namespace

class TstConvert : public QObject {
    Q_OBJECT

private slots:
    void huggingFace() {
        CliBench bench;
        const auto got = bench.run({"convert", kSamples + "huggingface/olmo2-7b.json", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const Json out = json(got.out);
        QVERIFY(out["from"] == "huggingface");
        QCOMPARE(out["parameters"].get<std::int64_t>() + out["unmodelled_parameters"].get<std::int64_t>(), std::int64_t{7298617344});
        QCOMPARE(out["config"]["model"]["hidden_size"].get<int>(), 4096);
        bool saysWhy = false;
        for (const Json& remark : out["read"]) saysWhy = saysWhy || remark["kind"] == "approximated";
        QVERIFY(saysWhy);

        // The text is a config that plan takes.
        const std::string file = (bench.at.temp.path() / "converted.json").string();
        const auto written = bench.run({"convert", kSamples + "huggingface/llama3-8b.json", "-o", file});
        QVERIFY2(written.code == 0, written.err.c_str());
        QVERIFY(written.out.empty());
        QVERIFY2(written.err.find("no_counterpart  bos_token_id = 128000") != std::string::npos, written.err.c_str());
        const auto back = bench.run({"convert", file, "--to", "huggingface", "--json"});
        QVERIFY2(back.code == 0, back.err.c_str());
        QVERIFY(json(back.out)["from"] == "slipway");
        QCOMPARE(json(back.out)["not_expressed"].size(), std::size_t{0});
    }

    void base() {
        CliBench bench;
        const std::string base = bench.file("base.json", R"({"parallel": {"tp": 4}, "train": {"num_steps": 9}})");
        const auto got = bench.run({"convert", kSamples + "huggingface/llama3-8b.json", "--base", base, "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        QCOMPARE(json(got.out)["config"]["parallel"]["tp"].get<int>(), 4);
        QCOMPARE(json(got.out)["config"]["model"]["num_layers"].get<int>(), 32);
    }

    void refuses_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("err");
        QTest::newRow("unknown format") << QStringList{"convert", "FILE", "--from", "hugging"} << "choose one of slipway, huggingface";
        QTest::newRow("no known format") << QStringList{"convert", "FILE"} << "--from";
        QTest::newRow("missing") << QStringList{"convert", "/nowhere/config.json"} << "/nowhere";
        QTest::newRow("not that format") << QStringList{"convert", "FILE", "--from", "huggingface"} << "num_hidden_layers is missing";
        QTest::newRow("no model") << QStringList{"plan", "--model", "llama3-8billion"} << "model preset";
    }
    void refuses() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, err);
        CliBench bench;
        std::vector<std::string> list;
        for (const QString& argument : arguments)
            list.push_back(argument == "FILE" ? bench.file("odd.json", R"({"a": 1})") : argument.toStdString());
        const auto got = bench.run(list);
        QCOMPARE(got.code, 2);
        QVERIFY2(got.err.find(err.toStdString()) != std::string::npos, got.err.c_str());
        QVERIFY(got.out.empty());
    }

    void plansAModel_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("layers");
        QTest::newRow("file") << QString::fromStdString(kSamples + "huggingface/mixtral-8x7b.json") << 32;
        QTest::newRow("preset") << "qwen3-8b" << 36;
    }
    void plansAModel() {
        QFETCH(QString, model);
        CliBench bench;
        const std::string cluster = bench.file(
            "cluster.json", R"({"device": {"name": "T", "memory_bytes": 1e15, "peak_bf16_flops": 1e15, "memory_bytes_per_second": 2e12}, "devices_per_node": 8})");
        const auto got = bench.run({"plan", "--model", model.toStdString(), "--set", "parallel.tp=8", "--set",
                                    "train.precision=bf16", "--cluster", cluster, "--json"});
        QVERIFY2(got.code == 0, (got.err + got.out).c_str());
        const Json plan = json(got.out);
        QTEST(plan["config"]["model"]["num_layers"].get<int>(), "layers");
        QCOMPARE(plan["config"]["parallel"]["tp"].get<int>(), 8);
    }
};

SLIPWAY_TEST(TstConvert)

#include "tst_convert.moc"
