// Sweeps as arrays of Slurm, whose programs are acted by tests/support/fake_slurm; the same on the real slurmctld is
// tst_slurm_preemption.cpp.
#include "core/base/file.h"
#include "core/process/process.h"
#include "core/remote/node_record.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_result.h"
#include "core/sweep/sweep_runner.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/fake_slurm.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/slurm_sweep.h"

#include <map>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr int kTrialsThere = 25, kLastThere = 570 + kTrialsThere - 1;  // more than are copied at the same time

struct Lab {
    FakeSlurm slurm;
    RunHome at;
    Result<RunStore> store = RunStore::open(at.home, OpenMode::ReadWrite);

    [[nodiscard]] Result<SweepRunner> open(int trials, std::optional<std::int64_t> jobs, bool again = false) {
        return openSlurmSweep(*store, at, trials, 10, "ms=1", jobs, again);
    }
    [[nodiscard]] int countOf(const std::string& line) const {
        const std::string text = "\n" + slurm.text("sbatch.arguments");
        int number = 0;
        for (std::size_t found = text.find("\n" + line); found != std::string::npos;
             found = text.find("\n" + line, found + 1))
            ++number;
        return number;
    }
    void call(const std::vector<std::string>& arguments) const {
        ProcessSpec spec;
        spec.arguments = arguments;
        spec.arguments.front() = (slurm.temp.path() / "bin" / arguments.front()).string();
        auto process = Process::start(spec);
        QVERIFY(process && process->wait(60));
    }
    [[nodiscard]] int mostRunning() const { return std::atoi(slurm.text("most_running").c_str()); }
};

}  // namespace

class TstSlurmArrays : public QObject {
    Q_OBJECT

private slots:
    // The driver is lost while all elements wait in the queue, and one is queued again before the next driver comes.
    void isOneArrayWithALimit() {
        Lab lab;
        lab.slurm.set("hold");
        auto first = lab.open(6, 2);
        QVERIFY2(first, first ? "" : first.error().message.c_str());
        const SweepId id = first->id();
        QVERIFY(sweepUntil(*first, 60, [&] { return std::filesystem::exists(lab.slurm.job(575) / "state"); }));
        QCOMPARE(first->progress(unixMillisecondsNow()).queued, std::size_t(6));
        QCOMPARE(lab.countOf("--array=0-5%2\n"), 1);
        first = fail("gone", std::string("gone"));
        lab.slurm.clear("hold");
        lab.call({"scontrol", "next", "570"});
        lab.call({"scontrol", "requeue", "570_1"});
        auto second = lab.open(6, 2);
        QVERIFY(second && second->id() == id);
        QVERIFY(sweepUntil(*second, 300, [&] { return second->done(); }));
        QCOMPARE(problemOfSweep(*lab.store, id, 6), std::string());
        QCOMPARE(lab.countOf("--parsable\n"), 1);
        QVERIFY(lab.mostRunning() <= 2);
        const auto there = tableOfSweep(*lab.store, id);
        second = fail("gone", std::string("gone"));
        auto here = lab.open(6, {}, true);
        QVERIFY(here && sweepUntil(*here, 300, [&] { return here->done(); }));
        QVERIFY(tableOfSweep(*lab.store, here->id()) == there);
    }

    // Between the run folders and the submission: what is not in Slurm's queue is submitted by the next driver.
    void aDriverThatIsLostBeforeTheSubmission() {
        Lab lab;
        constexpr int kTrials = 24;  // more than one tick begins
        auto first = lab.open(kTrials, 8);
        QVERIFY(first && first->tick(unixMillisecondsNow()));
        const SweepId id = first->id();
        QVERIFY(first->progress(unixMillisecondsNow()).queued > 0);
        QCOMPARE(lab.countOf("--parsable\n"), 0);
        first = fail("gone", std::string("gone"));
        auto second = lab.open(kTrials, 8);
        QVERIFY(sweepUntil(*second, 300, [&] { return second->done(); }));
        QCOMPARE(problemOfSweep(*lab.store, id, kTrials), std::string());
        QCOMPARE(lab.countOf("--parsable\n"), 1);
    }

    void findsAnArrayWhoseAnswerWasLost() {
        Lab lab;
        lab.slurm.set("lose");
        auto runner = lab.open(3, 3);
        QVERIFY(sweepUntil(*runner, 300, [&] { return runner->done(); }));
        QCOMPARE(problemOfSweep(*lab.store, runner->id(), 3), std::string());
        QCOMPARE(lab.countOf("--parsable\n"), 1);
    }

    void makesSmallerOnesWhereTheClusterWantsThem() {
        Lab lab;
        lab.slurm.set("most", "3");
        auto runner = lab.open(5, 5);
        QVERIFY(sweepUntil(*runner, 300, [&] { return runner->done(); }));
        QCOMPARE(problemOfSweep(*lab.store, runner->id(), 5), std::string());
        QCOMPARE(lab.countOf("--array=0-1%5\n"), 2);
        QCOMPARE(lab.countOf("--array=0-0%5\n"), 1);
    }

    void aRefusedArrayFailsItsTrials() {
        Lab lab;
        lab.slurm.set("refuse", "invalid partition specified: gpu");
        auto runner = lab.open(2, 2);
        QVERIFY(sweepUntil(*runner, 60, [&] { return runner->done(); }));
        const auto result = loadSweepResult(*lab.store, runner->id());
        for (const TrialResult& trial : result->trials) {
            QCOMPARE(trial.status, TrialStatus::Failed);
            QVERIFY2(trial.reason.find("invalid partition") != std::string::npos, trial.reason.c_str());
        }
    }

    // Files are copied and sbatch runs on a login node; its driver is lost while all elements wait.
    void isOneArrayBehindALoginNode() {
        Lab lab;
        const FakeNodes nodes;
        NodeRecord node;
        node.name = node.host = "login";
        node.trainer = lab.at.programs.trainer.string();
        QVERIFY(writeNode(lab.at.home, node, false));
        const auto open = [&] {
            return openSlurmSweep(*lab.store, lab.at, kTrialsThere, 10, "ms=1", 2, false, "login");
        };
        lab.slurm.set("hold");
        auto first = open();
        QVERIFY2(first, first ? "" : first.error().message.c_str());
        const SweepId id = first->id();
        QVERIFY(sweepUntil(*first, 120, [&] { return std::filesystem::exists(lab.slurm.job(kLastThere) / "state"); }));
        QCOMPARE(first->progress(unixMillisecondsNow()).queued, std::size_t(kTrialsThere));
        QCOMPARE(lab.countOf("--array=0-24%2\n"), 1);
        first = fail("gone", std::string("gone"));
        lab.slurm.clear("hold");
        lab.call({"scontrol", "next", "570"});
        lab.call({"scontrol", "requeue", "570_1"});
        nodes.cut("login");
        auto second = open();
        QVERIFY(second && second->id() == id);
        QVERIFY(sweepUntil(*second, 300, [&] { return second->done(); }));
        QCOMPARE(problemOfSweep(*lab.store, id, kTrialsThere), std::string());
        QCOMPARE(lab.countOf("--parsable\n"), 1);
        QVERIFY(lab.mostRunning() <= 2);
        const auto there = tableOfSweep(*lab.store, id);
        second = fail("gone", std::string("gone"));
        auto here = lab.open(kTrialsThere, {}, true);
        QVERIFY(here && sweepUntil(*here, 300, [&] { return here->done(); }));
        QVERIFY(tableOfSweep(*lab.store, here->id()) == there);
    }

    // What waits leaves the queue, what runs goes on, and the next start of the sweep submits the rest.
    void aPauseEmptiesTheQueue() {
        Lab lab;
        auto runner = openSlurmSweep(*lab.store, lab.at, 4, 300, "ms=20", 1, false);
        QVERIFY(sweepUntil(*runner, 60, [&] { return !runner->progress(unixMillisecondsNow()).running.empty(); }));
        const SweepId id = runner->id();
        runner->pause();
        QVERIFY(sweepUntil(*runner, 120, [&] { return runner->done(); }));
        const auto paused = loadSweepResult(*lab.store, id);
        std::map<TrialStatus, int> ends;
        for (const TrialResult& trial : paused->trials) ++ends[trial.status];
        QCOMPARE(ends[TrialStatus::Completed], 1);
        QCOMPARE(ends[TrialStatus::Cancelled], 3);
        for (const int job : {571, 572, 573})
            QCOMPARE(lab.slurm.text("jobs/" + std::to_string(job) + "/state"), std::string("CANCELLED\n"));
        runner = fail("gone", std::string("gone"));
        auto next = openSlurmSweep(*lab.store, lab.at, 4, 300, "ms=20", 4, false);
        QVERIFY(next && next->id() == id);
        QVERIFY(sweepUntil(*next, 300, [&] { return next->done(); }));
        QCOMPARE(problemOfSweep(*lab.store, id, 4), std::string());
        QCOMPARE(lab.countOf("--array=0-2%4\n"), 1);
    }
};
SLIPWAY_TEST(TstSlurmArrays)
#include "tst_slurm_arrays.moc"
