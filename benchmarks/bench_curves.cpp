// Speed of a chart with very many curves: a window's drawing of 1,000 runs, warm.
//   QT_QPA_PLATFORM=offscreen bin/bench_app_gui
#include "app/gui/widgets/metric_chart.h"

#include <benchmark/benchmark.h>

#include <QApplication>
#include <cmath>

namespace {

using namespace slipway::gui;

std::vector<Curve> curves(std::int64_t count, int numPoints) {
    std::vector<Curve> out(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].colour = static_cast<int>(i);
        for (int x = 0; x < numPoints; ++x)
            out[i].points.append({static_cast<double>(x), 2 + 3 * std::exp(-x / 150.0) +
                                                              0.05 * std::sin(static_cast<double>(i) * 37 + x * 1.7)});
    }
    return out;
}

/// Curves that were read, to a picture: ranges, layer and axes.
void drawManyCurves(benchmark::State& state) {
    MetricChart chart;
    chart.resize(900, 400);
    chart.setLogY(state.range(1) != 0);
    const auto all = curves(state.range(0), 1000);
    for (auto _ : state) {
        chart.setCurves(all);
        benchmark::DoNotOptimize(chart.grab());
    }
}
BENCHMARK(drawManyCurves)->Args({1000, 0})->Args({1000, 1})->Args({100, 0})->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    const QApplication app(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
