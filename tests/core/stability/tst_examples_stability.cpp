// The computed examples on spikes, clipping, noise scale and loss curves. Rows that show a source's mistake are checked
// in the source's form, and beside them stands what the product says.
#include "core/stability/adaptive_clip.h"
#include "core/stability/loss_curve.h"
#include "core/stability/noise_scale.h"
#include "core/stability/step_guard.h"
#include "tests/support/example_rows.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <functional>
#include <numeric>

using namespace slipway;
using namespace slipway::test;

namespace {

// "100 x 3.0 + 1 x 10.0" -> values
std::vector<double> valuesOf(const std::string& text) {
    std::vector<double> values;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t used = 0;
        const int count = std::stoi(text.substr(at), &used);
        at = text.find('x', at + used) + 1;
        const double value = std::stod(text.substr(at), &used);
        values.insert(values.end(), static_cast<std::size_t>(count), value);
        at = text.find('+', at + used);
        if (at == std::string::npos) break;
        ++at;
    }
    return values;
}

SpikeVerdict evaluate(SpikeRule rule, const Json& in) {
    SpikeDetector detector(rule);
    for (const double value : valuesOf(in.at("history").get<std::string>())) detector.evaluate(value);
    const Json& loss = in.at("loss");
    return detector.evaluate(loss.is_string() ? std::nan("") : loss.get<double>());
}

std::string word(SpikeVerdict verdict) {
    return verdict == SpikeVerdict::Normal ? "no spike" : "spike";
}

// The answer in the words of the row.
Json answer(const std::string& id, const Json& in) {
    const auto number = [&](const char* key) { return in.at(key).get<double>(); };
    if (id == "000-5.1f") {
        double squares = 0;
        for (const Json& tensor : in.at("grads"))
            for (const Json& value : tensor) squares += value.get<double>() * value.get<double>();
        return std::sqrt(squares);
    }
    if (id == "000-5.1e") return "must be a " + word(evaluate(SpikeRule::Mean3x, in));
    if (id.starts_with("000-5.1")) return word(evaluate(SpikeRule::Mean3x, in));
    if (id == "001-5.1c") {
        SpikeSpec spec;
        spec.gradNormLimit = 10.0;
        return StepGuard(spec).evaluate(2.0, number("grad_norm")).code == "gradient_spike" ? "spike" : "no spike";
    }
    if (id.starts_with("001-5.1")) return word(evaluate(SpikeRule::Mean5x, in));
    if (id.starts_with("000-5.2a") || id.starts_with("000-5.2b"))
        return adaptiveClipFactor(number("param_norm"), number("grad_norm"), number("clip_coef"),
                                  id == "000-5.2b" ? 0.0 : kAdaptiveClipFloor);  // 5.2b: the source has no floor
    if (id == "000-5.2d")
        return *estimateNoise({number("b"), number("g_b")}, {number("B"), number("g_B")})->noiseScale();
    if (id == "000-5.2c") {
        // The source's spread inside one gradient, which says nothing of batches.
        std::vector<double> g = in.at("grad").get<std::vector<double>>();
        const double mean = std::accumulate(g.begin(), g.end(), 0.0) / static_cast<double>(g.size());
        double spread = 0, squares = 0;
        for (const double value : g) {
            spread += (value - mean) * (value - mean);
            squares += value * value;
        }
        return spread / squares;
    }
    const std::vector<double> losses = valuesOf(in.at("losses").get<std::string>());
    const auto window = in.at("window").get<std::size_t>();
    if (id == "000-7.2d") {
        const SourceCurve curve = *analyseLossesAsSource(losses, window);
        return {{"mean", curve.mean},     {"std", curve.standardDeviation},   {"limit", curve.limit},
                {"spikes", curve.spikes}, {"improvement", curve.improvement}, {"stagnant", curve.stagnant},
                {"advice", curve.advice}};
    }
    const LossCurve curve = analyseLosses(losses, window);
    return {{"recent", curve.recent},
            {"improvement", curve.improvement},
            {"stagnant", curve.verdict == CurveVerdict::Plateau},
            {"spikes", curve.spikes}};
}

bool matches(const Json& actual, const Json& expected, const std::string& tolerance) {
    if (expected.is_object()) {
        for (const auto& [key, value] : expected.items())
            if (!actual.contains(key) || !matches(actual[key], value, tolerance)) return false;
        return true;
    }
    if (!expected.is_number()) {
        // "no spike (and 100.0 enters the window)": the verdict stands before the bracket.
        const std::string text = expected.is_string() ? expected.get<std::string>() : "";
        return expected == actual || (!text.empty() && actual == Json(text.substr(0, text.find(" ("))));
    }
    const std::size_t space = tolerance.find(' ');
    const double a = actual.get<double>(), e = expected.get<double>();
    if (space == std::string::npos) return a == e;
    const double bound = std::stod(tolerance.substr(space));
    return std::fabs(a - e) <= (tolerance.starts_with("rel") ? bound * std::fabs(e) : bound);
}

}  // namespace

class TstExamplesStability : public QObject {
    Q_OBJECT
private slots:
    void row_data() {
        QTest::addColumn<int>("index");
        m_rows = exampleRows({"000-5.1", "000-5.2", "001-5.1", "000-7.2"});
        QCOMPARE(m_rows.size(), std::size_t{15});
        for (std::size_t i = 0; i < m_rows.size(); ++i) QTest::newRow(m_rows[i]["id"].c_str()) << static_cast<int>(i);
    }
    void row() {
        QFETCH(int, index);
        ExampleRow& row = m_rows[static_cast<std::size_t>(index)];
        const auto inputs = parseJson(row["inputs_json"], row["id"]);
        QVERIFY2(inputs.has_value(), row["inputs_json"].c_str());
        const auto parsed = parseJson(row["expected"], "expected");
        const Json actual = answer(row["id"], *inputs);
        QVERIFY2(matches(actual, parsed ? *parsed : Json(row["expected"]), row["tolerance"]),
                 (dumpJson(actual, false) + " instead of " + row["expected"]).c_str());
    }
    // Where a row shows a source's mistake the product says something else.
    void theProductDoesNotCopyMistakes() {
        QVERIFY(adaptiveClipFactor(0, 1, 0.01) > 0);  // 000-5.2b
        std::vector<double> losses(199, 3.0);
        losses.push_back(10.0);
        const LossCurve curve = analyseLosses(losses, 100);  // 000-7.2d
        QVERIFY(curve.verdict == CurveVerdict::Spiking && curve.improvement == 0.0);
        SpikeDetector detector(SpikeRule::RobustZ);  // 000-5.1d, 001-5.1b: an early outlier
        for (int i = 0; i < 9; ++i) detector.evaluate(2.0);
        detector.evaluate(100.0);
        for (int i = 0; i < 40; ++i) detector.evaluate(2.0);
        QVERIFY(detector.limit() < 2.1);
    }

private:
    std::vector<ExampleRow> m_rows;
};
SLIPWAY_TEST(TstExamplesStability)
#include "tst_examples_stability.moc"
