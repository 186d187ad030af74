// Logs that grow: lines of each trainer, cut anywhere between two lines, give the same steps as the whole log.
#include "core/interop/live_log.h"
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::interop;

namespace {

QString text(const std::vector<MetricStep>& steps) {
    QStringList out;
    for (const MetricStep& step : steps) {
        QString line = QString::number(step.step);
        for (const auto& [name, value] : step.values)
            line += " " + QString::fromStdString(name) + "=" + QString::number(value);
        out << line;
    }
    return out.join("; ");
}

}  // namespace

class TstLiveLog : public QObject {
    Q_OBJECT

private slots:
    void readsLines_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("steps");
        QTest::newRow("megatron")
            << "auto"
            << ""
            << " iteration  1/ 10 | consumed samples: 8 | elapsed time per iteration (ms): 250.0 | lm loss: 9.5E+00 |\n"
               "noise\n iteration  2/ 10 | elapsed time per iteration (ms): 200.0 | lm loss: 9.0E+00 |\n"
            << "1 loss=9.5 step_seconds=0.25; 2 loss=9 step_seconds=0.2";
        QTest::newRow("torchtitan") << "auto"
                                    << ""
                                    << "[titan] step:  1  loss: 8.1  memory: 1.00GiB(2.50%)  tps: 100\n"
                                    << "1 loss=8.1 memory_reserved_bytes=1.07374e+09 tokens_per_second_per_device=100";
        QTest::newRow("huggingface with a bar")
            << "auto"
            << ""
            << "\r  3%|#  | 10/300 [00:01<00:29,  9.9it/s]\r{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 5e-05, 'epoch': 0.1}\n"
               "\r100%|##| 4/4 [00:01<00:00]\r\r  7%|#  | 20/300 [00:02<00:28]\r{'eval_loss': 2.25, 'eval_runtime': 1.5, 'epoch': 0.2}\n"
            << "10 epoch=0.1 grad_norm=0.5 loss=2.5 lr=5e-05; 20 epoch=0.2 eval_loss=2.25 eval_seconds=1.5";
        QTest::newRow("huggingface without a bar, figures as texts")
            << "huggingface"
            << ""
            << "{'loss': '2.5', 'epoch': '0.1'}\n{'loss': '2.0', 'epoch': '0.2'}\n{'train_runtime': 9.0, 'train_loss': 2.2, 'epoch': 1.0}\n"
            << "1 epoch=0.1 loss=2.5; 2 epoch=0.2 loss=2";
        QTest::newRow("nanoGPT") << "auto"
                                 << ""
                                 << "number of parameters: 123.59M\n"
                                    "step 0: train loss 10.9874, val loss 10.9820\n"
                                    "iter 1: loss 10.9886, time 26211.41ms, mfu -100.00%\n"
                                    "iter 10: loss 9.25, time 361.0ms, mfu 36.5%\n"
                                    "saving checkpoint to out after 12 s, loss is fine\n"
                                 << "0 eval_loss=10.982 loss=10.9874; 1 loss=10.9886 step_seconds=26.2114; "
                                    "10 loss=9.25 reported_mfu=0.365 step_seconds=0.361";
        QTest::newRow("words and numbers")
            << "auto"
            << ""
            << "step 1 loss 3.0\nEpoch 1/3 Step 10/100 Loss 2.5 LR 1e-4\n"
               "step 20 | the train loss is 2 | lr 6e-4 | norm: 1.3 | dt: 339ms | tok/sec: 1545.5\n"
               "step 21 took 7 retries\n"
            << "1 loss=3; 10 loss=2.5 lr=0.0001; "
               "20 grad_norm=1.3 lr=0.0006 step_seconds=0.339 tokens_per_second=1545.5";
        QTest::newRow("JSON lines")
            << "auto"
            << ""
            << "{\"step\": 1, \"loss\": 3.2, \"lr\": 1e-4}\n{\"loss\": NaN, \"step\": 2, \"note\": \"at 7\"}\n"
            << "1 loss=3.2 lr=0.0001; 2 loss=nan";
        QTest::newRow("pattern") << "pattern"
                                 << R"(it=(?<step>\d+)\s+(?:L|l)=(?<loss>[\d.]+)( x=(?P<aux>\S+))?)"
                                 << "it=5 L=1.5\nit=x L=9\nit=6 l=1.25 x=nan\n"
                                 << "5 loss=1.5; 6 aux=nan loss=1.25";
        QTest::newRow("pattern without steps") << "pattern"
                                               << "loss (?<loss>\\S+)"
                                               << "loss 3\nloss 2\nloss none\n"
                                               << "1 loss=3; 2 loss=2";
        QTest::newRow("impossible") << "pattern"
                                    << "t (?<step_seconds>\\S+) l (?<loss>\\S+)"
                                    << "t -1 l 2\n"
                                    << "1 loss=2";
        QTest::newRow("not recognised") << "auto"
                                        << ""
                                        << "hello\nworld\n"
                                        << "";
        QTest::newRow("none") << "none"
                              << ""
                              << "step 1: loss=2\n"
                              << "";
    }
    void readsLines() {
        QFETCH(QString, format);
        QFETCH(QString, pattern);
        QFETCH(QString, lines);
        QFETCH(QString, steps);
        const LogReading reading{format.toStdString(), pattern.toStdString(), {}};
        auto whole = LiveLog::make(reading);
        QVERIFY2(whole.has_value(), whole ? "" : whole.error().text().c_str());
        QCOMPARE(text(whole->feed(lines.toStdString())), steps);
        auto pieces = LiveLog::make(reading);
        std::vector<MetricStep> seen;
        for (const QString& line : lines.split('\n', Qt::SkipEmptyParts))
            for (MetricStep& step : pieces->feed(line.toStdString() + "\n")) seen.push_back(std::move(step));
        QCOMPARE(text(seen), steps);
    }

    void aLongLineIsPassedOver() {
        auto log = LiveLog::make({"pattern", "(a+)+b(?<loss>\\d)", {}});
        const std::string line = std::string(1 << 21, 'a') + "b1\nab2\n";
        QCOMPARE(text(log->feed(line)), QString("1 loss=2"));
    }
};

SLIPWAY_TEST(TstLiveLog)
#include "tst_live_log.moc"
