#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Messages without tags: each is found although others come before it.
#include "tests/support/slipway_test.h"
#include "trainer/comm/message_order.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <stdexcept>

using namespace slipway;
using namespace slipway::trainer;

namespace {

/// A peer that sends 10, 11, 12, ...; a message arrives when its handle is waited for.
class Peer {
public:
    MessageOrder::TakeNext takeNext() {
        return [this](at::Tensor& into) -> CommWork { return std::make_unique<Arrival>(into, 10.0 + m_taken++); };
    }
    [[nodiscard]] int taken() const { return m_taken; }

private:
    class Arrival final : public CommHandle {
    public:
        Arrival(at::Tensor into, double value) : m_into(std::move(into)), m_value(value) {}
        void wait() override { m_into.fill_(m_value); }

    private:
        at::Tensor m_into;
        double m_value;
    };
    int m_taken = 0;
};

double received(MessageOrder& order, Peer& peer, int from, int tag) {
    at::Tensor tensor = at::zeros({3}, at::TensorOptions().dtype(at::kDouble));
    order.receive(tensor, from, tag, peer.takeNext())->wait();
    return tensor.eq(tensor[0]).all().item<bool>() ? tensor[0].item<double>() : -1;
}

}  // namespace

class TstMessageOrder : public QObject {
    Q_OBJECT
private slots:
    void findsTheMessageThatIsAskedFor() {
        MessageOrder order;
        Peer peer;
        order.expect(2, {4, 0, 6});
        QCOMPARE(received(order, peer, 2, 0), 11.0);
        QCOMPARE(peer.taken(), 2);  // 4 is kept, 6 not touched
        QCOMPARE(received(order, peer, 2, 6), 12.0);
        QCOMPARE(received(order, peer, 2, 4), 10.0);
        QCOMPARE(peer.taken(), 3);
    }

    void keepsSendersApart() {
        MessageOrder order;
        Peer two, three;
        order.expect(2, {1, 0});
        order.expect(3, {0, 1});
        QCOMPARE(received(order, two, 2, 0), 11.0);
        QCOMPARE(received(order, three, 3, 0), 10.0);
        QCOMPARE(received(order, three, 3, 1), 11.0);
        QCOMPARE(received(order, two, 2, 1), 10.0);
    }

    // The next step begins before the last message of this one was asked for.
    void oneStepAfterTheOther() {
        MessageOrder order;
        Peer peer;
        for (int step = 0; step < 3; ++step) {
            order.expect(1, {5, 7});
            QCOMPARE(received(order, peer, 1, 7), 10.0 + 2 * step + 1);
            QCOMPARE(received(order, peer, 1, 5), 10.0 + 2 * step);
        }
    }

    void takesThemAsTheyComeWhereNothingIsExpected() {
        MessageOrder order;
        Peer peer;
        QCOMPARE(received(order, peer, 1, 9), 10.0);
        QCOMPARE(received(order, peer, 1, 3), 11.0);
    }

    void refusesATagThatNobodySends() {
        MessageOrder order;
        Peer peer;
        order.expect(1, {5, 7});
        QVERIFY_EXCEPTION_THROWN(received(order, peer, 1, 6), std::logic_error);
        QCOMPARE(peer.taken(), 0);
    }
};
SLIPWAY_TEST(TstMessageOrder)
#include "tst_message_order.moc"
