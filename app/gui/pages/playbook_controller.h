// State of the Playbook page: the chapters and experiments, the reader's guesses and records, the running experiment,
// and the rules broken by the open plan. Figures and verdicts come from core/playbook. No widgets here.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/engine/sweep_process.h"
#include "core/playbook/catalogue.h"
#include "core/playbook/replay.h"
#include "core/playbook/standing.h"
#include "core/report/playbook_report.h"

#include <QObject>
#include <map>
#include <memory>
#include <optional>

namespace slipway::gui {

class PlanController;
class SweepsController;

class PlaybookController : public QObject {
    Q_OBJECT

public:
    PlaybookController(Context& context, PlanController& plan, SweepsController& sweeps, QObject* parent = nullptr);
    ~PlaybookController() override;

    /// Rereads content and journal, off the main thread.
    void reload();
    /// Null until read, and where reading failed: see error().
    [[nodiscard]] const Playbook* playbook() const { return m_content ? &m_content->playbook : nullptr; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// Problems of skipped files.
    [[nodiscard]] const std::vector<Message>& problems() const;
    /// The chapter's worked numbers, recomputed; as many as its checks.
    [[nodiscard]] const std::vector<CheckResult>& checks(const Chapter& chapter) const;

    [[nodiscard]] const std::vector<Guess>& guesses() const { return m_guesses; }
    [[nodiscard]] const std::vector<Json>& records() const { return m_records; }
    [[nodiscard]] const Guess* guessFor(const std::string& subject) const { return firstGuess(m_guesses, subject); }
    [[nodiscard]] ExperimentStanding standing(const Experiment& experiment) const;
    /// Results of other computers from imported records.
    [[nodiscard]] std::vector<ExperimentStanding> theirStandings(const Experiment& experiment) const;
    /// Guesses, records and the open plan, as input of reports.
    [[nodiscard]] ReaderState reader() const;
    /// The last local record of an experiment, as the text of a file; empty: not run.
    [[nodiscard]] std::string recordText(const Experiment& experiment) const;
    /// Imports the record in a file from another computer.
    void takeRecord(const std::string& file);
    /// Stores the first guess for a subject; a subject that has one keeps it.
    void guess(const std::string& subject, double value);

    /// A person's note on an experiment, or tick in the pre-flight list (Remark of core/playbook/journal.h); empty: none.
    [[nodiscard]] std::string remarkOn(const std::string& subject) const;
    /// Stores it; an unchanged text is not stored again.
    void remark(const std::string& subject, const std::string& text);
    /// Reference data of the shelf. Valid as long as playbook().
    struct LookUps {
        std::vector<PreflightPoint> preflight;
        std::vector<TrainingSystem> systems;
        std::vector<PublishedModel> models;
        std::vector<GlossaryTerm> words;
    };
    [[nodiscard]] const LookUps& lookUps() const { return m_content->lookUps; }

    /// Published data, with the benchmark of layouts among them.
    struct Benchmark {
        PublishedData data;                ///< what is in the home of it
        slipway::Reference page;           ///< the benchmark's page to fetch
        std::vector<BenchmarkCell> cells;  ///< its layouts, ranked
    };
    /// Empty until read, and where its files are unreadable: see problems().
    [[nodiscard]] const std::optional<Benchmark>& benchmark() const { return m_benchmark; }
    /// What published data say about an experiment; points into benchmark().
    [[nodiscard]] ReplayResult replay(const Experiment& experiment) const;
    /// Fetches a document, or reads the copy `fromFile`; emits loaded() at the start and at the end.
    void takeReference(const slipway::Reference& reference, const std::string& fromFile);
    [[nodiscard]] bool isFetching() const { return m_isFetching; }

    /// Runs `slipway playbook run`, which plans, trains, evaluates and stores the record.
    /// @param repeats overrides the experiment's own; 0: its own
    void run(const Experiment& experiment, bool isShort, std::int64_t repeats = 0);
    /// The running experiment; empty: none.
    [[nodiscard]] const std::string& running() const { return m_running; }
    /// "Trial 3 of 12" of the running experiment.
    [[nodiscard]] QString progress() const;
    /// Finds the cost of a run; `done` is called once, on this thread.
    void findCost(QObject* whoAsks, const Experiment& experiment, bool isShort,
                  std::function<void(const Result<ExperimentCost>&)> done);
    /// Cost of both forms, for the list of all experiments; empty until computed, and where there is nothing to run but a job for others.
    struct Costs {
        std::optional<ExperimentCost> shortForm, fullForm;
    };
    [[nodiscard]] const Costs& costs(const Experiment& experiment) const;

    [[nodiscard]] PlanController& plan() const { return m_plan; }
    /// Codes of the rules broken by the open plan.
    [[nodiscard]] const std::vector<std::string>& broken() const { return m_broken; }

signals:
    void loaded();
    /// A guess or a record was added.
    void journalChanged();
    void planChanged();
    void costsChanged();
    /// An experiment started, progressed or ended.
    void runChanged();
    void said(const QString& text);

private:
    struct Content {
        Playbook playbook;
        std::vector<Message> problems;
        LookUps lookUps;
        std::map<std::string, std::vector<CheckResult>> checks;  ///< by chapter
    };
    void readJournal();
    void endRun();
    void takePlan();
    void findCosts();

    Context& m_context;
    PlanController& m_plan;
    SweepsController& m_sweeps;
    SweepProcesses m_processes;
    std::shared_ptr<const Content> m_content;
    std::optional<Benchmark> m_benchmark;
    std::optional<Error> m_error;
    std::vector<Guess> m_guesses;
    std::vector<Json> m_records;
    std::map<std::string, std::string> m_remarks;
    std::vector<std::string> m_broken;
    std::map<std::string, Costs> m_costs;  ///< by experiment
    std::string m_costMachine;             ///< they are for this machine, as JSON
    std::string m_running;
    bool m_isFetching = false;
    LatestJob m_contentJob, m_journalJob, m_costJob;
    QTimer m_live;
};

}  // namespace slipway::gui
