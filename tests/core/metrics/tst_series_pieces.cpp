#include "core/base/file.h"
#include "core/metrics/series_pieces.h"
#include "tests/support/slipway_test.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>

using namespace slipway;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();

/// A few metrics of n steps, of 4,096 tokens each.
std::vector<MetricSeries> aRun(std::int64_t n) {
    std::vector<MetricSeries> run = {
        {"tokens", "", {}, {}}, {"step_seconds", "", {}, {}}, {"loss", "", {}, {}}, {"memory_peak_bytes", "", {}, {}}};
    for (std::int64_t i = 1; i <= n; ++i) {
        const auto step = static_cast<double>(i);
        const double values[] = {4096 * step, i <= 2 ? 5 : 0.5 + 0.01 * static_cast<double>(i % 7),
                                 i == 8 ? kNan : 9 - step / 1e4, i == 3 ? 2e9 : 1e9};
        for (std::size_t m = 0; m < run.size(); ++m) {
            run[m].steps.push_back(i);
            run[m].values.push_back(values[m]);
        }
    }
    return run;
}

}  // namespace

class TstSeriesPieces : public QObject {
    Q_OBJECT

private slots:
    // However the values are cut, and however few of them are kept.
    void medians() {
        std::mt19937_64 random(20261128);
        for (int round = 0; round < 300; ++round) {
            std::vector<double> values(random() % 200);
            const int kind = static_cast<int>(random() % 3);
            for (double& value : values) {
                const double any = std::bit_cast<double>(random());  // of every size, now and then not finite
                value = kind == 0 ? any : kind == 1 ? static_cast<double>(random() % 4) - 1 : 1 + 1e-12 * any / kMax;
                if (random() % 20 == 0) value = random() % 2 == 0 ? kNan : -kInf;
            }
            const double wanted = median(values);
            for (const std::size_t held : {1, 2, 7, 1000}) {
                int passes = 0;
                const double got = medianOfPieces(
                    [&](const auto& take) {
                        ++passes;
                        for (std::size_t at = 0; at < values.size();) {
                            const std::size_t count = std::min<std::size_t>(random() % 9, values.size() - at);
                            take(std::span(values).subspan(at, count));
                            at += count;
                        }
                    },
                    held);
                QVERIFY2(got == wanted || (std::isnan(got) && std::isnan(wanted)),
                         (std::to_string(got) + " for " + std::to_string(wanted)).c_str());
                QVERIFY(passes <= 6);
            }
        }
    }

    void piecesGiveTheSame() {
        std::vector<MetricSeries> run = aRun(2500);
        run.push_back({"comm_bytes", "bytes", {5, 2000}, {1e6, 2e6}});
        const DeriveBasis basis{6e6, 1e11, "C", 2};
        for (const std::size_t length : {1, 7, 1000, 5000}) {
            const RunFigures inPieces = summarisePieces(
                [&](const std::string& name, const auto& take) {
                    for (const MetricSeries& series : run)
                        for (std::size_t at = 0; series.name == name && at < series.size(); at += length) {
                            const std::size_t count = std::min(length, series.size() - at);
                            take(std::span(series.steps).subspan(at, count),
                                 std::span(series.values).subspan(at, count));
                        }
                },
                basis);
            QVERIFY(inPieces == summarise(run, basis));
        }
    }

    // 1e7 steps: a single one of their series is 160 MB.
    void memoryDoesNotGrowWithTheRun() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("memory is the sanitizer's");
#endif
        const auto peakKiB = [] {
            const std::string status = readFile("/proc/self/status").value_or("");
            return std::atoll(status.c_str() + status.find("VmHWM:") + 6);
        };
        std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins again at what is used now
        const auto before = peakKiB();
        std::vector<std::int64_t> steps(1000);
        std::vector<double> values(1000);
        const RunFigures figures = summarisePieces(
            [&](const std::string& name, const auto& take) {
                if (name == "eval_loss") return;
                for (std::int64_t first = 1; first <= 10000000; first += 1000) {
                    for (std::int64_t i = 0; i < 1000; ++i) {
                        const std::int64_t step = first + i;
                        const auto at = static_cast<std::size_t>(i);
                        steps[at] = step;
                        values[at] = name == "tokens" ? 4096.0 * static_cast<double>(step)
                                                      : 1 + 1e-7 * static_cast<double>(step * 7919 % 10000000);
                    }
                    take(steps, values);
                }
            },
            {});
        const auto grown = peakKiB() - before;
        QCOMPARE(*figures.numSteps, 1e7);
        QVERIFY(std::abs(*figures.stepSeconds - 1.5) < 1e-5);
        QVERIFY2(grown < 20 << 10, std::to_string(grown).c_str());
    }
};

SLIPWAY_TEST(TstSeriesPieces)
#include "tst_series_pieces.moc"
