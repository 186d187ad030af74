#include "core/base/file.h"
#include "core/run/rank_spans.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <algorithm>

using namespace slipway;
using namespace slipway::test;

namespace {

/// JSON with ' for ": moc does not read raw strings.
std::string json(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text + '\n';
}

std::string line(std::int64_t step, double end) {
    return json("{'kind':'spans','step':" + std::to_string(step) +
                ",'rank':0,'spans':[['data_wait',0,0,0,0.25],['forward',3,1,0.25," + std::to_string(end) +
                "]],'collectives':[['all_reduce','tp',0.5,0.75]]}");
}

}  // namespace

class TstRankSpans : public QObject {
    Q_OBJECT
    TempDir m_temp;

    void write(std::int64_t rank, const std::string& text) const {
        const RunDir folder{m_temp.path()};
        QVERIFY(makeFolders(folder.rankStream(rank).parent_path()));
        QVERIFY(writeFileAtomically(folder.rankStream(rank), text));
    }

private slots:
    void theRecordNearestToTheStep() {
        std::string text = line(10, 1) + json("{'kind':'health','step':11}") + line(20, 2) + line(30, 3) + line(20, 4) +
                           json("{'kind':'spans','step':40,'spans':[['forw");
        text.pop_back();  // a line that is being written
        write(0, text);
        write(2, "no JSON\n");
        const RunDir folder{m_temp.path()};
        const auto at = [&](std::optional<std::int64_t> step) { return readSpans(folder, {0, 1, 2}, step); };
        QCOMPARE(at({}).size(), std::size_t(1));     // rank 1 has no stream, rank 2 no record
        QCOMPARE(at({})[0].step, std::int64_t(20));  // the last line that is whole
        QCOMPARE(at(12)[0].step, std::int64_t(10));
        QCOMPARE(at(29)[0].step, std::int64_t(30));
        QCOMPARE(at(20)[0].seconds(), 4.0);  // a restart repeated the step
        const RankSpans spans = at(10)[0];
        QCOMPARE(spans.rank, std::int64_t(0));
        QCOMPARE(spans.spans.size(), std::size_t(2));
        QCOMPARE(spans.spans[1].name, std::string("forward"));
        QCOMPARE(spans.spans[1].microBatch, std::int64_t(3));
        QCOMPARE(spans.spans[1].chunk, std::int64_t(1));
        QCOMPARE(spans.spans[1].startSeconds, 0.25);
        QCOMPARE(spans.collectives[0].axis, std::string("tp"));
        QCOMPARE(spans.collectives[0].endSeconds, 0.75);
    }
    void whatIsNoSpanIsLeftOut() {
        write(0, json("{'kind':'spans','step':1,'spans':[['a',0,0,2,1],['b',0,0,0],['c',0.5,0,0,1],[4,0,0,0,1],"
                      "['d',0,0,'x',1],['ok',0,0,0,1]],'collectives':[['x',1,0,1],7]}"));
        const auto read = readSpans(RunDir{m_temp.path()}, {0}, 1);
        QCOMPARE(read.size(), std::size_t(1));
        QCOMPARE(read[0].spans.size(), std::size_t(1));
        QCOMPARE(read[0].spans[0].name, std::string("ok"));
        QVERIFY(read[0].collectives.empty());
    }
};

SLIPWAY_TEST(TstRankSpans)
#include "tst_rank_spans.moc"
