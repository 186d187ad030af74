// The playbook: chapters with question, guess, explanation and checks, and the deciding experiments. All of it is data:
// one JSON file per chapter and per experiment (experiments/playbook/README.md), each text in English and Korean.
//   auto playbook = readPlaybook(findPlaybookFolder());   playbook->chapters.front().title.in(Language::Korean)
#pragma once

#include "core/base/language.h"
#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct LocalText {
    std::string english, korean;
    [[nodiscard]] const std::string& in(Language language) const {
        return language == Language::Korean ? korean : english;
    }
    [[nodiscard]] bool empty() const { return english.empty(); }
};

/// A figure model with its inputs, as compact JSON, and the selected output.
struct FigureCall {
    std::string model;
    std::string inputsJson = "{}";
    std::string output;
};

/// The question whose answer the reader guesses first.
struct GuessQuestion {
    LocalText asked, unit;
    std::optional<FigureCall> answer;  ///< absent where only an experiment's claim is the answer
    std::string claim;                 ///< of an experiment: the claim with the answer; empty in chapters
    double scale = 1;                  ///< factor from the answer to `unit`
    double tolerance = 0.1;            ///< relative: within it a guess is correct
};

struct Slider {
    std::string input;  ///< of the figure model
    std::string field;  ///< of a run config, bound to the slider; empty: not part of a plan
    std::string
        ofPlan;  ///< figure of the plan (plan_figures.h) at which a slider without a field begins; empty: at `value`
    double low = 0, high = 1, value = 0;
    bool isLogarithmic = false;
};
struct FigureUse {
    LocalText title;
    std::string model;
    std::string inputsJson = "{}";  ///< inputs without a slider
    std::vector<Slider> sliders;
    std::vector<std::string> edits;    ///< inputs to choose or type: words, matrices, lists
    std::vector<std::string> outputs;  ///< shown, in this order
};

/// A source's number, recomputed. A source's mistake is marked: `mistake` explains the printed figure.
struct Check {
    LocalText label;
    FigureCall call;
    std::string expectedJson;         ///< required result of the model
    std::string tolerance = "exact";  ///< "exact", "rel 1e-6", "abs 0.05"
    std::string printed;              ///< as printed in the source; empty where not printed
    std::string row;                  ///< of tests/data/examples.csv
    std::string part;                 ///< JSON pointer into the row's expected value
    LocalText mistake;                ///< empty: the source is correct
    std::string rightOutput;  ///< output with the corrected figure for a mistake; empty: the expected one is correct
};

/// A table from the sources, original or corrected, for a side-by-side comparison in a chapter.
struct ChapterTable {
    LocalText title;
    std::vector<LocalText> columns;
    std::vector<std::vector<LocalText>> rows;  ///< as many cells as columns
    std::string row;                           ///< of the inventory; empty: not of a single one
};

/// One line of a worked solution, with the figure that it leads to.
struct SolutionStep {
    LocalText text, unit;
    std::optional<FigureCall> call;  ///< absent: a sentence alone
};
/// The solution by one edition of the source.
struct Edition {
    std::string id;
    LocalText name;
    FigureCall answer;
    LocalText verdict;  ///< the conclusion from the answer
    std::vector<SolutionStep> steps;
};
/// A problem of a source, guessed first like the chapter's question. Its editions may have different answers: a guess
/// counts against the first of them, the current one.
struct Exercise {
    std::string id;
    LocalText title, question;
    GuessQuestion guess;
    std::vector<Edition> editions;  ///< at least one

    /// Null when there is none.
    [[nodiscard]] const Edition* edition(std::string_view id) const;
};

struct Finding {
    LocalText text, contradictedBy;
    std::string source;
};
struct Trap {
    std::string rule;  ///< code of a lint rule; empty where no program can check it
    LocalText text;
};

struct Chapter {
    std::string id;
    std::int64_t number = 0;
    LocalText title, question, idea;
    GuessQuestion guess;
    std::vector<FigureUse> figures;
    std::vector<ChapterTable> tables;
    std::vector<Check> checks;
    std::vector<Exercise> exercises;
    std::vector<std::string> experiments;
    Finding finding;
    std::vector<Trap> traps;
    std::vector<std::string> sources;

    /// Subject of a guess at one of its exercises (journal.h): "exercises/llama70b".
    [[nodiscard]] std::string subjectOf(const Exercise& exercise) const { return id + "/" + exercise.id; }
};

enum class ExperimentNeed { Laptop, Gpu, Node, Cluster, Plan };

enum class ClaimKind {
    Ratio,      ///< median of `point` over median of `baseline`
    Difference  ///< median of `point` minus median of `baseline`, in the metric's unit
};
enum class ClaimSide {
    Around,  ///< within `tolerance` of `expected`
    Above,   ///< theory or source state only a direction: above `expected`
    Below
};
/// One sentence of the expected result that a measurement can contradict.
struct Claim {
    std::string id;
    LocalText text;
    std::string metric;  ///< of a run ("step_seconds") or its curve (curve_figures.h), or "seconds" of a benchmark
    std::string baselineMetric;  ///< of the baseline; empty: the same
    ClaimKind kind = ClaimKind::Ratio;
    ClaimSide side = ClaimSide::Around;
    std::string point, baseline;  ///< names of points of the sweep, without the seed
    /// Compared repeat by repeat, with the same seed on both sides: for losses, whose level depends on the seed.
    bool isPaired = false;
    double expected = 1;
    double tolerance = 0.1;  ///< absolute, of the ratio or the difference; 0 for a direction

    [[nodiscard]] const std::string& metricOfBaseline() const {
        return baselineMetric.empty() ? metric : baselineMetric;
    }
};

/// The question that a guess answers, by its subject in the journal: a chapter, an exercise or an experiment.
struct GuessSubject {
    std::string id;  ///< as the journal has it
    const GuessQuestion* question = nullptr;
};

/// A sentence that published data decide, without a run of one's own.
struct ReplayClaim {
    std::string id;
    LocalText text;
    std::string figure, baseline;  ///< names of published figures (replay.h); with a baseline their ratio counts
    ClaimSide side = ClaimSide::Around;
    double expected = 1;
    double tolerance = 0.1;  ///< absolute; 0 for a direction
};
/// Published data on an experiment. Without claims of its own they answer those of the experiment, point by point.
struct Replay {
    std::string reference;  ///< id in references.json
    std::vector<ReplayClaim> claims;
};

/// A simulated failure: all ranks of these points are killed after this step, once.
struct KillPoint {
    std::vector<std::string> points;
    std::int64_t step = 0;
};

struct Experiment {
    std::string id, chapter;
    LocalText title, question, hypothesis;
    ExperimentNeed need = ExperimentNeed::Laptop;
    LocalText hardware, axes, searched, fixed;
    std::int64_t repeats = 3;
    std::int64_t warmupSteps = 0;
    GuessQuestion guess;
    std::string sweepJson;       ///< a sweep file without seeds; empty: nothing to train
    std::string shortSweepJson;  ///< members that replace those of sweepJson under --short; empty: the same
    std::string bench;           ///< "comm": the trainer's own benchmark; "near_duplicates": simulated here; else empty
    std::string script;          ///< a job for other programs, written by export; empty: none
    std::optional<KillPoint> kill;
    std::optional<Replay> replay;
    std::vector<Check> computes;  ///< of plan-only experiments
    std::vector<Claim> claims;
    LocalText derivation;  ///< derivation of the expected figures from theory or a source; empty: see `finding`
    Finding finding;
    LocalText waitsFor;  ///< missing prerequisite of the run; empty: none
    std::vector<std::string> sources;
};

/// Label and unit of an input or output of figure models, or of a metric.
struct FigureWord {
    std::string key;
    LocalText label, unit;
};

struct Playbook {
    std::filesystem::path folder;
    std::vector<Chapter> chapters;        ///< by number
    std::vector<Experiment> experiments;  ///< by id: L1, L2, ... L16, G1, ...
    std::vector<FigureWord> words;

    [[nodiscard]] const Chapter* chapter(std::string_view idOrNumber) const;
    [[nodiscard]] const Experiment* experiment(std::string_view id) const;
    /// By "pipelines", "10", "L6" or "exercises/llama70b"; empty where nothing has that id.
    [[nodiscard]] std::optional<GuessSubject> guessSubject(std::string_view id) const;
    /// The key itself where it has no label.
    [[nodiscard]] LocalText label(std::string_view key) const;
    [[nodiscard]] LocalText unit(std::string_view key) const;
};

/// Reads chapters/*.json, experiments/*.json and words.json below the folder. "bad_playbook" with every problem of
/// every file on its own line: file, JSON pointer, message; "folder_missing".
Result<Playbook> readPlaybook(const std::filesystem::path& folder);

/// The same for readers, for whom one damaged file must not block the others: files with problems are skipped, with the
/// links to them, and listed in `problems`. "folder_missing".
Result<Playbook> readSoundPlaybook(const std::filesystem::path& folder, std::vector<Message>& problems);

/// SLIPWAY_PLAYBOOK_DIR, else the installed folder, else the one of the running program's source tree; empty when none
/// exists.
std::filesystem::path findPlaybookFolder();

std::string_view wordOf(ExperimentNeed need);

}  // namespace slipway
