// Output of nccl-tests: which operation, which ranks, which sizes; and what cannot be read.
#include "core/planner/time/nccl_tests.h"
#include "tests/support/slipway_test.h"

namespace slipway {

namespace {

std::string started(const std::string& program) {
    return "# nccl-tests version 2.18.3\n# Collective test starting: " + program +
           "\n# nThread 1 nGpus 1 minBytes 8\n#\n# Using devices\n";
}

std::string ranks(const std::vector<std::string>& hosts, int group = 0) {
    std::string text;
    for (std::size_t i = 0; i < hosts.size(); ++i)
        text += "#  Rank  " + std::to_string(i) + " Group  " + std::to_string(group) + " Pid 1887 on   " + hosts[i] +
                " device  0 [0x8d] NVIDIA H100 80GB HBM3\n";
    return text;
}

const std::string kColumns =
    "NCCL version 2.29.3\n#\n#                        out-of-place            in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";

const std::string kSizes =
    "     1048576        262144     float     sum      -1    20.00    1.00    2.00      0    30.00    1.00    1.00      0\n"
    "     8388608       2097152     float     sum      -1   100.00    1.00    2.00      0   130.00    1.00    1.00      0\n"
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 348.02\n";

}  // namespace

class TstNcclTests : public QObject {
    Q_OBJECT

private slots:
    // Two tests in one log, of two nodes and of one; another group's ranks are not counted, mpirun's tags are cut.
    void tests() {
        const std::string two =
            started("all_reduce_perf") + ranks({"a", "a", "b", "b"}) + ranks({"c", "c"}, 1) + kColumns + kSizes;
        std::string tagged;
        for (const QString& line :
             QString::fromStdString(started("all_gather_perf_mpi") + ranks({"a", "a"}) + kColumns + kSizes).split('\n'))
            tagged += "[1,0]<stdout>:" + line.toStdString() + "\n";
        QVERIFY(isNcclTests(two) && isNcclTests(tagged));
        const auto read = readNcclTests(two + tagged, "log");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read->size(), std::size_t{2});
        const NcclTest &reduce = read->front(), &gather = read->back();
        QVERIFY(reduce.curve.operation == Collective::AllReduce && reduce.curve.ranks == 4 &&
                reduce.curve.ranksPerNode == 2);
        QVERIFY(gather.curve.operation == Collective::AllGather && gather.curve.ranks == 2 && gather.curve.inOneNode());
        QCOMPARE(reduce.messages.size(), std::size_t{2});
        QCOMPARE(reduce.messages[0].bytes, 1.5 * 1048576);  // 2 (n - 1) / n
        QCOMPARE(reduce.messages[1].seconds, 100e-6);
        QCOMPARE(gather.messages[1].bytes, 0.5 * 8388608);
    }

    void refused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& text, const char* says) {
            QTest::newRow(name) << QString::fromStdString(text) << says;
        };
        row("no operation", "# nThread 1 nGpus 1\n" + ranks({"a", "a"}) + kColumns + kSizes,
            "does not name the collective");
        row("other operation", started("gather_perf"), "no curve for gather_perf");
        row("one rank", started("all_reduce_perf") + ranks({"a"}) + kColumns + kSizes, "fewer than two ranks");
        row("no figures", started("all_reduce_perf") + ranks({"a", "b"}) + kColumns, "fewer than two sizes");
        row("no columns", started("all_reduce_perf") + ranks({"a", "b"}) + kSizes, "before the header line");
        row("no time", started("all_reduce_perf") + ranks({"a", "b"}) + kColumns + "1024 256 float sum -1 N/A 1 1\n",
            "a time above 0");
    }
    void refused() {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto read = readNcclTests(text.toStdString(), "log");
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("bad_value"));
        QVERIFY2(QString::fromStdString(read.error().message).contains(says), read.error().text().c_str());
        QVERIFY(QString::fromStdString(read.error().where).startsWith("log"));
    }

    void otherText() { QVERIFY(!isNcclTests("collective,gpus\nall_reduce,8\n")); }
};

SLIPWAY_TEST(TstNcclTests)

}  // namespace slipway

#include "tst_nccl_tests.moc"
