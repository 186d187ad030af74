// Alerts of runs that are followed: events of the run for every program, and a hook that gets them as data.
#include "core/base/json.h"
#include "core/run/alert_settings.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <filesystem>

using namespace slipway;
using namespace slipway::test;

namespace {

using Words = std::vector<std::string>;

Json settings(CliBench& bench) {
    return *parseJson(bench.run({"alerts", "--json"}).out, "alerts");
}

/// Sets a script as the hook: it appends its input, its arguments and its environment to files beside it.
void hook(CliBench& bench, const std::string& end = "") {
    const std::string folder = bench.at.temp.path().string();
    const std::string script =
        bench.file("hook.sh", "#!/bin/sh\ncat >> '" + folder + "/input'\n" + "printf '%s\\n' \"$@\" >> '" + folder +
                                  "/arguments'\n" + "env | grep ^SLIPWAY_ALERT_ >> '" + folder + "/variables'\n" + end);
    const auto set = bench.run({"alerts", "set-hook", "--", "/bin/sh", script, "--team", "a b"});
    QVERIFY2(set.code == 0, set.err.c_str());
}

std::vector<Json> documents(CliBench& bench) {
    std::vector<Json> out;
    std::istringstream lines(readFile(bench.at.temp.path() / "input").value_or(""));
    for (std::string line; std::getline(lines, line);) out.push_back(*parseJson(line, "input"));
    return out;
}

CliBench::Outcome launched(CliBench& bench, const std::string& script, const std::string& name = "noted") {
    return bench.run({"launch", "--name", name, "--json", "--", "sh", bench.file("script.sh", script)});
}

/// "alert_loss_not_finite 3", in their order.
Words events(CliBench& bench, const std::string& name) {
    Words out;
    const Json shown = *parseJson(bench.run({"show", name, "--json"}).out, "show");
    for (const Json& event : shown["events"])
        out.push_back(event["name"].get<std::string>() + ' ' + std::to_string(event["step"].get<int>()));
    return out;
}

constexpr const char* kBadLoss =
    "for i in 1 2; do echo \"step $i: loss=$i.5\"; done\n"
    "for i in 3 4 5; do echo \"step $i: loss=nan\"; done\n";

}  // namespace

class TstAlertsFlow : public QObject {
    Q_OBJECT

private slots:
    void rulesAreSetAndRefused() {
        CliBench bench;
        QCOMPARE(settings(bench)["rules"].size(), kNumAlertRules);
        QCOMPARE(settings(bench)["hook"].size(), 0U);
        QCOMPARE(bench.run({"alerts", "set", "throughput_down", "--threshold", "10"}).code, 0);
        QCOMPARE(bench.run({"alerts", "set", "run_ended", "--off"}).code, 0);
        const auto stored = readAlertSettings(bench.at.home);
        QVERIFY(stored.has_value());
        QCOMPARE(stored->choices[static_cast<std::size_t>(AlertRule::ThroughputDown)].threshold, 10.0);
        QVERIFY(!stored->choices[static_cast<std::size_t>(AlertRule::RunEnded)].isOn);
        QVERIFY(stored->choices[static_cast<std::size_t>(AlertRule::RunFailed)].isOn);
        for (const Words& wrong : {Words{"set", "throughput_down", "--threshold", "0.5"},
                                   {"set", "run_ended", "--threshold", "3"},
                                   {"set", "thruput_down", "--off"},
                                   {"set", "run_ended"},
                                   {"set-hook"}}) {
            Words words = {"alerts"};
            words.insert(words.end(), wrong.begin(), wrong.end());
            QCOMPARE(bench.run(words).code, 2);
        }
        QVERIFY(*readAlertSettings(bench.at.home) == *stored);
        (void)writeFileAtomically(alertSettingsFile(bench.at.home), R"({"rules": {"loss_spike": {"onn": true}}})");
        const auto broken = bench.run({"alerts"});
        QCOMPARE(broken.code, 2);
        QVERIFY2(broken.err.find("/rules/loss_spike/onn") != std::string::npos, broken.err.c_str());
    }

    void anAlertIsAnEventAndStartsTheHook() {
        CliBench bench;
        hook(bench);
        const auto done = launched(bench, kBadLoss);
        QVERIFY2(done.code == 0, (done.out + done.err).c_str());
        QVERIFY2(done.err.find("alert: The loss is not finite at step 3.") != std::string::npos, done.err.c_str());
        const Words told = events(bench, "noted");
        for (const char* event : {"alert_loss_not_finite 3", "alert_run_ended 5", "alert_hook 3", "alert_hook 5"})
            QVERIFY2(std::ranges::count(told, event) == 1, event);
        const std::vector<Json> given = documents(bench);
        QCOMPARE(given.size(), 2U);
        QCOMPARE(QString::fromStdString(given[0]["rule"]), QString("loss_not_finite"));
        QCOMPARE(given[0]["step"].get<int>(), 3);
        QCOMPARE(QString::fromStdString(given[0]["run_name"]), QString("noted"));
        QCOMPARE(QString::fromStdString(given[1]["rule"]), QString("run_ended"));
        // Whoever comes later raises nothing again, and a new index has the same events.
        QVERIFY(bench.run({"logs", "-f", "noted"}).code >= 0);
        QCOMPARE(bench.run({"reindex"}).code, 0);
        QVERIFY(std::ranges::is_permutation(events(bench, "noted"), told));
        QCOMPARE(documents(bench).size(), 2U);
    }

    // Blocks of the store are full at 1,000 points; the steps come in pieces, each of which is looked at once.
    void aLongStreamIsLookedAtStepByStep() {
        CliBench bench;
        const auto done = launched(bench,
                                   "i=1; while [ $i -le 2500 ]; do\n"
                                   "if [ $i = 700 ] || [ $i = 2400 ]; then echo \"step $i: loss=nan\"\n"
                                   "else echo \"step $i: loss=2.$((i % 3))\"; fi\n"
                                   "i=$((i + 1)); done\n");
        QCOMPARE(done.code, 0);
        QCOMPARE(events(bench, "noted"),
                 (Words{"alert_loss_not_finite 700", "alert_loss_not_finite 2400", "alert_run_ended 2500"}));
    }

    void aFailedRunIsNamedAndTheHooksExitCodeIsKept() {
        CliBench bench;
        hook(bench, "exit 7\n");
        QCOMPARE(launched(bench, "exit 3\n").code, 3);
        const std::vector<Json> given = documents(bench);
        QCOMPARE(given.size(), 1U);
        QCOMPARE(QString::fromStdString(given[0]["rule"]), QString("run_failed"));
        const auto shown = bench.run({"show", "noted", "--json"});
        QVERIFY2(shown.out.find("run_failed: exit code 7") != std::string::npos, shown.out.c_str());
    }

    void strangersTextReachesNoArgument() {
        CliBench bench;
        hook(bench);
        const std::filesystem::path trace = bench.at.temp.path() / "was_here";
        const std::string hostile = "x'; touch " + trace.string() + "; $(id) `id` --team=evil";
        QCOMPARE(launched(bench, "exit 1\n", hostile).code, 1);
        QCOMPARE(readFile(bench.at.temp.path() / "arguments").value_or(""), std::string("--team\na b\n"));
        QCOMPARE(documents(bench).at(0)["run_name"].get<std::string>(), hostile);
        const std::string variables = readFile(bench.at.temp.path() / "variables").value_or("");
        QVERIFY2(variables.find("SLIPWAY_ALERT_RUN_NAME=" + hostile + "\n") != std::string::npos, variables.c_str());
        QVERIFY(!std::filesystem::exists(trace));
    }

    void aRuleThatIsOffAndAHookThatIsMissing() {
        CliBench bench;
        QCOMPARE(bench.run({"alerts", "set", "loss_not_finite", "--off"}).code, 0);
        hook(bench);
        AlertSettings stored = *readAlertSettings(bench.at.home);
        stored.hook = {"/nowhere/program"};
        QVERIFY(writeAlertSettings(bench.at.home, stored).has_value());
        QCOMPARE(launched(bench, kBadLoss).code, 0);
        QCOMPARE(events(bench, "noted"), (Words{"alert_run_ended 5", "alert_hook 5"}));
        QCOMPARE(bench.run({"alerts", "remove-hook"}).code, 0);
        QCOMPARE(launched(bench, kBadLoss, "second").code, 0);
        QCOMPARE(events(bench, "second"), Words{"alert_run_ended 5"});
    }
};

SLIPWAY_TEST(TstAlertsFlow)
#include "tst_alerts_flow.moc"
