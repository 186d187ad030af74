// Every preset's parameters, counted, equal the published number to the last digit.
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/count/parameters.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/presets.h"
#include "core/spec/run_config.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>

namespace slipway {

class TstPresets : public QObject {
    Q_OBJECT
private slots:
    void parameters_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const ModelPreset& preset : modelPresets()) QTest::newRow(preset.id.c_str()) << index++;
    }
    void parameters() {
        QFETCH(int, index);
        const ModelPreset& preset = modelPresets()[static_cast<std::size_t>(index)];
        const ParameterCount count = countParameters(preset.model);
        QCOMPARE(count.total, count.embedding + count.attention + count.ffn + count.norm + count.head + count.router);
        if (preset.activeParameters)
            QCOMPARE(static_cast<qint64>(count.active), static_cast<qint64>(*preset.activeParameters));
        if (!preset.publishedParameters) QSKIP("no exact published count");
        QCOMPARE(static_cast<qint64>(count.total), static_cast<qint64>(*preset.publishedParameters));
    }
    void publishedRoundFigures_data() {
        // Where only a rounded size is published: billions, half a percent.
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("totalBillions");
        QTest::addColumn<double>("activeBillions");
        QTest::newRow("gpt3") << "gpt3-175b" << 174.6 << 174.6;
        QTest::newRow("mixtral 8x7b") << "mixtral-8x7b" << 46.7 << 12.9;
        QTest::newRow("mixtral 8x22b") << "mixtral-8x22b" << 140.6 << 39.15;
        QTest::newRow("deepseek v3") << "deepseek-v3" << 671.0 << 37.5;
        QTest::newRow("deepseek v2") << "deepseek-v2" << 236.0 << 21.4;
        QTest::newRow("qwen3 235b") << "qwen3-235b-a22b" << 235.1 << 22.1;
        QTest::newRow("qwen3 30b") << "qwen3-30b-a3b" << 30.5 << 3.35;
    }
    void publishedRoundFigures() {
        QFETCH(QString, id);
        QFETCH(double, totalBillions);
        QFETCH(double, activeBillions);
        const ModelPreset* preset = findModelPreset(id.toStdString());
        QVERIFY(preset != nullptr);
        const ParameterCount count = countParameters(preset->model);
        QVERIFY2(qAbs(count.total / 1e9 / totalBillions - 1) < 0.005, qPrintable(QString::number(count.total / 1e9)));
        QVERIFY2(qAbs(count.active / 1e9 / activeBillions - 1) < 0.005,
                 qPrintable(QString::number(count.active / 1e9)));
    }
    // Positions, norms and windows as the published config.json has them.
    void publishedPositions_data() {
        QTest::addColumn<double>("theta");
        QTest::addColumn<QByteArray>("scaling");
        QTest::addColumn<double>("eps");
        const auto row = [](const char* id, double theta, double eps, const char* scaling = "null") {
            QTest::newRow(id) << theta << QByteArray(scaling) << eps;
        };
        const char* llama31 =
            R"({"kind": "llama3", "factor": 8, "original_max_seq_len": 8192, "low_freq_factor": 1, "high_freq_factor": 4})";
        row("llama-7b", 1e4, 1e-6);
        row("llama-65b", 1e4, 1e-5);
        row("llama2-70b", 1e4, 1e-5);
        row("llama3-8b", 5e5, 1e-5);
        row("llama3.1-8b", 5e5, 1e-5, llama31);
        row("llama3.1-70b", 5e5, 1e-5, llama31);
        row("llama3.1-405b", 5e5, 1e-5, llama31);
        row("llama3.2-1b", 5e5, 1e-5,
            R"({"kind": "llama3", "factor": 32, "original_max_seq_len": 8192, "low_freq_factor": 1, "high_freq_factor": 4})");
        row("yi-34b", 5e6, 1e-5);
        row("phi4-14b", 25e4, 1e-5);
        row("smollm2-1.7b", 13e4, 1e-5);
        row("mistral-7b", 1e4, 1e-5);
        row("mistral-nemo-12b", 1e6, 1e-5);
        row("mistral-small-24b", 1e8, 1e-5);
        row("mistral-large-123b", 1e6, 1e-5);
        row("mixtral-8x7b", 1e6, 1e-5);
        // Up to 7B another eps than above.
        row("qwen2.5-0.5b", 1e6, 1e-6);
        row("qwen2.5-7b", 1e6, 1e-6);
        row("qwen2.5-14b", 1e6, 1e-5);
        row("qwen2.5-32b", 1e6, 1e-5);
        row("qwen2.5-72b", 1e6, 1e-5);
        row("starcoder2-3b", 999999.4420358813, 1e-5);
        row("qwen3-8b", 1e6, 1e-6);
        row("gemma-7b", 1e4, 1e-6);
        row("pythia-1.4b", 1e4, 1e-5);
        row("deepseek-v2-lite", 1e4, 1e-6,
            R"({"kind": "yarn", "factor": 40, "original_max_seq_len": 4096, "mscale": 0.707, "mscale_all_dim": 0.707})");
        row("deepseek-v2", 1e4, 1e-6,
            R"({"kind": "yarn", "factor": 40, "original_max_seq_len": 4096, "mscale": 1, "mscale_all_dim": 1})");
        row("deepseek-v3", 1e4, 1e-6,
            R"({"kind": "yarn", "factor": 40, "original_max_seq_len": 4096, "mscale": 1, "mscale_all_dim": 1})");
        row("kimi-k2", 5e4, 1e-6,
            R"({"kind": "yarn", "factor": 32, "original_max_seq_len": 4096, "beta_fast": 1, "beta_slow": 1, "mscale": 1, "mscale_all_dim": 1})");
    }
    void publishedPositions() {
        QFETCH(double, theta);
        QFETCH(QByteArray, scaling);
        QFETCH(double, eps);
        const ModelPreset* preset = findModelPreset(QTest::currentDataTag());
        QVERIFY(preset != nullptr);
        QCOMPARE(preset->model.ropeTheta, theta);
        QCOMPARE(preset->model.normEps, eps);
        ModelSpec expected = preset->model;
        Issues issues;
        expected.ropeScaling =
            modelFromJson(Json{{"rope_scaling", Json::parse(scaling.toStdString())}}, issues).ropeScaling;
        QVERIFY(issues.empty());
        QVERIFY2(fields::toJson(preset->model) == fields::toJson(expected),
                 fields::toJson(preset->model).dump().c_str());
    }
    void partsAndWindows() {
        std::map<std::string, std::int64_t> windows;
        for (const ModelPreset& preset : modelPresets()) {
            const ModelSpec& m = preset.model;
            // rotary_pct 0.25 of GPT-NeoX and what was made with its code; all others turn whole heads.
            const bool isNeox = preset.id.starts_with("pythia-") || preset.id.starts_with("gpt-neox-");
            QVERIFY2(m.rotaryDim.has_value() == isNeox, preset.id.c_str());
            if (!m.mla) QVERIFY2(m.rotarySize() == m.headSize() / (isNeox ? 4 : 1), preset.id.c_str());
            if (m.slidingWindow) windows[preset.id] = *m.slidingWindow;
            RunConfig c;
            c.model = m;
            QVERIFY2(!hasErrors(validate(c)), preset.id.c_str());
        }
        QCOMPARE(windows, (std::map<std::string, std::int64_t>{
                              {"mistral-7b", 4096}, {"starcoder2-3b", 4096}, {"starcoder2-7b", 4096}}));
    }
    void idsAreUniqueAndMany() {
        std::set<std::string> ids;
        for (const ModelPreset& preset : modelPresets()) {
            QVERIFY2(ids.insert(preset.id).second, preset.id.c_str());
            QVERIFY(!preset.source.empty());
        }
        QVERIFY(ids.size() >= 60);
    }
    void devicesCarrySources() {
        QVERIFY(devicePresets().size() >= 20);
        for (const ClusterSpec& cluster : devicePresets()) {
            const DeviceSpec& d = cluster.device;
            QVERIFY2(!d.source.empty() && !d.sourceDate.empty(), d.name.c_str());
            QVERIFY2(d.memoryBytes > 0 && d.memoryBytesPerSecond > 0, d.name.c_str());
            // Sparse figures are twice the dense ones: fp8 never passes 2.05 times bf16 on these chips.
            if (d.peakFp8Flops && d.peakBf16Flops) QVERIFY2(*d.peakFp8Flops <= 2.05 * *d.peakBf16Flops, d.name.c_str());
        }
        const ClusterSpec* h100 = findDevicePreset("NVIDIA H100 SXM 80 GB");
        QVERIFY(h100 != nullptr);
        QCOMPARE(h100->device.memoryBytes, 81559.0 * 1024 * 1024);
        // Systems of the library's devices, with sources; a card is no system.
        for (const ListedHost& host : listedHosts()) {
            QVERIFY2(findDevicePreset(host.device) != nullptr, host.device.c_str());
            QVERIFY2(host.bytes >= 256 * kGiB && host.source.starts_with("https://") && !host.date.empty(),
                     host.device.c_str());
        }
        QCOMPARE(listedHost("NVIDIA H100 SXM 80 GB")->bytes, 32 * 64 * kGiB);
        QVERIFY(listedHost("NVIDIA H100 PCIe 80 GB") == nullptr);
        for (const ListedPrice& price : listedPrices()) {
            QVERIFY2(findDevicePreset(price.device) != nullptr, price.device.c_str());
            QVERIFY2(price.pricePerHour > 0 && !price.source.empty() && !price.date.empty(), price.device.c_str());
        }
        QCOMPARE(*h100->device.peakBf16Flops, 989.4e12);
    }
};

SLIPWAY_TEST(TstPresets)

}  // namespace slipway

#include "tst_presets.moc"
