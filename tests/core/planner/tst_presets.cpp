// Every preset's parameters, counted, equal the published number to the last digit.
#include "core/planner/count/parameters.h"
#include "core/base/units.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/presets.h"
#include "core/spec/run_config.h"
#include "tests/support/slipway_test.h"

#include <set>

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
        // Where only a rounded size is published: billions, half a percent (planner.md 6.4.1).
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
            QVERIFY2(host.bytes >= 256 * kGiB && host.source.starts_with("https://") && !host.date.empty(), host.device.c_str());
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
