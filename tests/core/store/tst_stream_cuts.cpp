// The index holds the same whatever pieces a stream was read in: every table of a store that followed a growing file,
// cut anywhere, equals that of a store that read the whole file at once, and that of a rebuild.
#include "core/store/reindex.h"
#include "tests/core/store/database_dump.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <limits>
#include <random>

using namespace slipway;
using namespace slipway::test;

namespace {

/// Attempts that resume, repeat or count backwards, steps that repeat, NaN, events, ends, lines that cannot be read and
/// lines too long to store, with an unfinished one at the end.
class StreamMaker {
public:
    explicit StreamMaker(std::uint32_t seed) : m_random(seed) {}

    std::string make() {
        std::string out;
        std::int64_t attempt = 0;
        std::int64_t step = 0;
        for (unsigned attempts = 1 + m_random() % 4; attempts > 0; --attempts) {
            if (!one(6)) attempt = one(5) ? 1 + below(4) : attempt + 1;
            const std::int64_t resume = below(static_cast<unsigned>(step) + 1);
            if (!one(8)) out += toLine(MetricHeader{1, "r", attempt, resume, 2, below(1000)});
            step = resume;
            for (unsigned lines = below(1600); lines > 0; --lines) out += line(step);
            if (one(2))
                out +=
                    toLine(MetricEnd{one(2) ? "completed" : "failed", step, static_cast<int>(below(16)), below(1000)});
        }
        if (one(2)) out += stepLine(step + 1, 1.0).substr(0, 20);
        if (one(4)) out += std::string(MetricReader::kMaxLineBytes + below(1U << 20), 'x');
        return out;
    }

    std::size_t below(std::size_t limit) { return m_random() % limit; }
    std::int64_t below(unsigned limit) { return static_cast<std::int64_t>(m_random() % limit); }
    std::int64_t below(int limit) { return below(static_cast<unsigned>(limit)); }
    bool one(unsigned of) { return m_random() % of == 0; }

private:
    std::string line(std::int64_t& step) {
        if (one(2000)) {  // a hole in the file, and behind it what looks like a line
            const std::size_t least = MetricReader::kMaxLineBytes - 100;
            return std::string(least + below(std::size_t{200} << (10 * below(2U))), '\0') + stepLine(step + 7, 7.0);
        }
        if (one(100)) return toLine(MetricEvent{step, "checkpoint", std::to_string(step), below(1000)});
        if (one(100)) return one(2) ? "rubbish\n" : " \r\n";
        if (one(100)) return "{\"kind\": \"later\"}\n";
        if (one(200)) step = std::max<std::int64_t>(0, step - below(1500));
        step += one(20) ? 1 + below(5) : 1;
        const double value = one(50) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(m_random());
        return one(40) ? evalLine(step, value, value) : stepLine(step, value);
    }

    std::mt19937 m_random;
};

QString firstDifference(const QStringList& a, const QStringList& b) {
    for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i)
        if (a.value(i) != b.value(i)) return a.value(i).left(900) + QStringLiteral("\n!= ") + b.value(i).left(900);
    return {};
}

}  // namespace

class TstStreamCuts : public QObject {
    Q_OBJECT

private slots:
    void anyCutsGiveTheSameIndex() {
        for (std::uint32_t seed = 1; seed <= 12; ++seed) {
            StreamMaker random(seed);
            const std::string text = random.make();
            StoreFixture whole;
            const RunId id = whole.add("r", aConfig("x"));
            whole.appendToStream(id, text);
            MetricReader reader;
            QVERIFY(ingestBytes(whole.store, reader, id, text, 0));
            const QStringList expected = dumpDatabase(whole.home.index());

            StoreFixture cut;
            cut.add("r", aConfig("x"));
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t piece = 1 + random.below(std::size_t{1} << (4 + random.below(std::size_t{18})));
                cut.appendToStream(id, text.substr(at, piece));
                at += piece;
                while (true) {
                    const auto read = ingestStream(cut.store, reader, id, 1);
                    QVERIFY2(read, read ? "" : read.error().text().c_str());
                    QCOMPARE(read->lastStep, cut.store.run(id)->lastStep);
                    if (!read->more) break;
                }
            }
            const auto same = [&](const StoreFixture& f) {
                return firstDifference(dumpDatabase(f.home.index()), expected);
            };
            QVERIFY2(same(cut).isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(same(cut))));
            QVERIFY(rebuildIndex(whole.home, 0));
            QVERIFY2(same(whole).isEmpty(),
                     qPrintable(QStringLiteral("rebuilt, seed %1: %2").arg(seed).arg(same(whole))));
        }
    }

    void lastStepOfAttemptsInOneBatch() {
        // A completed run whose last attempt found nothing left to train.
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        f.appendToStream(id, toLine(MetricHeader{1, "r", 1, 0, 2, 0}) + stepLine(39, 2.0) + stepLine(40, 2.0) +
                                 toLine(MetricHeader{1, "r", 2, 40, 2, 0}) + toLine(MetricEnd{"completed", 40, 0, 0}));
        f.ingest(id);
        QCOMPARE(f.store.run(id)->lastStep, 40);
    }

    void linesTooLongAreCountedOnceInARebuild() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        const std::string longLine =
            std::string(std::size_t{17} << 20, ' ') + stepLine(9, 9.0);  // over a piece of reindex
        f.appendToStream(id, "rubbish\n" + longLine + stepLine(1, 1.0) + longLine);
        const auto report = rebuildIndex(f.home, 0);
        QVERIFY(report);
        QCOMPARE(report->issues.size(), std::size_t{1});
        QVERIFY2(report->issues[0].message.starts_with("3 lines"), report->issues[0].message.c_str());
        QVERIFY(report->issues[0].message.find("byte 0:") != std::string::npos);
        QCOMPARE(f.store.series(id, "loss")->steps, std::vector<std::int64_t>{1});
    }
};

SLIPWAY_TEST(TstStreamCuts)
#include "tst_stream_cuts.moc"
