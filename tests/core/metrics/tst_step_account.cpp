#include "core/metrics/step_difference.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <map>

using namespace slipway;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Values = std::map<std::string, double>;

/// A step of one second on two replicas of two tensor-parallel ranks.
Values usualStep() {
    return {{"step_seconds", 1.0},           {"forward_seconds", 0.2},         {"backward_seconds", 0.4},
            {"optimizer_seconds", 0.2},      {"data_seconds", 0.02},           {"pipeline_wait_seconds", 0.1},
            {"comm_exposed_seconds", 0.25},  {"tp_exposed_seconds", 0.15},     {"dp_exposed_seconds", 0.10},
            {"world_exposed_seconds", 0.01}, {"update_exposed_seconds", 0.11}, {"edge_exposed_seconds", 0.02},
            {"finish_wait_seconds", 0.03},   {"imbalance_seconds", 0.06}};
}

/// A run whose steps have these values; 1,000 tokens each and 100 ms between steps.
class Run {
public:
    explicit Run(int steps, const Values& values = usualStep()) {
        double clock = 1e6;
        for (int step = 1; step <= steps; ++step) {
            for (const auto& [name, value] : values) set(name, step, value);
            set("tokens", step, 1000.0 * step);
            clock += 1000 * (values.contains("step_seconds") ? values.at("step_seconds") : 1.0) + 100;
            set("time_unix_ms", step, clock);
        }
        evidence.basis = {2e6, 1e10, "C", 4};  // 2e9 FLOP a step: 0.2 s at peak
        evidence.layout.tp = 2;
        evidence.layout.dp = 2;
        evidence.seriesOf = [this](const std::string& name) {
            const auto it = m_series.find(name);
            return it == m_series.end() ? MetricSeries() : it->second;
        };
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void set(const std::string& name, std::int64_t step, double value) {
        MetricSeries& series = m_series[name];
        const auto it = std::lower_bound(series.steps.begin(), series.steps.end(), step);
        const auto at = it - series.steps.begin();
        if (it == series.steps.end() || *it != step) {
            series.steps.insert(it, step);
            series.values.insert(series.values.begin() + at, value);
        } else {
            series.values[static_cast<std::size_t>(at)] = value;
        }
    }
    void drop(const std::string& name) { m_series.erase(name); }
    [[nodiscard]] StepAccount account() const { return accountOf(evidence); }

    AccountEvidence evidence;

private:
    std::map<std::string, MetricSeries> m_series;
};

bool near(const std::optional<double>& value, double wanted) {
    return value && std::fabs(*value - wanted) < 1e-9;
}
bool says(const std::vector<Message>& notes, const char* part) {
    for (const Message& note : notes)
        if (textOf(note).find(part) != std::string::npos) return true;
    return false;
}

}  // namespace

class TstStepAccount : public QObject {
    Q_OBJECT

private slots:
    void parts() {
        const StepAccount account = Run(40).account();
        const TimeParts& parts = account.measured;
        QVERIFY(near(account.stepSeconds, 1.0));
        QVERIFY(near(account.mfu, 0.2));
        QVERIFY(near(parts[TimePart::Useful], 0.2));
        // 0.6 s of passes, of which 0.13 s waited: 0.26 s of waits less 0.11 s of the update and 0.02 s beside the passes.
        QVERIFY(near(parts[TimePart::Kernels], 0.6 - 0.13 - 0.2));
        QVERIFY(near(parts[TimePart::SlowRanks], 0.06 + 0.03));
        QVERIFY(near(parts[TimePart::TensorParallel], 0.15 * 0.2 / 0.25));
        QVERIFY(near(parts[TimePart::DataParallel], 0.10 * 0.2 / 0.25));
        QVERIFY(!parts[TimePart::ContextParallel] && !parts[TimePart::Recompute]);
        QVERIFY(near(parts[TimePart::Pipeline], 0.1));
        QVERIFY(near(parts[TimePart::Optimizer], 0.09));
        QVERIFY(near(parts[TimePart::Data], 0.02));
        QVERIFY(near(parts[TimePart::Unexplained], 0.03));
        QVERIFY(near(account.share(TimePart::Unexplained, false), 3));
        QVERIFY(near(parts[TimePart::BetweenSteps], 0.1));
        QVERIFY(near(parts[TimePart::Checkpoints], 0));
        QVERIFY(near(account.wallSeconds, 1.1));
        QVERIFY(near(account.wallMfu, 0.2 / 1.1));
        QCOMPARE(account.firstStep, std::int64_t{9});
        QCOMPARE(account.leftOut, std::int64_t{8});
    }

    // Whatever is missing, not finite or overlaps: the parts of the step add up to it, all of them to the time between.
    void partsAddUp() {
        std::uint64_t state = 20261123;
        const auto random = [&] {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return static_cast<double>(state >> 11) / 9007199254740992.0;
        };
        for (int round = 0; round < 200; ++round) {
            Values values = usualStep();
            for (auto& [name, value] : values) value *= 2 * random();
            Run run(12, values);
            for (const auto& [name, value] : values) {
                if (random() < 0.2 && name != "step_seconds") run.drop(name);
                if (random() < 0.3) run.set(name, 3 + static_cast<int>(9 * random()), kNan);
                if (random() < 0.3 && name != "step_seconds") run.set(name, 5, 10 * value);
            }
            if (random() < 0.3) run.set("checkpoint_seconds", 6, random());
            if (random() < 0.3) run.set("eval_seconds", 8, random());
            if (random() < 0.2) run.evidence.basis = {};
            if (random() < 0.3) run.evidence.resumeSteps = {6};
            const StepAccount account = run.account();
            QVERIFY(account.stepSeconds);
            QVERIFY(std::fabs(account.measured.sum(false) - *account.stepSeconds) < 1e-9);
            if (account.wallSeconds) QVERIFY(std::fabs(account.measured.sum(true) - *account.wallSeconds) < 1e-9);
        }
    }

    void forecastBeside() {
        Run run(40);
        run.evidence.forecastJson =
            R"({"step_seconds":0.9,"mfu":0.2,"hfu":0.25,"label":"textbook","step":{"compute_seconds":0.5,"tp_exposed_seconds":0.1,"cp_exposed_seconds":0,
            "ep_exposed_seconds":0,"pp_exposed_seconds":0.02,"bubble_seconds":0.08,"dp_exposed_seconds":0.1,"optimizer_seconds":0.07,"fixed_seconds":0.03}})";
        const StepAccount account = run.account();
        const TimeParts& parts = account.forecast;
        QVERIFY(near(account.forecastMfu, 0.2));
        QVERIFY(near(parts[TimePart::Useful], 0.18));
        QVERIFY(near(parts[TimePart::Recompute], 0.5 * 0.2));
        QVERIFY(near(parts[TimePart::Kernels], 0.5 - 0.18 - 0.1));
        QVERIFY(near(parts[TimePart::Pipeline], 0.1));
        QVERIFY(near(parts[TimePart::Overhead], 0.03));
        QVERIFY(near(parts[TimePart::Unexplained], 0));
        QVERIFY(std::fabs(parts.sum(false) - 0.9) < 1e-12);
        QCOMPARE(account.label, std::string("textbook"));
        // The measured passes recompute the same share of their FLOP.
        QVERIFY(near(account.measured[TimePart::Recompute], 0.47 * 0.2));
        QVERIFY(says(Run(40).account().notes, "no forecast"));
    }

    // An imported run has step times and tokens, and nothing else.
    void importedRun() {
        const StepAccount account = Run(40, {{"step_seconds", 1.0}}).account();
        QVERIFY(near(account.measured[TimePart::Useful], 0.2));
        QVERIFY(near(account.measured[TimePart::Unexplained], 0.8));
        QVERIFY(!account.measured[TimePart::Kernels] && !account.measured[TimePart::Optimizer]);
        QVERIFY(says(account.notes, "does not record its passes"));
        Run clockless(40, {{"step_seconds", 1.0}});
        clockless.drop("time_unix_ms");
        QVERIFY(!clockless.account().wallSeconds);
        QVERIFY(says(clockless.account().notes, "time between steps"));
        Run none(0);
        QVERIFY(!none.account().stepSeconds);
        QVERIFY(says(none.account().notes, "No step after the warm-up"));
        QVERIFY(toJson(none.account()).at("step_seconds").is_null());
    }

    // What an older trainer writes: waits without axes.
    void waitsWithoutAxes() {
        Run run(40);
        for (const char* name : {"tp_exposed_seconds", "dp_exposed_seconds", "world_exposed_seconds",
                                 "update_exposed_seconds", "edge_exposed_seconds", "finish_wait_seconds",
                                 "edge_exposed_seconds", "finish_wait_seconds", "imbalance_seconds"})
            run.drop(name);
        QVERIFY(near(run.account().measured[TimePart::Collectives], 0.25));
        QVERIFY(says(run.account().notes, "waits by axis"));
        run.evidence.layout.dp = 1;
        QVERIFY(near(run.account().measured[TimePart::TensorParallel], 0.25));
        QVERIFY(!run.account().measured[TimePart::Collectives]);
    }

    void unknownPeak() {
        Run run(40);
        run.evidence.basis.peakFlops = {};
        const StepAccount account = run.account();
        QVERIFY(!account.mfu && !account.measured[TimePart::Useful]);
        QVERIFY(near(account.measured[TimePart::Kernels], 0.47));
        QVERIFY(says(account.notes, "peak is unknown"));
    }

    // Slow first steps of each attempt stay out; so does the time between attempts.
    void restartedRun() {
        Run run(40);
        for (int step = 1; step <= 40; ++step)
            if (step <= 8 || (step > 20 && step <= 28)) run.set("step_seconds", step, 9);
        run.evidence.resumeSteps = {20};
        const StepAccount account = run.account();
        QVERIFY(near(account.stepSeconds, 1.0));
        QVERIFY(near(account.measured[TimePart::SlowSteps], 0));
        QCOMPARE(account.leftOut, std::int64_t{16});
        QVERIFY(says(account.notes, "restarted 1 time"));
    }

    void stallsAreOutsideTheStep() {
        Run run(40);
        run.set("checkpoint_seconds", 20, 1.6);
        run.set("eval_seconds", 30, 0.8);
        run.set("step_seconds", 35, 4.2);  // 3.2 s more, none of them in the clock of the lines
        const StepAccount account = run.account();
        QVERIFY(near(account.measured[TimePart::Checkpoints], 1.6 / 32));
        QVERIFY(near(account.measured[TimePart::Evaluations], 0.8 / 32));
        QVERIFY(near(account.measured[TimePart::SlowSteps], 3.2 / 32));
        QVERIFY(near(account.stepSeconds, 1.0));
        QVERIFY(std::fabs(account.measured.sum(true) - *account.wallSeconds) < 1e-12);
    }

    void overlapIsSaid() {
        Values values = usualStep();
        values["optimizer_seconds"] = 0.5;
        const StepAccount account = Run(40, values).account();
        QVERIFY(near(account.measured[TimePart::Unexplained], -0.27));
        QVERIFY(says(account.notes, "overlap"));
    }

    void difference() {
        Values slower = usualStep();
        slower["step_seconds"] = 1.3;
        slower["pipeline_wait_seconds"] = 0.35;
        slower["imbalance_seconds"] = 0.11;
        AccountedRun first{Run(40).account(), {}}, second{Run(40, slower).account(), {}};
        first.stored.config.parallel.pp = 2;
        second.stored.config.parallel.pp = 4;
        second.stored.config.optimizer.lr = 0.5;
        const auto why = differenceOf(first, second);
        QVERIFY(why);
        QVERIFY(near(why->seconds(), 0.3));
        QCOMPARE(why->parts.front().part, TimePart::Pipeline);
        QVERIFY(near(why->parts.front().seconds(), 0.25));
        QVERIFY(!why->parts.front().isWithinSpread);
        QCOMPARE(why->parts.front().fields.size(), std::size_t{1});
        QCOMPARE(why->parts.front().fields.front().path, std::string("parallel.pp"));
        double sum = 0;
        for (const PartDifference& part : why->parts) {
            sum += part.seconds();
            if (part.part == TimePart::SlowRanks) QVERIFY(part.fields.empty() && near(part.seconds(), 0.05));
            if (part.part == TimePart::Data) QVERIFY(part.isWithinSpread);
            QVERIFY(part.first != 0 || part.second != 0);
        }
        QVERIFY(near(sum, 0.3));
        QCOMPARE(why->fields.size(), std::size_t{2});
        QVERIFY(!differenceOf(first, AccountedRun{Run(0).account(), {}}));
        // Of an import without its learning rate only the layout is compared.
        second.stored = partialConfig(second.stored.config, {"parallel.pp"});
        const auto partly = differenceOf(first, second);
        QVERIFY(partly && partly->fields.size() == 1 && partly->numUnknown > 0);
        QVERIFY(says(partly->notes, "not compared") && why->numUnknown == 0 && !says(why->notes, "not compared"));
    }

    // Half as many tokens a step: the second's times count twice.
    void differencePerToken() {
        Run other(40);
        for (int step = 1; step <= 40; ++step) other.set("tokens", step, 500.0 * step);
        const auto why = differenceOf({Run(40).account(), {}}, {other.account(), {}});
        QVERIFY(why);
        QCOMPARE(why->scale, 2.0);
        QVERIFY(near(why->second, 2.0));
        QVERIFY(says(why->notes, "another number of tokens"));
    }
};

SLIPWAY_TEST(TstStepAccount)
#include "tst_step_account.moc"
