// What a block keeps goes to host memory and comes back as it was; the device's side of the account shows it.
#include "trainer/model/activation_offload.h"
#include "trainer/telemetry/tensor_memory.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;

namespace {

/// A list as blocks have one: views that share memory, other formats, something undefined.
struct Kept {
    at::Tensor whole, part, turned, ids, nothing;
    template <class F>
    void each(F&& f) {
        f(whole), f(part), f(turned), f(ids), f(nothing);
    }
};

Kept makeKept(double first) {
    Kept kept;
    kept.whole = at::arange(first, first + 600, at::kDouble).view({20, 30});
    kept.part = kept.whole.narrow(0, 3, 5);
    kept.turned = at::arange(60, at::kFloat).view({6, 10}).t();
    kept.ids = at::arange(40, at::kLong);
    return kept;
}

}  // namespace

class TstActivationOffload : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTensorMemory(); }

    void comesBackAsItWas() {
        ActivationOffload offload(at::kCPU, Bug::None);
        const TensorMemory& device = TensorMemory::current();
        const TensorMemory& host = TensorMemory::host();
        const std::int64_t deviceBefore = device.bytes(), hostBefore = host.bytes();
        constexpr std::int64_t kBytes = 600 * 8 + 60 * 4 + 40 * 8;
        Kept kept = makeKept(0), second = makeKept(1000);
        AwayTensors away, secondAway;
        QCOMPARE(device.bytes() - deviceBefore, 2 * kBytes);
        offload.send(kept, away);
        offload.send(second, secondAway);
        QVERIFY(!kept.whole.defined() && !kept.ids.defined());
        QCOMPARE(device.bytes() - deviceBefore, std::int64_t{0});
        QCOMPARE(host.bytes() - hostBefore, 2 * kBytes);  // shared memory counts once
        offload.fetch(secondAway);
        QCOMPARE(device.bytes() - deviceBefore, kBytes);
        offload.fetch(secondAway);  // on its way already
        QCOMPARE(device.bytes() - deviceBefore, kBytes);
        offload.bring(second, secondAway);
        offload.bring(kept, away);  // without a fetch before
        QCOMPARE(host.bytes() - hostBefore, std::int64_t{0});
        for (const auto& [back, first] : {std::pair(&kept, 0.0), std::pair(&second, 1000.0)}) {
            const Kept expected = makeKept(first);
            QVERIFY(at::equal(back->whole, expected.whole));
            QVERIFY(at::equal(back->part, expected.part));
            QVERIFY(at::equal(back->turned, expected.turned));
            QVERIFY(back->turned.strides() == expected.turned.strides());
            QVERIFY(at::equal(back->ids, expected.ids));
            QVERIFY(!back->nothing.defined());
            QVERIFY(back->part.storage().is_alias_of(back->whole.storage()));
        }
    }

    void staleCopiesAreSeen() {
        ActivationOffload offload(at::kCPU, Bug::StaleOffloadedActivation);
        Kept kept = makeKept(0), second = makeKept(1000);
        AwayTensors away, secondAway;
        offload.send(kept, away);
        offload.send(second, secondAway);
        offload.bring(second, secondAway);
        QVERIFY(!at::equal(second.whole, makeKept(1000).whole));
    }
};
SLIPWAY_TEST(TstActivationOffload)
#include "tst_activation_offload.moc"
