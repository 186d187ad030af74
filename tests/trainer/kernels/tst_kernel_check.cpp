#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// The check that a run makes before it trusts fused kernels, on this CPU.
#include "tests/support/slipway_test.h"
#include "trainer/kernels/kernel_check.h"

using namespace slipway::trainer;

class TstKernelCheck : public QObject {
    Q_OBJECT
private slots:
    void thisDevice_data() {
        QTest::addColumn<int>("type");
        for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf})
            QTest::addRow("%s", c10::toString(type)) << static_cast<int>(type);
    }
    void thisDevice() {
        QFETCH(int, type);
        const auto sound = checkKernels(at::kCPU, static_cast<at::ScalarType>(type));
        QVERIFY2(sound, sound ? "" : sound.error().text().c_str());
    }
};
SLIPWAY_TEST(TstKernelCheck)
#include "tst_kernel_check.moc"
