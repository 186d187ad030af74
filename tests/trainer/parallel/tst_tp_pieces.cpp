// The edges of a tensor-parallel region piece by piece: every piece once, the same result and the same bytes as one
// collective.
#include "trainer/comm/in_process_group.h"
#include "trainer/comm/mesh.h"
#include "trainer/parallel/tp_pieces.h"
#include "trainer/parallel/tp_region.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>

#include <mutex>
#include <set>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;

namespace {

/// [4 rows per piece, 3]; small whole numbers, whose sums are exact in any order.
at::Tensor valuesOf(std::int64_t rank, std::int64_t rows) {
    return at::arange(rows * 3, at::kDouble).view({rows, 3}) * static_cast<double>(rank + 1);
}

struct Seen {
    bool gathered = true, ownFirst = true, lastOnce = true, summed = true, sameBytes = true;
};

Seen walk(std::int64_t tp, Bug bug, bool async = true) {
    std::mutex mutex;
    Seen all;
    runInProcess(tp, [&](std::int64_t rank, InProcessWorld& world) {
        ParallelLayout layout;
        layout.tp = tp;
        const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
        ShardContext context;
        context.tp = mesh.tp.get();
        context.sequenceParallel = true;
        context.bug = bug;
        const std::int64_t rows = 4 * tp;
        const double begin = mesh.tp->counters().bytes;
        const at::Tensor plainWhole = gatherSequence(valuesOf(rank, 4), context);
        const at::Tensor plainSum = sumPartials(valuesOf(rank, rows), context);
        const double plainBytes = mesh.tp->counters().bytes - begin;
        context.asyncTp = async;
        Seen seen;
        JoinedPieces joined(rows);
        std::vector<std::int64_t> order;
        int lasts = 0;
        gatherPieces(valuesOf(rank, 4), context, [&](std::int64_t first, const at::Tensor& piece, bool last) {
            joined.put(first, piece);
            order.push_back(first);
            lasts += last ? 1 : 0;
        });
        const at::Tensor sum = sumPieces(rows, context, [&](std::int64_t first, std::int64_t length) {
            return valuesOf(rank, rows).narrow(0, first, length).clone();
        });
        seen.gathered = at::equal(joined.whole(), plainWhole);
        seen.ownFirst = order.front() == (async ? 4 * rank : 0);
        seen.lastOnce = lasts == 1 && std::set<std::int64_t>(order.begin(), order.end()).size() == order.size() &&
                        static_cast<std::int64_t>(order.size()) == (async ? tp : 1);
        seen.summed = at::equal(sum, plainSum);
        seen.sameBytes = mesh.tp->counters().bytes - begin - plainBytes == plainBytes;
        const std::lock_guard lock(mutex);
        all.gathered &= seen.gathered;
        all.ownFirst &= seen.ownFirst;
        all.lastOnce &= seen.lastOnce;
        all.summed &= seen.summed;
        all.sameBytes &= seen.sameBytes;
    });
    return all;
}

}  // namespace

class TstTpPieces : public QObject {
    Q_OBJECT
private slots:
    void sameAsOneCollective() {
        for (std::int64_t tp = 2; tp <= 8; ++tp) {
            const Seen seen = walk(tp, Bug::None);
            QVERIFY2(seen.gathered && seen.ownFirst && seen.lastOnce, qPrintable(QString::number(tp)));
            QVERIFY2(seen.summed && seen.sameBytes, qPrintable(QString::number(tp)));
        }
        const Seen plain = walk(3, Bug::None, false);
        QVERIFY(plain.gathered && plain.ownFirst && plain.lastOnce && plain.summed && plain.sameBytes);
    }
    void injectedBugsShow() {
        QVERIFY(!walk(3, Bug::PieceOrderWrong).gathered);
        QVERIFY(!walk(3, Bug::LastPieceNotSummed).summed);
    }
    // One rank has the whole sequence: nothing is sent, nothing copied.
    void oneRank() {
        ParallelLayout layout;
        const ProcessMesh mesh = makeMesh(layout, 0, {});
        ShardContext context;
        context.tp = mesh.tp.get();
        context.sequenceParallel = context.asyncTp = true;
        const at::Tensor x = valuesOf(0, 4);
        QCOMPARE(wholeRows(x, context), std::int64_t{4});
        JoinedPieces joined(4);
        gatherPieces(x, context, [&](std::int64_t begin, const at::Tensor& piece, bool) { joined.put(begin, piece); });
        QVERIFY(joined.whole().is_same(x));
    }
};
SLIPWAY_TEST(TstTpPieces)
#include "tst_tp_pieces.moc"
