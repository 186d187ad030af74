// Devices and prices of the user: read strictly, put before the library's, written so that they are read again.
#include "core/base/file.h"
#include "core/planner/user_hardware.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <QScopeGuard>

using namespace slipway;

namespace {

constexpr const char* kH100 = "NVIDIA H100 SXM 80 GB";
constexpr const char* kOwn = R"({
  "devices": [{"device": {"name": "Own X1", "kind": "gpu", "memory_bytes": 1e11, "source": "our bench"},
               "devices_per_node": 4, "intra_node": {"bytes_per_second": 1e11, "latency_seconds": 5e-6}}],
  "prices": [{"device": "Own X1", "offer": "us", "price_per_hour": 1.25, "currency": "EUR", "source": "contract", "date": "2026-11"},
             {"device": "NVIDIA H100 SXM 80 GB", "offer": "AWS", "price_per_hour": 4, "currency": "USD", "source": "quote", "date": "2026-11"}]})";

}  // namespace

class TstUserHardware : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { useUserHardware({}); }

    void ownDevicesStandBesideTheLibrarys() {
        const std::size_t before = devicePresets().size(), prices = listedPrices().size();
        const std::vector<ClusterSpec>& older = devicePresets();
        const auto own = parseUserHardware(kOwn, "devices.json");
        QVERIFY2(own.has_value(), own ? "" : own.error().text().c_str());
        useUserHardware(*own);
        QCOMPARE(devicePresets().size(), before + 1);
        QCOMPARE(older.size(), before);  // what was handed out stays
        QCOMPARE(findDevicePreset("Own X1")->devicesPerNode, std::int64_t(4));
        QCOMPARE(listedPrices().size(), prices + 1);
        QCOMPARE(*listedPrice(kH100, "AWS"), 4.0);
        QVERIFY(shippedDevice("Own X1") == nullptr &&
                usersFields(*findDevicePreset("Own X1")).contains("device.memory_bytes"));
        useUserHardware({});
        QVERIFY(findDevicePreset("Own X1") == nullptr && *listedPrice(kH100, "AWS") != 4.0);
    }
    void aFigureIsChangedAndGoesBack() {
        const double shipped = findDevicePreset(kH100)->device.memoryBytes;
        const auto changed = changedDevice(kH100, "device.price_per_hour", "2.1");
        QVERIFY(changed.has_value());
        UserHardware own;
        putDevice(own, *changed);
        useUserHardware(own);
        QCOMPARE(*findDevicePreset(kH100)->device.pricePerHour, 2.1);
        QCOMPARE(findDevicePreset(kH100)->device.memoryBytes, shipped);
        const std::set<std::string> fields = usersFields(*findDevicePreset(kH100));
        QVERIFY(fields.contains("device.price_per_hour") && !fields.contains("device.memory_bytes"));
        QVERIFY(QString::fromStdString(findDevicePreset(kH100)->device.source).startsWith("set by the user"));
        QVERIFY(dropDevice(own, kH100) && !dropDevice(own, kH100));
    }
    void whatIsWrittenIsRead() {
        const test::TempDir temp;
        const auto file = temp.path() / "home" / kUserHardwareFile;
        QVERIFY(readUserHardware(file)->devices.empty());
        const auto own = parseUserHardware(kOwn, "devices.json");
        QVERIFY(writeUserHardware(file, *own).has_value());
        const auto back = readUserHardware(file);
        QVERIFY(back && back->devices.size() == 1 && back->prices.size() == 2);
        QCOMPARE(back->devices[0].device.memoryBytes, 1e11);
        UserHardware nameless;
        nameless.devices.push_back(ClusterSpec{});
        nameless.devices[0].device.name.clear();
        QVERIFY(!writeUserHardware(file, nameless));
        QCOMPARE(readUserHardware(file)->devices.size(), std::size_t{1});  // the former file stays
    }
    void mistakes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("list") << "[]"
                              << "object";
        QTest::newRow("key") << R"({"device": []})"
                             << "did you mean devices";
        QTest::newRow("no list") << R"({"prices": 1})"
                                 << "list";
        QTest::newRow("memory") << R"({"devices": [{"device": {"name": "X", "memory_bytes": 0}}]})"
                                << "above 0";
        QTest::newRow("field") << R"({"devices": [{"device": {"name": "X", "memory_byte": 1}}]})"
                               << "memory_bytes";
        QTest::newRow("twice")
            << R"({"devices": [{"device": {"name": "X", "memory_bytes": 1}}, {"device": {"name": "X", "memory_bytes": 1}}]})"
            << "twice";
        QTest::newRow("price")
            << R"({"prices": [{"device": "X", "offer": "o", "price_per_hour": -1, "currency": "USD", "source": "s", "date": "d"}]})"
            << "prices.0.price_per_hour";
        QTest::newRow("source")
            << R"({"prices": [{"device": "X", "offer": "o", "price_per_hour": 1, "currency": "USD", "date": "d"}]})"
            << "prices.0.source";
        QTest::newRow("syntax") << "{"
                                << "";
    }
    void mistakes() {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto own = parseUserHardware(text.toStdString(), "devices.json");
        QVERIFY(!own);
        QVERIFY2(QString::fromStdString(own.error().message).contains(says), own.error().message.c_str());
    }
    void badChanges() {
        QCOMPARE(changedDevice("none", "device.memory_bytes", "1").error().code, std::string("unknown_device"));
        QCOMPARE(changedDevice(kH100, "device.memory_byte", "1").error().code, std::string("unknown_field"));
        for (const char* text : {"-1", "0", "\"much\"", "{"})
            QVERIFY(!changedDevice(kH100, "device.memory_bytes", text));
    }
    void everyFigureHasASource() {
        for (const ClusterSpec& device : devicePresets())
            for (const char* path : {"device.memory_bytes", "device.peak_bf16_flops", "intra_node.bytes_per_second",
                                     "device.price_per_hour"})
                QVERIFY2(!sourceOfFigure(device.device, path).empty(), device.device.name.c_str());
        const DeviceSpec& a100 = findDevicePreset("NVIDIA A100 SXM 40 GB")->device;
        QVERIFY(QString::fromStdString(sourceOfFigure(a100, "intra_node.bytes_per_second")).startsWith("network"));
        QVERIFY(!QString::fromStdString(sourceOfFigure(a100, "device.peak_bf16_flops")).contains("network"));
    }
};

SLIPWAY_TEST(TstUserHardware)
#include "tst_user_hardware.moc"
